/// The tables of a Darwin Core archive, as its `meta.xml` describes them
/// (https://dwc.tdwg.org/text/).
struct ArchiveDescription: Equatable, Sendable {
  struct Column: Equatable, Sendable {
    /// The last part of the term's address: `decimalLatitude`.
    let name: String
    let term: String
    /// The position of the cell; `nil` if every row has the value `standard`.
    let index: Int?
    /// The value of a row whose cell is empty.
    let standard: String?
  }

  struct Table: Equatable, Sendable {
    /// The address of the kind of its rows.
    var rowType = ""
    var file = ""
    var form = DelimitedRows.Form()
    /// The position of the cell with the key of the core's row.
    var key: Int?
    var columns: [Column] = []

    /// The last part of `rowType`: `Occurrence`.
    var kind: String { ArchiveDescription.lastPart(rowType) }
  }

  private(set) var core = Table()
  private(set) var extensions: [Table] = []
  /// The name of the file with the description of the dataset.
  private(set) var metadata: String?

  /// The last part of a term's address.
  static func lastPart(_ term: String) -> String {
    String(term.split(whereSeparator: { "/#:".contains($0) }).last ?? "")
  }

  /// Reads a `meta.xml`.
  ///
  /// - Parameter name: of the archive, in messages.
  init(_ bytes: [UInt8], of name: String) throws(UserFacingError) {
    do throws(XMLScanner.Fault) {
      try read(bytes)
    } catch {
      throw .badArchive(name, "its meta.xml \(error.reason)")
    }
  }

  private mutating func read(_ bytes: [UInt8]) throws(XMLScanner.Fault) {
    var scanner = XMLScanner(bytes)
    var table = Table()
    var isCore = false
    var isInLocation = false
    var cores = 0
    while let event = try scanner.next() {
      switch event {
      case .start("archive", let attributes): metadata = attributes["metadata"]
      case .start("core", let attributes), .start("extension", let attributes):
        isCore = if case .start("core", _) = event { true } else { false }
        table = Table()
        table.rowType = attributes["rowType"] ?? ""
        table.form = try Self.form(attributes)
      case .start("location", _): isInLocation = true
      case .end("location"): isInLocation = false
      case .text(let text) where isInLocation:
        guard table.file.isEmpty else {
          throw XMLScanner.Fault(reason: "has a table in several files, which are not read")
        }
        table.file = text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
      case .start("id", let attributes), .start("coreid", let attributes):
        table.key = attributes["index"].flatMap { Int($0) }
      case .start("field", let attributes):
        guard let term = attributes["term"], !term.isEmpty else {
          throw XMLScanner.Fault(reason: "has a field without a term")
        }
        let index = attributes["index"].flatMap { Int($0) }
        guard index.map({ (0..<DelimitedRows.cellLimit).contains($0) }) ?? true,
          table.columns.count < DelimitedRows.cellLimit
        else { throw XMLScanner.Fault(reason: "has too many fields") }
        table.columns.append(
          Column(
            name: Self.lastPart(term), term: term, index: index, standard: attributes["default"]))
      case .end("core"), .end("extension"):
        table.form.cells = 1 + (table.columns.compactMap(\.index) + [table.key ?? 0]).reduce(0, max)
        guard !table.file.isEmpty else {
          throw XMLScanner.Fault(reason: "names no file for a table")
        }
        guard !table.file.contains("/"), !table.file.contains("\\") else {
          throw XMLScanner.Fault(reason: "names a file in a different folder")
        }
        // Reading one file for each of a hundred tables would make it a hundred times as long.
        guard core.file != table.file, !extensions.contains(where: { $0.file == table.file }) else {
          throw XMLScanner.Fault(reason: "has two tables in one file")
        }
        if isCore {
          core = table
          cores += 1
        } else if extensions.count < 100 {
          extensions.append(table)
        }
      default: break
      }
    }
    guard cores == 1 else { throw XMLScanner.Fault(reason: "does not describe one core") }
    guard let key = core.key, (0..<DelimitedRows.cellLimit).contains(key) else {
      throw XMLScanner.Fault(reason: "does not say which column is the key")
    }
  }

  private static func form(
    _ attributes: [String: String]
  ) throws(XMLScanner.Fault) -> DelimitedRows.Form {
    var form = DelimitedRows.Form()
    let separator = unescaped(attributes["fieldsTerminatedBy"] ?? ",")
    guard separator.utf8.count == 1, let byte = separator.utf8.first, byte != 0x0A else {
      throw XMLScanner.Fault(reason: "has a separator of fields that is not one character")
    }
    form.separator = byte
    let lines = unescaped(attributes["linesTerminatedBy"] ?? "\n")
    guard ["\n", "\r\n"].contains(lines) else {
      throw XMLScanner.Fault(reason: "has lines that do not end with a line feed")
    }
    let quote = unescaped(attributes["fieldsEnclosedBy"] ?? "\"")
    guard quote.utf8.count <= 1 else {
      throw XMLScanner.Fault(reason: "has a quote that is not one character")
    }
    form.quote = quote.utf8.first
    form.headerLines = max(
      0, min(Int(attributes["ignoreHeaderLines"] ?? "") ?? 0, 1000))
    let encoding = (attributes["encoding"] ?? "UTF-8").uppercased()
    switch encoding {
    case "UTF-8", "UTF8", "US-ASCII", "ASCII", "": form.encoding = .utf8
    case "ISO-8859-1", "ISO8859-1", "ISO_8859-1", "LATIN1", "LATIN-1", "WINDOWS-1252", "CP1252",
      "ISO-8859-15":
      form.encoding = .windows1252
    case "UTF-16", "UTF16", "UTF-16LE": form.encoding = .utf16
    case "UTF-16BE": form.encoding = .utf16BigEndian
    default: throw XMLScanner.Fault(reason: "names an encoding that is not read, \(encoding)")
    }
    return form
  }

  /// The text with the escapes that `meta.xml` has in place of control characters.
  private static func unescaped(_ text: String) -> String {
    text.replacing("\\t", with: "\t").replacing("\\r", with: "\r").replacing("\\n", with: "\n")
  }
}
