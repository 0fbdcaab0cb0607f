"""The views of the page of `chirper serve`: what they show, and what axe finds in them."""

from urllib.parse import urlencode

from page import (
    HOSTILE, LIST, ROWS, TimeoutError, charts_are_known, equal, kept_and_shown, look, names, opened,
    plays, recording, served, shown, sonograms_are_there, until, view, wait, wave, windows)

TAXON = "https://www.gbif.org/species/42"


def occurrence(key, **other):
    sound = {"type": "Sound", "identifier": f"https://x.example/{key}.mp3"}
    return {
        "key": key,
        "catalogNumber": f"own {key}",
        "vernacularName": f"Wren {key}",
        "decimalLatitude": 0.5,
        "decimalLongitude": -140.5,
        "media": [sound],
    } | other


# Whether a cross or a dot is in the middle of a map: there is ink near it on both diagonals, or to
# its side and above it.
DRAWN = """(selector) => {
    const canvas = document.querySelector(`${selector} canvas`)
    if (!canvas?.width) return 'nothing'
    const { width, height } = canvas
    const { data } = canvas.getContext('2d').getImageData(0, 0, width, height)
    const at = (x, y) => {
        const line = Math.floor(height / 2 + y)
        const start = 4 * (line * width + Math.floor(width / 2 + x))
        return String(data.slice(start, start + 3))
    }
    const inks = (places) => places.filter(([x, y]) => at(x, y) !== at(30, 25)).length
    const sides = inks([[2.25, 0], [0, -2.25]])
    const diagonals = inks([[2.25, 2.25], [-2.25, 2.25], [2.25, -2.25], [-2.25, -2.25]])
    if (sides === 2) return 'dot'
    return sides === 0 && diagonals === 4 ? 'cross' : `${sides} ${diagonals}`
}"""


def drawn(page, selector, wanted):
    try:
        wait(page, f"({DRAWN})(value[0]) === value[1]", [selector, wanted])
    except TimeoutError as error:
        found = page.evaluate(DRAWN, selector)
        raise AssertionError(f"{found} is drawn in {selector}, not {wanted}") from error


# By the name of each row the mark before it, and what a screen reader says of it.
MARKS = """rows => Object.fromEntries(rows.map((row) => {
    const mark = row.children[1]
    return [row.innerText.match(/Wren \\d/)[0], [mark.textContent, mark.getAttribute('aria-label')]]
}))"""


def test_what_its_catalogue_doubts_is_marked(browser):
    occurrences = [occurrence(1, issues=["COUNTRY_COORDINATE_MISMATCH"]), occurrence(2)]
    with served([], fetched=False, occurrences=occurrences) as program:
        program.run("fetch", TAXON, "--source", "gbif", "--quiet")
        with opened(browser, program, expected=["willReadFrequently"]) as page:
            until(page, "2 recordings")
            page.wait_for_selector(ROWS)
            wanted = {"Wren 1": ["!", "its catalogue doubts it"], "Wren 2": ["", ""]}
            equal(page.eval_on_selector_all(ROWS, MARKS), wanted, "marks of rows")
            page.click(".body .row:has-text('Wren 1')")
            page.wait_for_selector(".recording >> text=The catalogue doubts this place.")
            issue = "dt:has-text('Its catalogue doubts') + dd:has-text('coordinate')"
            page.wait_for_selector(f".recording {issue}")
            drawn(page, ".recording .map", "cross")
            page.click(".body .row:has-text('Wren 2')")
            page.wait_for_selector(".recording h2:has-text('Wren 2')")
            drawn(page, ".recording .map", "dot")
            doubts = page.locator(".recording >> text=doubts").count()
            equal(doubts, 0, "doubts of what is not doubted")
            page.click("[aria-label='Close the recording']")
            view(page, "Map")
            for search, wanted in (("issue:coordinate", "cross"), ("-issue:coordinate", "dot")):
                page.fill("#search", search)
                until(page, "1 with a place", ".mapped [role=status]")
                page.click("text=Show all")
                drawn(page, ".mapped .map", wanted)


def test_each_recording_is_shown_once(browser):
    own = {"datasetKey": "b1047888-ae52-4179-9dd5-5448ea342a24"}
    copies = [occurrence(key, catalogNumber=f"XC{key}", **own) for key in (1, 2)]
    rows = [recording(1), recording(2)]
    with served(rows, occurrences=[*copies, occurrence(3)]) as program:
        program.run("fetch", TAXON, "--source", "gbif", "--quiet")
        with opened(browser, program) as page:
            until(page, "3 recordings")
            equal(len(names(page)), 3, "rows")
            page.click("text=Show 2 more copies")
            until(page, "5 recordings")
            assert page.url.endswith("?copies=all"), page.url
            found = sorted(name for _, name in names(page))
            wanted = ["Common Blackbird"] * 2 + ["Wren 1", "Wren 2", "Wren 3"]
            equal(found, wanted, "rows with copies")
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


PLACES = [(60, 8), (61, 9), (-33, 151), (0, 0), (45, -120)]
ANNOTATIONS = [
    {"scientific_name": "Parus major", "sound_type": "song"},
    {"scientific_name": "Corvus corax"},
]


def charted(number):
    """A recording with values for every chart; some have no place, no time, or annotations."""
    latitude, longitude = map(str, PLACES[number % 5]) if number % 9 else ("", "")
    other = {
        "lat": latitude,
        "lon": longitude,
        "sp": ["merula", "iliacus"][number % 2],
        "en": ["Common Blackbird", "Redwing"][number % 2],
        "cnt": ["Norway", "Chile", "Côte d'Ivoire"][number % 3],
        "time": f"{number % 24:02}:30" if number % 7 else "?",
    }
    if number % 4 == 1:
        other["annotation-set"] = {"annotations": ANNOTATIONS[: 1 + number % 2]}
    return recording(number, **other)


# Each chart by its title: what it counts, and of what.
CHARTS = {
    "Months, north of the equator": ("month", "lat:>0"),
    "Months, south of it": ("month", "lat:<0"),
    "Hours": ("hour", None),
    "Species": ("species", None),
    "Countries": ("country", None),
    "Quality": ("quality", None),
    "Licences": ("licence", None),
    "Annotated species": ("annotation", None),
    "Annotated types": ("annotation-type", None),
}
MONTHS = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split()
HAS_NUMBERS = """(() => {
    const found = [...document.querySelectorAll('.chart:has(table)')]
        .filter((chart) => chart.querySelector('h2').innerText === value[0])
        .map((chart) => [...chart.querySelectorAll('tbody tr')]
            .map((row) => [...row.children].map((cell) => cell.textContent)))
    return JSON.stringify(found[0]) === JSON.stringify(value[1])
})()"""
# Of each chart the lengths of its bars, and those of its numbers, in percent of the longest.
LENGTHS = """[...document.querySelectorAll('.chart')].map((chart) => {
    const length = chart.matches('.upright') ? 'height' : 'width'
    const numbers = [...chart.querySelectorAll('tbody tr')]
        .map((row) => Number(row.children[1].textContent.replace(',', '')))
    const bars = [...chart.querySelectorAll('.bars > li')]
        .map((bar) => Math.round(parseFloat(bar.querySelector('.fill').style[length])))
    const most = Math.max(...numbers)
    return [bars, numbers.slice(0, bars.length).map((one) => Math.round((one / most) * 100))]
})"""


def numbers_of(by, row):
    """The cells of a row in the table of a chart."""
    name = row.get("acceptedVernacularName") or str(row[by])
    if by == "month":
        name = MONTHS[row[by] - 1]
    return [name, *(f"{row[count]:,}" for count in ("recordings", "stored") if count in row)]


def test_charts_say_what_stats_says(browser):
    rows = [charted(number) for number in range(1, 301)]
    where = "len:>40"
    with shown(browser, rows, f"&q={where}&view=charts") as (program, page):
        def stats(by, more=None):
            words = ["--where", more] if more else []
            return program.json("stats", LIST, "--where", where, *words, "--by", by)

        for title, (by, more) in CHARTS.items():
            answer = stats(by, more)
            wait(page, HAS_NUMBERS, [title, [numbers_of(by, row) for row in answer["counts"]]])
            missing = next(iter(answer["missing"].values()))
            if missing:
                text = f"{missing:,} without {'an' if 'annotation' in by else 'a'} "
                page.wait_for_selector(f".chart:has(h2:text-is('{title}')) >> text={text}")
        north, south = (stats("month", part)["recordings"] for part in ("lat:>0", "lat:<0"))
        rest = stats("month")["recordings"] - north - south
        page.wait_for_selector(f".chart >> text={rest:,} in neither")
        for bars, numbers in page.evaluate(LENGTHS):
            equal(bars, numbers, "lengths of bars")
        # A bar is a filter.
        page.click(".chart:has(h2:text-is('Species')) button.bar >> nth=0")
        species = stats("species")["counts"][0]
        until(page, f"{species['recordings']:,} of 300 recordings")
        assert "sp:" in page.input_value("#search"), page.input_value("#search")
        page.go_back()
        equal(page.input_value("#search"), where, "the search after the way back")
        page.click(".chart:has(h2:text-is('Annotated species')) button.bar >> nth=0")
        species = stats("annotation")["counts"][0]
        until(page, f"{species['recordings']:,} of 300 recordings")
        wanted = f'{where} ann_sp:"={species["annotation"]}"'
        equal(page.input_value("#search"), wanted, "the search by an annotated species")
        # A chart that would be empty is not shown.
        page.fill("#search", f"{where} ann:no")
        page.wait_for_selector(".chart h2:text('Annotated')", state="detached")
        charts_are_known(page, 6)


def test_the_map_says_what_stats_says(browser):
    rows = [charted(number) for number in range(1, 301)]
    where = "len:>40"
    with shown(browser, rows, f"&q={where}&view=map") as (program, page):
        def count(search):
            words = ["--where", search, "--by", "quality"]
            return program.json("stats", LIST, *words)["recordings"]

        def filters():
            """The box in the search is a filter, of some of the recordings."""
            wait(page, "document.querySelector('#search').value.includes('box:')")
            inside = count(page.input_value("#search"))
            assert 0 < inside < count(where), inside
            until(page, f"{inside:,} of 300 recordings")
            return inside

        placed = f"{count(where + ' lat:any lon:any'):,} with a place"
        until(page, placed, ".mapped [role=status]")
        # What is in sight is a filter, without a mouse.
        page.click(".mapped [aria-label='Zoom in']")
        page.click("text=Draw a box")
        page.focus(".mapped .map")
        page.keyboard.press("Enter")
        filters()
        page.fill("#search", where)
        page.click("text=Show all")
        until(page, placed, ".mapped [role=status]")
        # So is a box that is drawn.
        page.click("text=Draw a box")
        box = page.locator(".mapped canvas").bounding_box()
        right, bottom = box["x"] + box["width"], box["y"] + box["height"]
        page.mouse.move(right - box["width"] / 2, box["y"] + 10)
        page.mouse.down()
        page.mouse.move(right - 5, bottom - 5, steps=4)
        page.mouse.up()
        inside = filters()
        until(page, f"{inside:,} with a place", ".mapped [role=status]")


# Addresses of other kinds, and elements that no text may become.
MADE = """() => {
    const kinds = 'img, script, svg, iframe, object, [onerror], [onload]'
    const elements = [...document.querySelectorAll(`#page :is(${kinds})`)]
    return [...document.querySelectorAll('a, [src]')]
        .map((part) => part.href || part.src)
        .filter((address) => !/^https?:|^blob:/.test(address))
        .concat(elements.map(({ outerHTML }) => outerHTML))
}"""
# Playwright may drop the NUL of a text that it fills in.
IS_SEARCHED = """(() => {
    const nul = document.querySelector('#search').value.includes('\\0') ? '\\0' : ''
    return new URLSearchParams(location.search).get('q') === value.replace('\\0', nul)
})()"""
HAS_DETAIL = """[...document.querySelectorAll('.details dd')]
    .some(({ innerText }) => innerText.includes(value))"""


def nothing_runs(page):
    equal(page.evaluate(MADE), [], "markup or addresses from a recording")
    title = page.evaluate("document.title")
    assert title.endswith(" – chirper") and title != "x", title


def hostile_rows():
    fields = [name for name, value in recording(1).items() if isinstance(value, str)]
    fields.remove("id")
    for number, text in enumerate(HOSTILE, 1):
        yield recording(number, **{name: text for name in fields})
    # Those that the program reads as numbers and dates, too, and texts in lists.
    for number, text in enumerate(HOSTILE, 11):
        odd = {"lat": "1e999", "lon": "NaN", "length": text, "date": text, "time": text}
        yield recording(number, also=[text], **odd)


def test_hostile_text_is_text_in_every_view(browser):
    rows = list(hostile_rows())
    with shown(browser, rows, expected=["400", "404"]) as (program, page):
        for text in HOSTILE[:2] + HOSTILE[4:6]:
            program.run("fetch", text, "--source", "sample", "--quiet")
        for index, row in enumerate(rows):
            page.focus(".grid")
            page.keyboard.press("j" if index else "Home")
            page.keyboard.press("Enter")
            wait(page, HAS_DETAIL, f"XC{row['id']}")
            page.click(".raw summary")
            nothing_runs(page)
            page.keyboard.press("c")
        page.keyboard.press("Escape")
        is_there = {
            "Charts": ".chart:nth-child(8):not(.waiting)",
            "Map": ".mapped [role=status]:not(:text('Loading'))",
            "Compare": ".compare",
            "Rows": ROWS,
        }
        for name, selector in is_there.items():
            page.click(f".views >> text={name}")
            page.wait_for_selector(selector)
            nothing_runs(page)
        page.click(".tools-line >> text=Export")
        page.wait_for_selector("dialog tbody")
        nothing_runs(page)
        page.keyboard.press("Escape")
        # As a search, in the address, as a list, and as the name of a file.
        for text in HOSTILE:
            page.fill("#search", text)
            wait(page, IS_SEARCHED, text)
            nothing_runs(page)
            both = {"list": f"{text}:{text}", "id": f"{text}/{text}"}
            words = urlencode({**both, "q": text, "with": text, "view": text})
            page.goto(f"{program.address}?{words}")
            page.wait_for_selector(".recording .message")
            nothing_runs(page)
        page.goto(program.address + "?view=compare")
        sound = {"mimeType": "audio/wav", "buffer": wave([0.0] * 4800, 48_000)}
        for text in HOSTILE[:1] + HOSTILE[3:4]:
            page.set_input_files("input[type=file]", {"name": text.replace("/", "_"), **sound})
        sonograms_are_there(page, 2)
        nothing_runs(page)


# From the fault of a search to what is below it, in pixels.
BELOW_FAULT = """() => {
    const box = (selector) => document.querySelector(selector).getBoundingClientRect()
    return box('main').top - box('#fault').bottom
}"""


def test_every_view_has_no_finding_of_axe(browser):
    with served() as program:
        program.run("fetch", "parrot", "--pages", "3", "--source", "sample", "--quiet")
        for options in windows():
            width = options["viewport"]["width"]
            more = {"expected": ["400"], "reduced_motion": "reduce"}
            with opened(browser, program, "?list=sample:parrot", **more, **options) as page:
                def press(*keys):
                    for key in keys:
                        page.keyboard.press(key)

                page.wait_for_selector(ROWS)
                page.focus(".grid")
                press("j", "x", "j", "c")
                look(page, "rows")
                press("Enter")
                page.wait_for_selector(".details")
                look(page, "recording")
                page.click(".recording .play")
                plays(page, 0.1)
                page.click(".recording .play")
                kept_and_shown(page)
                page.click(".recording .how summary")
                look(page, "sonogram")
                press("Escape")
                page.focus(".grid")
                press("j", "c")
                page.click(".views >> text=Compare")
                page.locator(".compared .play").last.click()
                sonograms_are_there(page, 2)
                kept_and_shown(page, ".compared")
                look(page, "compare")
                view(page, "Map")
                look(page, "map")
                view(page, "Charts")
                look(page, "charts")
                page.click(".chart .numbers summary >> nth=0")
                look(page, "numbers")
                page.click(".views >> text=Rows")
                for name in ("Columns", "Export") if width > 640 else ("Export",):
                    page.click(f".tools-line >> text={name}")
                    page.wait_for_selector("dialog :is(.choices, tbody)")
                    look(page, name.lower())
                    press("Escape")
                page.click(".to-keys")
                look(page, "keys")
                press("Escape")
                if width < 800:
                    page.click(".to-lists")
                    look(page, "lists")
                page.click(".lists li.open >> text=Forget")
                page.wait_for_selector("dialog")
                look(page, "forget")
                page.click("dialog >> text=Keep it")
                page.fill("#search", "q:A mnth:5")
                page.wait_for_selector("#fault .pointer")
                below = page.evaluate(BELOW_FAULT)
                assert below >= 0, f"the fault covers {-below} px"
                look(page, "fault")
