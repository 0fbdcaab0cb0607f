"""docs/schemas: what commands print with --json is as its schema says, and docs/json-members.txt
has no member that a schema lacks."""

import json
import re

import pytest
from live_services import LiveServices
from program import ROOT, commands, store

FOLDER = ROOT / "docs/schemas"
SCHEMAS = {
    path.stem: json.loads(path.read_text(encoding="utf-8")) for path in FOLDER.glob("*.json")}
MEMBERS = (ROOT / "docs/json-members.txt").read_text(encoding="utf-8")
# The parts of an answer whose members are a catalogue's, or depend on what was asked for.
OPEN = re.compile(
    r"^recordings\[\]\.|\.fields\.|^counts\[\]\.|^(missing|several|without)\."
    r"|(alsoStored|taxa|notTried|kept|lost|incomplete)(\[\])?\.")
# The options that a line of json-members.txt names after its commands.
SECTIONS = {
    "an error, on standard error": ["error"], "auth": ["auth-set", "auth-status", "auth-clear"],
    "sync, without a walk": ["sync"], "list QUERY, export QUERY": ["list", "export"],
    "list QUERY QUERY": ["list", "export"]}


def pointed(reference):
    """The part of a schema that a reference names."""
    file, _, path = reference.partition("#")
    part = SCHEMAS[file.removesuffix(".json")]
    for name in path.split("/")[1:]:
        part = part[name]
    return part


def members(schema, path="", found=None):
    """The types of each member, by its path: `queries[].fetchedAt.oldest`."""
    found = {} if found is None else found
    types = found.setdefault(path, set())
    if "$ref" in schema:
        members(pointed(schema["$ref"]), path, found)
    for part in schema.get("anyOf", []) + schema.get("allOf", []):
        members(part, path, found)
    if "const" in schema or "enum" in schema:
        types.add("string")
    named = schema.get("type", [])
    types.update(
        {"integer": "number"}.get(one, one)
        for one in ([named] if isinstance(named, str) else named))
    if schema == {} or set(schema) == {"description"}:
        types.update(("null", "boolean", "number", "string", "array", "object"))
    for name, part in schema.get("properties", {}).items():
        members(part, f"{path}.{name}".lstrip("."), found)
    if "items" in schema:
        members(schema["items"], f"{path}[]", found)
    return found


def seen(value, path="", found=None):
    """The same of an answer."""
    found = {} if found is None else found
    kinds = {
        type(None): "null", bool: "boolean", int: "number", float: "number", str: "string",
        list: "array", dict: "object"}
    found.setdefault(path, set()).add(kinds[type(value)])
    for name, part in value.items() if isinstance(value, dict) else ():
        seen(part, f"{path}.{name}".lstrip("."), found)
    for part in value if isinstance(value, list) else ():
        seen(part, f"{path}[]", found)
    return found


def lacking(schema, found):
    """The members of an answer that the schema does not have, or has with different types."""
    known = members(SCHEMAS[schema])
    return {
        path: types
        for path, types in found.items()
        if not OPEN.search(path) and not types <= known.get(path, set())}


@pytest.fixture(scope="module")
def validate():
    jsonschema = pytest.importorskip("jsonschema")
    referencing = pytest.importorskip("referencing")
    registry = referencing.Registry().with_resources(
        (f"{name}.json", referencing.Resource.from_contents(schema))
        for name, schema in SCHEMAS.items())
    for schema in SCHEMAS.values():
        jsonschema.Draft202012Validator.check_schema(schema)

    def validate(name, answer):
        jsonschema.Draft202012Validator(
            {"$ref": f"{name}.json"}, registry=registry).validate(answer)
        assert lacking(name, seen(answer)) == {}, name

    return validate


def test_each_command_with_json_has_a_schema():
    named = {
        name.replace(" ", "-")
        for name, command in commands().items()
        if any(
            (one.get("preferredName") or {}).get("name") == "json" for one in command["arguments"])}
    assert named == SCHEMAS.keys() - {"common", "recording", "error"}


def test_recorded_members_are_in_the_schemas():
    checked = 0
    for section in MEMBERS.strip().split("\n\n"):
        title, *lines = section.splitlines()
        command = re.sub(r"( -{1,2}[a-z]+| [A-Z]+)+$", "", title).replace(" ", "-")
        for schema in SECTIONS.get(title, [command]):
            found = {
                path: set(types.split(" or "))
                for path, types in (line.strip().split(": ") for line in lines)}
            assert lacking(schema, found) == {}, title
            checked += len(found)
    assert checked > 700


def test_each_member_of_a_schema_is_described_in_the_documents():
    text = "".join(
        (ROOT / f"docs/{name}.md").read_text(encoding="utf-8")
        for name in ("scripting", "counts", "formats", "datasets", "search"))
    for name, schema in SCHEMAS.items():
        for path in members({**schema, "$defs": {}}) | {}:
            member = path.replace("[]", "").split(".")[-1]
            assert not member or f"`{member}`" in text or f'"{member}"' in text, f"{name}: {path}"


def test_columns_of_a_recording_are_those_of_tables():
    fields = [
        field["name"]
        for field in json.loads((ROOT / "docs/table-schema.json").read_text())["fields"]
        if field["name"] != "audioFile"]
    assert [*SCHEMAS["recording"]["properties"]][: len(fields)] == fields


def test_answers_are_as_their_schemas_say(validate, tmp_path):
    services = LiveServices()
    try:
        with store(services.address) as chirper:
            answers(chirper, validate, tmp_path)
    finally:
        services.close()


def answers(chirper, validate, folder):
    def check(*words, name=None, code=0):
        result = chirper.call(*words, "--json")
        assert result.returncode == code, (words, result.stderr)
        validate(name or words[0], json.loads(result.stdout or result.stderr))

    check("fetch", 'sp:"turdus merula"', "--source", "xeno-canto")
    check("fetch", "gen:turdus", "--pages", "1", "--per-page", "50")
    check("fetch", "Turdus merula", "--source", "gbif", "--all")
    check("fetch", "Turdus merula", "--source", "inaturalist", "--all", "--audio")
    check("fetch", "jack johnson", "--source", "itunes")
    check("fetch", "parrot", "--source", "sample", "--pages", "2")
    check("fetch", "gen:zzzz")
    (folder / "trip.txt").write_text("sample:kea\nxeno-canto:gen:turdus\n")
    check("fetch", "--from", folder / "trip.txt")
    check("fetch", "--audio", "--where", "source:itunes")
    check("sync")
    check("sync", "parrot")
    check("list")
    check("list", "parrot", "--limit", "2")
    check("list", 'sp:"turdus merula"', "--where", "ann:yes", "--for", "derivatives")
    check("list", "parrot", "gen:turdus", "--limit", "2")
    check("list", "parrot", "-o", folder / "parrots.gpx")
    check("search", "turdus", "--limit", "60")
    check("search", "source:sample q:A")
    check("search", "ann:yes", "--sort", "-date")
    check("search", "turdus", "--count")
    check("search", "turdus", "--new", "7d", "--limit", "3")
    check("search", "turdus", "-o", folder / "found.csv")
    check("export", "parrot")
    check("export", "--where", "q:A", "--limit", "5")
    check("export", "parrot", "--where", "q:A", "--audio", folder / "take", "--limit", "2")
    check("changes")
    check("news")
    check("stats", "--by", "species,month")
    check("stats", "parrot", "--by", "type")
    check("stats", "--by", "month,hour")
    check("doctor")
    check("doctor", "--audio")
    check("doctor", "--repair")
    check("backup", folder / "copy.sqlite")
    (folder / "hessen.csv").write_text("Scientific name,German,Klingon\nTurdus merula,Amsel,qaj\n")
    check("names", "add", folder / "hessen.csv", name="names-add")
    check("names", "list", name="names-list")
    check("names", "remove", "hessen", name="names-remove")
    check(
        "dataset", "new", folder / "set", "parrot", "--split", "80/10/10", "--limit", "6",
        name="dataset-new")
    chirper.run("export", "parrot", "--tidy", "--format", "jsonl", "-o", folder / "rows.jsonl")
    check("import", folder / "rows.jsonl", "--as", "again")
    lock = folder / "set.lock.jsonl"
    check("dataset", "lock", folder / "set.dataset.json", name="dataset-lock")
    check("dataset", "build", lock, folder / "set", name="dataset-build")
    check("dataset", "verify", lock, name="dataset-verify")
    check("dataset", "diff", lock, lock, name="dataset-diff")
    check("dataset", "has", "sample:17", lock, name="dataset-has")
    check("dataset", "leaks", lock, name="dataset-leaks")
    check("auth", "status", name="auth-status")
    check("auth", "clear", name="auth-clear")
    check("forget", "parrot", "--source", "sample", "--yes")
    check("forget", "--empty", "--yes")
    check("list", "absent", name="error", code=66)
    check("search", "qq:A", name="error", code=64)
    chirper.reach(None)
    check("fetch", "owl", "--source", "gbif", code=69)
