"""The modules of the page in Chromium, alone, from the checkout, with the headers of the server.

What they ask a server for is answered here, so that a list can have a million rows.
"""

import base64
import contextlib
import gzip
import math
import random

import pytest

from page import HOSTILE, PAGE, Tab, equal, wait, wave


@pytest.fixture
def tab(browser):
    with contextlib.closing(Tab(browser)) as tab:
        yield tab


# MARK: State and drawing


ODD_ADDRESS = "?view=x&at=-5&map=1,2&list=none"
# What is shown for it.
USUAL = {
    "list": None,
    "search": "",
    "sort": [],
    "view": "rows",
    "row": None,
    "at": 0,
    "compare": [],
    "round": [],
    "copies": False,
    "viewport": None,
}
STATES = [
    {},
    {"search": "q:A sp:\"turdus merula\" ü & = + #%"},
    {"list": {"source": "gbif", "query": "in:a:b c"}, "sort": ["-eventDate", "quality"]},
    {"view": "map", "viewport": [52.5, -13.25, 4]},
    {"view": "learn", "round": ["xeno-canto/1", "gbif/a b/c"]},
    {
        "view": "compare",
        "compare": ["xeno-canto/1", "gbif/a b/c"],
        "row": "xeno-canto/1",
        "at": 750_000,
    },
]
# The state of the address of a state, and what that state has of it.
BACK = """
    const { initial, fromAddress, toAddress } = await import('/p/state.js')
    const state = { ...initial, ...value }
    const back = fromAddress(new URL(toAddress(state), location.href).search)
    return [back, Object.fromEntries(Object.keys(back).map((key) => [key, state[key]]))]
"""
FROM_ADDRESS = """
    const { fromAddress } = await import('/p/state.js')
    return fromAddress(value)
"""
SELECTION = """
    const { initial, selection } = await import('/p/state.js')
    return selection({ ...initial, ...value[0] }, value[1]).toString()
"""


def test_addresses_are_the_state(tab):
    for state in STATES:
        back, known = tab.run(BACK, state)
        equal(back, known, "the state of its own address")
    found = tab.run(FROM_ADDRESS, ODD_ADDRESS)
    equal(found | {"search": ""}, USUAL, "an odd address")
    ranked = {"ranked": True}
    by_date = {"search": "wren", "sort": ["-eventDate"]}
    for state, more, wanted in [
            ({"search": "wren"}, ranked, "q=wren&sort=rank"),
            ({"search": "wren"}, {}, "q=wren"),
            ({}, ranked, ""),
            (by_date, ranked, "q=wren&sort=-eventDate")]:
        equal(tab.run(SELECTION, [state, more]), wanted, "what is asked")


SONG = {"source": "sample", "query": "song"}
CALL = {"source": "sample", "query": "call"}


def load(state, of=SONG):
    error = {"message": "no"} if state == "failed" else None
    return {"load": 1, "kind": "fetch", "state": state, "error": error, **of}


PAGED = {"list": SONG, "queries": [{**SONG, "rows": 50, "next": 2}], "count": 50}
WHOLE = {"list": SONG, "queries": [{**SONG, "rows": 60, "next": None}], "count": 60}
NOTHING = {"list": SONG, "queries": [{**SONG, "rows": 0, "next": None}], "count": 0}
NOT_STORED = {"list": SONG, "queries": []}
CASES = [
    ("loading", {**NOT_STORED, "loads": [load("running")]}),
    ("unknown", {**NOT_STORED, "loads": []}),
    ("error", {**NOT_STORED, "loads": [load("failed")]}),
    ("paging", {**PAGED, "loads": [load("done")]}),
    ("paging", {**PAGED, "loads": [load("running")]}),
    ("populated", {**WHOLE, "loads": []}),
    ("empty", {**NOTHING, "loads": [load("done")]}),
    ("empty", {**NOT_STORED, "loads": [load("done")], "count": 0}),
    ("error", {**PAGED, "loads": [load("failed")]}),
    ("paging", {**PAGED, "loads": [load("failed", CALL)]}),
    ("populated", {"queries": [], "loads": [], "count": 7}),
    ("empty", {"queries": [], "loads": [], "count": 0}),
]
TABLE_STATE = """
    const { initial, tableState } = await import('/p/state.js')
    return tableState({ ...initial, ...value })
"""


def test_the_five_states(tab):
    for name, state in CASES:
        found = tab.run(TABLE_STATE, state)
        equal(found["name"], name, f"the state of {state}")
        if name == "error":
            equal(found["count"], state.get("count", 0), "rows that a failure leaves")


def test_hostile_text_is_text(tab):
    found = tab.run("""
        const { draw, h, outside } = await import('/p/dom.js')
        const here = document.getElementById('here')
        draw(here, value.map((text) => h('p', { title: text }, text, outside(text, text))))
        const texts = [...here.children]
            .map((child) => [child.getAttribute('title'), child.firstChild.data])
        return [texts, here.querySelectorAll('img, script, svg, a').length, document.title]
    """, HOSTILE)
    equal(found, [[[text, text] for text in HOSTILE], 0, ""], "drawn texts")


def test_drawing_keeps_what_stays(tab):
    found = tab.run("""
        const { draw, h, island } = await import('/p/dom.js')
        const here = document.getElementById('here')
        const log = []
        const start = (element, values) => {
            log.push(`start ${values}`)
            return { update: (next) => log.push(`update ${next}`), stop: () => log.push('stop') }
        }
        const view = (keys, values) => keys.map((key) =>
            key === 'island' ? island('div', key, {}, start, values) : h('input', { key, id: key }))
        draw(here, view(['a', 'b', 'island'], 1))
        const b = here.children[1]
        b.value = 'typed'
        b.focus()
        draw(here, view(['b', 'c', 'island'], 2))
        const isKept = here.children[0] === b && document.activeElement === b
        const isTyped = b.value === 'typed'
        draw(here, [h('section', null, view(['island'], 3))])
        draw(here, [])
        return [isKept && isTyped, log, here.childNodes.length]
    """)
    equal(found, [True, ["start 1", "update 2", "stop", "start 3", "stop"], 0], "what was drawn")


@pytest.mark.parametrize("order", ["bca", "cab", "xcyba", "bc"])
def test_what_has_the_focus_keeps_it_in_every_order(tab, order):
    found = tab.run("""
        const { draw, h } = await import('/p/dom.js')
        const here = document.getElementById('here')
        const show = (keys) =>
            draw(here, [...keys].map((key) => h('p', { key }, h('button', null, key))))
        show('abc')
        const focused = here.children[1].firstChild
        focused.focus()
        let lost = 0
        focused.onblur = () => (lost += 1)
        show(value)
        return [document.activeElement === focused, lost, here.innerText.replaceAll(/\\s/g, '')]
    """, order)
    equal(found, [True, 0, order], "the focus, how often it was lost, and what is shown")


def test_a_choice_has_its_value_from_the_first_moment(tab):
    found = tab.run("""
        const { choice, draw } = await import('/p/dom.js')
        const here = document.getElementById('here')
        draw(here, [choice('b', [['a', 'A'], ['b', 'B']], () => {})])
        return here.firstChild.value
    """)
    equal(found, "b", "what is chosen")


# MARK: Rows


def rows_of(count):
    """A server with that many rows, each named by its position."""
    def answer(path, query):
        equal(path, "/api/chirper/rows", "path")
        offset = int(query["offset"][0])
        end = min(offset + int(query["limit"][0]), count)
        common = {"catalogue": "sample", "audio": False}
        return {
            "version": "1",
            "rows": count,
            "searched": count,
            "offset": offset,
            "returned": end - offset,
            "recordings": [
                {"id": str(n), "vernacularName": f"Bird {n}", **common}
                for n in range(offset, end)],
        }

    return answer


GRID = """
    const { Rows, startGrid } = await import('/p/rows.js')
    const { chosenColumns, fieldsOf } = await import('/p/columns.js')
    const here = document.getElementById('here')
    here.className = 'table'
    here.style.height = '600px'
    const scroller = document.createElement('div')
    scroller.className = 'grid'
    scroller.tabIndex = 0
    scroller.setAttribute('role', 'grid')
    here.append(scroller)
    const nothing = () => {}
    const rows = new Rows(() => grid.update(state()), nothing)
    const values = {
        columns: chosenColumns(),
        sort: [],
        active: 0,
        picked: new Map(),
        compare: [],
        kept: new Set(),
        freshKeys: new Set(),
        playing: null,
        row: null,
        at: value ?? 0,
        rows,
        onOpen: nothing,
        onPick: nothing,
        onPlay: nothing,
        onCompare: nothing,
        onSort: nothing,
        onRest: (at) => (window.at = at),
        onEnd: nothing,
        onActive: (active) => {
            values.active = active
            grid.update(state())
        },
    }
    const state = () => ({ ...values })
    const grid = startGrid(scroller, state())
    rows.select(new URLSearchParams(), fieldsOf(values.columns), values.at, true)
    window.seen = () => {
        const around = scroller.getBoundingClientRect()
        const found = [...document.querySelectorAll('.body .row:not([hidden])')].map((row) => {
            const { top, bottom } = row.getBoundingClientRect()
            return {
                name: row.children[2].firstChild.data,
                top,
                bottom,
                row: Number(row.getAttribute('aria-rowindex')) - 2,
                waiting: row.classList.contains('waiting'),
            }
        })
        return found
            .filter(({ top, bottom }) => bottom > around.top + 30 && top < around.bottom)
            .sort((a, b) => a.top - b.top)
    }
    // The grid says where it rests some time after the last scroll.
    window.isAtRest = () => {
        const [row] = seen()
        if (!row) return false
        const top = scroller.querySelector('.head').getBoundingClientRect().bottom
        const first = row.row + (top - row.top) / (row.bottom - row.top)
        return Math.abs(first - (window.at ?? values.at)) < 0.52
    }
    scroller.focus()
"""


def settled(tab):
    """Rows in sight when the scroll rests and all of them are known; each next to the one before,
    without a gap."""
    # A scroll is known to the page in the frame after it.
    tab.run("await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
    are_known = "seen().length > 0 && seen().every(({ waiting }) => !waiting)"
    wait(tab.page, f"isAtRest() && {are_known}")
    rows = tab.run("return seen()")
    for before, after in zip(rows, rows[1:]):
        equal(after["row"], before["row"] + 1, "the next row")
        assert abs(after["top"] - before["bottom"]) < 1.01, f"a gap between {before} and {after}"
    for row in rows:
        equal(row["name"], f"Bird {row['row']}", "the row at a position")
    return rows


TO_THREE_QUARTERS = """
    const grid = document.querySelector('.grid')
    grid.scrollTop = (grid.scrollHeight - grid.clientHeight) * .75
"""
# Without a break between them, however busy the machine is.
FLY = """
    const grid = document.querySelector('.grid')
    for (let n = 0; n < 60; n++) {
        grid.scrollTop -= 4000
        grid.dispatchEvent(new Event('scroll'))
    }
"""
# The row with the keyboard's mark, which is in the document wherever the scroll bar is.
ACTIVE = """
    const grid = document.querySelector('.grid')
    const row = document.getElementById(grid.getAttribute('aria-activedescendant'))
    return [Number(row.getAttribute('aria-rowindex')), row.children[2].firstChild.data]
"""


@pytest.mark.parametrize("density", [1, 3])
def test_a_million_rows(browser, density):
    tab = Tab(browser, rows_of(1_000_000), width=1000, height=600, density=density)
    tab.run(GRID)
    equal(settled(tab)[0]["row"], 0, "the first row")
    tab.page.keyboard.press("End")
    equal(settled(tab)[-1]["row"], 999_999, "the last row after End")
    tab.page.keyboard.press("Home")
    equal(settled(tab)[0]["row"], 0, "the first row after Home")

    # The thumb of the scroll bar is drawn to three quarters.
    tab.run(TO_THREE_QUARTERS)
    first = settled(tab)[0]["row"]
    assert 749_000 < first < 751_000, f"row {first} at three quarters"
    # One notch of a wheel moves by pixels there, too.
    tab.page.mouse.move(500, 300)
    for _ in range(5):
        top = tab.run("return document.querySelector('.grid').scrollTop")
        tab.page.mouse.wheel(0, 100)
        has_moved = "document.querySelector('.grid').scrollTop !== value[0]"
        wait(tab.page, f"{has_moved} && seen()[0].row !== value[1]", [top, first])
        after = settled(tab)[0]["row"]
        assert 1 <= after - first <= 3, f"a notch moves from row {first} to {after}"
        first = after
    before = len(tab.asked)
    tab.run(FLY)
    assert settled(tab)[0]["row"] < first - 6000
    asked = len(tab.asked) - before
    assert asked <= 3, f"{asked} requests while rows flew past"

    equal(tab.run(ACTIVE)[0], 2, "the active row")
    count = tab.page.get_attribute(".grid", "aria-rowcount")
    equal(count, "1000001", "the rows that a screen reader counts")
    assert tab.run("return document.querySelectorAll('.row').length") < 80
    for key in "jjjjk":
        tab.page.keyboard.press(key)
    equal(tab.run(ACTIVE)[1], "Bird 3", "j j j j k")
    settled(tab)
    tab.close()


@pytest.mark.parametrize("density", [1, 3])
@pytest.mark.parametrize("width, height", [(400, "94px"), (1000, "42px")])
def test_rows_begin_where_the_address_says(browser, density, width, height):
    tab = Tab(browser, rows_of(1_000_000), width=width, height=600, density=density)
    tab.run(GRID, 750_000)
    equal(settled(tab)[0]["row"], 750_000, "the first row in sight")
    found = tab.run("return getComputedStyle(document.querySelector('.body .row')).height")
    equal(found, height, "the height of a row, and of a card")
    tab.close()


# MARK: Sound


# The rate of a file, and at each of some moments where the darkest line is, from the top, and the
# darkest, the lightest and the usual shade.
SONOGRAM = """
    const { decode, sampleRate } = await import('/p/sound.js')
    const { Analysis, startSonogram, defaultSettings } = await import('/p/sonogram.js')
    const bytes = Uint8Array.from(atob(value.file), (letter) => letter.charCodeAt(0)).buffer
    const known = sampleRate(bytes)
    const decoded = await decode(bytes)
    const here = document.getElementById('here')
    here.className = 'sonogram'
    here.style.cssText = 'width:844px;height:428px;position:relative'
    const { start, end } = value.view
    startSonogram(here, {
        analysis: new Analysis(decoded),
        settings: { ...defaultSettings, ...value.settings },
        view: value.view,
        longest: decoded.duration,
        sound: null,
        stretch: null,
        label: 'x',
        onView() {},
        onSeek() {},
        onStretch() {},
    })
    while (here.dataset.tiles !== '0') await new Promise((done) => setTimeout(done, 5))
    const canvas = here.querySelector('canvas')
    const all = canvas.getContext('2d').getImageData(0, 6, canvas.width, 400)
    const darkest = (seconds) => {
        const x = Math.round(44 + ((seconds - start) / (end - start)) * 800)
        const shades = [...Array(400).keys()].map((line) => all.data[4 * (line * all.width + x)])
        const least = Math.min(...shades)
        const line = (shades.indexOf(least) + shades.lastIndexOf(least)) / 2
        return { line, least, most: Math.max(...shades), usual: shades.sort((a, b) => a - b)[200] }
    }
    return { rates: [known, decoded.rate], lines: value.at.map(darkest) }
"""


def sonogram_of(browser, samples, rate, view, at, scheme="light", **settings):
    tab = Tab(browser)
    tab.page.emulate_media(color_scheme=scheme)
    found = tab.run(SONOGRAM, {
        "file": base64.b64encode(wave(samples, rate)).decode(),
        "view": {"start": view[0], "end": view[1]},
        "at": at,
        "settings": settings,
    })
    tab.close()
    equal(found["rates"], [rate, rate], "the file's own rate")
    return found["lines"]


@pytest.mark.parametrize("rate, size, low, high", [
    (48_000, 512, 0, 12), (44_100, 512, 0, 12), (48_000, 1024, 0, None), (22_050, 256, 0, 11.025),
    (192_000, 1024, 10, 90)])
def test_a_tone_is_where_it_must_be(browser, rate, size, low, high):
    bottom = low * 1000
    span = (high or rate / 2000) * 1000 - bottom
    for tone in (0.21, 0.5, 0.83):
        hertz = bottom + span * tone
        samples = [0.5 * math.sin(2 * math.pi * hertz * n / rate) for n in range(rate)]
        settings = {"size": size, "low": low, "high": high}
        for shades in sonogram_of(
                browser, samples, rate, (0, 1), [0.25, 0.5, 0.75], **settings):
            found = bottom + span * (1 - (shades["line"] + 0.5) / 400)
            assert abs(found - hertz) <= rate / size + span / 400, f"{hertz} Hz is at {found} Hz"
            equal(shades["most"], 255, "silence is white")


def test_a_sweep_is_where_it_must_be(browser):
    rate, seconds, low, high = 48_000, 4, 1_000, 9_000
    faster = (high - low) / seconds
    moments = [n / rate for n in range(rate * seconds)]
    phases = [2 * math.pi * (low + faster * t / 2) * t for t in moments]
    samples = [0.5 * math.sin(phase) for phase in phases]
    for view, at in [
            ((0, 4), [0.5, 1, 2, 3, 3.5]),
            ((1.5, 2.5), [1.6, 2, 2.4]),
            ((2, 2.2), [2.05, 2.15])]:
        for time, shades in zip(at, sonogram_of(browser, samples, rate, view, at)):
            hertz = low + faster * time
            found = 12_000 * (1 - (shades["line"] + 0.5) / 400)
            assert abs(found - hertz) <= 1.5 * rate / 512, f"{hertz} Hz is at {found} Hz"


def test_a_dark_page_has_a_dark_sonogram(browser):
    samples = [0.5 * math.sin(2 * math.pi * 3_000 * n / 22_050) for n in range(22_050)]
    [shades] = sonogram_of(browser, samples, 22_050, (0, 1), [0.5], scheme="dark", high=11.025)
    assert shades["usual"] < 25 and shades["most"] > 230, shades


# In a window of 512 samples the noise at a frequency is 64 and 44 decibels below the tone.
@pytest.mark.parametrize("noise", [0.003, 0.03])
def test_noise_is_white_and_a_song_in_it_dark(browser, noise):
    rate, numbers = 22_050, random.Random(1)
    samples = []
    for n in range(4 * rate):
        # A tone of 3 kHz in the second half of each second, 20 dB weaker in the quarter before.
        loud = 0.5 if n % rate > rate / 2 else 0.05 if n % rate > rate / 4 else 0
        tone = loud * math.sin(2 * math.pi * 3_000 * n / rate)
        samples.append(tone + numbers.gauss(0, noise))
    silent, weak, strong = sonogram_of(
        browser, samples, rate, (0, 4), [1.12, 1.37, 1.75], low=0, high=11.025)
    for shades in (silent, weak, strong):
        assert shades["usual"] > 235, f"noise is grey: {shades}"
    assert silent["least"] > 150, f"noise alone is dark: {silent}"
    assert weak["least"] < 140 and strong["least"] < 20, f"a song is pale: {weak}, {strong}"


# MARK: Map


PLACES = [[52.5, 13.4], [52.51, 13.41], [-33.9, 151.2], [64.1, -21.9], [0, 0]]
# Places, as latitude and longitude, on a map of 800 by 500, and back.
MAP = """
    const { clusters, fitting, projection } = await import('/p/map.js')
    const points = value.map((place, index) => [...place, null, `a/${index}`])
    const at = projection(fitting(points, 800, 500), 800, 500)
    return {
        seen: points.map(([latitude, longitude]) => [at.x(longitude), at.y(latitude)]),
        back: points.map(([latitude, longitude]) =>
            [at.latitude(at.y(latitude)), at.longitude(at.x(longitude))]),
        total: clusters(points, at).reduce((sum, { count }) => sum + count, 0),
    }
"""


def test_the_map_is_where_it_must_be(tab):
    found = tab.run(MAP, PLACES)
    for (x, y), place, back in zip(found["seen"], PLACES, found["back"]):
        assert 0 <= x <= 800 and 0 <= y <= 500, f"{place} is drawn at {x}, {y}"
        assert max(abs(a - b) for a, b in zip(place, back)) < 1e-9, f"{place} comes back as {back}"
    equal(found["total"], 5, "points in clusters")


# How many circles overlap, and how many recordings all have, at each zoom.
APART = """
    const { clusters, projection, radiusOf } = await import('/p/map.js')
    return value.zooms.map((zoom) => {
        const cells = clusters(value.points, projection([50, 10, zoom], 800, 500))
        const doOverlap = (a, b) => Math.hypot(a.x - b.x, a.y - b.y) < radiusOf(a) + radiusOf(b)
        const covered = cells.filter((a) => cells.some((b) => a !== b && doOverlap(a, b)))
        return [covered.length, cells.reduce((sum, { count }) => sum + count, 0)]
    })
"""


def test_no_circle_of_the_map_covers_another(tab):
    numbers = random.Random(1)
    counts = [1, 1, 2, 40, 5_000]
    points = [
        [numbers.gauss(50, 6), numbers.gauss(10, 9), None, None, numbers.choice(counts)]
        for _ in range(1_000)]
    found = tab.run(APART, {"points": points, "zooms": [-1, 1, 3, 4.3, 5, 6.5, 8, 11]})
    total = sum(count for *_, count in points)
    equal(found, [[0, total]] * 8, "circles that overlap, and recordings in all")


# What is drawn at some places, as longitude and latitude, on a map of the world.
LAND = """
    const { projection } = await import('/p/map.js')
    const { drawLand, loadLand } = await import('/p/land.js')
    await loadLand()
    const context = new OffscreenCanvas(1800, 900).getContext('2d', { willReadFrequently: true })
    const at = projection([0, 0, Math.log2(5)], 1800, 900)
    drawLand(context, at, [1800, 900], (name) => (name === '--land' ? '#00f' : '#f00'))
    return value.map(([longitude, latitude]) =>
        [...context.getImageData(at.x(longitude), at.y(latitude), 1, 1).data].join())
"""


def test_land_is_land(tab):
    land, sea = "0,0,255,255", "0,0,0,0"
    places = {
        "Iceland": ([-18.5, 64.9], land),
        "Tasmania": ([146.6, -42], land),
        "Siberia": ([178, 67.5], land),
        "Atlantic": ([-35, 45], sea),
        "Caspian Sea": ([51, 42], sea),
        "Pacific": ([-150, 0], sea),
    }
    found = tab.run(LAND, [place for place, _ in places.values()])
    equal(dict(zip(places, found)), {name: is_ for name, (_, is_) in places.items()}, "the map")


def test_the_files_are_small():
    sizes = {file.name: len(gzip.compress(file.read_bytes(), 6)) for file in PAGE.iterdir()}
    land = sizes.pop("land.json")
    assert land <= 100_000, f"{land} bytes over the wire, once a map is opened"
    assert sum(sizes.values()) <= 100_000, f"{sum(sizes.values())} bytes over the wire"
