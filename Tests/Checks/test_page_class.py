"""What a class of thirty needs of the page: few requests, one stream for a browser, and the sounds to take along."""

import contextlib
import time
import zipfile

from page import LIST, ROWS, TimeoutError, equal, opened, recording, served, shown, until


def never(route):
    """The request gets no answer."""


def test_three_requests_bring_a_page_with_rows(browser):
    rows = [recording(number) for number in range(1, 301)]
    with served(rows) as program:
        addresses = ["", f"?list=xeno-canto:{LIST}", "?q=q%3AA", f"?list=xeno-canto:{LIST}&q=type:song%20place&sort=-eventDate&sort=id&at=150", "?copies=all", "?q=%22place+1%22%20merula"]
        for address in addresses:
            context = browser.new_context()
            context.route(lambda url: "/api/" in url or "/session" in url or "/events" in url, never)
            page, asked = context.new_page(), []
            page.on("request", lambda request: asked.append(request.url))
            # On a busy machine rows can come too late for the document; they are known then, and come with the next.
            for attempt in range(6):
                asked.clear()
                page.goto(program.address + address)
                with contextlib.suppress(TimeoutError):
                    page.wait_for_function("() => /[1-9]\\d* (of \\d+ )?recordings/.test(document.querySelector('.status')?.innerText)", timeout=5_000)
                    break
            else:
                raise AssertionError(f"no rows come with {address!r}: {page.inner_text('.status')!r}")
            page.wait_for_selector(ROWS)
            files = [url for url in asked if "/api/" not in url and "/events" not in url and not url.startswith(("data:", "blob:"))]
            equal(len(files), 3, f"{address}: {files}")
            context.close()


def test_the_owner_sees_rows_and_buttons_before_any_request(browser):
    with shown(browser, [recording(number) for number in range(1, 61)]) as (program, page):
        until(page, "60 recordings")
        page.context.route(lambda url: "/api/" in url or "/session" in url, never)
        page.goto(f"{program.address}?list=xeno-canto:{LIST}")
        until(page, "60 recordings")
        page.wait_for_selector("button:has-text('Sync')")


def test_of_the_tabs_of_a_browser_one_asks_for_all(browser):
    with served([recording(number) for number in range(1, 61)]) as program, opened(browser, program) as page:
        asked = []
        tabs = [page, *(page.context.new_page() for _ in range(3))]
        for number, tab in enumerate(tabs):
            tab.on("request", lambda request, number=number: asked.append((number, request.url)) if request.url.endswith(("/state", "/events")) else None)
            tab.goto(program.address)
            until(tab, "60 recordings")
        page.wait_for_timeout(6_000)
        asked.clear()
        page.wait_for_timeout(12_000)
        leaders = {number for number, _ in asked}
        assert len(leaders) == 1 and 1 <= len(asked) <= 4, asked

        # A load that one tab starts is seen in all, by one stream.
        other = tabs[(leaders.copy().pop() + 1) % 4]
        other.evaluate("""(secret) => fetch('/api/chirper/loads', { method: 'POST', body: '{"query":"owl","source":"sample"}',
            headers: { 'Content-Type': 'application/json', 'X-Chirper-Session': secret } })""", page.evaluate("() => JSON.parse(localStorage.getItem('chirper.secret'))"))
        for tab in tabs:
            tab.wait_for_function("() => document.body.innerText.includes('owl')")
        assert sum(url.endswith("/events") for _, url in asked) <= 1, asked

        # Another one goes on when the one that leads is closed.
        [leader] = leaders
        asked.clear()
        tabs[leader].close()
        start = time.monotonic()
        while not asked and time.monotonic() - start < 60:
            tabs[(leader + 1) % 4].wait_for_timeout(100)
        assert asked and leader not in {number for number, _ in asked}, asked


def test_sounds_are_fetched_and_taken_along(browser):
    with served() as program:
        program.run("fetch", "parrot", "--source", "sample", "--pages", "1", "--per-page", "30", "--quiet")
        rows = program.get("/api/chirper/rows?list=sample:parrot&q=q:A&columns=id")["rows"]
        all_rows = program.get("/api/chirper/rows?list=sample:parrot&q=q:A,B&columns=id")["rows"]
        assert 2 < rows < all_rows < 30, (rows, all_rows)
        with opened(browser, program, "?list=sample:parrot&q=q:A") as page:
            until(page, f"{rows} of ")
            page.click(".tools-line >> text=Export")
            until(page, f"0 of {rows} sounds are kept here.", "dialog")
            page.click(f"dialog >> text=Fetch the other {rows}")
            until(page, f"All {rows} sounds are kept here.", "dialog")
            with page.expect_download() as download:
                page.click(f"dialog >> text=Zip file of {rows} sounds")
            found = zipfile.ZipFile(download.value.path())
            program.run("export", "parrot", "--where", "q:A", "--audio", program.home / "parrot.zip")
            wanted = zipfile.ZipFile(program.home / "parrot.zip")
            equal(found.namelist(), wanted.namelist(), "the files")
            sounds = [name for name in found.namelist() if name.endswith(".wav")]
            equal(len(sounds), rows, "the sounds")
            for name in sounds:
                equal(found.read(name), wanted.read(name), name)

        # A reader takes what is kept, and fetches nothing.
        with opened(browser, program, "?list=sample:parrot&q=q:A,B", token=program.reader_token) as page:
            until(page, f"{all_rows} of ")
            page.click(".tools-line >> text=Export")
            until(page, f"{rows} of {all_rows} sounds are kept here.", "dialog")
            equal(page.locator("dialog >> text=Fetch the other").count(), 0, "offers to fetch")
            with page.expect_download() as download:
                page.click(f"dialog >> text=Zip file of {rows} sounds")
            with zipfile.ZipFile(download.value.path()) as found:
                for name in found.namelist():
                    assert str(program.home).encode() not in found.read(name), name
