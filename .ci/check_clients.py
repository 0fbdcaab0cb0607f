"""Collects lists from `chirper serve` with clients that others wrote, and compares them with what `chirper export` writes.

Only the address of each client is changed. Usage: check_clients.py CHIRPER SHARED
"""

import concurrent.futures
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
import urllib.request
import warnings

import xcapi.client
import xenopy.query
import xeno_canto.client.client

CHIRPER, SHARED = sys.argv[1:]
warnings.simplefilter("ignore")


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
        query, list_name, condition = queries[0]
        expected = store.rows(list_name, *(["--where", condition] if condition else []))
        with concurrent.futures.ThreadPoolExecutor(50) as pool:
            for found in pool.map(lambda _: xenocanto_api(store, query), range(50)):
                assert found == expected
        print(f"50 clients at once: {len(expected)} rows each, as stored")


sample = Store({})
assert sample.run("fetch", "parrot", "--source", "sample", "--all").returncode == 0
compare(sample, [("en:parrot", "parrot", None), ("q:A type:song", "parrot", "q:A type:song"), ("cnt:ghana", "parrot", "cnt:ghana")])

if not os.path.isdir(os.path.join(SHARED, "samples")):
    print("skipped: the recorded answers are not here")
    sys.exit()
port = 18000 + os.getpid() % 1000
replay = subprocess.Popen([sys.executable, os.path.join(SHARED, "tools", "replay.py"), "--port", str(port), "--latency", "0"],
                          stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
try:
    time.sleep(1.5)
    real = Store({"CHIRPER_XENO_CANTO_URL": f"http://127.0.0.1:{port}", "XENO_CANTO_API_KEY": "demokey123",
                  "CHIRPER_SOURCE": "xeno-canto"})
    done = real.run("fetch", "cnt:poland", "--all")
    assert done.returncode == 0, done.stderr
    compare(real, [("cnt:poland", "cnt:poland", None), ("q:A type:song", "cnt:poland", "q:A type:song")])
finally:
    replay.kill()
