"""Imports archives made of the samples, and compares what is stored with the same records fetched
from the service; exports lists of all catalogues, and imports what was written."""

import json
import pathlib
import subprocess
import sys
import tempfile

import pytest

from archives import EXPORTS, check_round_trip, details, without
from program import ROOT, store
from services import SAMPLES, needs_samples, recorded

pytestmark = needs_samples
DOI = "10.15468/dl.8k2qf5"
YEARS = "year:1000-2100"
RECORDS, LATER = (SAMPLES / f"gbif/derived-sounds-900{end}.jsonl" for end in ("", "-later"))
NAMES = {
    "scientificName", "taxonRank", "kingdom", "phylum", "class", "order", "family", "genus",
    "specificEpithet", "infraspecificEpithet", "group", "issues", "acceptedNameUsage",
    "acceptedVernacularName", "nameAccordingTo",
}
# A download has no technical data of sounds.
MISSING = {"quality", "sampleRate"}


def archive(folder, records=RECORDS, *options):
    path = pathlib.Path(folder) / "download.zip"
    subprocess.run(
        [sys.executable, ROOT / "scripts/gbif-archive", records, path, *options], check=True)
    return path


def tidy(chirper, query):
    return {
        row["id"]: row for row in chirper.rows("export", "--tidy", "--source", "gbif", "--", query)}


@pytest.fixture(scope="module")
def fetched():
    """The recordings as they are fetched, by their ids."""
    with recorded() as address, store(address) as chirper:
        chirper.run("fetch", "--quiet", "--all", "--source", "gbif", "--", YEARS)
        yield tidy(chirper, YEARS)


@pytest.mark.parametrize(
    ("options", "missing"), [([], MISSING | NAMES), (["--col"], MISSING | {"issues"})],
    ids=["backbone", "col"])
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


@pytest.mark.parametrize("form", EXPORTS)
def test_what_is_exported_is_imported_with_its_ids_and_details(everything, form):
    assert {catalogue for catalogue, _ in details(everything)} == {
        "gbif", "inaturalist", "xeno-canto", "sample"}
    check_round_trip(everything, form)


def test_the_records_of_a_catalogue_are_imported_as_they_were_sent(everything):
    before = details(everything)
    with tempfile.TemporaryDirectory() as folder, store() as chirper:
        for source in [*LISTS, "sample"]:
            path = pathlib.Path(folder) / f"{source}.jsonl"
            everything.run(
                "export", "--source", source, "--where", "gone:any", "--copies", "yes", "-o", path)
            [report] = chirper.json("import", path, "--source", source)["files"]
            assert report["imported"]["unreadable"] == 0
        after = details(chirper)
        assert after.keys() == before.keys()
        for key, row in before.items():
            assert after[key] == row, key
