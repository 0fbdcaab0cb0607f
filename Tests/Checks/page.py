"""The page of `chirper serve` in Chromium, for its tests."""

import contextlib
import functools
import json
import pathlib
import re
import sqlite3
import struct
import urllib.request
from urllib.parse import parse_qs, urlsplit

import pytest

from program import ROOT, store
from services import Catalogue

TimeoutError = pytest.importorskip("playwright.sync_api").TimeoutError
AXE = pytest.importorskip("axe_playwright_python.sync_playwright").Axe().axe_script
PAGE = ROOT / "Sources/ChirperServer/Page/Files"
ORIGIN = "http://page.test"
TYPES = {".js": "text/javascript", ".css": "text/css", ".json": "application/json"}
HOSTILE = [
    "<img src=x onerror=alert(1)>",
    "<script>document.title='x'</script>",
    "javascript:alert(1)",
    "\u202eevil",
    "\"><svg onload=alert(1)>",
    "{{7*7}}",
    "a\u0000b",
]
LIST = "gen:turdus"
SHOWN_ROWS = ".body .row:not([hidden])"
ROWS = ".body .row:not(.waiting):not([hidden])"
CLOCK = "Number(document.querySelector('.time input')?.value ?? 0)"
# The options of the command line.
OPTIONS = None


def equal(found, wanted, what=""):
    assert found == wanted, f"{what}: {found!r} instead of {wanted!r}"


@functools.cache
def sent():
    """The policy in every answer of the server, and the module of the program's tables."""
    names = ("Content-Security-Policy", "X-Content-Type-Options")
    with store() as chirper:
        chirper.serve()
        with urllib.request.urlopen(chirper.address) as home:
            policy = {name: home.headers[name] for name in names}
            [folder] = set(re.findall("page/[0-9a-f]+/", home.read().decode()))
        with urllib.request.urlopen(chirper.address + folder + "tables.js") as module:
            tables = module.read().decode()
    assert "require-trusted-types-for" in policy["Content-Security-Policy"]
    return policy, tables


def headers():
    return sent()[0]


def fulfill(route, kind, body):
    """Answers as the server does."""
    route.fulfill(status=200, body=body, headers={**headers(), "Content-Type": kind})


def answer_file(route, file):
    text = sent()[1] if file.name == "tables.js" else file.read_text()
    fulfill(route, TYPES[file.suffix] + "; charset=utf-8", text)


def context_of(browser, **options):
    """A new profile of the browser. What takes longer than this, in milliseconds, has no end."""
    context = browser.new_context(**options)
    context.set_default_timeout(180_000)
    return context


class Tab:
    """A tab on an empty document of the page's origin, with its modules and style.

    Anything that the browser complains of fails.
    """

    EMPTY = """<!doctype html>
        <link rel="icon" href="data:,">
        <link rel="stylesheet" href="/p/page.css">
        <div id="here"></div>"""

    def __init__(self, browser, answers=None, width=1280, height=800, density=1):
        self.answers = answers
        self.complaints = []
        self.asked = []
        viewport = {"width": width, "height": height}
        self.context = context_of(browser, viewport=viewport, device_scale_factor=density)
        self.context.route("**/*", self.answer)
        self.page = self.context.new_page()
        self.page.on("console", lambda message: self.complaints.append(message.text))
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.goto(ORIGIN)

    def answer(self, route):
        address = urlsplit(route.request.url)
        name = address.path.removeprefix("/p/")
        if f"{address.scheme}://{address.netloc}" != ORIGIN:
            self.complaints.append(f"asks {route.request.url}")
            route.abort()
        elif address.path == "/":
            fulfill(route, "text/html; charset=utf-8", self.EMPTY)
        elif name == "tables.js" or (PAGE / name).is_file():
            answer_file(route, PAGE / name)
        else:
            self.asked.append(route.request.url)
            found = self.answers(address.path, parse_qs(address.query))
            fulfill(route, "application/json", json.dumps(found))

    def run(self, body, value=None):
        """What the body of an asynchronous function returns; `value` is what it is given."""
        return self.page.evaluate(f"async (value) => {{ {body} }}", value)

    def close(self):
        self.context.close()
        equal(self.complaints, [], "the browser complains")


def wave(samples, rate):
    """A file of sound with one channel; samples are from -1 to 1."""
    levels = [round(max(-1, min(1, value)) * 32_767) for value in samples]
    data = struct.pack(f"<{len(levels)}h", *levels)
    form = struct.pack("<IHHIIHH", 16, 1, 1, rate, rate * 2, 2, 16)
    size = struct.pack("<I", 36 + len(data))
    return b"RIFF" + size + b"WAVEfmt " + form + b"data" + struct.pack("<I", len(data)) + data


def recording(number, **other):
    return {
        "id": str(number),
        "gen": "Turdus",
        "sp": "merula",
        "ssp": "",
        "grp": "birds",
        "en": "Common Blackbird",
        "rec": "A. Name",
        "cnt": "Norway",
        "loc": f"Place {number}",
        "lat": f"{60 + number % 7}.5",
        "lon": f"{8 + number % 5}.25",
        "alt": "10",
        "type": "song",
        "sex": "",
        "stage": "",
        "method": "field recording",
        "url": f"//xeno-canto.org/{number}",
        "file": f"https://xeno-canto.org/{number}/download",
        "file-name": f"XC{number}.mp3",
        "sono": {},
        "osci": {},
        "lic": "//creativecommons.org/licenses/by-sa/4.0/",
        "q": "ABCDE"[number % 5],
        "length": "0:42",
        "time": f"{number % 24:02}:30",
        "date": f"2024-{number % 12 + 1:02}-11",
        "uploaded": "2024-12-01",
        "also": [""],
        "rmk": "",
        "animal-seen": "no",
        "playback-used": "no",
        "temp": "",
        "regnr": "",
        "auto": "no",
        "dvc": "",
        "mic": "",
        "smp": "48000",
    } | other


def recordings(count):
    return [recording(number) for number in range(1, count + 1)]


@contextlib.contextmanager
def served(rows=None, fetched=True, occurrences=()):
    """A server; with `rows` over a catalogue with a list of them, whose first page is stored."""
    with contextlib.ExitStack() as ends:
        catalogue = None
        if rows is not None:
            catalogue = Catalogue({LIST: rows}, occurrences)
            ends.enter_context(contextlib.closing(catalogue))
        program = ends.enter_context(store(catalogue and catalogue.address))
        program.catalogue = catalogue
        if catalogue and fetched:
            program.run("fetch", LIST, "--quiet")
        program.serve()
        yield program


def window(width, scheme="light", height=800):
    """The options of a tab."""
    return {"viewport": {"width": width, "height": height}, "color_scheme": scheme}


def windows(dark_first=False):
    """The windows that every view is shown in, as the options of tabs. Axe looks at the first."""
    sizes = [(1280, "light"), (360, "dark")]
    if dark_first:
        sizes.reverse()
    if OPTIONS.deep:
        sizes += [(1280, "dark"), (360, "light")]
    return [window(*size) for size in sizes]


@contextlib.contextmanager
def opened(browser, program, path="", expected=(), link=True, token=None, **options):
    """A tab on the page of the program, by the owner's link unless `token` is another.

    It fails if anything is asked of another origin, or the browser complains of what is not
    expected.
    """
    context = context_of(browser, **(window(1280) | options))
    if OPTIONS.files:
        name = lambda route: route.request.url.split("/")[-1]
        context.route(
            lambda url: "/page/" in url, lambda route: answer_file(route, PAGE / name(route)))
    page, complaints = context.new_page(), []
    own = (program.address, "blob:", "data:")

    def asks(request):
        if not request.url.startswith(own):
            complaints.append(f"asks {request.url}")

    def says(dialog):
        complaints.append(f"says {dialog.message}")
        dialog.dismiss()

    page.on("console", lambda message: complaints.append(message.text))
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on("dialog", says)
    page.on("request", asks)
    page.goto(program.address + path + (f"#{token or program.token}" if link else ""))
    page.wait_for_selector(".status")
    yield page
    context.close()
    unexpected = [text for text in complaints if not any(word in text for word in expected)]
    equal(unexpected, [], "the browser complains")


@contextlib.contextmanager
def shown(browser, rows, more="", **options):
    """A list of a catalogue whose first page is stored, and a tab on it."""
    path = f"?list=xeno-canto:{LIST}{more}"
    with served(rows) as program, opened(browser, program, path, **options) as page:
        page.wait_for_selector(".status strong")
        yield program, page


# Views that axe has looked at.
LOOKED_AT = set()
FINDINGS = """async () => {
    const { violations } = await axe.run(document, { resultTypes: ['violations'] })
    return violations.flatMap(({ id, nodes }) =>
        nodes.map(({ html, failureSummary }) => `${id}: ${html} ${failureSummary}`))
}"""
IS_LARGER = """() => {
    const { scrollWidth, scrollHeight } = document.documentElement
    return [scrollWidth > innerWidth, scrollHeight > innerHeight]
}"""


def look(page, view):
    """What is shown has no finding of axe, and is not wider than the window.

    Axe looks at each view once, in the first window that shows it; with --deep in every window.
    """
    name = f"{view} {page.viewport_size['width']}"
    if view not in LOOKED_AT or OPTIONS.deep:
        LOOKED_AT.add(view)
        page.evaluate(AXE)
        equal(page.evaluate(FINDINGS), [], f"axe on {name}")
    equal(page.evaluate(IS_LARGER), [False, False], f"{name} is larger than the window")
    if OPTIONS.screens:
        scheme = page.evaluate("matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : ''")
        OPTIONS.screens.mkdir(parents=True, exist_ok=True)
        page.screenshot(path=OPTIONS.screens / f"{name} {scheme}.png")


def wait(page, condition, value=None):
    """Waits until a condition of JavaScript is true, in which `value` is what is given here."""
    page.wait_for_function(f"(value) => {condition}", arg=value)


def until(page, text, selector=".status"):
    """Waits until an element has a text."""
    try:
        is_said = "document.querySelector(value[0])?.innerText.includes(value[1])"
        wait(page, is_said, [selector, text])
    except TimeoutError as error:
        found = page.inner_text(selector)
        whole = page.inner_text("body")
        raise AssertionError(f"{text!r} is not in {found!r}, {whole!r:.300}") from error


def names(page):
    """The name of each row that is shown, after its position, in their order."""
    return sorted(page.eval_on_selector_all(SHOWN_ROWS, """rows => rows.map((row) =>
        [Number(row.getAttribute('aria-rowindex')) - 2, row.children[2].firstChild.data])"""))


def view(page, name):
    """Goes to a view, and waits until it is there."""
    page.click(f".views >> text={name}")
    if name == "Charts":
        charts_are_known(page)
    elif name == "Map":
        until(page, "with a place", ".mapped [role=status]")


def charts_are_known(page, least=8):
    are_known = "!document.querySelector('.chart.waiting')"
    wait(page, f"document.querySelectorAll('.chart').length >= value && {are_known}", least)


def sonograms_are_there(page, count):
    """Waits for so many sonograms in Compare."""
    wait(page, "document.querySelectorAll('.compared .sonogram canvas').length === value", count)


def kept_and_shown(page, selector=".recording"):
    """The sonogram is drawn as far as it is in sight."""
    wait(page, """[...document.querySelectorAll(value)]
        .every((part) => part.querySelector('.sonogram')?.dataset.tiles === '0')""", selector)


def asked_of(page, is_meant=lambda request: True):
    """The requests of a tab from now on, each as its method and its address."""
    asked = []

    def add(request):
        if is_meant(request):
            asked.append(f"{request.method} {request.url}")

    page.on("request", add)
    return asked


# Every sound that was played, in their order.
SOUNDS = """() => {
    window.sounds = []
    const play = HTMLMediaElement.prototype.play
    HTMLMediaElement.prototype.play = function () {
        if (!sounds.includes(this)) sounds.push(this)
        return play.call(this)
    }
}"""
PLAYING = "sounds.filter((sound) => !sound.paused).length"
# The time of the sound in each frame from now on.
WATCH_CLOCK = f"""() => {{
    window.times = []
    const see = () => {{
        times.push({CLOCK})
        requestAnimationFrame(see)
    }}
    see()
}}"""


@contextlib.contextmanager
def parrots(browser, *options, **tab):
    """A list of the sample, fetched with these options, and a tab on it."""
    with served() as program:
        program.run("fetch", "parrot", "--source", "sample", "--quiet", *options)
        with opened(browser, program, "?list=sample:parrot", **tab) as page:
            page.evaluate(SOUNDS)
            page.wait_for_selector(ROWS)
            yield program, page


def rows_of(program, columns, query="list=sample:parrot"):
    """The rows that the server sends, with these columns."""
    return program.get(f"/api/chirper/rows?{query}&columns={columns}")["recordings"]


def moves(page):
    """The sound is heard, on from where it is now."""
    plays(page)
    wait(page, f"{CLOCK} !== value", page.evaluate(CLOCK))


def drag(page, selector, start, end):
    """Draws a stretch on a sonogram, from a place to a place."""
    box = page.locator(selector).bounding_box()
    (x, y), (to_x, to_y) = start, end
    page.mouse.move(box["x"] + x, box["y"] + y)
    page.mouse.down()
    page.mouse.move(box["x"] + to_x, box["y"] + to_y, steps=4)
    page.mouse.up()


def repeats(page, count):
    """Waits until the sound has gone back so often."""
    page.evaluate(WATCH_CLOCK)
    back = "times.filter((time, index) => index > 0 && time < times[index - 1] - 0.01)"
    wait(page, f"{back}.length >= value", count)


def plays(page, beyond=0.0):
    """Waits until the sound has come that far, in seconds."""
    wait(page, f"{CLOCK} > value", beyond)


def saved(page, button):
    """The file that is saved by a click on a button, or by a function."""
    with page.expect_download() as download:
        page.click(button) if isinstance(button, str) else button()
    return pathlib.Path(download.value.path()).read_bytes()


def changed(program, *statements):
    """Changes the database of the program."""
    with contextlib.closing(sqlite3.connect(program.database)) as database, database:
        for statement, *values in statements:
            database.execute(statement, values)
