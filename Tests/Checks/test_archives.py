"""Imports archives that were made by hand, without the samples: odd ones, compared with what
python-dwca-reader reads, hostile ones, those of other publishers, and what chirper exports. The
cases of odd archives are those of the reader's own tests."""

import json
import pathlib
import struct
import subprocess
import sys
import tempfile
import zipfile

import pytest

from archives import (
    CORE, DC, DWC, EXPORTS, HEAD, MEDIA_HEAD, SOUND, archive, check_round_trip, details, fields,
    form, meta)
from program import PROGRAM, store

ROWS = "1\tPL\tTurdus merula\tBorneo\n2\tDE\tParus major\tMumbai\n"
CSV = form(",", "&quot;", headings=0)


def quoted(*cells):
    return "".join(f'{number},PL,Turdus merula,{cell}\n' for number, cell in enumerate(cells, 1))


QUOTED_MEDIA = "".join(f"{number},{SOUND.replace(chr(9), ',')}\n" for number in (1, 2, 3))
BARE_MEDIA = f"1\t{SOUND}\n2\t{SOUND}\n"
BARE = form(headings=0)
# Read alike by both.
ODD = {
    "no heading": dict(core=ROWS, media=BARE_MEDIA, table=BARE),
    "one heading": dict(core=HEAD + ROWS),
    "two headings": dict(
        core=HEAD + HEAD + ROWS, media=MEDIA_HEAD * 2 + BARE_MEDIA, table=form(headings=2)),
    "from a Mac, in a folder": dict(
        core=ROWS, media=BARE_MEDIA, folder="dwca/", table=BARE,
        junk=["__MACOSX/dwca/._meta.xml", "dwca/.DS_Store"]),
    "lines of Windows": dict(
        core=ROWS.replace("\n", "\r\n"), media=BARE_MEDIA.replace("\n", "\r\n"),
        table=form(lines="\\r\\n", headings=0)),
    "lines of Windows that are not announced": dict(
        core=ROWS.replace("\n", "\r\n"), media=BARE_MEDIA.replace("\n", "\r\n"), table=BARE),
    "a next line that ends no row": dict(
        core="1\tPL\tTurdus merula\tbefore\u0085after\n2\tDE\tParus major\tx\u2028y\n",
        media=BARE_MEDIA, table=BARE),
    "Windows-1252": dict(
        core="1\tPL\tTurdus merula\tcafé “x”\n2\tDE\tParus major\tnaïve\n", media=BARE_MEDIA,
        encoding="windows-1252", table=form(headings=0, encoding="windows-1252")),
    "Latin-1": dict(
        core="1\tPL\tTurdus merula\tChâteau\n2\tDE\tParus major\tKöln\n", media=BARE_MEDIA,
        encoding="latin-1", table=form(headings=0, encoding="latin-1")),
    "a separator in quotes": dict(
        core=quoted('"plain, with comma"', "second"), media=QUOTED_MEDIA, table=CSV),
    "quotes in a cell": dict(
        core=quoted('"say ""hi"" there"', '"say ""hi"""', '"""hi"" she said"'), media=QUOTED_MEDIA,
        table=CSV),
    "quotes without meaning": dict(
        core='1\tPL\tTurdus merula\t"betta" splendens\n', media=BARE_MEDIA, table=BARE),
    "rows of several lines": dict(
        core=quoted('"x\ny\nz"', "b", '"a\nb"'), media=QUOTED_MEDIA, table=CSV),
    "media of several lines": dict(
        core=quoted("a", "b"), table=CSV,
        media='1,Sound,"https://xeno-canto.org/a.mp3\n"\n2,"Sound",https://xeno-canto.org/b.mp3\n'),
    "more cells than columns": dict(
        core="1\tPL\tTurdus merula\tBorneo\textra\n", media=BARE_MEDIA, table=BARE),
    "no last line end": dict(core=ROWS[:-1], media=BARE_MEDIA[:-1], table=BARE),
    "several media": dict(
        core=ROWS, table=BARE,
        media="".join(
            f"{key}\tSound\thttps://xeno-canto.org/{name}.mp3\n"
            for key, name in ["1a", "2b", "1c", "1d"])),
    "media of two headings": dict(
        core=HEAD * 2 + ROWS, media=MEDIA_HEAD * 2 + BARE_MEDIA, table=form(headings=2)),
    "orphaned media": dict(core=ROWS, media=f"9\t{SOUND}\n{BARE_MEDIA}99\t{SOUND}\n", table=BARE),
    "letters of several bytes": dict(
        core="1\tPL\tTurdus merula\tcafé 中文 🐦\n2\tDE\tParus major\tMumbai\n", media=BARE_MEDIA,
        table=BARE),
    "a default value": dict(
        core=HEAD + ROWS, standard=f'<field term="{DWC}recordedBy" default="Ann &amp; Bob"/>'),
    "a default value of some rows": dict(
        core="1\tPL\tTurdus merula\tBorneo\t\n2\tDE\tParus major\tMumbai\tCleo\n", media=BARE_MEDIA,
        table=BARE, standard=f'<field index="4" term="{DWC}recordedBy" default="Ann"/>'),
    "a metadata file that is not there": dict(core=HEAD + ROWS),
}

# Sounds without a record, which are counted.
ORPHANS = {
    "orphaned media": 2, "a separator in quotes": 1, "quotes without meaning": 1,
    "more cells than columns": 1}


@pytest.mark.parametrize("name", ODD)
def test_odd_archives_are_read_as_another_reader_reads_them(name):
    dwca = pytest.importorskip("dwca.read", reason="python-dwca-reader is not installed")
    with store() as chirper, tempfile.TemporaryDirectory() as folder:
        path = archive(pathlib.Path(folder) / "odd.zip", **ODD[name])
        [report] = json.loads(chirper.call("import", "--json", path).stdout)["files"]
        assert report["imported"]["unreadable"] == ORPHANS.get(name, 0)
        rows = {}
        for row in chirper.rows("export", "--", "odd.zip"):
            rows.setdefault(str(row["key"]), row)
        read = path
        if ODD[name].get("folder"):
            # The reader wants the files at the top, or in one folder alone.
            with zipfile.ZipFile(path) as file:
                names = [name for name in file.namelist() if name.startswith("dwca/")]
                file.extractall(folder, names)
            read = pathlib.Path(folder) / "dwca"
        with dwca.DwCAReader(str(read)) as file:
            for row in file:
                own = rows.pop(row.id)
                for term, value in row.data.items():
                    missing = own["key"] if term.endswith("gbifID") else ""
                    assert own.get(term.rsplit("/", 1)[1], missing) == value, (row.id, term)
                sounds = [item["identifier"] for item in own["media"]]
                assert sounds == [item.data[DC + "identifier"] for item in row.extensions]
        assert not rows


# Where the other reader raises an error, or reads something else: what is imported of each, and
# what is said.
DIFFERENT = {
    "a line end of several characters": (
        dict(core="1\tPL\tx\ty@@\n", table=form(lines="@@\\n", headings=0)), 65, 0, "line feed"),
    "a byte order mark": (
        dict(core=b"\xef\xbb\xbf" + ROWS.encode(), media=BARE_MEDIA, table=BARE), 0, 2, ""),
    "a byte that is not text": (
        dict(core=b"1\tPL\tTurdus merula\tcaf\xe9\n" + ROWS.encode(), media=BARE_MEDIA, table=BARE),
        3, 2, "line 1 could not be read: it is not text"),
    "fewer cells than columns": (
        dict(core="1\tPL\n", media=BARE_MEDIA, table=BARE), 3, 1,
        "line 1 could not be read: it has fewer cells"),
    "a blank line": (dict(core=ROWS.replace("\n", "\n\n"), media=BARE_MEDIA, table=BARE), 0, 2, ""),
    "no rows": (dict(core="", media="", table=BARE), 64, 0, "nothing was imported"),
    "a heading alone": (dict(core=HEAD), 64, 0, "nothing was imported"),
    "a key that comes twice": (
        dict(core=ROWS + "1\tPL\tParus major\tParis\n", media=BARE_MEDIA, table=BARE), 3, 2,
        "those of an earlier row"),
    "more cells than the heading": (
        dict(core=HEAD + ROWS + "3\tPL\tx\ty\tz\n"), 3, 2,
        "line 4 could not be read: it has more cells"),
}


@pytest.mark.parametrize("name", DIFFERENT)
def test_archives_that_the_other_reader_does_not_read_so(name):
    options, status, count, words = DIFFERENT[name]
    with store() as chirper, tempfile.TemporaryDirectory() as folder:
        result = chirper.call("import", archive(pathlib.Path(folder) / "odd.zip", **options))
        assert result.returncode == status and words in result.stderr.decode(), result
        assert count == 0 or len(chirper.rows("export", "--", "odd.zip")) == count


# Hostile files


class LargeFiles:
    """Has zipfile write sizes and positions as in a file of more than 4 GiB."""

    def __enter__(self):
        self.limits = zipfile.ZIP64_LIMIT, zipfile.ZIP_FILECOUNT_LIMIT
        zipfile.ZIP64_LIMIT, zipfile.ZIP_FILECOUNT_LIMIT = 10, 1

    def __exit__(self, *_):
        zipfile.ZIP64_LIMIT, zipfile.ZIP_FILECOUNT_LIMIT = self.limits


def test_a_file_in_the_form_of_more_than_4_gib_is_read():
    with store() as chirper, tempfile.TemporaryDirectory() as folder:
        with LargeFiles():
            path = archive(pathlib.Path(folder) / "large.zip", HEAD + ROWS)
        # zipfile repeats at the end what fits there, too.
        content = path.read_bytes()
        end = content.rindex(b"PK\5\6")
        content = content[:end + 8] + b"\xff" * 12 + content[end + 20:]
        path.write_bytes(content)
        chirper.run("import", path)
        assert len(chirper.rows("export", "--", "large.zip")) == 2
        # Its directory is where a wrong position says.
        at = content.index(b"PK\x06\x06") + 48
        path.write_bytes(content[:at] + struct.pack("<Q", 1 << 62) + content[at + 8:])
        result = chirper.call("import", path)
        assert result.returncode == 65 and b"damaged" in result.stderr, result


def many(path, _):
    """A file with a million entries without content."""
    names = [b"%07d" % number for number in range(1_000_000)]
    local = struct.pack("<IHHHHHIIIHH", 0x04034B50, 20, 0, 0, 0, 0, 0, 0, 0, 7, 0)
    entry = struct.pack(
        "<IHHHHHHIIIHHHHHII", 0x02014B50, 20, 20, 0, 0, 0, 0, 0, 0, 0, 7, 0, 0, 0, 0, 0, 0)
    directory = entry + entry.join(names)
    with open(path, "wb") as file:
        file.write(local + names[0] + directory)
        start, size = len(local) + 7, len(directory)
        file.write(struct.pack(
            "<IQHHIIQQQQ", 0x06064B50, 44, 45, 45, 0, 0, len(names), len(names), size, start))
        file.write(struct.pack("<IIQI", 0x07064B50, 0, start + size, 1))
        file.write(struct.pack(
            "<IHHHHIIH", 0x06054B50, 0, 0, 0xFFFF, 0xFFFF, 0xFFFFFFFF, 0xFFFFFFFF, 0))


def link(path, _):
    """An archive whose core is a link."""
    with zipfile.ZipFile(path, "w") as file:
        file.writestr("meta.xml", meta())
        entry = zipfile.ZipInfo("occurrence.txt")
        entry.external_attr = 0o120777 << 16
        file.writestr(entry, "/etc/passwd")
        file.writestr("multimedia.txt", MEDIA_HEAD + BARE_MEDIA)


def lies(path, _):
    """An archive whose core is said to be far smaller than it is."""
    archive(path, HEAD + ROWS * 10_000)
    content = bytearray(path.read_bytes())
    at = content.rindex(b"occurrence.txt") - 46 + 24
    content[at:at + 4] = struct.pack("<I", 100)
    path.write_bytes(content)


def entities(levels):
    names = "".join(f'<!ENTITY e{level} "{f"&e{level - 1};" * 10}">' for level in range(1, levels))
    return f'<!DOCTYPE archive [<!ENTITY e0 "ha">{names}]>'


def made(**options):
    return lambda path, _: archive(path, **options)


def long_line(path, _):
    long = "3\tPL\tTurdus merula\t" + "x" * 100_000_000 + "\n"
    core = HEAD + ROWS + long + "4\tPL\tParus major\ty\n"
    archive(path, core, BARE_MEDIA + f"4\t{SOUND}\n", compression=zipfile.ZIP_STORED)


def bomb(path, _):
    archive(path, HEAD + "\n" * (300 << 20))


# What makes the file, the exit code, and words of what is said.
HOSTILE = {
    "a bomb": (bomb, 65, "as no table is"),
    "a million entries": (many, 65, "more than 100000 entries"),
    "a core of a different folder": (
        made(core=HEAD + ROWS, place="../../../../etc/passwd"), 65, "a different folder"),
    "a core at a whole path": (
        made(core=HEAD + ROWS, place="/etc/passwd"), 65, "a different folder"),
    "a core in the way of Windows": (
        made(core=HEAD + ROWS, place="..\\\\x"), 65, "a different folder"),
    "entries of a different folder": (made(core=HEAD + ROWS, folder="../../"), 0, "2 recordings"),
    "a link": (link, 64, "nothing was imported"),
    "a size that is not true": (lies, 65, "occurrence.txt is damaged"),
    "entities that grow": (
        made(core=HEAD + ROWS, before=entities(12)), 65, "a document type, which is not read"),
    "an entity of a file": (
        made(core=HEAD + ROWS, before='<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]>'), 65,
        "a document type, which is not read"),
    "an entity that is not declared": (
        made(core=HEAD + ROWS, standard='<field term="x" default="&x;"/>'), 65, "the entity x"),
    "columns beyond every row": (
        made(core=HEAD + ROWS, standard=f'<field index="9999" term="{DWC}recordedBy"/>'), 0,
        "2 recordings"),
    "a column of a negative position": (
        made(core=HEAD + ROWS, standard=f'<field index="-1" term="{DWC}recordedBy"/>'), 65,
        "fields"),
    "a column of a huge position": (
        made(core=HEAD + ROWS, standard=f'<field index="99999999999999999999" term="{DWC}sex"/>'),
        0, "2 recordings"),
    "deep elements": (made(core=HEAD + ROWS, standard="<a>" * 100_000), 0, "2 recordings"),
    "text that is not UTF-8": (
        made(core=HEAD.encode() + ROWS.encode() + b"3\tPL\t\xff\xfe\tx\n"), 3,
        "line 4 could not be read: it is not text in UTF-8"),
    "media that are not UTF-8": (
        made(core=HEAD + ROWS, media=BARE_MEDIA.encode() + b"2\t\xff\xfe\n"), 3,
        "could not be read: of multimedia.txt: it is not text in UTF-8"),
    "a line of 100 MB": (long_line, 3, "line 4 could not be read: it has more than 4194304 bytes"),
    "a quote that is not closed": (
        made(core=quoted("a", '"b') + "x" * 6_000_000, media=QUOTED_MEDIA, table=CSV), 3,
        "line 2 could not be read"),
}
# Memory of a debug program, in kB.
MOST_MEMORY = 220_000
# A run that takes longer, in seconds, is taken to have no end.
ENDLESS = 600
# A process begins with the memory of the one that starts it, so that is a small one.
START = """import resource, subprocess, sys
code = subprocess.call(sys.argv[1:])
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
sys.exit(code)"""


def measured(chirper, *words):
    """The exit code of a run, what it says, and the most memory that it had."""
    command = [sys.executable, "-c", START, PROGRAM, *map(str, words)]
    result = subprocess.run(
        command, env=chirper.environment, capture_output=True, check=False, timeout=ENDLESS)
    return result.returncode, result.stderr.decode(), int(result.stdout)


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_archives_end_with_a_sentence_and_little_memory(name):
    make, wanted, words = HOSTILE[name]
    with store() as chirper, tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "hostile.zip"
        make(path, folder)
        status, said, memory = measured(chirper, "import", path)
        assert (status, words in said, "root:" in said) == (wanted, True, False), said[:2000]
        assert memory < MOST_MEMORY
        assert len(said) < 3000
        # Nothing but the store is written.
        assert sorted(found.name for found in pathlib.Path(folder).iterdir()) == ["hostile.zip"]
        assert {found.name for found in chirper.data.iterdir()} <= {"chirper.sqlite", "locks"}
        assert chirper.call("doctor").returncode == 0


def test_a_bomb_of_lines_of_json_is_a_row_that_cannot_be_read():
    with store() as chirper, tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "rows.jsonl"
        line = '{"id":"1","catalogue":"sample","scientificName":"Turdus merula"}\n'
        path.write_text(
            line + "[" * 3_000_000 + "\n" + '{"id":' * 100_000 + "\n" + line.replace("1", "2"))
        status, said, memory = measured(chirper, "import", path)
        assert status == 3 and said.count("it is not an object of JSON") == 2, said
        assert memory < MOST_MEMORY
        assert len(chirper.rows("export", "--", "rows.jsonl")) == 2


# Archives of other publishers


EML = """<eml:eml xmlns:eml="eml://ecoinformatics.org/eml-2.1.1" system="http://gbif.org"
packageId="5f1e0a10-0000/v1.{}"><dataset>
<alternateIdentifier>https://doi.org/10.5555/x7q2</alternateIdentifier>
<title>Calls of the museum</title><pubDate>2026-05-01</pubDate></dataset></eml:eml>"""
PUBLISHED = {
    "occurrenceID": ["urn:1", "urn:2", "urn:3"],
    "catalogNumber": ["M-1", "M-2", "M-3"],
    "scientificName": ["Turdus merula Linnaeus, 1758", "Parus major", "Anas sp."],
    "genus": ["Turdus", "", ""],
    "specificEpithet": ["merula", "", ""],
    "recordedBy": ["Ann", "Bob", "Bob"],
    "eventDate": ["2020-05-06", "2020-05", ""],
    "countryCode": ["PL", "DE", "DE"],
    "locality": ["Wood", "", ""],
    "decimalLatitude": ["52.1", "", ""],
    "decimalLongitude": ["21.2", "", ""],
    "license": ["http://creativecommons.org/licenses/by/4.0/", "", ""],
    "minimumElevationInMeters": ["120", "", ""],
}
PUBLIC_DOMAIN = "http://creativecommons.org/publicdomain/zero/1.0/"
SOUND_TYPE = "http://purl.org/dc/dcmitype/Sound"
PUBLISHED_MEDIA = [
    ["urn:1", "Sound", "https://museum.example/1a.wav", "audio/x-wav", ""],
    ["urn:1", "Sound", "https://museum.example/1b.wav", "", ""],
    ["urn:2", SOUND_TYPE, "https://museum.example/2.wav", "", PUBLIC_DOMAIN],
    ["urn:3", "StillImage", "https://museum.example/3.jpg", "image/jpeg", ""],
]
MEDIA_TERMS = [
    DC + "type", "http://rs.tdwg.org/ac/terms/accessURI", DC + "format",
    "http://ns.adobe.com/xap/1.0/rights/WebStatement"]


def table(rows):
    return "".join("\t".join(row) + "\n" for row in rows)


def published(path, version=3):
    """An archive as a museum's installation publishes it, with a table of media of Audiovisual
    Core."""
    terms = fields([(DC if name == "license" else DWC) + name for name in PUBLISHED])
    description = f"""<archive xmlns="http://rs.tdwg.org/dwc/text/" metadata="eml.xml">
<core {BARE} rowType="{DWC}Occurrence">
<files><location>occurrence.txt</location></files><id index="0"/>{terms}</core>
<extension {BARE} rowType="http://rs.tdwg.org/ac/terms/Multimedia">
<files><location>media.txt</location></files><coreid index="0"/>{fields(MEDIA_TERMS, 1)}
</extension></archive>"""
    with zipfile.ZipFile(path, "w") as file:
        file.writestr("meta.xml", description)
        file.writestr("eml.xml", EML.format(version))
        file.writestr("occurrence.txt", table(zip(*PUBLISHED.values())))
        file.writestr("media.txt", table(PUBLISHED_MEDIA))
    return path


def test_an_archive_of_any_publisher_is_a_list_of_its_sounds():
    with store() as chirper, tempfile.TemporaryDirectory() as folder:
        path = published(pathlib.Path(folder) / "museum.zip")
        [report] = chirper.json("import", path)["files"]
        [found] = report["lists"]
        assert (found["source"], found["new"]) == ("archive", 3)
        imported = report["imported"]
        assert (imported["silent"], imported["unreadable"]) == (1, 0)
        assert imported["doi"] == "10.5555/x7q2" and found["completeness"] == "imported"
        rows = chirper.rows("export", "--tidy", "--", "10.5555/x7q2")
        first = rows[0]
        wanted = {
            "catalogNumber": "M-1",
            "scientificName": "Turdus merula",
            "recordedBy": "Ann",
            "eventDate": "2020-05-06",
            "countryCode": "PL",
            "country": "Poland",
            "licenseName": "CC BY 4.0",
            "accessURI": "https://museum.example/1a.wav",
            "occurrenceID": "urn:1",
            "references": None,
        }
        assert {name: first[name] for name in wanted} == wanted
        assert float(first["decimalLatitude"]) == 52.1
        assert float(first["minimumElevationInMeters"]) == 120
        names = [row["scientificName"] for row in rows]
        assert names == ["Turdus merula", "Turdus merula", "Parus major"]
        assert rows[1]["accessURI"] == "https://museum.example/1b.wav"
        assert rows[2]["licenseName"].startswith("CC0")
        assert len(chirper.rows("search", "sp:\"turdus merula\"")) == 2
        # The next version has the same ids, and a different dataset has others.
        [again] = chirper.json("import", published(path, 4))["files"]
        assert [again["lists"][0][name] for name in ("new", "changed", "gone")] == [0, 0, 0]
        # Nobody can be asked for it.
        assert chirper.call("fetch", "--source", "archive", "turdus").returncode == 64
        assert chirper.call("sync").returncode == 0


def test_an_archive_of_events_is_refused():
    with store() as chirper, tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "events.zip"
        with zipfile.ZipFile(path, "w") as file:
            file.writestr("meta.xml", meta(term="").replace(f"{DWC}Occurrence", f"{DWC}Event"))
        result = chirper.call("import", path)
        assert result.returncode == 64 and b"not occurrences" in result.stderr, result


# What chirper writes


MACAULAY = {
    "ML Catalog Number": "123456",
    "Format": "Audio",
    "Common Name": "Eurasian Blackbird",
    "Scientific Name": "Turdus merula",
    "Background Species": '"Parus major, Sitta europaea"',
    "Recordist": "Ann Lee",
    "Date": "2019-05-12",
    "Year": "2019",
    "Month": "5",
    "Day": "12",
    "Time": "0630",
    "Country": "Poland",
    "Locality": '"Wood, A"',
    "Latitude": "52.1",
    "Longitude": "21.2",
    "Age/Sex": "Adult Male - 1",
    "Behaviors": "Song; Call",
    "Media notes": "two lines",
}


@pytest.fixture(scope="module")
def everything():
    """A store with recordings of the catalogues that need neither samples nor a network."""
    with store() as chirper, tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        chirper.run("fetch", "--quiet", "parrot", "--source", "sample", "--all")
        chirper.run("import", archive(folder / "download.zip", HEAD + ROWS))
        chirper.run("import", published(folder / "museum.zip"))
        lines = [",".join(MACAULAY), ",".join(MACAULAY.values()), ""]
        (folder / "ML.csv").write_text("\r\n".join(lines))
        chirper.run("import", folder / "ML.csv")
        yield chirper


@pytest.mark.parametrize("name", EXPORTS)
def test_what_is_exported_is_imported_with_its_ids_and_details(everything, name):
    catalogues = {catalogue for catalogue, _ in details(everything)}
    assert catalogues == {"sample", "gbif", "archive", "macaulay"}
    check_round_trip(everything, name)


def test_what_is_exported_as_an_archive_is_read_alike_by_another_reader(everything):
    dwca = pytest.importorskip("dwca.read", reason="python-dwca-reader is not installed")
    with store() as chirper, tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "x.zip"
        stored = ["source:any", "--copies", "yes"]
        everything.run("export", "--where", *stored, "--format", "dwca", "-o", path)
        chirper.run("import", path, "--as", "all")
        compared = ["scientificName", "recordedBy", "locality", "countryCode"]
        columns = ",".join(["id", "catalogue", "accessURI", *compared])
        own = {}
        for row in chirper.rows("search", *stored, "--columns", columns):
            prefix = "" if row["catalogue"] == "sample" else f"{row['catalogue']}:"
            own[prefix + row["id"]] = row
        with dwca.DwCAReader(str(path)) as file:
            rows = {row.id: row for row in file}
            assert rows.keys() == own.keys()
            for key, row in rows.items():
                for name in compared:
                    assert (own[key][name] or "") == row.data[DWC + name], (key, name)
                sounds = [item.data.get(DC + "identifier") for item in row.extensions]
                assert sounds[:1] == ([own[key]["accessURI"]] if own[key]["accessURI"] else []), key


def test_records_as_they_were_sent_are_imported_for_their_catalogue(everything):
    with store() as chirper, tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "parrots.jsonl"
        everything.run("export", "parrot", "--source", "sample", "-o", path)
        assert chirper.call("import", path).returncode == 64
        assert b"--source" in chirper.call("import", path).stderr
        [report] = chirper.json("import", path, "--source", "sample")["files"]
        assert report["imported"]["unreadable"] == 0 and report["lists"][0]["source"] == "sample"
        own, there = details(chirper), details(everything)
        assert len(own) == 715 and all(there[key] == row for key, row in own.items())
        # Where a record is stored as its catalogue sent it, it stays; a fetch takes the place of an
        # imported one.
        for target in (everything, chirper):
            before = target.rows(
                "export", "parrot", "--source", "sample") if target is everything else None
            [again] = target.json("import", path, "--source", "sample")["files"]
            assert again["lists"][0]["changed"] == 0
            assert before is None or target.rows("export", "parrot", "--source", "sample") == before
        assert chirper.json("fetch", "parrot", "--source", "sample", "--all")["changed"] == 0
        assert details(chirper) == own
        bad = pathlib.Path(folder) / "bad.jsonl"
        bad.write_text(path.read_text().splitlines()[0] + '\n{"en":"x"}\n[]\nnonsense\n')
        result = chirper.call("import", bad, "--source", "sample")
        assert result.returncode == 3 and result.stderr.count(b"could not be read") == 4, result


# Data sets


def verified(chirper, folder):
    return json.loads(chirper.call("dataset", "verify", folder / "set.lock.jsonl", "--json").stdout)


def test_a_lock_of_imported_recordings_is_compared_by_details():
    with store() as chirper, tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        chirper.run("import", archive(folder / "a.zip", HEAD + ROWS), "--as", "owls")
        chirper.run("dataset", "new", folder / "set", "owls")
        chirper.run("dataset", "lock", folder / "set.dataset.json", "--no-audio")
        lines = [json.loads(line) for line in (folder / "set.lock.jsonl").read_text().splitlines()]
        assert [line["sha256"][:2] for line in lines[1:]] == ["d:", "d:"]
        assert lines[0]["lists"][0]["completeness"] == "imported"
        assert verified(chirper, folder)["summary"]["same"] == 2
        # A text that no detail has changes nothing, a detail does.
        more = dict(core=CORE + ["georeferenceRemarks"])
        longer = ROWS.replace("\n", "\tx\n")
        path = archive(folder / "a.zip", longer, BARE_MEDIA, table=BARE)
        chirper.run("import", path, "--as", "owls")
        with zipfile.ZipFile(folder / "b.zip", "w") as file:
            file.writestr("meta.xml", meta(BARE, **more))
            file.writestr("occurrence.txt", longer)
            file.writestr("multimedia.txt", BARE_MEDIA)
        chirper.run("import", folder / "b.zip", "--as", "owls")
        assert verified(chirper, folder)["summary"]["same"] == 2
        path = archive(folder / "c.zip", HEAD + ROWS.replace("Borneo", "Java"))
        chirper.run("import", path, "--as", "owls")
        result = verified(chirper, folder)
        assert (result["summary"]["same"], result["summary"]["fieldsChanged"]) == (1, 1)
        [change] = result["recordings"][0]["changes"]
        assert (change["column"], change["old"], change["new"]) == ("locality", "Borneo", "Java")


def test_a_data_set_cites_what_was_imported():
    with store() as chirper, tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        chirper.run("fetch", "--quiet", "owl", "--source", "sample")
        own_path = folder / "own.zip"
        chirper.run("export", "owl", "--where", "len:<20", "--format", "dwca", "-o", own_path)
        doi = "https://doi.org/10.15468/dl.x1y2z3"
        title = f"<alternateIdentifier>{doi}</alternateIdentifier><title>".encode()
        with (
                zipfile.ZipFile(own_path) as own,
                zipfile.ZipFile(folder / "cited.zip", "w") as cited):
            for name in own.namelist():
                text = own.read(name)
                if name == "eml.xml":
                    text = text.replace(b"<title>", title, 1)
                cited.writestr(name, text)
            cited.writestr("citations.txt", "Owls of a museum. https://doi.org/10.5555/owls\n")
            cited.writestr("rights.txt", "Dataset: owls\nRights as supplied: CC0\n")
        chirper.run("import", folder / "cited.zip", "--as", "cited")
        chirper.run("dataset", "new", folder / "set", "cited", "--title", "Cited")
        chirper.run("dataset", "lock", folder / "set.dataset.json")
        for place in ("built", "again"):
            chirper.run("dataset", "build", folder / "set.lock.jsonl", folder / place)
        built = folder / "built"
        citations = (built / "citations.txt").read_text()
        assert citations == (folder / "again/citations.txt").read_text()
        assert "https://doi.org/10.5555/owls" in citations
        assert "Rights as supplied: CC0" in citations
        for name in ("README.txt", "METHODS.md", "CITATION.cff", "citations.txt", "croissant.json"):
            assert "10.15468/dl.x1y2z3" in (built / name).read_text(), name
        assert "citations.txt" in (built / "README.txt").read_text()
        assert "Cited. SHA-256" in json.loads((built / "croissant.json").read_text())["citeAs"]
        from test_datasets import READERS

        if (READERS / "bin/cffconvert").exists():
            subprocess.run(
                [READERS / "bin/cffconvert", "--validate", "-i", built / "CITATION.cff"],
                check=True, capture_output=True)
