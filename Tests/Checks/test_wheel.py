"""The wheel for Python: its files, its tag, and the module in an environment of its own.

It is made of the program that the checks use; CHIRPER_WHEEL names that of a release in its place.
"""

import json
import os
import pathlib
import subprocess
import sys
import zipfile

import pytest
from program import PROGRAM, ROOT

deep = pytest.mark.deep
RELEASE = os.environ.get("CHIRPER_WHEEL")


def run(*words, **options):
    return subprocess.run(
        [str(word) for word in words], capture_output=True, text=True, check=False, **options)


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    if RELEASE:
        return pathlib.Path(RELEASE).resolve()
    folder = tmp_path_factory.mktemp("wheel")
    installed = run(
        ROOT / "scripts/install", "--program", PROGRAM, "--prefix", "/usr",
        env={**os.environ, "DESTDIR": str(folder)})
    assert installed.returncode == 0, installed.stderr
    made = run(ROOT / "scripts/wheel", folder / "usr", folder)
    assert made.returncode == 0, made.stderr
    return pathlib.Path(made.stdout.strip())


@pytest.fixture(scope="module")
def python(wheel, tmp_path_factory):
    """Python in a new environment that has the wheel and what reads its frames."""
    folder = tmp_path_factory.mktemp("environment")
    subprocess.run([sys.executable, "-m", "venv", folder / "new"], check=True)
    installed = run(folder / "new/bin/pip", "install", "--quiet", "--no-index", "--no-deps", wheel)
    if not RELEASE and "not a supported wheel" in installed.stderr:
        pytest.skip("pip takes no wheel with the tag linux")
    assert installed.returncode == 0, installed.stderr
    environment = {"PATH": os.environ["PATH"], "HOME": str(folder), "LANG": "C.UTF-8"}
    frames = run(
        folder / "new/bin/pip", "install", "--quiet", "--disable-pip-version-check", "--retries",
        "1", "pandas", "polars").returncode == 0

    def python(code, needs_frames=True):
        if needs_frames and not frames:
            pytest.skip("PyPI does not answer")
        result = run(folder / "new/bin/python", "-c", f"import chirper\n{code}", env=environment)
        assert result.returncode == 0, result.stderr
        return result.stdout

    python.bin, python.environment = folder / "new/bin", environment
    python(
        'chirper.run("fetch", "parrot", "--source", "sample", "--pages", "2")', needs_frames=False)
    return python


def test_the_wheel_has_program_sqlite_licences_and_documents(wheel):
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
        version = run(
            PROGRAM, "--version").stdout.strip() if not RELEASE else wheel.name.split("-")[1]
        info = f"chirper-{version}.dist-info"
        assert {
            "chirper/__init__.py", "chirper/table-schema.json", "chirper/program/chirper",
            "chirper/program/libsqlite3.so.0", f"{info}/licenses/LICENSE",
            f"{info}/licenses/sqlite-of-debian.txt", f"{info}/METADATA", f"{info}/RECORD",
            f"chirper-{version}.data/data/share/man/man1/chirper.1"} <= names
        if RELEASE:
            assert f"{info}/licenses/licences/grdb.swift/LICENSE.txt" in names
        metadata = archive.read(f"{info}/METADATA").decode()
    assert f"\nVersion: {version}\n" in metadata and "\nName: chirper\n" in metadata
    assert len((ROOT / "python/chirper/__init__.py").read_text().splitlines()) <= 130


def test_a_text_is_never_an_option(wheel, tmp_path):
    """A list or search whose text looks like an option of `chirper export`."""
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(tmp_path)
    (tmp_path / "chirper/program/chirper").chmod(0o755)
    (tmp_path / "notes.txt").write_text("mine")
    environment = {"PATH": os.environ["PATH"], "HOME": str(tmp_path), "LANG": "C.UTF-8"}
    for text in ("--output=notes.txt", "-onotes.txt", "--help", "-q:A"):
        code = f"import chirper; chirper.read({text!r})"
        result = run(sys.executable, "-c", code, env=environment, cwd=tmp_path)
        assert f'"{text}"' in result.stderr and "Error: " in result.stderr, result.stderr
    assert (tmp_path / "notes.txt").read_text() == "mine"


def test_a_frame_that_cannot_be_made_ends_the_program(wheel, tmp_path):
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(tmp_path)
    (tmp_path / "chirper/program/chirper").chmod(0o755)
    environment = {"PATH": os.environ["PATH"], "HOME": str(tmp_path), "LANG": "C.UTF-8"}
    # More than a pipe holds.
    code = """
import sys
import chirper
chirper.run("fetch", "parrot", "--source", "sample", "--all")
sys.modules["pandas"] = None
chirper.read("parrot")
"""
    result = run(sys.executable, "-c", code, env=environment, cwd=tmp_path, timeout=120)
    assert "ModuleNotFoundError" in result.stderr, result.stderr


@pytest.mark.skipif(not RELEASE, reason="only a release has a tag for every system: CHIRPER_WHEEL")
def test_the_tag_is_that_of_auditwheel(wheel):
    pytest.importorskip("auditwheel")
    shown = run(sys.executable, "-m", "auditwheel", "show", wheel)
    assert f'the following platform tag: "{wheel.stem.split("-")[-1]}"' in " ".join(
        shown.stdout.split()), shown.stdout + shown.stderr
    assert "-manylinux_2_" in wheel.name


@deep
def test_the_command_is_the_program(python):
    result = run(
        python.bin / "chirper", "list", "parrot", "--limit", "3", "--format", "jsonl",
        env=python.environment)
    assert len(result.stdout.splitlines()) == 3
    assert run(python.bin / "chirper", "list", "nothing", env=python.environment).returncode == 66


@deep
def test_sqlite_is_the_one_beside_the_program(python):
    path = pathlib.Path(python("print(chirper.PROGRAM)", needs_frames=False).strip())
    assert str(path.parent / "libsqlite3.so.0") in run("ldd", path).stdout


@deep
def test_a_list_is_read_in_typed_columns(python):
    found = json.loads(python("""
import json
frame = chirper.read("parrot")
types = {name: str(frame[name].dtype) for name in frame}
print(json.dumps({"rows": len(frame), "dtypes": types, "columns": [*frame]}))
"""))
    types = {
        "integer": "Int64", "number": "Float64", "boolean": "boolean", "string": "string",
        "array": "object"}
    schema = json.loads((ROOT / "docs/table-schema.json").read_text())["fields"]
    assert found["rows"] == 100
    assert found["columns"] == [field["name"] for field in schema]
    dates = {"eventDate": "datetime64[us]", "available": "datetime64[us]"}
    assert found["dtypes"] == {field["name"]: types[field["type"]] for field in schema} | dates


@deep
def test_dates_are_text_where_one_has_no_day(python, tmp_path):
    row = {
        "id": "4711", "catalogue": "xeno-canto", "scientificName": "Turdus merula",
        "eventDate": "2024-05", "available": "2024-06-01",
        "accessURI": "https://xeno-canto.org/4711/download"}
    file = tmp_path / "rows.jsonl"
    file.write_text("".join(
        json.dumps(row | {"id": id, "eventDate": date}) + "\n"
        for id, date in [("1", "2024-05-17"), ("2", "2024-05"), ("3", None)]))
    assert python(f"""
chirper.run("import", {str(file)!r}, "--as", "dates")
for polars in (False, True):
  frame = chirper.read("dates", columns=["id", "eventDate", "available"], polars=polars)
  print([*frame.columns], *(str(one) for one in dict(zip(frame.columns, frame.dtypes)).values()))
  print([str(one) for one in frame["eventDate"].to_list()][:2], frame["available"].to_list()[0].day)
# Without them, made-up recordings are found again.
chirper.run("forget", "dates", "--yes")
""").splitlines() == [
        "['id', 'eventDate', 'available'] string string datetime64[us]",
        "['2024-05-17', '2024-05'] 1",
        "['id', 'eventDate', 'available'] String String Date",
        "['2024-05-17', '2024-05'] 1"]


@deep
def test_a_search_is_read_by_pandas_and_polars_alike(python):
    first, second, third = python("""
frame = chirper.read("type:song q:A")
print(sorted(frame["id"]), frame["mediaDuration"].sum())
frame = chirper.read("type:song q:A", polars=True)
print(sorted(frame["id"]), frame["mediaDuration"].sum())
import polars
print([frame.schema[name] for name in ("id", "year", "decimalLatitude", "allowsDerivatives")]
  == [polars.String, polars.Int64, polars.Float64, polars.Boolean])
""").splitlines()
    assert first == second and "sample:" in first
    assert third == "True"


@deep
def test_a_text_that_found_nothing_is_not_a_list(python, tmp_path):
    row = {
        "id": "4712", "catalogue": "sample", "scientificName": "Taeniopygia guttata",
        "vernacularName": "Zebra Finch"}
    file = tmp_path / "finches.jsonl"
    file.write_text(json.dumps(row) + "\n")
    assert python(f"""
chirper.run("fetch", "zebra", "--source", "sample")
try:
  chirper.read("zebra")
except chirper.Error as error:
  print(error.code, error)
chirper.run("import", {str(file)!r}, "--as", "finches")
print([*chirper.read("zebra", columns=["id"])["id"]])
# A list without a row that is chosen stays that list.
print(len(chirper.read("parrot", "--where", "finch")))
chirper.run("forget", "finches", "--yes")
chirper.run("forget", "zebra", "--yes")
""").splitlines() == ['66 "zebra" found nothing.', "['4712']", "0"]


@deep
def test_options_are_those_of_export(python):
    assert python("""
frame = chirper.read("parrot", "--limit", "2", columns=["id", "year"])
print([*frame.columns], len(chirper.read(None, "--limit", "7")))
""").strip() == "['id', 'year'] 7"
    # A search that is named as one may find nothing.
    assert python("""print(chirper.read(None, "--where", "xyzzyx").shape[0])""").strip() == "0"


@deep
def test_errors_have_the_code_and_the_sentence(python):
    code, sentence = python("""
try:
  chirper.read("parot tree")
except chirper.Error as error:
  print(error.code)
  print(error)
""", needs_frames=False).splitlines()[:2]
    assert (code, sentence) == ("66", 'error: "parot tree" was never fetched.')
    assert python(
        """print(chirper.run("stats", "parrot", "--by", "month", "--json")["recordings"])""",
        needs_frames=False).strip() == "100"
