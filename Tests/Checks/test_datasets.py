"""Builds the folders of data sets, and reads them with the programs that they are for."""

import collections
import csv
import json
import os
import pathlib
import subprocess
import sys

import pytest

from program import ROOT, catalogues, store, values

READERS = pathlib.Path(sys.prefix) / "data-sets"
PYTHON = READERS / "bin/python"
deep = pytest.mark.deep
LAYOUTS = ["folders", "audiofolder", "package"]


def needs(reader):
    """Skips where the program of others is not there, because PyPI did not answer."""
    if not list(READERS.glob(f"lib/python*/site-packages/{reader}")):
        pytest.skip(f"{reader} is not there")


def read(script, *arguments):
    """What a script prints as JSON, run by the Python that has the readers. None of them asks the
    network."""
    environment = {**os.environ, "HF_HUB_OFFLINE": "1", "HF_HUB_DISABLE_TELEMETRY": "1"}
    result = subprocess.run(
        [PYTHON, "-c", script, *map(str, arguments)], env=environment, capture_output=True,
        text=True, check=False)
    assert result.returncode == 0, result.stderr
    return json.loads(result.stdout.splitlines()[-1])


@pytest.fixture(scope="module")
def folders():
    """A folder in each layout, its lock, and the definitions, of the same 24 recordings in three
    parts."""
    with store() as chirper:
        chirper.run("fetch", "owl", "--source", "sample", "--all")
        found = {}
        for layout in LAYOUTS:
            start = chirper.home / layout
            chirper.run(
                "dataset", "new", start, "owl", "--where", "len:<40", "--per-species", 8, "--split",
                "60/20/20", "--by", "place:50", "--layout", layout, "--title", "Owls: a test",
                "--author", "Ada Smith")
            chirper.run("dataset", "lock", f"{start}.dataset.json")
            chirper.run("dataset", "build", f"{start}.lock.jsonl", start)
            with open(f"{start}.lock.jsonl", encoding="utf-8") as lines:
                lock = [json.loads(line) for line in lines][1:]
            found[layout] = start, lock
        yield found


def audio(folder):
    """The audio files of a folder by their paths in it."""
    return {str(path.relative_to(folder)) for path in folder.rglob("*.wav")}


def test_the_schema_takes_what_the_program_writes(folders):
    jsonschema = pytest.importorskip("jsonschema")
    schema = json.loads((ROOT / "docs/dataset.schema.json").read_text())
    jsonschema.Draft202012Validator.check_schema(schema)
    validator = jsonschema.Draft202012Validator(schema)
    for layout, (start, _) in folders.items():
        definition = json.loads(pathlib.Path(f"{start}.dataset.json").read_text())
        validator.validate(definition)
        assert not validator.is_valid({**definition, "unknown": 1})
        assert not validator.is_valid({**definition, "layout": "others"})
    selection = schema["properties"]["selections"]["items"]["properties"]
    assert selection["source"]["enum"] == catalogues()
    assert schema["properties"]["layout"]["enum"] == values("dataset new", "layout") == LAYOUTS


@pytest.mark.parametrize("layout", LAYOUTS)
def test_pandas_reads_the_table(folders, layout):
    pandas = pytest.importorskip("pandas")
    folder, lock = folders[layout]
    table = pandas.read_csv(folder / "recordings.csv", dtype=str)
    assert len(table) == len(lock) == 24
    assert set(table["file_name"]) == audio(folder)
    assert list(table["sha256"]) == [line["audio"]["sha256"] for line in lock]


@deep
@pytest.mark.parametrize("layout", LAYOUTS)
def test_mlcroissant_reads_the_description(folders, layout):
    needs("mlcroissant")
    folder, lock = folders[layout]
    script = """
import json, sys, mlcroissant
data = mlcroissant.Dataset(jsonld=sys.argv[1])
assert not data.metadata.ctx.issues.errors, data.metadata.ctx.issues.report()
[records] = [one.uuid for one in data.metadata.record_sets]
count = sum(1 for row in data.records(records))
files = [one for one in data.metadata.distribution if getattr(one, "content_url", None)]
print(json.dumps([count, [one.sha256 for one in files]]))
"""
    count, sums = read(script, folder / "croissant.json")
    assert count == len(lock)
    assert {line["audio"]["sha256"] for line in lock} <= set(sums)


@deep
@pytest.mark.parametrize("layout", LAYOUTS)
def test_cffconvert_accepts_the_citation(folders, layout):
    needs("cffconvert")
    folder, _ = folders[layout]
    result = subprocess.run(
        [READERS / "bin/cffconvert", "--validate", "-i", folder / "CITATION.cff"],
        capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr


DATASETS = """
import json, sys, tempfile, datasets
datasets.disable_progress_bars()
with tempfile.TemporaryDirectory() as cache:
    paths = {}
    loaded = datasets.load_dataset("audiofolder", data_dir=sys.argv[1], cache_dir=cache)
    for name, part in loaded.items():
        part = part.cast_column("audio", datasets.Audio(decode=False))
        paths[name] = [row["audio"]["path"] for row in part]
    print(json.dumps(paths))
"""


def columns_of_parts(number):
    """Values that make a reader guess a different type in each part: none, numbers, texts."""
    return [
        {"lifeStage": ["adult"], "countryCode": "PL", "locality": "12", "mediaDuration": 30,
         "eventTime": "07:30", "sex": ["male"], "rightsHolder": "nan", "behavior": ["1"]},
        {"countryCode": "NA", "locality": "Wood", "mediaDuration": 30.5, "sex": ["1"],
         "eventTime": "", "rightsHolder": "A. Smith", "behavior": ["true"]},
        {"lifeStage": ["", "x"], "locality": "", "sex": ["2.5"], "behavior": ["song"]},
    ][number]


@pytest.fixture(scope="module")
def ragged(folders):
    """A folder whose parts have empty columns, and columns of different types. No record of it is
    stored, so its values are those of the lock."""
    start, lock = folders["audiofolder"]
    parts = ["train", "validation", "test"]
    varied = set(columns_of_parts(0))
    path = start.parent / "ragged.lock.jsonl"
    with open(f"{start}.lock.jsonl", encoding="utf-8") as lines, open(path, "w") as out:
        out.write(next(lines))
        for number, line in enumerate(map(json.loads, lines)):
            kept = {name: value for name, value in line.items() if name not in varied}
            kept |= columns_of_parts(number % 3) | {"split": parts[number % 3]}
            out.write(json.dumps(kept) + "\n")
    with store() as other:
        folder = other.home / "ragged"
        other.run("dataset", "build", path, folder)
        yield folder, dict.fromkeys(parts, len(lock) // 3)


def test_pandas_takes_each_column_for_one_type_in_all_parts(ragged):
    pandas = pytest.importorskip("pandas")
    folder, sizes = ragged
    tables = [pandas.read_csv(folder / part / "metadata.csv") for part in sizes]
    types = [dict(table.dtypes) for table in tables]
    assert types[0] == types[1] == types[2]
    assert [len(table) for table in tables] == list(sizes.values())
    assert {"file_name", "label", "mediaDuration", "decimalLatitude", "bytes"} <= set(types[0])
    assert not {"lifeStage", "countryCode", "locality", "sex", "behavior"} & set(types[0])
    whole = pandas.read_csv(folder / "recordings.csv", dtype=str)
    assert {"lifeStage", "countryCode", "locality", "sex", "behavior"} <= set(whole.columns)


@deep
def test_datasets_reads_parts_with_empty_columns(ragged):
    needs("datasets")
    folder, sizes = ragged
    found = read(DATASETS, folder)
    assert {name: len(paths) for name, paths in found.items()} == sizes


@deep
def test_datasets_reads_the_three_parts(folders):
    needs("datasets")
    folder, lock = folders["audiofolder"]
    found = read(DATASETS, folder)
    wanted = collections.Counter(line["split"] for line in lock)
    assert {name: len(paths) for name, paths in found.items()} == wanted
    paths = {pathlib.Path(path) for paths in found.values() for path in paths}
    assert {str(path.relative_to(folder)) for path in paths} == audio(folder)


def test_frictionless_accepts_the_package(folders):
    frictionless = pytest.importorskip("frictionless")
    folder, lock = folders["package"]
    package = frictionless.Package(str(folder / "datapackage.json"))
    report = package.validate()
    assert report.valid, report.to_summary()
    table = [resource for resource in package.resources if resource.path == "recordings.csv"]
    assert len(table) == 1 and len(table[0].read_rows()) == len(lock)


def test_an_import_reads_the_package(folders):
    folder, lock = folders["package"]
    with store() as chirper:
        [report] = chirper.json("import", folder, "--as", "set")["files"]
        assert report["imported"]["unreadable"] == 0
        found = {row["id"] for row in chirper.rows("list", "set", "--tidy")}
        assert found == {line["id"] for line in lock}


def test_the_layouts_have_the_same_sounds(folders):
    sums = {
        layout: sorted(line["audio"]["sha256"] for line in lock)
        for layout, (_, lock) in folders.items()}
    assert len({tuple(one) for one in sums.values()}) == 1
    for layout, (folder, _) in folders.items():
        with open(folder / "recordings.csv", encoding="utf-8", newline="") as lines:
            paths = {row["file_name"] for row in csv.DictReader(lines)}
        assert paths == audio(folder), layout
