"""What stands in for the services that the program asks: lists written by hand, and recorded
answers, both on loopback."""

import contextlib
import http.server
import json
import subprocess
import sys
import threading
from urllib.parse import parse_qs, urlsplit

import pytest

from program import ROOT

SHARED = ROOT.parent / "shared"
SAMPLES = SHARED / "samples"
REPLAY = SHARED / "tools/replay.py"
# The recorded answers are not part of the repository.
has_samples = SAMPLES.is_dir() and REPLAY.is_file()
needs_samples = pytest.mark.skipif(
    not has_samples, reason=f"there are no recorded answers in {SHARED}")


@contextlib.contextmanager
def recorded(*options):
    """The address at which the recorded answers of all services are served."""
    with subprocess.Popen(
            [sys.executable, REPLAY, *map(str, options)], stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL, text=True) as server:
        try:
            yield server.stdout.readline().strip()
        finally:
            server.terminate()


def sample_rows(name):
    """The records of a file of the samples."""
    with open(SAMPLES / name, encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


class HTTPService(http.server.ThreadingHTTPServer):
    """A server on loopback until it is closed."""

    def __init__(self, handler):
        super().__init__(("127.0.0.1", 0), handler)
        self.address = f"http://127.0.0.1:{self.server_port}"
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def close(self):
        self.shutdown()
        self.server_close()


class Catalogue(HTTPService):
    """xeno-canto as far as the program asks it, `rows` by the text of a query, and GBIF, whose
    every list is `occurrences`, and which knows the `taxa` of vernacular names."""

    def __init__(self, rows=None, occurrences=()):
        self.rows, self.occurrences, self.broken = rows or {}, list(occurrences), False
        self.taxa = {}
        # Nothing is answered while it is not set.
        self.goes_on = threading.Event()
        self.goes_on.set()
        super().__init__(CatalogueAnswers)

    def close(self):
        self.goes_on.set()
        super().close()


class CatalogueAnswers(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        catalogue, query = self.server, parse_qs(urlsplit(self.path).query)
        catalogue.goes_on.wait()
        if "/species/search" in self.path:
            name = query["q"][0]
            found = [
                {"key": 1, "nubKey": 1, "canonicalName": taxon, "rank": "SPECIES",
                 "vernacularNames": [{"vernacularName": name, "language": "deu"}]}
                for taxon in [catalogue.taxa.get(name)] if taxon]
            return self.answer({
                "offset": 0, "limit": 300, "endOfRecords": True, "count": len(found),
                "results": found})
        if "/species/match" in self.path:
            taxon = {"key": "1", "canonicalName": [*catalogue.taxa.values()][0], "rank": "SPECIES"}
            return self.answer({"usage": taxon, "diagnostics": {"matchType": "EXACT"}})
        if catalogue.broken or "query" not in query and "/occurrence/" not in self.path:
            self.send_error(404)
            return
        if "query" not in query:
            return self.answer({
                "offset": 0, "limit": 300, "endOfRecords": True,
                "count": len(catalogue.occurrences), "results": catalogue.occurrences})
        found, page, size = catalogue.rows.get(query["query"][0], []), int(
            query.get("page", ["1"])[0]), int(query.get("per_page", ["100"])[0])
        self.answer({
            "numRecordings": str(len(found)), "numSpecies": "1", "page": page,
            "numPages": max(1, -(-len(found) // size)),
            "recordings": found[(page - 1) * size : page * size]})

    def answer(self, content):
        body = json.dumps(content).encode()
        # Who asked may have cancelled its request.
        with contextlib.suppress(BrokenPipeError):
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

    def log_message(self, *_):
        pass
