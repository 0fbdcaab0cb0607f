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

_FOLDER = pathlib.Path(__file__).resolve().parent
#: The path of the program.
PROGRAM = str(_FOLDER / "program" / "chirper")
#: The standard columns of `read`, with their types and descriptions: a Table Schema.
SCHEMA = json.loads((_FOLDER / "table-schema.json").read_text(encoding="utf-8"))
_NOT_STORED = 66


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


def read(text=None, *options, polars=False):
    """The recordings of a stored list, or else those that a search finds, in typed columns.

    Without a text it reads everything stored. Options are those of `chirper export`: read("parrot",
    "--for", "commercial"), or read(None, "--where", "type:song"). Raises `Error` with the code 66
    if there is no list of that name and the search finds nothing.
    """
    if text is None:
        return _frame(_columns([], *options), polars)
    try:
        return _frame(_columns([text], *options), polars)
    except Error as error:
        if error.code != _NOT_STORED:
            raise
        columns = _columns([], f"--where={text}", *options)
        if not any(columns.values()):
            raise
        return _frame(columns, polars)


def _columns(texts, *options):
    """The values of each column; every row has every column. A text is never an option."""
    columns = {}
    words = ["export", "--tidy", "--format", "jsonl", *options, "--", *texts]
    for line in run(*words).split("\n"):
        if line:
            for name, value in json.loads(line).items():
                columns.setdefault(name, []).append(value)
    return columns or {field["name"]: [] for field in SCHEMA["fields"]}


def _frame(columns, polars):
    types = {field["name"]: field["type"] for field in SCHEMA["fields"]}
    if polars:
        import polars as library

        known = {
            "integer": library.Int64, "number": library.Float64, "boolean": library.Boolean,
            "string": library.String}
        return library.DataFrame([
            library.Series(name, values, dtype=known.get(types.get(name)), strict=False)
            for name, values in columns.items()])
    import pandas as library

    known = {"integer": "Int64", "number": "Float64", "boolean": "boolean", "string": "string"}
    return library.DataFrame({
        name: library.Series(values, dtype=known.get(types.get(name), "object"))
        for name, values in columns.items()})


def main():
    """Becomes the program: the command `chirper` of this package."""
    os.execv(PROGRAM, [PROGRAM, *sys.argv[1:]])
