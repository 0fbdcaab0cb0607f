"""The cases of scripts/bench that measure the local server and its page."""
import json
import os
import shutil
import statistics
import subprocess
import urllib.parse
import urllib.request

from measure import clean, report, run, seconds
from servers import Asked, Nginx, Process, Server, wrk, wrk_once

SEARCH = "cnt:poland q:A type:song len:30-60 month:5"


class Serving:
    def serve(self):
        """The local server, next to Datasette with the same recordings, nginx with the same file,
        and a fetch that stores."""
        has_datasette = os.path.exists(self.venv("datasette"))
        if not has_datasette or not shutil.which("wrk") or not shutil.which("nginx"):
            return report("Datasette, wrk or nginx is not installed: skipping serve")
        count = self.count(1_000_000)
        turns = self.rounds(3)
        target = self.path("scratch")
        clean(target)
        # A copy, because a fetch changes it.
        store = shutil.copytree(self.store(count), os.path.join(target, "store"))
        self.ours(store, "search", "zzz")()
        self.ours(store, "fetch", "parrot", "--source", "sample", "--audio")()
        audio = sound(os.path.join(store, "audio", "sample"))
        environment = {"CHIRPER_DATA_DIR": store}
        question = urllib.parse.urlencode({"query": SEARCH})
        heads = [
            f"the server with {count:,} rows", "requests a second", "p99", "longest",
            "not answered", "compared with", "its requests a second", "its p99", "goal"]
        lines = ["| " + " | ".join(row) + " |" for row in (heads, ["---"] * len(heads))]

        def add(case, ours, name="", rival=None, goal=""):
            other = [f"{rival.median('rate'):.1f}", seconds(rival.median("p99"))] if rival else [
                "", ""]
            row = [
                case, f"{ours.median('rate'):.1f}", seconds(ours.median("p99")),
                seconds(max(ours.longest)), str(sum(ours.failed)), name, *other, goal]
            lines.append("| " + " | ".join(row) + " |")
            report(lines[-1])

        with Process([self.chirper, "serve", "--port", "0"], environment) as ours:
            address = ours.address()
            datasette = [
                self.venv("datasette"), "-i", self.indexed(count), "--port", "0", "--setting",
                "suggest_facets", "off"]
            with Process(datasette) as rival:
                table = rival.address() + f"/{count}-indexed/flat.json?" + urllib.parse.urlencode({
                    "cnt": "Poland", "q": "A", "month": "5", "seconds__gte": "30",
                    "seconds__lte": "60", "_where": "', ' || type || ',' LIKE '%, song,%'",
                    "_size": "100"})
                ours_page = f"{address}/api/3/recordings?{question}&per_page=100"
                asked = [wrk(ours_page, table, 50, seconds=8) for _ in range(turns)]
            add(
                "five tags, pages of 100, 50 connections", Asked.of(a for a, _ in asked),
                "Datasette, flat table with an index", Asked.of(b for _, b in asked),
                "≥ 3×, p99 < 50 ms")
            with Nginx(target, os.path.dirname(audio)) as nginx:
                file = os.path.basename(audio)
                identifier = urllib.parse.unquote(file).rsplit(".", 1)[0]
                pair = (f"{address}/{identifier}/download", f"{nginx}/{urllib.parse.quote(file)}")
                asked = [wrk(*pair, 1, seconds=4) for _ in range(turns)]
            add(
                f"a kept file of {os.path.getsize(audio) // 1000:,} kB, one connection",
                Asked.of(a for a, _ in asked), "nginx", Asked.of(b for _, b in asked), "≥ 0.5×")
            # As many pages as there are: it stores for longer than is measured.
            with Server(self.data(count), count) as catalogue:
                fetch = {
                    **environment, "CHIRPER_XENO_CANTO_URL": catalogue.address,
                    "XENO_CANTO_API_KEY": "bench", "CHIRPER_SOURCE": "xeno-canto",
                    "CHIRPER_CONFIG_DIR": store}
                with Process([self.chirper, "fetch", "q:A", "--all", "--per-page", "500"], fetch):
                    busy = Asked.of([wrk_once(ours_page, 50, 8)])
            add(
                "the same search while a fetch stores, 50 connections", busy,
                goal="longest ≤ 1 s, none not answered")
            for form in ("csv", "geojson"):
                export = f"{address}/api/chirper/export?format={form}"
                with urllib.request.urlopen(export) as answer:
                    while answer.read(1 << 20):
                        pass
            memory = f"{ours.peak():.0f} MB (goal: ≤ 80)"
            lines += [
                "",
                f"Peak memory of the server after these and two exports of everything: {memory}."]
        clean(target)
        self.serving = lines

    def indexed(self, count):
        """The flat table with an index of what is asked for: for one of each column, SQLite takes
        twenty times as long."""
        path = self.path("data", f"{count}-indexed.sqlite")
        if not os.path.exists(path):
            shutil.copy(self.flat(count), path + ".part")
            subprocess.run(
                [
                    "sqlite3", path + ".part",
                    "CREATE INDEX asked ON flat (cnt, q, month, seconds); ANALYZE;"],
                check=True)
            os.rename(path + ".part", path)
        return path

    def page(self):
        """The page of the local server, in Chromium."""
        if not self.has("playwright") or not shutil.which("chromium"):
            return report("playwright or Chromium is not installed: skipping page")
        store = self.store(self.count(1_000_000))
        self.ours(store, "search", "zzz")()
        with Process([self.chirper, "serve", "--port", "0"], {"CHIRPER_DATA_DIR": store}) as server:
            address = server.address()
            with open(os.path.join(store, "serve-token")) as file:
                token = file.read().strip()
            tool = os.path.join(os.path.dirname(__file__), "page.py")
            out = subprocess.run(
                [self.venv("python"), tool, address, token, str(self.rounds(12)), SEARCH],
                check=True, capture_output=True, text=True).stdout
        found = json.loads(out)
        lines = [
            f"| the page over {found['rows']:,} rows | median | longest | goal |",
            "| --- | --- | --- | --- |"]
        for name, case, goal in (
                ("page", "the whole page", "≤ 300 ms"),
                ("first", "first rows after their answer", "≤ 100 ms"),
                ("window", "60 rows anywhere in the table, answered", "≤ 5 ms in the server"),
                ("task", "longest task of the page while it scrolls through all rows", "≤ 50 ms"),
                ("gap", "longest time between two frames meanwhile", "≤ 50 ms"),
                ("typing", "last letter of a search to its rows", "≤ 50 ms"),
                ("map", "map of all points", "≤ 200 ms"),
                ("sonogram", "sonogram of a minute", "≤ 300 ms"),
                ("file", "the same from the choice of the file, with decoding", "")):
            median = seconds(statistics.median(found[name]))
            lines.append(f"| {case} | {median} | {seconds(max(found[name]))} | {goal} |")
        memory = f"{found['memory'][0]:.0f} MB (goal: ≤ 150)"
        lines += ["", f"Memory of the tab before a sound is decoded: {memory}."]
        for line in lines:
            report(line)
        self.showing = lines


def sound(folder):
    """A kept file, made as long as a recording of a minute or two."""
    path = os.path.join(folder, sorted(os.listdir(folder))[0])
    with open(path, "ab") as file:
        file.write(bytes(1_500_000 - os.path.getsize(path)))
    return path
