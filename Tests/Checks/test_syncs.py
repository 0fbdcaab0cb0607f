"""Walks a list of each catalogue, syncs it under random edits, and compares every claim with what
upstream had.

--syncs is how many syncs, if not 10, and --seed repeats a run. Days pass by making every time in
the store older. The same rules hold for lists written by hand in WalkSimulationTests and
RealCatalogueTests.

Checked after each sync that ends well (docs/decisions/0002):

- any claim: every row was upstream with this content at the moment of its page's reading or later,
  and every record that was upstream all that time is in the list; the rows that are reported as
  new, changed and gone are those that differ.
- complete without a walk: no page is older than 14 days.
- complete by a walk while nothing changed: the list is upstream's, in its order.
- verified: upstream had this list, in this order and with this content, at one moment of the walk.
"""
import concurrent.futures
import contextlib
import copy
import importlib.util
import json
import random
import sqlite3
import sys
import threading
import time
from collections import Counter
from datetime import datetime, timezone

import pytest

from program import remote_catalogues, store
from services import REPLAY, HTTPService, needs_samples

DAY = 86_400
WITHIN = 14 * DAY
TIMES = [
    ("page", "fetched_at"), ("query", "checked_at"), ("query", "walked_at"),
    ("recording", "stored_at"), ("recording", "changed_at"), ("change", "changed_at"),
    ("departure", "gone_at"), ("arrival", "entered_at"), ("catalogue", "last_request_at"),
    ("catalogue", "paused_until"),
]


class Upstream:
    """A catalogue's list, and every state that it ever had."""

    name = query = None
    page_size = 0
    volatile = ()

    def __init__(self, random, clock):
        self.random, self.clock = random, clock
        self.lock = threading.RLock()
        self.list, self.versions, self.states = [], {}, []
        self.serial = 0

    def start(self, records):
        self.list = list(records)
        for record in self.list:
            self.versions[self.key(record)] = [(0, self.content(record))]
        self.states.append((0, [(self.key(record), self.content(record)) for record in self.list]))

    def replace(self, records):
        """The list is now this one. Records are replaced, never changed, because answers may still
        have them."""
        now = self.clock()
        with self.lock:
            old = {self.key(record): record for record in self.list}
            new = {self.key(record): record for record in records}
            for key in old.keys() | new.keys():
                if old.get(key) is not new.get(key):
                    version = self.content(new[key]) if key in new else None
                    if self.versions.get(key, [(0, None)])[-1][1] != version:
                        self.versions.setdefault(key, [(0, None)]).append((now, version))
            self.list = list(records)
            self.states.append((
                now,
                [(self.key(record), self.versions[self.key(record)][-1][1]) for record in records]))
            self.publish()

    def content(self, record):
        record = copy.deepcopy(record)
        for name in self.volatile:
            *path, last = name.split(".")
            place = record
            for part in path:
                place = place.get(part) or {}
            place.pop(last, None)
        return json.dumps(record, sort_keys=True)

    def since(self, key, moment):
        """The versions of a record that were upstream at some time from then on; None if it was not
        there."""
        versions = self.versions.get(key, [(0, None)])
        first = max((n for n, (at, _) in enumerate(versions) if at <= moment), default=0)
        return [version for _, version in versions[first:]]

    def edit(self, kinds):
        records = list(self.list)
        for kind in kinds:
            getattr(self, kind)(records)
        self.replace(records)

    def shrink(self, records):
        if len(records) > 10:
            records.pop(self.random.randrange(len(records)))

    def crawl(self, records):
        """What the service changes without meaning."""

    def text(self):
        self.serial += 1
        return f"edit {self.serial}"


class XenoCanto(Upstream):
    name, query, page_size = "xeno-canto", "year:<2100", 250
    grades = "ABCDE"

    def take(self, service):
        self.service = service
        service.records = [row for row in service.records if int(row["date"][:4] or 0) > 0]
        self.start(service.records)

    def publish(self):
        self.service.records = self.list
        self.service.found.clear()

    key = staticmethod(lambda row: str(row["id"]))
    sounds = staticmethod(lambda row: 1)

    def place(self, records, row):
        """By species, within it by quality and then by number, the latest first."""
        def rank(other):
            return (self.grades + other["q"]).index(other["q"]), -int(other["id"])
        same = [
            n
            for n, other in enumerate(records)
            if (other["gen"], other["sp"]) == (row["gen"], row["sp"])]
        after = [n for n in same if rank(records[n]) > rank(row)]
        records.insert(after[0] if after else same[-1] + 1, row)

    def grow(self, records):
        self.serial += 1
        row = dict(
            self.random.choice(records), id=str(9_000_000 + self.serial),
            q=self.random.choice(self.grades),
            uploaded=datetime.now(timezone.utc).date().isoformat())
        self.place(records, row)

    def change(self, records):
        at = self.random.randrange(len(records))
        if self.random.random() < 0.3:
            row = dict(records.pop(at), q=self.random.choice(self.grades))
            if any((other["gen"], other["sp"]) == (row["gen"], row["sp"]) for other in records):
                return self.place(records, row)
            return records.insert(at, row)
        records[at] = dict(records[at], **{self.random.choice(["rmk", "rec", "loc"]): self.text()})


class GBIF(Upstream):
    name, query, page_size = "gbif", "lic:BY-NC", 300
    volatile = ("lastCrawled", "lastParsed", "lastInterpreted", "crawlId", "classifications")

    def take(self, service):
        self.service = service
        self.start(service.records)

    def publish(self):
        self.service.records = self.list

    key = staticmethod(lambda row: str(row["key"]))

    @staticmethod
    def sounds(row):
        return max(
            1,
            sum(
                item.get("type") == "Sound" or "type" not in item and item.get(
                    "format", "").startswith("audio/")
                for item in row["media"]))

    def grow(self, records):
        self.serial += 1
        key = 9_000_000_000 + self.serial
        records.insert(
            self.random.randrange(len(records) + 1),
            dict(self.random.choice(records), key=key, gbifID=str(key)))

    def change(self, records):
        at = self.random.randrange(len(records))
        if self.random.random() < 0.2:
            return records.insert(
                self.random.randrange(len(records)), dict(records.pop(at), eventDate="2001-01-01"))
        if self.random.random() < 0.2:
            media = records[at]["media"] + [{
                "type": "Sound", "identifier": f"https://example.org/proxy?id={self.text()}"}]
            records[at] = dict(records[at], media=media)
            return None
        records[at] = dict(
            records[at], **{self.random.choice(["occurrenceRemarks", "recordedBy"]): self.text()})

    def crawl(self, records):
        stamp = datetime.now(timezone.utc).isoformat()
        records[:] = [
            dict(row, lastCrawled=stamp, lastInterpreted=stamp, crawlId=self.serial)
            for row in records]


class INaturalist(Upstream):
    name, query, page_size = "inaturalist", "year:<2100", 50
    volatile = ("taxon.observations_count", "user.observations_count")

    def take(self, service):
        self.service = service
        service.records = [row for row in service.records if row.get("observed_on")]
        self.start(service.records)

    def publish(self):
        self.service.records = self.list

    key = staticmethod(lambda row: str(row["id"]))
    sounds = staticmethod(lambda row: max(1, len(row["sounds"])))

    def stamp(self):
        return datetime.now(timezone.utc).isoformat(timespec="seconds")

    def grow(self, records):
        """A new observation, or an old one that belongs to the list only now."""
        self.serial += 1
        stamp, neighbour = self.stamp(), self.random.choice(records)
        if self.random.random() < 0.7:
            identity, created = records[0]["id"] + self.random.randint(1, 50), stamp
        else:
            used = {row["id"] for row in records} | {int(key) for key in self.versions}
            identity = next(n for n in range(neighbour["id"] - 1, 0, -1) if n not in used)
            created = neighbour["created_at"]
        sounds = [
            dict(sound, id=800_000_000 + 10 * self.serial + n)
            for n, sound in enumerate(neighbour["sounds"])]
        records.append(dict(
            neighbour, id=identity, created_at=created, updated_at=stamp, sounds=sounds))
        records.sort(key=lambda row: -row["id"])

    def change(self, records):
        at = self.random.randrange(len(records))
        row = records[at]
        if self.random.random() < 0.3:
            self.serial += 1
            sounds = row["sounds"] + [dict(row["sounds"][0], id=700_000_000 + self.serial)]
            records[at] = dict(row, sounds=sounds, updated_at=self.stamp())
        else:
            records[at] = dict(row, description=self.text(), updated_at=self.stamp())

    def crawl(self, records):
        for at in self.random.sample(range(len(records)), 20):
            row = records[at]
            records[at] = dict(row, user=dict(row["user"], observations_count=self.serial + at))


class ITunes(Upstream):
    name, query, page_size = "itunes", "a", 60

    def take(self, service):
        self.service = service
        words = ("artistName", "trackName", "collectionName")
        service.results = [
            row
            for row in service.results
            if "a" in " ".join(str(row.get(name, "")) for name in words).lower()]
        self.start(service.results)

    def publish(self):
        self.service.results = self.list

    @staticmethod
    def key(row):
        identifier = row.get("trackId") or row.get("collectionId") or row.get("artistId")
        return f"{row['wrapperType']}-{identifier}"

    sounds = staticmethod(lambda row: 1)

    def grow(self, records):
        self.serial += 1
        row = self.random.choice([row for row in records if "trackId" in row])
        records.insert(
            self.random.randrange(len(records) + 1), dict(row, trackId=9_000_000_000 + self.serial))

    def change(self, records):
        at = self.random.randrange(len(records))
        if self.random.random() < 0.2:
            return records.insert(self.random.randrange(len(records)), records.pop(at))
        self.serial += 1
        records[at] = dict(records[at], trackPrice=self.serial)


KINDS = {kind.name: kind for kind in Upstream.__subclasses__()}


class Run:
    """One list, its store, and the syncs."""

    def __init__(self, kind, replay, ends, seed):
        self.random = random.Random(f"{seed} {kind.name}")
        self.aged = 0
        self.upstream = kind(self.random, lambda: time.time() + self.aged)
        self.failures, self.tally = [], Counter()
        self.rows = []
        self.countdown, self.kinds = -1, []

        run = self

        class World(replay.World):
            def turn(self, page, found, newcomers):
                answer = super().turn(page, found, newcomers)
                run.answered()
                return answer

        class Handler(replay.Handler):
            world, routes, log, kept = None, {}, None, {}

        Handler.world = world = World(replay.arguments())
        service = getattr(replay, kind.__name__)(world)
        Handler.routes = service.routes
        self.upstream.take(service)
        self.chirper = ends.enter_context(store(
            ends.enter_context(contextlib.closing(HTTPService(Handler))).address))

    def answered(self):
        """Edits the list after some answer of a sync."""
        if self.countdown < 0:
            return
        if self.countdown == 0:
            self.upstream.edit(self.kinds)
        self.countdown -= 1

    def age(self, seconds):
        """Days pass: every time in the store becomes older."""
        self.aged += seconds
        earlier = round(seconds * 1000)
        with sqlite3.connect(self.chirper.database) as database:
            for table, column in TIMES:
                database.execute(f"UPDATE {table} SET {column} = {column} - {earlier}")
        database.close()

    def stored(self):
        """Row ids and records of the list, in its order."""
        words = ["export", self.upstream.query, "--source", self.upstream.name, "--format", "jsonl"]
        texts = [self.chirper.run(*words, *more) for more in ([], ["--tidy", "--columns", "id"])]
        records, ids = ([json.loads(line) for line in text.splitlines()] for text in texts)
        assert len(records) == len(ids), "the two exports differ in length"
        return [(identity["id"], record) for identity, record in zip(ids, records)]

    def run(self, syncs):
        plan = ["fetch"] + ["sync"] * syncs
        # A walk that verifies, now and then.
        for place in range(10, len(plan), 10):
            plan.insert(place, "verify")
        for step, command in enumerate(plan):
            self.step(step, command)
            if len(self.failures) > 5:
                break

    def step(self, step, command):
        upstream = self.upstream
        edits, during = [], []
        if step:
            self.age(self.random.choice([0, 0.2, 1, 3, 6, 9, 16]) * DAY)
            edits = self.random.choices(
                ["grow", "shrink", "change"], k=self.random.choice([0, 0, 1, 2, 5]))
            upstream.edit(["crawl"] * (self.random.random() < 0.7) + edits)
            if self.random.random() < 0.4:
                during = [self.random.choice(["grow", "shrink", "change"])] * self.random.randint(
                    1, 3)
        self.kinds, self.countdown = during, self.random.randrange(4) if during else -1
        edited = len(upstream.states)
        began = upstream.clock()
        words = ["sync", upstream.query] if command == "sync" else [
            "fetch", upstream.query, "--all", "--per-page", str(upstream.page_size)]
        result = self.chirper.call(
            *words, *["--verify"] * (command == "verify"), "--source", upstream.name, "--json")
        self.countdown = -1
        changed_during = len(upstream.states) > edited
        before, self.rows = self.rows, self.stored()
        report = json.loads(result.stdout)
        report = report["queries"][0] if command == "sync" else report
        claim = report["completeness"]
        ways = f'{command}{" without a walk" if report.get("recheckedPages") else ""}'
        self.tally[f"{ways}: {claim}"] += 1
        self.tally["edits between"] += len(edits)
        self.tally["edits during"] += len(during) * changed_during
        then = during if changed_during else []
        label = f"{upstream.name}, {step} {ways}, {edits} then {then}: {claim}"

        def failed(text):
            self.failures.append(f"{label}: {text}")

        if result.returncode not in (0, 3):
            return failed(f"ended with {result.returncode}: {result.stderr.decode()}")
        if claim in ("partial", "shifted"):
            return None
        self.check(report, before, began, changed_during, failed)

    def check(self, report, before, began, changed_during, failed):
        upstream, claim = self.upstream, report["completeness"]
        read = datetime.fromisoformat(
            report["oldestReadAt"].replace("Z", "+00:00")).timestamp() + self.aged
        now = upstream.clock()
        have = {}
        for identity, record in self.rows:
            have.setdefault(upstream.key(record), []).append(record)
        if len({identity for identity, _ in self.rows}) != len(self.rows):
            failed("a row is twice in the list")
        # Times in the report are in whole seconds.
        read -= 1
        for key, records in have.items():
            versions = upstream.since(key, read)
            if any(upstream.content(record) not in versions for record in records):
                failed(f"{key} was never upstream like this since its page was read")
            if len(records) != upstream.sounds(records[0]):
                failed(f"{key} has {len(records)} rows for {upstream.sounds(records[0])} sounds")
        missing = [
            key
            for key in upstream.versions
            if key not in have and None not in upstream.since(key, read)]
        if missing:
            failed(f"missing though upstream all the time: {missing[:5]}")
        said = report.get("records", report["rows"])
        total = report["total"]
        if len(have) != said or total not in (None, len(have)):
            failed(f"{len(have)} records are said to be {said} of {total}")
        if not now - read <= WITHIN + 120:
            failed(f"a page is {(now - read) / DAY:.1f} days old")

        listed = [
            (key, upstream.content(have[key][0]))
            for key in dict.fromkeys(upstream.key(record) for _, record in self.rows)]
        walked = not report.get("recheckedPages")
        is_of_now = walked and not changed_during and read >= began - 2
        if claim == "complete" and is_of_now and listed != upstream.states[-1][1]:
            failed("the list is not upstream's, though nothing changed during the walk")
        if claim == "verified":
            first = max(n for n, (at, _) in enumerate(upstream.states) if at <= read)
            if listed not in [state for _, state in upstream.states[first:]]:
                failed("upstream never had this list")

        old, new = (
            {identity: upstream.content(record) for identity, record in rows}
            for rows in (before, self.rows))
        expected = {
            "new": new.keys() - old.keys(), "gone": old.keys() - new.keys(),
            "changed": {
                identity for identity in new.keys() & old.keys() if new[identity] != old[identity]},
        }
        for name, ids in expected.items():
            differing = sorted(ids ^ set(report["ids"][name]))
            if report[name] != len(ids) or (len(ids) <= 1000 and differing):
                failed(f"{report[name]} {name}, but {len(ids)} are: {differing[:5]}")


@pytest.fixture(scope="module")
def runs(request):
    """All catalogues at once: most of the time somebody waits."""
    seed, syncs = request.config.option.seed, request.config.option.syncs
    spec = importlib.util.spec_from_file_location("replay", REPLAY)
    replay = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(replay)
    with contextlib.ExitStack() as ends, concurrent.futures.ThreadPoolExecutor() as pool:
        ends.enter_context(pytest.MonkeyPatch.context()).setattr(sys, "argv", ["replay.py"])
        runs = {name: Run(KINDS[name], replay, ends, seed) for name in remote_catalogues()}
        for done in [pool.submit(run.run, syncs) for run in runs.values()]:
            done.result()
        yield runs


@needs_samples
@pytest.mark.parametrize("name", remote_catalogues())
def test_every_claim_about_a_list_holds_while_it_is_edited(request, runs, name):
    run, option = runs[name], request.config.option
    print(
        f"--seed {option.seed}: "
        + ", ".join(f"{count} {name}" for name, count in sorted(run.tally.items())))
    assert not run.failures
    claims = sum(
        count for name, count in run.tally.items() if name.endswith((": complete", ": verified")))
    assert claims >= option.syncs / 2, f"only {claims} claims were compared"
