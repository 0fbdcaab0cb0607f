"""The page of `chirper serve` in Chromium: the built program, with a catalogue that is answered here.

Nothing waits for a time: a test waits for what must happen, for as long as a busy machine may need. --screens FOLDER keeps a picture of
each state. --files answers the page's files from the checkout, as they are now, and not those that were built into the program.
"""

import contextlib
import io
import json
import math
import pathlib
import re
import socket
import sqlite3
import time
import urllib.request
import zipfile
from urllib.parse import parse_qs, urlencode, urlsplit

import pytest

from page import (
    CLOCK, HOSTILE, LIST, PAGE, ROWS, TYPES, TimeoutError, equal, headers, kept_and_shown, look, names, opened, recording, served, shown, until, wave)
from program import values


def test_the_files_are_embedded_and_kept(browser):
    with served() as program:
        with opened(browser, program) as page:
            equal(page.url, program.address, "the address without the token")
            until(page, "Nothing is stored yet", ".message")
            files = page.evaluate("performance.getEntriesByType('resource').map(({ name }) => name).filter((name) => name.includes('/page/'))")
            equal(sorted(file.rsplit("/", 1)[1] for file in files), ["main.js", "page.css"], "what brings the page")
            # Every file of the folder, also those that are not loaded yet. `main.js` is sent with what it imports.
            for file in [files[0].rsplit("/", 1)[0] + "/" + file.name for file in PAGE.iterdir() if file.suffix in TYPES]:
                answer = urllib.request.urlopen(file)
                if not file.endswith("/main.js"):
                    equal(answer.read(), (PAGE / file.split("/")[-1]).read_bytes(), file)
                equal(answer.headers["Cache-Control"], "public, max-age=31536000, immutable", file)
                equal(answer.headers["Content-Security-Policy"], headers()["Content-Security-Policy"], file)


def test_annotations_are_boxes_that_play(browser):
    annotations = [
        {"start_time": "0.2", "end_time": "0.6", "frequency_low": "2000", "frequency_high": "6000", "scientific_name": "Turdus merula", "sound_type": "song", "annotator": "A. Name"},
        {"start_time": "2", "end_time": "1", "sound_type": "call", "annotation_remarks": "<b>no times</b>"},
        *({"start_time": str(number / 1000), "end_time": "1"} for number in range(300)),
    ]
    with served() as program:
        with opened(browser, program) as page:
            page.fill("#search", "parrot")
            page.click("text=Fetch")
            until(page, "recordings")
            page.wait_for_selector(ROWS)
        with contextlib.closing(sqlite3.connect(program.database)) as database, database:
            database.execute("UPDATE recording SET fields = json_set(fields, '$.\"annotation-set\"', json(?))", (json.dumps({"annotations": annotations}),))
        with opened(browser, program) as page:
            page.wait_for_selector(ROWS)
            page.click(".body .row")
            page.wait_for_selector(".annotations li")
            equal(page.locator(".annotations li").count(), 200, "annotations in the list")
            texts = page.locator(".annotations li").all_inner_texts()
            equal(texts[0], "▶ 0.2–0.6 s Turdus merula, song · 2–6 kHz · by A. Name", "an annotation")
            equal(texts[1].strip(), "call · <b>no times</b>", "one without times")
            equal(page.locator(".annotations p").inner_text(), "102 more are on the sonogram.", "the others")
            equal(page.locator(".details >> text=Annotated").count(), 0, "annotations among the details")
            # The audio is fetched, and the stretch plays once.
            page.evaluate(f"""() => {{
                window.most = 0;
                const see = () => {{ most = Math.max(most, {CLOCK}); requestAnimationFrame(see) }};
                see();
            }}""")
            page.click(".annotations li button >> nth=0")
            page.wait_for_selector(".recording .play[aria-label=Pause]")
            page.wait_for_selector(".recording .play[aria-label=Play]")
            assert 0.5 < page.evaluate("() => most") < 0.9, page.evaluate("() => most")
            kept_and_shown(page)
            equal(page.locator(".recording .sonogram").get_attribute("data-boxes"), "301", "boxes")
            # A click within a box plays it; the smallest box at that place is the one that is meant.
            box = page.locator(".recording .sonogram canvas").bounding_box()
            shown = min(60, float(page.locator(".player .time input").get_attribute("max")))
            page.evaluate("() => (window.most = 0)")
            page.mouse.click(box["x"] + 44 + 0.4 / shown * (box["width"] - 44), box["y"] + 6 + 2 / 3 * (box["height"] - 28))
            page.wait_for_selector(".recording .play[aria-label=Pause]")
            page.wait_for_selector(".recording .play[aria-label=Play]")
            assert 0.5 < page.evaluate("() => most") < 0.9, page.evaluate("() => most")


def occurrence(key, **other):
    return {"key": key, "catalogNumber": f"own {key}", "vernacularName": f"Wren {key}", "decimalLatitude": 0.5, "decimalLongitude": -140.5,
            "media": [{"type": "Sound", "identifier": f"https://x.example/{key}.mp3"}]} | other


TAXON = "https://www.gbif.org/species/42"

# Whether a cross or a dot is in the middle of a map: there is ink near it on both diagonals, or to its side and above it.
DRAWN = """(selector) => {
    const canvas = document.querySelector(`${selector} canvas`)
    if (!canvas?.width) return 'nothing'
    const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height)
    const at = (x, y) => String(data.slice(4 * (Math.floor(canvas.height / 2 + y) * canvas.width + Math.floor(canvas.width / 2 + x))).slice(0, 3))
    const isInk = ([x, y]) => at(x, y) !== at(30, 25)
    const [sides, diagonals] = [[[2.25, 0], [0, -2.25]].filter(isInk).length, [[2.25, 2.25], [-2.25, 2.25], [2.25, -2.25], [-2.25, -2.25]].filter(isInk).length]
    return sides === 2 ? 'dot' : sides === 0 && diagonals === 4 ? 'cross' : `${sides} ${diagonals}`
}"""


def drawn(page, selector, wanted):
    try:
        page.wait_for_function(f"([selector, wanted]) => ({DRAWN})(selector) === wanted", arg=[selector, wanted])
    except TimeoutError as error:
        raise AssertionError(f"{page.evaluate(DRAWN, selector)} is drawn in {selector}, not {wanted}") from error


def test_what_its_catalogue_doubts_is_marked(browser):
    occurrences = [occurrence(1, issues=["COUNTRY_COORDINATE_MISMATCH"]), occurrence(2)]
    with served([], fetched=False, occurrences=occurrences) as program:
        program.run("fetch", TAXON, "--source", "gbif", "--quiet")
        with opened(browser, program, expected=["willReadFrequently"]) as page:
            until(page, "2 recordings")
            page.wait_for_selector(ROWS)
            marks = dict(page.eval_on_selector_all(ROWS, "rows => rows.map((row) => [row.innerText.match(/Wren \\d/)[0], [row.children[1].textContent, row.children[1].getAttribute('aria-label')]])"))
            equal(marks, {"Wren 1": ["!", "its catalogue doubts it"], "Wren 2": ["", ""]}, "marks of rows")
            page.click(".body .row:has-text('Wren 1')")
            page.wait_for_selector(".recording >> text=The catalogue doubts this place.")
            page.wait_for_selector(".recording dt:has-text('Its catalogue doubts') + dd:has-text('coordinate')")
            drawn(page, ".recording .map", "cross")
            page.click(".body .row:has-text('Wren 2')")
            page.wait_for_selector(".recording h2:has-text('Wren 2')")
            drawn(page, ".recording .map", "dot")
            equal(page.locator(".recording >> text=doubts").count(), 0, "doubts of what is not doubted")
            page.click("[aria-label='Close the recording']")
            page.click(".views >> text=Map")
            for search, wanted in (("issue:coordinate", "cross"), ("-issue:coordinate", "dot")):
                page.fill("#search", search)
                until(page, "1 with a place", ".mapped [role=status]")
                page.click("text=Show all")
                drawn(page, ".mapped .map", wanted)


def test_each_recording_is_shown_once(browser):
    own = {"datasetKey": "b1047888-ae52-4179-9dd5-5448ea342a24"}
    occurrences = [occurrence(key, catalogNumber=f"XC{key}", **own) for key in (1, 2)] + [occurrence(3)]
    with served([recording(1), recording(2)], occurrences=occurrences) as program:
        program.run("fetch", TAXON, "--source", "gbif", "--quiet")
        with opened(browser, program) as page:
            until(page, "3 recordings")
            equal(len(names(page)), 3, "rows")
            page.click("text=Show 2 more copies")
            until(page, "5 recordings")
            assert page.url.endswith("?copies=all"), page.url
            equal(sorted(name for _, name in names(page)), ["Common Blackbird"] * 2 + ["Wren 1", "Wren 2", "Wren 3"], "rows with copies")
            page.reload()
            until(page, "5 recordings")
            page.fill("#search", "wren")
            until(page, "3 of 5 recordings")
            page.fill("#search", "")
            page.click("text=Show each recording once")
            until(page, "3 recordings")
            # A copy whose original is not found is shown.
            page.fill("#search", "source:gbif")
            until(page, "3 of 5 recordings")
            equal(page.locator("text=more cop").count(), 0, "copies that are left out")
            # A list has its rows.
            page.goto(f"{program.address}?list=gbif:{TAXON}")
            until(page, "3 recordings")
            equal(page.locator(".status >> text=copies").count(), 0, "the switch in a list")


def test_a_list_is_fetched_played_and_forgotten(browser):
    with served() as program, opened(browser, program) as page:
        page.fill("#search", "parrot")
        page.click("text=Fetch")
        until(page, "recordings")
        page.wait_for_selector(ROWS)
        stored = program.get("/api/chirper/lists")["queries"][0]
        equal((stored["query"], stored["source"]), ("parrot", "sample"), "the list")
        until(page, "complete" if stored["next"] is None else "of")
        assert "list=sample%3Aparrot" in page.url, page.url

        page.click(".body .row")
        page.wait_for_selector(".recording h2")
        page.click(".recording .play")
        page.wait_for_function(f"() => document.querySelector('.time input') && {CLOCK} > 0.2")
        before = page.evaluate(CLOCK)
        page.wait_for_function(f"(before) => {CLOCK} !== before", arg=before)
        kept_and_shown(page)
        [kept] = [file for file in program.data.glob("audio/sample/*") if file.stat().st_size > 1000]
        with page.expect_download() as download:
            page.click("text=Save the audio")
        equal(pathlib.Path(download.value.path()).read_bytes(), kept.read_bytes(), "the audio that is saved")

        # A stretch that is drawn is played again and again; at half speed, too.
        page.select_option("[aria-label^='Speed']", "0.5")
        box = page.locator(".recording .sonogram canvas").bounding_box()
        page.mouse.move(box["x"] + 100, box["y"] + 60)
        page.mouse.down()
        page.mouse.move(box["x"] + 130, box["y"] + 60, steps=4)
        page.mouse.up()
        page.wait_for_selector("[aria-label='Loop off'][aria-pressed=true]")
        # On a busy machine it has ended meanwhile.
        if page.query_selector(".recording .play[aria-label=Play]"):
            page.click(".recording .play")
        page.evaluate(f"""() => {{
            window.times = [];
            const see = () => {{ times.push({CLOCK}); requestAnimationFrame(see) }};
            see();
        }}""")
        page.wait_for_function("() => times.filter((time, index) => index > 0 && time < times[index - 1] - 0.01).length >= 3")
        page.click("[aria-label='Loop off']")
        page.click(".recording .play[aria-label=Pause]")
        page.wait_for_selector(".recording .play[aria-label=Play]")
        page.keyboard.press("Escape")
        equal(page.query_selector(".recording"), None, "the recording after Escape")

        page.click(".lists li.open >> text=Forget")
        page.click("dialog >> text=Keep it")
        equal(len(program.get("/api/chirper/lists")["queries"]), 1, "lists after Keep it")
        page.click(".lists li.open >> text=Forget")
        page.click("dialog >> text=Forget it")
        until(page, "was forgotten", ".notice")
        equal(program.get("/api/chirper/lists")["queries"], [], "lists after Forget it")


def test_sounds_are_compared(browser):
    with served() as program:
        program.run("fetch", "parrot", "--source", "sample", "--quiet")
        with opened(browser, program, "?list=sample:parrot", expected=["willReadFrequently"]) as page:
            page.wait_for_selector(ROWS)
            page.focus(".grid")
            for key in ("c", "j", "c"):
                page.keyboard.press(key)
            page.click(".views >> text=Compare 2")
            # Sounds that are not kept yet are fetched when they are played.
            for number in range(2):
                page.locator(".compared .play").nth(number).click()
                page.wait_for_function("(before) => document.querySelectorAll('.compared .sonogram canvas').length > before", arg=page.locator(".compared .sonogram canvas").count())
            asked = []
            page.on("request", lambda request: asked.append(request) if request.method != "GET" or request.post_data else None)
            file = program.home / "own.wav"
            file.write_bytes(wave([0.5 * math.sin(n / 3) for n in range(96_000)], 48_000))
            page.set_input_files("input[type=file]", file)
            page.wait_for_function("() => document.querySelectorAll('.compared .sonogram canvas').length === 3")
            kept_and_shown(page, ".compared")
            equal(asked, [], "what is sent when a file of one's own is opened")
            # Its tone, once less of the frequencies is in sight.
            page.fill("[aria-label='To, in kHz']", "5")
            page.keyboard.press("Enter")
            kept_and_shown(page, ".compared")
            page.wait_for_function("""() => {
                const canvas = [...document.querySelectorAll('.compared canvas')].at(-1)
                const [from, lines] = [6, canvas.height - 28]
                const all = canvas.getContext('2d').getImageData(80, from, 1, lines).data
                const darkest = [...Array(lines).keys()].reduce((best, line) => (all[4 * line] < all[4 * best] ? line : best))
                return Math.abs(5000 * (1 - (darkest + 0.5) / lines) - 48_000 / 6 / Math.PI) < 100
            }""")
            # A key switches the sound, which goes on at the same moment.
            page.evaluate("document.activeElement.blur()")
            for key in "123":
                page.keyboard.press(key)
                page.wait_for_selector(f".compared:nth-of-type({key}).heard")
            page.keyboard.press("Space")
            page.wait_for_function(f"() => {CLOCK} > 0.1")
            equal(page.evaluate("new Set([...document.querySelectorAll('.compared .cursor')].map((cursor) => cursor.style.transform)).size"), 1, "one cursor")
            page.click(".compared.heard [aria-label^='Take']")
            page.wait_for_function("() => document.querySelectorAll('.compared').length === 2")


IN_SIGHT = """() => {
    const [row, head, table] = ['.row.shown:not([hidden])', '.head', '.table'].map((part) => document.querySelector(part)?.getBoundingClientRect())
    return row && row.top >= head.bottom - 1 && row.bottom <= table.bottom + 1
}"""


def test_the_next_recording_is_opened(browser):
    rows = [recording(number, sp=["merula", "iliacus"][number % 2]) for number in range(1, 301)]
    with shown(browser, rows) as (program, page):
        opened_now = lambda number: page.wait_for_function("(key) => new URLSearchParams(location.search).get('id') === key", arg=f"xeno-canto/{number}")
        page.click(ROWS)
        opened_now(1)
        # Past the rows that are known, with the table following.
        for number in range(2, 161):
            page.click("[aria-label='Next row']")
            opened_now(number)
        page.wait_for_function(IN_SIGHT)
        for number in (162, 164):
            page.click("[aria-label='Next of the same species']")
            opened_now(number)
        page.wait_for_function(IN_SIGHT)
        page.click("[aria-label='Previous of the same species']")
        opened_now(162)
        page.click("[aria-label='Previous row']")
        opened_now(161)
        page.goto(page.url.replace("xeno-canto%2F161", "xeno-canto%2F300"))
        page.click("[aria-label='Next of the same species']")
        until(page, "No further row", ".notice")


def test_names_come_before_what_mentions_them(browser):
    rows = [
        recording(1, en="Great Tit", rmk="mimics a blackbird"), recording(2, en="Robin", also=["Common Blackbird"]), recording(3),
        recording(4, en="Wren", loc="Blackbird Hill"), recording(5, en="Wren")]
    for width in (1280, 400):
        with shown(browser, rows, viewport={"width": width, "height": 800}) as (program, page):
            asked = []
            page.on("request", lambda request: asked.append(request.url) if "found-in=true" in request.url else None)
            page.fill("#search", "blackbird")
            page.wait_for_function("() => document.querySelectorAll('.body .row:not([hidden])').length === 4")
            page.wait_for_selector(".found:not(:empty)")
            equal(names(page), [[0, "Common Blackbird"], [1, "Wren"], [2, "Great Tit"], [3, "Robin"]], "names, places, the rest")
            notes = lambda: page.eval_on_selector_all(
                ".body .row:not([hidden])",
                "rows => rows.sort((a, b) => a.getAttribute('aria-rowindex') - b.getAttribute('aria-rowindex'))"
                ".map((row) => row.querySelector('.found').textContent)")
            # Both show the place.
            equal(notes(), ["", "", "in remarks: mimics a blackbird", "in background: Common Blackbird"], "where the word is")
            assert "sort=rank" in asked[-1], asked[-1]
            if width == 1280:
                page.click(".heading >> text=Length")
                page.wait_for_function("() => document.querySelector('.body .row:not([hidden])') && location.search.includes('sort=mediaDuration')")
                page.wait_for_function("() => [...document.querySelectorAll('.body .row:not([hidden])')].find((row) => row.getAttribute('aria-rowindex') === '2')?.children[2].firstChild.data === 'Great Tit'")
                assert "sort=rank" not in asked[-1], asked[-1]


def test_a_search_in_a_list_says_what_is_stored_elsewhere(browser):
    with shown(browser, [recording(1), recording(2, sp="philomelos", en="Song Thrush")]) as (program, page):
        program.run("fetch", "parrot", "--source", "sample")
        page.reload()
        page.click("nav >> text=parrot")
        page.wait_for_function("() => location.search.includes('sample')")
        page.fill("#search", "blackbird")
        page.click("text=1 in everything stored")
        until(page, "1 of 52 recordings")
        equal(page.input_value("#search"), "blackbird", "the search stays")
        # A name that is nearly so, but not in the list, is not offered there.
        page.click("nav >> text=parrot")
        page.fill("#search", "blackbrid")
        page.wait_for_selector("text=Nothing in this list matches.")
        page.wait_for_timeout(500)
        equal(page.locator("text=Search “").count(), 0, "a suggestion that finds nothing")
        page.click("text=Everything stored")
        page.fill("#search", "blackbrid")
        page.click("text=Search “Common Blackbird”")
        until(page, "1 of 52 recordings")


def test_fetch_takes_what_the_field_shows(browser):
    with shown(browser, [recording(1)]) as (_, page):
        asked = []
        page.on("request", lambda request: asked.append(request.post_data_json["query"]) if request.method == "POST" and "loads" in request.url else None)
        shown_text = page.get_attribute("#search", "placeholder")
        page.click(".fetch >> text=Fetch")
        page.wait_for_function("() => location.search.includes('list=')")
        page.wait_for_timeout(200)
        equal(asked, [shown_text], "what is fetched with an empty field")


def test_a_pasted_address_opens_its_recording(browser):
    with shown(browser, [recording(number) for number in (12, 123, 124)]) as (_, page):
        page.fill("#search", "https://xeno-canto.org/123")
        until(page, "1 of 3 recordings")
        assert not page.is_visible(".recording"), "an address that is typed only searches"
        page.press("#search", "Control+A")
        page.press("#search", "Control+X")
        until(page, "3 recordings")
        page.press("#search", "Control+V")
        page.wait_for_selector(".recording")
        equal(parse_qs(urlsplit(page.url).query)["id"], ["xeno-canto/123"], "the recording that is open")


def test_names_that_were_begun_are_completed(browser):
    with shown(browser, [recording(1, sp="philomelos", en="Song Thrush")]) as (_, page):
        offered = lambda: page.eval_on_selector_all("#names option", "options => options.map((option) => option.value)")
        equal(page.get_attribute("#search", "list"), "names", "the list of names of the field")
        page.fill("#search", "q:A western jack")
        page.wait_for_selector("#names option", state="attached")
        equal(offered(), ["q:A western jackdaw"], "a name of the list of birds")
        page.fill("#search", "song t")
        page.wait_for_function("() => document.querySelector('#names option')?.value === 'song thrush'")
        page.fill("#search", "")
        page.wait_for_function("() => !document.querySelector('#names option')")


def test_names_in_a_language_that_was_added(browser):
    with shown(browser, [recording(1), recording(2, sp="iliacus", en="Redwing")]) as (program, page):
        page.click(".to-columns")
        equal(page.locator(".to-names").count(), 0, "languages without a list of names")
        file = program.home / "names.csv"
        file.write_text("Scientific name,German,French\nTurdus merula,Amsel,Merle noir\n")
        program.run("names", "add", str(file))
        page.reload()
        page.wait_for_selector(ROWS)
        page.click(".to-columns")
        page.select_option(".to-names", "de")
        page.keyboard.press("Escape")
        page.wait_for_selector(".body .row:has-text('Amsel')")
        equal(sorted(name for _, name in names(page)), ["Amsel", "Redwing"], "names in German")
        page.reload()
        page.wait_for_selector(".body .row:has-text('Amsel')")
        page.fill("#search", "merle noir")
        until(page, "1 of 2 recordings")
        until(page, "also as Turdus merula")
        page.click(".body .row:has-text('Amsel')")
        page.wait_for_selector(".recording h2:has-text('Amsel')")
        look(page, "names")
        page.click("[aria-label='Close the recording']")
        page.fill("#search", "")
        page.click(".views >> text=Charts")
        page.wait_for_selector(".chart .bar:has-text('Amsel')")
        page.click(".chart .bar:has-text('Amsel')")
        until(page, "1 of 2 recordings")
        page.click(".views >> text=Rows")
        page.click(".to-columns")
        page.select_option(".to-names", "")
        page.keyboard.press("Escape")
        page.wait_for_selector(".body .row:has-text('Common Blackbird')")


def test_rows_of_an_earlier_search_are_grey(browser):
    with shown(browser, [recording(number) for number in range(1, 31)]) as (program, page):
        until(page, "30 recordings")
        color = "() => getComputedStyle(document.querySelector('.body .row .at-name')).color"
        ink, held = page.evaluate(color), []
        page.route("**/api/chirper/rows*q=nr%3A7*limit=100*", lambda route: held.append(route))
        page.fill("#search", "nr:7")
        page.wait_for_function(f"(ink) => ({color})() !== ink", arg=ink)
        assert len(names(page)) > 5, "the rows until the answer comes"
        held.pop().continue_()
        until(page, "1 of 30 recordings")
        page.wait_for_function(f"(ink) => ({color})() === ink", arg=ink)


def test_a_crowded_server_is_asked_again(browser):
    with shown(browser, [recording(number) for number in range(1, 31)], expected=["503"]) as (program, page):
        until(page, "30 recordings")
        answers = ["<!doctype html>busy", "<!doctype html>busy"]

        def answer(route):
            if not answers:
                return route.continue_()
            route.fulfill(status=503, body=answers.pop(), headers={**headers(), "Content-Type": "text/html", "Retry-After": "1"})

        page.route("**/api/chirper/rows*", answer)
        page.fill("#search", "nr:7")
        until(page, "The server is busy. Trying again…")
        until(page, "1 of 30 recordings")
        page.wait_for_function("() => !document.querySelector('.status').innerText.includes('busy')")
        # What was asked meanwhile is answered, and the request that waited is given up.
        page.route("**/api/chirper/rows*q=nr%3A8*", lambda route: route.fulfill(status=503, body="busy", headers={**headers(), "Retry-After": "1"}))
        page.fill("#search", "nr:8")
        until(page, "The server is busy. Trying again…")
        page.fill("#search", "nr:9")
        until(page, "1 of 30 recordings")
        page.wait_for_function("() => !document.querySelector('.status').innerText.includes('busy')")


def test_a_link_is_asked_nothing_before_its_session(browser):
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))
        except OSError:
            pytest.skip("this machine has no address but its own")
        address = probe.getsockname()[0]
    with served([recording(1)]) as program:
        program.stop()
        program.serve("--listen", address)
        # Chromium takes that header over HTTPS alone.
        with opened(browser, program, expected=["Cross-Origin-Opener-Policy"]) as page:
            until(page, "1 recording")
            assert "You can look" not in page.inner_text("body")


def listen(program, *options):
    """Starts the server anew for other machines; this one reaches it by its own address, with a token as they do."""
    program.stop()
    program.serve("--listen", "0.0.0.0", *options)
    program.address = f"http://127.0.0.1:{program.port}/"


def changing(page):
    """The buttons that fetch or change something, and the choice of a catalogue."""
    return page.eval_on_selector_all("button, select", """all => all.map((one) => one.getAttribute('aria-label') ?? one.innerText)
        .filter((text) => /Fetch|Sync|Forget|Load more|Stop|Catalogue|Try again/.test(text))""")


def test_a_reader_is_offered_nothing_that_changes_or_costs(browser):
    with served([recording(number) for number in range(1, 601)]) as program:
        with opened(browser, program) as page:
            until(page, "500 recordings")
            equal(sorted(set(changing(page))), ["Catalogue to fetch from", "Fetch", f"Forget {LIST}", f"Sync {LIST}"], "what the owner is offered")
        program.run("fetch", "owl", "--source", "sample", "--audio", "--pages", "1", "--quiet")
        for options, link in (((), True), (("--public",), False)):
            listen(program, *options)
            asked = []
            with opened(browser, program, f"?list=xeno-canto:{LIST}", token=program.reader_token, link=link) as page:
                page.on("request", lambda request: asked.append(f"{request.method} {request.url}"))
                until(page, "500 recordings")
                look(page, "reader")
                equal(changing(page), [], "what a reader is offered")
                page.keyboard.press("Tab")
                page.click(ROWS)
                until(page, "This sound is not kept here.", ".recording")
                page.focus(".grid")
                page.keyboard.press("p")
                until(page, "This sound is not kept here.", ".notice")
                page.keyboard.press("End")
                page.fill("#search", "nothing has this")
                until(page, "Nothing in this list matches.", "main")
                equal(changing(page), [], "what a reader is offered where nothing is found")
                page.goto(program.address + "?list=xeno-canto:kea")
                until(page, "is not stored", "main")
                equal(changing(page), [], "what a reader is offered where a list is not stored")
                page.goto(program.address + "?list=sample:owl")
                page.wait_for_selector(ROWS)
                page.click(ROWS)
                page.wait_for_selector(".recording [aria-label=Play]")
            equal([one for one in asked if not one.startswith("GET ")], [], "what is asked apart from reading")


def test_an_empty_store_offers_a_reader_nothing_to_fetch(browser):
    with served() as program:
        listen(program)
        with opened(browser, program, token=program.reader_token) as page:
            until(page, "Whoever runs chirper can fetch recordings.", "main")
            equal(changing(page), [], "what a reader is offered")


def test_a_page_without_its_link_says_whom_to_ask(browser):
    with served([recording(1)]) as program:
        listen(program)
        ask = "Ask whoever runs chirper for the link."
        with opened(browser, program, link=False, expected=["401"]) as page:
            until(page, ask, "main")
            look(page, "no link")
            equal(changing(page), [], "what is offered without a link")
            # It is opened in another tab.
            other = page.context.new_page()
            other.goto(program.address + f"#{program.reader_token}")
            until(page, "1 recording")
        with opened(browser, program, token="0" * 32, expected=["401"]) as page:
            until(page, ask, "main")
            until(page, ask, ".notice")


def test_the_right_link_asks_for_its_session_first(browser):
    with served([recording(1)]) as program:
        listen(program)
        for token in (program.token, program.reader_token):
            asked = []
            context = browser.new_context()
            page = context.new_page()
            page.on("request", lambda request: asked.append(f"{request.method} {request.url.removeprefix(program.address)}"))
            page.goto(program.address + f"#{token}")
            until(page, "1 recording")
            first = [one for one in asked if "page/" not in one and one != "GET "]
            equal(first[:2], ["POST session", "GET session"], "the first requests")
            assert "Ask whoever" not in page.inner_text("body") and "#" not in page.url
            context.close()


def test_coming_back_keeps_the_place(browser):
    with shown(browser, [recording(number) for number in range(1, 401)], more="&at=200&sort=-catalogNumber") as (program, page):
        is_there = lambda: page.wait_for_function("""() => {
            const top = document.querySelector('.head')?.getBoundingClientRect().bottom
            return [...document.querySelectorAll('.body .row:not([hidden]):not(.waiting)')].some((row) => Math.abs(row.getBoundingClientRect().top - top) < 2 && row.getAttribute('aria-rowindex') === '202')
        }""")
        is_there()
        for view in ("Map", "Charts"):
            page.click(f".views >> text={view}")
            page.wait_for_selector(".grid", state="detached")
            page.click(".views >> text=Rows")
            is_there()
        # The rows go before the browser tells of a scroll.
        page.evaluate("""async () => {
            document.querySelector('.grid').scrollTop += 34
            ;[...document.querySelectorAll('.views button')].find((button) => button.innerText === 'Charts').click()
            await new Promise((resume) => setTimeout(resume, 300))
        }""")
        page.click(".views >> text=Rows")
        is_there()
        page.go_back()
        page.wait_for_selector(".charts")
        page.go_back()
        is_there()
        page.click(ROWS)
        page.wait_for_selector(".details")
        page.reload()
        is_there()
        page.wait_for_selector(".details")
        page.go_back()
        page.wait_for_selector(".details", state="detached")
        is_there()


def test_what_is_new_since_the_last_visit(browser):
    rows = [recording(number) for number in range(1, 21)]
    with shown(browser, rows, expected=["404"]) as (program, page):
        until(page, "20 recordings")
        program.catalogue.rows[LIST] = [recording(number) for number in range(101, 104)] + rows
        program.run("sync", LIST, "--quiet")
        until(page, "3 new in 7 days")
        # They came an hour ago, one of them two days ago, and the last visit was yesterday.
        with contextlib.closing(sqlite3.connect(program.database)) as database, database:
            database.execute("UPDATE arrival SET entered_at = entered_at - 3600000")
            database.execute("UPDATE arrival SET entered_at = entered_at - 2 * 86400000 WHERE recording_id = (SELECT min(recording_id) FROM arrival)")
        address = page.url
        page.goto(program.address + "openapi.json")
        page.evaluate("localStorage.setItem('chirper.visit', JSON.stringify({ last: Date.now() - 86_400_000 }))")
        page.goto(address)
        until(page, "2 new since your last visit")
        # To read it again is no other visit.
        page.reload()
        until(page, "2 new since your last visit")
        equal(page.eval_on_selector_all(".body .row:not([hidden])", "rows => rows.filter((row) => row.children[1].innerText === '*').length"), 2, "rows with the mark of new ones")
        page.click(".status >> text=2 new")
        until(page, "2 of 23 recordings")


def test_a_phone_has_all_of_it(browser):
    rows = [recording(number) for number in range(1, 31)]
    with shown(browser, rows, viewport={"width": 360, "height": 740}, has_touch=True) as (program, page):
        tools = page.eval_on_selector(".tools-line", "({ scrollWidth, clientWidth }) => [scrollWidth, clientWidth]")
        equal(tools[0], tools[1], "the buttons above the rows are all in sight")
        page.select_option(".to-sort", "-eventDate")
        page.wait_for_function("() => document.querySelector('.body .row[aria-rowindex=\"2\"]').innerText.includes('2024-12-11')")
        page.fill("#search", "parrot")
        page.select_option(".fetch select", "sample")
        page.tap(".fetch >> text=Fetch")
        until(page, "50 of 715")
        page.tap(".to-lists")
        page.tap(".lists .close")
        page.wait_for_selector(".lists", state="hidden")
        for width, least in (("#search", 150), (".fetch select", 60), (".views >> text=Compare", 60)):
            box = page.locator(width).bounding_box()
            assert box["width"] >= least and box["x"] + box["width"] <= 360, f"{width} is at {box}"
        # Two fingers zoom the map, as its buttons do.
        page.tap(".views >> text=Map")
        until(page, "with a place", ".mapped [role=status]")
        zoomed = lambda: float(parse_qs(urlsplit(page.url).query)["map"][0].split(",")[2])
        page.tap(".mapped [aria-label='Zoom in']")
        page.wait_for_function("() => location.search.includes('map=')")
        before = zoomed()
        session = page.context.new_cdp_session(page)

        def touch(*steps):
            for kind, *places in steps:
                address = page.url
                session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": [{"x": x, "y": 400, "id": number} for number, x in enumerate(places)]})
                if kind == "touchMove":
                    page.wait_for_function("(before) => location.href !== before", arg=address)

        touch(("touchStart", 160, 200), ("touchMove", 140, 220), ("touchMove", 100, 260), ("touchEnd",))
        assert abs(zoomed() - before - 2) < 0.01, f"four times as far apart: {before}, then {zoomed()}"
        touch(("touchStart", 100), ("touchMove", 120), ("touchMove", 200), ("touchEnd",))
        assert abs(zoomed() - before - 2) < 0.01, f"one finger zooms: {before}, then {zoomed()}"


def test_without_the_token_it_only_reads(browser):
    with served() as program:
        program.run("fetch", "parrot", "--source", "sample", "--quiet")
        with opened(browser, program, link=False, expected=["401"]) as page:
            page.wait_for_selector(ROWS)
            page.click(".lists >> text=parrot")
            page.click(".lists li.open >> text=Sync")
            until(page, "Ask whoever runs chirper for the link.", ".notice")


def test_the_cookie_of_a_session_only_reads(browser):
    with served() as program:
        program.run("fetch", "parrot", "--source", "sample", "--quiet")
        with opened(browser, program, expected=["401"]) as page:
            page.wait_for_selector(ROWS)
            (cookie,) = page.context.cookies()
            secret = page.evaluate("JSON.parse(localStorage.getItem('chirper.secret'))")
            assert program.token not in cookie["value"] and program.token not in secret and cookie["value"] != secret, cookie
            load = """(secret) => fetch('/api/chirper/loads', { method: 'POST', body: '{"query":"owl","source":"sample"}',
                headers: secret ? { 'X-Chirper-Session': secret } : {} }).then(({ status }) => status)"""
            equal([page.evaluate(load, value) for value in (None, cookie["value"], secret)], [401, 401, 202], "loads without and with the secret")
            # In a tab that is opened later the secret is there, without the link.
            page.goto(program.address)
            page.wait_for_selector(ROWS)
            page.click(".lists >> text=parrot")
            page.click(".lists li.open >> text=Sync")
            page.wait_for_function("() => fetch('/api/chirper/loads').then((answer) => answer.json()).then(({ loads }) => loads.some(({ kind, state }) => kind === 'sync' && state === 'done'))")
            page.evaluate("localStorage.removeItem('chirper.secret')")
            page.reload()
            page.wait_for_selector(ROWS)
            page.click(".lists li.open >> text=Sync")
            until(page, "Ask whoever runs chirper for the link.", ".notice")


def test_ten_thousand_rows_while_pages_arrive(browser):
    with shown(browser, [recording(number) for number in range(1, 10_001)], expected=["400"]) as (program, page):
        until(page, "500 recordings")
        # In every frame from now on, each row in sight is the one of its position, or a placeholder.
        page.evaluate("""() => {
            window.wrong = []
            const place = [...document.querySelectorAll('.heading .cell')].findIndex(({ innerText }) => innerText.startsWith('Place'))
            const see = () => {
                for (const row of document.querySelectorAll('.body .row:not([hidden]):not(.waiting)')) {
                    const [text, wanted] = [row.children[place].firstChild.data, `Place ${row.getAttribute('aria-rowindex') - 1}`]
                    if (text !== wanted) wrong.push(`${text} instead of ${wanted}`)
                }
                requestAnimationFrame(see)
            }
            see()
        }""")
        page.focus(".grid")
        end = time.time() + 300
        # The next page is fetched when the last row comes into sight.
        while names(page)[-1][0] != 9_999:
            assert time.time() < end, page.inner_text(".status")
            rows = int(page.get_attribute(".grid", "aria-rowcount")) - 1
            page.keyboard.press("End")
            page.wait_for_function("(rows) => document.querySelector('.grid').getAttribute('aria-rowcount') - 1 > rows || rows === 10_000", arg=rows)
        until(page, "10,000 recordings")
        until(page, "complete")
        until(page, "End of the list.")
        page.wait_for_function("() => !document.querySelector('.body .row.waiting:not([hidden])')")
        equal(page.evaluate("wrong"), [], "rows while pages arrived")
        equal(page.evaluate("document.querySelector('.status').innerText.includes('Load more')"), False, "a list that is read to its end")
        page.evaluate("wrong.push = () => {}")

        # Sort, search, and the fault of a search under its word.
        page.click(".heading >> text=Quality")
        page.wait_for_selector("[aria-sort=ascending] >> text=Quality")
        in_order(program, page, "sort=quality")
        page.click(".heading >> text=Quality")
        page.wait_for_selector("[aria-sort=descending] >> text=Quality")
        in_order(program, page, "sort=-quality")
        page.focus(".grid")
        page.keyboard.press("0")
        in_order(program, page, "")
        page.fill("#search", "q:A month:13")
        page.wait_for_selector("#fault .pointer")
        equal(page.text_content("#fault .before"), "q:A ", "what is before the word that is wrong")
        equal(page.get_attribute("#search", "aria-invalid"), "true", "the field of a search that is wrong")
        assert len(names(page)) > 10, "the rows before stay"
        page.fill("#search", "q:A month:5")
        count = program.json("stats", LIST, "--where", "q:A month:5", "--by", "quality")["recordings"]
        until(page, f"{count:,} of 10,000 recordings")
        in_order(program, page, "q=q:A+month:5")


def in_order(program, page, parameters):
    rows = program.get(f"/api/chirper/rows?list=xeno-canto:{LIST}&limit=5&columns=locality&{parameters}")["recordings"]
    page.wait_for_function(
        "(places) => { const rows = [...document.querySelectorAll('.body .row')]; return places.every((place, index) => rows.find((row) => row.getAttribute('aria-rowindex') == index + 2)?.innerText.split('\\n').includes(place)) }",
        arg=[row["locality"] for row in rows])


def test_map_and_charts_say_what_stats_says(browser):
    places = [(60, 8), (61, 9), (-33, 151), (0, 0), (45, -120)]
    rows = [recording(number, lat=str(places[number % 5][0]) if number % 9 else "", lon=str(places[number % 5][1]) if number % 9 else "", sp=["merula", "iliacus"][number % 2],
                      en=["Common Blackbird", "Redwing"][number % 2], cnt=["Norway", "Chile", "Côte d'Ivoire"][number % 3], time=f"{number % 24:02}:30" if number % 7 else "?",
                      **({"annotation-set": {"annotations": [{"scientific_name": "Parus major", "sound_type": "song"}, {"scientific_name": "Corvus corax"}][: 1 + number % 2]}} if number % 4 == 1 else {}))
            for number in range(1, 301)]
    where = "len:>40"
    with shown(browser, rows, f"&q={where}&view=charts") as (program, page):
        wanted = lambda by, *more: program.json("stats", LIST, "--where", where, *more, "--by", by)
        months = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split()
        for title, by, more in [("Months, north of the equator", "month", "lat:>0"), ("Months, south of it", "month", "lat:<0"), ("Hours", "hour", None), ("Species", "species", None),
                                ("Countries", "country", None), ("Quality", "quality", None), ("Licences", "licence", None), ("Annotated species", "annotation", None),
                                ("Annotated types", "annotation-type", None)]:
            answer = wanted(by, *(["--where", more] if more else []))
            numbers = [[months[row[by] - 1] if by == "month" else str(row[by]), f"{row['recordings']:,}"] + ([f"{row['stored']:,}"] if "stored" in row else []) for row in answer["counts"]]
            page.wait_for_function("""([title, numbers]) => {
                window.found = [...document.querySelectorAll('.chart')].filter((chart) => chart.querySelector('h2').innerText === title && chart.querySelector('table'))
                    .map((chart) => [...chart.querySelectorAll('tbody tr')].map((row) => [...row.children].map((cell) => cell.textContent)))
                return JSON.stringify(window.found[0]) === JSON.stringify(numbers)
            }""", arg=[title, numbers])
            missing = list(answer["missing"].values())[0]
            if missing:
                page.wait_for_selector(f".chart:has(h2:text-is('{title}')) >> text={missing:,} without {'an' if 'annotation' in by else 'a'} ")
        rest = wanted("month")["recordings"] - sum(wanted("month", "--where", more)["recordings"] for more in ("lat:>0", "lat:<0"))
        page.wait_for_selector(f".chart >> text={rest:,} in neither")
        # Bars are as long as their numbers.
        for bars in page.evaluate("""[...document.querySelectorAll('.chart')].map((chart) => {
            const length = chart.matches('.upright') ? 'height' : 'width'
            const all = [...chart.querySelectorAll('tbody tr')].map((row) => Number(row.children[1].textContent.replace(',', '')))
            return [...chart.querySelectorAll('.bars > li')].map((bar, index) => [Math.round(parseFloat(bar.querySelector('.fill').style[length])), Math.round((all[index] / Math.max(...all)) * 100)])
        })"""):
            equal([length for length, _ in bars], [length for _, length in bars], "lengths of bars")
        # A bar is a filter.
        page.click(".chart:has(h2:text-is('Species')) button.bar >> nth=0")
        species = wanted("species")["counts"][0]
        until(page, f"{species['recordings']:,} of 300 recordings")
        assert "sp:" in page.input_value("#search"), page.input_value("#search")
        page.go_back()
        equal(page.input_value("#search"), where, "the search after the way back")
        page.click(".chart:has(h2:text-is('Annotated species')) button.bar >> nth=0")
        species = wanted("annotation")["counts"][0]
        until(page, f"{species['recordings']:,} of 300 recordings")
        equal(page.input_value("#search"), f'{where} ann_sp:"={species["annotation"]}"', "the search by an annotated species")
        # A chart that would be empty is not shown.
        page.fill("#search", f"{where} ann:no")
        page.wait_for_function("() => document.querySelectorAll('.chart h2').length > 5 && ![...document.querySelectorAll('.chart h2')].some((title) => title.innerText.startsWith('Annotated'))")
        page.fill("#search", where)
        until(page, "300 of 300 recordings")

        count = lambda search: program.json("stats", LIST, "--where", search, "--by", "quality")["recordings"]
        page.click(".views >> text=Map")
        until(page, f"{count(where + ' lat:any lon:any'):,} with a place", ".mapped [role=status]")
        # What is in sight is a filter, without a mouse.
        page.click(".mapped [aria-label='Zoom in']")
        page.click("text=Draw a box")
        page.focus(".mapped .map")
        page.keyboard.press("Enter")
        page.wait_for_function("() => document.querySelector('#search').value.includes('box:')")
        inside = count(page.input_value("#search"))
        assert 0 < inside < count(where), inside
        until(page, f"{inside:,} of 300 recordings")
        page.fill("#search", where)
        page.click("text=Show all")
        until(page, f"{count(where + ' lat:any lon:any'):,} with a place", ".mapped [role=status]")
        # So is a box that is drawn.
        page.click("text=Draw a box")
        box = page.locator(".mapped canvas").bounding_box()
        page.mouse.move(box["x"] + box["width"] / 2, box["y"] + 10)
        page.mouse.down()
        page.mouse.move(box["x"] + box["width"] - 5, box["y"] + box["height"] - 5, steps=4)
        page.mouse.up()
        page.wait_for_function("() => document.querySelector('#search').value.includes('box:')")
        inside = count(page.input_value("#search"))
        assert 0 < inside < count(where), inside
        until(page, f"{inside:,} of 300 recordings")
        until(page, f"{inside:,} with a place", ".mapped [role=status]")


# What says when or by which program a file was written.
WRITTEN = re.compile(rb"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(\.\d+)?Z?|(?<=pubDate>)[^<]*")


def content(file, directory):
    """A file without the moment at which it was written; an archive and a database as what is in it."""
    if file.startswith(b"PK"):
        with zipfile.ZipFile(io.BytesIO(file)) as archive:
            return {name: WRITTEN.sub(b"", archive.read(name)) for name in archive.namelist()}
    if file.startswith(b"SQLite format 3"):
        path = directory / "found.sqlite"
        path.write_bytes(file)
        with contextlib.closing(sqlite3.connect(path)) as database:
            tables = [name for (name,) in database.execute("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'rtree_%' ORDER BY name")]
            return {name: WRITTEN.sub(b"", repr(database.execute(f'SELECT * FROM "{name}"').fetchall()).encode()) for name in tables}
    return WRITTEN.sub(b"", file)


def test_an_export_is_that_of_the_command(browser):
    licences = [f"//creativecommons.org/licenses/{name}/4.0/" for name in ("by-sa", "by-nc-sa", "by-nd")]
    marked = {"annotations": [{"start_time": "1", "end_time": "2", "scientific_name": "Turdus merula", "annotation_remarks": "a, \"b\""}, {"sound_type": "song, call"}]}
    rows = [recording(number, lic=licences[number % 3], **({"annotation-set": marked} if number % 2 else {})) for number in range(1, 301)]
    with shown(browser, rows, "&q=q:A&sort=-eventDate") as (program, page):
        until(page, "60 of 300 recordings")
        page.click(".tools-line >> text=Export")
        until(page, "CC BY-SA 4.0", "dialog table")
        formats = page.eval_on_selector_all("dialog option", "options => options.map(({ value }) => value)")
        equal(sorted(formats), sorted(set(values("export", "format")) - {"table"}), "the formats")
        options = {"--tidy": "dialog >> text=Tidy columns", "--annotations": "dialog >> text=Their annotations"}
        forms = [(name, [option]) for option, some in [("--tidy", ["csv", "jsonl"]), ("--annotations", ["csv", "tsv", "jsonl"])] for name in some]
        for name, more in [(name, []) for name in formats] + forms:
            page.select_option("dialog select", name)
            # Annotations have no tidy columns: what is not wanted is unchecked first.
            for option in sorted(options, key=lambda option: (option in more, option)):
                if page.query_selector(options[option]):
                    page.set_checked(options[option], option in more)
            with page.expect_download() as download:
                page.click(f"dialog >> text=Export {'the annotations of ' if '--annotations' in more else ''}60 recordings")
            wanted = program.home / "wanted"
            program.run("export", LIST, "--where", "q:A", "--sort", "-eventDate", "--format", name, "-o", wanted, *more)
            equal(content(pathlib.Path(download.value.path()).read_bytes(), program.home), content(wanted.read_bytes(), program.home), name)
            wanted.unlink()
        page.uncheck(options["--annotations"])
        for uses in (["commercial use"], ["commercial use", "changes"]):
            page.check(f"dialog >> text={uses[-1]}")
            names = {"commercial use": "commercial", "changes": "derivatives"}
            wanted = program.run("export", LIST, "--where", "q:A", "--sort", "-eventDate", "--format", "csv", "--for", ",".join(names[use] for use in uses))
            page.select_option("dialog select", "csv")
            with page.expect_download() as download:
                page.click("dialog a.strong")
            assert b"Place" in wanted and wanted.count(b"Place") < 60, "some are left out"
            equal(pathlib.Path(download.value.path()).read_bytes(), wanted, f"what may be used for {uses}")
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
        assert page.is_checked("dialog >> text=Only the 2 ticked rows"), "an export is of the rows that are ticked"
        page.select_option("dialog select", "csv")
        page.uncheck("dialog >> text=Tidy columns")
        with page.expect_download() as download:
            page.click("dialog >> text=Export 2 recordings")
        rows = program.get(f"/api/chirper/rows?list=xeno-canto:{LIST}&q=q:A&sort=-eventDate&limit=3&columns=catalogNumber")["recordings"]
        wanted = program.run("export", LIST, "--where", f"nr:{rows[0]['catalogNumber']},{rows[2]['catalogNumber']}", "--sort", "-eventDate", "--format", "csv")
        equal(pathlib.Path(download.value.path()).read_bytes(), wanted, "the ticked rows")


def test_hostile_text_is_text_in_every_view(browser):
    fields = [name for name, value in recording(1).items() if isinstance(value, str) and name != "id"]
    rows = [recording(number, **{name: text for name in fields}) for number, text in enumerate(HOSTILE, 1)]
    # Those that the program reads as numbers and dates, too, and texts in lists.
    rows += [recording(10 + number, also=[text], lat="1e999", lon="NaN", length=text, date=text, time=text) for number, text in enumerate(HOSTILE, 1)]
    with shown(browser, rows, expected=["400", "404"]) as (program, page):
        for text in HOSTILE[:2] + HOSTILE[4:6]:
            program.run("fetch", f"{text}", "--source", "sample", "--quiet")

        def nothing_runs():
            bad = page.evaluate("[...document.querySelectorAll('a, [src]')].map((part) => part.href || part.src).filter((address) => !/^https?:|^blob:/.test(address)).concat([...document.querySelectorAll('#page :is(img, script, svg, iframe, object, [onerror], [onload])')].map(({ outerHTML }) => outerHTML))")
            equal(bad, [], "markup or addresses from a recording")
            title = page.evaluate("document.title")
            assert title.endswith(" – chirper") and title != "x", title

        for row in range(len(rows)):
            page.focus(".grid")
            page.keyboard.press("j" if row else "Home")
            page.keyboard.press("Enter")
            page.wait_for_function("(number) => [...document.querySelectorAll('.details dd')].some(({ innerText }) => innerText.includes(number))", arg=f"XC{rows[row]['id']}")
            page.click(".raw summary")
            nothing_runs()
            page.keyboard.press("c")
        page.keyboard.press("Escape")
        for view, drawn in (("Charts", ".chart:nth-child(8):not(.waiting)"), ("Map", ".mapped [role=status]:not(:text('Loading'))"), ("Compare", ".compare"), ("Rows", ROWS)):
            page.click(f".views >> text={view}")
            page.wait_for_selector(drawn)
            nothing_runs()
        page.click(".tools-line >> text=Export")
        page.wait_for_selector("dialog tbody")
        nothing_runs()
        page.keyboard.press("Escape")
        # As a search, in the address, as a list, and as the name of a file.
        for text in HOSTILE:
            page.fill("#search", text)
            page.wait_for_function("(text) => new URLSearchParams(location.search).get('q') === text.replace('\0', document.querySelector('#search').value.includes('\0') ? '\0' : '')", arg=text)
            nothing_runs()
            page.goto(program.address + "?" + urlencode({"list": f"{text}:{text}", "q": text, "id": f"{text}/{text}", "with": text, "view": text}))
            page.wait_for_selector(".recording .message")
            nothing_runs()
        page.goto(program.address + "?view=compare")
        for text in HOSTILE[:1] + HOSTILE[3:4]:
            page.set_input_files("input[type=file]", {"name": text.replace("/", "_"), "mimeType": "audio/wav", "buffer": wave([0.0] * 4800, 48_000)})
        page.wait_for_function("() => document.querySelectorAll('.compared .sonogram canvas').length === 2")
        nothing_runs()


def test_the_server_goes_away_and_comes_back(browser):
    with served() as program:
        program.run("fetch", "parrot", "--source", "sample", "--quiet")
        with opened(browser, program, "?list=sample:parrot", expected=["Failed to load resource"]) as page:
            page.wait_for_selector(ROWS)
            before = names(page)
            program.stop()
            until(page, "The server does not answer")
            equal(names(page), before, "the rows while the server is away")
            look(page, "server-away")
            program.serve()
            until(page, "recordings")
            page.wait_for_function("() => !document.querySelector('.status').innerText.includes('does not answer')")
            equal(names(page), before, "the rows when the server is back")


def test_a_failure_never_hides_rows(browser):
    with shown(browser, [recording(number) for number in range(1, 701)]) as (program, page):
        until(page, "500 of 700")
        program.catalogue.broken = True
        page.click(".status >> text=Load more")
        page.wait_for_selector(".status.error >> text=Try again")
        assert len(names(page)) > 10
        look(page, "failure")
        program.catalogue.broken = False
        page.click(".status >> text=Try again")
        until(page, "700 recordings")


def test_without_the_network_everything_stored_is_there(browser):
    with shown(browser, [recording(number) for number in range(1, 701)]) as (program, page):
        program.run("fetch", "parrot", "--source", "sample", "--audio", "--quiet")
        until(page, "500 of 700")
        program.catalogue.close()
        page.click(".status >> text=Load more")
        page.wait_for_selector(".status.error >> text=Try again")
        until(page, "read ")
        assert len(names(page)) > 10
        page.fill("#search", "q:A month:5")
        until(page, " of 500 recordings")
        page.click(".lists >> text=parrot")
        until(page, "50 of 715")
        page.click(ROWS)
        page.click(".recording .play")
        page.wait_for_function(f"() => {CLOCK} > 0.1")
        kept_and_shown(page)
        # Audio that is not kept: what to do is said. (This catalogue has no audio at all.)
        page.click(".lists >> text=gen:turdus")
        until(page, "500 of 700")
        page.click(ROWS)
        page.click(".recording .play")
        page.wait_for_selector(".recording .controls .fault")
        # Also for a row that is not open, and for a list that is not open.
        page.click(".recording .close")
        page.keyboard.press("j")
        page.keyboard.press("p")
        page.wait_for_selector(".player .fault")
        page.click(".lists >> text=parrot")
        until(page, "50 of 715")
        page.hover(".lists >> text=gen:turdus")
        page.click("[aria-label='Sync gen:turdus']")
        page.wait_for_selector(".lists .fault >> text=cannot be reached")
        page.click(".lists >> text=gen:turdus")
        page.wait_for_selector(".status.error >> text=Try again")
        # What to do is what can be done here: nothing is typed.
        equal(re.findall("command|chirper", page.inner_text(".status") + page.inner_text(".player")), [], "words of the command line")


def test_each_state_is_shown(browser):
    rows = [recording(number) for number in range(1, 701)]
    for width, scheme in ((1280, "light"), (360, "dark")):
        options = {"viewport": {"width": width, "height": 800}, "color_scheme": scheme}
        with served(rows, fetched=False) as program, opened(browser, program, expected=["404"], **options) as page:
            until(page, "Nothing is stored yet", ".message")
            look(page, f"{width}-nothing-stored")
            program.catalogue.goes_on.clear()
            page.fill("#search", LIST)
            page.click("text=Fetch")
            until(page, "Loading", ".message")
            until(page, "loading", ".status")
            look(page, f"{width}-loading")
            program.catalogue.goes_on.set()
            until(page, "500 of 700")
            page.wait_for_selector(".status.paging >> text=Load more")
            look(page, f"{width}-paging")
            program.catalogue.goes_on.clear()
            page.click(".status >> text=Load more")
            until(page, "loading page 2")
            look(page, f"{width}-loading-more")
            assert len(names(page)) > 5, "the rows while the next page is loaded"
            program.catalogue.goes_on.set()
            until(page, "700 recordings")
            page.wait_for_selector(".status.populated >> text=End of the list.")
            look(page, f"{width}-end")
            page.fill("#search", "blackbrid")
            until(page, "Nothing in this list matches", ".message")
            page.wait_for_selector(".message >> text=Search “Common Blackbird”")
            look(page, f"{width}-nothing-found")
            page.click(".message >> text=Show all")
            until(page, "700 recordings")

            # A list that the catalogue has nothing for, one that fails, and one that is not stored.
            page.fill("#search", "gen:nothing")
            page.click("text=Fetch")
            until(page, "Nothing was found for “gen:nothing”", ".message")
            look(page, f"{width}-empty")
            program.catalogue.broken = True
            page.fill("#search", "gen:failing")
            page.click("text=Fetch")
            page.wait_for_selector(".message >> text=Try again")
            look(page, f"{width}-error")
            program.catalogue.broken = False
            program.catalogue.rows["gen:failing"] = rows[:3]
            page.click(".message >> text=Try again")
            until(page, "3 recordings")
            page.goto(program.address + "?list=xeno-canto:gen:other")
            until(page, "“gen:other” is not stored", ".message")
            look(page, f"{width}-not-stored")


def test_a_new_search_cancels_the_one_before(browser):
    with shown(browser, [recording(number) for number in range(1, 11)]) as (program, page):
        asked = [[]]
        page.on("request", lambda request: asked[-1].append(request.url))
        program.catalogue.rows["gen:other"] = [recording(99, loc="Elsewhere")]
        program.catalogue.goes_on.clear()
        for text in ("gen:slow", "gen:other"):
            page.fill("#search", text)
            page.click(".fetch >> text=Fetch")
            page.wait_for_selector(".fetch >> text=Stop")
        program.catalogue.goes_on.set()
        until(page, "Elsewhere", ".body")
        loads = program.get("/api/chirper/loads")["loads"]
        equal([(load["query"], load["state"]) for load in loads], [("gen:slow", "cancelled"), ("gen:other", "done")], "loads")
        # Once nothing changes any more, the lists are asked for now and then, and no rows.
        for _ in range(3):
            asked.append([])
            with page.expect_response("**/api/chirper/state"):
                pass
        equal([url for url in asked[-1] if "/rows" in url], [], "rows that are asked for while nothing changes")


def test_everything_by_keyboard(browser):
    """As somebody who has no mouse: a species is found, heard, compared, filtered, seen on the map, and exported."""
    with served() as program, opened(browser, program, expected=["400"]) as page:
        press = lambda *keys: [page.keyboard.press(key) for key in keys]

        def tab_to(text, most=60, key="Tab"):
            """Presses Tab until an element of that name has the focus."""
            reached = []
            for _ in range(most):
                press(key)
                name = page.evaluate("(document.activeElement.getAttribute('aria-label') ?? document.activeElement.innerText ?? '').trim()")
                reached.append(name)
                if name.startswith(text):
                    outline = page.evaluate("getComputedStyle(document.activeElement).outlineStyle")
                    assert outline != "none" or page.evaluate("document.activeElement.matches('input')"), f"{text} has the focus, and it is not seen"
                    return
            raise AssertionError(f"{key} does not reach {text}, but {reached}")

        until(page, "Nothing is stored yet", ".message")
        press("/")
        page.keyboard.type("parrot")
        tab_to("Fetch")
        press("Enter")
        page.wait_for_selector(ROWS)
        until(page, "50 of 715")
        tab_to("Recordings")
        # Three songs are heard, each from its row.
        for _ in range(3):
            press("j", "Enter")
            page.wait_for_selector(".recording .play")
            press("p")
            page.wait_for_function(f"() => {CLOCK} > 0.05")
            kept_and_shown(page)
            press("p", "Escape")
            page.wait_for_selector(".recording", state="detached")
            equal(page.evaluate("document.activeElement.className.split(' ')[0]"), "grid", "the focus after Escape")
        press("c", "k", "c")
        tab_to("Compare 2", key="Shift+Tab")
        press("Enter")
        page.wait_for_function("() => document.querySelectorAll('.compared .sonogram canvas').length === 2")
        press("2", "Space")
        page.wait_for_function(f"() => {CLOCK} > 0.05")
        press("Space")
        tab_to("Rows", key="Shift+Tab")
        press("Enter", "/")
        page.keyboard.type("q:A month:3-8")
        count = lambda: program.json("stats", "parrot", "--where", "q:A month:3-8", "--by", "quality")["recordings"]
        until(page, f"{count()} of 50 recordings")
        tab_to("Map")
        press("Enter")
        until(page, "with a place", ".mapped [role=status]")
        tab_to("Map.")
        before = page.url
        press("+")
        page.wait_for_function("(before) => location.href !== before", arg=before)
        tab_to("Charts", key="Shift+Tab")
        press("Enter")
        page.wait_for_function("() => document.querySelectorAll('.chart').length >= 8 && !document.querySelector('.chart.waiting')")
        tab_to("Export")
        press("Enter")
        page.wait_for_selector("dialog tbody")
        tab_to(f"Export {count()} recording", most=10)
        with page.expect_download() as download:
            press("Enter")
        equal(pathlib.Path(download.value.path()).read_bytes(), program.run("export", "parrot", "--where", "q:A month:3-8", "--format", "csv"), "the file")
        press("Escape", "?")
        until(page, "Letters work while the table has the focus", "dialog")


def test_every_view_has_no_finding_of_axe(browser):
    for width, scheme in ((1280, "light"), (360, "dark"), (1280, "dark"), (360, "light")):
        options = {"viewport": {"width": width, "height": 800}, "color_scheme": scheme, "reduced_motion": "reduce"}
        with served() as program:
            program.run("fetch", "parrot", "--pages", "3", "--source", "sample", "--quiet")
            with opened(browser, program, "?list=sample:parrot", expected=["400"], **options) as page:
                seen = lambda name: look(page, f"{width}-{scheme}-{name}")
                page.wait_for_selector(ROWS)
                page.focus(".grid")
                for key in ("j", "x", "j", "c"):
                    page.keyboard.press(key)
                seen("rows")
                page.keyboard.press("Enter")
                page.wait_for_selector(".details")
                seen("recording")
                page.click(".recording .play")
                page.wait_for_function(f"() => {CLOCK} > 0.1")
                page.click(".recording .play")
                kept_and_shown(page)
                page.click(".recording .how summary")
                seen("sonogram")
                page.keyboard.press("Escape")
                page.focus(".grid")
                page.keyboard.press("j")
                page.keyboard.press("c")
                page.click(".views >> text=Compare")
                page.locator(".compared .play").last.click()
                page.wait_for_function("() => document.querySelectorAll('.compared .sonogram canvas').length === 2")
                kept_and_shown(page, ".compared")
                seen("compare")
                page.click(".views >> text=Map")
                until(page, "with a place", ".mapped [role=status]")
                seen("map")
                page.click(".views >> text=Charts")
                page.wait_for_function("() => document.querySelectorAll('.chart').length >= 8 && !document.querySelector('.chart.waiting')")
                seen("charts")
                page.click(".chart .numbers summary >> nth=0")
                seen("numbers")
                page.click(".views >> text=Rows")
                for name in ("Columns", "Export") if width > 640 else ("Export",):
                    page.click(f".tools-line >> text={name}")
                    page.wait_for_selector("dialog :is(.choices, tbody)")
                    seen(name.lower())
                    page.keyboard.press("Escape")
                page.click(".to-keys")
                seen("keys")
                page.keyboard.press("Escape")
                if width < 800:
                    page.click(".to-lists")
                    seen("lists")
                page.click(".lists li.open >> text=Forget")
                page.wait_for_selector("dialog")
                seen("forget")
                page.click("dialog >> text=Keep it")
                page.fill("#search", "q:A mnth:5")
                page.wait_for_selector("#fault .pointer")
                below = page.evaluate("() => document.querySelector('main').getBoundingClientRect().top - document.querySelector('#fault').getBoundingClientRect().bottom")
                assert below >= 0, f"the fault covers {-below} px"
                seen("fault")


def test_two_tabs_and_a_sync_beside_them(browser):
    rows = [recording(number) for number in range(1, 301)]
    path = f"?list=xeno-canto:{LIST}"
    with shown(browser, rows, expected=["404"]) as (program, page), opened(browser, program, path + "&q=q:A", expected=["404"]) as other:
        until(other, "60 of 300 recordings")
        page.focus(".grid")
        for _ in range(3):
            page.keyboard.press("PageDown")
        page.wait_for_function("() => location.search.includes('at=')")
        places = "rows => rows.map((row) => [Math.round(row.getBoundingClientRect().top), row.innerText.match(/Place \\d+/)[0], row.matches('.active')]).sort(([a], [b]) => a - b)"
        before = page.eval_on_selector_all(ROWS, places)
        # The catalogue has more, before those that are stored.
        program.catalogue.rows[LIST] = [recording(number) for number in range(1001, 1041)] + rows
        program.run("sync", LIST, "--quiet")
        until(page, "340 recordings")
        until(other, "68 of 340 recordings")
        equal(other.input_value("#search"), "q:A", "the search of the other tab")
        page.wait_for_function("(text) => document.querySelector('.body').innerText.includes(text)", arg=before[3][1])
        equal(page.eval_on_selector_all(ROWS, places), before, "the rows in sight after 40 came above them")
        # What one tab changes, the other shows.
        other.click(".lists li.open >> text=Forget")
        other.click("dialog >> text=Forget it")
        until(page, "is not stored", ".message")
