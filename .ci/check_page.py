"""Looks at the page of `chirper serve` in a real Chromium: check_page.py CHECKOUT [WORD…] runs the checks whose names have a word.

The first checks are of modules alone: they are answered to the browser with the headers of the server, from the checkout. What they
ask a server for is answered here, so that a list can have a million rows. The others are of the built program, with a catalogue that
is answered here. Nothing waits for a time: a check waits for what must happen, for as long as a busy machine may need.

--screens FOLDER keeps a picture of each state. --files answers the page's files from the checkout, as they are now, and not those
that were built into the program.
"""
import argparse
import base64
import contextlib
import gzip
import http.server
import json
import math
import pathlib
import re
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import threading
import time
import traceback
import urllib.request
from urllib.parse import parse_qs, urlsplit

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import sync_playwright

parser = argparse.ArgumentParser()
parser.add_argument("checkout", type=pathlib.Path)
parser.add_argument("words", nargs="*")
parser.add_argument("--screens", type=pathlib.Path)
parser.add_argument("--files", action="store_true")
OPTIONS = parser.parse_intermixed_args()
CHECKOUT = OPTIONS.checkout
PAGE = CHECKOUT / "Sources/ChirperServer/Page"
PROGRAM = str(CHECKOUT / ".build/debug/chirper")
ORIGIN = "http://page.test"
TYPES = {".js": "text/javascript", ".css": "text/css"}
CHECKS = []
# A background shell ignores it, and so would the servers that are started here.
signal.signal(signal.SIGINT, signal.default_int_handler)


def check(function):
    CHECKS.append(function)
    return function


def equal(found, wanted, what=""):
    assert found == wanted, f"{what}: {found!r} instead of {wanted!r}"


def headers():
    """The policy that the server sends with every answer, read from its source."""
    source = (CHECKOUT / "Sources/ChirperServer/Answer.swift").read_text()
    policy = "".join(re.findall(r'"([^"]*)"', source.split('"Content-Security-Policy",')[1].split(")")[0]))
    assert "require-trusted-types-for" in policy, policy
    return {"Content-Security-Policy": policy, "X-Content-Type-Options": "nosniff"}


def answer_file(route, file):
    route.fulfill(status=200, body=file.read_text(), headers={**headers(), "Content-Type": TYPES[file.suffix] + "; charset=utf-8"})


class Tab:
    """A tab on an empty document of the page's origin, with its modules and style. Anything that the browser complains of fails."""

    def __init__(self, browser, answers=None, width=1280, height=800, density=1):
        self.complaints, self.asked = [], []
        self.context = browser.new_context(viewport={"width": width, "height": height}, device_scale_factor=density)
        self.context.route("**/*", lambda route: self.answer(route, answers))
        self.page = self.context.new_page()
        self.page.on("console", lambda message: self.complaints.append(message.text))
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.goto(ORIGIN)

    def answer(self, route, answers):
        address = urlsplit(route.request.url)
        if f"{address.scheme}://{address.netloc}" != ORIGIN:
            self.complaints.append(f"asks {route.request.url}")
            return route.abort()
        name = address.path.removeprefix("/p/")
        if address.path == "/":
            text = '<!doctype html><link rel="icon" href="data:,"><link rel="stylesheet" href="/p/page.css"><div id="here"></div>'
            return route.fulfill(status=200, body=text, headers={**headers(), "Content-Type": "text/html; charset=utf-8"})
        if (PAGE / name).is_file():
            return answer_file(route, PAGE / name)
        self.asked.append(route.request.url)
        route.fulfill(status=200, body=json.dumps(answers(address.path, parse_qs(address.query))), headers={**headers(), "Content-Type": "application/json"})

    def run(self, body, value=None):
        """What the body of an asynchronous function returns; `value` is what it is given."""
        return self.page.evaluate(f"async (value) => {{ {body} }}", value)

    def close(self):
        self.context.close()
        equal(self.complaints, [], "the browser complains")


# MARK: State and drawing


@check
def addresses_are_the_state(browser):
    tab = Tab(browser)
    states = [
        {}, {"search": "q:A sp:\"turdus merula\" ü & = + #%"}, {"list": {"source": "gbif", "query": "in:a:b c"}, "sort": ["-eventDate", "quality"]},
        {"view": "map", "place": [52.5, -13.25, 4]}, {"view": "compare", "compare": ["xeno-canto/1", "gbif/a b/c"], "row": "xeno-canto/1", "at": 750_000},
    ]
    for state in states:
        found = tab.run("const { initial, fromAddress, toAddress } = await import('/p/state.js');"
                        "const state = { ...initial, ...value }; const back = fromAddress(new URL(toAddress(state), location.href).search);"
                        "return [back, Object.fromEntries(Object.keys(back).map((key) => [key, state[key]]))]", state)
        equal(found[0], found[1], "the state of its own address")
    equal(tab.run("const { fromAddress } = await import('/p/state.js'); return fromAddress(value)", "?view=x&at=-5&map=1,2&list=none")
          | {"search": ""}, {"list": None, "search": "", "sort": [], "view": "rows", "row": None, "at": 0, "compare": [], "place": None}, "an odd address")
    tab.close()


@check
def the_five_states(browser):
    tab = Tab(browser)
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
    tab.close()


HOSTILE = ["<img src=x onerror=alert(1)>", "<script>document.title='x'</script>", "javascript:alert(1)", "\u202eevil", "\"><svg onload=alert(1)>", "{{7*7}}", "a\u0000b"]


@check
def hostile_text_is_text(browser):
    tab = Tab(browser)
    found = tab.run("""
        const { draw, h, outside } = await import('/p/dom.js')
        const here = document.getElementById('here')
        draw(here, value.map((text) => h('p', { title: text }, text, outside(text, text))))
        return [[...here.children].map((child) => [child.getAttribute('title'), child.firstChild.data]), here.querySelectorAll('img, script, svg, a').length, document.title]
    """, HOSTILE)
    equal(found, [[[text, text] for text in HOSTILE], 0, ""], "drawn texts")
    tab.close()


@check
def drawing_keeps_what_stays(browser):
    tab = Tab(browser)
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
    tab.close()


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
    const values = { columns: chosenColumns(), sort: [], active: 0, picked: new Map(), kept: new Set(), fresh: new Set(), playing: null, shown: null, first: value ?? 0 }
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


@check
def a_million_rows(browser):
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


@check
def rows_begin_where_the_address_says(browser):
    for density in (1, 3):
        for width, height in ((400, "58px"), (1000, "34px")):
            tab = Tab(browser, rows_of(1_000_000), width=width, height=600, density=density)
            tab.run("document.getElementById('here').className = 'table'; document.getElementById('here').style.height = '600px'; " + GRID, 750_000)
            equal(settled(tab)[0]["row"], 750_000, "the first row in sight")
            equal(tab.run("return getComputedStyle(document.querySelector('.body .row')).height"), height, "two lines on a phone")
            tab.close()


# MARK: Sound


def wave(samples, rate):
    data = b"".join(struct.pack("<h", round(max(-1, min(1, value)) * 32_767)) for value in samples)
    return b"RIFF" + struct.pack("<I", 36 + len(data)) + b"WAVEfmt " + struct.pack("<IHHIIHH", 16, 1, 1, rate, rate * 2, 2, 16) + b"data" + struct.pack("<I", len(data)) + data


SONOGRAM = """
    const { decode, sampleRate } = await import('/p/sound.js')
    const { Analysis, startSonogram, usualSettings } = await import('/p/sonogram.js')
    const bytes = Uint8Array.from(atob(value.file), (letter) => letter.charCodeAt(0)).buffer
    const known = sampleRate(bytes)
    const decoded = await decode(bytes)
    const here = document.getElementById('here')
    here.className = 'sonogram'
    here.style.cssText = 'width:844px;height:428px;position:relative'
    const begin = performance.now()
    const sonogram = startSonogram(here, { analysis: new Analysis(decoded), settings: { ...usualSettings, ...value.settings }, view: value.view, longest: decoded.duration, sound: null, stretch: null, label: 'x', onView() {}, onSeek() {}, onStretch() {} })
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


@check
def a_tone_is_where_it_must_be(browser):
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


@check
def a_sweep_is_where_it_must_be(browser):
    rate, seconds, low, high = 48_000, 4, 1_000, 9_000
    samples = [0.5 * math.sin(2 * math.pi * (low * t + (high - low) * t * t / 2 / seconds)) for t in (n / rate for n in range(rate * seconds))]
    for view, at in (((0, 4), [0.5, 1, 2, 3, 3.5]), ((1.5, 2.5), [1.6, 2, 2.4]), ((2, 2.2), [2.05, 2.15])):
        found = sonogram_of(browser, samples, rate, view, at, {})
        for time, (line, _) in zip(at, found["found"]):
            frequency, hertz = 12_000 - (line + 0.5) / 400 * 12_000, low + (high - low) * time / seconds
            assert abs(frequency - hertz) <= 1.5 * rate / 512, f"{hertz} Hz at {time} s is drawn at {frequency} Hz"


# MARK: Map


@check
def the_map_is_where_it_must_be(browser):
    tab = Tab(browser)
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
          near: [[-22, 64], [147, -43]].map(([longitude, latitude]) => Math.min(...far.map(([x, y]) => Math.hypot(x - longitude, y - latitude)))) }
    """, [[52.5, 13.4], [52.51, 13.41], [-33.9, 151.2], [64.1, -21.9], [0, 0]])
    for (x, y), place, back in zip(found["seen"], [[52.5, 13.4], [52.51, 13.41], [-33.9, 151.2], [64.1, -21.9], [0, 0]], found["back"]):
        assert 0 <= x <= 800 and 0 <= y <= 500, f"{place} is drawn at {x}, {y}"
        assert max(abs(a - b) for a, b in zip(place, back)) < 1e-9, f"{place} comes back as {back}"
    equal((found["total"], found["outside"]), (5, 0), "points in clusters, and coasts off the earth")
    assert found["lines"] > 200 and max(found["near"]) < 1, found
    tab.close()


@check
def the_files_are_small(browser):
    files = [file.read_bytes() for file in PAGE.iterdir()]
    assert sum(len(gzip.compress(file)) for file in files) < 60_000, f"{sum(len(gzip.compress(file)) for file in files)} bytes over the wire"


# MARK: The built program


class Catalogue(http.server.BaseHTTPRequestHandler):
    """xeno-canto as far as the program asks it: `rows` by the text of a query."""

    rows = {}
    broken = False

    def do_GET(self):
        query = parse_qs(urlsplit(self.path).query)
        if Catalogue.broken:
            self.send_error(404)
            return
        found, page, size = Catalogue.rows.get(query["query"][0], []), int(query.get("page", ["1"])[0]), int(query.get("per_page", ["100"])[0])
        body = json.dumps({"numRecordings": str(len(found)), "numSpecies": "1", "page": page, "numPages": max(1, -(-len(found) // size)),
                           "recordings": found[(page - 1) * size : page * size]}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


def recording(number, **other):
    return {
        "id": str(number), "gen": "Turdus", "sp": "merula", "ssp": "", "grp": "birds", "en": "Common Blackbird", "rec": "A. Name", "cnt": "Norway", "loc": f"Place {number}",
        "lat": f"{60 + number % 7}.5", "lon": f"{8 + number % 5}.25", "alt": "10", "type": "song", "sex": "", "stage": "", "method": "field recording", "url": f"//xeno-canto.org/{number}",
        "file": f"https://xeno-canto.org/{number}/download", "file-name": f"XC{number}.mp3", "sono": {}, "osci": {}, "lic": "//creativecommons.org/licenses/by-sa/4.0/", "q": "ABCDE"[number % 5],
        "length": "0:42", "time": f"{number % 24:02}:30", "date": f"2024-{number % 12 + 1:02}-11", "uploaded": "2024-12-01", "also": [""], "rmk": "", "animal-seen": "no",
        "playback-used": "no", "temp": "", "regnr": "", "auto": "no", "dvc": "", "mic": "", "smp": "48000"} | other


class Program:
    """The built program with a data directory of its own, and its server."""

    def __init__(self, catalogue=None):
        self.home = tempfile.mkdtemp()
        self.environment = {"HOME": self.home, "PATH": "/usr/bin:/bin", "LANG": "C.UTF-8"} | {
            f"CHIRPER_{name}_URL": catalogue or "http://127.0.0.1:9" for name in ("XENO_CANTO", "GBIF", "INATURALIST", "ITUNES")}
        if catalogue:
            self.environment["XENO_CANTO_API_KEY"] = "key"
        self.port, self.server = 0, None

    def run(self, *arguments):
        return subprocess.run([PROGRAM, *arguments], env=self.environment, check=True, capture_output=True, timeout=120).stdout

    def serve(self):
        self.server = subprocess.Popen([PROGRAM, "serve", "--port", str(self.port)], env=self.environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        self.address = self.server.stdout.readline().decode().strip().split("#")[0]
        self.port = urlsplit(self.address).port
        self.token = pathlib.Path(self.home, ".local/share/chirper/serve-token").read_text().strip()

    def stop(self):
        self.server.send_signal(signal.SIGINT)
        self.server.wait(10)

    def get(self, path):
        return json.load(urllib.request.urlopen(self.address + path.lstrip("/"), timeout=30))


@contextlib.contextmanager
def served(catalogue=False):
    answering = None
    if catalogue:
        answering = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Catalogue)
        threading.Thread(target=answering.serve_forever, daemon=True).start()
    program = Program(f"http://127.0.0.1:{answering.server_port}" if answering else None)
    try:
        program.serve()
        yield program
    finally:
        if program.server.poll() is None:
            program.stop()
        if answering:
            answering.shutdown()
        shutil.rmtree(program.home)


@contextlib.contextmanager
def opened(browser, program, path="", expected=(), link=True, **options):
    """A tab on the page of the program. It fails if anything is asked of another origin, or the browser complains of what is not expected."""
    context = browser.new_context(**({"viewport": {"width": 1280, "height": 800}} | options))
    page, complaints = context.new_page(), []
    page.on("console", lambda message: complaints.append(message.text))
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on("request", lambda request: request.url.startswith((program.address, "blob:", "data:")) or complaints.append(f"asks {request.url}"))
    page.goto(program.address + path + (f"#{program.token}" if link else ""))
    page.wait_for_selector(".status")
    yield page
    context.close()
    equal([text for text in complaints if not any(word in text for word in expected)], [], "the browser complains")


def names(page):
    return page.eval_on_selector_all(".body .row:not([hidden])", "rows => rows.map((row) => [Number(row.getAttribute('aria-rowindex')) - 2, row.children[2].firstChild.data]).sort((a, b) => a[0] - b[0])")


def until(page, text, selector=".status", timeout=15_000):
    page.wait_for_function("([selector, text]) => document.querySelector(selector)?.innerText.includes(text)", arg=[selector, text], timeout=timeout)


@check
def the_files_are_embedded_and_kept(browser):
    with served() as program:
        with opened(browser, program) as page:
            equal(page.url, program.address, "the address without the token")
            until(page, "Nothing is stored yet", ".message")
            files = page.evaluate("performance.getEntriesByType('resource').map(({ name }) => name).filter((name) => name.includes('/page/'))")
            assert len(files) > 15, files
            # Every file of the folder, also those that are not loaded yet.
            for file in [files[0].rsplit("/", 1)[0] + "/" + file.name for file in PAGE.iterdir() if file.suffix in TYPES]:
                answer = urllib.request.urlopen(file)
                equal(answer.read(), (PAGE / file.split("/")[-1]).read_bytes(), file)
                equal(answer.headers["Cache-Control"], "public, max-age=31536000, immutable", file)
                equal(answer.headers["Content-Security-Policy"], headers()["Content-Security-Policy"], file)


@check
def a_list_is_fetched_played_and_forgotten(browser):
    with served() as program, opened(browser, program) as page:
        page.fill("#search", "parrot")
        page.click("text=Fetch")
        until(page, "recordings")
        page.wait_for_selector(".body .row:not(.waiting):not([hidden])")
        stored = program.get("/api/chirper/lists")["queries"][0]
        equal((stored["query"], stored["source"]), ("parrot", "sample"), "the list")
        until(page, "rows" if stored["next"] is None else "of")
        assert "list=sample%3Aparrot" in page.url, page.url

        page.click(".body .row")
        page.wait_for_selector(".recording h2")
        page.click(".recording .play")
        page.wait_for_function("() => Number(document.querySelector('.recording .time input')?.value) > 0.2", timeout=20_000)
        before = page.evaluate("Number(document.querySelector('.recording .time input').value)")
        page.wait_for_function("(before) => Number(document.querySelector('.recording .time input').value) !== before", arg=before)
        page.wait_for_function("() => document.querySelector('.sonogram')?.dataset.tiles === '0'", timeout=20_000)
        page.keyboard.press("Escape")
        equal(page.query_selector(".recording"), None, "the recording after Escape")

        page.click(".lists li.open >> text=Forget")
        page.click("dialog >> text=Keep it")
        equal(len(program.get("/api/chirper/lists")["queries"]), 1, "lists after Keep it")
        page.click(".lists li.open >> text=Forget")
        page.click("dialog >> text=Forget it")
        until(page, "was forgotten", ".notice")
        equal(program.get("/api/chirper/lists")["queries"], [], "lists after Forget it")


@check
def without_the_token_it_only_reads(browser):
    with served() as program:
        program.run("fetch", "parrot", "--source", "sample", "--quiet")
        with opened(browser, program, link=False, expected=["401"]) as page:
            page.wait_for_selector(".body .row:not(.waiting):not([hidden])")
            page.click(".lists >> text=parrot")
            page.click(".lists li.open >> text=Sync")
            until(page, "open the link that chirper serve prints", ".notice")


@check
def ten_thousand_rows_while_pages_arrive(browser):
    Catalogue.rows = {"gen:turdus": [recording(number, loc=f"Place {number}") for number in range(1, 10_001)]}
    with served(catalogue=True) as program, opened(browser, program) as page:
        page.fill("#search", "gen:turdus")
        page.click("text=Fetch")
        until(page, "500 recordings")
        page.focus(".grid")
        end = time.time() + 120
        # The next page is fetched when the last row comes into sight.
        while names(page)[-1][0] != 9_999:
            assert time.time() < end, page.inner_text(".status")
            page.keyboard.press("End")
            page.wait_for_timeout(300)
        until(page, "10,000 rows, complete")
        until(page, "End of the list.")

        # Sort, search, and the fault of a search under its word.
        page.click(".heading >> text=Quality")
        page.wait_for_function("() => document.querySelector('[aria-sort=ascending]')?.innerText.startsWith('Quality')")
        rows = program.get("/api/chirper/rows?list=xeno-canto:gen:turdus&sort=quality&limit=5&columns=locality,quality")["recordings"]
        page.wait_for_function("(place) => document.querySelector('#row-0')?.innerText.includes(place)", arg=rows[0]["locality"])
        page.fill("#search", "q:A month:5")
        count = program.get("/api/chirper/rows?list=xeno-canto:gen:turdus&q=q:A+month:5&limit=0")["rows"]
        until(page, f"{count:,} of 10,000 recordings")

        # Charts and map say what stats says.
        page.click(".views >> text=Charts")
        counts = program.get("/api/chirper/stats?list=xeno-canto:gen:turdus&q=q:A+month:5&by=hour")["counts"]
        page.wait_for_function("(count) => document.querySelectorAll('.chart:nth-child(2) li').length === count", arg=len(counts))
        titles = page.eval_on_selector_all(".chart:nth-child(2) li > *", "bars => bars.map(({ title }) => title)")
        for title, row in zip(titles, counts):
            assert title.startswith(f"{row['hour']}: {row['recordings']:,} recording") and f"of the {row['stored']:,} stored" in title, (title, row)
        page.click(".views >> text=Map")
        until(page, f"{count:,} with a place", ".mapped [role=status]")

        # The way back, and the place in the list.
        page.go_back()
        page.go_back()
        page.wait_for_selector(".grid")
        equal(page.input_value("#search"), "q:A month:5", "the search after the way back")


@check
def an_export_is_that_of_the_command(browser):
    Catalogue.rows = {"gen:turdus": [recording(number) for number in range(1, 301)]}
    with served(catalogue=True) as program:
        program.run("fetch", "gen:turdus", "--quiet")
        with opened(browser, program, "?list=xeno-canto:gen:turdus&q=q:A&sort=-eventDate") as page:
            until(page, "60 of 300 recordings")
            for name, more in (("csv", []), ("geojson", []), ("jsonl", ["--tidy"])):
                page.click(".tools-line >> text=Export")
                page.select_option("dialog select", name)
                if more:
                    page.check("dialog input[type=checkbox]")
                until(page, "CC BY-SA 4.0", "dialog table")
                with page.expect_download() as download:
                    page.click("dialog >> text=Export 60 recordings")
                wanted = program.run("export", "gen:turdus", "--where", "q:A", "--sort", "-eventDate", "--format", name, *more)
                found = pathlib.Path(download.value.path()).read_bytes()
                # A file of GeoJSON has the time at which it was written, too.
                equal(*(json.loads(file)["features"] if name == "geojson" else file for file in (found, wanted)), name)
                page.keyboard.press("Escape")


@check
def hostile_text_is_text_in_every_view(browser):
    fields = [name for name, value in recording(1).items() if isinstance(value, str) and name not in ("id", "lat", "lon", "date", "time", "length", "q")]
    Catalogue.rows = {"gen:turdus": [recording(number, **{name: text for name in fields}) for number, text in enumerate(HOSTILE, 1)]}
    with served(catalogue=True) as program:
        program.run("fetch", "gen:turdus", "--quiet")
        with opened(browser, program, "?list=xeno-canto:gen:turdus") as page:
            page.wait_for_selector(".body .row:not(.waiting):not([hidden])")
            for row in range(len(HOSTILE)):
                page.click(f"#row-{row}")
                page.wait_for_selector(".details")
                page.wait_for_timeout(100)
                bad = page.evaluate("[...document.querySelectorAll('a')].map(({ href }) => href).filter((href) => !/^https?:/.test(href)).concat([...document.querySelectorAll('img, script:not([src]), svg, iframe')].map(({ outerHTML }) => outerHTML))")
                equal(bad, [], "markup or addresses from a recording")
            for view in ("Charts", "Map", "Compare"):
                page.click(f".views >> text={view}")
                page.wait_for_timeout(500)
            page.click(".tools-line >> text=Export")
            page.wait_for_timeout(300)
            assert "evil" not in page.evaluate("document.title")


@check
def the_server_goes_away_and_comes_back(browser):
    with served() as program:
        program.run("fetch", "parrot", "--source", "sample", "--quiet")
        with opened(browser, program, "?list=sample:parrot", expected=["Failed to load resource"]) as page:
            page.wait_for_selector(".body .row:not(.waiting):not([hidden])")
            before = names(page)
            program.stop()
            until(page, "The server does not answer", timeout=20_000)
            equal(names(page), before, "the rows while the server is away")
            program.serve()
            until(page, "recordings", timeout=20_000)
            page.wait_for_function("() => !document.querySelector('.status').innerText.includes('does not answer')", timeout=20_000)


@check
def a_failure_never_hides_rows(browser):
    Catalogue.rows = {"gen:turdus": [recording(number) for number in range(1, 701)]}
    with served(catalogue=True) as program:
        program.run("fetch", "gen:turdus", "--quiet")
        with opened(browser, program, "?list=xeno-canto:gen:turdus") as page:
            until(page, "500 of 700")
            Catalogue.broken = True
            try:
                page.click(".status >> text=Load more")
                page.wait_for_selector(".status.error >> text=Try again", timeout=30_000)
                assert len(names(page)) > 10
            finally:
                Catalogue.broken = False
            page.click(".status >> text=Try again")
            until(page, "700 rows, complete", timeout=30_000)


def main():
    words, failed = sys.argv[2:], 0
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path="/usr/bin/chromium", args=["--autoplay-policy=no-user-gesture-required", "--no-sandbox"])
        for function in CHECKS:
            if words and not any(word in function.__name__ for word in words):
                continue
            try:
                function(browser)
                print(f"  {function.__name__.replace('_', ' ')}")
            except Exception:
                failed += 1
                print(f"FAILED: {function.__name__.replace('_', ' ')}")
                traceback.print_exc()
        browser.close()
    sys.exit(1 if failed else 0)


main()
