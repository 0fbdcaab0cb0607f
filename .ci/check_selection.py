"""Exports two species from three catalogues, and compares the rows with what the samples themselves have.

What is expected is read from the samples alone: recordings of the species whose licence allows changed versions, without
GBIF's copies of recordings of xeno-canto that are among them. Several sounds under one number of xeno-canto are no copies, because
the number is one sound. `.ci/check-selection` runs this.
"""

import csv
import io
import json
import pathlib
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


def expected(*sources):
    """The recordings, as (catalogue, what identifies it in the samples), and how many of GBIF may be used."""
    rows, copies = set(), set()
    if "xeno-canto" in sources:
        rows |= {
            ("xeno-canto", one["id"]) for one in samples("xeno-canto/recordings-2150.jsonl")
            if f"{one['gen']} {one['sp']}" in SPECIES and allows_changes(one["lic"])
        }
    for one in samples("inaturalist/derived-sounds-300.jsonl"):
        if (one.get("taxon") or {}).get("name", "").startswith(SPECIES):
            rows |= {
                ("inaturalist", f"{one['id']}-{sound['id']}") for sound in one["sounds"] if allows_changes(sound["license_code"])
            }
    for one in samples("gbif/derived-sounds-900.jsonl"):
        sounds = [media for media in one.get("media", []) if media.get("type") == "Sound"]
        if one.get("species") in SPECIES:
            usable = [sound for sound in sounds if allows_changes(sound.get("license"))]
            if len(sounds) == 1:
                copies |= {one["catalogNumber"].removeprefix("XC") for _ in usable}
            else:
                rows |= {("gbif", sound["identifier"]) for sound in usable}
    # Each number once: as xeno-canto's own, or else as the copy.
    return rows | {("gbif", f"XC{number}") for number in copies if ("xeno-canto", number) not in rows}, len(copies)


def identified(row):
    """A row of the tidy table, as in `expected`."""
    names = {"gbif": row["catalogNumber"] if row["alsoIn"] else row["accessURI"]}
    return row["catalogue"], names.get(row["catalogue"], row["id"])


def main():
    program = sys.argv[1] if len(sys.argv) > 1 else ROOT / ".build" / "debug" / "chirper"
    wanted, copies = expected("xeno-canto", "gbif", "inaturalist")
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
            return file.read_text(encoding="utf-8")

        table = list(csv.DictReader(io.StringIO(exported("table.csv"), newline="")))
        found = [identified(row) for row in table]
        assert len(set(found)) == len(found), "a recording is written twice"
        assert set(found) == wanted, (sorted(set(found) - wanted)[:5], sorted(wanted - set(found))[:5])
        assert all(row["allowsDerivatives"] == "true" for row in table)
        for row in table:
            float(row["mediaDuration"] or 0), int(row["year"] or 0), float(row["decimalLatitude"] or 0)
        features = json.loads(exported("map.geojson"))["features"]
        assert [identified(one["properties"]) for one in features] == found
        credits = exported("credits.txt", "--format", "credits")
        assert all(row["credit"] in credits for row in table)
        # Without xeno-canto's own, a copy of each.
        others = chirper.rows("export", *lists[2:], *choice, "--format", "jsonl")
        assert {identified(row) for row in others} == expected("gbif", "inaturalist")[0] and len(others) > copies
        # The same from everything stored.
        species = ",".join(f'"{name}"' for name in SPECIES)
        everything = chirper.rows("export", "--where", f"sp:{species}", *choice, "--tidy", "--format", "jsonl")
        assert {identified(row) for row in everything} == wanted
    by_catalogue = {name: sum(catalogue == name for catalogue, _ in wanted) for name in ("xeno-canto", "gbif", "inaturalist")}
    print(f"{len(wanted)} recordings of two species from three catalogues {by_catalogue}; {copies} of GBIF are copies")


if __name__ == "__main__":
    main()
