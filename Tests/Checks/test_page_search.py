"""Searching on the page of `chirper serve`: what is typed, chosen and said about it."""

import subprocess

from page import (
    LIST, ROWS, charts_are_known, equal, look, names, opened, recording, recordings, served, shown,
    until, view, wait)
from program import PROGRAM

PLACES = """rows => rows.map((row) =>
    [Number(row.getAttribute('aria-rowindex')), row.innerText.match(/Place \\d+/)[0]])"""
COLOR = "getComputedStyle(document.querySelector('.body .row .at-name')).color"


def first_places(page):
    return sorted(page.eval_on_selector_all(ROWS, PLACES))[:10]


def test_a_half_typed_tag_keeps_the_last_answer(browser):
    rows = [recording(number, type=["song", "call"][number % 2]) for number in range(1, 121)]
    with shown(browser, rows) as (_, page):
        def type_half(text):
            # At once: after a letter it can be a search that has an answer.
            page.fill("#search", text)
            page.wait_for_selector("#fault .pointer")

        page.fill("#search", "q:A")
        until(page, "24 of 120 recordings")
        before = first_places(page)
        ink = page.evaluate(COLOR)
        for half in (" type:so", " type:", ' "so', " -", " in:a"):
            type_half("q:A" + half)
            said = page.text_content("#fault .before")
            equal(said, "q:A ", f"what is before the word that is wrong, of {half}")
            until(page, "24 of 120 recordings")
            equal(first_places(page), before, f"the rows while {half} is typed")
            assert page.evaluate(COLOR) != ink, "the rows of an earlier search are not grey"
            page.fill("#search", "q:A")
            wait(page, "!document.querySelector('#fault').innerText")
        # They can be opened, counted and filtered, also before it is known that what is typed is
        # not a search.
        held = []
        page.route("**/rows?*", lambda route: held.append(route))
        page.fill("#search", "q:A type:so")
        page.click(".views >> text=Charts")
        page.wait_for_timeout(500)
        for route in held:
            route.continue_()
        page.unroute("**/rows?*")
        page.wait_for_selector("#fault .pointer")
        look(page, "half-typed")
        page.click(".chart:has(h2:text-is('Types')) button.bar >> nth=0")
        until(page, "12 of 120 recordings")
        equal(page.input_value("#search"), 'q:A type:"=call"', "the search with the bar")
        view(page, "Rows")
        type_half("q:A type:so")
        page.locator("#search").press_sequentially("ng")
        until(page, "12 of 120 recordings")
        wait(page, f"{COLOR} === value", ink)
        # Everything of the last answer can be reached, also what was not asked for yet.
        page.fill("#search", "len:any")
        until(page, "120 of 120 recordings")
        type_half("len:any q:")
        page.focus(".grid")
        page.keyboard.press("End")
        page.wait_for_selector(f"{ROWS}[aria-rowindex='121']")


def test_a_notice_goes_when_what_it_is_about_is_over(browser):
    with shown(browser, recordings(10)) as (program, page):
        list_page = f"{program.address}?list=xeno-canto:{LIST}"
        gone = lambda: page.wait_for_selector(".notice", state="detached")

        def at_the_end():
            page.goto(list_page + "&id=xeno-canto/10")
            page.click("[aria-label='Next row']")
            until(page, "No further row", ".notice")

        at_the_end()
        # It stays while the place in the list is the same.
        page.focus(".grid")
        page.keyboard.press("PageUp")
        page.wait_for_timeout(500)
        until(page, "No further row", ".notice")
        page.click("[aria-label='Previous row']")
        gone()
        at_the_end()
        page.fill("#search", "q:A")
        gone()
        # Of what is compared, four are enough until one is taken away.
        page.goto(list_page)
        page.wait_for_selector(ROWS)
        page.focus(".grid")
        for key in "cjcjcjcjc":
            page.keyboard.press(key)
        until(page, "Four are compared already", ".notice")
        page.keyboard.press("k")
        page.wait_for_timeout(300)
        until(page, "Four are compared already", ".notice")
        page.keyboard.press("c")
        gone()
        # What a fetch has to say is about its list.
        page.fill("#search", "blackbird type:song")
        page.click(".fetch >> text=Fetch")
        until(page, "is taken as an English name", ".notice")
        page.fill("#search", "q:A")
        gone()


def test_a_bar_of_every_chart_is_a_filter(browser):
    marked = {"annotations": [{"scientific_name": "Parus major", "sound_type": "song"}]}
    rows = recordings(60)
    for number, row in enumerate(rows):
        row["cnt"] = ["Norway", "South Africa"][number % 2]
        if number % 2:
            row["annotation-set"] = marked
    with shown(browser, rows, "&view=charts") as (_, page):
        start = page.url
        charts_are_known(page, 10)
        titles = page.eval_on_selector_all(
            ".chart h2", "titles => titles.map((title) => title.innerText)")
        for title in titles:
            bar = page.locator(f".chart:has(h2:text-is('{title}')) button.bar").first
            count = bar.get_attribute("aria-label").split(": ")[1].split(" recording")[0]
            bar.click()
            until(page, f"{count} of 60 recordings")
            search = page.input_value("#search")
            assert "undefined" not in search, f"{title} searches {search}"
            page.fill("#search", "")
            until(page, "60 recordings")
            page.wait_for_selector(".bar[aria-pressed=true]", state="detached")
            # Charts that are counted anew can move the others away from the pointer.
            page.goto(start)
            charts_are_known(page, 10)


def test_an_empty_store_greets(browser):
    for width in (1280, 360):
        size = {"width": width, "height": 740}
        with served() as program, opened(browser, program, viewport=size) as page:
            page.wait_for_selector(".first-list >> text=Show the sample")
            offered = page.eval_on_selector_all(
                ".first-list", "lists => lists.map((list) => list.children[0].innerText)")
            equal(offered, ["sample", "GBIF", "xeno-canto"], "what is offered")
            for text in ("nothing is requested", "without a key", "Needs a key"):
                page.wait_for_selector(f".first-list .quiet:has-text('{text}')")
            # The key is entered where no page sees it.
            page.click(".first-list >> text=Enter a key")
            page.wait_for_selector("dialog >> text=chirper auth set")
            equal(page.locator("dialog input").count(), 0, "fields for a key")
            look(page, "key")
            page.click("dialog >> text=I have entered it")
            page.wait_for_selector("dialog >> text=No key is stored yet.")
            command = [PROGRAM, "auth", "set"]
            subprocess.run(command, env=program.environment, input=b"anykey1\n", check=True)
            page.click("dialog >> text=I have entered it")
            page.wait_for_selector("dialog >> text=Fetch from xeno-canto")
            page.keyboard.press("Escape")
            page.wait_for_selector(".first-list >> text=Fetch from xeno-canto")
            page.click(".first-list >> text=Show the sample")
            until(page, "50 of 715")
            page.wait_for_selector(ROWS)


MENUS = ["Species", "Type", "Quality", "Country", "Month", "Length", "Licence"]
# The count of the chosen value is that of the rows that are found.
SAYS_ITS_COUNT = """(() => {
    const menu = document.querySelector(`.filters [aria-label='${value}']`)
    const chosen = [...menu.list?.options ?? menu.selectedOptions].find((one) =>
        !menu.list || one.value === menu.value)
    const count = chosen.text.match(/\\((\\d+)\\)$/)?.[1]
    return document.querySelector('.status strong').innerText === `${count} of 120 recordings`
})()"""


def choose(page, menu, index):
    """Chooses an option of a menu of the filters, as soon as its values are counted; the first is
    for any."""
    locator = f".filters [aria-label='{menu}']"
    page.hover(locator)
    if menu != "Species":
        counted = f".filters[aria-busy=false] [aria-label='{menu}']"
        wait(page, f"document.querySelector(`{counted}`)?.length > value", index)
        return page.select_option(locator, index=index)
    wait(page, "document.querySelectorAll('#species-names option').length >= value", index)
    names = page.eval_on_selector_all("#species-names option", "all => all.map((one) => one.value)")
    page.fill(locator, ["", *names][index])
    page.keyboard.press("Enter")


def is_searched(page, text):
    wait(page, "document.querySelector('#search').value === value", text)


def filtered(number):
    """A recording with values for every menu."""
    return recording(
        number,
        sp=["merula", "iliacus"][number % 2],
        en=["Common Blackbird", "Redwing"][number % 2],
        type=["song", "call", "dawn song"][number % 3],
        cnt=["Norway", "South Africa"][number % 2],
        length=f"0:{number % 50:02}",
        q="ABCDE"[number % 5] if number % 6 else "no score")


def test_filters_need_no_language(browser):
    rows = [filtered(number) for number in range(1, 121)]
    with shown(browser, rows) as (_, page):
        until(page, "120 recordings")
        for menu in MENUS:
            choose(page, menu, 1)
            wait(page, SAYS_ITS_COUNT, menu)
            term = page.input_value("#search")
            assert ":" in term and "undefined" not in term, f"{menu} searches {term}"
            # A second choice takes the place of the first.
            if menu != "Licence":
                choose(page, menu, 2)
                wait(page, SAYS_ITS_COUNT, menu)
                assert term not in page.input_value("#search").split(" "), f"{menu} leaves {term}"
            choose(page, menu, 0)
            until(page, "120 recordings")
            equal(page.input_value("#search"), "", f"the search without {menu}")
        # Together with what is typed, which stays, and with a tag that is typed, which is replaced.
        page.fill("#search", 'place q:B type:"=call"')
        wait(page, """document.querySelector(".filters [aria-label='Quality']").value === 'q:B'""")
        chosen = page.input_value(".filters [aria-label='Type']")
        equal(chosen, 'type:"=call"', "the menu of what is typed")
        until(page, "of 120 recordings")
        choose(page, "Quality", 1)
        is_searched(page, 'place type:"=call" q:A')
        look(page, "filters")
        # By keyboard, and out of the way.
        page.focus(".filters [aria-label='Type']")
        page.keyboard.press("Home")
        is_searched(page, "place q:A")
        page.click(".to-filters")
        page.wait_for_selector(".filters", state="detached")
        page.reload()
        page.wait_for_selector(ROWS)
        equal(page.locator(".filters").count(), 0, "filters that were put away")
    phone = {"viewport": {"width": 360, "height": 740}, "color_scheme": "dark"}
    with shown(browser, rows, **phone) as (_, page):
        equal(page.locator(".filters").count(), 0, "filters on a phone, before they are asked for")
        page.click(".to-filters")
        choose(page, "Species", 1)
        until(page, "60 of 120 recordings")
        look(page, "filters-on-a-phone")


def test_species_are_chosen_by_either_name(browser):
    with shown(browser, [filtered(number) for number in range(1, 121)]) as (_, page):
        until(page, "120 recordings")
        menu = ".filters [aria-label='Species']"
        page.hover(menu)
        page.wait_for_selector("#species-names option", state="attached")
        for typed in ["Redwing", "turdus iliacus", "ILIA", "red"]:
            page.fill(menu, typed)
            page.keyboard.press("Enter")
            is_searched(page, 'sp:"Turdus iliacus"')
            equal(page.input_value(menu), "Redwing", typed)
            page.fill(menu, "")
            page.keyboard.press("Enter")
            is_searched(page, "")
        page.fill(menu, "no such bird")
        page.keyboard.press("Enter")
        equal([page.input_value(menu), page.input_value("#search")], ["", ""], "what is no species")


def test_every_tag_has_a_button(browser):
    with shown(browser, recordings(10)) as (_, page):
        page.fill("#search", "q:A")
        until(page, "2 of 10 recordings")
        page.click(".to-keys")
        tags = page.eval_on_selector_all(
            ".all-tags button", "tags => tags.map((tag) => tag.innerText)")
        assert {"type:", "cnt:", "box:", "gone:"} <= set(tags) and len(tags) > 40, tags
        look(page, "all-tags")
        page.click(".all-tags >> text=rec:")
        page.wait_for_selector("dialog", state="detached")
        wait(page, "document.activeElement.id === 'search'")
        page.keyboard.type("name")
        until(page, "2 of 10 recordings")
        equal(page.input_value("#search"), "q:A rec:name", "the search with the tag")


def test_rows_of_an_earlier_search_are_grey(browser):
    with shown(browser, recordings(30)) as (program, page):
        until(page, "30 recordings")
        ink = page.evaluate(COLOR)
        held = []
        page.route("**/api/chirper/rows*q=nr%3A7*limit=100*", lambda route: held.append(route))
        page.fill("#search", "nr:7")
        wait(page, f"{COLOR} !== value", ink)
        assert len(names(page)) > 5, "the rows until the answer comes"
        held.pop().continue_()
        until(page, "1 of 30 recordings")
        wait(page, f"{COLOR} === value", ink)
