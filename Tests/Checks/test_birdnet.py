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
BOXES = [
    ("Turdus merula", 0.5, 1.25), ("Strix aluco", 1, 2), ("Made upensis", 2, 2.5),
    (None, 2, 3), ("Turdus merula", 3.5, 9),
]
NAMES = ["Common Blackbird", "Tawny Owl", "Made upensis", "unknown", "Common Blackbird"]


@pytest.fixture(scope="module")
def parsed(tmp_path_factory):
    """A function that returns what the parser finds in a folder of sounds and of results."""
    folder = tmp_path_factory.mktemp("birdnet")
    pip = [sys.executable, "-m", "pip", "download", "--no-deps", "--quiet", WHEEL, "-d", folder]
    if subprocess.run(pip, capture_output=True, check=False).returncode:
        pytest.skip("PyPI does not answer")
    [wheel] = folder.glob("*.whl")
    assert hashlib.sha256(wheel.read_bytes()).hexdigest() == SHA256
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(folder)

    def parsed(audio, results):
        result = subprocess.run(
            [sys.executable, "-c", PARSER, folder, audio, results], capture_output=True, text=True,
            check=False)
        assert result.returncode == 0, result.stderr
        return sorted(json.loads(result.stdout))

    return parsed


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
