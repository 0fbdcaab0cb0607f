import ChirperModel
import Foundation

/// The parts of a GeoPackage apart from its rows (https://www.geopackage.org/spec130/).
enum GeoPackage {
  /// Make an empty one.
  static let statements = [
    // "GPKG", version 1.3.
    "PRAGMA application_id = 0x47504B47",
    "PRAGMA user_version = 10300",
    """
    CREATE TABLE gpkg_spatial_ref_sys (
      srs_name TEXT NOT NULL, srs_id INTEGER NOT NULL PRIMARY KEY, organization TEXT NOT NULL,
      organization_coordsys_id INTEGER NOT NULL, definition TEXT NOT NULL, description TEXT)
    """,
    """
    INSERT INTO gpkg_spatial_ref_sys VALUES
      ('Undefined Cartesian SRS', -1, 'NONE', -1, 'undefined', 'undefined Cartesian coordinate reference system'),
      ('Undefined geographic SRS', 0, 'NONE', 0, 'undefined', 'undefined geographic coordinate reference system'),
      ('WGS 84 geodetic', 4326, 'EPSG', 4326, 'GEOGCS["WGS 84",DATUM["WGS_1984",SPHEROID["WGS 84",6378137,298.257223563,\
    AUTHORITY["EPSG","7030"]],AUTHORITY["EPSG","6326"]],PRIMEM["Greenwich",0,AUTHORITY["EPSG","8901"]],\
    UNIT["degree",0.0174532925199433,AUTHORITY["EPSG","9122"]],AXIS["Latitude",NORTH],AXIS["Longitude",EAST],\
    AUTHORITY["EPSG","4326"]]', 'longitude and latitude in degrees on the WGS 84 ellipsoid')
    """,
    """
    CREATE TABLE gpkg_contents (
      table_name TEXT NOT NULL PRIMARY KEY, data_type TEXT NOT NULL, identifier TEXT UNIQUE, description TEXT DEFAULT '',
      last_change DATETIME NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ','now')), min_x DOUBLE, min_y DOUBLE,
      max_x DOUBLE, max_y DOUBLE, srs_id INTEGER,
      CONSTRAINT fk_gc_r_srs_id FOREIGN KEY (srs_id) REFERENCES gpkg_spatial_ref_sys(srs_id))
    """,
    """
    CREATE TABLE gpkg_geometry_columns (
      table_name TEXT NOT NULL, column_name TEXT NOT NULL, geometry_type_name TEXT NOT NULL, srs_id INTEGER NOT NULL,
      z TINYINT NOT NULL, m TINYINT NOT NULL, CONSTRAINT pk_geom_cols PRIMARY KEY (table_name, column_name),
      CONSTRAINT uk_gc_table_name UNIQUE (table_name),
      CONSTRAINT fk_gc_tn FOREIGN KEY (table_name) REFERENCES gpkg_contents(table_name),
      CONSTRAINT fk_gc_srs FOREIGN KEY (srs_id) REFERENCES gpkg_spatial_ref_sys (srs_id))
    """,
    """
    CREATE TABLE gpkg_extensions (
      table_name TEXT, column_name TEXT, extension_name TEXT NOT NULL, definition TEXT NOT NULL, scope TEXT NOT NULL,
      CONSTRAINT ge_tce UNIQUE (table_name, column_name, extension_name))
    """,
    """
    INSERT INTO gpkg_extensions VALUES
      ('gpkg_metadata', NULL, 'gpkg_metadata', 'http://www.geopackage.org/spec130/#extension_metadata', 'read-write'),
      ('gpkg_metadata_reference', NULL, 'gpkg_metadata', 'http://www.geopackage.org/spec130/#extension_metadata', 'read-write'),
      ('gpkg_data_columns', NULL, 'gpkg_schema', 'http://www.geopackage.org/spec130/#extension_schema', 'read-write'),
      ('gpkg_data_column_constraints', NULL, 'gpkg_schema', 'http://www.geopackage.org/spec130/#extension_schema', 'read-write')
    """,
    """
    CREATE TABLE gpkg_metadata (
      id INTEGER CONSTRAINT m_pk PRIMARY KEY ASC NOT NULL, md_scope TEXT NOT NULL DEFAULT 'dataset', md_standard_uri TEXT NOT NULL,
      mime_type TEXT NOT NULL DEFAULT 'text/xml', metadata TEXT NOT NULL DEFAULT '')
    """,
    """
    CREATE TABLE gpkg_metadata_reference (
      reference_scope TEXT NOT NULL, table_name TEXT, column_name TEXT, row_id_value INTEGER,
      timestamp DATETIME NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ','now')), md_file_id INTEGER NOT NULL, md_parent_id INTEGER,
      CONSTRAINT crmr_mfi_fk FOREIGN KEY (md_file_id) REFERENCES gpkg_metadata(id),
      CONSTRAINT crmr_mpi_fk FOREIGN KEY (md_parent_id) REFERENCES gpkg_metadata(id))
    """,
    """
    CREATE TABLE gpkg_data_columns (
      table_name TEXT NOT NULL, column_name TEXT NOT NULL, name TEXT, title TEXT, description TEXT, mime_type TEXT,
      constraint_name TEXT, CONSTRAINT pk_gdc PRIMARY KEY (table_name, column_name), CONSTRAINT gdc_tn UNIQUE (table_name, name))
    """,
    """
    CREATE TABLE gpkg_data_column_constraints (
      constraint_name TEXT NOT NULL, constraint_type TEXT NOT NULL, value TEXT, min NUMERIC, min_is_inclusive BOOLEAN, max NUMERIC,
      max_is_inclusive BOOLEAN, description TEXT, CONSTRAINT gdcc_ntv UNIQUE (constraint_name, constraint_type, value))
    """,
  ]

  /// A point in the form of GeoPackages: a header with the reference system, 4326, and well-known
  /// binary.
  @Sendable static func point(_ coordinate: SIMD2<Double>) -> [UInt8] {
    let head: [UInt8] = [0x47, 0x50, 0, 1, 0xE6, 0x10, 0, 0, 1, 1, 0, 0, 0]
    return [coordinate.x, coordinate.y].reduce(into: head) { bytes, number in
      bytes += (0..<8).map { UInt8(truncatingIfNeeded: number.bitPattern >> (8 * $0)) }
    }
  }

  /// The statements that describe the table, each with its values.
  static func closing(
    _ columns: [TidyColumn], _ names: [String], _ box: [DetailColumn.Value], title: String,
    text: String,
    provenance: String, writtenAt: Date
  ) -> [(sql: String, values: [DetailColumn.Value])] {
    let time = DetailColumn.Value.text(writtenAt.formatted(.iso8601))
    var statements: [(sql: String, values: [DetailColumn.Value])] = [
      (
        "INSERT INTO gpkg_contents VALUES ('recordings', 'features', ?, ?, ?, ?, ?, ?, ?, 4326)",
        [.text(title), .text(text), time] + box
      ),
      ("INSERT INTO gpkg_geometry_columns VALUES ('recordings', 'geom', 'POINT', 4326, 0, 0)", []),
      // The standard of the metadata is JSON.
      (
        "INSERT INTO gpkg_metadata VALUES (1, 'dataset', 'https://www.rfc-editor.org/info/rfc8259', 'application/json', ?)",
        [.text(provenance)]
      ),
      (
        "INSERT INTO gpkg_metadata_reference VALUES ('table', 'recordings', NULL, NULL, ?, 1, NULL)",
        [time]
      ),
    ]
    for (column, name) in zip(columns, names) {
      statements.append(
        (
          "INSERT INTO gpkg_data_columns (table_name, column_name, description) VALUES ('recordings', ?, ?)",
          [.text(name), .text(column.description)]
        ))
    }
    return statements
  }
}
