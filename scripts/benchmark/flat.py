"""Writes recordings into a flat table, every field a column of text, and into a bare FTS5 table:
flat.py LINES FILE COUNT"""
import itertools
import json
import os
import sqlite3
import sys

from run import COLUMNS, FULL_TEXT


def rows(path, count):
    with open(path, encoding="utf-8") as lines:
        for line in itertools.islice(lines, count):
            fields = json.loads(line)
            minutes, _, seconds = fields["length"].partition(":")
            values = [fields[name] for name in COLUMNS]
            texts = [
                value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
                for value in values]
            yield [*texts, int(minutes) * 60 + int(seconds), int(fields["date"].split("-")[1])]


def main():
    source, path, count = sys.argv[1], sys.argv[2], int(sys.argv[3])
    part = path + ".part"
    if os.path.exists(part):
        os.remove(part)
    database = sqlite3.connect(part)
    names = ", ".join(f'"{name}" TEXT' for name in COLUMNS)
    database.execute(f"CREATE TABLE flat ({names}, seconds INTEGER, month INTEGER)")
    database.executemany(
        f"INSERT INTO flat VALUES ({', '.join('?' * (len(COLUMNS) + 2))})", rows(source, count))
    database.commit()
    database.executescript(
        FULL_TEXT.format(flat=part).replace("data.flat", "main.flat").split(";", 1)[1])
    database.commit()
    database.close()
    os.rename(part, path)


if __name__ == "__main__":
    main()
