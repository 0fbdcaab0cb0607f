"""docs/SKILL.md, from which assistants learn the command: every call in it runs, and it is short.
"""

import re
import shlex

import pytest
from program import ROOT, commands, store

TEXT = (ROOT / "docs/SKILL.md").read_text(encoding="utf-8")
CALLS = [line.strip() for line in TEXT.splitlines() if line.startswith("    chirper ")]


@pytest.fixture(scope="module")
def chirper():
    with store() as chirper:
        chirper.run("fetch", "parrot", "--source", "sample", "--pages", "2")
        yield chirper


def test_it_is_short_and_has_what_an_assistant_looks_for():
    assert len(TEXT.split()) < 1500
    assert re.match(r"---\nname: chirper\ndescription: [^\n]{50,1024}\n---\n", TEXT)
    assert len(CALLS) == 5


@pytest.mark.parametrize("call", CALLS)
def test_each_call_answers(chirper, call):
    assert chirper.run(*shlex.split(call)[1:]).startswith(b"{")


def test_each_example_of_a_search_is_one(chirper):
    rows = TEXT.split("## Words of a search")[1].split("Terms separated")[0]
    examples = [
        example for example in re.findall(r"`([^`]+)`", rows) if not example.startswith("--")]
    assert len(examples) > 15
    for example in examples:
        result = chirper.call("search", example, "--count", "--json")
        # A list that is not stored is named as such; any other error is one of the language.
        assert result.returncode == 0 or example == "in:gbif:parrot" and result.returncode == 66, (
            example, result.stderr)


def test_it_names_commands_options_and_columns_that_exist(chirper):
    options = {
        name
        for command in commands().values()
        for argument in command["arguments"]
        for name in [
            "--" + one["name"] for one in argument.get("names") or [] if one["kind"] == "long"]}
    assert set(re.findall(r"(?<![\w-])--[a-z][a-z-]+", TEXT)) <= options
    for words in re.findall(r"`chirper ([a-z]+(?: set)?)", TEXT):
        assert words in commands(), words
    columns = chirper.rows("search", "parrot", "--limit", "1")[0]
    obscured = ["dataGeneralizations", "informationWithheld"]
    for column in ["issues", "credit", "allowsCommercialUse", *obscured]:
        assert column in columns
