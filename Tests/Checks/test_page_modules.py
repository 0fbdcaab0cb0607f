"""The modules of the page in Chromium, alone: they are answered with the headers of the server, from the checkout.

What they ask a server for is answered here, so that a list can have a million rows.
"""

import base64
import contextlib
import gzip
import math

import pytest

from page import HOSTILE, PAGE, Tab, equal, wave


@pytest.fixture
def tab(browser):
    with contextlib.closing(Tab(browser)) as tab:
        yield tab


# MARK: State and drawing


def test_addresses_are_the_state(tab):
    states = [
        {}, {"search": "q:A sp:\"turdus merula\" ü & = + #%"}, {"list": {"source": "gbif", "query": "in:a:b c"}, "sort": ["-eventDate", "quality"]},
        {"view": "map", "viewport": [52.5, -13.25, 4]}, {"view": "compare", "compare": ["xeno-canto/1", "gbif/a b/c"], "row": "xeno-canto/1", "at": 750_000},
    ]
    for state in states:
        found = tab.run("const { initial, fromAddress, toAddress } = await import('/p/state.js');"
                        "const state = { ...initial, ...value }; const back = fromAddress(new URL(toAddress(state), location.href).search);"
                        "return [back, Object.fromEntries(Object.keys(back).map((key) => [key, state[key]]))]", state)
        equal(found[0], found[1], "the state of its own address")
    equal(tab.run("const { fromAddress } = await import('/p/state.js'); return fromAddress(value)", "?view=x&at=-5&map=1,2&list=none")
          | {"search": ""}, {"list": None, "search": "", "sort": [], "view": "rows", "row": None, "at": 0, "compare": [],
              "copies": False, "viewport": None}, "an odd address")
    asks = "const { initial, selection } = await import('/p/state.js'); return selection({ ...initial, ...value[0] }, value[1]).toString()"
    for state, more, wanted in (
            ({"search": "wren"}, {"ranked": True}, "q=wren&sort=rank"), ({"search": "wren"}, {}, "q=wren"), ({}, {"ranked": True}, ""),
            ({"search": "wren", "sort": ["-eventDate"]}, {"ranked": True}, "q=wren&sort=-eventDate")):
        equal(tab.run(asks, [state, more]), wanted, "what is asked")


def test_the_five_states(tab):
    list_, other = {"source": "sample", "query": "song"}, {"source": "sample", "query": "call"}
    stored = lambda rows, following: {**list_, "rows": rows, "next": following}
    load = lambda state: {"load": 1, "kind": "fetch", "state": state, "error": {"message": "no"} if state == "failed" else None, **list_}
    cases = [
        ("loading", {"list": list_, "queries": [], "loads": [load("running")]}),
        ("unknown", {"list": list_, "queries": [], "loads": []}),
        ("error", {"list": list_, "queries": [], "loads": [load("failed")]}),
        ("paging", {"list": list_, "queries": [stored(50, 2)], "loads": [load("done")], "count": 50}),
        ("paging", {"list": list_, "queries": [stored(50, 2)], "loads": [load("running")], "count": 50}),
        ("populated", {"list": list_, "queries": [stored(60, None)], "loads": [], "count": 60}),
        ("empty", {"list": list_, "queries": [stored(0, None)], "loads": [load("done")], "count": 0}),
        ("empty", {"list": list_, "queries": [], "loads": [load("done")], "count": 0}),
        ("error", {"list": list_, "queries": [stored(50, 2)], "loads": [load("failed")], "count": 50}),
        ("paging", {"list": list_, "queries": [stored(50, 2)], "loads": [{**load("failed"), **other}], "count": 50}),
        ("populated", {"queries": [], "loads": [], "count": 7}),
        ("empty", {"queries": [], "loads": [], "count": 0}),
    ]
    for name, state in cases:
        found = tab.run("const { initial, tableState } = await import('/p/state.js'); return tableState({ ...initial, ...value })", state)
        equal(found["name"], name, f"the state of {state}")
        if name == "error":
            equal(found["count"], state.get("count", 0), "rows that a failure leaves")


def test_hostile_text_is_text(tab):
    found = tab.run("""
        const { draw, h, outside } = await import('/p/dom.js')
        const here = document.getElementById('here')
        draw(here, value.map((text) => h('p', { title: text }, text, outside(text, text))))
        return [[...here.children].map((child) => [child.getAttribute('title'), child.firstChild.data]), here.querySelectorAll('img, script, svg, a').length, document.title]
    """, HOSTILE)
    equal(found, [[[text, text] for text in HOSTILE], 0, ""], "drawn texts")


def test_drawing_keeps_what_stays(tab):
    found = tab.run("""
        const { draw, h, island } = await import('/p/dom.js')
        const here = document.getElementById('here'), log = []
        const start = (element, values) => (log.push(`start ${values}`), { update: (next) => log.push(`update ${next}`), stop: () => log.push('stop') })
        const view = (keys, values) => keys.map((key) => key === 'island' ? island('div', key, {}, start, values) : h('input', { key, id: key }))
        draw(here, view(['a', 'b', 'island'], 1))
        const b = here.children[1]
        b.value = 'typed'
        b.focus()
        draw(here, view(['b', 'c', 'island'], 2))
        const kept = here.children[0] === b && document.activeElement === b && b.value === 'typed'
        draw(here, [h('section', null, view(['island'], 3))])
        draw(here, [])
        return [kept, log, here.childNodes.length]
    """)
    equal(found, [True, ["start 1", "update 2", "stop", "start 3", "stop"], 0], "what was drawn")


# MARK: Rows


def rows_of(count):
    """A server with that many rows, each named by its position."""

    def answer(path, query):
        equal(path, "/api/chirper/rows", "path")
        offset, limit = int(query["offset"][0]), int(query["limit"][0])
        rows = [{"catalogue": "sample", "id": str(n), "vernacularName": f"Bird {n}", "audio": False} for n in range(offset, min(offset + limit, count))]
        return {"version": "1", "rows": count, "searched": count, "offset": offset, "returned": len(rows), "recordings": rows}

    return answer


GRID = """
    const { Rows, startGrid } = await import('/p/rows.js')
    const { chosenColumns, fieldsOf } = await import('/p/columns.js')
    const { draw, h } = await import('/p/dom.js')
    const here = document.getElementById('here')
    const scroller = document.createElement('div')
    scroller.className = 'grid'
    scroller.tabIndex = 0
    scroller.setAttribute('role', 'grid')
    here.append(scroller)
    const values = { columns: chosenColumns(), sort: [], active: 0, picked: new Map(), compared: [], kept: new Set(), fresh: new Set(), playing: null, shown: null, first: value ?? 0 }
    const nothing = () => {}
    const rows = new Rows(() => grid.update(state()), nothing)
    const state = () => ({ ...values, rows, onActive: (active) => ((values.active = active), grid.update(state())), onOpen: nothing, onPick: nothing, onPlay: nothing, onCompare: nothing, onSort: nothing, onRest: (at) => (window.at = at), onEnd: () => (window.ends = (window.ends ?? 0) + 1) })
    const grid = startGrid(scroller, state())
    rows.select(new URLSearchParams(), fieldsOf(values.columns), values.first, true)
    window.seen = () => [...document.querySelectorAll('.body .row:not([hidden])')].map((row) => ({ name: row.children[2].firstChild.data, top: row.getBoundingClientRect().top, bottom: row.getBoundingClientRect().bottom, row: Number(row.getAttribute('aria-rowindex')) - 2, waiting: row.classList.contains('waiting') }))
      .filter(({ top, bottom }) => bottom > scroller.getBoundingClientRect().top + 30 && top < scroller.getBoundingClientRect().bottom).sort((a, b) => a.top - b.top)
    // The grid says where it rests some time after the last scroll.
    window.isAtRest = () => {
      const [row] = seen()
      const top = scroller.querySelector('.head').getBoundingClientRect().bottom
      return row && Math.abs(row.row + (top - row.top) / (row.bottom - row.top) - (window.at ?? values.first)) < 0.52
    }
    scroller.focus()
"""


def settled(tab):
    """Rows in sight when the scroll rests and all of them are known; each next to the one before, without a gap."""
    # A scroll is known to the page in the frame after it.
    tab.run("await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
    tab.page.wait_for_function("() => isAtRest() && seen().length > 0 && seen().every(({ waiting }) => !waiting)")
    rows = tab.run("return seen()")
    for before, after in zip(rows, rows[1:]):
        equal(after["row"], before["row"] + 1, "the next row")
        assert abs(after["top"] - before["bottom"]) < 1.01, f"a gap between {before} and {after}"
    for row in rows:
        equal(row["name"], f"Bird {row['row']}", "the row at a position")
    return rows


def test_a_million_rows(browser):
    for density in (1, 3):
        tab = Tab(browser, rows_of(1_000_000), width=1000, height=600, density=density)
        tab.run("document.getElementById('here').className = 'table'; document.getElementById('here').style.height = '600px'; " + GRID)
        equal(settled(tab)[0]["row"], 0, "the first row")
        tab.page.keyboard.press("End")
        equal(settled(tab)[-1]["row"], 999_999, "the last row after End")
        tab.page.keyboard.press("Home")
        equal(settled(tab)[0]["row"], 0, "the first row after Home")

        # The thumb of the scroll bar is drawn to three quarters.
        tab.run("const grid = document.querySelector('.grid'); grid.scrollTop = (grid.scrollHeight - grid.clientHeight) * .75")
        first = settled(tab)[0]["row"]
        assert 749_000 < first < 751_000, f"row {first} at three quarters"
        # One notch of a wheel moves by pixels there, too.
        tab.page.mouse.move(500, 300)
        for _ in range(5):
            top = tab.run("return document.querySelector('.grid').scrollTop")
            tab.page.mouse.wheel(0, 100)
            tab.page.wait_for_function("([top, first]) => document.querySelector('.grid').scrollTop !== top && seen()[0].row !== first", arg=[top, first])
            after = settled(tab)[0]["row"]
            assert 1 <= after - first <= 3, f"a notch moves from row {first} to {after}"
            first = after
        asked = len(tab.asked)
        # Without a break between them, however busy the machine is.
        tab.run("const grid = document.querySelector('.grid'); for (let n = 0; n < 60; n++) { grid.scrollTop -= 4000; grid.dispatchEvent(new Event('scroll')) }")
        assert settled(tab)[0]["row"] < first - 6000
        assert len(tab.asked) - asked <= 3, f"{len(tab.asked) - asked} requests while rows flew past"

        # The row with the keyboard's mark is in the document wherever the scroll bar is.
        equal(tab.run("const id = document.querySelector('.grid').getAttribute('aria-activedescendant'); return [Number(document.getElementById(id).getAttribute('aria-rowindex')), document.querySelector('.grid').getAttribute('aria-rowcount')]"),
              [2, "1000001"], "the active row, and the rows that a screen reader counts")
        assert tab.run("return document.querySelectorAll('.row').length") < 80
        for _ in range(4):
            tab.page.keyboard.press("j")
        tab.page.keyboard.press("k")
        equal(tab.run("const id = document.querySelector('.grid').getAttribute('aria-activedescendant'); return document.getElementById(id).children[2].firstChild.data"), "Bird 3", "j j j j k")
        settled(tab)
        tab.close()


def test_rows_begin_where_the_address_says(browser):
    for density in (1, 3):
        for width, height in ((400, "94px"), (1000, "42px")):
            tab = Tab(browser, rows_of(1_000_000), width=width, height=600, density=density)
            tab.run("document.getElementById('here').className = 'table'; document.getElementById('here').style.height = '600px'; " + GRID, 750_000)
            equal(settled(tab)[0]["row"], 750_000, "the first row in sight")
            equal(tab.run("return getComputedStyle(document.querySelector('.body .row')).height"), height, "the height of a row, and of a card")
            tab.close()


# MARK: Sound


SONOGRAM = """
    const { decode, sampleRate } = await import('/p/sound.js')
    const { Analysis, startSonogram, defaultSettings } = await import('/p/sonogram.js')
    const bytes = Uint8Array.from(atob(value.file), (letter) => letter.charCodeAt(0)).buffer
    const known = sampleRate(bytes)
    const decoded = await decode(bytes)
    const here = document.getElementById('here')
    here.className = 'sonogram'
    here.style.cssText = 'width:844px;height:428px;position:relative'
    const begin = performance.now()
    const sonogram = startSonogram(here, { analysis: new Analysis(decoded), settings: { ...defaultSettings, ...value.settings }, view: value.view, longest: decoded.duration, sound: null, stretch: null, label: 'x', onView() {}, onSeek() {}, onStretch() {} })
    while (here.dataset.tiles !== '0') await new Promise((done) => setTimeout(done, 5))
    const took = performance.now() - begin
    const canvas = here.querySelector('canvas')
    const context = canvas.getContext('2d')
    const all = context.getImageData(0, 6, canvas.width, 400)
    const darkest = (seconds) => {
      const x = Math.round(44 + ((seconds - value.view.start) / (value.view.end - value.view.start)) * 800)
      const shades = [...Array(400).keys()].map((line) => all.data[4 * (line * all.width + x)])
      const lines = [...shades.keys()].filter((line) => shades[line] === Math.min(...shades))
      return [(lines[0] + lines.at(-1)) / 2, Math.max(...shades)]
    }
    return { known, rate: decoded.rate, duration: decoded.duration, took, found: value.at.map(darkest) }
"""


def sonogram_of(browser, samples, rate, view, at, settings):
    tab = Tab(browser)
    found = tab.run(SONOGRAM, {"file": base64.b64encode(wave(samples, rate)).decode(), "view": {"start": view[0], "end": view[1]}, "at": at, "settings": settings})
    tab.close()
    equal((found["known"], found["rate"]), (rate, rate), "the file's own rate")
    return found


def test_a_tone_is_where_it_must_be(browser):
    for rate, size, low, high in ((48_000, 512, 0, 12), (44_100, 512, 0, 12), (48_000, 1024, 0, None), (22_050, 256, 0, 11.025), (192_000, 1024, 10, 90)):
        top = (high or rate / 2000) * 1000
        for tone in (0.21, 0.5, 0.83):
            hertz = low * 1000 + (top - low * 1000) * tone
            samples = [0.5 * math.sin(2 * math.pi * hertz * n / rate) for n in range(rate)]
            found = sonogram_of(browser, samples, rate, (0, 1), [0.25, 0.5, 0.75], {"size": size, "low": low, "high": high})
            for line, lightest in found["found"]:
                frequency = top - (line + 0.5) / 400 * (top - low * 1000)
                assert abs(frequency - hertz) <= rate / size + (top - low * 1000) / 400, f"{hertz} Hz is drawn at {frequency} Hz ({rate}, {size})"
                equal(lightest, 255, "silence is white")


def test_a_sweep_is_where_it_must_be(browser):
    rate, seconds, low, high = 48_000, 4, 1_000, 9_000
    samples = [0.5 * math.sin(2 * math.pi * (low * t + (high - low) * t * t / 2 / seconds)) for t in (n / rate for n in range(rate * seconds))]
    for view, at in (((0, 4), [0.5, 1, 2, 3, 3.5]), ((1.5, 2.5), [1.6, 2, 2.4]), ((2, 2.2), [2.05, 2.15])):
        found = sonogram_of(browser, samples, rate, view, at, {})
        for time, (line, _) in zip(at, found["found"]):
            frequency, hertz = 12_000 - (line + 0.5) / 400 * 12_000, low + (high - low) * time / seconds
            assert abs(frequency - hertz) <= 1.5 * rate / 512, f"{hertz} Hz at {time} s is drawn at {frequency} Hz"


# MARK: Map


def test_the_map_is_where_it_must_be(tab):
    found = tab.run("""
        const { clusters, fitting, projection } = await import('/p/map.js')
        const { coast } = await import('/p/coast.js')
        const points = value.map((place, index) => [...place, null, `a/${index}`])
        const at = projection(fitting(points, 800, 500), 800, 500)
        const seen = points.map(([latitude, longitude]) => [at.x(longitude), at.y(latitude)])
        const back = points.map(([latitude, longitude]) => [at.latitude(at.y(latitude)), at.longitude(at.x(longitude))])
        const far = coast.flat()
        return { seen, back, total: clusters(points, at).reduce((sum, { count }) => sum + count, 0), lines: coast.length, outside: far.filter(([longitude, latitude]) => Math.abs(longitude) > 180 || Math.abs(latitude) > 90).length,
          // Somewhere on the coast of Iceland, and of Tasmania.
          near: [[-22, 64], [146.8, -43.6]].map(([longitude, latitude]) => Math.min(...far.map(([x, y]) => Math.hypot(x - longitude, y - latitude)))) }
    """, [[52.5, 13.4], [52.51, 13.41], [-33.9, 151.2], [64.1, -21.9], [0, 0]])
    for (x, y), place, back in zip(found["seen"], [[52.5, 13.4], [52.51, 13.41], [-33.9, 151.2], [64.1, -21.9], [0, 0]], found["back"]):
        assert 0 <= x <= 800 and 0 <= y <= 500, f"{place} is drawn at {x}, {y}"
        assert max(abs(a - b) for a, b in zip(place, back)) < 1e-9, f"{place} comes back as {back}"
    equal((found["total"], found["outside"]), (5, 0), "points in clusters, and coasts off the earth")
    assert found["lines"] > 200 and max(found["near"]) < 1, found


def test_the_files_are_small():
    sent = sum(len(gzip.compress(file.read_bytes())) for file in PAGE.iterdir())
    assert sent <= 100_000, f"{sent} bytes over the wire"
