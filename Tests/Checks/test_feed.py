"""A feed reader that others wrote reads the news as `chirper news` and `chirper serve` write them.
"""

import contextlib
import json
import sqlite3

import pytest

from program import store

REMARK = "A <b>song</b> & a \u202ecall\u0007, ]]> &amp;"


@pytest.fixture(scope="module")
def news():
    """A store with three new rows, one of which has remarks that no reader may take for markup."""
    with store() as chirper:
        chirper.run("fetch", "parrot", "--source", "sample", "--all")
        with contextlib.closing(sqlite3.connect(chirper.database)) as database, database:
            database.execute("INSERT INTO arrival SELECT recording_id, query_id, CAST(1000 * (julianday('now') - 2440587.5) * 86400 AS INTEGER) FROM entry LIMIT 3")
            database.execute(
                "UPDATE recording SET fields = json_set(fields, '$.rmk', ?) WHERE recording_id = (SELECT min(recording_id) FROM arrival)",
                (REMARK,))
        yield chirper


def test_feedparser_reads_the_feed(news):
    feedparser = pytest.importorskip("feedparser")
    rows = {row["id"]: row for row in news.rows("list", "parrot", "--new", "7d", "--tidy")}
    file = news.home / "birds.atom"
    news.run("news", "-o", file)
    news.serve()
    for feed in (
            feedparser.parse(file.read_bytes()),
            feedparser.parse(f"{news.address}feed.atom?list=sample%3Aparrot")):
        assert not feed.bozo and feed.version == "atom10", feed
        assert feed.feed.title and feed.feed.id and feed.feed.updated_parsed and feed.feed.author == "chirper"
        assert len(feed.entries) == len(rows) == 3
        for entry in feed.entries:
            row = next(row for row in rows.values() if row["catalogNumber"] in entry.title)
            assert entry.title.startswith("new: ") and row["vernacularName"] in entry.title and entry.updated_parsed
            assert entry.author == row["recordedBy"], entry
            assert [link.href for link in entry.get("links", [])] == [
                address for address in [row["references"]] if address], entry
            assert (row["occurrenceRemarks"] or "").split("\u0007")[0] in entry.content[0].value
            assert entry.content[0].type == "text/plain"
        assert len({entry.id for entry in feed.entries}) == 3
