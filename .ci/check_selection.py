"""Exports two species from three catalogues, and compares the rows with what the samples themselves have.

What is expected is read from the samples alone: recordings of the species whose licence allows changed versions, without
GBIF's copies of recordings of xeno-canto that are among them. Several sounds under one number of xeno-canto are no copies, because
the number is one sound. `.ci/check-selection` runs this.
"""

import collections
import contextlib
import csv
import io
import json
import pathlib
import sqlite3
import struct
import sys
import tempfile

from check_search import ROOT, SHARED, Chirper, catalogues

SPECIES = ("Bubo bubo", "Strix aluco")


def samples(name):
    with open(SHARED / "samples" / name, encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def allows_changes(licence):
    """Creative Commons without ND, or the public domain, by an address or a code."""
    licence = (licence or "").lower()
    is_known = "creativecommons.org/" in licence or licence.startswith(("cc-by", "cc0"))
    return is_known and "nd" not in licence.replace("creativecommons.org", "").replace("/", "-").split("-")


def licence_name(licence):
    """`CC BY-NC-SA 4.0` of the address, or of the code, which is of version 4.0."""
    if not licence.startswith("cc"):
        _, kind, version = licence.split("creativecommons.org/")[1].split("/")[:3]
        return f"CC {kind.upper()} {version}"
    return "CC0 1.0" if licence == "cc0" else f"CC {licence.removeprefix('cc-').upper()} 4.0"


def degrees(latitude, longitude):
    """None if one is missing."""
    return None if latitude in (None, "") or longitude in (None, "") else (float(longitude), float(latitude))


def expected(*sources):
    """The recordings by (catalogue, what identifies it in the samples), with what is known of each; how many of GBIF are copies that
    may be used; and how many recordings may not."""
    rows, copies, refused = {}, {}, 0
    if "xeno-canto" in sources:
        for one in samples("xeno-canto/recordings-2150.jsonl"):
            if f"{one['gen']} {one['sp']}" in SPECIES:
                refused += not allows_changes(one["lic"])
                if allows_changes(one["lic"]):
                    credit = f"{one['rec']}, XC{one['id']}, {licence_name(one['lic'])}"
                    rows["xeno-canto", one["id"]] = (degrees(one["lat"], one["lon"]), licence_name(one["lic"]), credit)
    for one in samples("inaturalist/derived-sounds-300.jsonl"):
        if (one.get("taxon") or {}).get("name", "").startswith(SPECIES):
            place = degrees(*(one["location"] or ",").split(","))
            for sound in one["sounds"]:
                refused += not allows_changes(sound["license_code"])
                if allows_changes(sound["license_code"]):
                    licence = licence_name(sound["license_code"])
                    credit = f"{one['user']['name'] or one['user']['login']}, {one['id']}, {licence}"
                    rows["inaturalist", f"{one['id']}-{sound['id']}"] = (place, licence, credit)
    for one in samples("gbif/derived-sounds-900.jsonl"):
        sounds = [media for media in one.get("media", []) if media.get("type") == "Sound"]
        if one.get("species") in SPECIES:
            place = degrees(one.get("decimalLatitude"), one.get("decimalLongitude"))
            for sound in sounds:
                refused += not allows_changes(sound.get("license"))
                if allows_changes(sound.get("license")):
                    licence = licence_name(sound["license"])
                    fact = (place, licence, f"{one['recordedBy']}, {one['catalogNumber']}, {licence}")
                    if len(sounds) == 1:
                        copies["gbif", one["catalogNumber"]] = fact
                    else:
                        rows["gbif", sound["identifier"]] = fact
    # Each number once: as xeno-canto's own, or else as the copy.
    own = {key: fact for key, fact in copies.items() if ("xeno-canto", key[1].removeprefix("XC")) not in rows}
    return {**rows, **own}, len(copies), refused


def point(geometry):
    """Longitude and latitude of the geometry of a GeoPackage (OGC 12-128r19, 2.1.3); None if there is none."""
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


def main():
    program = sys.argv[1] if len(sys.argv) > 1 else ROOT / ".build" / "debug" / "chirper"
    wanted, copies, refused = expected("xeno-canto", "gbif", "inaturalist")
    with tempfile.TemporaryDirectory() as directory, catalogues() as addresses:
        chirper = Chirper(program, pathlib.Path(directory))
        chirper.environment.update(addresses)
        lists = []
        for source in ("xeno-canto", "gbif", "inaturalist"):
            for name in SPECIES:
                chirper.run("fetch", "--quiet", "--all", "--scientific", "--source", source, "--", name)
                lists.append(f"{source}:{name}")
        choice = ["--for", "derivatives", "--distinct"]

        def exported(name, *options):
            file = pathlib.Path(directory) / name
            report = json.loads(chirper.run("export", *lists, *choice, *options, "-o", str(file), "--json"))
            assert report["written"] == len(wanted), (name, report["written"], len(wanted))
            sources = [(one["source"], one["completeness"]) for one in report["lists"]]
            assert sources == [(one.split(":")[0], "complete") for one in lists], sources
            return file

        def text(name, *options):
            return exported(name, *options).read_text(encoding="utf-8")

        table = list(csv.DictReader(io.StringIO(text("table.csv"), newline="")))
        found = [identified(row) for row in table]
        assert len(set(found)) == len(found), "a recording is written twice"
        assert set(found) == set(wanted), (sorted(set(found) - set(wanted))[:5], sorted(set(wanted) - set(found))[:5])
        assert all(row["allowsDerivatives"] == "true" for row in table)
        for row in table:
            float(row["mediaDuration"] or 0), int(row["year"] or 0), float(row["decimalLatitude"] or 0)
        features = json.loads(text("map.geojson"))["features"]
        assert [identified(one["properties"]) for one in features] == found

        # The map as a GeoPackage, with the provenance as a file of its own and in the map.
        facts = pathlib.Path(directory) / "facts.json"
        with contextlib.closing(sqlite3.connect(exported("map.gpkg", "--provenance", str(facts)))) as database:
            database.row_factory = sqlite3.Row
            points = database.execute("SELECT * FROM recordings ORDER BY fid").fetchall()
            inside, = database.execute("SELECT metadata FROM gpkg_metadata WHERE mime_type = 'application/json'").fetchone()
            extent = database.execute("SELECT min_x, min_y, max_x, max_y FROM gpkg_contents WHERE data_type = 'features'").fetchone()
        assert [identified(one) for one in points] == found
        for one in points:
            place, licence, credit = wanted[identified(one)]
            assert (point(one["geom"]), one["licenseName"], one["credit"]) == (place, licence, credit), (dict(one), wanted[identified(one)])
        places = [place for place, _, _ in wanted.values() if place]
        assert 0 < len(places) < len(wanted)
        longitudes, latitudes = zip(*places)
        assert tuple(extent) == (min(longitudes), min(latitudes), max(longitudes), max(latitudes)), tuple(extent)
        for said in (json.loads(facts.read_text(encoding="utf-8")), json.loads(inside)):
            assert said["written"] == len(wanted) and said["leftOut"] == refused and said["for"] == ["derivatives"] and said["distinct"]
            assert said["licences"] == collections.Counter(licence for _, licence, _ in wanted.values()), said["licences"]
            assert [(one["source"], one["query"]) for one in said["lists"]] == [tuple(one.split(":")) for one in lists]

        # A line for each recording, then what is known of the list.
        entries, about = text("credits.txt", "--format", "credits").split("\n\n", 1)[1].split("\n\n")
        credits = [line.split(": ", 1)[1] for line in entries.splitlines() if not line.startswith(" ")]
        assert collections.Counter(credits) == collections.Counter(credit for _, _, credit in wanted.values())
        assert all(sum(line.startswith(f"List: {name}") for line in about.splitlines()) == 3 for name in SPECIES), about
        # GBIF asks to cite its datasets.
        used = sum(catalogue == "gbif" for catalogue, _ in wanted)
        assert f", {used} recordings\n" in next(line + "\n" for line in about.splitlines() if line.startswith("Dataset: ")), about

        # Without xeno-canto's own, a copy of each.
        others = chirper.rows("export", *lists[2:], *choice, "--format", "jsonl")
        assert {identified(row) for row in others} == set(expected("gbif", "inaturalist")[0]) and len(others) > copies
        # The same from everything stored.
        species = ",".join(f'"{name}"' for name in SPECIES)
        everything = chirper.rows("export", "--where", f"sp:{species}", *choice, "--tidy", "--format", "jsonl")
        assert {identified(row) for row in everything} == set(wanted)
    by_catalogue = {name: sum(catalogue == name for catalogue, _ in wanted) for name in ("xeno-canto", "gbif", "inaturalist")}
    print(f"{len(wanted)} recordings of two species from three catalogues {by_catalogue}; {copies} of GBIF are copies")


if __name__ == "__main__":
    main()
