"""Measures the page of a local server in Chromium, without a GPU: page.py ADDRESS TOKEN ROUNDS
SEARCH prints one JSON object.

Times are in seconds, from what the person does to the frame that shows it; memory is in megabytes.
"""
import http.client
import io
import json
import math
import random
import struct
import sys
import time
import wave

from playwright.sync_api import sync_playwright

ADDRESS, TOKEN, ROUNDS, SEARCH = sys.argv[1:5]
ROUNDS = int(ROUNDS)
ROWS = ".body .row:not(.waiting):not([hidden])"
# `until(test)` is the time of the frame after the first one in which the test holds; it is looked
# at in every frame.
TOOLS = """
window.frame = () => new Promise(requestAnimationFrame)
window.until = async (test) => {
    while (!test()) await frame()
    await frame()
    return performance.now()
}
window.next = (name) => new Promise((done) =>
    addEventListener(name, done, { once: true, capture: true }))
window.firstRows = until(() => document.querySelector('.body .row:not(.waiting):not([hidden])'))
addEventListener('input', (event) => { window.typed = performance.now() }, true)
addEventListener('click', (event) => { window.clicked = performance.now() }, true)
"""


def opened(browser):
    page = browser.new_context(viewport={"width": 1280, "height": 800}).new_page()
    page.add_init_script(TOOLS)
    page.goto(f"{ADDRESS}/#{TOKEN}")
    page.wait_for_selector(ROWS)
    return page


def loading(browser):
    """The page, and its first rows after the document that has them."""
    page = opened(browser)
    whole, answered = page.evaluate("""async () => {
        const time = await firstRows
        return [time, time - performance.getEntriesByType('navigation')[0].responseEnd]
    }""")
    page.context.close()
    return whole / 1000, answered / 1000


COLUMNS = ",".join([
    "id", "catalogue", "vernacularName", "scientificName", "behavior", "country", "locality",
    "eventDate", "recordedBy", "licenseName", "quality", "mediaDuration"])


def windows(count):
    """Answers of 60 rows anywhere in the table, over one connection."""
    connection = http.client.HTTPConnection(ADDRESS.split("//")[1])
    chance, times = random.Random(1), []
    for _ in range(200):
        start = time.perf_counter()
        offset = chance.randrange(count)
        path = f"/api/chirper/rows?offset={offset}&limit=60&columns={COLUMNS}"
        connection.request("GET", path)
        answer = connection.getresponse()
        assert answer.status == 200, answer.status
        answer.read()
        times.append(time.perf_counter() - start)
    return times


def scrolling(browser, page):
    """The longest task of the page's thread while it scrolls, and the longest time between two
    frames."""
    page.mouse.move(600, 400)
    browser.start_tracing(
        page=page,
        categories=[
            "toplevel", "devtools.timeline", "disabled-by-default-devtools.timeline", "__metadata"])
    page.evaluate("""() => {
        window.gap = 0
        let last = performance.now()
        const see = (now) => {
            window.gap = Math.max(gap, now - last)
            last = now
            window.sees = requestAnimationFrame(see)
        }
        requestAnimationFrame((now) => { last = now; see(now) })
    }""")
    for _ in range(150):
        page.mouse.wheel(0, 300)
    # The thumb is drawn through the whole table and back.
    page.evaluate("""async () => {
        const grid = document.querySelector('.grid')
        for (let step = 0; step <= 240; step++) {
            const share = (step <= 120 ? step : 240 - step) / 120
            grid.scrollTop = (grid.scrollHeight - grid.clientHeight) * share
            await frame()
        }
    }""")
    gap = page.evaluate("() => { cancelAnimationFrame(sees); return gap }")
    events = json.loads(browser.stop_tracing())["traceEvents"]
    thread = lambda event: (event["pid"], event["tid"])
    threads = {
        thread(event)
        for event in events
        if event["name"] == "thread_name" and event["args"]["name"] == "CrRendererMain"}
    threads &= {thread(event) for event in events if event["name"] == "FireAnimationFrame"}
    names = ("RunTask", "ThreadControllerImpl::RunTask")
    tasks = [
        event["dur"]
        for event in events
        if event["name"] in names and thread(event) in threads and "dur" in event]
    assert len(tasks) > 100, "the trace has no tasks of the page"
    return max(tasks) / 1e6, gap / 1000


def typing(page):
    """From the last letter of a search to its rows."""
    page.fill("#search", "")
    page.wait_for_selector(".grid[aria-busy=false]")
    page.click("#search")
    page.keyboard.type(SEARCH[:-1], delay=80)
    page.evaluate("""() => {
        const isShown = () => document.querySelector('.grid').getAttribute('aria-busy') === 'false'
        window.shown = next('input').then(() => until(isShown))
    }""")
    page.keyboard.type(SEARCH[-1])
    return page.evaluate("async () => (await shown) - typed") / 1000


def sonogram(page):
    """Of a file of a minute: from its samples, and from the choice of the file."""
    rate, seconds = 48_000, 60
    file = io.BytesIO()
    with wave.open(file, "wb") as out:
        out.setnchannels(1)
        out.setsampwidth(2)
        out.setframerate(rate)
        second = b"".join(
            struct.pack("<h", round(12_000 * math.sin(n * (0.2 + n / rate / 5))))
            for n in range(rate))
        out.writeframes(second * seconds)
    page.click(".views >> text=Compare")
    page.evaluate("""() => {
        const sonogram = () => document.querySelector('.compared .sonogram')
        window.drawn = (async () => {
            await next('change')
            const chosen = performance.now()
            const begun = await until(() => sonogram()?.querySelector('canvas'))
            const ended = await until(() => sonogram()?.dataset.tiles === '0')
            return [ended - begun, performance.now() - chosen]
        })()
    }""")
    page.set_input_files(
        "input[type=file]",
        {"name": "minute.wav", "mimeType": "audio/wav", "buffer": file.getvalue()})
    return [value / 1000 for value in page.evaluate("drawn")]


def mapped(page):
    """From the click to the map with its points."""
    page.evaluate("""() => {
        const status = () => document.querySelector('.mapped [role=status]')
        const isDrawn = () => status() && !status().innerText.includes('Loading')
        window.drawn = next('click').then(() => until(isDrawn))
    }""")
    page.click(".views >> text=Map")
    took = page.evaluate("async () => (await drawn) - clicked") / 1000
    page.click(".views >> text=Rows")
    page.wait_for_selector(ROWS)
    return took


def memory(browser):
    """Of the process of the tab, as the browser's own task manager counts it."""
    processes = browser.new_browser_cdp_session().send("SystemInfo.getProcessInfo")["processInfo"]
    return max(
        sum(
            int(line.split()[1])
            for line in open(f"/proc/{process['id']}/status")
            if line.startswith(("RssAnon:", "VmSwap:"))) / 1024
        for process in processes
        if process["type"] == "renderer")


with sync_playwright() as playwright:
    browser = playwright.chromium.launch(
        executable_path="/usr/bin/chromium",
        args=["--no-sandbox", "--autoplay-policy=no-user-gesture-required"])
    # The first one writes what the browser and the server keep.
    loads = [loading(browser) for _ in range(ROUNDS + 1)][1:]
    page = opened(browser)
    count = page.evaluate("document.querySelector('.grid').getAttribute('aria-rowcount') - 1")
    found = {
        "rows": count, "page": [whole for whole, _ in loads],
        "first": [first for _, first in loads], "window": windows(count)}
    scrolls = [scrolling(browser, page) for _ in range(max(2, ROUNDS // 3))]
    found["task"] = [task for task, _ in scrolls]
    found["gap"] = [gap for _, gap in scrolls]
    found["map"] = [mapped(page) for _ in range(ROUNDS + 1)][1:]
    found["typing"] = [typing(page) for _ in range(ROUNDS + 1)][1:]
    page.fill("#search", "")
    page.wait_for_selector(".grid[aria-busy=false]")
    found["memory"] = [memory(browser)]
    page.context.close()
    sonograms = []
    for _ in range(ROUNDS):
        page = opened(browser)
        sonograms.append(sonogram(page))
        page.context.close()
    found["sonogram"] = [drawn for drawn, _ in sonograms]
    found["file"] = [whole for _, whole in sonograms]
    browser.close()
print(json.dumps(found))
