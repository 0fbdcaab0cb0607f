"""The four services as scripts/check-live assumes that they are: answers written by hand, on
loopback, and what can be wrong with them."""

import datetime
import http.server
import io
import json
import urllib.error
import urllib.request
import wave
from urllib.parse import parse_qs, urlsplit

from services import HTTPService

COL, BACKBONE = "7ddf754f-d193-4cc9-b351-99906754a03b", "d7dddbf4-2cf0-4f39-9b2a-bb099caae36c"
TODAY = datetime.date.today().isoformat()
# Epithet, key in the Catalogue of Life, key in the older taxonomy.
SPECIES = [("merula", "7G5WT", 2490719), ("philomelos", "7G5XX", 2490713)]


def sound():
    """A tenth of a second of silence."""
    file = io.BytesIO()
    with wave.open(file, "wb") as writer:
        writer.setnchannels(1)
        writer.setsampwidth(2)
        writer.setframerate(8000)
        writer.writeframes(bytes(1600))
    return file.getvalue()


SOUND = sound()


def annotations(epithet):
    one = {
        "annotation_id": "5", "annotator": "A. Person", "start_time": "0.5", "end_time": "1.25",
        "frequency_low": "1800", "frequency_high": "", "scientific_name": f"Turdus {epithet}",
        "sound_type": "song", "sex": None, "life_stage": "adult", "annotation_remarks": ""}
    return {
        "set_name": "first", "set_creator": None, "set_creation_date": TODAY,
        "set_license": "https://creativecommons.org/licenses/by/4.0/", "annotations": [one]}


def recordings(address):
    """xeno-canto: 60 recordings of each species, by quality, then by number."""
    for place, (epithet, _, _) in enumerate(SPECIES):
        for at in range(60):
            number = str(900_000 - place * 1000 - at)
            yield {
                "id": number, "gen": "Turdus", "sp": epithet, "ssp": "", "grp": "birds",
                "en": "Thrush", "rec": "A. Person", "cnt": "Poland", "loc": "Wood",
                "lat": "52.1" if at else None, "lon": "21.0" if at else None, "type": "song",
                "q": "ABCDE"[at // 12], "length": "0:12", "date": "2025-05-00",
                "uploaded": TODAY if at == 3 else "2025-06-01", "also": [],
                "url": f"https://xeno-canto.org/{number}",
                "lic": "https://creativecommons.org/licenses/by-nc-sa/4.0/",
                "file": f"{address}/audio/{number}.wav", "file-name": f"XC{number}.wav",
                "annotation-set": annotations(epithet) if at % 20 == 7 else []}


def occurrences(address):
    """GBIF: 20 records of each species, of one month."""
    for at in range(40):
        epithet, newer, older = SPECIES[at % 2]
        key = 5_000_000_100 + at
        usage = {
            "key": newer, "name": f"Turdus {epithet} Author, 1758", "rank": "SPECIES",
            "genericName": "Turdus", "specificEpithet": epithet}
        yield {
            "key": key, "gbifID": str(key), "datasetKey": "b1047888-ae52-4179-9dd5-5448ea342a24",
            "scientificName": f"Turdus {epithet} Author, 1758",
            "license": "http://creativecommons.org/licenses/by-nc/4.0/legalcode", "taxonKey": older,
            "speciesKey": older, "taxonRank": "SPECIES", "species": f"Turdus {epithet}",
            "year": 2025, "month": 5, "eventDate": "2025-05-01T07:00", "decimalLatitude": 52.1,
            "decimalLongitude": 21.0, "issues": ["COORDINATE_ROUNDED"],
            "classifications": {COL: {"usage": usage, "acceptedUsage": usage}},
            "media": [
                {"type": "StillImage", "identifier": f"{address}/{key}.png"},
                {
                    "type": "Sound", "format": "audio/wav",
                    "identifier": f"{address}/audio/{key}.wav",
                    "license": "http://creativecommons.org/licenses/by-nc-sa/4.0/"}]}


def songs(address):
    """iTunes: 12 songs."""
    for at in range(12):
        yield {
            "wrapperType": "track", "kind": "song", "artistId": 1, "collectionId": 2,
            "trackId": 500 + at, "artistName": "Jack Johnson", "trackName": f"Song {at}",
            "releaseDate": "2005-03-01T12:00:00Z", "trackTimeMillis": 200_000,
            "previewUrl": f"{address}/audio/{500 + at}.wav"}


def observations(address):
    """iNaturalist: 12 observations."""
    for at in range(12):
        number = 340_000_000 - at
        yield {
            "id": number, "uuid": f"00000000-0000-4000-8000-{number:012}",
            "uri": f"https://www.inaturalist.org/observations/{number}",
            "observed_on": "2025-05-01" if at else None, "location": "52.1,21.0" if at else None,
            "updated_at": f"{TODAY}T00:00:00+00:00", "created_at": "2025-05-02T00:00:00+00:00",
            "quality_grade": "research", "license_code": "cc-by",
            "user": {"id": 1, "login": "person"},
            "taxon": {"id": 12716, "name": "Turdus merula", "rank": "species"},
            "sounds": [{
                "id": 700 + at, "license_code": "cc-by", "attribution": "person",
                "file_content_type": "audio/x-wav", "file_url": f"{address}/audio/{700 + at}.wav"}]}


class LiveServices(HTTPService):
    """All four services; `paths` are the requests."""

    def __init__(self):
        self.paths = []
        super().__init__(Answers)
        address = self.address
        self.recordings, self.occurrences = [*recordings(address)], [*occurrences(address)]
        self.songs, self.observations = [*songs(address)], [*observations(address)]


def is_annotated(row, value):
    return row["annotation-set"] and value in f"turdus {row['sp']}"


# Whether a recording has the value of a tag.
KNOWN_TAGS = {
    "nr": lambda row, value: row["id"] == value,
    "gen": lambda row, value: row["gen"].lower().startswith(value),
    "sp": lambda row, value: value in f"turdus {row['sp']}",
    "grp": lambda row, value: True,
    "since": lambda row, value: row["uploaded"] == TODAY,
    "ann": lambda row, value: row["annotation-set"],
    "ann_sp": is_annotated,
}


class Answers(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.server.paths.append(self.path)
        parts = urlsplit(self.path)
        query = {
            name: values[0]
            for name, values in parse_qs(parts.query, keep_blank_values=True).items()}
        if parts.path.startswith("/audio/"):
            return self.send(200, SOUND, "audio/wav")
        for path, answer in (
                ("/api/3/", self.xeno_canto), ("/search", self.itunes),
                ("/v1/occurrence/", self.gbif), ("/v2/species/", self.match),
                ("/v1/species/", self.english), ("/v1/observations", self.inaturalist),
                ("/v1/taxa/", self.taxa)):
            if parts.path.startswith(path):
                return self.send(*answer(query))
        self.send(404, {})

    def xeno_canto(self, query):
        if not query.get("key"):
            return 401, {"error": "client_error", "message": "Missing or invalid 'key' parameter."}
        rows = self.server.recordings
        words = query["query"].lower()
        for epithet in ("merula", "philomelos"):
            words = words.replace(f" {epithet}", f"_{epithet}")
        for tag, _, value in (word.partition(":") for word in words.split()):
            if tag not in KNOWN_TAGS or not value:
                said = f"{query['query']} with {query['key']}: only tags"
                return 400, {"error": "client_error", "message": said}
            wanted = value.replace("_", " ").strip('"')
            rows = [row for row in rows if KNOWN_TAGS[tag](row, wanted)]
        size, page = int(query.get("per_page", 100)), int(query.get("page", 1))
        return 200, {
            "numRecordings": str(len(rows)), "numSpecies": str(len({row["sp"] for row in rows})),
            "page": page, "numPages": max(1, -(-len(rows) // size)),
            "recordings": rows[(page - 1) * size : page * size]}

    def itunes(self, query):
        rows = self.server.songs if query["term"] == "jack johnson" else []
        start = int(query.get("offset", 0))
        rows = rows[start : start + min(200, int(query.get("limit", 50)))]
        return 200, {"resultCount": len(rows), "results": rows}

    def gbif(self, query):
        if "year" in query:
            return 400, b"Invalid integer range", "text/plain"
        limit, offset = min(300, int(query.get("limit", 20))), int(query.get("offset", 0))
        if limit + offset > 100_000:
            return 400, f"Max offset of 100000 exceeded: {offset} + {limit}".encode(), "text/plain"
        rows, keys = self.server.occurrences, [(newer, str(older)) for _, newer, older in SPECIES]
        if query["taxonKey"] != "212":
            place = query.get("checklistKey", BACKBONE) == BACKBONE
            rows = [row for at, row in enumerate(rows) if keys[at % 2][place] == query["taxonKey"]]
        return 200, {
            "offset": offset, "limit": limit, "endOfRecords": offset + limit >= len(rows),
            "count": len(rows), "results": rows[offset : offset + limit], "facets": []}

    def match(self, query):
        wanted = query.get("scientificName", query.get("scientificNameID"))
        for epithet, newer, older in SPECIES:
            if wanted in (f"Turdus {epithet}", f"gbif:{older}"):
                usage = {
                    "key": newer, "name": f"Turdus {epithet} Author, 1758",
                    "canonicalName": f"Turdus {epithet}", "rank": "SPECIES"}
                return 200, {
                    "usage": usage, "diagnostics": {"matchType": "EXACT", "confidence": 99},
                    "synonym": False}
        return 200, {"diagnostics": {"matchType": "NONE", "confidence": 100}, "synonym": False}

    def english(self, _):
        return 200, {
            "offset": 0, "limit": 20, "endOfRecords": True,
            "results": [{
                "key": 2490719, "canonicalName": "Turdus merula", "rank": "SPECIES",
                "vernacularNames": [{"vernacularName": "Blackbird", "language": "eng"}]}]}

    def inaturalist(self, query):
        size, page = min(200, int(query["per_page"])), int(query.get("page", 1))
        if size * page > 10_000:
            return 403, {"error": "Result window is too large", "status": 403}
        rows = [
            row
            for row in self.server.observations
            if row["id"] < int(query.get("id_below", 10**12))]
        shown = rows[(page - 1) * size : page * size]
        if query.get("only_id"):
            shown = [{"id": row["id"]} for row in shown]
        return 200, {"total_results": len(rows), "page": page, "per_page": size, "results": shown}

    def taxa(self, _):
        return 200, {
            "total_results": 1, "page": 1, "per_page": 30,
            "results": [{"id": 12716, "name": "Turdus merula", "rank": "species"}]}

    def send(self, status, content, kind="application/json"):
        body = content if isinstance(content, bytes) else json.dumps(content).encode()
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


class Altered(HTTPService):
    """Sends requests on to `upstream`, and changes what comes: `change(path, query, status,
    answer)` changes the answer, or returns a status and an answer in its place."""

    def __init__(self, upstream, change):
        self.upstream, self.change = upstream, change
        super().__init__(Changes)


class Changes(Answers):
    def do_GET(self):
        parts = urlsplit(self.path)
        query = {
            name: values[0]
            for name, values in parse_qs(parts.query, keep_blank_values=True).items()}
        try:
            with urllib.request.urlopen(self.server.upstream + self.path) as reply:
                status, kind, body = reply.status, reply.headers["Content-Type"], reply.read()
        except urllib.error.HTTPError as error:
            status, kind, body = error.code, error.headers["Content-Type"], error.read()
        answer = json.loads(body) if body.lstrip()[:1] in (b"{", b"[") else body
        status, answer = self.server.change(parts.path, query, status, answer) or (status, answer)
        self.send(status, answer, kind)
