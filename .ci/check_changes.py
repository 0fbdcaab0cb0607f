"""Fetches a list of the samples, fetches it again a month later, and compares what `chirper changes` and `chirper news` say with the
samples themselves: check_changes.py [PROGRAM]. Says so and ends well if the samples are not there.
"""

import json
import pathlib
import sys
import tempfile

import check_search

SAMPLES = check_search.SHARED / "samples" / "gbif"
COL = "7ddf754f-d193-4cc9-b351-99906754a03b"
RANKS = ["kingdom", "phylum", "class", "order", "family", "genus", "species"]
VOLATILE = {"lastCrawled", "lastParsed", "lastInterpreted", "crawlId", "classifications"}
# A part of a detail is named if the whole did not change.
WHOLE = {
    **dict.fromkeys(["year", "month", "day"], "eventDate"), **dict.fromkeys(["genus", "specificEpithet", "infraspecificEpithet"], "scientificName"),
    **dict.fromkeys(["license", "allowsCommercialUse", "allowsDerivatives"], "licenseName"),
}
QUERIES = ["year:1900-2100", "aves", "cnt:norway"]


def records(name):
    """The occurrences by their keys, without what changes with each crawl."""
    with open(SAMPLES / name, encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    return {
        str(row["key"]): {name: value for name, value in row.items() if name not in VOLATILE} | {"names": names(row)}
        for row in rows
    }


def names(row):
    """The names that details have of the record in the Catalogue of Life."""
    entry = row.get("classifications", {}).get(COL, {})
    usage = entry.get("acceptedUsage") or entry.get("usage") or {}
    ranks = {taxon["rank"].lower(): taxon["name"] for taxon in entry.get("classification", [])}
    return [usage.get("name"), *(ranks.get(rank) for rank in RANKS)]


def fetch(chirper, *options):
    with check_search.catalogues(*options) as addresses:
        chirper.environment.update(addresses)
        for query in QUERIES:
            chirper.run("fetch", "--quiet", "--all", "--source", "gbif", "--", query)


def tidy(chirper):
    """Every detail of every recording by its id, and the ids of each list."""
    rows, lists = {}, {}
    for query in QUERIES:
        found = chirper.rows("export", "--tidy", "--format", "jsonl", "--source", "gbif", "--", query)
        lists[query] = {row["id"] for row in found}
        rows.update((row["id"], row) for row in found)
    return rows, lists


def main():
    if not SAMPLES.is_dir():
        print("Skipped: there are no samples in ../shared")
        return
    program = sys.argv[1] if len(sys.argv) > 1 else check_search.ROOT / ".build" / "debug" / "chirper"
    later = SAMPLES / "derived-sounds-900-later.jsonl"
    with tempfile.TemporaryDirectory() as one, tempfile.TemporaryDirectory() as other:
        chirper, fresh = (check_search.Chirper(program, pathlib.Path(directory)) for directory in (one, other))
        fetch(chirper)
        before, lists_before = tidy(chirper)
        fetch(chirper, "--later", f"0:{later}")
        # A store that never had the list of before.
        fetch(fresh, "--later", f"0:{later}")
        after, lists_after = tidy(fresh)
        changes = chirper.rows("changes", "--format", "jsonl")
        news = json.loads(chirper.run("news", "--json"))
        selected = {query: {row["id"] for row in chirper.rows(
            "export", "--changed", "1d", "--tidy", "--format", "jsonl", "--source", "gbif", "--", query)} for query in QUERIES}

    old, new = records("derived-sounds-900.jsonl"), records(later.name)
    edited = {key for key in old.keys() & new.keys() if old[key] != new[key]}
    stored = before.keys() & after.keys()
    # An id is the key of the occurrence, and which of its sounds.
    changed = {id_ for id_ in stored if id_.split("-")[0] in edited}
    details = {
        (id_, name, json.dumps(before[id_][name]), json.dumps(after[id_][name])) for id_ in stored for name in before[id_]
        if before[id_][name] != after[id_][name] and before[id_].get(WHOLE.get(name)) == after[id_].get(WHOLE.get(name))
    }
    # It is made of other details.
    details = {detail for detail in details if detail[1] != "credit"}
    named = {(row["id"], row["detail"], json.dumps(row["old"]), json.dumps(row["new"])) for row in changes}
    assert len(edited) == 7 and changed, f"{len(edited)} records of the samples differ, {len(changed)} are stored"
    assert named == details, f"changes: {sorted(named ^ details)}"
    assert {row["id"] for row in changes} == changed, f"changed: {sorted(changed ^ {row['id'] for row in changes})}"
    blocks = {block["query"]: block["ids"] for block in news["queries"]}
    for query in QUERIES:
        expected = {
            "new": lists_after[query] - lists_before[query], "gone": lists_before[query] - lists_after[query],
            "changed": changed & lists_after[query] & lists_before[query],
        }
        said = blocks.get(query, {name: [] for name in expected})
        for name, ids in expected.items():
            assert set(said[name]) == ids and len(said[name]) == len(ids), f"{query}, {name}: {sorted(set(said[name]) ^ ids)}"
        assert selected[query] == {id_ for id_ in changed if id_ in lists_after[query]}, f"{query}: --changed"
    print(f"{len(changed)} recordings changed in {len(details)} details; news and changes of {len(QUERIES)} lists name them all")


if __name__ == "__main__":
    main()
