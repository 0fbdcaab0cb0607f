"""An export from the page of `chirper serve` is the file that the command writes."""

import contextlib
import io
import re
import sqlite3
import zipfile

from page import LIST, equal, look, recording, saved, shown, until, window
from program import values

# What says when or by which program a file was written.
WRITTEN = re.compile(rb"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(\.\d+)?Z?|(?<=pubDate>)[^<]*")
TABLES = """SELECT name FROM sqlite_schema
    WHERE type = 'table' AND name NOT LIKE 'rtree_%' ORDER BY name"""


def content(file, directory):
    """A file without the moment at which it was written; an archive and a database as what is in
    it."""
    if file.startswith(b"PK"):
        with zipfile.ZipFile(io.BytesIO(file)) as archive:
            return {name: WRITTEN.sub(b"", archive.read(name)) for name in archive.namelist()}
    if file.startswith(b"SQLite format 3"):
        path = directory / "found.sqlite"
        path.write_bytes(file)
        with contextlib.closing(sqlite3.connect(path)) as database:
            rows = lambda name: repr(database.execute(f'SELECT * FROM "{name}"').fetchall())
            tables = [name for [name] in database.execute(TABLES)]
            return {name: WRITTEN.sub(b"", rows(name).encode()) for name in tables}
    return WRITTEN.sub(b"", file)


LICENCES = [
    f"//creativecommons.org/licenses/{name}/4.0/" for name in ("by-sa", "by-nc-sa", "by-nd")]
ANNOTATIONS = [
    {
        "start_time": "1", "end_time": "2", "scientific_name": "Turdus merula",
        "annotation_remarks": "a, \"b\""},
    {"sound_type": "song, call"},
]
CHOSEN = ["--where", "q:A", "--sort", "-eventDate"]
BOXES = {
    "--annotations": "dialog >> text=Their annotations",
    "--tidy": "dialog >> text=Tidy columns",
}


def rows():
    """Recordings of several licences, half of them annotated."""
    for number in range(1, 301):
        more = {"annotation-set": {"annotations": ANNOTATIONS}} if number % 2 else {}
        yield recording(number, lic=LICENCES[number % 3], **more)


def exported(program, form, *options, chosen=CHOSEN):
    """The file of the command."""
    path = program.home / "wanted"
    program.run("export", LIST, *chosen, "--format", form, "-o", path, *options)
    return path.read_bytes()


def compare(page, program, form, option=None):
    """A format of the dialog is that of the command, with an option or without."""
    page.select_option("dialog select", form)
    # Annotations have no tidy columns: what is not wanted is unchecked first.
    for other in sorted(BOXES, key=lambda other: other == option):
        if page.query_selector(BOXES[other]):
            page.set_checked(BOXES[other], other == option)
    what = "the annotations of 60" if option == "--annotations" else "60"
    found = saved(page, f"dialog >> text=Export {what} recordings")
    wanted = exported(program, form, *([option] if option else []))
    equal(content(found, program.home), content(wanted, program.home), f"{form} {option}")


def test_an_export_is_that_of_the_command(browser):
    with shown(browser, list(rows()), "&q=q:A&sort=-eventDate") as (program, page):
        until(page, "60 of 300 recordings")
        page.click(".tools-line >> text=Export")
        until(page, "CC BY-SA 4.0", "dialog table")
        formats = page.eval_on_selector_all(
            "dialog option", "options => options.map(({ value }) => value)")
        wanted = {*values("export", "format"), "bib", "html", "md"} - {"table"}
        equal(sorted(formats), sorted(wanted), "the formats")
        # No sound is kept for a deck, which test_page_learn.py has.
        page.select_option("dialog select", "anki")
        until(page, "No sound is kept here whose licence lets others pass it on.", "dialog")
        for form in formats:
            if form != "anki":
                compare(page, program, form)
        for form in ("csv", "jsonl"):
            compare(page, program, form, "--tidy")
        for form in ("csv", "tsv", "jsonl"):
            compare(page, program, form, "--annotations")
        page.uncheck(BOXES["--annotations"])
        page.select_option("dialog select", "csv")
        for use, purposes in (
                ("commercial use", "commercial"), ("changes", "commercial,derivatives")):
            page.check(f"dialog >> text={use}")
            wanted = exported(program, "csv", "--for", purposes)
            assert b"Place" in wanted and wanted.count(b"Place") < 60, "some are left out"
            equal(saved(page, "dialog a.strong"), wanted, f"what may be used for {purposes}")
            page.wait_for_selector("dialog tbody")
        page.uncheck("dialog >> text=commercial use")
        page.uncheck("dialog >> text=changes")
        page.keyboard.press("Escape")

        # The rows that were ticked, and no others.
        page.focus(".grid")
        for key in ("x", "j", "j", "x"):
            page.keyboard.press(key)
        until(page, "2 ticked")
        page.click(".tools-line >> text=Export")
        assert page.is_checked("dialog >> text=Only the 2 ticked rows"), "the choice of rows"
        page.select_option("dialog select", "csv")
        page.uncheck(BOXES["--tidy"])
        found = saved(page, "dialog >> text=Export 2 recordings")
        path = f"/api/chirper/rows?list=xeno-canto:{LIST}&q=q:A&sort=-eventDate&limit=3"
        first, _, third = program.get(path + "&columns=catalogNumber")["recordings"]
        numbers = f"nr:{first['catalogNumber']},{third['catalogNumber']}"
        wanted = exported(program, "csv", chosen=["--where", numbers, "--sort", "-eventDate"])
        equal(found, wanted, "the ticked rows")


def test_a_sound_that_cannot_be_fetched_is_said_over_the_dialog(browser):
    with shown(browser, [recording(1, file="")], **window(360, height=640)) as (_, page):
        until(page, "1 recording")
        page.click(".tools-line >> text=Export")
        page.click("dialog >> text=Fetch the other 1")
        until(page, "1 sound could not be fetched.", ".notice")
        look(page, "export-failed")
        page.click(".notice >> [aria-label=Close]")
        page.wait_for_selector(".notice", state="detached")
        page.wait_for_selector("dialog >> text=Fetch the other 1")
