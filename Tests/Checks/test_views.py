"""The views of the database say what the exports say."""

import contextlib
import json
import sqlite3

import pytest
from program import store
from services import needs_samples, recorded

LISTS = [
    ("xeno-canto", "gen:turdus"), ("gbif", "year:1900-2100"), ("inaturalist", "aves"),
    ("itunes", "the")]
DETAILS = [
    "scientificName", "vernacularName", "recordedBy", "locality", "quality", "decimalLatitude",
    "decimalLongitude", "license", "references"]


def views(chirper):
    with contextlib.closing(sqlite3.connect(
            f"file:{chirper.database}?mode=ro", uri=True)) as database:
        database.row_factory = sqlite3.Row
        return {
            name: [dict(row) for row in database.execute(f"SELECT * FROM {name}")]
            for name in ("lists", "recordings", "entries", "changes")}


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
    entries = {(row["catalogue"], row["query"]): set() for row in found["lists"]}
    for row in found["entries"]:
        entries[row["catalogue"], row["query"]].add(row["id"])
    for row in lists:
        listed = chirper.rows("list", row["query"], "--source", row["source"], "--tidy")
        assert entries[row["source"], row["query"]] == {one["id"] for one in listed}
    others, equal = [], 0
    for row in found["recordings"]:
        assert row["hasDetails"] == 1
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


def test_a_view_takes_the_licence_of_the_sound_and_no_detail_of_fields_that_it_does_not_know():
    zero = "https://creativecommons.org/publicdomain/zero/1.0/"
    by = "//creativecommons.org/licenses/by/4.0/"
    text = {"lic": "http://creativecommons.org/licenses/by/4.0/legalcode"}

    def sounds(*codes):
        return {"sounds": [{"id": n + 1, "license_code": code} for n, code in enumerate(codes)]}

    def media(*licences):
        return {"license": zero, "media": [
            {"type": "Sound", **({"license": one} if one else {})} for one in licences]
            + [{"type": "StillImage", "license": zero}]}

    recordings = [
        ("inaturalist", "7-2", sounds("cc-by-nc", "cc0"), zero),
        ("inaturalist", "7-1", sounds(None, "cc0"), None),
        ("inaturalist", "8", sounds("CC-BY"), "https:" + by),
        ("gbif", "9", media(by), "https:" + by), ("gbif", "9-a", media(by, by), "https:" + by),
        ("gbif", "9-b", media(by, zero), None), ("gbif", "9-c", media(by, None), None),
        ("gbif", "9-d", {"license": zero}, None),
        ("xeno-canto", "1", text, "https:" + by), ("xeno-canto", "2", {"lic": "ask me"}, None),
        ("diary", "1", {"license": zero, "type": "wav", "country": "Norway"}, None),
        ("diary", "2", {"importedAs": "details", "license": zero, "country": "Norway"}, zero),
    ]
    with store() as chirper:
        chirper.run("fetch", "owl", "--source", "sample", "--pages", "1")
        with contextlib.closing(sqlite3.connect(chirper.database)) as database, database:
            database.execute("DELETE FROM entry")
            database.execute("DELETE FROM recording")
            for catalogue, id, fields, _ in recordings:
                database.execute("INSERT OR IGNORE INTO catalogue (name) VALUES (?)", [catalogue])
                database.execute(
                    "INSERT INTO recording (catalogue_id, id, fields, stored_at, changed_at) "
                    "SELECT catalogue_id, ?, ?, 0, 0 FROM catalogue WHERE name = ?",
                    [id, json.dumps(fields, separators=(",", ":")), catalogue])
        rows = views(chirper)["recordings"]
        assert [(row["catalogue"], row["id"], row["license"]) for row in rows] == [
            (catalogue, id, licence) for catalogue, id, _, licence in recordings]
        own = [row for row in rows if row["catalogue"] == "diary"]
        assert [(row["hasDetails"], row["country"], row["behavior"]) for row in own] == [
            (0, None, None), (1, "Norway", None)]
        assert json.loads(own[0]["fields"])["country"] == "Norway"


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
