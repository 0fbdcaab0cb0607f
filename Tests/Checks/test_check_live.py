"""scripts/check-live names each assumption about a service that does not hold, and the report does
not have the key."""

import os
import subprocess
import sys

import pytest
from live_services import COL, Altered, LiveServices
from program import PROGRAM, ROOT
from services import needs_samples, recorded

KEY = "a1b2c3d4e5"


def run(folder, address, *words, key=KEY, program=PROGRAM):
    """How the script ended, and its lines: (service, mark, assumption, what came)."""
    environment = {
        "PATH": os.environ["PATH"], "HOME": str(folder), "LANG": "C.UTF-8",
        "XENO_CANTO_API_KEY": key}
    for name in ("XENO_CANTO", "ITUNES", "GBIF", "INATURALIST"):
        environment[f"CHIRPER_{name}_URL"] = address
    report = folder / "report.txt"
    result = subprocess.run(
        [
            sys.executable, ROOT / "scripts/check-live", "--program", program, "--report", report,
            *words],
        env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    assert report.is_file(), result.stderr
    assert report.read_text() == result.stdout
    lines, service = [], None
    for line in result.stdout.splitlines():
        if line.startswith(" " * 12):
            lines[-1] = (*lines[-1][:3], line.strip())
        elif line.startswith("  "):
            lines.append((service, line[2:12].strip(), line[12:], ""))
        elif line:
            service = line.split(":")[0].split(",")[0]
    return result, lines


@pytest.fixture(scope="module")
def services():
    server = LiveServices()
    yield server
    server.close()


def test_each_assumption_holds_with_few_requests(services, tmp_path):
    services.paths.clear()
    result, lines = run(tmp_path, services.address)
    assert [line for line in lines if line[1] in ("DIFFERS", "not asked")] == []
    assert result.returncode == 0
    for service in ("xeno-canto", "itunes", "gbif", "inaturalist"):
        assert len([
            line for line in lines if line[0] == service and line[1] == "holds"]) > 10, service
    assert len(services.paths) < 60
    assert f"about {len(services.paths)} requests" in result.stdout


def rows(answer):
    """The rows of an answer of any service."""
    return next(
        (answer[name] for name in ("recordings", "results") if name in answer), []) if isinstance(
            answer, dict) else []


def each(change):
    """Changes each row."""
    def changed(_path, _query, _status, answer):
        for row in rows(answer):
            change(row)

    return changed


def whole_answer(change):
    """Changes an answer that has rows."""
    def changed(_path, query, _status, answer):
        if isinstance(answer, dict):
            change(answer, query)

    return changed


def annotated(change):
    def changed(row):
        for one in (row.get("annotation-set") or {"annotations": []})["annotations"]:
            change(one)

    return each(changed)


def number_for_text(answer, _):
    if "numRecordings" in answer:
        answer["numRecordings"] = int(answer["numRecordings"])


def oldest_first(answer, _):
    answer["recordings"] = answer.get("recordings", [])[::-1]


def no_clamp(answer, query):
    if "endOfRecords" in answer:
        answer["limit"] = int(query.get("limit", 20))


def only_new_keys(answer, query):
    if "scientificNameID" in query:
        answer.pop("usage", None)


def whole_total(answer, query):
    if "id_below" in query:
        answer["total_results"] = 12_000


def clock(one):
    one["start_time"] = f"0:0{one['start_time']}"


# What is wrong with a service, and the assumption that is named.
NO_SONGS = 200, {"resultCount": 5, "results": []}
BROKEN = [
    (
        "xeno-canto",
        lambda _path, query, _status, _answer: None if query.get("key") else (
            200, {"recordings": []}), "without a key"),
    (
        "xeno-canto", whole_answer(number_for_text),
        "numRecordings and numSpecies are texts of digits"),
    ("xeno-canto", whole_answer(oldest_first), "order of a species"),
    ("xeno-canto", annotated(clock), "an annotation has start_time and end_time"),
    (
        "xeno-canto", each(lambda row: row.update({"annotation-set": "yes"})),
        "annotation-set is an object"),
    (
        "itunes",
        lambda _path, query, _status, _answer: NO_SONGS if "offset" in query else None,
        "offset=5 gives"),
    ("gbif", whole_answer(no_clamp), "limit=500 becomes 300"),
    (
        "gbif", each(lambda row: row.get("classifications", {}).pop(COL, None)),
        "taxonomy: each record has its name in the Catalogue of Life"),
    (
        "gbif", whole_answer(only_new_keys),
        "taxonomy: v2 match of that species' key in the older taxonomy"),
    ("inaturalist", whole_answer(whole_total), "with id_below, total_results is what is ahead"),
]


@pytest.mark.parametrize(
    ("service", "change", "named"), BROKEN,
    ids=[f"{service}: {named}" for service, _, named in BROKEN])
def test_what_differs_is_named(services, tmp_path, service, change, named):
    server = Altered(services.address, change)
    try:
        result, lines = run(tmp_path, server.address, service)
    finally:
        server.close()
    wrong = [line for line in lines if line[1] == "DIFFERS"]
    assert any(text.startswith(named) for _, _, text, _ in wrong), lines
    # Other lines are about the same fact, such as the taxonomy of two requests, or the program that
    # met it.
    assert len(wrong) <= 4, wrong
    assert all(came for _, _, _, came in wrong), wrong
    assert result.returncode == 1


def test_without_a_key_the_others_are_asked(services, tmp_path):
    result, lines = run(tmp_path, services.address, key="")
    assert {line[1] for line in lines if line[0] == "xeno-canto"} == {"holds", "not asked"}
    assert len([line for line in lines if line[0] == "xeno-canto" and line[1] == "not asked"]) > 25
    assert all(line[3] == "there is no key" for line in lines if line[1] == "not asked")
    assert result.returncode == 0


def test_a_service_that_does_not_answer_or_asks_to_wait(services, tmp_path):
    result, lines = run(tmp_path, "http://127.0.0.1:9", "gbif")
    assert {line[1] for line in lines} == {"not asked"}
    assert "did not answer" in lines[0][3]
    assert result.returncode == 1
    server = Altered(
        services.address, lambda path, *_: (429, ["a", "b"]) if "/occurrence/" in path else None)
    try:
        result, lines = run(tmp_path, server.address, "gbif")
    finally:
        server.close()
    assert {line[1] for line in lines} == {"not asked"}
    assert "asked to wait (status 429)" in lines[0][3]
    assert result.returncode == 0


def test_the_key_is_not_in_the_report(services, tmp_path):
    def echo(_path, query, _status, answer):
        if query.get("query") == "parrot":
            return 200, {"error": "", "message": f"{query['key']} {query['key'].upper()}"}
        return None

    server = Altered(services.address, echo)
    try:
        result, lines = run(tmp_path, server.address, "xeno-canto")
    finally:
        server.close()
    [came] = [
        came
        for _, mark, text, came in lines
        if text.startswith("words without a tag") and mark == "DIFFERS"]
    assert came.count("[key]") == 2
    assert KEY not in (result.stdout + result.stderr).lower()


@needs_samples
def test_recorded_answers_hold(tmp_path):
    with recorded("--local-audio") as address:
        _, lines = run(tmp_path, address)
    assert [line for line in lines if line[1] == "DIFFERS"] == []
    assert len([line for line in lines if line[1] == "holds"]) > 80
