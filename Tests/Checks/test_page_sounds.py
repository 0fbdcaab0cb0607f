"""One recording on the page of `chirper serve`: its sound, its sonogram, and its annotations."""

import json
import math
import struct
import urllib.error
import urllib.request

from page import (
    ROWS, WATCH_CLOCK, asked_of, changed, drag, equal, kept_and_shown, look, moves, opened,
    parrots, plays, repeats, rows_of, saved, served, sonograms_are_there, until, wait, wave, window)

ANNOTATIONS = [
    {
        "start_time": "0.2",
        "end_time": "0.6",
        "frequency_low": "2000",
        "frequency_high": "6000",
        "scientific_name": "Turdus merula",
        "sound_type": "song",
        "annotator": "A. Name",
    },
    {
        "start_time": "2",
        "end_time": "1",
        "sound_type": "call",
        "annotation_remarks": "<b>no times</b>",
    },
    *({"start_time": str(number / 1000), "end_time": "1"} for number in range(300)),
]


def plays_a_stretch(page, start):
    """What starts a stretch plays it once, from 0.2 to 0.6 seconds."""
    page.evaluate(WATCH_CLOCK)
    start()
    page.wait_for_selector(".recording .play[aria-label=Pause]")
    page.wait_for_selector(".recording .play[aria-label=Play]")
    end = page.evaluate("Math.max(...times)")
    assert 0.5 < end < 0.9, end


def test_annotations_are_boxes_that_play(browser):
    annotate = "UPDATE recording SET fields = json_set(fields, '$.\"annotation-set\"', json(?))"
    with served() as program:
        program.run("fetch", "parrot", "--source", "sample", "--quiet")
        changed(program, [annotate, json.dumps({"annotations": ANNOTATIONS})])
        with opened(browser, program) as page:
            page.wait_for_selector(ROWS)
            page.click(".body .row")
            page.wait_for_selector(".annotations li")
            texts = page.locator(".annotations li").all_inner_texts()
            equal(len(texts), 200, "annotations in the list")
            first = "▶ 0.2–0.6 s Turdus merula, song · 2–6 kHz · by A. Name"
            equal(texts[0], first, "an annotation")
            equal(texts[1].strip(), "call · <b>no times</b>", "one without times")
            rest = page.inner_text(".annotations p")
            equal(rest, "102 more are on the sonogram.", "the others")
            count = page.locator(".details >> text=Annotated").count()
            equal(count, 0, "annotations among the details")
            # The audio is fetched.
            plays_a_stretch(page, lambda: page.click(".annotations li button >> nth=0"))
            kept_and_shown(page)
            boxes = page.get_attribute(".recording .sonogram", "data-boxes")
            equal(boxes, "301", "boxes")
            # A click within a box plays it; the smallest box at that place is meant.
            box = page.locator(".recording .sonogram canvas").bounding_box()
            shown = min(60, float(page.get_attribute(".player .time input", "max")))
            x = box["x"] + 44 + 0.4 / shown * (box["width"] - 44)
            y = box["y"] + 6 + 2 / 3 * (box["height"] - 28)
            plays_a_stretch(page, lambda: page.mouse.click(x, y))


def test_a_list_is_fetched_played_and_forgotten(browser):
    with served() as program, opened(browser, program) as page:
        lists = lambda: program.get("/api/chirper/lists")["queries"]
        page.fill("#search", "parrot")
        page.click("text=Fetch")
        until(page, "recordings")
        page.wait_for_selector(ROWS)
        [stored] = lists()
        equal((stored["query"], stored["source"]), ("parrot", "sample"), "the list")
        until(page, "complete" if stored["next"] is None else "of")
        assert "list=sample%3Aparrot" in page.url, page.url

        page.click(".body .row")
        page.wait_for_selector(".recording h2")
        page.click(".recording .play")
        plays(page, 0.2)
        moves(page)
        kept_and_shown(page)
        files = program.data.glob("audio/sample/*")
        [kept] = [file for file in files if file.stat().st_size > 1000]
        file = saved(page, "text=Save the audio")
        equal(file, kept.read_bytes(), "the audio that is saved")

        # A stretch that is drawn is played again and again; at half speed, too.
        page.select_option("[aria-label^='Speed']", "0.5")
        drag(page, ".recording .sonogram canvas", (100, 60), (130, 60))
        page.wait_for_selector("[aria-label='Loop off'][aria-pressed=true]")
        # On a busy machine it has ended meanwhile.
        if page.query_selector(".recording .play[aria-label=Play]"):
            page.click(".recording .play")
        repeats(page, 3)
        page.click("[aria-label='Loop off']")
        page.click(".recording .play[aria-label=Pause]")
        page.wait_for_selector(".recording .play[aria-label=Play]")
        page.keyboard.press("Escape")
        equal(page.query_selector(".recording"), None, "the recording after Escape")

        page.click(".lists li.open >> text=Forget")
        page.click("dialog >> text=Keep it")
        equal(len(lists()), 1, "lists after Keep it")
        page.click(".lists li.open >> text=Forget")
        page.click("dialog >> text=Forget it")
        until(page, "was forgotten", ".notice")
        equal(lists(), [], "lists after Forget it")


# The middle of what is darkest in the last sonogram, of which 5 kHz are in sight, is the tone.
HAS_TONE = """(() => {
    const canvas = [...document.querySelectorAll('.compared canvas')].at(-1)
    const [from, count] = [6, canvas.height - 28]
    const { data } = canvas.getContext('2d').getImageData(80, from, 1, count)
    const shades = [...Array(count).keys()].map((line) => data[4 * line])
    const least = Math.min(...shades)
    const darkest = (shades.indexOf(least) + shades.lastIndexOf(least)) / 2
    return Math.abs(5000 * (1 - (darkest + 0.5) / count) - value) < 100
})()"""
CURSORS = """[...document.querySelectorAll('.compared .cursor')]
    .map((cursor) => cursor.style.transform)"""


def test_sounds_are_compared(browser):
    with parrots(browser, expected=["willReadFrequently"]) as (program, page):
        page.focus(".grid")
        for key in ("c", "j", "c"):
            page.keyboard.press(key)
        page.click(".views >> text=Compare 2")
        # Sounds that are not kept yet are fetched when they are played.
        for number in range(2):
            page.locator(".compared .play").nth(number).click()
            sonograms_are_there(page, number + 1)
        asked = asked_of(page, lambda request: request.method != "GET" or request.post_data)
        file = program.home / "own.wav"
        file.write_bytes(wave([0.5 * math.sin(n / 3) for n in range(96_000)], 48_000))
        page.set_input_files("input[type=file]", file)
        sonograms_are_there(page, 3)
        kept_and_shown(page, ".compared")
        equal(asked, [], "what is sent when a file of one's own is opened")
        # Its tone, once less of the frequencies is in sight.
        page.fill("[aria-label='To, in kHz']", "5")
        page.keyboard.press("Enter")
        kept_and_shown(page, ".compared")
        wait(page, HAS_TONE, 48_000 / 6 / math.pi)
        # A key switches the sound, which goes on at the same moment.
        page.evaluate("document.activeElement.blur()")
        for key in "123":
            page.keyboard.press(key)
            page.wait_for_selector(f".compared:nth-of-type({key}).heard")
        page.keyboard.press("Space")
        plays(page, 0.1)
        equal(len(set(page.evaluate(CURSORS))), 1, "one cursor")
        page.click(".compared.heard [aria-label^='Take']")
        wait(page, "document.querySelectorAll('.compared').length === 2")


PICTURES = ".body .row:not([hidden]) .picture img"
# What the small sonograms in sight are: their size, and their lightest and darkest shade. A picture
# that is still arriving has a size and no ink, so their bytes are read again.
ARE_DRAWN = f"""Promise.all([...document.querySelectorAll('{PICTURES}')].map(async ({{ src }}) => {{
    const picture = await createImageBitmap(await (await fetch(src)).blob())
    const {{ width, height }} = picture
    const context = new OffscreenCanvas(width, height).getContext('2d')
    context.drawImage(picture, 0, 0)
    const shades = context.getImageData(0, 0, width, height).data.filter((_, n) => n % 4 === 3)
    return [width, height, Math.min(...shades), Math.max(...shades)]
}}))"""


def put(program, id, body, token=None):
    """The status of what answers a small sonogram."""
    request = urllib.request.Request(
        f"{program.address}api/chirper/sonograms/sample/{id}", body, method="PUT",
        headers={"X-API-Key": token or program.token})
    try:
        return urllib.request.urlopen(request).status
    except urllib.error.HTTPError as error:
        return error.code


def test_rows_of_kept_sounds_have_a_small_sonogram(browser):
    with parrots(browser, "--audio") as (program, page):
        wait(page, f"document.querySelectorAll('{PICTURES}').length === 12")
        wait(page, f"[...document.querySelectorAll('{PICTURES}')].every((one) => one.complete)")
        files = sorted(program.data.glob("audio/sample/*.sonogram.png"))
        # Those of the next rows may be there, too.
        assert len(files) >= 12, f"{len(files)} pictures beside their sounds"
        assert all(file.stat().st_size <= 8192 for file in files), "all are small"
        for width, height, lightest, darkest in page.evaluate(ARE_DRAWN):
            equal((width, height, lightest), (160, 36, 0), "a small sonogram")
            assert darkest > 180, f"{darkest} is no ink"
        before = {file: file.stat().st_mtime_ns for file in files}
        # Whoever comes later sees them and draws none, on a phone too.
        asked = []
        for token in (program.token, program.reader_token):
            with opened(
                browser, program, "?list=sample:parrot", token=token, **window(390)
            ) as other:
                asked += [asked_of(other, lambda request: request.method == "PUT")]
                wait(other, f"document.querySelectorAll('{PICTURES}').length > 3")
                look(other, "cards with small sonograms")
                other.wait_for_timeout(1500)
        equal(asked, [[], []], "what is drawn again")
        equal({file: file.stat().st_mtime_ns for file in files}, before, "the files")

        id = files[0].name.split(".")[0]
        small = files[0].read_bytes()
        equal(put(program, id, small), 204, "a good one")
        equal(put(program, id, small, program.reader_token), 403, "a reader's")
        wide = small[:16] + struct.pack(">I", 161) + small[20:]
        for bad in (b"", b"<svg/>", small[:-1], wide, small[:33] + bytes(8192) + small[33:]):
            equal(put(program, id, bad), 400, f"one of {len(bad)} bytes")
        equal(files[0].read_bytes(), small, "the file afterwards")
        equal(put(program, "nothing", small), 404, "of what is not stored")
        # They go with their sounds.
        program.run("forget", "parrot", "--yes")
        equal(list(program.data.glob("audio/sample/*")), [], "files after that")


def test_a_small_sonogram_needs_its_sound(browser):
    with parrots(browser) as (program, page):
        [row] = rows_of(program, "id&limit=1")
        page.wait_for_timeout(1500)
        equal(list(program.data.glob("audio/*/*")), [], "files of sounds that are not kept")
        head = b"\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR" + struct.pack(">II", 160, 36)
        end = b"\0\0\0\0IEND\xaeB`\x82"
        equal(put(program, row["id"], head + end), 404, "without its sound")
        # One that is kept now is drawn.
        page.click(".body .row .listen button")
        page.wait_for_selector(PICTURES)


# How much of a sonogram is drawn, from its left.
DARK = """(() => {
    const canvas = document.querySelector('.recording .sonogram canvas')
    if (!canvas?.width) return null
    const [width, height] = [canvas.width - 44, canvas.height - 28]
    const { data } = canvas.getContext('2d').getImageData(44, 6, width, height)
    let last = 0
    for (let n = 0; n < data.length; n += 4) {
        if (data[n] < 100) last = Math.max(last, (n / 4) % width)
    }
    return last / width
})()"""


def test_the_sonogram_is_drawn_while_the_file_arrives(browser):
    with parrots(browser, "--audio", expected=["willReadFrequently"]) as (program, page):
        rows = rows_of(program, "mediaDuration")
        longest = max(range(12), key=lambda index: rows[index]["mediaDuration"])
        session = page.context.new_cdp_session(page)
        session.send("Network.enable")

        def arrive(bytes_a_second):
            session.send("Network.emulateNetworkConditions", {
                "offline": False, "latency": 0, "downloadThroughput": bytes_a_second,
                "uploadThroughput": -1})

        arrive(100_000)
        arrived = []

        def note(request):
            if "/audio/" in request.url and request.resource_type == "fetch":
                arrived.append(request.url)

        page.on("requestfinished", note)
        page.click(f".body .row[aria-rowindex='{longest + 2}']")
        page.wait_for_selector(".recording .sonogram canvas")
        kept_and_shown(page)
        part = page.evaluate(DARK)
        assert not arrived, f"{arrived} has arrived"
        assert 0 < part < 0.9, f"{part} of the sonogram is drawn"
        arrive(-1)
        wait(page, f"{DARK} > value", part)
        wait(page, f"{DARK} > 0.9")
        kept_and_shown(page)
