"""Who may read and change what on the page of `chirper serve`: links, sessions, and readers."""

import http.client
import json
import os
import pty
import re
import socket

import pytest

from page import (
    LIST, ROWS, asked_of, context_of, equal, look, opened, recording, recordings, served, until,
    wait)

ASK = "Ask whoever runs chirper for the link."


def own_address():
    """An address at which other machines reach this one."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))
        except OSError:
            pytest.skip("this machine has no address but its own")
        return probe.getsockname()[0]


def test_a_link_is_asked_nothing_before_its_session(browser):
    address = own_address()
    with served([recording(1)]) as program:
        program.stop()
        program.serve("--listen", address)
        # Chromium takes that header over HTTPS alone.
        with opened(browser, program, expected=["Cross-Origin-Opener-Policy"]) as page:
            until(page, "1 recording")
            assert "You can look" not in page.inner_text("body")


def listen(program, *options, **more):
    """Starts the server anew for other machines. This one reaches it by its own address, with a
    token as they do."""
    program.stop()
    program.serve("--listen", "0.0.0.0", *options, **more)
    program.address = f"http://127.0.0.1:{program.port}/"


def changing(page):
    """The buttons that fetch or change something, and the choice of a catalogue."""
    return page.eval_on_selector_all("button, select", """all => all
        .map((one) => one.getAttribute('aria-label') ?? one.innerText)
        .filter((text) => /Fetch|Sync|Forget|Load more|Stop|Catalogue|Try again/.test(text))""")


def test_a_reader_is_offered_nothing_that_changes_or_costs(browser):
    with served(recordings(600)) as program:
        with opened(browser, program) as page:
            until(page, "500 recordings")
            offered = ["Catalogue to fetch from", "Fetch", f"Forget {LIST}", f"Sync {LIST}"]
            equal(sorted(set(changing(page))), offered, "what the owner is offered")
        program.run("fetch", "owl", "--source", "sample", "--audio", "--pages", "1", "--quiet")
        path = f"?list=xeno-canto:{LIST}"
        for options, link in (((), True), (("--public",), False)):
            listen(program, *options)
            token = program.reader_token
            with opened(browser, program, path, token=token, link=link) as page:
                asked = asked_of(page, lambda request: request.method != "GET")
                until(page, "500 recordings")
                look(page, "reader")
                equal(changing(page), [], "what a reader is offered")
                page.keyboard.press("Tab")
                page.click(ROWS)
                until(page, "This sound is not kept here.", ".recording")
                page.focus(".grid")
                page.keyboard.press("p")
                until(page, "This sound is not kept here.", ".notice")
                page.keyboard.press("End")
                page.fill("#search", "nothing has this")
                until(page, "Nothing in this list matches.", "main")
                equal(changing(page), [], "what a reader is offered where nothing is found")
                page.goto(program.address + "?list=xeno-canto:kea")
                until(page, "is not stored", "main")
                equal(changing(page), [], "what a reader is offered where a list is not stored")
                page.goto(program.address + "?list=sample:owl")
                page.wait_for_selector(ROWS)
                page.click(ROWS)
                page.wait_for_selector(".recording [aria-label=Play]")
            equal(asked, [], "what is asked apart from reading")


def test_an_empty_store_offers_a_reader_nothing_to_fetch(browser):
    with served() as program:
        listen(program)
        with opened(browser, program, token=program.reader_token) as page:
            until(page, "Whoever runs chirper can fetch recordings.", "main")
            equal(changing(page), [], "what a reader is offered")


@pytest.fixture(scope="module")
def listening():
    """A server for other machines, with a list of one recording."""
    with served([recording(1)]) as program:
        listen(program)
        yield program


def test_a_page_without_its_link_says_whom_to_ask(browser, listening):
    with opened(browser, listening, link=False, expected=["401"]) as page:
        until(page, ASK, "main")
        # Nobody saw a code.
        equal(page.locator(".message input").count(), 0, "fields for a code")
        look(page, "no link")
        equal(changing(page), [], "what is offered without a link")
        # It is opened in another tab.
        other = page.context.new_page()
        other.goto(f"{listening.address}#{listening.reader_token}")
        until(page, "1 recording")
    with opened(browser, listening, token="0" * 32, expected=["401"]) as page:
        until(page, ASK, "main")
        until(page, ASK, ".notice")


class Terminal:
    """A terminal that a server says its sentences on."""

    def __init__(self):
        self.end, self.slave = pty.openpty()
        self.text = ""

    def until(self, pattern):
        """The first part of what it says that fits, as soon as it is there."""
        while not (found := re.search(pattern, self.text)):
            self.text += os.read(self.end, 65_536).decode()
        return found


def status_of(program, code, address):
    """The answer to a code that is sent from an address of this machine: its status and kind."""
    client = http.client.HTTPConnection(
        "127.0.0.1", program.port, timeout=30, source_address=(address, 0))
    client.request("POST", "/session", json.dumps({"code": code}))
    answer = client.getresponse()
    kind = json.load(answer).get("error", {}).get("kind")
    client.close()
    return answer.status, kind


def type_code(page, code):
    """Types a code by the keyboard alone, as it is read aloud."""
    page.focus(".message input")
    page.keyboard.press("Control+A")
    page.keyboard.type(code)
    page.keyboard.press("Enter")


def test_a_code_that_is_read_aloud_opens_the_page_to_readers(browser):
    terminal = Terminal()
    with served([recording(1)]) as program:
        listen(program, terminal=terminal.slave)
        code = terminal.until("the code ([A-Z]{6}) at http")[1]
        with opened(browser, program, link=False, expected=["401"]) as page:
            until(page, "This page needs a link or a code.", "main")
            assert page.get_by_label("Code").count() == 1
            look(page, "a field for the code")
            type_code(page, f"{code[:3]} {code[3:]}".lower())
            until(page, "1 recording")
            assert code not in page.url
            equal(changing(page), [], "what a reader by the code is offered")
            page.reload()
            until(page, "1 recording")
        # Each address has five tries in a minute, and all of them have a hundred.
        others = [f"127.0.0.{number}" for number in range(2, 22)]
        with opened(browser, program, link=False, expected=["401", "429"]) as page:
            until(page, "or a code", "main")
            type_code(page, "abc")
            until(page, "This is not the code", ".message [role=alert]")
            look(page, "a wrong code")
            for _ in range(4):
                equal(status_of(program, "ABC", "127.0.0.1"), (401, "wrong-code"), "a wrong code")
            for typed in ("ABC", code):
                equal(status_of(program, typed, "127.0.0.1"), (429, "too-many-codes"), "the sixth")
            equal(status_of(program, code, others[0]), (200, None), "from a different address")
            type_code(page, code)
            until(page, "Try again in", ".message [role=alert]")
            answers = [status_of(program, "ABC", address) for address in others for _ in range(5)]
            equal(answers[:94], [(401, "wrong-code")] * 94, "wrong codes")
            equal(answers[94:], [(401, "code-off")] * 6, "wrong codes after a hundred")
            terminal.until("100 wrong codes were typed, so the code is off.")
            equal(status_of(program, code, others[0]), (401, "code-off"), "the right code")
            # The page offers the field no more.
            type_code(page, code)
            until(page, "The code is off", ".message [role=alert]")
            until(page, ASK, ".message [role=alert]")
            equal(page.locator(".message input").count(), 0, "fields")
            look(page, "a code that is off")
        with opened(browser, program, link=False, expected=["401"]) as page:
            until(page, ASK, "main")
            assert "code" not in page.inner_text("main")
        with opened(browser, program, token=program.reader_token) as page:
            until(page, "1 recording")


def test_the_right_link_asks_for_its_session_first(browser, listening):
    address = listening.address
    for token in (listening.token, listening.reader_token):
        context = context_of(browser)
        page = context.new_page()
        asked = asked_of(page)
        page.goto(f"{address}#{token}")
        until(page, "1 recording")
        home = f"GET {address}"
        first = [one for one in asked if "page/" not in one and one.split("#")[0] != home]
        session = [f"POST {address}session", f"GET {address}session"]
        equal(first[:2], session, "the first requests")
        assert "Ask whoever" not in page.inner_text("body") and "#" not in page.url
        context.close()


@pytest.fixture
def parrots():
    with served() as program:
        program.run("fetch", "parrot", "--source", "sample", "--quiet")
        yield program


def sync(page):
    page.click(".lists >> text=parrot")
    page.click(".lists li.open >> text=Sync")


def test_without_the_token_it_only_reads(browser, parrots):
    with opened(browser, parrots, link=False, expected=["401"]) as page:
        page.wait_for_selector(ROWS)
        sync(page)
        until(page, ASK, ".notice")


# Starts a load with a secret, and returns the status of the answer.
LOAD = """async (secret) => {
    const { status } = await fetch('/api/chirper/loads', {
        method: 'POST',
        body: '{"query":"owl","source":"sample"}',
        headers: secret ? { 'X-Chirper-Session': secret } : {},
    })
    return status
}"""
IS_SYNCED = """fetch('/api/chirper/loads').then((answer) => answer.json())
    .then(({ loads }) => loads.some(({ kind, state }) => kind === 'sync' && state === 'done'))"""


def test_the_cookie_of_a_session_only_reads(browser, parrots):
    with opened(browser, parrots, expected=["401"]) as page:
        page.wait_for_selector(ROWS)
        [cookie] = [cookie["value"] for cookie in page.context.cookies()]
        secret = page.evaluate("JSON.parse(localStorage.getItem('chirper.secret'))")
        assert parrots.token not in cookie
        assert parrots.token not in secret
        assert cookie != secret
        answers = [page.evaluate(LOAD, value) for value in (None, cookie, secret)]
        equal(answers, [401, 401, 202], "loads without and with the secret")
        # In a tab that is opened later the secret is there, without the link.
        page.goto(parrots.address)
        page.wait_for_selector(ROWS)
        sync(page)
        wait(page, IS_SYNCED)
        page.evaluate("localStorage.removeItem('chirper.secret')")
        page.reload()
        page.wait_for_selector(ROWS)
        page.click(".lists li.open >> text=Sync")
        until(page, ASK, ".notice")
