"""Archives that are made by hand, and imports of what was exported."""

import pathlib
import tempfile
import zipfile

from program import store

GBIF = "http://rs.gbif.org/terms/1.0/"
DWC = "http://rs.tdwg.org/dwc/terms/"
DC = "http://purl.org/dc/terms/"


def form(separator="\\t", quote="", lines="\\n", headings=1, encoding="UTF-8"):
    """The attributes of a table."""
    attributes = {
        "encoding": encoding,
        "fieldsTerminatedBy": separator,
        "linesTerminatedBy": lines,
        "fieldsEnclosedBy": quote,
        "ignoreHeaderLines": headings,
    }
    return " ".join(f'{name}="{value}"' for name, value in attributes.items())


def fields(terms, start=0):
    """The columns of a table, from a position on, as the lines of its description."""
    return "".join(
        f'<field index="{index}" term="{term}"/>' for index, term in enumerate(terms, start))


CORE = ["countryCode", "species", "locality"]
MEDIA = ["type", "identifier"]


def meta(
        table=None, *, standard="", core=CORE, term=f'<field index="0" term="{GBIF}gbifID"/>',
        place="occurrence.txt", before=""):
    """A meta.xml of GBIF's terms."""
    table = table or form()
    columns = fields([DWC + name for name in core], 1)
    media = fields([DC + name for name in MEDIA], 1)
    return f"""<?xml version="1.0"?>{before}<archive xmlns="http://rs.tdwg.org/dwc/text/">
        <core {table} rowType="{DWC}Occurrence">
        <files><location>{place}</location></files>
        <id index="0"/>{term}{columns}{standard}</core>
        <extension {table} rowType="{GBIF}Multimedia">
        <files><location>multimedia.txt</location></files>
        <coreid index="0"/>{media}</extension></archive>"""


SOUND = "Sound\thttps://xeno-canto.org/sounds/a.mp3"
HEAD = "\t".join(["gbifID", *CORE]) + "\n"
MEDIA_HEAD = "\t".join(["gbifID", *MEDIA]) + "\n"


def encoded(text, encoding="utf-8"):
    return text if isinstance(text, bytes) else text.encode(encoding)


def archive(
        path, core, media=MEDIA_HEAD + f"1\t{SOUND}\n2\t{SOUND}\n", *, encoding="utf-8", folder="",
        junk=(), compression=zipfile.ZIP_DEFLATED, **description):
    """Writes an archive of GBIF's terms in a form of one's own."""
    with zipfile.ZipFile(path, "w", compression) as file:
        file.writestr(folder + "meta.xml", meta(**description))
        file.writestr(folder + "occurrence.txt", encoded(core, encoding))
        file.writestr(folder + "multimedia.txt", encoded(media, encoding))
        for name in junk:
            file.writestr(name, b"\0\5\26\7")
    return path


# Imports of what was exported


COLUMNS = """
    catalogNumber scientificName taxonRank kingdom phylum class order family genus
    specificEpithet infraspecificEpithet vernacularName group recordedBy country countryCode
    locality decimalLatitude decimalLongitude coordinateUncertaintyInMeters dataGeneralizations
    informationWithheld minimumElevationInMeters eventDate year month day eventTime behavior sex
    lifeStage samplingProtocol quality mediaDuration sampleRate license licenseName
    allowsCommercialUse allowsDerivatives rightsHolder credit occurrenceRemarks associatedTaxa
    available references accessURI sonogramURL basisOfRecord occurrenceID datasetKey datasetName
    datasetID alsoIn issues annotations acceptedNameUsage
""".split()
# An archive has the terms of Darwin Core, and those of the sound.
NOT_IN_ARCHIVES = {
    "group", "quality", "sampleRate", "available", "sonogramURL", "alsoIn", "issues", "annotations",
    "credit"}
# The options of each export, its file, and the columns that it does not have.
EXPORTS = {
    "jsonl": (["--tidy"], "x.jsonl", set()), "csv": (["--tidy"], "x.csv", set()),
    "dwca": ([], "x.zip", NOT_IN_ARCHIVES),
}


EVERYTHING = ["source:any gone:any", "--copies", "yes"]


def details(chirper):
    columns = ",".join(["id", "catalogue", *COLUMNS])
    rows = chirper.rows("search", *EVERYTHING, "--columns", columns)
    return {(row["catalogue"], row["id"]): row for row in rows}


def without(row, columns):
    """A row as a download has it, with the lines of a text as one, without some columns."""
    return {
        name: " ".join(value.split()) if isinstance(value, str) else value
        for name, value in row.items()
        if name not in columns}


def check_round_trip(everything, name):
    """Exports everything stored, and imports it into an empty store and into the same one."""
    options, file, missing = EXPORTS[name]
    before = details(everything)
    with tempfile.TemporaryDirectory() as folder, store() as chirper:
        path = pathlib.Path(folder) / file

        def imported(program):
            [report] = program.json("import", path, "--as", "all")["files"]
            return report

        everything.run("export", "--where", *EVERYTHING, *options, "-o", path)
        assert imported(chirper)["imported"]["unreadable"] == 0
        after = details(chirper)
        assert after.keys() == before.keys()
        for key, row in before.items():
            own = missing
            # A length and a licence without an address are those of a sound.
            if missing and not row["accessURI"]:
                own = missing | {"mediaDuration", "licenseName"}
            assert without(after[key], own) == without(row, own), key
        again = imported(chirper)["lists"]
        assert all(found["changed"] == found["new"] == found["gone"] == 0 for found in again)
        # Nothing of it replaces what was fetched.
        assert all(found["changed"] == 0 for found in imported(everything)["lists"])
        assert details(everything) == before
