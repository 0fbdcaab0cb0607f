"""docs/reading.md: each block is run, on files that the program wrote. Readers that are not
installed are skipped, and named."""

import os
import pathlib
import re
import shutil
import subprocess
import sys

import pytest
from program import ROOT, store

TEXT = (ROOT / "docs/reading.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```(\w+)\n(.*?)^```$", TEXT, re.MULTILINE | re.DOTALL)
# QGIS has a Python of the system.
QGIS = """
import sys
sys.path.append("/usr/share/qgis/python")
from qgis.core import QgsApplication, QgsProject, QgsVectorLayer
application = QgsApplication([], False)
application.initQgis()
"""


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """The files that the page's first lines write, and the store."""
    folder = tmp_path_factory.mktemp("reading")
    with store() as chirper:
        for line in re.findall(r"^    chirper (.+)$", TEXT, re.MULTILINE):
            words = [
                str(folder / word) if re.fullmatch(r"parrot\.\w+", word) else word
                for word in line.split()]
            chirper.run(*words)
        yield folder, chirper.data


def succeeds(*command):
    return subprocess.run(command, capture_output=True, check=False).returncode == 0


def run(command, files, **options):
    """What a reader prints."""
    folder, data = files
    path = f"{pathlib.Path(sys.executable).parent}:{os.environ['PATH']}"
    environment = {
        **os.environ, "CHIRPER_DATA_DIR": str(data), "PATH": path, "QT_QPA_PLATFORM": "offscreen"}
    result = subprocess.run(
        command, cwd=folder, capture_output=True, text=True, check=False, env=environment,
        timeout=300, **options)
    assert result.returncode == 0, result.stdout + result.stderr
    return result.stdout


@pytest.mark.parametrize(
    ("language", "block"), BLOCKS,
    ids=[f"{language} {block.splitlines()[0][:40]}" for language, block in BLOCKS])
def test_each_block_runs(files, language, block):
    if language == "python":
        pytest.importorskip(re.search(r"import (\w+)", block)[1])
        printed = run([sys.executable, "-c", block], files)
    elif language == "sql":
        duckdb = pytest.importorskip("duckdb")
        here = os.getcwd()
        os.chdir(files[0])
        try:
            printed = str(duckdb.sql(block))
        finally:
            os.chdir(here)
    elif language == "r":
        if not shutil.which("Rscript"):
            pytest.skip("there is no R")
        for package in re.findall(r"(\w+)::", block):
            if not succeeds("Rscript", "-e", f'library("{package}")'):
                pytest.skip(f"R has no package {package}")
        printed = run(["Rscript", "-e", block], files)
    elif language == "qgis":
        if not succeeds("/usr/bin/python3", "-c", "import qgis.core"):
            pytest.skip("there is no QGIS")
        printed = run(["/usr/bin/python3", "-c", QGIS + block], files)
        assert "True" in printed and "EPSG:4326" in printed, printed
    else:
        command = block.split()[0]
        if not shutil.which(command) and not (
                pathlib.Path(sys.executable).parent / command).exists():
            pytest.skip(f"there is no {command}")
        printed = run(["sh", "-c", block], files)
    assert re.search(r"Psittacus|Ghana|[1-9]", printed), printed


def test_the_page_has_each_reader():
    assert {language for language, _ in BLOCKS} == {"python", "sql", "r", "qgis", "sh"}
