"""chirper for programs in Python: a search tool for wildlife sound recordings.

    import chirper

    chirper.run("fetch", "parrot", "--source", "sample")
    parrots = chirper.read("parrot")                     # a stored list, as a pandas.DataFrame
    songs = chirper.read("type:song q:A", polars=True)   # a search in everything stored

The program does all of it; this module starts it, and reads nothing of its store. What can be
typed: chirper --help.
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile

_FOLDER = pathlib.Path(__file__).resolve().parent
#: The path of the program.
PROGRAM = str(_FOLDER / "program" / "chirper")
#: The standard columns of `read`, with their types and descriptions: a Table Schema.
SCHEMA = json.loads((_FOLDER / "table-schema.json").read_text(encoding="utf-8"))
_TYPES = {field["name"]: field["type"] for field in SCHEMA["fields"]}
_DATES = {one["name"] for one in SCHEMA["fields"] if "{4}(-" in str(one.get("constraints"))}
_NOT_STORED = 66
_EXPORT = ("export", "--tidy", "--format", "csv")


class Error(Exception):
    """The program failed: its exit code, listed in `man 7 chirper-scripting`, and what it wrote."""

    def __init__(self, code, message, output=""):
        super().__init__(message or f"chirper ended with {code}")
        self.code, self.output = code, output


def run(*words):
    """What the program writes to standard output, as text; with "--json", as values.

    Raises `Error` if the program ends with an error. What it had written is in `output`.
    """
    command = [PROGRAM, *map(str, words)]
    result = subprocess.run(
        command, stdin=subprocess.DEVNULL, capture_output=True, encoding="utf-8", check=False)
    if result.returncode:
        raise Error(result.returncode, result.stderr.strip(), result.stdout)
    return json.loads(result.stdout) if "--json" in words else result.stdout


def read(text=None, *options, columns=None, polars=False):
    """The recordings of a stored list, or else those that a search finds, in typed columns.

    Without a text it reads everything stored. Options are those of `chirper export`: read("parrot",
    "--for", "commercial"). With columns=["id", "eventDate"] it reads no others. A column of dates
    has dates if each that is known has a day, else texts. Raises `Error` with the code 66 if there
    is no list of that name and the search finds nothing.
    """
    if columns is not None:
        options = (*options, "--columns", ",".join(columns))
    # A text is never an option.
    named = () if text is None else ("--", text)
    try:
        frame = _frame(polars, *options, *named)
        if text is not None and not len(frame):
            said = run(*_EXPORT, "--json", "--output", os.devnull, *options, *named)
            if said.get("rows") == 0:
                raise Error(_NOT_STORED, f'"{text}" found nothing.')
        return frame
    except Error as error:
        if text is None or error.code != _NOT_STORED:
            raise
        found = _frame(polars, f"--where={text}", *options)
        if not len(found):
            raise
        return found


def _frame(polars, *words):
    """The table that `chirper export` writes, read while it is written."""
    command = [PROGRAM, *_EXPORT, *map(str, words)]
    with tempfile.TemporaryFile() as said, subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=said) as program:
        try:
            names = program.stdout.readline().decode("utf-8").rstrip("\r\n").split(",")
            return (_of_polars if polars else _of_pandas)(program.stdout, names)
        finally:
            # It ends also if nothing reads the rest. What went wrong there says more than that.
            program.stdout.close()
            if program.wait():
                said.seek(0)
                raise Error(program.returncode, said.read().decode("utf-8", "replace").strip())


def _of_pandas(table, names):
    import pandas

    known = {"integer": "Int64", "number": "Float64", "boolean": "boolean"}
    types = {name: known.get(_TYPES.get(name), "string") for name in names}
    frame = pandas.read_csv(table, names=names, dtype=types, keep_default_na=False, na_values=[""])
    for name, values in _arrays(frame):
        frame[name] = pandas.Series(values, dtype="object")
    for name in _DATES & {*names}:
        dates = pandas.to_datetime(frame[name], format="%Y-%m-%d", errors="coerce")
        frame[name] = dates if dates.count() == frame[name].count() > 0 else frame[name]
    return frame


def _of_polars(table, names):
    import polars

    known = {"integer": polars.Int64, "number": polars.Float64, "boolean": polars.Boolean}
    types = {name: known.get(_TYPES.get(name), polars.String) for name in names}
    frame = polars.read_csv(table, has_header=False, new_columns=names, schema=types)
    frame = frame.with_columns(polars.Series(*column, strict=False) for column in _arrays(frame))
    dates = frame.select(polars.col([*_DATES & {*names}]).str.to_date("%Y-%m-%d", strict=False))
    return frame.with_columns(one for one in dates if one.count() == frame[one.name].count() > 0)


def _arrays(frame):
    """The columns of texts that are JSON, and their values."""
    for name in frame.columns:
        if _TYPES.get(name) == "array":
            yield name, [json.loads(one) if isinstance(one, str) else None for one in frame[name]]


def main():
    """Becomes the program: the command `chirper` of this package."""
    os.execv(PROGRAM, [PROGRAM, *sys.argv[1:]])
