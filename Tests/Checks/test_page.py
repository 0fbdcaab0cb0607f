"""The page of `chirper serve` in Chromium: the built program, with a catalogue of our own.

Nothing waits for a time: a test waits for what must happen, for as long as a busy machine may need.
--screens FOLDER keeps a picture of each state. --files answers the page's files from the checkout,
as they are now, and not those that were built into the program.
"""

import urllib.request
from urllib.parse import parse_qs, urlsplit

from page import (
    LIST, PAGE, ROWS, SHOWN_ROWS, TYPES, changed, charts_are_known, equal, headers, kept_and_shown,
    opened, plays, recording, recordings, saved, served, shown, sonograms_are_there, until, view,
    wait)


def test_the_files_are_embedded_and_kept(browser):
    with served() as program, opened(browser, program) as page:
        equal(page.url, program.address, "the address without the token")
        until(page, "Nothing is stored yet", ".message")
        asked = page.evaluate("performance.getEntriesByType('resource').map(({ name }) => name)")
        files = [url for url in asked if "/page/" in url]
        folder = files[0].rsplit("/", 1)[0]
        wanted = [f"{folder}/main.js", f"{folder}/page.css"]
        equal(sorted(files), wanted, "what brings the page")
        # Every file of the folder, also those that are not loaded yet.
        for file in PAGE.iterdir():
            if file.suffix not in TYPES:
                continue
            answer = urllib.request.urlopen(f"{folder}/{file.name}")
            # This one is sent with what it imports.
            if file.name != "main.js":
                equal(answer.read(), file.read_bytes(), file)
            found = {name: answer.headers[name] for name in headers()}
            equal(found, headers(), file)
            cached = answer.headers["Cache-Control"]
            equal(cached, "public, max-age=31536000, immutable", file)


IN_SIGHT = """(() => {
    const box = (selector) => document.querySelector(selector)?.getBoundingClientRect()
    const [row, head, table] = [box('.row.shown:not([hidden])'), box('.head'), box('.table')]
    return row && row.top >= head.bottom - 1 && row.bottom <= table.bottom + 1
})()"""


def test_the_next_recording_is_opened(browser):
    rows = [recording(number, sp=["merula", "iliacus"][number % 2]) for number in range(1, 301)]
    with shown(browser, rows) as (program, page):
        def opens(button, number):
            # As a click does, without the moves of a mouse.
            page.dispatch_event(button, "click")
            is_open = "new URLSearchParams(location.search).get('id') === value"
            wait(page, is_open, f"xeno-canto/{number}")

        page.click(ROWS)
        # Past the rows that are known, with the table following.
        for number in range(2, 161):
            opens("[aria-label='Next row']", number)
        wait(page, IN_SIGHT)
        opens("[aria-label='Next of the same species']", 162)
        opens("[aria-label='Next of the same species']", 164)
        wait(page, IN_SIGHT)
        opens("[aria-label='Previous of the same species']", 162)
        opens("[aria-label='Previous row']", 161)
        page.goto(page.url.replace("xeno-canto%2F161", "xeno-canto%2F300"))
        page.click("[aria-label='Next of the same species']")
        until(page, "No further row", ".notice")


# The row that the address names is the first in sight.
IS_THERE = f"""(() => {{
    const top = document.querySelector('.head')?.getBoundingClientRect().bottom
    return [...document.querySelectorAll('{ROWS}')].some((row) =>
        Math.abs(row.getBoundingClientRect().top - top) < 2
        && row.getAttribute('aria-rowindex') === '202')
}})()"""
SCROLL_AND_LEAVE = """async () => {
    document.querySelector('.grid').scrollTop += 34
    const buttons = [...document.querySelectorAll('.views button')]
    buttons.find((button) => button.innerText === 'Charts').click()
    await new Promise((resume) => setTimeout(resume, 300))
}"""


def test_coming_back_keeps_the_place(browser):
    more = "&at=200&sort=-catalogNumber"
    with shown(browser, recordings(400), more) as (program, page):
        wait(page, IS_THERE)
        for name in ("Map", "Charts"):
            page.click(f".views >> text={name}")
            page.wait_for_selector("#content > .table", state="detached")
            view(page, "Rows")
            wait(page, IS_THERE)
        # The rows go before the browser tells of a scroll.
        page.evaluate(SCROLL_AND_LEAVE)
        view(page, "Rows")
        wait(page, IS_THERE)
        page.go_back()
        page.wait_for_selector(".charts")
        page.go_back()
        wait(page, IS_THERE)
        page.click(ROWS)
        page.wait_for_selector(".details")
        page.reload()
        wait(page, IS_THERE)
        page.wait_for_selector(".details")
        page.go_back()
        page.wait_for_selector(".details", state="detached")
        wait(page, IS_THERE)


def test_what_is_new_since_the_last_visit(browser):
    rows = recordings(20)
    with shown(browser, rows, expected=["404"]) as (program, page):
        until(page, "20 recordings")
        program.catalogue.rows[LIST] = [recording(number) for number in range(101, 104)] + rows
        program.run("sync", LIST, "--quiet")
        until(page, "3 new in 7 days")
        # They came an hour ago, one of them two days ago, and the last visit was yesterday.
        first = "recording_id = (SELECT min(recording_id) FROM arrival)"
        changed(
            program,
            ["UPDATE arrival SET entered_at = entered_at - 3600000"],
            [f"UPDATE arrival SET entered_at = entered_at - 2 * 86400000 WHERE {first}"])
        address = page.url
        page.goto(program.address + "openapi.json")
        visit = "JSON.stringify({ last: Date.now() - 86_400_000 })"
        page.evaluate(f"localStorage.setItem('chirper.visit', {visit})")
        page.goto(address)
        until(page, "2 new since your last visit")
        # To read it again is no other visit.
        page.reload()
        until(page, "2 new since your last visit")
        marks = page.eval_on_selector_all(
            SHOWN_ROWS, "rows => rows.map((row) => row.children[1].innerText)")
        equal(marks.count("*"), 2, "rows with the mark of new ones")
        page.click(".status >> text=2 new")
        until(page, "2 of 23 recordings")


def test_a_phone_has_all_of_it(browser):
    options = {"viewport": {"width": 360, "height": 740}, "has_touch": True}
    with shown(browser, recordings(30), **options) as (program, page):
        tools = page.eval_on_selector(
            ".tools-line", "({ scrollWidth, clientWidth }) => [scrollWidth, clientWidth]")
        equal(tools[0], tools[1], "the buttons above the rows are all in sight")
        page.select_option(".to-sort", "-eventDate")
        until(page, "2024-12-11", ".body .row[aria-rowindex='2']")
        page.fill("#search", "parrot")
        page.select_option(".fetch select", "sample")
        page.tap(".fetch >> text=Fetch")
        until(page, "50 of 715")
        page.tap(".to-lists")
        page.tap(".lists .close")
        page.wait_for_selector(".lists", state="hidden")
        widths = {"#search": 150, ".fetch select": 60, ".views >> text=Compare": 60}
        for selector, least in widths.items():
            box = page.locator(selector).bounding_box()
            assert box["width"] >= least, f"{selector} is at {box}"
            assert box["x"] + box["width"] <= 360, f"{selector} is at {box}"

        # Two fingers zoom the map, as its buttons do.
        page.tap(".views >> text=Map")
        until(page, "with a place", ".mapped [role=status]")
        page.tap(".mapped [aria-label='Zoom in']")
        wait(page, "location.search.includes('map=')")
        zoomed = lambda: float(parse_qs(urlsplit(page.url).query)["map"][0].split(",")[2])
        before = zoomed()
        session = page.context.new_cdp_session(page)

        def touch(*steps):
            """Fingers at these places from the left."""
            for kind, *places in steps:
                address = page.url
                points = [{"x": x, "y": 400, "id": number} for number, x in enumerate(places)]
                event = {"type": kind, "touchPoints": points}
                session.send("Input.dispatchTouchEvent", event)
                if kind == "touchMove":
                    wait(page, "location.href !== value", address)

        moves = ("touchStart", 160, 200), ("touchMove", 140, 220), ("touchMove", 100, 260)
        touch(*moves, ("touchEnd",))
        after = zoomed()
        assert abs(after - before - 2) < 0.01, f"four times as far apart: {before}, then {after}"
        touch(("touchStart", 100), ("touchMove", 120), ("touchMove", 200), ("touchEnd",))
        assert abs(zoomed() - after) < 0.01, f"one finger zooms: {after}, then {zoomed()}"


# The name of what has the focus, and whether one sees that it has.
FOCUSED = """() => {
    const element = document.activeElement
    const isSeen = getComputedStyle(element).outlineStyle !== 'none' || element.matches('input')
    return [(element.getAttribute('aria-label') ?? element.innerText ?? '').trim(), isSeen]
}"""


def tab_to(page, text, most=60, key="Tab"):
    """Presses Tab until an element of that name has the focus."""
    reached = []
    for _ in range(most):
        page.keyboard.press(key)
        name, is_seen = page.evaluate(FOCUSED)
        reached.append(name)
        if name.startswith(text):
            assert is_seen, f"{text} has the focus, and it is not seen"
            return
    raise AssertionError(f"{key} does not reach {text}, but {reached}")


def test_everything_by_keyboard(browser):
    """As somebody who has no mouse: a species is found, heard, compared, filtered, seen on the
    map, and exported."""
    with served() as program, opened(browser, program, expected=["400"]) as page:
        def press(*keys):
            for key in keys:
                page.keyboard.press(key)

        until(page, "Nothing is stored yet", ".message")
        press("/")
        page.keyboard.type("parrot")
        tab_to(page, "Fetch")
        press("Enter")
        page.wait_for_selector(ROWS)
        until(page, "50 of 715")
        tab_to(page, "Recordings")
        # Three songs are heard, each from its row.
        for _ in range(3):
            press("j", "Enter")
            page.wait_for_selector(".recording .play")
            press("p")
            plays(page, 0.05)
            kept_and_shown(page)
            press("p", "Escape")
            page.wait_for_selector(".recording", state="detached")
            focused = page.evaluate("document.activeElement.className.split(' ')[0]")
            equal(focused, "grid", "the focus after Escape")
        press("c", "k", "c")
        tab_to(page, "Compare 2", key="Shift+Tab")
        press("Enter")
        sonograms_are_there(page, 2)
        press("2", "Space")
        plays(page, 0.05)
        press("Space")
        tab_to(page, "Rows", key="Shift+Tab")
        press("Enter", "/")
        chosen = ["parrot", "--where", "q:A month:3-8"]
        page.keyboard.type(chosen[-1])
        count = program.json("stats", *chosen, "--by", "quality")["recordings"]
        until(page, f"{count} of 50 recordings")
        tab_to(page, "Map")
        press("Enter")
        until(page, "with a place", ".mapped [role=status]")
        tab_to(page, "Map.")
        before = page.url
        press("+")
        wait(page, "location.href !== value", before)
        tab_to(page, "Charts", key="Shift+Tab")
        press("Enter")
        charts_are_known(page)
        tab_to(page, "Export")
        press("Enter")
        page.wait_for_selector("dialog tbody")
        tab_to(page, f"Export {count} recording", most=10)
        file = saved(page, lambda: press("Enter"))
        equal(file, program.run("export", *chosen, "--format", "csv"), "the file")
        press("Escape", "?")
        until(page, "Letters work while the table has the focus", "dialog")
