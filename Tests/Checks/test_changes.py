"""Fetches lists of the samples, fetches them again a month later, and compares what `chirper
news` says with the samples themselves."""

import json

import pytest

from program import store
from services import SAMPLES, needs_samples, recorded, sample_rows

pytestmark = needs_samples
LATER = "gbif/derived-sounds-900-later.jsonl"
COL = "7ddf754f-d193-4cc9-b351-99906754a03b"
RANKS = ["kingdom", "phylum", "class", "order", "family", "genus", "species"]
VOLATILE = {"lastCrawled", "lastParsed", "lastInterpreted", "crawlId", "classifications"}
# A part of a detail is named if the whole did not change.
WHOLE = {
    **dict.fromkeys(["year", "month", "day"], "eventDate"),
    **dict.fromkeys(["genus", "specificEpithet", "infraspecificEpithet"], "scientificName"),
    **dict.fromkeys(["license", "allowsCommercialUse", "allowsDerivatives"], "licenseName"),
}
QUERIES = ["year:1900-2100", "aves", "cnt:norway"]


def records(name):
    """The occurrences by their keys, without what changes with each crawl."""
    return {
        str(row["key"]): {name: value for name, value in row.items() if name not in VOLATILE} | {
            "names": names(row)}
        for row in sample_rows(name)}


def names(row):
    """The names that details have of the record in the Catalogue of Life."""
    entry = row.get("classifications", {}).get(COL, {})
    usage = entry.get("acceptedUsage") or entry.get("usage") or {}
    ranks = {taxon["rank"].lower(): taxon["name"] for taxon in entry.get("classification", [])}
    return [usage.get("name"), *(ranks.get(rank) for rank in RANKS)]


def fetch(chirper, *options):
    with recorded(*options) as address:
        chirper.reach(address)
        for query in QUERIES:
            chirper.run("fetch", "--quiet", "--all", "--source", "gbif", "--", query)


def tidy(chirper):
    """Every detail of every recording by its id, and the ids of each list."""
    rows, lists = {}, {}
    for query in QUERIES:
        found = chirper.rows("export", "--tidy", "--source", "gbif", "--", query)
        lists[query] = {row["id"] for row in found}
        rows.update((row["id"], row) for row in found)
    return rows, lists


@pytest.fixture(scope="module")
def month():
    """What is stored before and after it, by recording and by list; what `changes`, `news` and
    `--changed` say; and what the samples say."""
    with store() as chirper, store() as fresh:
        fetch(chirper)
        before, lists_before = tidy(chirper)
        fetch(chirper, "--later", f"0:{SAMPLES / LATER}")
        # A store that never had the lists of before.
        fetch(fresh, "--later", f"0:{SAMPLES / LATER}")
        after, lists_after = tidy(fresh)
        changes, news = chirper.rows("news"), chirper.json("news")
        selected = {
            query: {
                row["id"]
                for row in chirper.rows(
                    "export", "--changed", "1d", "--tidy", "--source", "gbif", "--", query)}
            for query in QUERIES}
    old, new = records("gbif/derived-sounds-900.jsonl"), records(LATER)
    edited = {key for key in old.keys() & new.keys() if old[key] != new[key]}
    # An id is the key of the occurrence, and which of its sounds.
    changed = {id_ for id_ in before.keys() & after.keys() if id_.split("-")[0] in edited}
    assert len(edited) == 7, "records of the samples that differ"
    assert changed, "none of them is stored"
    return before, lists_before, after, lists_after, changes, news, selected, changed


def test_changes_name_every_detail_that_differs(month):
    before, _, after, _, changes, _, _, changed = month
    details = set()
    for id_ in before.keys() & after.keys():
        old, new = before[id_], after[id_]
        # What follows from a detail that differs is not named, nor the credit, which is made of
        # other details.
        differing = {name for name in old if old[name] != new[name] and name != "credit"}
        for name in differing:
            whole = WHOLE.get(name)
            if old.get(whole) == new.get(whole):
                details.add((id_, name, json.dumps(old[name]), json.dumps(new[name])))
    named = {
        (row["id"], row["detail"], json.dumps(row["old"]), json.dumps(row["new"]))
        for row in changes}
    assert named == details
    assert {row["id"] for row in changes} == changed


@pytest.mark.parametrize("query", QUERIES)
def test_news_and_selections_name_what_is_new_gone_and_changed(month, query):
    _, lists_before, _, lists_after, _, news, selected, changed = month
    expected = {
        "new": lists_after[query] - lists_before[query],
        "gone": lists_before[query] - lists_after[query],
        "changed": changed & lists_after[query] & lists_before[query],
    }
    said = {block["query"]: block["ids"] for block in news["queries"]}.get(query, {})
    for name, ids in expected.items():
        assert sorted(said.get(name, [])) == sorted(ids), name
    assert selected[query] == changed & lists_after[query]
