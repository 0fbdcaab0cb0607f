// The module ChirperFormats turns values of `Chirper` into bytes and words. It writes to a
// `ByteOutput`, which may be an `AtomicFile`. Start reading here (the table of formats), and at
// `RowTable` and `UserFacingError`.

import Chirper

/// A format in which recordings are written: its name, the file extension that selects it, and its
/// writer.
///
/// `RecordFormat.all` is the one table of formats. The names that `--format` takes, completions,
/// the extensions of `-o`, error texts and writers follow from it.
public struct RecordFormat: Sendable, Hashable, Identifiable {
  /// The name of the format: `csv`. The command takes it after `--format`.
  public let name: String
  /// The name for people, with programs that read it.
  package private(set) var title = ""
  /// The type of a file as HTTP names it.
  package private(set) var mediaType = "text/plain; charset=utf-8"
  /// The end of a file's name that selects it, in lower case; `nil` if none does.
  public private(set) var fileExtension: String?
  /// Whether it is the table of `list` and `search`: fitted on a terminal, separated by tabs in a
  /// pipe, and not exported.
  package private(set) var isTable = false
  /// The condition that a row must meet to be written, as in "3 rows left out, without
  /// coordinates"; `nil` if every row is written.
  public private(set) var needs: String?
  /// Whether it has selections of audio files, so that rows without a file are of no use.
  private(set) var selectsSound = false
  /// Whether the sounds of rows are in it, so that a row without its sound is left out.
  package private(set) var holdsSounds = false
  /// Whether it is written from details, of which some can be chosen.
  private(set) var choosesDetails = false
  let content: Content

  /// Whether columns can be chosen.
  public var takesColumns: Bool { hasColumns || choosesDetails }

  enum Content: Sendable {
    /// Lines of cells: raw fields, or the columns of a `RowTable`.
    case cells(CellEncoder.Form)
    /// JSON objects with the same content: each a line, or in one object.
    case objects(isLines: Bool)
    /// Whatever a writer makes of the details; the columns are for a format that takes some.
    case details(@Sendable (Provenance, [TidyColumn]) -> any RowWriter<RecordingRow>)
    /// Several files in a zip file, which the caller finishes.
    case archive(@Sendable (Rows, WriteOptions, ZipWriter) throws -> ExportSummary)
    /// The tidy columns as a table of a database file, which cannot be written to a pipe.
    case database(DatabaseForm)
  }

  /// Whether it has raw fields, or columns in place of them.
  private var hasColumns: Bool {
    switch content {
    case .cells, .objects: true
    case .details, .archive, .database: false
    }
  }

  /// Whether it is a zip file, which no terminal can show.
  package var isArchive: Bool {
    if case .archive = content { true } else { false }
  }

  /// Whether it is a database, which is written to a file only.
  package var isDatabase: Bool {
    if case .database = content { true } else { false }
  }

  /// Whether a spreadsheet can open it, and run text in it as formulas.
  package var isForSpreadsheets: Bool {
    if case .cells = content { !isTable } else { false }
  }

  /// Whether the file itself has the notes that are otherwise printed on standard error.
  package var containsNotes: Bool {
    if case .objects(isLines: false) = content { true } else { false }
  }

  /// The name.
  public var id: String { name }

  /// Whether the formats have equal names.
  public static func == (left: RecordFormat, right: RecordFormat) -> Bool {
    left.name == right.name
  }

  /// Hashes the name.
  public func hash(into hasher: inout Hasher) { hasher.combine(name) }

  /// Every format, in the order in which help lists them.
  package static let all: [RecordFormat] = [
    table, csv, tsv, json, jsonl, sqlite, geojson, geoPackage, gpx, raven, audacity, credits, dwca,
    anki,
  ]

  /// The formats that an export can have.
  public static let exported = all.filter { !$0.isTable }

  /// The formats with raw fields, which `list` writes.
  static let listed = all.filter(\.hasColumns)

  /// The formats that can have the tidy columns in place of the raw fields.
  package static let tidy = listed.filter { !$0.isTable }

  /// Every form of every exported format: credits have several.
  package static let forms = exported.flatMap {
    $0 == credits ? CreditsForm.allCases.map(credits) : [$0]
  }

  /// The format of that name, or that a file's name with that extension selects: `csv`, `html`.
  package static func named(_ name: String) -> RecordFormat? {
    all.first { $0.name == name } ?? forms.first { $0.fileExtension == name }
  }

  /// The format that a file's name selects by its extension; `nil` if the name has no extension or
  /// an unknown one. `list.html` selects credits as HTML.
  public static func ofFile(_ path: String) -> RecordFormat? {
    pathExtension(of: path).flatMap { end in forms.first { $0.fileExtension == end } }
  }

  /// The end of the name of a file that is downloaded.
  package var fileEnd: String { fileExtension ?? "txt" }

  /// The extension of a file's name, in lower case; the dot that begins a hidden file's name begins
  /// no extension.
  package static func pathExtension(of path: String) -> String? {
    guard let name = path.split(separator: "/").last, let dot = name.dropFirst().lastIndex(of: ".")
    else { return nil }
    let end = name[name.index(after: dot)...].lowercased()
    return end.isEmpty ? nil : end
  }
}

extension RecordFormat {
  /// A format of details.
  init(
    name: String, title: String, mediaType: String = "text/plain; charset=utf-8",
    fileExtension: String? = nil, needs: String? = nil, selectsSound: Bool = false,
    _ makeWriter: @escaping @Sendable (Provenance) -> any RowWriter<RecordingRow>
  ) {
    self.init(
      name: name, title: title, mediaType: mediaType, fileExtension: fileExtension, needs: needs,
      selectsSound: selectsSound,
      content: .details { provenance, _ in makeWriter(provenance) })
  }
}
