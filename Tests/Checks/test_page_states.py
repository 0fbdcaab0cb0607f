"""The states of the page of `chirper serve`, also while a server or a catalogue is away."""

import re
import time

from page import (
    LIST, ROWS, SHOWN_ROWS, asked_of, equal, headers, kept_and_shown, look, names, opened, plays,
    recording, recordings, served, shown, until, wait, windows)


def no_longer(page, text):
    """Waits until the status does not have a text any more."""
    wait(page, "!document.querySelector('.status').innerText.includes(value)", text)


def test_a_crowded_server_is_asked_again(browser):
    with shown(browser, recordings(30), expected=["503"]) as (program, page):
        until(page, "30 recordings")
        remaining = 2

        def busy(route):
            more = {"Content-Type": "text/html", "Retry-After": "1"}
            route.fulfill(status=503, body="<!doctype html>busy", headers={**headers(), **more})

        def twice_busy(route):
            nonlocal remaining
            remaining -= 1
            busy(route) if remaining >= 0 else route.continue_()

        page.route("**/api/chirper/rows*", twice_busy)
        page.fill("#search", "nr:7")
        until(page, "The server is busy. Trying again…")
        until(page, "1 of 30 recordings")
        no_longer(page, "busy")
        # What was asked meanwhile is answered, and the request that waited is given up.
        page.route("**/api/chirper/rows*q=nr%3A8*", busy)
        page.fill("#search", "nr:8")
        until(page, "The server is busy. Trying again…")
        page.fill("#search", "nr:9")
        until(page, "1 of 30 recordings")
        no_longer(page, "busy")


# In every frame from now on, each row in sight is the one of its position, or a placeholder.
WATCH_ROWS = f"""() => {{
    window.wrong = []
    const headings = [...document.querySelectorAll('.heading .cell')]
    const place = headings.findIndex(({{ innerText }}) => innerText.startsWith('Place'))
    const see = () => {{
        for (const row of document.querySelectorAll('{ROWS}')) {{
            const text = row.children[place].firstChild.data
            const wanted = `Place ${{row.getAttribute('aria-rowindex') - 1}}`
            if (text !== wanted) wrong.push(`${{text}} instead of ${{wanted}}`)
        }}
        requestAnimationFrame(see)
    }}
    see()
}}"""


def count_of(page):
    """The rows that a screen reader counts."""
    return int(page.get_attribute(".grid", "aria-rowcount")) - 1


def test_ten_thousand_rows_while_pages_arrive(browser):
    with shown(browser, recordings(10_000), expected=["400"]) as (program, page):
        until(page, "500 recordings")
        page.evaluate(WATCH_ROWS)
        page.focus(".grid")
        end = time.time() + 300
        # The next page is fetched when the last row comes into sight.
        while names(page)[-1][0] != 9_999:
            assert time.time() < end, page.inner_text(".status")
            before = count_of(page)
            page.keyboard.press("End")
            count = "document.querySelector('.grid').getAttribute('aria-rowcount') - 1"
            wait(page, f"{count} > value || value === 10_000", before)
        until(page, "10,000 recordings")
        until(page, "complete")
        until(page, "End of the list.")
        page.wait_for_selector(".body .row.waiting:not([hidden])", state="detached")
        equal(page.evaluate("wrong"), [], "rows while pages arrived")
        assert "Load more" not in page.inner_text(".status"), "a list that is read to its end"
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
        is_invalid = page.get_attribute("#search", "aria-invalid")
        equal(is_invalid, "true", "the field of a search that is wrong")
        assert len(names(page)) > 10, "the rows before stay"
        search = "q:A month:5"
        page.fill("#search", search)
        counts = program.json("stats", LIST, "--where", search, "--by", "quality")
        until(page, f"{counts['recordings']:,} of 10,000 recordings")
        in_order(program, page, "q=q:A+month:5")


HAVE_PLACES = """value.every((place, index) => {
    const rows = [...document.querySelectorAll('.body .row')]
    const row = rows.find((row) => row.getAttribute('aria-rowindex') == index + 2)
    return row?.innerText.split('\\n').includes(place)
})"""


def in_order(program, page, parameters):
    """The first rows are those that the server sends."""
    path = f"/api/chirper/rows?list=xeno-canto:{LIST}&limit=5&columns=locality&{parameters}"
    wait(page, HAVE_PLACES, [row["locality"] for row in program.get(path)["recordings"]])


def test_the_server_goes_away_and_comes_back(browser):
    expected = ["Failed to load resource"]
    with served() as program:
        program.run("fetch", "parrot", "--source", "sample", "--quiet")
        with opened(browser, program, "?list=sample:parrot", expected) as page:
            page.wait_for_selector(ROWS)
            before = names(page)
            program.stop()
            until(page, "The server does not answer")
            equal(names(page), before, "the rows while the server is away")
            look(page, "server-away")
            # A search that was not answered has no count.
            count = page.inner_text(".status strong")
            page.fill("#search", "q:A")
            page.wait_for_selector(".grid[aria-busy=false]")
            equal(page.inner_text(".status strong"), count, "the count while the server is away")
            page.fill("#search", "")
            program.serve()
            until(page, "recordings")
            no_longer(page, "does not answer")
            equal(names(page), before, "the rows when the server is back")


def test_a_failure_never_hides_rows(browser):
    with shown(browser, recordings(700)) as (program, page):
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
    with shown(browser, recordings(700)) as (program, page):
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
        plays(page, 0.1)
        kept_and_shown(page)
        # Audio that is not kept: what to do is said. (This catalogue has no audio at all.)
        page.click(f".lists >> text={LIST}")
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
        page.hover(f".lists >> text={LIST}")
        page.click(f"[aria-label='Sync {LIST}']")
        page.wait_for_selector(".lists .fault >> text=cannot be reached")
        page.click(f".lists >> text={LIST}")
        page.wait_for_selector(".status.error >> text=Try again")
        # What to do is what can be done here: nothing is typed.
        said = page.inner_text(".status") + page.inner_text(".player")
        equal(re.findall("command|chirper", said), [], "words of the command line")


def test_each_state_is_shown(browser):
    rows = recordings(700)
    for options in windows(dark_first=True):
        with (
                served(rows, fetched=False) as program,
                opened(browser, program, expected=["404"], **options) as page):
            def fetch(text):
                page.fill("#search", text)
                page.click("text=Fetch")

            until(page, "Nothing is stored yet", ".message")
            look(page, "nothing-stored")
            program.catalogue.goes_on.clear()
            fetch(LIST)
            until(page, "Loading", ".message")
            until(page, "loading")
            look(page, "loading")
            program.catalogue.goes_on.set()
            until(page, "500 of 700")
            page.wait_for_selector(".status.paging >> text=Load more")
            look(page, "paging")
            program.catalogue.goes_on.clear()
            page.click(".status >> text=Load more")
            until(page, "loading page 2")
            look(page, "loading-more")
            assert len(names(page)) > 5, "the rows while the next page is loaded"
            program.catalogue.goes_on.set()
            until(page, "700 recordings")
            page.wait_for_selector(".status.populated >> text=End of the list.")
            look(page, "end")
            page.fill("#search", "blackbrid")
            until(page, "Nothing in this list matches", ".message")
            page.wait_for_selector(".message >> text=Search “Common Blackbird”")
            look(page, "nothing-found")
            page.click(".message >> text=Show all")
            until(page, "700 recordings")

            # A list that the catalogue has nothing for, one that fails, and one that is not stored.
            fetch("gen:nothing")
            until(page, "Nothing was found for “gen:nothing”", ".message")
            look(page, "empty")
            program.catalogue.broken = True
            fetch("gen:failing")
            page.wait_for_selector(".message >> text=Try again")
            look(page, "error")
            program.catalogue.broken = False
            program.catalogue.rows["gen:failing"] = rows[:3]
            page.click(".message >> text=Try again")
            until(page, "3 recordings")
            page.goto(program.address + "?list=xeno-canto:gen:other")
            until(page, "“gen:other” is not stored", ".message")
            look(page, "not-stored")
            for name in ("Map", "Charts", "Learn"):
                page.click(f".views >> text={name}")
                until(page, "“gen:other” is not stored", ".message")
                page.wait_for_selector(".message >> text=Fetch it from xeno-canto")
                page.wait_for_selector(":is(.mapped, .charts, .learn)", state="detached")
            # A search that is wrong from the beginning.
            page.goto(program.address + "?q=%22x&view=map")
            until(page, "A quotation mark is not closed.", ".message")
            look(page, "never-answered")
            page.click(".message >> text=Show all")
            until(page, "with a place", ".mapped [role=status]")


def test_a_new_search_cancels_the_one_before(browser):
    with shown(browser, recordings(10)) as (program, page):
        asked = asked_of(page, lambda request: "/rows" in request.url)
        program.catalogue.rows["gen:other"] = [recording(99, loc="Elsewhere")]
        program.catalogue.goes_on.clear()
        for text in ("gen:slow", "gen:other"):
            page.fill("#search", text)
            page.click(".fetch >> text=Fetch")
            page.wait_for_selector(".fetch >> text=Stop")
        program.catalogue.goes_on.set()
        until(page, "Elsewhere", ".body")
        loads = program.get("/api/chirper/loads")["loads"]
        states = [(load["query"], load["state"]) for load in loads]
        equal(states, [("gen:slow", "cancelled"), ("gen:other", "done")], "loads")
        # Once nothing changes any more, the lists are asked for now and then, and no rows.
        for _ in range(3):
            asked.clear()
            with page.expect_response("**/api/chirper/state"):
                pass
        equal(asked, [], "rows that are asked for while nothing changes")


# Where each row is in sight, what it is, and whether it has the mark.
PLACES = """rows => rows.map((row) => [
    Math.round(row.getBoundingClientRect().top),
    row.innerText.match(/Place \\d+/)[0],
    row.matches('.active'),
])"""


def places(page):
    return sorted(page.eval_on_selector_all(ROWS, PLACES))


def test_two_tabs_and_a_sync_beside_them(browser):
    rows = recordings(300)
    path = f"?list=xeno-canto:{LIST}&q=q:A"
    with (
            shown(browser, rows, expected=["404"]) as (program, page),
            opened(browser, program, path, expected=["404"]) as other):
        until(other, "60 of 300 recordings")
        page.focus(".grid")
        for _ in range(3):
            page.keyboard.press("PageDown")
        wait(page, "location.search.includes('at=')")
        before = places(page)
        # The catalogue has more, before those that are stored.
        program.catalogue.rows[LIST] = [recording(number) for number in range(1001, 1041)] + rows
        program.run("sync", LIST, "--quiet")
        until(page, "340 recordings")
        until(other, "68 of 340 recordings")
        equal(other.input_value("#search"), "q:A", "the search of the other tab")
        until(page, before[3][1], ".body")
        equal(places(page), before, "the rows in sight after 40 came above them")
        # What one tab changes, the other shows.
        page.keyboard.press("x")
        until(page, "1 ticked")
        other.click(".lists li.open >> text=Forget")
        other.click("dialog >> text=Forget it")
        until(page, "is not stored", ".message")
        page.wait_for_selector(SHOWN_ROWS, state="detached")
        no_longer(page, "ticked")
        # What is stored again is shown again.
        page.click(".views >> text=Map")
        until(page, "is not stored", ".message")
        program.run("fetch", LIST, "--quiet")
        until(page, "340 with a place", ".mapped [role=status]")
        page.click(".views >> text=Rows")
        page.wait_for_selector(ROWS)
