"""The views of the database say what the exports say."""

import contextlib
import sqlite3

import pytest
from program import store
from services import needs_samples, recorded

LISTS = [
    ("xeno-canto", "gen:turdus"), ("gbif", "year:1900-2100"), ("inaturalist", "aves"),
    ("itunes", "the")]
DETAILS = [
    "scientificName", "vernacularName", "recordedBy", "locality", "quality", "decimalLatitude",
    "decimalLongitude"]


def views(chirper):
    with contextlib.closing(sqlite3.connect(
            f"file:{chirper.database}?mode=ro", uri=True)) as database:
        database.row_factory = sqlite3.Row
        return {
            name: [dict(row) for row in database.execute(f"SELECT * FROM {name}")]
            for name in ("lists", "recordings", "changes")}


def compare(chirper):
    """Compares lists and recordings; returns the values of the details that differ, and how many
    are equal."""
    found = views(chirper)
    lists = chirper.json("list")["queries"]
    # A query that never found anything is not listed.
    assert [
        (
            row["catalogue"], row["query"], row["pageSize"], row["recordings"], row["pages"],
            row["completeness"], row["oldestFetchedAt"], row["newestFetchedAt"])
        for row in sorted(
            filter(lambda row: row["recordings"], found["lists"]),
            key=lambda row: (row["catalogue"], row["query"]))] == [
                (
                    row["source"], row["query"], row["pageSize"], row["rows"], row["pagesStored"],
                    row["completeness"], row["fetchedAt"]["oldest"], row["fetchedAt"]["newest"])
                for row in sorted(lists, key=lambda row: (row["source"], row["query"]))]
    tidy = {
        (row["catalogue"], row["id"]): row
        for row in chirper.rows("search", "source:any gone:any", "--tidy", "--copies", "yes")}
    assert {(row["catalogue"], row["id"]) for row in found["recordings"]} == set(tidy)
    others, equal = [], 0
    for row in found["recordings"]:
        known = tidy[row["catalogue"], row["id"]]
        for name in DETAILS:
            one, other = row[name], known[name]
            if name.startswith("decimal"):
                one, other = one and round(one, 6), other and round(float(other), 6)
            if name == "quality" and one not in {"A", "B", "C", "D", "E"}:
                one = None
            if one == other:
                equal += 1
            else:
                others.append((row["catalogue"], name, one, other))
    return others, equal


def test_the_views_of_the_sample_say_what_exports_say():
    with store() as chirper:
        chirper.run("fetch", "parrot", "--source", "sample", "--all")
        chirper.run("fetch", "owl", "--source", "sample", "--pages", "1")
        others, equal = compare(chirper)
        assert not others and equal > 1000, others[:5]


@needs_samples
def test_the_views_of_real_records_say_what_exports_say():
    with store() as chirper, recorded() as address:
        chirper.reach(address)
        for source, query in LISTS:
            chirper.call("fetch", "--quiet", "--all", "--source", source, "--", query)
        others, equal = compare(chirper)
        # GBIF sends it as a text of the recordist's, in one of several places.
        others = [other for other in others if other[:2] != ("gbif", "quality")]
        # What is sent with mark-up or spaces around it is read by chirper, and not by a view.
        assert equal > 100 * len(others) > 0, [equal, len(others), *others[:40]]


def test_a_view_has_what_a_recording_was():
    with store() as chirper:
        chirper.run("fetch", "parrot", "--source", "sample", "--pages", "1")
        with contextlib.closing(sqlite3.connect(chirper.database)) as database, database:
            database.execute("UPDATE recording SET fields = json_set(fields, '$.q', 'Z')")
        chirper.run("fetch", "parrot", "--source", "sample", "--pages", "1")
        found = views(chirper)["changes"]
        assert found
        for row in found:
            assert '"q":"Z"' in row["fieldsBefore"] and row["catalogue"] == "sample", row
        with (
                contextlib.closing(sqlite3.connect(chirper.database)) as database,
                pytest.raises(sqlite3.OperationalError)):
            database.execute("DELETE FROM changes")
