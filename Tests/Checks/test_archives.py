"""Reads archives that were made by hand in odd forms, and compares what is stored with what python-dwca-reader reads."""

import pathlib
import tempfile
import zipfile

import pytest

from program import store


GBIF, DWC, DC = "http://rs.gbif.org/terms/1.0/", "http://rs.tdwg.org/dwc/terms/", "http://purl.org/dc/terms/"


def odd(path, core, media, form='encoding="UTF-8" fieldsTerminatedBy="\\t" linesTerminatedBy="\\n" fieldsEnclosedBy="" ignoreHeaderLines="1"',
        encoding="utf-8", folder="", standard="", junk=()):
    """Writes an archive of GBIF's terms in a form of one's own."""
    columns = "".join(f'<field index="{index}" term="{DWC}{name}"/>' for index, name in enumerate(["countryCode", "species", "locality"], 1))
    extension = "".join(f'<field index="{index}" term="{DC}{name}"/>' for index, name in enumerate(["type", "identifier"], 1))
    meta = (f'<?xml version="1.0"?><archive xmlns="http://rs.tdwg.org/dwc/text/"><core {form} rowType="{DWC}Occurrence"><files>'
            f'<location>occurrence.txt</location></files><id index="0"/><field index="0" term="{GBIF}gbifID"/>{columns}{standard}</core>'
            f'<extension {form} rowType="{GBIF}Multimedia"><files><location>multimedia.txt</location></files><coreid index="0"/>{extension}'
            '</extension></archive>')
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(folder + "meta.xml", meta)
        archive.writestr(folder + "occurrence.txt", core.encode(encoding))
        archive.writestr(folder + "multimedia.txt", media.encode(encoding))
        for name in junk:
            archive.writestr(name, b"\0\5\26\7")
    return path


SOUND = "Sound\thttps://xeno-canto.org/sounds/a.mp3"
HEAD, MEDIA_HEAD = "gbifID\tcountryCode\tspecies\tlocality\n", "gbifID\ttype\tidentifier\n"
CSV = 'encoding="UTF-8" fieldsTerminatedBy="," linesTerminatedBy="\\n" fieldsEnclosedBy="&quot;" ignoreHeaderLines="1"'
ODD = {
    "no heading, in a folder, from a Mac": dict(
        core="1\tPL\tTurdus merula\tWood\n2\tDE\tParus major\t\n", media=f"1\t{SOUND}\n2\t{SOUND}\n", folder="dwca/",
        form='encoding="UTF-8" fieldsTerminatedBy="\\t" linesTerminatedBy="\\n" fieldsEnclosedBy="" ignoreHeaderLines="0"',
        junk=["__MACOSX/dwca/._meta.xml", "dwca/.DS_Store"]),
    "quotes": dict(
        core='gbifID,countryCode,species,locality\n1,PL,"Turdus merula","Wood, ""A"""\n2,DE,Parus major,"two\nlines"\n',
        media=f'gbifID,type,identifier\n1,{SOUND.replace(chr(9), ",")}\n2,{SOUND.replace(chr(9), ",")}\n', form=CSV),
    "Latin-1": dict(
        core=HEAD + "1\tPL\tTurdus merula\tŁódź\n".replace("Łódź", "Château\xe9") + "2\tDE\tParus major\tK\xf6ln\n",
        media=MEDIA_HEAD + f"1\t{SOUND}\n2\t{SOUND}\n", encoding="latin-1",
        form='encoding="ISO-8859-1" fieldsTerminatedBy="\\t" linesTerminatedBy="\\n" fieldsEnclosedBy="" ignoreHeaderLines="1"'),
    "default values": dict(
        core=HEAD + "1\tPL\tTurdus merula\tWood\n2\tDE\tParus major\t\n", media=MEDIA_HEAD + f"1\t{SOUND}\n2\t{SOUND}\n",
        standard=f'<field term="{DWC}recordedBy" default="Ann &amp; Bob"/>'),
    "orphaned media, and lines of Windows": dict(
        core=HEAD.replace("\n", "\r\n") + "1\tPL\tTurdus merula\tWood\r\n2\tDE\tParus major\tx\r\n",
        media=MEDIA_HEAD.replace("\n", "\r\n") + f"9\t{SOUND}\r\n2\t{SOUND}\r\n1\t{SOUND}\r\n",
        form='encoding="UTF-8" fieldsTerminatedBy="\\t" linesTerminatedBy="\\r\\n" fieldsEnclosedBy="" ignoreHeaderLines="1"'),
}


@pytest.mark.parametrize("name", ODD)
def test_odd_archives_are_read_as_another_reader_reads_them(name):
    dwca = pytest.importorskip("dwca.read", reason="python-dwca-reader is not installed")
    with store() as chirper, tempfile.TemporaryDirectory() as folder:
        path = odd(pathlib.Path(folder) / "odd.zip", **ODD[name])
        [report] = chirper.json("import", path)["files"]
        assert report["imported"]["unreadable"] == 0
        rows = {row["gbifID"]: row for row in chirper.rows("export", "--", "odd.zip")}
        read = path
        if ODD[name].get("folder"):
            # The reader wants the files at the top, or in one folder alone.
            with zipfile.ZipFile(path) as archive:
                archive.extractall(folder, [entry for entry in archive.namelist() if entry.startswith("dwca/")])
            read = pathlib.Path(folder) / "dwca"
        with dwca.DwCAReader(str(read)) as archive:
            for row in archive:
                own = rows.pop(row.id)
                for term, value in row.data.items():
                    assert own.get(term.rsplit("/", 1)[1], "") == value, (row.id, term)
                assert [item["identifier"] for item in own["media"]] == [item.data[DC + "identifier"] for item in row.extensions]
        assert not rows
