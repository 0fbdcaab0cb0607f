"""A species has one name in every place that shows it: in English, or in a language of a list that
was added."""

import contextlib

import pytest

from program import store
from services import Catalogue

LIST = "gen:turdus"
BIRDS = [
    ("Turdus", "merula", "Common Blackbird", "Amsel"),
    ("Turdus", "iliacus", "Redwing", "Rotdrossel"),
    ("Troglodytes", "troglodytes", "Eurasian Wren", "Zaunkönig"),
]
COMMANDS = [
    ("list", LIST),
    ("list", LIST, "--format", "csv", "--columns", "id,acceptedVernacularName"),
    ("search", "t"),
    ("search", "t", "--json"),
    ("stats",),
    ("stats", "--by", "species,month"),
    ("stats", "--json"),
    ("export", "--tidy"),
    ("export", "--format", "geojson"),
]
ROUTES = ["rows?columns=acceptedVernacularName", "stats?by=species", "recordings/xeno-canto/1"]


@pytest.fixture(scope="module")
def program():
    rows = [
        {"id": str(number), "gen": genus, "sp": epithet, "en": english, "cnt": "Norway",
         "grp": "birds", "type": "song", "date": "2024-05-01", "q": "A", "length": "0:42"}
        for number, (genus, epithet, english, _) in enumerate(BIRDS, 1)]
    with contextlib.ExitStack() as ends:
        catalogue = ends.enter_context(contextlib.closing(Catalogue({LIST: rows})))
        program = ends.enter_context(store(catalogue.address))
        program.run("fetch", LIST)
        names = program.home / "names.csv"
        lines = [f"{genus} {epithet},{german}" for genus, epithet, _, german in BIRDS]
        names.write_text("\n".join(["Scientific name,German", *lines]))
        program.run("names", "add", names)
        program.serve()
        yield program


def has_names(text, language, place):
    for _, _, english, german in BIRDS:
        shown, other = (german, english) if language == "de" else (english, german)
        assert shown in text, f"{place} has no {shown}: {text}"
        assert other not in text or language == "de", f"{place} has {other}: {text}"


@pytest.mark.parametrize("language", [None, "en", "de"])
def test_a_species_has_one_name_in_every_place(program, language):
    option = ["--names", language] if language else []
    for command in COMMANDS:
        has_names(program.run(*command, *option).decode(), language, command)
    for route in ROUTES:
        separator = "&" if "?" in route else "?"
        more = f"{separator}names={language}" if language else ""
        answer = str(program.get(f"/api/chirper/{route}{more}"))
        if route.startswith("recordings"):
            german, english = BIRDS[0][3], BIRDS[0][2]
            assert (german if language == "de" else english) in answer, answer
        else:
            has_names(answer, language, route)


def test_rows_have_the_order_of_the_names_that_are_shown(program):
    for language, order in [("en", "132"), ("de", "123")]:
        command = ["--sort", "vernacularName", "--names", language, "--columns", "id"]
        for words in (["list", LIST], ["search", "t"]):
            found = program.run(*words, *command).decode().split()
            assert "".join(found[1:]) == order, f"{words} in {language}: {found}"
        rows = program.get(f"/api/chirper/rows?columns=id&sort=vernacularName&names={language}")
        assert "".join(row["id"] for row in rows["recordings"]) == order, language
