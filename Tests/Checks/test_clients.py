"""Collects lists from `chirper serve` with clients that others wrote, and compares them with what
`chirper export` writes.

Only the address of each client is changed.
"""

import asyncio
import concurrent.futures
import threading
import time
import urllib.request

import pytest

from program import store
from services import needs_samples, recorded

aiohttp, requests, structlog = map(pytest.importorskip, ("aiohttp", "requests", "structlog"))
xc_dl, xcapi, xenopy, xeno_canto = map(
    pytest.importorskip,
    ("xc_dl.api.client", "xcapi.client", "xenopy.query", "xeno_canto.client.client"))
structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(50))


def xenocanto_api(store, query):
    client = xcapi.XenoCantoClient(api_key="any")
    client.API_ENDPOINT = store.address + "api/3/recordings"
    return client.search(query, per_page=50)


def xc_api_py(store, query):
    # It validates every recording and skips those that it cannot read, so only the raw pages are
    # compared.
    client = xeno_canto.Client.__new__(xeno_canto.Client)
    client._XC_API_BASE_URL = store.address + "api/3"
    client._api_key, client._verbose = "any", False
    client._recording_session = requests.Session()
    tags = dict(term.split(":", 1) for term in query.split(" "))
    url = client._prepare_url(tags)
    first = client._fetch_from_api(url, 1)
    rows = list(first.recordings)
    pages = getattr(first, "num_pages", None) or getattr(first, "numPages")
    for page in range(2, pages + 1):
        rows += client._fetch_from_api(url, page).recordings
    return rows


async def xc_dl_pages(store, query):
    xc_dl.API_BASE = store.address + "api/3/recordings"
    async with aiohttp.ClientSession() as session:
        client = xc_dl.XenoCantoClient("any", session, rate_limit=0)
        return [row async for row in client.fetch_all_pages(query, per_page=50)]


def xenopy_of_version_2(store, query):
    # Its address is in the middle of a function, so what it requests is sent to the server.
    original = urllib.request.urlopen
    try:
        urllib.request.urlopen = lambda url: original(url.replace(
            "https://www.xeno-canto.org", store.address.rstrip("/")))
        search = xenopy.Query.__new__(xenopy.Query)
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


def stored(chirper, name, where=None):
    return chirper.rows("export", name, *(["--where", where] if where else []))


@pytest.fixture(scope="module")
def sample():
    with store() as chirper:
        chirper.run("fetch", "parrot", "--source", "sample", "--all")
        chirper.serve()
        yield chirper


def fetched(chirper):
    chirper.run("fetch", "cnt:poland", "--all", "--per-page", "50")
    chirper.serve()
    return chirper


@pytest.fixture(scope="module")
def poland():
    with recorded() as address, store(address) as chirper:
        chirper.service = address
        yield fetched(chirper)


@pytest.fixture(
    scope="module",
    params=[
        ("sample", "en:parrot", "parrot", None),
        ("sample", "q:A type:song", "parrot", "q:A type:song"),
        ("sample", "cnt:ghana", "parrot", "cnt:ghana"),
        pytest.param(("poland", "cnt:poland", "cnt:poland", None), marks=needs_samples),
        pytest.param(
            ("poland", "q:A type:song", "cnt:poland", "q:A type:song"), marks=needs_samples),
    ],
    ids=lambda param: f"{param[0]}, {param[1]}")
def collection(request):
    """A server, a query, and what is stored for it."""
    name, query, *chosen = request.param
    chirper = request.getfixturevalue(name)
    expected = stored(chirper, *chosen)
    assert expected
    return chirper, query, expected


def test_xenocanto_api_collects_what_is_stored(collection):
    chirper, query, expected = collection
    assert xenocanto_api(chirper, query) == expected


def test_xc_api_py_collects_what_is_stored(collection):
    chirper, query, expected = collection
    assert xc_api_py(chirper, query) == expected


def test_xenopy_collects_what_is_stored_in_the_words_of_version_2(collection):
    chirper, query, expected = collection
    assert xenopy_of_version_2(chirper, query) == [as_version_2(row) for row in expected]


def test_xc_dl_collects_what_is_stored(collection):
    # It asks for four pages at a time, in any order, and keeps only the fields that it knows.
    chirper, query, expected = collection
    key = lambda row: row.id
    assert sorted(asyncio.run(xc_dl_pages(chirper, query)), key=key) == sorted(
        map(xc_dl.Recording.model_validate, expected), key=key)


@pytest.mark.parametrize(
    "name, query, list_name",
    [
        ("sample", "en:parrot", "parrot"),
        pytest.param("poland", "cnt:poland", "cnt:poland", marks=needs_samples)])
def test_fifty_clients_at_once_collect_what_is_stored(request, name, query, list_name):
    chirper = request.getfixturevalue(name)
    expected = stored(chirper, list_name)
    with concurrent.futures.ThreadPoolExecutor(50) as pool:
        assert all(
            found == expected
            for found in pool.map(lambda _: xenocanto_api(chirper, query), range(50)))


@needs_samples
@pytest.mark.parametrize(
    "tag",
    [
        "smp:48000", 'smp:">44100"', "auto:no", "mic:sennheiser", "dvc:olympus", 'temp:"<20"',
        "regnr:1", "time:07:30"])
def test_a_query_finds_what_the_service_finds_in_a_list_that_is_stored_whole(poland, tag):
    words = {"query": f"cnt:poland {tag}", "key": "demokey123", "per_page": 500}
    rows = requests.get(f"{poland.service}/api/3/recordings", words).json()["recordings"]
    ids = lambda rows: sorted(row["id"] for row in rows)
    assert len(rows) < 500 and ids(xenocanto_api(poland, words["query"])) == ids(rows)


@needs_samples
def test_clients_get_one_state_of_a_list_that_changes_or_totals_that_show_it(monkeypatch):
    # What the first walk reads is counted, and then the list changes in its middle and at its head.
    edits = ["--insert", "40:7:middle", "--delete", "41:5:head"]
    with recorded("--latency", "250", *edits) as address, store(address) as chirper:
        fetched(chirper)
        words = {"query": "cnt:poland", "key": "demokey123"}
        for _ in range(45):
            requests.get(f"{address}/api/3/recordings", words)
        totals = threading.local()
        original = requests.Session.request

        def noted(self, *words, **options):
            answer = original(self, *words, **options)
            totals.seen.add(answer.json()["numRecordings"])
            return answer

        def collect(_):
            walks = []
            while not walks or not changing.done():
                totals.seen = set()
                rows = xenocanto_api(chirper, "cnt:poland")
                walks.append(([row["id"] for row in rows], totals.seen))
            return walks

        before = [row["id"] for row in stored(chirper, "cnt:poland")]
        with monkeypatch.context() as patch, concurrent.futures.ThreadPoolExecutor(9) as pool:
            patch.setattr(requests.Session, "request", noted)
            changing = pool.submit(chirper.run, "sync", "cnt:poland")
            walks = sum(pool.map(collect, range(8)), [])
            changing.result()
        after = [row["id"] for row in stored(chirper, "cnt:poland")]
        # Clients that have paused get the list as it is now.
        time.sleep(10.5)
        assert [row["id"] for row in xenocanto_api(chirper, "cnt:poland")] == after
    assert before != after, "the list did not change"
    single = [(ids, seen) for ids, seen in walks if len(seen) == 1]
    assert single
    for ids, seen in single:
        assert seen == {str(len(ids))}, f"{len(ids)} rows of {seen}"
        assert len(set(ids)) == len(ids), "a row comes twice"
        assert set(ids) <= set(before) | set(after), "rows of neither state"
