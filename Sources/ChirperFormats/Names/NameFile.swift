import Chirper
import ChirperModel

/// A file of names, as spreadsheets and societies have them: headings, then a row for each species
/// with its scientific name and its names in one or more languages.
package struct NameFile {
  private let name: String
  /// The encoding of its text.
  let encoding: TextEncoding
  private var rows: DelimitedRows
  /// The column of scientific names.
  private var scientific = 0
  private var columns: [(index: Int, language: String)] = []
  /// The headings that name no known language, by the code that they got.
  private(set) var unknown: [String: String] = [:]
  /// Rows that have something, but no scientific name of a species.
  private(set) var leftOutRows = 0
  /// Cells that are too long for a name.
  private(set) var leftOutNames = 0

  /// The characters of a name.
  static let nameLimit = 200
  /// The rows by which the columns are told apart.
  private static let sample = 50

  /// - Parameters:
  ///   - name: the name of the file, for messages.
  ///   - pieces: opens the file, and returns a function that reads its next piece, empty at its end.
  /// - Throws: `UserFacingError` for a spreadsheet's own file, and the errors of `pieces`.
  package init(name: String, _ pieces: () throws -> () throws -> [UInt8]) throws {
    var form = try DelimitedRows.Form(ofTable: pieces())
    // The heading may stand below empty rows, and no row needs all cells.
    form.headerLines = 0
    form.mayBeCut = false
    self.name = name
    encoding = form.encoding
    rows = DelimitedRows(form, try pieces())
    if ZipReader.isZip(try pieces()()) {
      throw notNames("it is a spreadsheet's own file", "Save it as CSV in the spreadsheet.")
    }
  }

  /// Calls `add` with each name, in their order. Only a row and a piece of the file are kept.
  ///
  /// - Throws: `UserFacingError`, and the errors of `add`.
  package mutating func forEachName(_ add: (AddedName) throws -> Void) throws {
    var sample: [DelimitedRows.Row] = []
    while sample.count <= Self.sample, let row = try next() { sample.append(row) }
    let first = sample.firstIndex { $0.cells.contains { !TagOperand.trimmed($0).isEmpty } }
    guard let first else {
      throw notNames("it is empty", "Name a CSV file with a column of scientific names.")
    }
    try chooseColumns(sample[first].cells, sample[(first + 1)...].map(\.cells))
    for row in sample[(first + 1)...] { try addNames(of: row, add) }
    while let row = try next() { try addNames(of: row, add) }
  }

  private mutating func next() throws -> DelimitedRows.Row? {
    switch try rows.row() {
    case .row(let row)?: return row
    case .unreadable(let line, let reason)?:
      throw notNames("line \(line): \(reason)", "Save the file as CSV again, in a spreadsheet.")
    case nil: return nil
    }
  }

  // MARK: Columns

  private mutating func chooseColumns(_ headings: [String], _ rows: [[String]]) throws {
    let cells = headings.indices.map { index in
      rows.compactMap { $0.indices.contains(index) ? TagOperand.trimmed($0[index]) : nil }
        .filter { !$0.isEmpty }
    }
    let birds = cells.map { $0.count { NameTable.species(named: $0) != nil } }
    let said = headings.indices.filter { NameLanguage.isOfScientificNames(headings[$0]) }
    // The names say it best; those of other animals are in no list.
    let best =
      said.max { birds[$0] < birds[$1] }.flatMap { birds[$0] > 0 ? $0 : nil }
      ?? headings.indices.max { birds[$0] < birds[$1] }.flatMap { birds[$0] > 0 ? $0 : nil }
      ?? said.first { cells[$0].contains { Self.species($0) != nil } }
    guard let best else {
      throw notNames(
        "it has no column of scientific names",
        "Write the heading \"Scientific name\" over the column that has them.")
    }
    guard NameTable.species(named: TagOperand.trimmed(headings[best])) == nil else {
      throw notNames(
        "its first row has no headings", "Write a language over each column, as in: German")
    }
    scientific = best
    for index in headings.indices where index != best && birds[index] == 0 {
      let texts = cells[index]
      // Names in a different list of species.
      if said.contains(index), texts.allSatisfy({ Self.species($0) != nil }) { continue }
      let (code, isKnown) = NameLanguage.code(ofHeading: headings[index])
      guard let code, texts.isEmpty || !texts.allSatisfy(Self.isCode) else { continue }
      if !isKnown { unknown[code] = TagOperand.trimmed(headings[index]) }
      columns.append((index, code))
    }
    if columns.isEmpty {
      throw notNames(
        "it has no column of names besides the scientific ones",
        "Write a language over each column, as in: German")
    }
  }

  /// Whether a cell is a number, or a code such as `b1234`.
  private static func isCode(_ cell: String) -> Bool {
    cell.contains(where: \.isNumber) && !cell.contains(where: \.isWhitespace)
  }

  // MARK: Rows

  private mutating func addNames(
    of row: DelimitedRows.Row, _ add: (AddedName) throws -> Void
  ) throws {
    guard (0..<row.count).contains(where: { !row.isEmpty($0) }) else { return }
    guard let species = row.text(scientific).flatMap(Self.species) else {
      leftOutRows += 1
      return
    }
    for (index, language) in columns {
      for part in (row.text(index) ?? "").split(whereSeparator: { ";|".contains($0) }) {
        let text = TagOperand.trimmed(String(part))
        guard !text.isEmpty, Double(text) == nil else { continue }
        guard text.count <= Self.nameLimit else {
          leftOutNames += 1
          continue
        }
        try add(AddedName(species, language: language, text: text, position: row.line))
      }
    }
  }

  /// The species that a scientific name is of; `nil` for a subspecies, whose names are not those of
  /// the species.
  private static func species(_ name: String) -> Binomial? {
    let words = TagOperand.trimmed(name).split(whereSeparator: \.isWhitespace)
    let isSubspecies = words.count > 2 && words[2].allSatisfy { $0.isLowercase || $0 == "-" }
    guard words.count > 1, words[1].first?.isLowercase == true, !isSubspecies else { return nil }
    return Binomial(name)
  }

  // MARK: Results

  /// A report on the list that was made of the file.
  ///
  /// - Parameter path: the file as it was typed.
  package func report(_ list: NameList, of path: String) -> Report {
    let unknown = unknown.filter { code, _ in list.languages.contains { $0.code == code } }
      .sorted { $0.key < $1.key }
    var notes = unknown.map { code, heading in
      "\(heading.inQuotes) is not a known language; its code is \(code)."
    }
    if encoding == .windows1252 {
      notes.insert("\(path) is not UTF-8, and was read as \(encoding.name).", at: 0)
    }
    if leftOutRows > 0 {
      notes.append(
        "\(Plural.words(leftOutRows, "row")) left out, without a scientific name of a species")
    }
    if leftOutNames > 0 {
      notes.append(
        "\(Plural.words(leftOutNames, "name")) left out, of more than \(Self.nameLimit) characters")
    }
    let codes = list.languages.map(\.code).joined(separator: ", ")
    notes.append("added \(list.numbers) as \(list.name.inQuotes): \(codes)")
    return Report(
      [
        "added": list.json, "encoding": encoding.name, "leftOutRows": leftOutRows,
        "leftOutNames": leftOutNames,
        "unknownHeadings": unknown.map { ["heading": $1, "code": $0] as JSONObject },
      ], notes: notes)
  }

  /// The error for a file without names.
  package func notNames(_ reason: String, _ hint: String) -> UserFacingError {
    UserFacingError(
      .usage, kind: "not-names", subject: name,
      problem: "no names can be read from this file: \(reason)", hint: hint)
  }
}

extension TextEncoding {
  fileprivate var name: String {
    switch self {
    case .utf8: "UTF-8"
    case .utf16, .utf16BigEndian: "UTF-16"
    case .windows1252: "Windows-1252"
    }
  }
}
