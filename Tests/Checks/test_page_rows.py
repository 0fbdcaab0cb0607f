"""The rows of the page of `chirper serve`, in Chromium: texts as long as real ones are readable, in
a table and on a card."""

from page import (
    LIST, ROWS, equal, look, opened, recording, served, until, wait, window, windows)

# As long as those of catalogues.
LONG = [
    {
        "en": "Black-tailed Godwit",
        "gen": "Limosa",
        "sp": "limosa",
        "type": "alarm call, flight call",
        "cnt": "Russian Federation",
        "loc": "Verkhne-Nemdinskiy reserve (near Sosnovka), Kirov Oblast",
        "rec": "Marie Louise Steenbergen",
        "length": "12:05",
        "q": "B",
    },
    {
        "en": "Eurasian Reed Warbler",
        "gen": "Acrocephalus",
        "sp": "scirpaceus",
        "cnt": "United Kingdom",
        "loc": "Lower Marsh by the old railway, Great Wenham, Suffolk, England",
        "rec": "J. Name",
        "length": "1:02:05",
        "q": "A",
    },
    {
        "en": "Willow Warbler",
        "gen": "Phylloscopus",
        "sp": "trochilus",
        "type": "begging call, juvenile, song",
        "cnt": "Germany",
        "loc": "Naturschutzgebiet Große Wiese, Musterstadt, Niedersachsen",
        "rec": "Katharina Beispiel",
        "q": "C",
    },
    {
        "en": "Wren",
        "gen": "Troglodytes",
        "sp": "troglodytes",
        "cnt": "Spain",
        "loc": "Playa",
        "rec": "Li",
        "q": "A",
    },
]
ROW = [recording(number, **LONG[number % len(LONG)]) for number in range(60)]
# What the second row says on a card.
CARD = {
    "name": "Eurasian Reed Warbler / Acrocephalus scirpaceus",
    "type": "song",
    "length": "1:02:05",
    "quality": "A",
    "place": f"{LONG[1]['loc']}, United Kingdom",
    "date": "2024-02-11",
    "recordist": "J. Name",
}
IN_A_TABLE = CARD | {"place": LONG[1]["loc"], "country": "United Kingdom"}
# Of each row in sight: its texts by their place on a card, and those that are not wholly in sight.
READ = f"""() => {{
    const isInside = (box, around) =>
        box.left >= around.left - 0.5 && box.right <= around.right + 0.5
        && box.top >= around.top - 0.5 && box.bottom <= around.bottom + 0.5
    const covers = (box, other) =>
        Math.min(box.right, other.right) - Math.max(box.left, other.left) > 0.5
        && Math.min(box.bottom, other.bottom) - Math.max(box.top, other.top) > 0.5
    const holds = (part) =>
        part.scrollWidth <= part.clientWidth && part.scrollHeight <= part.clientHeight + 1
    const read = (row) => {{
        const [texts, cut, boxes] = [{{}}, [], []]
        for (const cell of row.children) {{
            const [, place] = /at-([a-z]+)/.exec(cell.className) ?? []
            const box = cell.getBoundingClientRect()
            if (!place || box.width === 0) continue
            texts[place] = cell.innerText.replaceAll('\\n', ' / ')
            const parts = [cell, ...cell.children]
                .filter((part) => part.getBoundingClientRect().height > 0)
            const isWhole = parts.every(holds)
                && isInside(box, row.getBoundingClientRect())
                && box.right <= innerWidth && box.height <= 36.5
                && !boxes.some((other) => covers(box, other))
            boxes.push(box)
            if (!isWhole) cut.push(`${{place}}: ${{texts[place]}}`)
        }}
        return {{ position: Number(row.getAttribute('aria-rowindex')) - 2, texts, cut }}
    }}
    return [...document.querySelectorAll('{ROWS}')].map(read)
        .sort((a, b) => a.position - b.position)
}}"""
HEADINGS = """[...document.querySelectorAll('.heading [role=columnheader]')]
    .map((heading) => heading.innerText)"""
IS_THE_END = f"""(() => {{
    const rows = ({READ})()
    return rows.length > 3 && rows.at(-1).position === 299
        && rows.every(({{ cut }}) => cut.length === 0)
}})()"""
PATH = f"?list=xeno-canto:{LIST}"
USUAL = [
    "Name", "Type", "Length", "Quality", "Country", "Place", "Date", "Recordist", "Licence",
    "Stored"]


def fitted(page):
    """Widths are chosen when the first rows are there; then what is in sight."""
    page.wait_for_selector(ROWS)
    return page.evaluate(READ)


def test_long_texts_are_whole_on_two_lines(browser):
    with served(ROW) as program:
        for options in windows():
            width = options["viewport"]["width"]
            with opened(browser, program, PATH, **options) as page:
                rows = fitted(page)
                assert len(rows) >= 4, rows
                equal([cut for row in rows for cut in row["cut"]], [], f"cut at {width} px")
                wanted = CARD if width == 360 else IN_A_TABLE
                equal(rows[1]["texts"], wanted, f"what a row says at {width} px")
                look(page, "long-texts")


def test_columns_leave_by_their_rank(browser):
    with served(ROW) as program, opened(browser, program, PATH, **window(1800)) as page:
        counts = []
        for width in (1800, 1280, 1024, 820, 600):
            page.set_viewport_size({"width": width, "height": 800})
            layer = "document.querySelector('.layer').scrollWidth"
            wait(page, f"{layer} <= document.querySelector('.grid').clientWidth")
            shown = [heading for heading in page.evaluate(HEADINGS) if heading in USUAL]
            equal(shown, USUAL[: len(shown)], f"the columns at {width} px")
            counts.append(len(shown))
        assert sorted(counts, reverse=True) == counts and counts[-1] >= 4, counts
        # A column that somebody chose has no rank: it stays.
        page.click("text=Columns")
        page.check("text=Stage")
        page.keyboard.press("Escape")
        page.wait_for_selector(".heading button:text-is('Stage')", state="attached")


def test_longer_texts_that_come_into_sight_get_room(browser):
    short = {"en": "Wren", "gen": "Parus", "sp": "ater", "loc": "Oslo", "type": ""}
    rows = [recording(number, **short) for number in range(200)]
    rows += [recording(200 + number, **LONG[number % len(LONG)]) for number in range(100)]
    with served(rows) as program:
        program.run("fetch", LIST, "--all", "--quiet")
        for width in (1280, 360):
            with opened(browser, program, PATH, **window(width)) as page:
                before = fitted(page)
                page.focus(".grid")
                page.keyboard.press("End")
                wait(page, IS_THE_END)
                page.keyboard.press("Home")
                wait(page, f"({READ})()[0]?.position === 0")
                equal(page.evaluate(READ)[0]["texts"], before[0]["texts"], "the first row again")


def test_a_note_of_a_search_is_the_second_line(browser):
    rows = [recording(1, en="Great Tit", rmk="mimics a blackbird"), recording(2, en="Robin")]
    with served(rows) as program:
        for width in (1280, 360):
            with opened(browser, program, PATH + "&q=blackbird", **window(width)) as page:
                until(page, "in remarks: mimics a blackbird", ".body .row:not([hidden])")
                [row] = page.evaluate(READ)
                name = "Great Tit / in remarks: mimics a blackbird"
                equal(row["texts"]["name"], name, f"the name at {width} px")
