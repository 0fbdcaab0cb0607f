"""Names on the page of `chirper serve`: what they find first, how they are completed, and their
languages."""

from urllib.parse import parse_qs, urlsplit

from page import (
    ROWS, SHOWN_ROWS, asked_of, equal, look, names, recording, shown, until, view, wait)

# The texts that are said of the rows about where a word was found, in their order.
NOTES = """rows => rows
    .sort((a, b) => a.getAttribute('aria-rowindex') - b.getAttribute('aria-rowindex'))
    .map((row) => row.querySelector('.found').textContent)"""


def test_names_come_before_what_mentions_them(browser):
    rows = [
        recording(1, en="Great Tit", rmk="mimics a blackbird"),
        recording(2, en="Robin", also=["Common Blackbird"]),
        recording(3),
        recording(4, en="Wren", loc="Blackbird Hill"),
        recording(5, en="Wren"),
    ]
    for width in (1280, 400):
        with shown(browser, rows, viewport={"width": width, "height": 800}) as (program, page):
            asked = asked_of(page, lambda request: "found-in=true" in request.url)
            page.fill("#search", "blackbird")
            wait(page, f"document.querySelectorAll('{SHOWN_ROWS}').length === 4")
            page.wait_for_selector(".found:not(:empty)")
            wanted = [[0, "Common Blackbird"], [1, "Wren"], [2, "Great Tit"], [3, "Robin"]]
            equal(names(page), wanted, "names, places, the rest")
            # Both show the place.
            wanted = ["", "", "in remarks: mimics a blackbird", "in background: Common Blackbird"]
            equal(page.eval_on_selector_all(SHOWN_ROWS, NOTES), wanted, "where the word is")
            assert "sort=rank" in asked[-1], asked[-1]
            if width == 1280:
                page.click(".heading >> text=Length")
                wait(page, "location.search.includes('sort=mediaDuration')")
                until(page, "Great Tit", f"{SHOWN_ROWS}[aria-rowindex='2']")
                assert "sort=rank" not in asked[-1], asked[-1]


def test_a_search_in_a_list_says_what_is_stored_elsewhere(browser):
    rows = [recording(1), recording(2, sp="philomelos", en="Song Thrush")]
    with shown(browser, rows) as (program, page):
        program.run("fetch", "parrot", "--source", "sample")
        page.reload()
        page.click("nav >> text=parrot")
        wait(page, "location.search.includes('sample')")
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
        wanted = page.get_attribute("#search", "placeholder")
        is_begun = lambda answer: answer.request.method == "POST" and "/loads" in answer.url
        with page.expect_response(is_begun) as begun:
            page.click(".fetch >> text=Fetch")
        equal(begun.value.json()["query"], wanted, "what is fetched with an empty field")
        wait(page, "new URL(location).searchParams.get('list') === value", f"xeno-canto:{wanted}")


def test_words_that_name_one_taxon_open_its_list(browser):
    with shown(browser, [recording(1)]) as (program, page):
        program.catalogue.taxa = {"Amsel": "Turdus merula"}
        program.catalogue.rows['sp:"Turdus merula"'] = [recording(number) for number in (7, 8)]
        # Without a list of the taxon it has the words, with one it has its own text.
        for words in ("Amsel", "sp:\"turdus merula\""):
            page.fill("#search", "Amsel")
            page.click(".fetch >> text=Fetch")
            until(page, "Amsel is Turdus merula", ".notice")
            until(page, "2 recordings")
            wait(page, "new URL(location).searchParams.get('list') === value",
                 f"xeno-canto:{words}")
            program.run("forget", "Amsel", "--yes")
            program.run("fetch", "sp:\"turdus merula\"", "--quiet")
            page.reload()


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
        found = parse_qs(urlsplit(page.url).query)["id"]
        equal(found, ["xeno-canto/123"], "the recording that is open")


def test_names_that_were_begun_are_completed(browser):
    with shown(browser, [recording(1, sp="philomelos", en="Song Thrush")]) as (_, page):
        equal(page.get_attribute("#search", "list"), "names", "the list of names of the field")
        page.fill("#search", "q:A western jack")
        page.wait_for_selector("#names option", state="attached")
        offered = page.eval_on_selector_all(
            "#names option", "options => options.map((option) => option.value)")
        equal(offered, ["q:A western jackdaw"], "a name of the list of birds")
        page.fill("#search", "song t")
        wait(page, "document.querySelector('#names option')?.value === 'song thrush'")
        page.fill("#search", "")
        wait(page, "!document.querySelector('#names option')")


def choose_language(page, language):
    page.click(".to-columns")
    page.select_option(".to-names", language)
    page.keyboard.press("Escape")


def test_names_in_a_language_that_was_added(browser):
    rows = [recording(1), recording(2, sp="iliacus", en="Redwing")]
    with shown(browser, rows) as (program, page):
        choose_language(page, "en")
        page.click(".views >> text=Charts")
        page.wait_for_selector(".chart .bar:has-text('Blackbird')")
        view(page, "Rows")
        file = program.home / "names.csv"
        file.write_text("Scientific name,German,French\nTurdus merula,Amsel,Merle noir\n")
        program.run("names", "add", file)
        page.reload()
        page.wait_for_selector(ROWS)
        choose_language(page, "de")
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
        page.click(".chart .bar:has-text('Amsel')")
        until(page, "1 of 2 recordings")
        view(page, "Rows")
        choose_language(page, "")
        page.wait_for_selector(".body .row:has-text('Common Blackbird')")
