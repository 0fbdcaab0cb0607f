"""A fake xeno-canto: recordings generated from a seed, in the sizes and shapes of real ones, and a
server for them.

    catalogue.py write FILE COUNT         writes that many recordings, one per line
    catalogue.py occurrences FILE COUNT   the same as GBIF sends such recordings
    catalogue.py serve FILE COUNT         serves the first COUNT of either on loopback in pages of
                                          the size asked for, and prints its address
"""
import json
import os
import random
import socket
import sys
import threading

SEED = 2026
PAGE = 500

# Real English words and invented stems: none of this is from a real recording.
STEMS = """
    acro bora cali dendro elani falco geri hira icte juno lani musci neso oria passe quela rhipi
    sturn turdi vireo
""".split()
ENDINGS = """
    cola dytes ficula gallus lotis mimus nectes ornis philus psitta rhamphus saxis telus virens
    xenops zonus
""".split()
COLOURS = """
    Ashy Banded Cinereous Dusky Eastern Fulvous Golden Hooded Island Jungle Lesser Mountain
    Northern Olive Pale
""".split()
BIRDS = """
    Babbler Cuckoo Flycatcher Grebe Lark Nightjar Owl Pipit Rail Shrike Thrush Warbler
    Woodpecker Wren Parrot
""".split()
COUNTRIES = """
    Argentina Brazil Colombia Ecuador France Germany India Kenya Mexico Norway Peru Poland Spain
    Sweden
""".split()
COUNTRY_CODES = dict(zip(COUNTRIES, "AR BR CO EC FR DE IN KE MX NO PE PL ES SE".split()))
PLACES = "North South Upper Lower Old New Great Little Saint Long".split()
LANDS = "Valley Marsh Ridge Forest Lake Coast Island River Plain Bridge Park Reserve".split()
NAMES = """
    Ana Björn Chloé Dario Emma François Greta Håkon Inés João Karla Łukasz Mira Núria Otto Petra
    Rosa Søren Tomáš Uma
""".split()
FAMILIES = """
    Acosta Berg Costa Dvořák Evans Fischer García Hansen Ito Jansen Kowalski Lindqvist Müller
    Novák Ortiz
""".split()
TYPES = [
    "song", "call", "alarm call", "adult, male, song", "flight call", "call, song",
    "begging call, juvenile", "drumming"]
QUALITIES = ["A", "A", "A", "B", "B", "B", "C", "C", "D", "E", "no score"]
LICENCES = ["by-nc-sa\\/4.0", "by-nc-nd\\/4.0", "by-sa\\/4.0", "by\\/4.0", "by-nc-sa\\/3.0"]
# The service escapes such letters.
NAMES = [json.dumps(name)[1:-1] for name in NAMES]
FAMILIES = [json.dumps(name)[1:-1] for name in FAMILIES]
WORDS = """
    bird calling from dense reeds along the lake with others nearby recorded in light wind high
    pass filtered at natural vocalization of a male perched on top of tall spruce answered by
    second individual traffic noise
""".split()
SITE = "\\/\\/xeno-canto.org"


def recordings(count, seed=SEED):
    """JSON objects as text, in the order of the service: by species, then quality, then number
    descending."""
    rng = random.Random(seed)
    pick = rng.choice
    numbers = list(range(100_000, 100_000 + count))
    rng.shuffle(numbers)
    at = 0
    species = 0
    while at < count:
        # A few species have many recordings, most have few.
        size = min(count - at, int(rng.paretovariate(1.2) * 20))
        genus = (pick(STEMS) + pick(ENDINGS)).capitalize()
        epithet = pick(STEMS) + pick(STEMS)[:2] + ("us", "a", "um")[species % 3]
        english = f"{pick(COLOURS)}-{pick(ENDINGS)} {pick(BIRDS)}"
        rows = sorted((rng.randrange(len(QUALITIES)), -number) for number in numbers[at:at + size])
        rows.sort(key=lambda row: (QUALITIES[row[0]], row[1]))
        for quality, number in rows:
            yield recording(rng, pick, -number, genus, epithet, english, QUALITIES[quality])
        at += size
        species += 1


def recording(rng, pick, number, genus, epithet, english, quality):
    chance = rng.random()
    country = pick(COUNTRIES)
    place = f"{pick(PLACES)} {pick(LANDS)}, {pick(PLACES)} {pick(LANDS)}, {country}"
    code = f"{rng.getrandbits(50):010X}"[:10]
    day = f"{rng.randrange(1, 13):02}-{rng.randrange(1, 29):02}"
    year = rng.randrange(2004, 2025)
    remark = ""
    if chance < 0.6:
        remark = " ".join(rng.choices(WORDS, k=1 + int(rng.expovariate(1 / 20))))
        if chance < 0.1:
            remark += '\\r\\n\\r\\nSee \\"other\\" recording, 1, 2 & 3.'
    also = ""
    if chance > 0.7:
        also = '","'.join(
            f"{pick(STEMS).capitalize()}{pick(ENDINGS)} {pick(STEMS)}us"
            for _ in range(1 + int(chance * 50) % 6))
    folder = f"{SITE}\\/sounds\\/uploaded\\/{code}\\/ffts"
    sono = ",".join(
        f'"{size}":"{folder}\\/XC{number}-{size}.png"'
        for size in ("small", "med", "large", "full"))
    # In the order of their random choices. A tuple has JSON; all others are texts, escaped already.
    fields = {
        "id": number,
        "gen": genus,
        "sp": epithet,
        "ssp": "nominalis" if chance > 0.88 else "",
        "grp": "birds",
        "en": english,
        "rec": f"{pick(NAMES)} {pick(FAMILIES)}",
        "cnt": country,
        "loc": place,
        "lat": f"{rng.uniform(-60, 70):.4f}",
        "lon": f"{rng.uniform(-180, 180):.4f}",
        "alt": rng.randrange(0, 3000),
        "type": pick(TYPES),
        "sex": "",
        "stage": "",
        "method": "field recording",
        "url": f"{SITE}\\/{number}",
        "file": f"https:{SITE}\\/{number}\\/download",
        "file-name": f"XC{number}-{genus} {epithet} {code}.mp3",
        "sono": (f"{{{sono}}}",),
        "osci": ('{"small":"","med":"","large":""}',),
        "lic": f"\\/\\/creativecommons.org\\/licenses\\/{pick(LICENCES)}\\/",
        "q": quality,
        "length": f"{rng.randrange(0, 9)}:{rng.randrange(0, 60):02}",
        "time": f"{rng.randrange(0, 24):02}:15",
        "date": f"{year}-{day}",
        "uploaded": f"{year + 1}-{day}",
        "also": (f'["{also}"]',),
        "rmk": remark,
        "animal-seen": "yes" if chance > 0.5 else "no",
        "playback-used": "no",
        "temp": "",
        "regnr": "",
        "auto": "no",
        "dvc": "",
        "mic": "",
        "smp": "48000",
    }
    texts = (
        f'"{name}":{value[0]}' if isinstance(value, tuple) else f'"{name}":"{value}"'
        for name, value in fields.items())
    return f"{{{','.join(texts)}}}"


def occurrence(text):
    """A recording as GBIF sends it."""
    row = json.loads(text)
    number, name = row["id"], f"{row['gen']} {row['sp']}"
    address = f"https://data.biodiversitydata.nl/xeno-canto/observation/XC{number}"
    licence = "http:" + row["lic"].replace("\\", "")
    media = {
        "type": "Sound", "format": "audio/mpeg", "description": f"{int(number) % 300} s",
        "creator": row["rec"], "license": licence, "rightsHolder": row["rec"],
        "identifier": row["file"]}
    sonogram = {
        **media, "type": "StillImage", "format": "image/png",
        "identifier": "https:" + row["sono"]["large"],
        "description": "Sonogram of the first ten seconds of the sound recording"}
    terms = "http://purl.org/dc/terms/"
    year, month, day = (int(part) for part in row["date"].split("-"))
    ranks = [
        ("KINGDOM", "Animalia"), ("PHYLUM", "Chordata"), ("CLASS", "Aves"), ("GENUS", row["gen"]),
        ("SPECIES", name)]
    usage = {
        "key": name[:6], "name": name, "rank": "SPECIES", "genericName": row["gen"],
        "specificEpithet": row["sp"]}
    above = [{"key": value[:5], "name": value, "rank": rank} for rank, value in ranks]
    tree = {
        "usage": usage, "acceptedUsage": usage, "taxonomicStatus": "ACCEPTED", "issues": [],
        "classification": above}
    return json.dumps(
        {
            "key": 4_000_000_000 + int(number), "gbifID": str(4_000_000_000 + int(number)),
            "datasetKey": "b1047888-ae52-4179-9dd5-5448ea342a24", "publishingCountry": "NL",
            "protocol": "DWC_ARCHIVE", "lastCrawled": "2026-06-01T01:14:31.455+00:00",
            "lastParsed": "2026-06-01T01:55:26.489+00:00",
            "lastInterpreted": "2026-06-01T01:55:26.489+00:00",
            "extensions": {
                "http://rs.tdwg.org/ac/terms/Multimedia": [
                    {terms + key: value for key, value in item.items()}
                    for item in (media, sonogram)]},
            "basisOfRecord": "HUMAN_OBSERVATION", "occurrenceStatus": "PRESENT",
            "taxonKey": int(number) % 9000, "scientificName": name,
            "acceptedTaxonKey": int(number) % 9000, "acceptedScientificName": name,
            "kingdom": "Animalia", "phylum": "Chordata", "class": "Aves", "genus": row["gen"],
            "species": name, "genericName": row["gen"], "specificEpithet": row["sp"],
            "taxonRank": "SPECIES", "decimalLongitude": float(row["lon"]),
            "decimalLatitude": float(row["lat"]), "verbatimElevation": row["alt"] + " m",
            "year": year, "month": month, "day": day, "eventDate": row["date"],
            "eventTime": row["time"], "issues": [], "references": address,
            "license": "http://creativecommons.org/licenses/by-nc/4.0/legalcode", "identifiers": [],
            "media": [media, sonogram], "recordedBy": row["rec"], "rightsHolder": row["rec"],
            "countryCode": COUNTRY_CODES[row["cnt"]], "country": row["cnt"], "locality": row["loc"],
            "collectionCode": "Bird sounds", "occurrenceID": address,
            "catalogNumber": f"XC{number}", "vernacularName": row["en"], "behavior": row["type"],
            "occurrenceRemarks": row["rmk"], "higherClassification": "Animalia|Aves",
            "classifications": {
                "7ddf754f-d193-4cc9-b351-99906754a03b": tree,
                "d7dddbf4-2cf0-4f39-9b2a-bb099caae36c": tree,
            },
        },
        ensure_ascii=False, separators=(",", ":"))


def write(path, count, form=str):
    """One recording per line; the file appears complete or not at all."""
    with open(path + ".part", "w", encoding="utf-8") as lines:
        for text in map(form, recordings(count)):
            lines.write(text)
            lines.write("\n")
    os.rename(path + ".part", path)


def response(body):
    head = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n"
    return head % len(body) + body


class Pages:
    """The answers for the first COUNT recordings of a file; kept in memory if there are few."""

    def __init__(self, path, count):
        self.file = open(path, "rb")
        self.count = count
        self.starts = [0]
        at = 0
        for line in self.file:
            at += len(line)
            self.starts.append(at)
            if len(self.starts) > count:
                break
        self.rendered = {}

    def additions(self):
        """What was uploaded since a given day: nothing."""
        totals = b'"numRecordings":"0","numSpecies":"0","page":1,"numPages":1'
        return response(b"{" + totals + b',"recordings":[]}')

    def rows(self, first, size):
        last = min(first + size, self.count)
        rows = os.pread(
            self.file.fileno(), self.starts[last] - self.starts[first], self.starts[first])
        return rows[:-1].replace(b"\n", b",")

    def occurrences(self, offset, limit):
        offset = min(offset, self.count)
        end = "true" if offset + limit >= self.count else "false"
        totals = f'"offset":{offset},"limit":{limit},"endOfRecords":{end},"count":{self.count}'
        rows = self.rows(offset, limit)
        return response(b"{" + totals.encode() + b',"results":[' + rows + b"]}")

    def answer(self, number, size):
        if (number, size) in self.rendered:
            return self.rendered[number, size]
        first = min((number - 1) * size, self.count)
        totals = (
            f'"numRecordings":"{self.count}","numSpecies":"{self.count // 100}","page":{number},'
            f'"numPages":{-(-self.count // size)}')
        rows = self.rows(first, size)
        answer = response(b"{" + totals.encode() + b',"recordings":[' + rows + b"]}")
        if self.count <= 100 * PAGE:
            self.rendered[number, size] = answer
        return answer


def serve(path, count):
    pages = Pages(path, count)
    if count <= 100 * PAGE:
        for number in range(1, -(-count // PAGE) + 1):
            pages.answer(number, PAGE)
    listener = socket.create_server(("127.0.0.1", 0), backlog=16)
    print(f"http://127.0.0.1:{listener.getsockname()[1]}", flush=True)
    while True:
        connection, _ = listener.accept()
        threading.Thread(target=talk, args=(connection, pages), daemon=True).start()


def talk(connection, pages):
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    received = b""
    with connection:
        while True:
            while b"\r\n\r\n" not in received:
                piece = connection.recv(65536)
                if not piece:
                    return
                received += piece
            head, received = received.split(b"\r\n\r\n", 1)
            target = head.split(b" ", 2)[1].decode()
            items = dict(item.partition("=")[::2] for item in target.partition("?")[2].split("&"))
            if "/occurrence/search" in target:
                connection.sendall(pages.occurrences(
                    int(items.get("offset", 0)), int(items.get("limit", 20))))
                continue
            if "since" in items.get("query", ""):
                connection.sendall(pages.additions())
                continue
            connection.sendall(pages.answer(
                int(items.get("page", 1)), int(items.get("per_page", 100))))


if __name__ == "__main__":
    commands = {
        "write": write, "serve": serve,
        "occurrences": lambda path, count: write(path, count, occurrence)}
    commands[sys.argv[1]](sys.argv[2], int(sys.argv[3]))
