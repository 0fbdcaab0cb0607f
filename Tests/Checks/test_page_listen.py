"""Listening on the page of `chirper serve`: ▶ in every row, and the bar at the bottom."""

from page import (
    CLOCK, LIST, PLAYING, ROWS, asked_of, drag, equal, kept_and_shown, look, moves, opened, parrots,
    recordings, repeats, rows_of, served, until, view, wait, window, windows)


def play_of(page, index):
    return page.locator(f".body .row[aria-rowindex='{index + 2}'] .listen button")


def title_of(page, index):
    return play_of(page, index).get_attribute("title")


def fetches_first(row):
    return f"Play, fetches the sound first (0:{row['mediaDuration']:02.0f})"


def posted(page):
    """What a tab asks to be done from now on."""
    return asked_of(page, lambda request: request.method == "POST")


def test_a_row_is_heard_from_where_it_is(browser):
    for width in (1280, 360):
        is_phone = width < 500
        with parrots(browser, **window(width), has_touch=is_phone) as (program, page):
            rows = rows_of(program, "mediaDuration")
            asked = posted(page)
            # What is fetched first says so before.
            button = play_of(page, 2)
            equal(title_of(page, 2), fetches_first(rows[2]), "▶ of a sound that is not kept")
            equal(button.inner_text(), "▷", "▶ of a sound that is not kept")
            equal(page.locator(".player").count(), 0, "players before anything was chosen")
            button.tap() if is_phone else button.click()
            moves(page)
            equal(len(asked), 1, "what was fetched")
            equal(title_of(page, 2), "Pause", "the row that is heard")
            equal(page.locator(".recording").count(), 0, "recordings that are open")
            until(page, "Grey Parrot", ".player .title")
            # The space bar pauses the row, and plays the next one, after which one alone is heard.
            page.keyboard.press("Space")
            page.wait_for_selector(".player [aria-label=Play]")
            equal(title_of(page, 2), "Play", "the row that was kept")
            page.keyboard.press("j")
            page.keyboard.press("Space")
            wait(page, f"{PLAYING} === 1 && sounds.length === 2")
            equal(title_of(page, 3), "Pause", "the row below")
            equal(page.locator("[aria-selected=true]").count(), 0, "rows that were ticked")
            page.keyboard.press("x")
            equal(page.locator("[aria-selected=true]").count(), 1, "rows that were ticked by x")


def test_a_reader_hears_what_is_kept(browser):
    with served(recordings(10)) as program:
        program.run("fetch", "parrot", "--source", "sample", "--audio", "--pages", "1", "--quiet")
        token = program.reader_token
        heard = ".body .row:not([hidden]) .listen button:visible"
        with opened(browser, program, f"?list=xeno-canto:{LIST}", token=token) as page:
            page.wait_for_selector(ROWS)
            equal(page.locator(heard).count(), 0, "rows that can be heard")
        with opened(browser, program, "?list=sample:parrot", token=token) as page:
            page.wait_for_selector(ROWS)
            assert page.locator(heard).count() >= 8, "rows that can be heard"
            page.locator(heard).first.click()
            moves(page)


# In each frame the time of the sound, and where the cursor is.
WATCH_CURSOR = f"""async () => {{
    const found = []
    while (found.length < 20) {{
        await new Promise(requestAnimationFrame)
        const {{ transform }} = document.querySelector('.player .cursor').style
        found.push([{CLOCK}, Number(transform.match(/[\\d.]+/)[0])])
    }}
    return found
}}"""


def test_one_bar_plays_everything(browser):
    with parrots(browser, "--audio", **window(700)) as (program, page):
        rows = rows_of(program, "mediaDuration,id")
        longest = max(range(12), key=lambda index: rows[index]["mediaDuration"])
        play_of(page, longest).click()
        moves(page)
        # Its name leads to the recording, which has no player of its own.
        page.click(".player .title")
        page.wait_for_selector(".recording h2")
        assert rows[longest]["id"].replace(":", "%3A") in page.url, page.url
        kept_and_shown(page)
        equal(page.locator("input[type=range]").count(), 1, "bars of the time")
        equal(page.locator(".sonogram canvas").count(), 1, "sonograms of it")
        page.click(".recording .play")
        page.wait_for_selector(".player .play[aria-label=Play]")
        page.click(".player .play")
        page.wait_for_selector(".recording .play[aria-label=Pause]")
        page.click("[aria-label='Close the recording']")
        # The sonogram moves, below a cursor that stays in the middle.
        page.eval_on_selector(".time input", "(bar) => { bar.value = '8'; bar.oninput() }")
        seen = page.evaluate(WATCH_CURSOR)[5:]
        assert seen[-1][0] > seen[0][0] >= 8, f"the time goes from {seen[0]} to {seen[-1]}"
        places = [place for _, place in seen]
        assert max(places) - min(places) < 1, f"the cursor moves: {seen}"
        kept_and_shown(page, ".player")
        # Slower, with its pitch.
        page.select_option("[aria-label^='Speed']", "0.5")
        speed = page.evaluate("[sounds[0].playbackRate, sounds[0].preservesPitch]")
        equal(speed, [0.5, True], "the speed")
        # A stretch that is drawn is played again and again.
        drag(page, ".player canvas", (300, 30), (320, 30))
        repeats(page, 2)
        page.click("[aria-label='Loop off']")
        # The next one that is chosen is as fast. Closing the bar ends it all.
        play_of(page, 1 if longest == 0 else 0).click()
        wait(page, f"sounds.length === 2 && {PLAYING} === 1 && sounds[1].playbackRate === 0.5")
        page.click("[aria-label='Close the player']")
        page.wait_for_selector(".player", state="detached")
        equal(page.evaluate(PLAYING), 0, "sounds that play on")


def test_the_bar_has_no_finding_of_axe(browser):
    for options in windows(dark_first=True):
        with parrots(browser, reduced_motion="reduce", **options) as (program, page):
            play_of(page, 1).click()
            moves(page)
            play_of(page, 1).click()
            kept_and_shown(page, ".player")
            look(page, "player")
            page.click(".player .title")
            page.wait_for_selector(".details")
            kept_and_shown(page, ".recording")
            look(page, "player-and-recording")


TO_THE_END = """() => {
    const sound = sounds.find((sound) => !sound.paused)
    sound.currentTime = sound.duration - 0.05
}"""


def test_the_next_row_is_one_press_away_or_none(browser):
    with parrots(browser) as (program, page):
        rows = rows_of(program, "id,mediaDuration")
        title = "document.querySelector('.player .title')?.innerText"
        then = "[aria-label='Then, by itself']"

        def hears(index):
            wait(page, f"{title}.endsWith(value)", rows[index]["id"])
            moves(page)

        def play(index):
            play_of(page, index).click()
            hears(index)

        play(0)
        page.wait_for_selector("[aria-label='Previous: none']:disabled")
        # What it fetches is said before.
        page.click(f"[aria-label='Next: {fetches_first(rows[1])}']")
        hears(1)
        wait(page, f"{PLAYING} === 1")
        marked = page.locator(".body .row.active").get_attribute("aria-rowindex")
        equal(marked, "3", "the row with the mark")
        page.click("[aria-label='Previous: Play']")
        hears(0)
        # What plays by itself is kept: the rows 0, 1 and 4 are.
        play(4)
        play(1)
        page.select_option(then, "next")
        asked = posted(page)
        # Also after a search for something else.
        page.fill("#search", "q:E")
        page.evaluate(TO_THE_END)
        hears(4)
        page.evaluate(TO_THE_END)
        page.wait_for_selector(".player .play[aria-label=Play]")
        wait(page, f"{title}.endsWith(value)", rows[4]["id"])
        # At random, of those that are kept; never the same again. This browser keeps the choice.
        page.select_option(then, "random")
        page.click(".player .play")
        kept = tuple(rows[index]["id"] for index in (0, 1, 4))
        for _ in range(4):
            moves(page)
            before = page.inner_text(".player .title")
            page.evaluate(TO_THE_END)
            wait(page, f"{title} !== value", before)
            after = page.inner_text(".player .title")
            assert after.endswith(kept), after
        equal(asked, [], "what was fetched")
        page.reload()
        page.fill("#search", "")
        page.wait_for_selector(ROWS)
        play_of(page, 0).click()
        equal(page.locator(then).input_value(), "random", "the choice after a visit")


def test_what_is_in_sight_on_the_map_is_heard(browser):
    for options in windows(dark_first=True):
        with parrots(browser, reduced_motion="reduce", **options) as (program, page):
            view(page, "Map")
            count = program.get("/api/chirper/rows?list=sample:parrot&q=lat:any")["rows"]
            until(page, f"{count} in sight or near it", ".places")
            look(page, "map-list")
            row = page.locator(".places .row[aria-rowindex='3']")
            row.locator(".listen button").click()
            moves(page)
            name = row.locator(".at-name").inner_text().split("\n")[0]
            heard = page.inner_text(".player .title")
            assert heard.startswith(name), f"{heard} is heard, not {name}"
            kept_and_shown(page, ".player")
            look(page, "map-list-heard")
            page.click(".mapped [aria-label='Zoom in']")
            page.click(".mapped [aria-label='Zoom in']")
            said = "document.querySelector('.places')?.innerText ?? '0'"
            wait(page, f"parseInt({said}) < value", count)
