"""What a class of thirty needs of the page: few requests, one stream for a browser, and the sounds
to take along."""

import contextlib
import io
import time
import zipfile

from page import (
    LIST, ROWS, TimeoutError, context_of, equal, opened, recordings, rows_of, saved, served, shown,
    until)


def never(route):
    """The request gets no answer."""


ADDRESSES = [
    "",
    f"?list=xeno-canto:{LIST}",
    "?q=q%3AA",
    f"?list=xeno-canto:{LIST}&q=type:song%20place&sort=-eventDate&sort=id&at=150",
    "?copies=all",
    "?q=%22place+1%22%20merula",
]
HAS_ROWS = """() => {
    const status = document.querySelector('.status')?.innerText
    return /[1-9]\\d* (of \\d+ )?recordings/.test(status)
}"""


def is_of_data(url):
    return "/api/" in url or "/session" in url or "/events" in url


def test_three_requests_bring_a_page_with_rows(browser):
    with served(recordings(300)) as program:
        for path in ADDRESSES:
            context = context_of(browser)
            context.route(is_of_data, never)
            page = context.new_page()
            asked = []
            page.on("request", lambda request: asked.append(request.url))
            # On a busy machine rows can come too late for the document; they are known then, and
            # come with the next.
            for attempt in range(6):
                asked.clear()
                page.goto(program.address + path)
                with contextlib.suppress(TimeoutError):
                    page.wait_for_function(HAS_ROWS, timeout=5_000)
                    break
            else:
                status = page.inner_text(".status")
                raise AssertionError(f"no rows come with {path!r}: {status!r}")
            page.wait_for_selector(ROWS)
            other = ("data:", "blob:")
            files = [url for url in asked if not is_of_data(url) and not url.startswith(other)]
            equal(len(files), 3, f"{path}: {files}")
            context.close()


def test_the_owner_sees_rows_and_buttons_before_any_request(browser):
    with shown(browser, recordings(60)) as (program, page):
        until(page, "60 recordings")
        page.context.route(is_of_data, never)
        page.goto(f"{program.address}?list=xeno-canto:{LIST}")
        until(page, "60 recordings")
        page.wait_for_selector("button:has-text('Sync')")


# Starts a load with the secret of a session.
LOAD = """(secret) => fetch('/api/chirper/loads', {
    method: 'POST',
    body: '{"query":"owl","source":"sample"}',
    headers: { 'Content-Type': 'application/json', 'X-Chirper-Session': secret },
})"""


def test_of_the_tabs_of_a_browser_one_asks_for_all(browser):
    with served(recordings(60)) as program, opened(browser, program) as page:
        # The number of a tab and an address.
        asked = []

        def note(number):
            def add(request):
                if request.url.endswith(("/state", "/events")):
                    asked.append((number, request.url))
            return add

        tabs = [page, *(page.context.new_page() for _ in range(3))]
        for number, tab in enumerate(tabs):
            tab.on("request", note(number))
            tab.goto(program.address)
            until(tab, "60 recordings")
        page.wait_for_timeout(6_000)
        asked.clear()
        page.wait_for_timeout(12_000)
        leaders = {number for number, _ in asked}
        assert len(leaders) == 1 and 1 <= len(asked) <= 4, asked
        [leader] = leaders

        # A load that one tab starts is seen in all, by one stream.
        secret = page.evaluate("() => JSON.parse(localStorage.getItem('chirper.secret'))")
        tabs[(leader + 1) % 4].evaluate(LOAD, secret)
        for tab in tabs:
            until(tab, "owl", "body")
        streams = [url for _, url in asked if url.endswith("/events")]
        assert len(streams) <= 1, asked

        # Another one goes on when the one that leads is closed.
        asked.clear()
        tabs[leader].close()
        start = time.monotonic()
        while not asked and time.monotonic() - start < 60:
            tabs[(leader + 1) % 4].wait_for_timeout(100)
        assert asked and leader not in {number for number, _ in asked}, asked


def test_sounds_are_fetched_and_taken_along(browser):
    with served() as program:
        amount = ["--pages", "1", "--per-page", "30"]
        program.run("fetch", "parrot", "--source", "sample", *amount, "--quiet")
        count = len(rows_of(program, "id", "list=sample:parrot&q=q:A"))
        all_count = len(rows_of(program, "id", "list=sample:parrot&q=q:A,B"))
        assert 2 < count < all_count < 30, (count, all_count)
        zip_button = f"dialog >> text=Zip file of {count} sounds"
        with opened(browser, program, "?list=sample:parrot&q=q:A") as page:
            until(page, f"{count} of ")
            page.click(".tools-line >> text=Export")
            until(page, f"0 of {count} sounds are kept here.", "dialog")
            page.click(f"dialog >> text=Fetch the other {count}")
            until(page, f"All {count} sounds are kept here.", "dialog")
            found = zipfile.ZipFile(io.BytesIO(saved(page, zip_button)))
            program.run("export", "parrot", "--where", "q:A", "--audio", program.home / "p.zip")
            wanted = zipfile.ZipFile(program.home / "p.zip")
            equal(found.namelist(), wanted.namelist(), "the files")
            sounds = [name for name in found.namelist() if name.endswith(".wav")]
            equal(len(sounds), count, "the sounds")
            for name in sounds:
                equal(found.read(name), wanted.read(name), name)

        # A reader takes what is kept, and fetches nothing.
        path = "?list=sample:parrot&q=q:A,B"
        with opened(browser, program, path, token=program.reader_token) as page:
            until(page, f"{all_count} of ")
            page.click(".tools-line >> text=Export")
            until(page, f"{count} of {all_count} sounds are kept here.", "dialog")
            equal(page.locator("dialog >> text=Fetch the other").count(), 0, "offers to fetch")
            with zipfile.ZipFile(io.BytesIO(saved(page, zip_button))) as found:
                for name in found.namelist():
                    assert str(program.home).encode() not in found.read(name), name
