"""A feed reader that others wrote reads the news of `chirper news` and `chirper serve`."""

import contextlib
import sqlite3

import pytest

from program import store

# Three rows that came now, and the remarks of the first.
NOW = "CAST(1000 * (julianday('now') - 2440587.5) * 86400 AS INTEGER)"
ENTER = f"INSERT INTO arrival SELECT recording_id, query_id, {NOW} FROM entry LIMIT 3"
FIRST = "recording_id = (SELECT min(recording_id) FROM arrival)"
REMARK_IT = f"UPDATE recording SET fields = json_set(fields, '$.rmk', ?) WHERE {FIRST}"
REMARK = "A <b>song</b> & a \u202ecall\u0007, ]]> &amp;"


@pytest.fixture(scope="module")
def news():
    """A store with three new rows, one of which has remarks that no reader may take for markup."""
    with store() as chirper:
        chirper.run("fetch", "parrot", "--source", "sample", "--all")
        with contextlib.closing(sqlite3.connect(chirper.database)) as database, database:
            database.execute(ENTER)
            database.execute(REMARK_IT, (REMARK,))
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
        assert feed.feed.title and feed.feed.id and feed.feed.updated_parsed
        assert feed.feed.author == "chirper"
        assert len(feed.entries) == len(rows) == 3
        for entry in feed.entries:
            row = next(row for row in rows.values() if row["catalogNumber"] in entry.title)
            assert entry.title.startswith("new: ") and row["vernacularName"] in entry.title
            assert entry.updated_parsed
            assert entry.author == row["recordedBy"], entry
            links = [link.href for link in entry.get("links", [])]
            assert links == ([row["references"]] if row["references"] else []), entry
            assert (row["occurrenceRemarks"] or "").split("\u0007")[0] in entry.content[0].value
            assert entry.content[0].type == "text/plain"
        assert len({entry.id for entry in feed.entries}) == 3
