"""Exports two species from three catalogues, and compares the rows with what the samples themselves
have.

What is expected is read from the samples alone: recordings of the species whose licence allows
changed versions, without GBIF's copies of recordings of xeno-canto that are among them. Several
sounds under one number of xeno-canto are no copies, because the number is one sound.
"""

import collections
import contextlib
import csv
import io
import json
import sqlite3
import struct

import pytest

from program import store
from services import needs_samples, recorded, sample_rows

pytestmark = needs_samples
SOURCES = ("xeno-canto", "gbif", "inaturalist")
SPECIES = ("Bubo bubo", "Strix aluco")


def allows_changes(licence):
    """Creative Commons without ND, or the public domain, by an address or a code."""
    licence = (licence or "").lower()
    is_known = "creativecommons.org/" in licence or licence.startswith(("cc-by", "cc0"))
    return is_known and "nd" not in licence.replace("creativecommons.org", "").replace(
        "/", "-").split("-")


def licence_name(licence):
    """`CC BY-NC-SA 4.0` of the address, or of the code, which is of version 4.0."""
    if not licence.startswith("cc"):
        _, kind, version = licence.split("creativecommons.org/")[1].split("/")[:3]
        return f"CC {kind.upper()} {version}"
    return "CC0 1.0" if licence == "cc0" else f"CC {licence.removeprefix('cc-').upper()} 4.0"


def degrees(latitude, longitude):
    """None if one is missing."""
    return None if latitude in (None, "") or longitude in (None, "") else (
        float(longitude), float(latitude))


def expected(*sources):
    """The recordings by (catalogue, what identifies it in the samples), with what is known of each;
    how many of GBIF are copies that may be used; and how many recordings may not."""
    rows, copies, refused = {}, {}, 0
    if "xeno-canto" in sources:
        for one in sample_rows("xeno-canto/recordings-2150.jsonl"):
            if f"{one['gen']} {one['sp']}" in SPECIES:
                refused += not allows_changes(one["lic"])
                if allows_changes(one["lic"]):
                    credit = f"{one['rec']}, XC{one['id']}, {licence_name(one['lic'])}"
                    rows["xeno-canto", one["id"]] = (
                        degrees(one["lat"], one["lon"]), licence_name(one["lic"]), credit)
    for one in sample_rows("inaturalist/derived-sounds-300.jsonl"):
        if (one.get("taxon") or {}).get("name", "").startswith(SPECIES):
            place = degrees(*(one["location"] or ",").split(","))
            for sound in one["sounds"]:
                refused += not allows_changes(sound["license_code"])
                if allows_changes(sound["license_code"]):
                    licence = licence_name(sound["license_code"])
                    recordist = one["user"]["name"] or one["user"]["login"]
                    credit = f"{recordist}, {one['id']}, {licence}"
                    rows["inaturalist", f"{one['id']}-{sound['id']}"] = (place, licence, credit)
    for one in sample_rows("gbif/derived-sounds-900.jsonl"):
        sounds = [media for media in one.get("media", []) if media.get("type") == "Sound"]
        if one.get("species") in SPECIES:
            place = degrees(one.get("decimalLatitude"), one.get("decimalLongitude"))
            for sound in sounds:
                refused += not allows_changes(sound.get("license"))
                if allows_changes(sound.get("license")):
                    licence = licence_name(sound["license"])
                    fact = (
                        place, licence, f"{one['recordedBy']}, {one['catalogNumber']}, {licence}")
                    if len(sounds) == 1:
                        copies["gbif", one["catalogNumber"]] = fact
                    else:
                        rows["gbif", sound["identifier"]] = fact
    # Each number once: as xeno-canto's own, or else as the copy.
    own = {
        key: fact
        for key, fact in copies.items()
        if ("xeno-canto", key[1].removeprefix("XC")) not in rows}
    return {**rows, **own}, len(copies), refused


def point(geometry):
    """Longitude and latitude of the geometry of a GeoPackage (OGC 12-128r19, 2.1.3); None if there
    is none."""
    if geometry is None:
        return None
    assert geometry[:3] == b"GP\0" and struct.unpack_from("<i", geometry, 4) == (4326,), geometry
    envelope = [0, 32, 48, 48, 64][geometry[3] >> 1 & 7]
    order, kind, longitude, latitude = struct.unpack_from("<BIdd", geometry, 8 + envelope)
    assert (order, kind) == (1, 1), (order, kind)
    return longitude, latitude


def identified(row):
    """A row of the tidy table, as in `expected`."""
    names = {"gbif": row["catalogNumber"] if row["alsoIn"] else row["accessURI"]}
    return row["catalogue"], names.get(row["catalogue"], row["id"])


class Chosen:
    """Recordings of two species from three catalogues, fetched as a list each, that may be changed,
    each once."""

    choice = ["--for", "derivatives", "--copies", "no"]
    lists = [f"{source}:{name}" for source in SOURCES for name in SPECIES]

    def __init__(self, chirper):
        self.chirper, (self.wanted, self.copies, self.refused) = chirper, expected(*SOURCES)
        for one in self.lists:
            source, name = one.split(":")
            chirper.run("fetch", "--quiet", "--all", "--scientific", "--source", source, "--", name)
        self.table = list(csv.DictReader(io.StringIO(self.text("table.csv"), newline="")))
        self.found = [identified(row) for row in self.table]

    def exported(self, name, *options):
        file = self.chirper.home / name
        report = self.chirper.json("export", *self.lists, *self.choice, *options, "-o", file)
        assert report["written"] == len(self.wanted), (name, report["written"], len(self.wanted))
        sources = [(one["source"], one["completeness"]) for one in report["lists"]]
        assert sources == [(one.split(":")[0], "complete") for one in self.lists]
        return file

    def text(self, name, *options):
        return self.exported(name, *options).read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def chosen():
    with recorded() as address, store(address) as chirper:
        yield Chosen(chirper)


def test_a_table_has_each_recording_that_may_be_changed_once(chosen):
    assert collections.Counter(chosen.found) == collections.Counter(chosen.wanted.keys())
    assert all(row["allowsDerivatives"] == "true" for row in chosen.table)
    for row in chosen.table:
        float(row["mediaDuration"] or 0), int(row["year"] or 0), float(row["decimalLatitude"] or 0)


def test_a_map_has_them_in_the_same_order(chosen):
    features = json.loads(chosen.text("map.geojson"))["features"]
    assert [identified(one["properties"]) for one in features] == chosen.found


PROVENANCE = "SELECT metadata FROM gpkg_metadata WHERE mime_type = 'application/json'"
EXTENT = """SELECT min_x, min_y, max_x, max_y FROM gpkg_contents
    WHERE data_type = 'features'"""


def test_a_geopackage_has_their_places_licences_and_provenance(chosen):
    facts = chosen.chirper.home / "facts.json"
    path = chosen.exported("map.gpkg", "--provenance", facts)
    with contextlib.closing(sqlite3.connect(path)) as database:
        database.row_factory = sqlite3.Row
        points = database.execute("SELECT * FROM recordings ORDER BY fid").fetchall()
        [inside] = database.execute(PROVENANCE).fetchone()
        extent = database.execute(EXTENT).fetchone()
    wanted = chosen.wanted
    assert [identified(one) for one in points] == chosen.found
    assert [(point(one["geom"]), one["licenseName"], one["credit"]) for one in points] == [
        wanted[key] for key in chosen.found]
    places = [place for place, _, _ in wanted.values() if place]
    assert 0 < len(places) < len(wanted)
    longitudes, latitudes = zip(*places)
    assert tuple(extent) == (min(longitudes), min(latitudes), max(longitudes), max(latitudes))
    # In a file of its own, and in the map.
    for said in (json.loads(facts.read_text(encoding="utf-8")), json.loads(inside)):
        assert (said["written"], said["leftOut"]) == (len(wanted), chosen.refused)
        assert said["for"] == ["derivatives"] and said["distinct"]
        assert said["licences"] == collections.Counter(licence for _, licence, _ in wanted.values())
        assert [(one["source"], one["query"]) for one in said["lists"]] == [
            tuple(one.split(":")) for one in chosen.lists]


def test_credits_name_each_recording_and_then_the_lists_and_datasets(chosen):
    entries, about = chosen.text("credits.txt", "--format", "credits").split(
        "\n\n", 1)[1].split("\n\n")
    credits = [line.split(": ", 1)[1] for line in entries.splitlines() if not line.startswith(" ")]
    assert collections.Counter(credits) == collections.Counter(
        credit for _, _, credit in chosen.wanted.values())
    assert all(
        sum(line.startswith(f"List: {name}") for line in about.splitlines()) == 3
        for name in SPECIES)
    # GBIF asks to cite its datasets.
    used = sum(catalogue == "gbif" for catalogue, _ in chosen.wanted)
    assert f", {used} recordings\n" in next(
        line + "\n" for line in about.splitlines() if line.startswith("Dataset: "))


def test_without_the_originals_a_copy_of_each_is_exported(chosen):
    rows = chosen.chirper.rows("export", *chosen.lists[2:], *chosen.choice)
    assert {identified(row) for row in rows} == set(
        expected("gbif", "inaturalist")[0]) and len(rows) > chosen.copies


def test_everything_stored_gives_the_same_selection(chosen):
    species = ",".join(f'"{name}"' for name in SPECIES)
    rows = chosen.chirper.rows("export", "--where", f"sp:{species}", *chosen.choice, "--tidy")
    assert {identified(row) for row in rows} == set(chosen.wanted)
