"""Collects lists from `chirper serve` with clients that others wrote, and compares them with what `chirper export` writes.

Only the address of each client is changed. Usage: check_clients.py CHIRPER SHARED
"""

import asyncio
import concurrent.futures
import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
import warnings

import aiohttp
import requests
import structlog
import xc_dl.api.client
import xcapi.client
import xenopy.query
import xeno_canto.client.client

CHIRPER, SHARED = sys.argv[1:]
# A background shell ignores it, and so would the servers that are started here.
signal.signal(signal.SIGINT, signal.default_int_handler)
warnings.simplefilter("ignore")
structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(50))


class Store:
    """A data directory of its own, and a server over it."""

    def __init__(self, environment):
        self.directory = tempfile.TemporaryDirectory()
        self.environment = {"PATH": os.environ["PATH"], "HOME": self.directory.name, **environment}

    def run(self, *words):
        return subprocess.run([CHIRPER, *words], env=self.environment, capture_output=True, text=True)

    def rows(self, *words):
        done = self.run("export", *words, "--format", "jsonl")
        assert done.returncode == 0, done.stderr
        return [json.loads(line) for line in done.stdout.splitlines()]

    def __enter__(self):
        self.server = subprocess.Popen([CHIRPER, "serve", "--port", "0"], env=self.environment, stdout=subprocess.PIPE, text=True)
        self.address = self.server.stdout.readline().strip().rstrip("/")
        return self

    def __exit__(self, *_):
        self.server.send_signal(signal.SIGINT)
        assert self.server.wait(timeout=5) == 0


def xenocanto_api(store, query):
    client = xcapi.client.XenoCantoClient(api_key="any")
    client.API_ENDPOINT = store.address + "/api/3/recordings"
    return client.search(query, per_page=50)


def xc_api_py(store, query):
    # It validates every recording and skips those that it cannot read, so only the raw pages are compared.
    module = xeno_canto.client.client
    client = module.Client.__new__(module.Client)
    client._XC_API_BASE_URL = store.address + "/api/3"
    client._api_key, client._verbose = "any", False
    client._recording_session = __import__("requests").Session()
    tags = dict(term.split(":", 1) for term in query.split(" "))
    url = client._prepare_url(tags)
    first = client._fetch_from_api(url, 1)
    rows = list(first.recordings)
    pages = getattr(first, "num_pages", None) or getattr(first, "numPages")
    for page in range(2, pages + 1):
        rows += client._fetch_from_api(url, page).recordings
    return rows


async def xc_dl_pages(store, query):
    xc_dl.api.client.API_BASE = store.address + "/api/3/recordings"
    async with aiohttp.ClientSession() as session:
        client = xc_dl.api.client.XenoCantoClient("any", session, rate_limit=0)
        return [row async for row in client.fetch_all_pages(query, per_page=50)]


def xc_dl_models(store, query, expected):
    # It asks for four pages at a time, in any order, and keeps only the fields that it knows.
    found = asyncio.run(xc_dl_pages(store, query))
    model = xc_dl.api.client.Recording
    key = lambda row: row.id
    return sorted(found, key=key), sorted((model.model_validate(row) for row in expected), key=key)


def xenopy_of_version_2(store, query):
    # Its address is in the middle of a function, so what it requests is sent to the server.
    original = urllib.request.urlopen
    try:
        urllib.request.urlopen = lambda url: original(url.replace("https://www.xeno-canto.org", store.address))
        search = xenopy.query.Query.__new__(xenopy.query.Query)
        search.query = query.replace(" ", "%20")
        return search.retrieve_meta(recordings_only=True)
    finally:
        urllib.request.urlopen = original


def as_version_2(row):
    names = {"lon": "lng", "grp": "group"}
    new = {names.get(name, name): value for name, value in row.items()}
    if "animal-seen" in row:
        new["bird-seen"] = row["animal-seen"]
    return new


def check(name, found, expected):
    order = [row["id"] for row in found] == [row["id"] for row in expected]
    if found != expected:
        sys.exit(f"{name}: {len(found)} rows in place of {len(expected)}, same ids in order: {order}")
    print(f"{name}: {len(found)} rows, as stored")


def compare(store, queries):
    with store:
        for query, list_name, condition in queries:
            expected = store.rows(list_name, *(["--where", condition] if condition else []))
            assert expected, query
            check(f"xenocanto-api {query}", xenocanto_api(store, query), expected)
            check(f"xc-api-py {query}", xc_api_py(store, query), expected)
            check(f"xenopy {query}", xenopy_of_version_2(store, query), [as_version_2(row) for row in expected])
            found, wanted = xc_dl_models(store, query, expected)
            assert found == wanted, f"xc-dl {query}: {len(found)} of {len(wanted)}"
            print(f"xc-dl {query}: {len(found)} rows, as stored")
        query, list_name, condition = queries[0]
        expected = store.rows(list_name, *(["--where", condition] if condition else []))
        with concurrent.futures.ThreadPoolExecutor(50) as pool:
            for found in pool.map(lambda _: xenocanto_api(store, query), range(50)):
                assert found == expected
        print(f"50 clients at once: {len(expected)} rows each, as stored")


def compare_with_service(store, port, queries):
    """What a query finds in a list that is stored whole is what the service finds."""
    with store:
        for query in queries:
            words = {"query": f"cnt:poland {query}", "key": "demokey123", "per_page": 500}
            rows = requests.get(f"http://127.0.0.1:{port}/api/3/recordings", words).json()["recordings"]
            found = xenocanto_api(store, words["query"])
            ids = lambda rows: sorted(row["id"] for row in rows)
            assert len(rows) < 500 and ids(found) == ids(rows), f"{query}: {len(found)} rows in place of {len(rows)}"
            print(f"{query}: {len(found)} rows, as at the service")


def walk_while_it_changes(store, query, change):
    """Clients collect a list while `change` changes it: each gets one state of it, or totals that show that it changed."""
    totals = threading.local()
    original = requests.Session.request

    def noted(self, *words, **options):
        answer = original(self, *words, **options)
        totals.seen.add(answer.json()["numRecordings"])
        return answer

    def collect(_):
        walks = []
        while not walks or changing.is_alive():
            totals.seen = set()
            rows = xenocanto_api(store, query)
            walks.append(([row["id"] for row in rows], totals.seen))
        return walks

    with store:
        before = [row["id"] for row in store.rows(query)]
        changing = threading.Thread(target=change)
        requests.Session.request = noted
        try:
            changing.start()
            with concurrent.futures.ThreadPoolExecutor(8) as pool:
                walks = sum(pool.map(collect, range(8)), [])
        finally:
            requests.Session.request = original
            changing.join()
        after = [row["id"] for row in store.rows(query)]
        # Clients that have paused get the list as it is now.
        time.sleep(10.5)
        assert [row["id"] for row in xenocanto_api(store, query)] == after
    assert before != after, "the list did not change"
    single = 0
    for ids, seen in walks:
        if len(seen) == 1:
            single += 1
            assert str(len(ids)) == next(iter(seen)) and len(set(ids)) == len(ids), f"{len(ids)} rows of {seen}"
            assert set(ids) <= set(before) | set(after), "rows of neither state"
    assert single > 0
    print(f"while a sync changes the list: {len(walks)} walks, {single} of one state, {len(walks) - single} whose total changed")


sample = Store({})
assert sample.run("fetch", "parrot", "--source", "sample", "--all").returncode == 0
compare(sample, [("en:parrot", "parrot", None), ("q:A type:song", "parrot", "q:A type:song"), ("cnt:ghana", "parrot", "cnt:ghana")])

if not os.path.isdir(os.path.join(SHARED, "samples")):
    print("skipped: the recorded answers are not here")
    sys.exit()
port = 18000 + os.getpid() % 1000


def replaying(port, *options):
    tool = os.path.join(SHARED, "tools", "replay.py")
    started = subprocess.Popen([sys.executable, tool, "--port", str(port), "--latency", "0", *options],
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    time.sleep(1.5)
    return started


def environment(port):
    return {"CHIRPER_XENO_CANTO_URL": f"http://127.0.0.1:{port}", "XENO_CANTO_API_KEY": "demokey123", "CHIRPER_SOURCE": "xeno-canto"}


def fetched(port):
    store = Store(environment(port))
    done = store.run("fetch", "cnt:poland", "--all", "--per-page", "50")
    assert done.returncode == 0, done.stderr
    return store


replay = replaying(port)
try:
    store = fetched(port)
    compare(store, [("cnt:poland", "cnt:poland", None), ("q:A type:song", "cnt:poland", "q:A type:song")])
    tags = ["smp:48000", 'smp:">44100"', "auto:no", "mic:sennheiser", "dvc:olympus", 'temp:"<20"', "regnr:1", "time:07:30"]
    compare_with_service(store, port, tags)
finally:
    replay.kill()

# What the first walk reads is counted, and then the list changes in its middle and at its head.
replay = replaying(port + 1, "--latency", "250", "--insert", "40:7:middle", "--delete", "41:5:head")
try:
    store = fetched(port + 1)
    for _ in range(45):
        requests.get(f"http://127.0.0.1:{port + 1}/api/3/recordings", {"query": "cnt:poland", "key": "demokey123"})

    def sync():
        done = store.run("sync", "cnt:poland")
        assert done.returncode == 0, done.stderr

    walk_while_it_changes(store, "cnt:poland", sync)
finally:
    replay.kill()
