"""The page of `chirper serve` in Chromium, for its tests."""

import contextlib
import functools
import json
import re
import struct
import urllib.request
from urllib.parse import parse_qs, urlsplit

import pytest

from program import ROOT, store
from services import Catalogue

TimeoutError = pytest.importorskip("playwright.sync_api").TimeoutError
AXE = pytest.importorskip("axe_playwright_python.sync_playwright").Axe().axe_script
PAGE = ROOT / "Sources/ChirperServer/Page"
ORIGIN = "http://page.test"
TYPES = {".js": "text/javascript", ".css": "text/css"}
HOSTILE = ["<img src=x onerror=alert(1)>", "<script>document.title='x'</script>", "javascript:alert(1)", "\u202eevil", "\"><svg onload=alert(1)>", "{{7*7}}", "a\u0000b"]
LIST = "gen:turdus"
ROWS = ".body .row:not(.waiting):not([hidden])"
CLOCK = "Number(document.querySelector('.time input')?.value ?? 0)"
# The options of the command line.
OPTIONS = None


def equal(found, wanted, what=""):
    assert found == wanted, f"{what}: {found!r} instead of {wanted!r}"


@functools.cache
def sent():
    """The policy that the server sends with every answer, and the module of the program's tables."""
    with store() as chirper:
        chirper.serve()
        with urllib.request.urlopen(chirper.address) as home:
            policy = {name: home.headers[name] for name in ("Content-Security-Policy", "X-Content-Type-Options")}
            [folder] = set(re.findall("page/[0-9a-f]+/", home.read().decode()))
        with urllib.request.urlopen(chirper.address + folder + "tables.js") as module:
            tables = module.read().decode()
    assert "require-trusted-types-for" in policy["Content-Security-Policy"]
    return policy, tables


def headers():
    return sent()[0]


def answer_file(route, file):
    text = sent()[1] if file.name == "tables.js" else file.read_text()
    route.fulfill(status=200, body=text, headers={**headers(), "Content-Type": TYPES[file.suffix] + "; charset=utf-8"})


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
        if name == "tables.js" or (PAGE / name).is_file():
            return answer_file(route, PAGE / name)
        self.asked.append(route.request.url)
        route.fulfill(status=200, body=json.dumps(answers(address.path, parse_qs(address.query))), headers={**headers(), "Content-Type": "application/json"})

    def run(self, body, value=None):
        """What the body of an asynchronous function returns; `value` is what it is given."""
        return self.page.evaluate(f"async (value) => {{ {body} }}", value)

    def close(self):
        self.context.close()
        equal(self.complaints, [], "the browser complains")


def wave(samples, rate):
    data = b"".join(struct.pack("<h", round(max(-1, min(1, value)) * 32_767)) for value in samples)
    return b"RIFF" + struct.pack("<I", 36 + len(data)) + b"WAVEfmt " + struct.pack("<IHHIIHH", 16, 1, 1, rate, rate * 2, 2, 16) + b"data" + struct.pack("<I", len(data)) + data


def recording(number, **other):
    return {
        "id": str(number), "gen": "Turdus", "sp": "merula", "ssp": "", "grp": "birds", "en": "Common Blackbird", "rec": "A. Name", "cnt": "Norway", "loc": f"Place {number}",
        "lat": f"{60 + number % 7}.5", "lon": f"{8 + number % 5}.25", "alt": "10", "type": "song", "sex": "", "stage": "", "method": "field recording", "url": f"//xeno-canto.org/{number}",
        "file": f"https://xeno-canto.org/{number}/download", "file-name": f"XC{number}.mp3", "sono": {}, "osci": {}, "lic": "//creativecommons.org/licenses/by-sa/4.0/", "q": "ABCDE"[number % 5],
        "length": "0:42", "time": f"{number % 24:02}:30", "date": f"2024-{number % 12 + 1:02}-11", "uploaded": "2024-12-01", "also": [""], "rmk": "", "animal-seen": "no",
        "playback-used": "no", "temp": "", "regnr": "", "auto": "no", "dvc": "", "mic": "", "smp": "48000"} | other


@contextlib.contextmanager
def served(rows=None, fetched=True, occurrences=()):
    """A server; with `rows` over a catalogue that has one list of them, whose first page is stored."""
    with contextlib.ExitStack() as ends:
        catalogue = None if rows is None else ends.enter_context(contextlib.closing(Catalogue({LIST: rows}, occurrences)))
        program = ends.enter_context(store(catalogue and catalogue.address))
        program.catalogue = catalogue
        if catalogue and fetched:
            program.run("fetch", LIST, "--quiet")
        program.serve()
        yield program


@contextlib.contextmanager
def opened(browser, program, path="", expected=(), link=True, token=None, **options):
    """A tab on the page of the program, by the owner's link unless `token` is another. It fails if anything is asked of another origin, or the browser complains of what is not expected."""
    context = browser.new_context(**({"viewport": {"width": 1280, "height": 800}} | options))
    context.set_default_timeout(60_000)
    if OPTIONS.files:
        context.route(lambda url: "/page/" in url, lambda route: answer_file(route, PAGE / route.request.url.split("/")[-1]))
    page, complaints = context.new_page(), []
    page.on("console", lambda message: complaints.append(message.text))
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on("dialog", lambda dialog: complaints.append(f"says {dialog.message}") or dialog.dismiss())
    page.on("request", lambda request: request.url.startswith((program.address, "blob:", "data:")) or complaints.append(f"asks {request.url}"))
    page.goto(program.address + path + (f"#{token or program.token}" if link else ""))
    page.wait_for_selector(".status")
    yield page
    context.close()
    equal([text for text in complaints if not any(word in text for word in expected)], [], "the browser complains")


@contextlib.contextmanager
def shown(browser, rows, more="", **options):
    """A list of a catalogue whose first page is stored, and a tab on it."""
    with served(rows) as program, opened(browser, program, f"?list=xeno-canto:{LIST}{more}", **options) as page:
        page.wait_for_selector(".status strong")
        yield program, page


def look(page, name):
    """What is shown has no finding of axe, and is not wider than the window."""
    page.evaluate(AXE)
    found = page.evaluate("axe.run(document, { resultTypes: ['violations'] }).then(({ violations }) => violations.flatMap(({ id, nodes }) => nodes.map(({ html, failureSummary }) => `${id}: ${html} ${failureSummary}`)))")
    equal(found, [], f"axe on {name}")
    equal(page.evaluate("[document.documentElement.scrollWidth > innerWidth, document.documentElement.scrollHeight > innerHeight]"), [False, False], f"{name} is larger than the window")
    if OPTIONS.screens:
        OPTIONS.screens.mkdir(parents=True, exist_ok=True)
        page.screenshot(path=OPTIONS.screens / f"{name}.png")


def names(page):
    return page.eval_on_selector_all(".body .row:not([hidden])", "rows => rows.map((row) => [Number(row.getAttribute('aria-rowindex')) - 2, row.children[2].firstChild.data]).sort((a, b) => a[0] - b[0])")


def until(page, text, selector=".status"):
    try:
        page.wait_for_function("([selector, text]) => document.querySelector(selector)?.innerText.includes(text)", arg=[selector, text])
    except TimeoutError as error:
        raise AssertionError(f"{text!r} is not in {page.inner_text(selector)!r}, {page.inner_text('body')!r:.300}") from error


def kept_and_shown(page, selector=".recording"):
    """The sonogram is drawn as far as it is in sight."""
    page.wait_for_function("(selector) => [...document.querySelectorAll(selector)].every((part) => part.querySelector('.sonogram')?.dataset.tiles === '0')", arg=selector)
