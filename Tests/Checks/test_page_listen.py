"""Listening on the page of `chirper serve`, in Chromium: ▶ in every row, the bar at the bottom, and Learn."""

import contextlib

from page import CLOCK, LIST, ROWS, equal, kept_and_shown, look, opened, recording, served, until

# Every sound that was played, in their order.
SOUNDS = """
    window.sounds = []
    const play = HTMLMediaElement.prototype.play
    HTMLMediaElement.prototype.play = function () {
        if (!sounds.includes(this)) sounds.push(this)
        return play.call(this)
    }
"""
PLAYING = "sounds.filter((sound) => !sound.paused).length"


@contextlib.contextmanager
def parrots(browser, *options, **tab):
    """A list of the sample, fetched with these options, and a tab on it."""
    with served() as program:
        program.run("fetch", "parrot", "--source", "sample", "--quiet", *options)
        with opened(browser, program, "?list=sample:parrot", **tab) as page:
            page.evaluate(f"() => {{ {SOUNDS} }}")
            page.wait_for_selector(ROWS)
            yield program, page


def play_of(page, index):
    return page.locator(f".body .row[aria-rowindex='{index + 2}'] .listen button")


def moves(page):
    """The sound is heard, on from where it is now."""
    page.wait_for_function(f"() => {CLOCK} > 0")
    before = page.evaluate(CLOCK)
    page.wait_for_function(f"(before) => {CLOCK} !== before", arg=before)


def test_a_row_is_heard_from_where_it_is(browser):
    for width in (1280, 360):
        with parrots(browser, viewport={"width": width, "height": 800}, has_touch=width < 500) as (program, page):
            lengths = [row["mediaDuration"] for row in program.get("/api/chirper/rows?list=sample:parrot&columns=mediaDuration")["recordings"]]
            asked = []
            page.on("request", lambda request: asked.append(request.url) if request.method == "POST" else None)
            # What is fetched first says so before.
            wanted = f"Play, fetches the sound first (0:{lengths[2]:02.0f})"
            equal((play_of(page, 2).get_attribute("title"), play_of(page, 2).inner_text()), (wanted, "▷"), "▶ of a row whose sound is not kept")
            equal(page.locator(".player").count(), 0, "players before anything was chosen")
            (play_of(page, 2).tap if width < 500 else play_of(page, 2).click)()
            moves(page)
            equal(len(asked), 1, "what was fetched")
            equal((play_of(page, 2).get_attribute("title"), page.locator(".recording").count()), ("Pause", 0), "the row that is heard")
            until(page, "Grey Parrot", ".player .title")
            # The space bar pauses the row, and plays the next one, after which one alone is heard.
            page.keyboard.press("Space")
            page.wait_for_selector(".player [aria-label=Play]")
            equal(play_of(page, 2).get_attribute("title"), "Play", "the row that was kept")
            page.keyboard.press("j")
            page.keyboard.press("Space")
            page.wait_for_function(f"() => {PLAYING} === 1 && sounds.length === 2")
            equal(play_of(page, 3).get_attribute("title"), "Pause", "the row below")
            equal(page.locator("[aria-selected=true]").count(), 0, "rows that were ticked")
            page.keyboard.press("x")
            equal(page.locator("[aria-selected=true]").count(), 1, "rows that were ticked by x")


def test_a_reader_hears_what_is_kept(browser):
    with served([recording(number) for number in range(1, 11)]) as program:
        program.run("fetch", "parrot", "--source", "sample", "--audio", "--pages", "1", "--quiet")
        for name, count in ((f"xeno-canto:{LIST}", 0), ("sample:parrot", 8)):
            with opened(browser, program, f"?list={name}", token=program.reader_token) as page:
                page.wait_for_selector(ROWS)
                shown = page.locator(".body .row:not([hidden]) .listen button:visible")
                assert shown.count() >= count if count else shown.count() == 0, f"{shown.count()} rows of {name} can be heard"
                if count:
                    shown.first.click()
                    moves(page)


def test_one_bar_plays_everything(browser):
    with parrots(browser, "--audio", viewport={"width": 700, "height": 800}) as (program, page):
        rows = program.get("/api/chirper/rows?list=sample:parrot&columns=mediaDuration,id")["recordings"]
        longest = max(range(12), key=lambda index: rows[index]["mediaDuration"])
        play_of(page, longest).click()
        moves(page)
        # Its name leads to the recording, which has no player of its own.
        page.click(".player .title")
        page.wait_for_selector(".recording h2")
        assert rows[longest]["id"].replace(":", "%3A") in page.url, page.url
        kept_and_shown(page, ".recording, .player")
        equal(page.locator("input[type=range]").count(), 1, "bars of the time")
        page.click(".recording .play")
        page.wait_for_selector(".player .play[aria-label=Play]")
        page.click(".player .play")
        page.wait_for_selector(".recording .play[aria-label=Pause]")
        page.click("[aria-label='Close the recording']")
        # The sonogram moves, below a cursor that stays in the middle.
        page.evaluate("() => { const bar = document.querySelector('.time input'); bar.value = '8'; bar.oninput() }")
        seen = page.evaluate(f"""async () => {{
            const found = []
            while (found.length < 20) {{
                await new Promise(requestAnimationFrame)
                found.push([{CLOCK}, Number(document.querySelector('.player .cursor').style.transform.match(/[\\d.]+/)[0])])
            }}
            return found
        }}""")
        seen = seen[5:]
        assert seen[-1][0] > seen[0][0] >= 8, f"the time goes from {seen[0]} to {seen[-1]}"
        assert max(x for _, x in seen) - min(x for _, x in seen) < 1, f"the cursor moves: {seen}"
        kept_and_shown(page, ".player")
        # Slower, with its pitch.
        page.select_option("[aria-label^='Speed']", "0.5")
        equal(page.evaluate("[sounds[0].playbackRate, sounds[0].preservesPitch]"), [0.5, True], "the speed")
        # A stretch that is drawn is played again and again.
        box = page.locator(".player canvas").bounding_box()
        page.mouse.move(box["x"] + 300, box["y"] + 30)
        page.mouse.down()
        page.mouse.move(box["x"] + 320, box["y"] + 30, steps=3)
        page.mouse.up()
        page.evaluate(f"() => {{ window.times = []; const see = () => {{ times.push({CLOCK}); requestAnimationFrame(see) }}; see() }}")
        page.wait_for_function("() => times.filter((time, index) => index > 0 && time < times[index - 1] - 0.01).length >= 2")
        page.click("[aria-label='Loop off']")
        # The next one that is chosen is as fast. Closing the bar ends it all.
        play_of(page, 1 if longest == 0 else 0).click()
        page.wait_for_function(f"() => sounds.length === 2 && {PLAYING} === 1 && sounds[1].playbackRate === 0.5")
        page.click("[aria-label='Close the player']")
        page.wait_for_selector(".player", state="detached")
        equal(page.evaluate(PLAYING), 0, "sounds that play on")


def test_the_bar_has_no_finding_of_axe(browser):
    for width, scheme in ((1280, "light"), (360, "dark"), (1280, "dark"), (360, "light")):
        options = {"viewport": {"width": width, "height": 800}, "color_scheme": scheme, "reduced_motion": "reduce"}
        with parrots(browser, **options) as (program, page):
            play_of(page, 1).click()
            moves(page)
            play_of(page, 1).click()
            kept_and_shown(page, ".player")
            look(page, f"{width}-{scheme}-player")
            page.click(".player .title")
            page.wait_for_selector(".details")
            kept_and_shown(page, ".recording")
            look(page, f"{width}-{scheme}-player-and-recording")


def test_the_next_row_is_one_press_away_or_none(browser):
    with parrots(browser) as (program, page):
        name = lambda index: page.wait_for_function("(text) => document.querySelector('.player .title')?.innerText.endsWith(text)", arg=rows[index]["id"])
        rows = program.get("/api/chirper/rows?list=sample:parrot&columns=id,mediaDuration")["recordings"]
        play_of(page, 0).click()
        moves(page)
        page.wait_for_selector("[aria-label='Previous: none']:disabled")
        # What it fetches is said before.
        page.click(f"[aria-label='Next: Play, fetches the sound first (0:{rows[1]['mediaDuration']:02.0f})']")
        name(1)
        moves(page)
        page.wait_for_function(f"() => {PLAYING} === 1")
        equal(page.locator(".body .row.active").get_attribute("aria-rowindex"), "3", "the row with the mark")
        page.click("[aria-label='Previous: Play']")
        name(0)
        moves(page)
        # What plays by itself is kept: the rows 0, 1 and 4 are.
        play_of(page, 4).click()
        name(4)
        moves(page)
        play_of(page, 1).click()
        name(1)
        moves(page)
        page.select_option("[aria-label='Then, by itself']", "next")
        to_the_end = lambda: page.evaluate("() => { const sound = sounds.find((sound) => !sound.paused); sound.currentTime = sound.duration - 0.05 }")
        asked = []
        page.on("request", lambda request: asked.append(request.url) if request.method == "POST" else None)
        # Also after a search for something else.
        page.fill("#search", "q:E")
        to_the_end()
        name(4)
        moves(page)
        to_the_end()
        page.wait_for_selector(".player .play[aria-label=Play]")
        name(4)
        # At random, of those that are kept; never the same again. This browser keeps the choice.
        page.select_option("[aria-label='Then, by itself']", "random")
        page.click(".player .play")
        for _ in range(4):
            moves(page)
            before = page.inner_text(".player .title")
            to_the_end()
            page.wait_for_function("(before) => document.querySelector('.player .title').innerText !== before", arg=before)
            assert any(page.inner_text(".player .title").endswith(rows[index]["id"]) for index in (0, 1, 4)), page.inner_text(".player .title")
        equal(asked, [], "what was fetched")
        page.reload()
        page.fill("#search", "")
        page.wait_for_selector(ROWS)
        play_of(page, 0).click()
        equal(page.locator("[aria-label='Then, by itself']").input_value(), "random", "the choice after a visit")


def test_the_sonogram_is_drawn_while_the_file_arrives(browser):
    dark = """(selector) => {
        const canvas = document.querySelector(`${selector} canvas`)
        if (!canvas?.width) return null
        const { data } = canvas.getContext('2d').getImageData(44, 6, canvas.width - 44, canvas.height - 28)
        const columns = [...data.keys()].filter((n) => n % 4 === 0 && data[n] < 100).map((n) => (n / 4) % (canvas.width - 44))
        return Math.max(0, ...columns) / (canvas.width - 44)
    }"""
    with parrots(browser, "--audio", expected=["willReadFrequently"]) as (program, page):
        rows = program.get("/api/chirper/rows?list=sample:parrot&columns=mediaDuration,id")["recordings"]
        longest = max(range(12), key=lambda index: rows[index]["mediaDuration"])
        session = page.context.new_cdp_session(page)
        session.send("Network.enable")
        session.send("Network.emulateNetworkConditions", {"offline": False, "latency": 0, "downloadThroughput": 500_000, "uploadThroughput": -1})
        arrived = []
        page.on("requestfinished", lambda request: arrived.append(request.url) if "/audio/" in request.url and request.resource_type == "fetch" else None)
        page.click(f".body .row[aria-rowindex='{longest + 2}']")
        page.wait_for_selector(".recording .sonogram canvas")
        kept_and_shown(page)
        part = page.evaluate(dark, ".recording .sonogram")
        assert not arrived and 0 < part < 0.9, f"{part} of the sonogram is drawn, and {arrived} has arrived"
        page.wait_for_function(f"(part) => ({dark})('.recording .sonogram') > part", arg=part)
        page.wait_for_function(f"() => ({dark})('.recording .sonogram') > 0.9")
        kept_and_shown(page)


@contextlib.contextmanager
def stocked():
    """Some lists of the sample, with their short sounds."""
    with served() as program:
        for name in ("owl", "parrot", "blackbird", "kea", "wren"):
            program.run("fetch", name, "--source", "sample", "--audio", "--where", "len:<20", "--quiet")
        yield program


@contextlib.contextmanager
def lesson(browser, program, **tab):
    """A tab on Learn, whose round is ready."""
    with opened(browser, program, "?view=learn", **tab) as page:
        page.evaluate(f"() => {{ {SOUNDS} }}")
        page.wait_for_selector(".learn h2")
        yield page


def asked_by_its_length(page, rows):
    """The recordings that are as long as the sound that is asked."""
    page.wait_for_function("() => sounds.at(-1)?.duration > 0")
    duration = page.evaluate("sounds.at(-1).duration")
    return [row for row in rows if abs(row["mediaDuration"] - duration) < 0.1]


def test_a_round_is_learned_by_keyboard_without_the_network(browser):
    with stocked() as program, lesson(browser, program, expected=["ERR_INTERNET_DISCONNECTED"]) as page:
        rows = program.get("/api/chirper/rows?limit=1000&columns=vernacularName,scientificName,mediaDuration,quality,associatedTaxa")["recordings"]
        suitable = [row for row in rows if row["quality"] in ("A", "B") and row["mediaDuration"] < 20 and not row["associatedTaxa"]]
        until(page, f"{len(suitable)} sounds of 5 species are suitable.", ".learn")
        page.focus(".learn >> text=Begin")
        page.keyboard.press("Enter")
        until(page, "1 of 20", ".learn h2")
        page.context.set_offline(True)
        right = 0
        for number in range(1, 21):
            until(page, f"{number} of 20", ".learn h2")
            page.wait_for_function(f"() => sounds.length === {number}")
            # Nothing on the page names what is asked, until it is answered.
            choices = [text[2:] for text in page.locator(".choices button").all_inner_texts()]
            equal(len(set(choices)), 4, "different names")
            equal(page.inner_text(".player .title"), f"Sound {number} of 20", "the name of the sound")
            assert not any(name in page.inner_text("main").replace(page.inner_text(".choices"), "") for name in choices), page.inner_text("main")
            possible = asked_by_its_length(page, suitable)
            assert {row["vernacularName"] for row in possible} & set(choices), f"none of {choices} is asked"
            if number == 1:
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
            assert said in ("Right: ", "Right:") or choices[number % 4] in said, said
            page.keyboard.press("Enter")
        until(page, f"{right} of 20 right.", ".learn h2")
        learned = page.evaluate("JSON.parse(localStorage.getItem('chirper.learned'))")
        equal([sum(counts) for counts in zip(*learned.values())], [right, 20], "the answers that this browser keeps")
        page.wait_for_selector(".player", state="detached")
        page.context.set_offline(False)


def test_a_name_is_typed(browser):
    with stocked() as program, lesson(browser, program) as page:
        names = {row["scientificName"]: row["vernacularName"] for row in program.get("/api/chirper/rows?limit=1000&columns=vernacularName,scientificName")["recordings"]}
        page.select_option(".learn select", "true")
        page.click("text=Begin")
        page.wait_for_selector("#answer:focus")
        page.keyboard.type("xyz")
        page.keyboard.press("Enter")
        until(page, "No, not xyz", ".answer")
        scientific = page.inner_text(".answer em")
        until(page, names[scientific], ".answer")
        page.keyboard.press("Enter")
        # Any of its names, in any case, is right.
        until(page, "2 of 20", ".learn h2")
        page.wait_for_selector("#answer:focus")
        page.keyboard.type("gre")
        page.wait_for_function("() => document.querySelectorAll('#species option').length > 0")
        equal(page.locator(".choices").count(), 0, "names to choose from")


def test_learn_says_how_many_sounds_are_lacking(browser):
    with served() as program:
        program.run("fetch", "owl", "--source", "sample", "--quiet")
        program.run("fetch", "kea", "--source", "sample", "--quiet")
        with opened(browser, program, "?view=learn") as page:
            until(page, "0 sounds of 0 species are suitable. 20 are lacking", ".learn")
            assert page.locator(".learn >> text=Begin").is_disabled()
            # What the page says is what fetches them.
            command = page.inner_text(".learn code")
            equal(command, "chirper export --where 'q:A,B also:none' --audio sounds.zip", "what is typed")
            look(page, "learn-without-sounds")
        # (As much of that as a test needs.)
        program.run("export", "--where", "q:A,B also:none len:<20", "--audio", program.home / "sounds.zip")
        with opened(browser, program, "?view=learn") as page:
            page.wait_for_selector(".learn button:has-text('Begin'):enabled")
            assert "20 are lacking" not in page.inner_text(".learn"), page.inner_text(".learn")


def test_learn_has_no_finding_of_axe(browser):
    views = [{"viewport": {"width": width, "height": 800}, "color_scheme": scheme, "reduced_motion": "reduce"} for width in (1280, 360) for scheme in ("light", "dark")]
    with stocked() as program:
        for options in views:
            check_learn(browser, program, options)


def check_learn(browser, program, options):
    width, scheme = options["viewport"]["width"], options["color_scheme"]
    with lesson(browser, program, **options) as page:
        look(page, f"{width}-{scheme}-learn")
        page.click("text=Begin")
        page.wait_for_selector(".choices")
        moves(page)
        kept_and_shown(page, ".player")
        look(page, f"{width}-{scheme}-learn-asks")
        page.keyboard.press("1")
        page.wait_for_selector(".answer p")
        look(page, f"{width}-{scheme}-learn-answers")
        for number in range(2, 21):
            page.keyboard.press("Enter")
            until(page, f"{number} of 20", ".learn h2")
            page.keyboard.press("1")
        page.keyboard.press("Enter")
        page.wait_for_selector(".learned")
        look(page, f"{width}-{scheme}-learn-done")


def test_what_is_in_sight_on_the_map_is_heard(browser):
    for width, scheme in ((1280, "light"), (360, "dark")):
        with parrots(browser, viewport={"width": width, "height": 800}, color_scheme=scheme, reduced_motion="reduce") as (program, page):
            page.click(".views >> text=Map")
            count = program.get("/api/chirper/rows?list=sample:parrot&q=lat:any")["rows"]
            until(page, f"{count} in sight or near it:", ".places")
            look(page, f"{width}-{scheme}-map-list")
            page.click(".places .play >> nth=1")
            moves(page)
            equal(page.inner_text(".player .title"), page.inner_text(".places a >> nth=1"), "what is heard")
            kept_and_shown(page, ".player")
            look(page, f"{width}-{scheme}-map-list-heard")
            page.click(".mapped [aria-label='Zoom in']")
            page.click(".mapped [aria-label='Zoom in']")
            page.wait_for_function("(count) => parseInt(document.querySelector('.places')?.innerText ?? '0') < count", arg=count)
