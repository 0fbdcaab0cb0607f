import Chirper
import ChirperModel

/// Why rows cannot be written as asked.
package enum RowTableError: Error, Equatable {
  case unknownColumn(String, nearest: [String], known: [String])
  case noColumn(known: [String])
  case columnTwice(String)
  /// The list is of a catalogue that this program does not support, so nothing is known about its fields.
  case unknownCatalogue(CatalogueID)
  /// The format is for recordings, not for the list of stored queries.
  case needsQuery(format: String)
  /// The format is written by `export` alone.
  case onlyExported(format: String)
  /// A file is not an export of chirper's that can be compared with a list, and why.
  case notAnExport(String, String)
  /// zlib cannot compress a zip file, most likely for want of memory; with its error code.
  case notCompressed(code: Int32)
  /// A zip file would be larger than it may be.
  case zipTooLarge
}

extension UserFacingError {
  init(_ error: RowTableError) {
    switch error {
    case .unknownColumn(let name, let nearest, let known):
      let hint = nearest.isEmpty ? "Columns: \(known.joined(separator: ", "))." : "Did you mean \(Self.orList(nearest))?"
      self.init(.usage, "unknown-column", "Unknown column \"\(name)\"", hint: hint)
    case .noColumn(let known):
      self.init(.usage, "usage", "--columns needs a column", hint: "Columns: \(known.joined(separator: ", ")).")
    case .columnTwice(let name):
      self.init(.usage, "usage", "--columns has \"\(name)\" twice", hint: "Name each column once.")
    case .needsQuery(let format):
      self.init(
        .usage, "usage", "--format \(format) needs a query", hint: "Type it as in: chirper list parrot --format \(format)")
    case .onlyExported(let format):
      self.init(.usage, "usage", "Only export writes \(format)", hint: "Type it as in: chirper export parrot --format \(format)")
    case .notAnExport(let name, let reason):
      self.init(
        .usage, "not-an-export", name, "this file cannot be compared: \(reason)",
        hint: "Name a CSV, TSV, JSON, JSON lines or GeoJSON file that chirper exported.")
    case .notCompressed(let code):
      self.init(.failed, "not-compressed", "The zip file cannot be compressed (zlib error \(code))")
    case .zipTooLarge:
      self.init(
        .failed, "too-large", "The zip file would be larger than 4 GiB",
        hint: "Export some of the rows with --limit and --offset, or another format.")
    case .unknownCatalogue(let id):
      self.init(
        .configuration, "unknown-source", "Unknown catalogue \"\(id)\" (the store)",
        hint: "Known catalogues: \(Catalogues.all.map(\.id.rawValue).joined(separator: ", ")).")
    }
  }
}
