"""Imports archives made of the samples, and compares what is stored with the same records fetched from the service; exports lists of all
catalogues, and imports what was written.
"""

import json
import pathlib
import subprocess
import sys
import tempfile

import pytest

from program import ROOT, store
from services import SAMPLES, needs_samples, recorded

pytestmark = needs_samples
DOI = "10.15468/dl.8k2qf5"
YEARS = "year:1000-2100"
RECORDS, LATER = (SAMPLES / f"gbif/derived-sounds-900{end}.jsonl" for end in ("", "-later"))
NAMES = {
    "scientificName", "taxonRank", "kingdom", "phylum", "class", "order", "family", "genus", "specificEpithet",
    "infraspecificEpithet", "group", "issues", "acceptedNameUsage", "acceptedVernacularName", "nameAccordingTo",
}
# A download has no technical data of sounds.
MISSING = {"quality", "sampleRate"}


def archive(folder, records=RECORDS, *options):
    path = pathlib.Path(folder) / "download.zip"
    subprocess.run([sys.executable, ROOT / "scripts/gbif-archive", records, path, *options], check=True)
    return path


def tidy(chirper, query):
    return {row["id"]: row for row in chirper.rows("export", "--tidy", "--source", "gbif", "--", query)}


def without(row, columns):
    # A download has the lines of a text as one.
    return {
        name: " ".join(value.split()) if isinstance(value, str) else value for name, value in row.items() if name not in columns
    }


@pytest.fixture(scope="module")
def fetched():
    """The recordings as they are fetched, by their ids."""
    with recorded() as address, store(address) as chirper:
        chirper.run("fetch", "--quiet", "--all", "--source", "gbif", "--", YEARS)
        yield tidy(chirper, YEARS)


@pytest.mark.parametrize(("options", "missing"), [([], MISSING | NAMES), (["--col"], MISSING | {"issues"})], ids=["backbone", "col"])
def test_an_archive_has_the_details_of_the_service(fetched, options, missing):
    with store() as chirper, tempfile.TemporaryDirectory() as folder:
        report = chirper.json("import", archive(folder, RECORDS, *options))
        imported = tidy(chirper, DOI)
        # Three records have no year.
        assert fetched.keys() < imported.keys() and len(imported) == len(fetched) + 3
        assert report["files"][0]["lists"][0]["completeness"] == "imported"
        for key, row in fetched.items():
            assert without(imported[key], missing) == without(row, missing), key


def test_nothing_changes_when_fetches_and_imports_alternate():
    with recorded() as address, store(address) as chirper, tempfile.TemporaryDirectory() as folder:
        path = archive(folder)
        chirper.run("fetch", "--quiet", "--all", "--source", "gbif", "--", YEARS)
        before = tidy(chirper, YEARS)
        for _ in range(2):
            [report] = chirper.json("import", path)["files"]
            assert report["lists"][0]["changed"] == 0
            synced = chirper.json("sync", YEARS)
            assert synced.get("changed", 0) == 0, synced
        assert tidy(chirper, YEARS) == before


def test_a_fetch_takes_the_place_of_what_was_imported_and_changes_nothing(fetched):
    with recorded() as address, store(address) as chirper, tempfile.TemporaryDirectory() as folder:
        chirper.run("import", archive(folder))
        report = chirper.json("fetch", "--all", "--source", "gbif", "--", YEARS)
        assert report["changed"] == 0, report["ids"]
        assert tidy(chirper, YEARS) == fetched
        assert tidy(chirper, DOI).items() > fetched.items()


def test_the_archive_of_a_month_later_says_what_is_new_changed_and_gone():
    def rows(path):
        with open(path, encoding="utf-8") as lines:
            return {json.loads(line)["gbifID"] for line in lines}

    with store() as chirper, tempfile.TemporaryDirectory() as folder:
        chirper.run("import", archive(folder))
        [report] = chirper.json("import", archive(folder, LATER))["files"]
        [found] = report["lists"]
        assert found["gone"] >= len(rows(RECORDS) - rows(LATER)) > 0
        assert found["new"] >= len(rows(LATER) - rows(RECORDS)) > 0
        assert 0 < found["changed"] < 100
        again = chirper.json("import", archive(folder, LATER))["files"][0]["lists"][0]
        assert [again[name] for name in ("new", "changed", "gone")] == [0, 0, 0]


LISTS = {"xeno-canto": "cnt:sweden", "gbif": YEARS, "inaturalist": "year:2000-2100"}


@pytest.fixture(scope="module")
def everything():
    """Lists of all catalogues, and the files that they are exported to."""
    with recorded() as address, store(address) as chirper:
        for source, query in LISTS.items():
            chirper.call("fetch", "--quiet", "--pages", 2, "--source", source, "--", query)
        chirper.run("fetch", "--quiet", "parrot", "--source", "sample")
        yield chirper


def details(chirper):
    rows = chirper.rows("search", "source:any gone:any", "--all-copies", "--columns", ",".join(["id", "catalogue", *COLUMNS]))
    return {(row["catalogue"], row["id"]): row for row in rows}


COLUMNS = """catalogNumber scientificName taxonRank kingdom phylum class order family genus specificEpithet infraspecificEpithet vernacularName
group recordedBy country countryCode locality decimalLatitude decimalLongitude coordinateUncertaintyInMeters dataGeneralizations
informationWithheld minimumElevationInMeters eventDate year month day eventTime behavior sex lifeStage samplingProtocol quality mediaDuration
sampleRate license licenseName allowsCommercialUse allowsDerivatives rightsHolder credit occurrenceRemarks associatedTaxa available references
accessURI sonogramURL basisOfRecord occurrenceID datasetKey datasetName datasetID alsoIn issues annotations acceptedNameUsage""".split()
# An archive has the terms of Darwin Core, and those of the sound.
NOT_IN_ARCHIVES = {"group", "quality", "sampleRate", "available", "sonogramURL", "alsoIn", "issues", "annotations", "credit"}


@pytest.mark.parametrize(("options", "name", "missing"), [
    (["--tidy"], "x.jsonl", set()), (["--tidy"], "x.csv", set()), (["--format", "datapackage"], "x.zip", set()),
    (["--format", "dwca"], "x.zip", NOT_IN_ARCHIVES),
], ids=["jsonl", "csv", "datapackage", "dwca"])
def test_what_is_exported_is_imported_with_its_ids_and_details(everything, options, name, missing):
    before = details(everything)
    assert {catalogue for catalogue, _ in before} == {"gbif", "inaturalist", "xeno-canto", "sample"}
    with tempfile.TemporaryDirectory() as folder, store() as chirper:
        path = pathlib.Path(folder) / name
        everything.run("export", "--where", "source:any gone:any", "--all-copies", *options, "-o", path)
        [report] = chirper.json("import", path, "--as", "all")["files"]
        assert report["imported"]["unreadable"] == 0
        after = details(chirper)
        assert after.keys() == before.keys()
        for key, row in before.items():
            # A length and a licence without an address are those of a sound.
            own = missing | {"mediaDuration", "licenseName"} if missing and not row["accessURI"] else missing
            assert without(after[key], own) == without(row, own), key
        again = chirper.json("import", path, "--as", "all")["files"][0]["lists"]
        assert all(found["changed"] == found["new"] == found["gone"] == 0 for found in again)
        # Nothing of it replaces what was fetched.
        assert all(found["changed"] == 0 for found in everything.json("import", path, "--as", "all")["files"][0]["lists"])
        assert details(everything) == before
