import ChirperModel
import ChirperTestSupport
import Foundation
import Testing

@testable import Chirper
@testable import ChirperFormats

/// Database files, read by Python's `sqlite3` and compared with the tidy rows as JSON lines.
@Suite struct DatabaseFormatTests {
  /// Writes the rows in the format, and runs a script with `rows` (what is in the table), `tidy`
  /// (the same as JSON) and `db`.
  private func check(
    _ format: RecordFormat, _ rows: [RecordingRow], columns: [TidyColumn] = TidyColumn.all,
    _ script: String
  ) throws {
    let program = try BuiltProgram()
    defer { program.remove() }
    guard case .database(let form) = format.content else {
      Issue.record("\(format.name) is no database")
      return
    }
    let path = program.path("x.\(format.name)")
    try Data().write(to: URL(filePath: path))
    let database = try DatabaseOutput(form, columns, to: FileOutput(file: path))
    let summary = try Written.table(rows, columns).writeRows(
      by: database.rowWriter, WriteOptions(now: Written.fetched), to: database)
    try database.finish(Written.provenance, format, summary)
    try Written.text(.jsonl, rows, columns: columns).write(
      toFile: program.path("x.jsonl"), atomically: true, encoding: .utf8)
    let head = """
      import json, sqlite3, struct, sys
      db = sqlite3.connect(sys.argv[1])
      cursor = db.execute("SELECT * FROM recordings ORDER BY rowid")
      names = [column[0] for column in cursor.description]
      rows = [dict(zip(names, row)) for row in cursor]
      tidy = [json.loads(line) for line in open(sys.argv[2], encoding="utf-8", newline="\\n")]
      # An array is JSON in a cell.
      for row in rows:
        if row.get("annotations"): row["annotations"] = json.loads(row["annotations"])
      types = {row[1]: row[2] for row in db.execute("PRAGMA table_info(recordings)")}
      assert db.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
      assert db.execute("PRAGMA foreign_key_check").fetchall() == []

      """
    let result = try program.run(
      "/usr/bin/env", ["python3", "-c", head + script, path, program.path("x.jsonl")], input: "")
    #expect(result.status == 0, "\(result.error)")
  }

  private static let rows = [Written.full, Written.empty] + Written.hostileRows

  @Test
  func `an SQLite file has the tidy rows with their types, their meaning and where they come from`()
    throws
  {
    try check(
      .sqlite, Self.rows,
      """
      assert rows == tidy, next((a, b) for a, b in zip(rows, tidy) if a != b)
      assert len(rows) == 22 and types["id"] == "TEXT" and types["decimalLatitude"] == "REAL" and types["month"] == "INTEGER"
      assert type(rows[0]["sampleRate"]) is int and type(rows[0]["mediaDuration"]) is float
      statement, = db.execute("SELECT sql FROM sqlite_schema WHERE name = 'recordings'").fetchone()
      assert "-- The sample rate of the sound in hertz.\\n" in statement, statement
      facts = dict(db.execute("SELECT name, value FROM provenance"))
      assert facts["query"] == "parrot" and facts["written"] == 22 and facts["format"] == "sqlite"
      """)
  }

  @Test func `a GeoPackage has the tidy rows as points, and what its specification asks for`()
    throws
  {
    try check(
      .geoPackage, Self.rows,
      """
      points = [row.pop("geom") for row in rows]
      assert [row.pop("fid") for row in rows] == list(range(1, 23))
      assert rows == tidy, next((a, b) for a, b in zip(rows, tidy) if a != b)
      assert rows[0]["coordinateUncertaintyInMeters"] == 27500.5 and rows[0]["dataGeneralizations"] == "the place is obscured"
      for point, row in zip(points, tidy):
          if row["decimalLatitude"] is None:
              assert point is None
          else:
              assert struct.unpack("<2sBBiBIdd", point) == (
                  b"GP", 0, 1, 4326, 1, 1, row["decimalLongitude"], row["decimalLatitude"]), point
      assert points[1] is None and len(points[0]) == 29
      assert db.execute("PRAGMA application_id").fetchone() == (0x47504B47,)
      assert db.execute("PRAGMA user_version").fetchone() == (10300,)
      contents, = db.execute("SELECT * FROM gpkg_contents").fetchall()
      assert contents[:3] == ("recordings", "features", "Sound recordings: parrot, from xeno-canto"), contents
      assert contents[4:] == ("2026-09-21T14:14:20Z", 11.61234, -0.5, 11.61234, -0.5, 4326), contents
      columns = db.execute("SELECT * FROM gpkg_geometry_columns").fetchall()
      assert columns == [("recordings", "geom", "POINT", 4326, 0, 0)]
      assert {row[0] for row in db.execute("SELECT srs_id FROM gpkg_spatial_ref_sys")} == {-1, 0, 4326}
      assert set(types.values()) <= {"INTEGER", "POINT", "TEXT", "REAL", "BOOLEAN"}, types
      about, = db.execute("SELECT metadata FROM gpkg_metadata JOIN gpkg_metadata_reference ON md_file_id = id").fetchone()
      assert json.loads(about)["query"] == "parrot" and json.loads(about)["written"] == 22
      meanings = dict(db.execute("SELECT column_name, description FROM gpkg_data_columns"))
      assert set(meanings) == set(tidy[0]) and meanings["sampleRate"] == "The sample rate of the sound in hertz."
      assert {row[0] for row in db.execute("SELECT extension_name FROM gpkg_extensions")} == {"gpkg_metadata", "gpkg_schema"}
      """)
  }

  @Test func `a GeoPackage without rows is whole, and has no extent`() throws {
    try check(
      .geoPackage, [],
      """
      assert rows == [] and len(types) == len(\(TidyColumn.all.map(\.name))) + 2
      assert db.execute("SELECT min_x, max_y FROM gpkg_contents").fetchall() == [(None, None)]
      """)
  }

  @Test
  func
    `columns that differ in upper and lower case only, which is no difference for SQLite, are all written`()
    throws
  {
    try check(
      .sqlite, [Written.full], columns: [TidyColumn(.id), TidyColumn(.field("ID"))],
      "assert rows == [{'id': '900001', 'ID_2': None}], rows")
  }

  @Test func `a database is written to a file only`() throws {
    #expect {
      try DatabaseOutput(.sqlite, TidyColumn.all, to: FileOutput(file: nil))
    } throws: {
      ($0 as? UserFacingError)?.hint == "Type -o FILE, as in: -o parrot.sqlite"
    }
  }

  @Test func `a file that cannot be written is reported with the reason`() throws {
    #expect {
      try DatabaseOutput(.sqlite, TidyColumn.all, to: FileOutput(file: "/nowhere/x.sqlite"))
    } throws: {
      ($0 as? TableFile.Failure)?.number == ENOENT
    }
  }
}

/// The place of a file that a format writes by itself.
final class FileOutput: ByteOutput {
  var buffer: [UInt8] = []
  let file: String?

  init(file: String?) { self.file = file }

  func writeIfFull() {}
  func flush() {}
}
