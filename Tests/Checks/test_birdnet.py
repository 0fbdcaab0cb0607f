"""Reads what a clip cutter needs with the parser of BirdNET-Analyzer."""

import hashlib
import json
import subprocess
import sys
import zipfile

import pytest

from page import recording, wave
from program import store
from services import Catalogue

WHEEL = "birdnet-analyzer==2.4.0"
SHA256 = "840ac9d5e137b8b693f114d6cfd30032a46a51f8a0dda1d275de45ede4748d1f"
LIST = "gen:turdus"
# The parser alone, without what the package loads to read sounds.
PARSER = """
import contextlib, importlib.util, json, os, sys, types
root, audio, results = sys.argv[1:]
for name in ["birdnet_analyzer", "birdnet_analyzer.audio", "birdnet_analyzer.segments"]:
    sys.modules[name] = types.ModuleType(name)
    sys.modules[name].__path__ = [os.path.join(root, *name.split("."))]
with contextlib.redirect_stdout(sys.stderr):
    import birdnet_analyzer.segments.utils as parser
    pairs = parser.parse_folders(audio, results)
    found = parser.parse_files(pairs, 1_000)
    combined = os.path.join(results, "BirdNET_SelectionTable.txt")
    if os.path.exists(combined):
        found = [(one["audio"], [one]) for one in parser.find_segments_from_combined(combined)]
print(json.dumps([
    [os.path.basename(one["audio"]), one["start"], one["end"], one["species"], one["confidence"]]
    for _, segments in found for one in segments]))
"""
# The writers alone, likewise.
WRITER = """
import importlib, os, sys, types
root, folder = sys.argv[1:]
def save(path, text):
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
parts = {"audio": {"get_sample_rate": lambda path: 48_000}, "model": {},
         "utils": {"save_result_file": save}, "analyze": {"POSSIBLE_ADDITIONAL_COLUMNS_MAP": {}}}
for name in ["birdnet_analyzer", *(f"birdnet_analyzer.{part}" for part in parts)]:
    sys.modules[name] = types.ModuleType(name)
    sys.modules[name].__path__ = [os.path.join(root, *name.split("."))]
for part, members in parts.items():
    vars(sys.modules[f"birdnet_analyzer.{part}"]).update(members)
    setattr(sys.modules["birdnet_analyzer"], part, sys.modules[f"birdnet_analyzer.{part}"])
sys.modules["numpy"] = types.ModuleType("numpy")
writer = importlib.import_module("birdnet_analyzer.analyze.utils")
writer.cfg.OUTPUT_PATH = folder
heard = {"0.0-3.0": [("Turdus merula_Eurasian Blackbird", 0.8712), ("Engine_Engine", 0.5)],
         "1.5-4.5": [("Gryllus campestris_Field Cricket", 0.6)]}
for number, found in (1, heard), (2, {}):
    start = os.path.join(folder, f"XC{number}.BirdNET")
    sound = f"/sounds/XC{number}.mp3"
    writer.generate_raven_table(list(found), found, sound, start + ".selection.table.txt")
    writer.generate_csv(list(found), found, sound, start + ".results.csv")
    writer.generate_audacity(list(found), found, start + ".results.txt")
"""
BOXES = [
    ("Turdus merula", 0.5, 1.25), ("Strix aluco", 1, 2), ("Made upensis", 2, 2.5),
    (None, 2, 3), ("Turdus merula", 3.5, 9),
]
NAMES = ["Common Blackbird", "Tawny Owl", "Made upensis", "unknown", "Common Blackbird"]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    """The folder of the package."""
    folder = tmp_path_factory.mktemp("birdnet")
    pip = [sys.executable, "-m", "pip", "download", "--no-deps", "--quiet", WHEEL, "-d", folder]
    if subprocess.run(pip, capture_output=True, check=False).returncode:
        pytest.skip("PyPI does not answer")
    [wheel] = folder.glob("*.whl")
    assert hashlib.sha256(wheel.read_bytes()).hexdigest() == SHA256
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(folder)
    return folder


def run(script, *words):
    result = subprocess.run(
        [sys.executable, "-c", script, *words], capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr
    return result.stdout


@pytest.fixture(scope="module")
def parsed(wheel):
    """A function that returns what the parser finds in a folder of sounds and of results."""
    return lambda audio, results: sorted(json.loads(run(PARSER, wheel, audio, results)))


@pytest.fixture(scope="module")
def chirper():
    """Three annotated recordings of four seconds, with an annotation each that is not in them."""
    boxes = [
        {"start_time": str(begin), "end_time": str(end), "scientific_name": name,
         "frequency_low": "500", "frequency_high": "9000"} for name, begin, end in BOXES]
    outside = {"start_time": "4.5", "end_time": "5", "scientific_name": "Turdus merula"}
    annotations = {"annotation-set": {"annotations": [*boxes, outside]}}
    rows = [recording(number, length="0:04", **annotations) for number in range(1, 4)]
    service = Catalogue({LIST: rows})
    try:
        with store(service.address) as chirper:
            chirper.run("fetch", LIST, "--source", "xeno-canto")
            kept = chirper.data / "audio" / "xeno-canto"
            kept.mkdir(parents=True)
            for row in rows:
                (kept / f"{row['id']}.wav").write_bytes(wave([0] * 4 * 8000, 8000))
            yield chirper
    finally:
        service.close()


def expected(files):
    """What is cut of each file: all but the annotation outside, no longer than the sound."""
    return sorted(
        [file, begin, min(end, 4), name, 1.0]
        for file in files for (_, begin, end), name in zip(BOXES, NAMES))


@pytest.mark.deep
def test_the_clip_cutter_takes_a_data_set_in_folders(chirper, parsed):
    start = chirper.home / "thrushes"
    chirper.run(
        "dataset", "new", start, LIST, "--layout", "folders", "--title", "T", "--author", "A")
    chirper.run("dataset", "lock", f"{start}.dataset.json")
    built = chirper.call("dataset", "build", f"{start}.lock.jsonl", start)
    assert b"3 annotations left out, without a beginning and an end" in built.stderr
    files = [path.name for path in start.rglob("*.wav")]
    assert len(files) == 3
    assert parsed(start, start) == expected(files)


@pytest.mark.deep
def test_the_clip_cutter_takes_an_export_as_a_table_of_several_files(chirper, parsed):
    folder = chirper.home / "results"
    folder.mkdir()
    table = folder / "BirdNET_SelectionTable.txt"
    chirper.run("export", LIST, "--format", "raven", "-o", table)
    files = [f"{number}.wav" for number in range(1, 4)]
    assert parsed(chirper.data, folder) == expected(files)


@pytest.mark.deep
def test_results_that_it_writes_are_labels(chirper, wheel):
    folder = chirper.home / "heard"
    folder.mkdir()
    run(WRITER, wheel, folder)
    files = sorted(folder.glob("*.BirdNET.*"))
    assert len(files) == 6
    result = chirper.call("import", "--labels", *files)
    assert result.returncode == 0 and b"XC2.BirdNET.results.txt: 0 labels" in result.stderr
    exported = chirper.run(
        "export", "--annotations", "--where", "ann_by:birdnet", "--format", "jsonl")
    found = [json.loads(line) for line in exported.splitlines()]
    labels = [one for one in found if one["identifiedBy"] == "BirdNET"]
    assert {one["catalogNumber"] for one in labels} == {"XC1"}
    for name in {path.name for path in files if path.name.startswith("XC1.")}:
        engine = "Engine, Engine" if name.endswith("results.txt") else "Engine"
        assert [
            (one["startTime"], one["endTime"], one["scientificName"], one["comments"],
             one["confidence"])
            for one in labels if one["labelFile"] == name
        ] == [
            (0, 3, "Turdus merula", None, 0.8712), (0, 3, None, engine, 0.5),
            (1.5, 4.5, "Gryllus campestris", None, 0.6),
        ], name
