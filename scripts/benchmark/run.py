#!/usr/bin/env python3
"""The cases of scripts/bench, and the table."""
import argparse
import os
import platform
import shutil
import statistics
import subprocess
import sys
import zipfile

from measure import Pair, clean, report, run, seconds
from servers import CATALOGUE, Server
from serving import SEARCH, Serving

COLUMNS = (
    "id gen sp ssp grp en rec cnt loc lat lon alt type sex stage method url file file-name sono "
    "osci lic q length time date uploaded also rmk animal-seen playback-used temp regnr auto dvc "
    "mic smp").split()
SELECT = "SELECT " + ", ".join(
    f"json_extract(fields, '$.\"{name}\"') AS \"{name}\"" for name in COLUMNS)
ROWS = " FROM entry JOIN recording USING (recording_id) WHERE query_id = 1 ORDER BY page, position"
QUERY = "grp:birds"
NAMES = ", ".join(f'"{name}"' for name in COLUMNS)
# The same conditions for the flat table, and for the FTS5 table beside it.
FLAT = (
    "cnt LIKE 'poland%' AND q = 'A' AND ', ' || type || ',' LIKE '%, song,%' "
    "AND seconds BETWEEN 30 AND 60 AND month = 5")
MATCH = ("found JOIN flat ON flat.rowid = found.rowid "
         "WHERE found MATCH 'cnt:poland q:A type:song month:5' AND seconds BETWEEN 30 AND 60")
# The columns of the flat table in which a part of a text is looked for.
FOUND_IN = ["en", "loc", "rec", "type", "rmk"]
FULL_TEXT = """ATTACH '{flat}' AS data;
CREATE VIRTUAL TABLE found
USING fts5(gen, sp, en, cnt, loc, rec, type, q, also, rmk, month, content='', detail=column);
INSERT INTO found (rowid, gen, sp, en, cnt, loc, rec, type, q, also, rmk, month)
SELECT rowid, gen, sp, en, cnt, loc, rec, type, q, also, rmk, month FROM data.flat;"""


class Bench(Serving):
    def __init__(self, options):
        self.options = options
        self.chirper = options.program
        self.rows = []

    # What the cases need.

    def path(self, *parts):
        return os.path.join(self.options.directory, *parts)

    def data(self, count):
        path = self.path("data", f"{count}.jsonl")
        if not os.path.exists(path):
            os.makedirs(os.path.dirname(path), exist_ok=True)
            report(f"making {count} recordings")
            # In a separate process: a program's peak memory is never measured as less than this
            # process's.
            subprocess.run([sys.executable, CATALOGUE, "write", path, str(count)], check=True)
        return path

    def store(self, count, again=False, lists=None):
        """A directory with a store of that many recordings, in one list or in several, stored page
        by page by the program's own code."""
        directory = self.path("stores", str(count) if lists is None else f"{count}-{lists}")
        # Written last: a run that was killed leaves a part of a store.
        pages = os.path.join(directory, "pages.txt")
        tool = self.options.storing
        if again or not os.path.exists(pages) or os.path.getmtime(pages) < os.path.getmtime(tool):
            shutil.rmtree(directory, ignore_errors=True)
            os.makedirs(directory)
            report(f"storing {count} recordings")
            out = subprocess.run(
                [
                    tool, directory, self.data(count), str(count),
                    *([] if lists is None else [str(lists)])],
                check=True, capture_output=True, text=True)
            with open(pages, "w") as file:
                file.write(out.stdout)
        return directory

    def ours(self, directory, *arguments):
        return lambda: run(
            [self.chirper, *arguments], {"CHIRPER_DATA_DIR": directory, "NO_COLOR": "1"})

    def sqlite(self, count, mode, sql):
        return lambda: run([
            "sqlite3", mode, "-header", os.path.join(self.store(count), "chirper.sqlite"), sql])

    def venv(self, name):
        return self.path("venv", "bin", name)

    def has(self, module):
        return subprocess.run(
            [self.venv("python"), "-c", f"import {module}"], capture_output=True).returncode == 0

    def count(self, wanted):
        """The size, or the largest one allowed if that is smaller."""
        return min(wanted, max(self.options.sizes))

    def rounds(self, usual):
        return self.options.rounds or (max(3, usual // 4) if self.options.quick else usual)

    def add(self, case, rival, pair, goal):
        walls = pair.ratios("wall")
        row = [
            case, rival, f"{statistics.median(walls):.2f}", f"{walls[0]:.2f}–{walls[-1]:.2f}",
            f"{statistics.median(pair.ratios('cpu')):.2f}", seconds(pair.median("ours", "wall")),
            seconds(pair.median("ours", "cpu")), seconds(pair.median("rival", "cpu")),
            f"{pair.median('ours', 'megabytes'):.0f}", f"{pair.median('rival', 'megabytes'):.0f}",
            goal]
        self.rows.append(row)
        report("  ".join(row))

    # The cases.

    def start(self):
        pair = Pair(
            lambda: run([self.chirper, "--version"]), lambda: run([
                "sqlite3", "--version"]), self.rounds(200))
        self.add("start", "sqlite3", pair, "≤ 4×")
        if shutil.which("hyperfine"):
            subprocess.run(
                [
                    "hyperfine", "-N", "--style", "basic", "--warmup", "10", "--runs",
                    str(self.rounds(200)), f"{self.chirper} --version", "sqlite3 --version"],
                stdout=sys.stderr)

    def list(self):
        count = self.count(1_500)
        pair = Pair(self.ours(self.store(count), "list", QUERY, "--format", "csv"),
                    self.sqlite(count, "-csv", SELECT + ROWS), self.rounds(40))
        self.add(f"list {count:,} rows as CSV", "sqlite3 -csv", pair, "≤ 1.2×")

    def first(self):
        count = self.count(1_000_000)
        first = self.ours(self.store(count), "list", QUERY, "--limit", "50", "--format", "csv")
        pair = Pair(first, self.sqlite(count, "-csv", SELECT + ROWS + " LIMIT 50"), self.rounds(60))
        self.add(f"first 50 of {count:,}", "sqlite3 -csv", pair, "≤ 4×")
        small = self.ours(
            self.store(self.count(1_500)), "list", QUERY, "--limit", "50", "--format", "csv")
        self.add(
            f"first 50 of {count:,}", "the first 50 of 1,500", Pair(first, small, self.rounds(60)),
            "equal")

    def csv(self):
        self.export("csv", "-csv", SELECT + ROWS, "≤ 0.5×")

    def jsonl(self):
        self.export("jsonl", "-json", SELECT + ROWS, "≤ 0.6×")
        self.export(
            "jsonl", "-json", "SELECT fields" + ROWS, "none: sqlite3 does not parse it",
            " (the stored text)")

    def export(self, form, mode, sql, goal, note=""):
        for count in sorted({self.count(50_000), self.count(1_000_000)}):
            pair = Pair(
                self.ours(self.store(count), "export", QUERY, "--format", form),
                self.sqlite(count, mode, sql), self.rounds(5 if count > 100_000 else 15))
            self.add(f"export {count:,} as {form}", f"sqlite3 {mode}{note}", pair, goal)

    def formats(self):
        """The formats with details, against the raw fields as CSV."""
        count = self.count(1_000_000)
        plain = self.ours(self.store(count), "export", QUERY, "--format", "csv")
        for form in (
                ["csv", "--tidy"], ["jsonl", "--tidy"], ["geojson"], ["gpx"], ["bib"],
                ["credits"], ["raven"], ["audacity"]):
            pair = Pair(
                self.ours(self.store(count), "export", QUERY, "--format", *form), plain,
                self.rounds(5))
            self.add(f"export {count:,} as {' '.join(form)}", "export as csv", pair, "≤ 2×")
        target = self.path("scratch")
        clean(target)
        pair = Pair(
            self.ours(self.store(count), "export", QUERY, "-o", os.path.join(target, "rows.gpkg")),
            self.ours(self.store(count), "export", QUERY, "--tidy"), self.rounds(5))
        clean(target)
        self.add(f"export {count:,} as gpkg", "export as csv --tidy", pair, "≤ 2.5×")

    def fetch(self):
        if not self.has("xcapi"):
            return report("xenocanto-api is not installed: skipping fetch")
        with Server(self.data(50_000), 50_000) as server:
            target = self.path("scratch")

            def xcapi():
                return run(
                    [
                        self.venv("python"),
                        os.path.join(os.path.dirname(__file__), "xcapi_fetch.py"), server.address,
                        "--grp", "birds", "--per_page", "500", "--metadata_only", "--output_dir",
                        target],
                    {"XENO_CANTO_API_KEY": "bench"})

            pair = Pair(
                self.fetching(server, target), xcapi, self.rounds(12), before=lambda: clean(target))
            self.add("fetch 100 pages of 500", "xcapi", pair, "≤ 1×")
        peaks = []
        for pages in (10, 1_000) if max(self.options.sizes) >= 1_000_000 else (10, 100):
            source = 1_000_000 if pages == 1_000 else 50_000
            with Server(self.data(source), pages * 500) as server:
                clean(target)
                peaks.append((pages, self.fetching(server, target)().megabytes))
        clean(target)
        report(
            "memory of fetch: "
            + ", ".join(f"{pages} pages {megabytes:.0f} MB" for pages, megabytes in peaks))
        self.memory = peaks

    def refetch(self):
        with Server(self.data(50_000), 50_000) as server:
            target = self.path("scratch")
            clean(target)
            again = self.path("fetched")
            clean(again)
            self.fetching(server, again)()
            pair = Pair(
                self.fetching(server, again), self.fetching(server, target), self.rounds(12),
                before=lambda: clean(target))
            self.add("refetch 100 unchanged pages", "the first fetch", pair, "≤ 0.6×")
            clean(target)
            clean(again)

    def fetching(self, server, directory):
        environment = {
            "CHIRPER_DATA_DIR": directory, "CHIRPER_XENO_CANTO_URL": server.address,
            "XENO_CANTO_API_KEY": "bench", "CHIRPER_SOURCE": "xeno-canto",
            "CHIRPER_CONFIG_DIR": directory}
        return lambda: run(
            [self.chirper, "fetch", QUERY, "--all", "--per-page", "500"], environment)

    def storing(self):
        if not os.path.exists(self.venv("sqlite-utils")):
            return report("sqlite-utils is not installed: skipping storing")
        for count in sorted({self.count(50_000), self.count(1_000_000)}):
            target = self.path("scratch")
            database = os.path.join(target, "rival.sqlite")
            file = self.data(count)
            store = [self.options.storing, target, file, str(count)]
            insert = [
                self.venv("sqlite-utils"), "insert", database, "recording", file, "--nl", "--pk",
                "id"]
            rounds = 1 if count > 100_000 else self.rounds(5)
            pair = Pair(
                lambda: run(store), lambda: run(insert), rounds, before=lambda: clean(target))
            clean(target)
            self.add(f"store {count:,} page by page", "sqlite-utils insert", pair, "≤ 0.125×")
            both = [
                "sh", "-c", '"$@" && CHIRPER_DATA_DIR="$2" "$0" search zzz', self.chirper] + store
            pair = Pair(
                lambda: run(both), lambda: run(store), self.rounds(3), before=lambda: clean(target))
            clean(target)
            case = f"store {count:,} page by page, with the index"
            self.add(case, "without the index", pair, "≤ 1.4×")

    def archive(self, count):
        """The recordings as GBIF sends them, and a download of them: the zip file, and the table of
        occurrences in it."""
        lines, archive, folder = (
            self.path("data", f"{count}-occurrences{ending}") for ending in (".jsonl", ".zip", ""))
        if not os.path.exists(folder):
            os.makedirs(os.path.dirname(lines), exist_ok=True)
            report(f"making a download of {count} recordings")
            subprocess.run(
                [sys.executable, CATALOGUE, "occurrences", lines, str(count)], check=True)
            subprocess.run(
                [
                    sys.executable, os.path.join(os.path.dirname(__file__), "..", "gbif-archive"),
                    lines, archive],
                check=True)
            with zipfile.ZipFile(archive) as file:
                file.extract("occurrence.txt", folder + ".part")
            os.rename(folder + ".part", folder)
        return lines, archive, os.path.join(folder, "occurrence.txt")

    def imports(self):
        """A download of GBIF, next to storing, a fetch of the same records, and DuckDB over its
        table."""
        for count in sorted({self.count(50_000), self.count(1_000_000)}):
            lines, archive, table = self.archive(count)
            imported, target = self.path("stores", f"{count}-imported"), self.path("scratch")
            bring = self.ours(imported, "import", archive, "--as", "birds")
            storing = [self.options.storing, target, self.data(count), str(count)]
            before = lambda: (clean(target), clean(imported))
            rounds = 1 if count > 100_000 else self.rounds(5)
            pair = Pair(bring, lambda: run(storing), rounds, before=before)
            self.add(f"import {count:,} rows", "store as many page by page", pair, "CPU ≤ 2×")
            clean(imported)
            bring()
            script = "import duckdb, sys; duckdb.sql(sys.argv[1]).fetchall()"
            form = "delim='\t', quote='', header=true, all_varchar=true"
            sql = (
                f"SELECT count(*) FROM read_csv('{table}', {form}) "
                "WHERE countryCode = 'PL' AND month = '5' AND behavior LIKE '%song%' "
                "AND recordedBy LIKE 'Ana%' AND CAST(year AS INTEGER) BETWEEN 2010 AND 2020")
            rival = [self.venv("python"), "-c", script, sql]
            search = "cnt:poland month:5 type:song rec:ana year:2010-2020"
            if self.has("duckdb"):
                self.add(
                    f"search {count:,} imported by five tags, count",
                    "DuckDB over the archive's table",
                    Pair(
                        self.ours(imported, "search", search, "--count"),
                        lambda: run(rival), self.rounds(8)),
                    "≤ 0.3×")
            if count > 100_000:
                continue
            # GBIF sends 100,000 rows of a list at most.
            fetched = self.path("stores", f"{count}-fetched")
            with Server(lines, count) as server:
                environment = {
                    "CHIRPER_DATA_DIR": fetched, "CHIRPER_GBIF_URL": server.address,
                    "CHIRPER_CONFIG_DIR": fetched}
                fetch = lambda: run(
                    [self.chirper, "fetch", "cnt:poland", "--source", "gbif", "--all"], environment)
                self.add(
                    f"import {count:,} rows", "fetch the same records",
                    Pair(
                        bring, fetch, self.rounds(5),
                        before=lambda: (clean(imported), clean(fetched))),
                    "CPU ≤ 1×")
                clean(imported)
                clean(fetched)
                bring()
                fetch()
            sizes = [
                os.path.getsize(os.path.join(folder, "chirper.sqlite"))
                for folder in (imported, fetched)]
            ratio = sizes[0] / sizes[1]
            report(f"the file of the import is {ratio:.2f} × that of the fetch (goal: ≤ 1.1)")
            for case, arguments in (
                    ("search by five tags, count", ["search", search, "--count"]),
                    ("stats by species", ["stats", "--by", "species", "--format", "csv"]),
                    ("export as geojson", ["export", "--format", "geojson"])):
                theirs = self.ours(fetched, *arguments)
                pair = Pair(self.ours(imported, *arguments), theirs, self.rounds(12))
                self.add(f"{case}, {count:,} imported rows", "the same fetched", pair, "≤ 1.1×")

    def growth(self):
        """Listing a page, storing a page and a sync, for lists of 10³ to 10⁶ rows."""
        lines = [
            "| rows | list 50 rows in the middle | store one page at the end | sync, nothing new |",
            "| --- | --- | --- | --- |"]
        for count in [
                size
                for size in (1_000, 10_000, 100_000, 1_000_000)
                if size <= max(self.options.sizes)]:
            directory = self.store(count)
            page = self.ours(
                directory, "list", QUERY, "--offset", str(count // 2), "--limit", "50", "--format",
                "csv")
            shown = statistics.median(page().wall for _ in range(self.rounds(20)))
            with open(os.path.join(directory, "pages.txt")) as file:
                stored = int(file.read().split("\n")[-2].split("\t")[2]) / 1e6
            with Server(self.data(count), count) as server:
                environment = {
                    "CHIRPER_DATA_DIR": directory, "CHIRPER_XENO_CANTO_URL": server.address,
                    "XENO_CANTO_API_KEY": "bench", "CHIRPER_CONFIG_DIR": directory}
                synced = statistics.median(
                    run([self.chirper, "sync", QUERY], environment).wall
                    for _ in range(self.rounds(5)))
            times = " | ".join(map(seconds, (shown, stored, synced)))
            lines.append(f"| {count:,} | {times} |")
            report(lines[-1])
        self.growing = lines

    def flat(self, count):
        """A database with the same recordings in a flat table, every field a column of text, and in
        a bare FTS5 table."""
        path = self.path("data", f"{count}.sqlite")
        if not os.path.exists(path):
            report(f"making a flat table of {count} recordings")
            subprocess.run(
                [
                    sys.executable, os.path.join(os.path.dirname(__file__), "flat.py"),
                    self.data(count), path, str(count)],
                check=True)
        return path

    def search(self):
        count = self.count(1_000_000)
        store, lines, flat = self.store(count), self.data(count), self.flat(count)
        if not shutil.which("rg"):
            return report("ripgrep is not installed: skipping search")
        grep = lambda text: lambda: run(["rg", "-N", text, lines])
        table = lambda sql: lambda: run(["sqlite3", "-csv", "-header", flat, sql])
        # The index is written once; the first search of an old store does it.
        database = os.path.join(store, "chirper.sqlite")
        empty = "PRAGMA foreign_keys = ON; DELETE FROM search_segment; DELETE FROM search_change"
        before = lambda: subprocess.run(["sqlite3", database, empty], check=True)
        building = self.path("scratch", "fts5.sqlite")
        clean(self.path("scratch"))
        pair = Pair(
            self.ours(store, "search", "zzz"),
            lambda: run(["sqlite3", building, FULL_TEXT.format(flat=flat)]), 1, before=before)
        clean(self.path("scratch"))
        self.add(f"write the index of {count:,}", "sqlite3, bare FTS5", pair, "none")
        self.ours(store, "search", "zzz")()

        with open(lines, encoding="utf-8") as file:
            line = next(line for number, line in enumerate(file) if number == count * 2 // 3)
        rare = line.split('"sp":"')[1].split('"')[0]
        pair = Pair(self.ours(store, "search", rare, "--limit", "50"), grep(rare), self.rounds(40))
        self.add(f"search {count:,} for one rare word, first 50", "rg", pair, "≤ 0.1×")
        for name, options in (
                ("first 50 and count", ["--limit", "50"]), ("count", ["--count"])):
            ours = self.ours(store, "search", SEARCH, *options)
            for rival, found, goal in (
                    ("sqlite3, flat table", f"flat WHERE {FLAT}", "≤ 0.1×"),
                    ("sqlite3, bare FTS5", MATCH, "≤ 3×")):
                sql = f"SELECT count(*) FROM {found}"
                if name != "count":
                    sql = f"SELECT * FROM {found} LIMIT 50; {sql}"
                pair = Pair(ours, table(sql), self.rounds(20))
                self.add(f"search {count:,} by five tags, {name}", rival, pair, goal)
        pair = Pair(
            self.ours(store, "list", QUERY, "--sort", "-date", "--limit", "50", "--format", "csv"),
            table("SELECT * FROM flat ORDER BY date DESC LIMIT 50"), self.rounds(8))
        self.add(f"list {count:,} --sort -date, first 50", "sqlite3, flat table", pair, "≤ 1×")
        by_search = self.ours(
            store, "search", f'in:"{QUERY}"', "--sort", "-date", "--limit", "50", "--format", "csv")
        pair = Pair(
            self.ours(store, "list", QUERY, "--sort", "-date", "--limit", "50", "--format", "csv"),
            by_search, self.rounds(20))
        self.add(f"list {count:,} --sort -date, first 50", "the same rows by search", pair, "≤ 1×")
        for of, name, column in (
                (["search", "source:any"], "vernacularName", "en"),
                (["search", "source:any"], "locality", "loc"),
                (["list", QUERY], "locality", "loc")):
            pair = Pair(
                self.ours(store, *of, "--sort", name, "--limit", "50", "--format", "csv"),
                table(f"SELECT * FROM flat ORDER BY {column} LIMIT 50"), self.rounds(20))
            case = f"{of[0]} {count:,} --sort {name}, first 50"
            self.add(case, "sqlite3, flat table", pair, "≤ 1×")
        small = self.count(1_500)
        rival = ["sqlite3", "-csv", "-header", self.flat(small), f"SELECT {NAMES} FROM flat"]
        pair = Pair(
            self.ours(self.store(small), "list", QUERY, "--format", "csv"), lambda: run(rival),
            self.rounds(40))
        self.add(f"list {small:,} rows as CSV", "sqlite3 -csv, flat table", pair, "≤ 1.3×")

    def parts(self):
        """Parts of words and phrases, against a scan of five columns of the flat table."""
        count = self.count(1_000_000)
        store, flat = self.store(count), self.flat(count)
        self.ours(store, "search", "zzz")()
        for text, columns, goal in (
                ('text:"cula ow"', FOUND_IN, "≤ 1×"), ("text:bird", FOUND_IN, "≤ 1×"),
                ('"ficula owl"', FOUND_IN, "≤ 1×"), ('"high pass"', FOUND_IN, "≤ 1×"),
                ('text:"ey, l"', FOUND_IN, "≤ 4×"), ("rmk:record", ["rmk"], "≤ 4×")):
            part = text.split(":")[-1].strip('"')
            where = " OR ".join(f"{column} LIKE '%{part}%'" for column in columns)
            sql = f"SELECT count(*) FROM flat WHERE {where}"
            self.add(
                f"search {count:,} for {text}, count", "sqlite3, LIKE over a flat table",
                Pair(
                    self.ours(store, "search", text, "--count"),
                    lambda: run(["sqlite3", flat, sql]), self.rounds(12)), goal)

    def columns(self):
        """Some columns of an export, against the raw fields and DuckDB."""
        count = self.count(1_000_000)
        store = self.store(count)
        names = (
            "id,scientificName,vernacularName,recordedBy,country,eventDate,decimalLatitude,"
            "decimalLongitude,mediaDuration")
        raw = ["export", QUERY, "--format", "csv"]
        tidy = self.ours(store, *raw, "--tidy", "--columns", names)
        pairs = [
            ("nine columns", "export as csv", tidy, self.ours(store, *raw), "CPU ≤ 1×"),
            ("id", "raw fields id and en", self.ours(store, *raw, "--tidy", "--columns", "id"),
             self.ours(store, *raw, "--columns", "id,en"), "CPU ≤ 1.2×")]
        if self.has("duckdb"):
            fields = "id, gen || ' ' || sp, en, rec, cnt, date, lat, lon, length"
            sql = f"COPY (SELECT {fields} FROM '{self.parquet(count)}') TO '/dev/null' (FORMAT csv)"
            duck = [self.venv("python"), "-c", "import duckdb, sys; duckdb.sql(sys.argv[1])", sql]
            pairs.append(("nine columns", "DuckDB, Parquet", tidy, lambda: run(duck), "CPU ≤ 5×"))
        for case, rival, ours, theirs, goal in pairs:
            self.add(
                f"export {count:,} as csv --tidy, {case}", rival,
                Pair(ours, theirs, self.rounds(5)), goal)

    def frame(self):
        """A list as a frame of Polars, against Polars reading a finished export."""
        if not self.has("polars"):
            return report("polars is not installed: skipping frame")
        count = self.count(200_000)
        store, module = self.store(count), self.path("scratch", "chirper")
        clean(self.path("scratch"))
        checkout = os.path.join(os.path.dirname(__file__), "..", "..")
        shutil.copytree(os.path.join(checkout, "python", "chirper"), module)
        shutil.copy(os.path.join(checkout, "docs", "table-schema.json"), module)
        os.mkdir(os.path.join(module, "program"))
        os.symlink(self.chirper, os.path.join(module, "program", "chirper"))
        lines = self.path("scratch", "rows.jsonl")
        self.ours(store, "export", QUERY, "--tidy", "--format", "jsonl", "-o", lines)()
        environment = {"CHIRPER_DATA_DIR": store, "PYTHONPATH": self.path("scratch")}

        def python(code):
            return lambda: run([self.venv("python"), "-c", code, QUERY, lines], environment)

        pair = Pair(
            python("import chirper, sys; chirper.read(sys.argv[1], polars=True)"),
            python("import polars, sys; polars.read_ndjson(sys.argv[2])"), self.rounds(3))
        clean(self.path("scratch"))
        self.add(f"{count:,} rows as a frame of Polars", "a finished export", pair, "≤ 1.2×")

    def rank(self):
        """Words of names, of types and of remarks, in the order of their ranks."""
        count = self.count(1_000_000)
        store = self.store(count)
        self.ours(store, "search", "zzz")()
        for word in ("wren", "song", "bird"):
            ranked, stored = (
                self.ours(store, "search", word, "--limit", "50", "--sort", order)
                for order in ("rank", "stored"))
            self.add(
                f"search {count:,} for {word} by rank, first 50", "as stored",
                Pair(ranked, stored, self.rounds(20)), "≤ 20 ms more")

    def stats(self):
        count = self.count(1_000_000)
        store, flat = self.store(count), self.flat(count)
        self.ours(store, "search", "zzz")()
        for keys, columns in [("month", "month"), ("species,month", "gen || ' ' || sp, month")]:
            sql = f"SELECT {columns}, count(*) FROM flat GROUP BY {columns}"
            ours = self.ours(store, "stats", "--by", keys, "--format", "csv")
            pair = Pair(
                ours, lambda: run(["sqlite3", "-csv", "-header", flat, sql]), self.rounds(8))
            self.add(f"stats {count:,} by {keys}", "sqlite3, flat table", pair, "≤ 0.15×")
            if self.has("duckdb"):
                duck = [
                    self.venv("python"), "-c",
                    "import duckdb, sys; duckdb.sql(sys.argv[1]).write_csv('/dev/null')",
                    sql.replace("flat", f"'{self.parquet(count)}'")]
                self.add(
                    f"stats {count:,} by {keys}", "DuckDB, Parquet",
                    Pair(ours, lambda: run(duck), self.rounds(8)), "≤ 1×")
            else:
                report("duckdb is not installed: skipping its cases")

    def parquet(self, count):
        """The flat table as a Parquet file."""
        path = self.path("data", f"{count}.parquet")
        if not os.path.exists(path):
            report(f"making a Parquet file of {count} recordings")
            month = "CAST(split_part(CAST(date AS VARCHAR), '-', 2) AS INTEGER) AS month"
            rows = f"SELECT *, {month} FROM read_json_auto('{self.data(count)}')"
            sql = f"COPY ({rows}) TO '{path}.part' (FORMAT parquet)"
            subprocess.run(
                [self.venv("python"), "-c", "import duckdb, sys; duckdb.sql(sys.argv[1])", sql],
                check=True)
            os.rename(path + ".part", path)
        return path

    def selection(self):
        """Selections of a store of 40 lists: some of them against the same recordings as one list,
        and everything without copies."""
        count = self.count(1_000_000)
        store = self.store(count, lists=40)
        self.ours(store, "search", "zzz")()
        options = ["--where", SEARCH, "--limit", "50", "--format", "csv"]
        pair = Pair(
            self.ours(store, "list", *(f"gen:list{number}" for number in (1, 2, 3)), *options),
            self.ours(store, "list", "gen:three", *options), self.rounds(40))
        more = pair.median("ours", "wall") - pair.median("rival", "wall")
        self.add(
            f"list three of 40 lists ({3 * count // 40:,} rows) --where, first 50",
            "the same as one list", pair, f"≤ 30 ms more: {seconds(more)}")
        pair = Pair(
            self.ours(store, "search", "source:any", "--count"),
            self.ours(store, "search", "source:any", "--copies", "yes", "--count"), self.rounds(8))
        self.add(f"search {count:,} in 40 lists, count", "with --copies yes", pair, "≤ 2 s")
        target = self.path("scratch")
        clean(target)
        tidy = self.ours(store, "export", "--tidy")
        export = self.ours(store, "export", "-o", os.path.join(target, "all.gpkg"))
        pair = Pair(export, tidy, self.rounds(3))
        self.add(f"export {count:,} in 40 lists as gpkg", "export as csv --tidy", pair, "≤ 2.5×")
        clean(target)

    def library(self):
        """The library as an app uses it: Examples/Sources/LibraryBench, with each journal."""
        count = self.count(1_000_000)
        examples = [
            "swift", "build", "-c", "release", "--package-path", "Examples", "--product",
            "LibraryBench"]
        report("building LibraryBench")
        subprocess.run(examples, check=True, stdout=sys.stderr)
        shown = subprocess.run(
            [*examples, "--show-bin-path"], check=True, capture_output=True, text=True)
        folder = shown.stdout.strip()
        target = self.path("scratch")
        # So many lists at once, and so many queries.
        lists, queries = (30, 4_001) if count == 1_000_000 else (4, 501)
        lines = [
            "The library, measured by a package that depends on it. Goals: longest wait for a row "
            "< 8 ms; longest stop of a task ≤ 50 ms."]
        for case, number, journals in [
                ("rows", min(count, 100_000), ("rollback", "wal")),
                ("tasks", lists, ("rollback", "wal")), ("refresh", 30, ("rollback",)),
                ("queries", queries, ("rollback",))]:
            for journal in journals:
                clean(target)
                store = os.path.join(target, "store")
                if case == "rows":
                    shutil.copytree(self.store(count), store)
                out = subprocess.run(
                    [os.path.join(folder, "LibraryBench"), case, store, str(number), journal],
                    check=True, stdout=subprocess.PIPE, text=True).stdout
                heads = True
                lines += ["", f"With the journal `{journal}`:"] if len(journals) > 1 else []
                for line in ["", *out.splitlines()]:
                    cells = line.split("\t")
                    lines.append("| " + " | ".join(cells) + " |" if line else "")
                    if line and heads:
                        lines.append("| " + " | ".join(["---"] * len(cells)) + " |")
                    heads = not line
                report(out)
        clean(target)
        self.app = lines

    def linear(self):
        """Readers of foreign text, typed text and keys: four times as much takes at most eight
        times as long."""
        result = subprocess.run(
            ["scripts/test", "--filter", "LinearReadingTests|in proportion"],
            env={**os.environ, "CHIRPER_BENCH": "1"}, capture_output=True, text=True)
        said = result.stdout.splitlines()
        more = [line for line in said if "times as long" in line or "Expectation failed" in line]
        self.reading = ["Reading in proportion to the text:", *(more or said[-1:])]
        for line in self.reading:
            report(line)

    CASES = [
        "start", "list", "first", "csv", "jsonl", "formats", "search", "parts", "columns", "frame",
        "rank", "stats", "selection", "fetch", "refetch", "storing", "imports", "growth", "serve",
        "page", "library", "linear"]

    def table(self):
        heads = [
            "case", "compared with", "wall ratio", "spread", "CPU ratio", "wall", "CPU",
            "other's CPU", "MB", "other's MB", "goal"]
        lines = ["| " + " | ".join(row) + " |" for row in [heads, ["---"] * len(heads), *self.rows]]
        if hasattr(self, "memory"):
            lines += [
                "",
                "Peak memory of `fetch`: " + ", ".join(
                    f"{pages:,} pages {mb:.0f} MB" for pages, mb in self.memory) + "."]
        for table in ("growing", "serving", "showing", "app", "reading"):
            if hasattr(self, table):
                lines += ["", *getattr(self, table)]
        lines += ["", machine(), ""]
        return "\n".join(lines)


def machine():
    name = platform.processor() or platform.machine()
    if os.path.exists("/proc/cpuinfo"):
        with open("/proc/cpuinfo") as file:
            models = (line for line in file if line.startswith("model name"))
            name = next((line.split(":")[1].strip() for line in models), name)
    swift, sqlite = (
        subprocess.run([program, "--version"], capture_output=True, text=True).stdout.split("\n")[0]
        for program in ("swift", "sqlite3"))
    system = f"{os.cpu_count()} × {name}; {platform.system()} {platform.release()}"
    return f"{system}; {swift.strip()}; SQLite {sqlite.strip().split(' ')[0]}"


def main():
    parser = argparse.ArgumentParser(
        prog="scripts/bench", description="Measures chirper and other programs side by side.")
    parser.add_argument(
        "--quick", action="store_true", help="at most 50,000 recordings and fewer rounds")
    parser.add_argument(
        "--sizes",
        type=lambda text: [
            int(size) for size in text.split(",")], help="recordings: 1500,50000,1000000")
    parser.add_argument(
        "--cases",
        type=lambda text: text.split(","), default=Bench.CASES, help=", ".join(Bench.CASES))
    parser.add_argument(
        "--rounds", type=int, help="runs of each program, instead of the case's own number")
    for name in ("program", "storing", "directory"):
        parser.add_argument(f"--{name}", required=True, help=argparse.SUPPRESS)
    options = parser.parse_args()
    options.sizes = options.sizes or (
        [1_500, 50_000] if options.quick else [1_500, 50_000, 1_000_000])
    unknown = set(options.cases) - set(Bench.CASES)
    if unknown:
        parser.error(f"unknown case: {', '.join(sorted(unknown))}")
    bench = Bench(options)
    for name in options.cases:
        report(f"== {name}")
        getattr(bench, name)()
    table = bench.table()
    with open(os.path.join(options.directory, "table.md"), "w", encoding="utf-8") as file:
        file.write(table)
    print(table)


if __name__ == "__main__":
    main()
