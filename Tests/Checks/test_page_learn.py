"""Learn, on the page of `chirper serve`."""

import contextlib
import io
import json
import zipfile

import pytest

from page import (
    SOUNDS, equal, kept_and_shown, look, moves, opened, rows_of, saved, served, until, wait,
    windows)


@pytest.fixture(scope="module")
def stocked():
    """Some lists of the sample, with their short sounds."""
    with served() as program:
        for name in ("owl", "parrot", "blackbird", "kea", "wren"):
            program.run("fetch", name, "--source", "sample", "--quiet")
            program.run("export", name, "--where", "len:<20", "--audio", program.home / name)
        yield program


@contextlib.contextmanager
def lesson(browser, program, **tab):
    """A tab on Learn, whose round is ready."""
    with opened(browser, program, "?view=learn", **tab) as page:
        page.evaluate(SOUNDS)
        page.wait_for_selector(".learn h2")
        yield page


def is_suitable(row):
    is_good = row["quality"] in ("A", "B")
    return is_good and row["mediaDuration"] < 20 and not row["associatedTaxa"]


def names_by_length(page, rows):
    """The names of the recordings that are as long as the sound that is asked."""
    wait(page, "sounds.at(-1)?.duration > 0")
    duration = page.evaluate("sounds.at(-1).duration")
    return {row["vernacularName"] for row in rows if abs(row["mediaDuration"] - duration) < 0.1}


def test_a_round_is_learned_by_keyboard_without_the_network(browser, stocked):
    columns = "vernacularName,scientificName,mediaDuration,quality,associatedTaxa"
    rows = [row for row in rows_of(stocked, columns, "limit=1000") if is_suitable(row)]
    with lesson(browser, stocked, expected=["ERR_INTERNET_DISCONNECTED"]) as page:
        until(page, f"{len(rows)} sounds of 5 species are suitable.", ".learn")
        page.focus(".learn >> text=Begin")
        page.keyboard.press("Enter")
        until(page, "1 of 20", ".learn h2")
        page.context.set_offline(True)
        right, missed = 0, []
        for number in range(1, 21):
            until(page, f"{number} of 20", ".learn h2")
            wait(page, "sounds.length === value", number)
            # Nothing on the page names what is asked, until it is answered.
            choices = [text[2:] for text in page.locator(".choices button").all_inner_texts()]
            equal(len(set(choices)), 4, "different names")
            title = page.inner_text(".player .title")
            equal(title, f"Sound {number} of 20", "the name of the sound")
            rest = page.inner_text("main").replace(page.inner_text(".choices"), "")
            assert not any(name in rest for name in choices), rest
            assert names_by_length(page, rows) & set(choices), f"none of {choices} is asked"
            if number == 1:
                first = page.evaluate("sounds.at(-1).duration")
                moves(page)
                page.keyboard.press("Space")
                page.wait_for_selector(".learn .play[aria-label=Play]")
                page.keyboard.press("Space")
                page.wait_for_selector(".learn .play[aria-label=Pause]")
                kept_and_shown(page, ".player")
            page.keyboard.press(str(number % 4 + 1))
            page.wait_for_selector(".answer strong")
            said = page.inner_text(".answer strong")
            right += said.startswith("Right")
            if not said.startswith("Right"):
                missed.append(page.inner_text(".answer p").split(": ")[1].split(",")[0])
            assert said in ("Right: ", "Right:") or choices[number % 4] in said, said
            page.keyboard.press("Enter")
        until(page, f"{right} of 20 right.", ".learn h2")
        learned = page.evaluate("JSON.parse(localStorage.getItem('chirper.learned'))")
        counts = [sum(counts) for counts in zip(*learned.values())]
        equal(counts, [right, 20], "the answers that this browser keeps")
        page.wait_for_selector(".player", state="detached")
        # What was wrong is heard again, with its name.
        names = [text.split("\n")[0] for text in page.locator(".missed li").all_inner_texts()]
        assert [text.removeprefix("▶ ").split(" not ")[0] for text in names] == missed, names
        page.click(".missed button >> nth=0")
        wait(page, "sounds.length === 21")
        equal(page.inner_text(".player .title"), missed[0], "the name of what is heard again")
        page.context.set_offline(False)
        # Others have the same sounds, in the same order.
        page.goto(page.evaluate("document.querySelector('.learn a').href"))
        page.evaluate(SOUNDS)
        until(page, "20 sounds of 5 species are suitable.", ".learn")
        page.click(".learn >> text=Begin")
        until(page, "1 of 20", ".learn h2")
        wait(page, "sounds.at(-1)?.duration > 0")
        equal(page.evaluate("sounds.at(-1).duration"), first, "the length of the first sound")


def test_what_is_asked_is_exported_as_a_deck(browser, stocked):
    columns = "mediaDuration,quality,associatedTaxa"
    rows = [row for row in rows_of(stocked, columns, "limit=1000") if is_suitable(row)]
    with lesson(browser, stocked) as page:
        until(page, f"{len(rows)} sounds of 5 species are suitable.", ".learn")
        page.click(".learn >> text=Deck for Anki")
        until(page, f"Export {len(rows)} cards, ", "dialog")
        size = page.inner_text("dialog a.strong").split(", ")[1]
        assert size.endswith(" MB"), size
        look(page, "learn-deck")
        file = saved(page, "dialog a.strong")
        assert abs(len(file) / 1e6 - float(size.removesuffix(" MB"))) < 0.5, (len(file), size)
        with zipfile.ZipFile(io.BytesIO(file)) as deck:
            names = json.loads(deck.read("media")).values()
        equal(sum(name.endswith(".wav") for name in names), len(rows), "the sounds")


def test_a_name_is_typed(browser, stocked):
    rows = rows_of(stocked, "vernacularName,scientificName", "limit=1000")
    names = {row["scientificName"]: row["vernacularName"] for row in rows}
    with lesson(browser, stocked) as page:
        page.select_option(".learn select", "true")
        page.click("text=Begin")
        page.wait_for_selector("#answer:focus")
        page.keyboard.type("xyz")
        page.keyboard.press("Enter")
        until(page, "No, not xyz", ".answer")
        until(page, names[page.inner_text(".answer em")], ".answer")
        page.keyboard.press("Enter")
        # Any of its names, in any case, is right.
        until(page, "2 of 20", ".learn h2")
        page.wait_for_selector("#answer:focus")
        page.keyboard.type("gre")
        wait(page, "document.querySelectorAll('#species option').length > 0")
        equal(page.locator(".choices").count(), 0, "names to choose from")


def test_learn_says_how_many_sounds_are_lacking(browser):
    with served() as program:
        program.run("fetch", "owl", "--source", "sample", "--quiet")
        program.run("fetch", "kea", "--source", "sample", "--quiet")
        with opened(browser, program, "?view=learn") as page:
            until(page, "0 sounds of 0 species are suitable. 20 are lacking", ".learn")
            assert page.locator(".learn >> text=Begin").is_disabled()
            # What the page says is what fetches them.
            command = "chirper export --where 'q:A,B also:none' --audio sounds.zip"
            equal(page.inner_text(".learn code"), command, "what is typed")
            look(page, "learn-without-sounds")
        # As much of that as a test needs.
        search = "q:A,B also:none len:<20"
        program.run("export", "--where", search, "--audio", program.home / "sounds.zip")
        with opened(browser, program, "?view=learn") as page:
            page.wait_for_selector(".learn button:has-text('Begin'):enabled")
            assert "20 are lacking" not in page.inner_text(".learn"), page.inner_text(".learn")


def test_learn_has_no_finding_of_axe(browser, stocked):
    for options in windows():
        with lesson(browser, stocked, reduced_motion="reduce", **options) as page:
            look(page, "learn")
            page.click("text=Begin")
            page.wait_for_selector(".choices")
            moves(page)
            kept_and_shown(page, ".player")
            look(page, "learn-asks")
            page.keyboard.press("1")
            page.wait_for_selector(".answer p")
            look(page, "learn-answers")
            for number in range(2, 21):
                page.keyboard.press("Enter")
                until(page, f"{number} of 20", ".learn h2")
                page.keyboard.press("1")
            page.keyboard.press("Enter")
            page.wait_for_selector(".learned")
            look(page, "learn-done")
