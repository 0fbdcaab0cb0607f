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

from language import Evaluator, Recording, Refused
from language_values import COLUMNS
from program import store
from random_searches import Generator
from services import SHARED, needs_samples, recorded

ANNOTATED = [
    [],
    [
        {
            "scientific_name": "Turdus merula",
            "annotator": "Zoë A. Name",
            "sound_type": "song",
            "sex": "male",
            "life_stage": "adult",
        },
    ],
    [
        {
            "scientific_name": "Parus major",
            "sound_type": "alarm call, call",
            "start_time": "2",
            "end_time": "1",
        },
        {"scientific_name": "Turdus merula", "annotator": "BirdNET", "sex": "female"},
    ],
    [{"scientific_name": "Łarus " + "very long " * 30, "sound_type": "call"}],
    [{"start_time": "0.5"}],
]
HOUR = 3_600_000
AGES = [HOUR, 20 * HOUR, 3 * 24 * HOUR, 13 * 24 * HOUR, 60 * 24 * HOUR]
# Each list by its catalogue and its query, and how it is fetched.
LISTS = {
    ("xeno-canto", "cnt:norway q:A"): ["--all", "--audio"],
    ("xeno-canto", "cnt:norway"): ["--all"],
    ("xeno-canto", "type:call"): ["--all"],
    ("xeno-canto", "year:2018"): ["--all"],
    ("xeno-canto", "year:2012"): ["--all", "--per-page", "50"],
    ("xeno-canto", "grp:soundscape"): ["--all"],
    ("gbif", "cnt:norway"): ["--all", "--audio"],
    ("gbif", "cnt:germany"): ["--all"],
    ("gbif", "year:2019"): ["--all"],
    ("gbif", "year:2020"): ["--all"],
    ("inaturalist", "aves"): ["--per-page", "100", "--pages", "1"],
    ("inaturalist", "turdus merula"): ["--all"],
    ("itunes", "love"): ["--all", "--audio"],
    ("itunes", "the"): ["--all"],
    ("itunes", "johnson"): ["--all"],
}
# Those that recordings leave.
LEFT = [
    ("xeno-canto", "year:2012"), ("xeno-canto", "cnt:norway"), ("gbif", "cnt:germany"),
    ("gbif", "year:2020"), ("itunes", "the")]
ANNOTATE = """UPDATE recording SET fields = json_set(fields, '$."annotation-set"', json(?))
    WHERE catalogue_id = (SELECT catalogue_id FROM catalogue WHERE name = 'xeno-canto')
    AND recording_id % 7 = ?"""
CHANGE = """INSERT INTO change (recording_id, changed_at, fields)
    SELECT recording_id, stored_at - ?, fields FROM recording
    WHERE recording_id / 3 % 8 IN (?, ?)"""
ENTER = """INSERT OR REPLACE INTO arrival (recording_id, query_id, entered_at)
    SELECT recording_id, query_id, stored_at - ? FROM entry JOIN recording USING (recording_id)
    WHERE recording_id / 7 % 6 = ? AND (recording_id + query_id) % 3 > 0"""


def fill(chirper):
    """Lists of every catalogue: some share recordings or a text, some have audio, and recordings
    left some."""
    def fetch(source, query, *options):
        chirper.run("fetch", "--quiet", "--source", source, *options, "--", query)

    with recorded("--local-audio") as address:
        chirper.reach(address)
        for (source, query), options in LISTS.items():
            fetch(source, query, *options)
    with recorded("--local-audio", "--delete", "0:12:middle") as address:
        chirper.reach(address)
        for source, query in LEFT:
            fetch(source, query, "--all")

    # Entered, and changed, at several times before now, and annotated. The index is then written
    # again.
    with contextlib.closing(sqlite3.connect(chirper.database)) as database, database:
        for remainder, annotations in enumerate(ANNOTATED):
            marked = json.dumps({"set_name": "x", "annotations": annotations})
            database.execute(ANNOTATE, (marked, remainder))
        for remainder, age in enumerate(AGES):
            database.execute(CHANGE, (age, remainder, (remainder + 3) % 5))
            database.execute(ENTER, (age, remainder))
    chirper.run("doctor", "--repair")
    # Recordings that are not in the index.
    fetch("sample", "song thrush", "--all", "--audio")


def birds():
    """The list that the program has, from where it was taken."""
    with open(SHARED / "names/avilist-2025-species.csv", encoding="utf-8", newline="") as rows:
        return list(csv.DictReader(rows))


def moment(milliseconds):
    return datetime.datetime.fromtimestamp(milliseconds / 1000, datetime.timezone.utc)


def keys_of(rows):
    return [(row["catalogue"], row["id"]) for row in rows]


OF_RECORDINGS = "JOIN recording USING (recording_id) JOIN catalogue USING (catalogue_id)"
CHANGED = f"SELECT change.changed_at, name, id FROM change {OF_RECORDINGS}"
ENTERED = f"""SELECT entered_at, typed, name, id FROM arrival {OF_RECORDINGS}
    JOIN query USING (query_id)"""


def stored(chirper):
    """Every recording, and the texts and catalogues of the lists."""
    lists = [(one["source"], one["query"]) for one in chirper.json("list")["queries"]]
    sources = {source for source, _ in lists}
    everything = "gone:any source:" + ",".join(sorted(sources))
    columns = ",".join(COLUMNS)
    rows = chirper.rows("search", "--copies", "yes", "--columns", columns, "--", everything)
    found = set(keys_of(rows))
    listed = set()
    for source, query in lists:
        words = ["--tidy", "--columns", "catalogue,id", "--source", source]
        listed.update(keys_of(chirper.rows("export", *words, "--", query)))
        listed.update(keys_of(chirper.rows("export", *words, "--gone", "--", query)))
    assert found == listed, (len(found), len(listed))
    changed = collections.defaultdict(list)
    entered = collections.defaultdict(list)
    with contextlib.closing(sqlite3.connect(chirper.database)) as database:
        for time, *key in database.execute(CHANGED):
            changed[tuple(key)].append(moment(time))
        for time, text, *key in database.execute(ENTERED):
            entered[tuple(key)].append((text, moment(time)))
    assert changed and entered, "no recording has changed, or none has entered a list"
    texts = {query for _, query in lists} | {f"{source}:{query}" for source, query in lists}
    return [Recording(row, changed, entered) for row in rows], texts, sources


def without_copies(recordings, keys):
    """Those found, without copies of recordings that are found too."""
    originals = {one.key: tuple((one.row["alsoIn"] or "").split(" ", 1)) for one in recordings}
    return {key for key in keys if originals[key] not in keys}


def evaluated(evaluator, expression):
    """The exit code, what is found with all copies, and why a search is refused."""
    try:
        return 0, evaluator.find(expression), ""
    except Refused as refused:
        return refused.code, set(), str(refused)


def difference(chirper, recordings, expression, expected, ranks):
    """What the program finds otherwise, in words; nothing if both agree."""
    code, keys, reason = expected
    distinct = without_copies(recordings, keys)
    differs = compared(chirper, expression, (code, distinct, reason))
    if not differs and len(set(ranks.values())) > 1:
        differs = misordered(chirper, expression, ranks)
    if differs or distinct == keys:
        return differs
    differs = compared(chirper, expression, (code, keys, reason), "--copies", "yes")
    return differs and f"--copies yes: {differs}"


def misordered(chirper, expression, ranks):
    """How the order by rank differs, in words; nothing if those of one rank are as stored."""
    def keys(order):
        words = ["--columns", "id,catalogue", "--sort", order, "--", expression]
        return keys_of(chirper.rows("search", *words))

    wanted = sorted(keys("stored"), key=ranks.get)
    found = keys("rank")
    if wanted == found:
        return None
    place = next(place for place, pair in enumerate(zip(wanted, found)) if pair[0] != pair[1])
    is_there = " ".join(found[place])
    is_wanted = " ".join(wanted[place])
    return f"--sort rank: number {place + 1} is {is_there}, expected {is_wanted}"


def compared(chirper, expression, expected, *options):
    """The same, of one search with these options."""
    code, keys, reason = expected
    words = ["--format", "jsonl", "--columns", "id,catalogue", *options, "--", expression]
    result = chirper.call("search", *words)
    if result.returncode != code:
        said = result.stderr.decode()[:200]
        return f"exit code {result.returncode}, expected {code} {reason}: {said}"
    lines = [json.loads(line) for line in result.stdout.splitlines()]
    found = set(keys_of(lines))
    if len(found) != len(lines):
        return "a recording is found twice"
    if found == keys:
        return None
    differs = f"found {len(found)}, expected {len(keys)}"
    for name, rows in [("too many", found - keys), ("too few", keys - found)]:
        if rows:
            differs += f"; {len(rows)} {name}, for example {' '.join(min(rows))}"
    return differs


def searches_of(evaluator, generator, count):
    """Random searches, each with what it must find, and the ranks of that."""
    for _ in range(count):
        expression = generator.expression()
        expected = evaluated(evaluator, expression)
        # Most of the time would go into writing what is found, so most searches find little.
        while len(expected[1]) > 100 and generator.chance(0.97):
            expression += " " + generator.term()
            expected = evaluated(evaluator, expression)
        code, keys, _ = expected
        yield expression, expected, {} if code else evaluator.ranks(expression, keys)


@needs_samples
def test_random_searches_find_what_docs_search_md_says(request):
    seed, count = request.config.option.seed, request.config.option.count
    with store() as chirper:
        fill(chirper)
        recordings, lists, sources = stored(chirper)
        evaluator = Evaluator(recordings, lists, sources, birds())
        generator = Generator(seed, recordings, lists, sources)
        searches = list(searches_of(evaluator, generator, count))
        differ = lambda search: difference(chirper, recordings, *search)
        failures = []
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            for search, differs in zip(searches, pool.map(differ, searches)):
                expression, _, ranks = search
                # Another day may have begun.
                differs = differs and differ((expression, evaluated(evaluator, expression), ranks))
                if differs:
                    failures.append(f"{expression}\n  {differs}")
    copies = 0
    ranked = 0
    for _, (_, keys, _), ranks in searches:
        copies += len(without_copies(recordings, keys)) < len(keys)
        ranked += len(set(ranks.values())) > 1
    assert copies and ranked, "no search leaves out a copy, or has several ranks"
    said = f"{len(failures)} searches differ from docs/search.md, --seed {seed}:"
    assert not failures, "\n".join([said, *failures])
