"""docs/schemas: what commands print with --json is as its schema says, and answers have each member
that a schema has."""

import json
import re
import subprocess

import pytest
from live_services import LiveServices
from program import PROGRAM, ROOT, commands, store
from services import Catalogue

FOLDER = ROOT / "docs/schemas"
SCHEMAS = {
    path.stem: json.loads(path.read_text(encoding="utf-8")) for path in FOLDER.glob("*.json")}
# The parts of an answer whose members are a catalogue's, or depend on what was asked for.
OPEN = re.compile(
    r"\.fields\.|^(missing|several|without)\."
    r"|(alsoStored|notTried|kept|lost|incomplete)(\[\])?\.")
SENT = re.compile(r"^recordings\[\]\.")
# The members that no answer here has: those of a store that was damaged, of data sets that
# changed, and of a lab that does not keep a sound.
RARE = {
    "common.json#/$defs/error/detail", "common.json#/$defs/audio/notKept",
    "dataset-build/notAllowed/licence", "dataset-build/notAllowed/recordings",
    "dataset-verify/recordings/sameRecord", "dataset-verify/recordings/stricter",
    *(f"doctor/repair/1/{name}" for name in (
        "damagedCopy", "incomplete", "kept", "lost", "lostLabels")),
}


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
    named = [named] if isinstance(named, str) else named
    types.update({"integer": "number"}.get(one, one) for one in named)
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


def lacking(name, answer):
    """The members of an answer that its schema does not have, or has with different types."""
    known = members(SCHEMAS[name])
    # Keys of counts are members of them; `list` and `export` print records as they were sent.
    asked = {f"counts[].{key}" for key in answer.get("by", [])}

    def is_open(path):
        is_sent = name in ("list", "export") and SENT.search(path)
        return OPEN.search(path) or path in asked or is_sent

    return {
        path: types for path, types in seen(answer).items()
        if not is_open(path) and not types <= known.get(path, set())}


def nodes(schema, at, found):
    """The places in schemas of the members below one, each once."""
    if "$ref" in schema and schema["$ref"] not in found["references"]:
        found["references"].add(schema["$ref"])
        nodes(pointed(schema["$ref"]), schema["$ref"], found)
    for number, part in enumerate(schema.get("anyOf", []) + schema.get("allOf", [])):
        nodes(part, f"{at}/{number}", found)
    for name, part in schema.get("properties", {}).items():
        found["members"].add(f"{at}/{name}")
        nodes(part, f"{at}/{name}", found)
    if "items" in schema:
        nodes(schema["items"], at, found)
    return found


def visit(schema, at, value, seen):
    """Notes the members of a schema that an answer has."""
    if "$ref" in schema:
        visit(pointed(schema["$ref"]), schema["$ref"], value, seen)
    for number, part in enumerate(schema.get("anyOf", []) + schema.get("allOf", [])):
        visit(part, f"{at}/{number}", value, seen)
    for name, part in schema.get("properties", {}).items() if isinstance(value, dict) else ():
        if name in value:
            seen.add(f"{at}/{name}")
            visit(part, f"{at}/{name}", value[name], seen)
    for one in value if "items" in schema and isinstance(value, list) else ():
        visit(schema["items"], at, one, seen)


@pytest.fixture(scope="module")
def validators():
    """What checks an answer, by the name of its schema."""
    jsonschema = pytest.importorskip("jsonschema")
    referencing = pytest.importorskip("referencing")
    registry = referencing.Registry().with_resources(
        (f"{name}.json", referencing.Resource.from_contents(schema))
        for name, schema in SCHEMAS.items())
    for schema in SCHEMAS.values():
        jsonschema.Draft202012Validator.check_schema(schema)
    return {
        name: jsonschema.Draft202012Validator({"$ref": f"{name}.json"}, registry=registry)
        for name in SCHEMAS}


def test_each_command_with_json_has_a_schema():
    def options(command):
        return [(one.get("preferredName") or {}).get("name") for one in command["arguments"]]

    named = {
        name.replace(" ", "-") for name, command in commands().items()
        if "json" in options(command)}
    assert named == SCHEMAS.keys() - {"common", "recording", "error"}


def test_each_member_of_a_schema_is_described_in_the_documents():
    text = "".join(
        (ROOT / f"docs/{name}.md").read_text(encoding="utf-8")
        for name in ("scripting", "lists", "counts", "formats", "datasets", "search"))
    for name, schema in SCHEMAS.items():
        for path in members({**schema, "$defs": {}}) | {}:
            member = path.replace("[]", "").split(".")[-1]
            assert not member or f"`{member}`" in text or f'"{member}"' in text, f"{name}: {path}"


def test_columns_of_a_recording_are_those_of_tables():
    table = json.loads((ROOT / "docs/table-schema.json").read_text())
    fields = [field["name"] for field in table["fields"] if field["name"] != "audioFile"]
    assert [*SCHEMAS["recording"]["properties"]][: len(fields)] == fields


def test_answers_are_as_their_schemas_say_and_have_each_member(validators, tmp_path):
    services, catalogue = LiveServices(), Catalogue()
    covered, asked = set(), set()

    def checks(chirper):
        def check(*words, name=None, code=0, input=None):
            result = subprocess.run(
                [PROGRAM, *map(str, words), "--json"], env=chirper.environment, input=input,
                capture_output=True, check=False)
            assert result.returncode == code, (words, result.stderr)
            name, answer = name or words[0], json.loads(result.stdout or result.stderr)
            validators[name].validate(answer)
            assert lacking(name, answer) == {}, words
            visit(SCHEMAS[name], name, answer, covered)
            asked.add(name)
            return answer
        return check

    try:
        with store(services.address) as chirper:
            answers(chirper, checks(chirper), tmp_path)
        with store(catalogue.address) as chirper:
            changes(chirper, checks(chirper), tmp_path, catalogue)
    finally:
        services.close()
        catalogue.close()
    assert asked == SCHEMAS.keys() - {"common", "recording"}
    found = {"members": set(), "references": set()}
    for name in asked:
        nodes(SCHEMAS[name], name, found)
    assert found["members"] - covered == RARE


def answers(chirper, check, folder):
    check("fetch", 'sp:"turdus merula"', "--source", "xeno-canto")
    check("fetch", "gen:turdus", "--pages", "1", "--per-page", "50")
    check("fetch", "Turdus merula", "--source", "gbif", "--all")
    check("fetch", "Turdus merula", "--source", "inaturalist", "--all", "--audio")
    check("fetch", "jack johnson", "--source", "itunes")
    check("fetch", "parrot", "--source", "sample", "--pages", "2")
    check("fetch", "gen:zzzz")
    (folder / "trip.txt").write_text("sample:kea\nxeno-canto:gen:turdus\n")
    check("fetch", "--from", folder / "trip.txt")
    (folder / "labels.txt").write_text("Turdus merula_Common Blackbird\nEngine_Engine\n")
    check("fetch", "--from", folder / "labels.txt", "--source", "gbif", code=3)
    check("sync")
    check("sync", "parrot")
    check("list")
    check("list", "parrot", "--limit", "2")
    check("list", 'sp:"turdus merula"', "--where", "ann:yes", "--for", "derivatives")
    check("list", "parrot", "gen:turdus", "--limit", "2")
    check("list", "parrot", "-o", folder / "parrots.gpx")
    check("list", "-o", folder / "lists.csv")
    check("search", "turdus", "--limit", "60")
    check("search", "source:sample q:A")
    check("search", "ann:yes", "--sort", "-date")
    check("search", "turdus", "--count")
    check("search", "turdus", "--new", "7d", "--limit", "3")
    check("search", "turdus", "-o", folder / "found.csv")
    check("export", "parrot")
    check("export", "--where", "q:A", "--limit", "5")
    check("export", "parrot", "--where", "q:A", "--audio", folder / "take", "--limit", "2")
    check("export", "parrot", "-o", folder / "trip.apkg", "--per-species", "1", "--limit", "1")
    check("news", "--details")
    check("news")
    check("stats", "parrot", "--by", "month")
    check("stats", "--by", "species,month")
    check("stats", "parrot", "--by", "type")
    check("stats", "--by", "month,hour")
    check("stats", "-o", folder / "counts.csv")
    check("doctor")
    check("doctor", "--audio")
    check("doctor", "--repair")
    check("backup", folder / "copy.sqlite")
    (folder / "hessen.csv").write_text("Scientific name,German,Klingon\nTurdus merula,Amsel,qaj\n")
    check("names", "add", folder / "hessen.csv", name="names-add")
    check("names", "list", name="names-list")
    check("stats", "--by", "species", "--names", "de")
    check("names", "remove", "hessen", name="names-remove")
    check(
        "dataset", "new", folder / "set", "parrot", "--split", "80/10/10", "--limit", "6",
        name="dataset-new")
    chirper.run("export", "parrot", "--tidy", "--format", "jsonl", "-o", folder / "rows.jsonl")
    check("import", folder / "rows.jsonl", "--as", "again")
    (folder / "labels.txt").write_text("0.5\t1\tTawny Owl\n2\t1\twren\n")
    one = check("list", "parrot", "--limit", "1")["recordings"][0]["id"]
    of = ["--recording", one, "--by", "A. Person"]
    check("import", "--labels", folder / "labels.txt", *of, code=3)
    check("dataset", "lock", folder / "set.dataset.json", name="dataset-lock")
    check("dataset", "build", folder / "set.lock.jsonl", folder / "set", name="dataset-build")
    check("dataset", "verify", folder / "set.lock.jsonl", name="dataset-verify")
    lock = folder / "set.lock.jsonl"
    check("dataset", "verify", lock, lock, name="dataset-verify")
    check("dataset", "has", "sample:17", folder / "set.lock.jsonl", name="dataset-has")
    check("auth", "status", name="auth-status")
    check("auth", "set", name="auth-set", input=b"akeyofsomelength\n")
    check("auth", "clear", name="auth-clear")
    check("forget", "parrot", "--source", "sample", "--yes")
    check("forget", "--empty", "--yes")
    check("forget", "--labels", "labels.txt", "--yes")
    check("list", "absent", name="error", code=66)
    check("search", "qq:A", name="error", code=64)
    chirper.reach(None)
    check("fetch", "owl", "--source", "gbif", code=69)


def rows(*numbers, species="merula", genus="Turdus", remark="", english="Blackbird"):
    """Recordings as xeno-canto sends them."""
    return [{"id": str(number), "gen": genus, "sp": species, "ssp": "", "grp": "birds",
             "en": english, "rec": "A. Person", "cnt": "Poland",
             "loc": "Wood",
             "type": "song", "q": "A", "length": "0:12", "date": "2025-05-01",
             "uploaded": "2025-06-01",
             "also": [], "rmk": remark,
             "url": f"https://xeno-canto.org/{number}",
             "lic": "https://creativecommons.org/licenses/by-nc-nd/4.0/",
             "file": "http://127.0.0.1:9/x"}
            for number in numbers]


def occurrence(key, sounds, **values):
    """A record as GBIF sends it."""
    media = [
        {"type": "Sound", "identifier": f"https://sounds.example/{key}-{sound}.mp3"}
        for sound in range(sounds)]
    return {
        "key": key, "scientificName": "Turdus merula",
        "datasetKey": "b1047888-ae52-4179-9dd5-5448ea342a24", "media": media, **values}


def changes(chirper, check, folder, catalogue):
    """Lists that change, and what is said of it."""
    lists = catalogue.rows
    lists["gen:turdus"] = rows(*range(1, 13))
    check("fetch", "gen:turdus")
    chirper.run("dataset", "new", folder / "before", "gen:turdus")
    chirper.run("dataset", "lock", folder / "before.dataset.json", "--no-audio")
    # One left, one entered, one was identified again, and one has a remark.
    thrush = rows(3, species="philomelos", english="Song Thrush")
    lists["gen:turdus"] = rows(2, 13) + thrush + rows(4, remark="new") + rows(*range(5, 13))
    check("sync")
    check("news", "gen:turdus", "--details", "--since", "30d")
    check("news")
    for options in (
        ["--new", "7d"], ["--changed", "7d"], ["--gone"], ["--copies", "no"],
        ["--for", "commercial"],
    ):
        check("list", "gen:turdus", *options, "--limit", "2")
        check("export", "gen:turdus", *options, "--limit", "2")
    check("export", "gen:turdus", "--audio", folder / "audio", code=3)
    check("dataset", "verify", folder / "before.lock.jsonl", name="dataset-verify", code=3)
    chirper.run("dataset", "new", folder / "after", "gen:turdus")
    check("dataset", "lock", folder / "after.dataset.json", name="dataset-lock", code=3)
    locks = [folder / "before.lock.jsonl", folder / "after.lock.jsonl"]
    check("dataset", "verify", *locks, name="dataset-verify", code=3)
    check("dataset", "has", "XC5", folder / "before.lock.jsonl", name="dataset-has")
    # One comes back.
    lists["gen:turdus"] = rows(1, *range(3, 13))
    check("fetch", "gen:turdus", "--all")
    lists["gen:turdus"] = rows(1)
    check("sync", code=3)
    check("list")
    # A row that comes twice, and the key in a text.
    chirper.environment["XENO_CANTO_API_KEY"] = "akeyofsomelength"
    lists["gen:strix"] = rows(21, 21, english="akeyofsomelength")
    check("fetch", "gen:strix", "--all")
    # Other names of a bird, one that is nearly a name, and a tag that is not known.
    lists["gen:sylvia"] = rows(
        31, species="communis", genus="Sylvia", english="Greater Whitethroat")
    check("fetch", "gen:sylvia")
    check("search", "curruca communis", "--limit", "1")
    check("list", "gen:sylvia", "--where", "curruca communis", "--limit", "1")
    check("fetch", "Greater Whitethroatt")
    check("fetch", "=typ:song gen:sylvia")
    chirper.run("fetch", "parrot", "--source", "sample")
    lists['en:"parrot"'] = rows(41)
    check("fetch", "parrot", "--source", "xeno-canto")
    check("list", "parrot", "--limit", "1")
    (folder / "rows.jsonl").write_text(
        '{"id":"1","catalogue":"sample","scientificName":"Turdus merula"}\nnonsense\n')
    check("import", folder / "rows.jsonl", code=3)
    lists["gen:otus"] = rows(*range(100, 400))
    check("fetch", "gen:otus", "--all", "--per-page", "50")
    check("sync", "gen:otus")
    catalogue.occurrences = [
        occurrence(7, 2), occurrence(8, 300), occurrence(9, 1, catalogNumber="XC5")]
    check("fetch", "cnt:poland", "--source", "gbif", "--all")
    catalogue.broken = True
    check("fetch", "gen:parus", code=1)
