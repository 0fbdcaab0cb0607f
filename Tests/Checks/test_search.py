"""Searches a store of the samples with random expressions, and compares what `chirper search` finds
with what docs/search.md says."""

import collections
import concurrent.futures
import contextlib
import csv
import datetime
import json
import os
import sqlite3

from language import COLUMNS, Evaluator, Generator, Recording, Refused
from program import store
from services import SHARED, needs_samples, recorded


ANNOTATED = [
    [],
    [{
        "scientific_name": "Turdus merula", "sound_type": "song", "sex": "male",
        "life_stage": "adult"}],
    [
        {
            "scientific_name": "Parus major", "sound_type": "alarm call, call", "start_time": "2",
            "end_time": "1"},
        {"scientific_name": "Turdus merula", "sex": "female"}],
    [{"scientific_name": "Łarus " + "very long " * 30, "sound_type": "call"}],
    [{"start_time": "0.5"}],
]


def fill(chirper):
    """Lists of every catalogue: some share recordings or a text, some have audio, and recordings
    left some."""
    with recorded("--local-audio") as address:
        chirper.reach(address)
        for source, query, *options in [
                ("xeno-canto", "cnt:norway q:A", "--audio"), ("xeno-canto", "cnt:norway"),
                ("xeno-canto", "type:call"), ("xeno-canto", "year:2018"),
                ("xeno-canto", "year:2012", "--per-page", "50"), ("xeno-canto", "grp:soundscape"),
                ("gbif", "cnt:norway", "--audio"), ("gbif", "cnt:germany"), ("gbif", "year:2019"),
                ("gbif", "year:2020"), ("inaturalist", "aves", "--per-page", "100", "--pages", "1"),
                ("inaturalist", "turdus merula"), ("itunes", "love", "--audio"), ("itunes", "the"),
                ("itunes", "johnson"),
        ]:
            pages = [] if "--pages" in options else ["--all"]
            chirper.run("fetch", "--quiet", *pages, "--source", source, *options, "--", query)
    with recorded("--local-audio", "--delete", "0:12:middle") as address:
        chirper.reach(address)
        for source, query in [
                ("xeno-canto", "year:2012"), ("xeno-canto", "cnt:norway"), ("gbif", "cnt:germany"),
                ("gbif", "year:2020"), ("itunes", "the"),
        ]:
            chirper.run("fetch", "--quiet", "--all", "--source", source, "--", query)

    # Entered, and changed, at several times before now, and annotated. The index is then written
    # again.
    hour = 3_600_000
    with contextlib.closing(sqlite3.connect(chirper.database)) as database, database:
        for remainder, annotations in enumerate(ANNOTATED):
            database.execute(
                "UPDATE recording SET fields = json_set(fields, '$.\"annotation-set\"', json(?)) " "WHERE catalogue_id = (SELECT catalogue_id FROM catalogue WHERE name = 'xeno-canto') AND recording_id % 7 = ?",
                (json.dumps({"set_name": "x", "annotations": annotations}), remainder))
        for remainder, age in enumerate([
                hour, 20 * hour, 3 * 24 * hour, 13 * 24 * hour, 60 * 24 * hour]):
            database.execute(
                "INSERT INTO change (recording_id, changed_at, fields) " "SELECT recording_id, stored_at - ?, fields FROM recording WHERE recording_id / 3 % 8 IN (?, ?)",
                (age, remainder, (remainder + 3) % 5))
            database.execute(
                "INSERT OR REPLACE INTO arrival (recording_id, query_id, entered_at) SELECT recording_id, query_id, stored_at - ? " "FROM entry JOIN recording USING (recording_id) WHERE recording_id / 7 % 6 = ? AND (recording_id + query_id) % 3 > 0",
                (age, remainder))
    chirper.run("doctor", "--repair")
    # Recordings that are not in the index.
    chirper.run("fetch", "--quiet", "--all", "--source", "sample", "--audio", "--", "song thrush")


def birds():
    """The list that the program has, from where it was taken."""
    with open(SHARED / "names/avilist-2025-species.csv", encoding="utf-8", newline="") as rows:
        return list(csv.DictReader(rows))


def moment(milliseconds):
    return datetime.datetime.fromtimestamp(milliseconds / 1000, datetime.timezone.utc)


def stored(chirper):
    """Every recording, and the texts and catalogues of the lists."""
    lists = chirper.json("list")["queries"]
    sources = {one["source"] for one in lists}
    rows = chirper.rows(
        "search", "--all-copies", "--columns", ",".join(COLUMNS), "--",
        "gone:any source:" + ",".join(sorted(sources)))
    found, listed = {(row["catalogue"], row["id"]) for row in rows}, set()
    for one in lists:
        for gone in [[], ["--gone"]]:
            arguments = [
                "--tidy", "--columns", "catalogue,id", "--source", one["source"], *gone, "--",
                one["query"]]
            exported = chirper.rows("export", *arguments)
            listed.update((row["catalogue"], row["id"]) for row in exported)
    assert found == listed, (len(found), len(listed))
    with contextlib.closing(sqlite3.connect(chirper.database)) as database:
        names = "JOIN recording USING (recording_id) JOIN catalogue USING (catalogue_id)"
        changed, entered = collections.defaultdict(list), collections.defaultdict(list)
        for time, *key in database.execute(f"SELECT change.changed_at, name, id FROM change {names}"):
            changed[tuple(key)].append(moment(time))
        for time, text, *key in database.execute(f"SELECT entered_at, typed, name, id FROM arrival {names} JOIN query USING (query_id)"):
            entered[tuple(key)].append((text, moment(time)))
    assert changed and entered, "no recording has changed, or none has entered a list"
    return [Recording(row, changed, entered) for row in rows], {
        source + one["query"] for one in lists for source in ["", one["source"] + ":"]}, sources


def without_copies(recordings, keys):
    """Those found, without copies of recordings that are found too."""
    originals = {one.key: tuple((one.row["alsoIn"] or "").split(" ", 1)) for one in recordings}
    return {key for key in keys if originals[key] not in keys}


def evaluated(evaluator, expression):
    """The exit code, what is found with all copies, why a search is refused, and the ranks."""
    try:
        return 0, evaluator.find(expression), "", evaluator.ranks(expression)
    except Refused as refused:
        return refused.code, set(), str(refused), {}


def difference(chirper, recordings, expression, expected):
    """What the program finds otherwise, in words; nothing if both agree."""
    code, keys, reason, ranks = expected
    distinct = without_copies(recordings, keys)
    differs = compared(chirper, expression, (code, distinct, reason))
    if not differs and len(set(ranks.values())) > 1:
        differs = misordered(chirper, expression, ranks)
    if differs or distinct == keys:
        return differs
    differs = compared(chirper, expression, (code, keys, reason), "--all-copies")
    return differs and f"--all-copies: {differs}"


def misordered(chirper, expression, ranks):
    """How the order by rank differs, in words; nothing if those of one rank are as stored."""
    def keys(order):
        rows = chirper.rows(
            "search", "--columns", "id,catalogue", "--sort", order, "--", expression)
        return [(row["catalogue"], row["id"]) for row in rows]

    wanted, found = sorted(keys("stored"), key=ranks.get), keys("rank")
    if wanted == found:
        return None
    place = next(place for place, pair in enumerate(zip(wanted, found)) if pair[0] != pair[1])
    return f"--sort rank: number {place + 1} is {' '.join(found[place])}, expected {' '.join(wanted[place])}"


def compared(chirper, expression, expected, *options):
    """The same, of one search with these options."""
    code, keys, reason = expected
    result = chirper.call(
        "search", "--format", "jsonl", "--columns", "id,catalogue", *options, "--", expression)
    if result.returncode != code:
        return f"exit code {result.returncode}, expected {code} {reason}: {result.stderr.decode()[:200]}"
    lines = [json.loads(line) for line in result.stdout.splitlines()]
    found = {(row["catalogue"], row["id"]) for row in lines}
    if len(found) != len(lines):
        return "a recording is found twice"
    if found == keys:
        return None
    differing = [("too many", found - keys), ("too few", keys - found)]
    examples = [
        f"{len(rows)} {name}, for example {' '.join(min(rows))}" for name, rows in differing if rows]
    return f"found {len(found)}, expected {len(keys)}: {'; '.join(examples)}"


@needs_samples
def test_random_searches_find_what_docs_search_md_says(request):
    seed, count = request.config.option.seed, request.config.option.count
    print(f"seed {seed}")
    with store() as chirper:
        fill(chirper)
        recordings, lists, sources = stored(chirper)
        evaluator, generator = Evaluator(recordings, lists, sources, birds()), Generator(
            seed, recordings, lists, sources)
        searches = []
        while len(searches) < count:
            expression = generator.expression()
            expected = evaluated(evaluator, expression)
            # Most of the time would go into writing what is found, so most searches find little.
            while len(expected[1]) > 100 and generator.chance(0.97):
                expression += " " + generator.term()
                expected = evaluated(evaluator, expression)
            searches.append((expression, expected))
        failures = []
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            for (
                    expression, expected), differs in zip(
                        searches,
                        pool.map(lambda one: difference(chirper, recordings, *one), searches)):
                # Another day may have begun.
                differs = differs and difference(
                    chirper, recordings, expression, evaluated(evaluator, expression))
                if differs:
                    failures.append(f"{expression}\n  {differs}")
    copies = sum(len(without_copies(recordings, keys)) < len(keys) for _, (_, keys, *_) in searches)
    refused, empty = sum(code != 0 for _, (code, *_) in searches), sum(
        code == 0 and not keys for _, (code, keys, *_) in searches)
    ranked = sum(len(set(ranks.values())) > 1 for _, (*_, ranks) in searches)
    print(f"{count} searches over {len(recordings)} recordings: {refused} refused, {empty} find nothing, {copies} leave out copies, {ranked} have several ranks")
    assert copies and ranked, "no search leaves out a copy, or has several ranks"
    assert not failures, f"{len(failures)} searches differ from docs/search.md, seed {seed}:\n" + "\n".join(failures)
