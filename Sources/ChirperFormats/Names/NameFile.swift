import Chirper
import ChirperModel
import Foundation

/// A file of names, as they are published: headings, then a row for each species with its scientific
/// name and its names in one or more languages, or a row for each name with its language; or the
/// labels of BirdNET, `Turdus merula_Amsel`.
package struct NameFile {
  private let name: String
  /// The language of names, where the file does not say it.
  private let language: String?
  let encoding: TextEncoding
  private var rows: DelimitedRows
  private var layout = Layout.labels(language: "")
  /// The position of the next name.
  private var position = 0
  /// The headings that name no known language, by the code that they got.
  private(set) var unknown: [String: String] = [:]
  /// Rows that have something, but no scientific name of a species, or no language where each row
  /// names its own.
  private(set) var leftOutRows = 0
  /// Cells that are too long for a name.
  private(set) var leftOutNames = 0

  /// The characters of a name.
  static let nameLimit = 200
  /// The rows by which the columns are told apart.
  private static let sample = 50

  private enum Layout {
    /// The columns of scientific names, and of the names in each language.
    case languages(scientific: Int, columns: [(index: Int, language: String)])
    /// The columns of scientific names, of languages, and of the names in them.
    case names(scientific: Int, language: Int, name: Int)
    /// A scientific name, `_` and a name in each row.
    case labels(language: String)
  }

  /// - Parameters:
  ///   - name: the name of the file, for messages.
  ///   - language: the language of names, where the file does not say it.
  ///   - pieces: opens the file, and returns a function that reads its next piece, empty at its end.
  /// - Throws: `UserFacingError` for a spreadsheet's own file, and the errors of `pieces`.
  package init(
    name: String, language: String? = nil, _ pieces: () throws -> () throws -> [UInt8]
  ) throws {
    var form = try DelimitedRows.Form(ofTable: pieces())
    // The heading may stand below empty rows, and no row needs all cells.
    form.headerLines = 0
    form.mayBeCut = false
    self.name = name
    self.language = language
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
    guard let first = sample.firstIndex(where: { !Self.isBlank($0) }) else {
      throw notNames("it is empty", "Name a CSV file with a column of scientific names.")
    }
    let labels = sample[first...].filter { !Self.isBlank($0) }.map(Self.label)
    let hasLabels = labels.allSatisfy { $0 != nil } && labels.contains { $0?.species != nil }
    if hasLabels {
      layout = .labels(language: try languageOfLabels())
    } else {
      try chooseColumns(sample[first].cells, sample[(first + 1)...].map(\.cells))
    }
    for row in sample[(hasLabels ? first : first + 1)...] { try addNames(of: row, add) }
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
    func mostBirds(_ columns: some Sequence<Int>) -> Int? {
      columns.filter { birds[$0] > 0 }.max { birds[$0] < birds[$1] }
    }
    // The names say it best; those of other animals are in no list.
    let best =
      mostBirds(said) ?? mostBirds(headings.indices)
      ?? said.first { cells[$0].contains { Self.species($0) != nil } }
    guard let best else {
      guard said.isEmpty || cells.contains(where: { !$0.isEmpty }) else {
        throw notNames("it has only headings", "Write a row for each species below them.")
      }
      throw notNames(
        "it has no column of scientific names",
        "Write the heading \"Scientific name\" over the column that has them.")
    }
    guard NameTable.species(named: TagOperand.trimmed(headings[best])) == nil else {
      throw notNames(
        "its first row has no headings", "Write a language over each column, as in: German")
    }
    let others = headings.indices.filter { index in
      // Names in a different list of species are not those of a language.
      index != best && birds[index] <= cells[index].count / 2
        && !(said.contains(index) && cells[index].allSatisfy { Self.species($0) != nil })
    }
    if let language = others.first(where: { Self.isOfLanguages(headings[$0], cells[$0]) }) {
      let name = try columnOfNames(headings, cells, among: others.filter { $0 != language })
      layout = .names(scientific: best, language: language, name: name)
      return try checkNoLanguage()
    }
    var columns: [(index: Int, language: String)] = []
    var isAnyKnown = false
    for index in others {
      var (code, isKnown) = NameLanguage.code(ofHeading: headings[index])
      // A common name is English, unless a different language was typed.
      if language != nil, Self.isOfNames(headings[index]) { isKnown = false }
      guard let code, cells[index].isEmpty || !cells[index].allSatisfy(Self.isCode) else {
        continue
      }
      if !isKnown { unknown[code] = TagOperand.trimmed(headings[index]) }
      isAnyKnown = isAnyKnown || isKnown
      columns.append((index, code))
    }
    guard !columns.isEmpty else {
      throw notNames(
        "it has no column of names besides the scientific ones",
        "Write a language over each column, as in: German")
    }
    if isAnyKnown {
      try checkNoLanguage()
    } else {
      guard let language, columns.count == 1 else {
        throw notNames(
          "no heading is a language",
          columns.count == 1
            ? "Type the language, as in: --language German"
            : "Write a language over each column of names, as in: German")
      }
      (columns[0].language, unknown) = (language, [:])
    }
    layout = .languages(scientific: best, columns: columns)
  }

  private func checkNoLanguage() throws {
    guard language == nil else {
      throw notNames("it says its languages itself", "Leave out --language.")
    }
  }

  /// Whether a column has the language of each row's name.
  private static func isOfLanguages(_ heading: String, _ cells: [String]) -> Bool {
    let folded = TextFolding.foldedLetters(heading)
    if folded.hasPrefix("lang") || folded == "locale" { return true }
    guard !cells.isEmpty, !NameLanguage.code(ofHeading: heading).isKnown else { return false }
    return cells.map(NameLanguage.code(ofHeading:)).allSatisfy { $0.isKnown && $0.code != nil }
  }

  /// Whether a heading says that its column has names, and not in which language.
  private static func isOfNames(_ heading: String) -> Bool {
    ["vernacular", "common"].contains { TextFolding.foldedLetters(heading).contains($0) }
  }

  /// The column of the names, where each row names its language.
  private func columnOfNames(_ headings: [String], _ cells: [[String]], among others: [Int]) throws
    -> Int
  {
    let columns = others.filter { !cells[$0].allSatisfy(Self.isCode) }
    let named =
      columns.first { Self.isOfNames(headings[$0]) }
      ?? columns.first { TextFolding.foldedLetters(headings[$0]).contains("name") }
    guard let column = named ?? (columns.count == 1 ? columns[0] : nil) else {
      throw notNames(
        "each row has a language, and it is not clear which column has the names",
        "Write the heading \"Vernacular name\" over the column that has them.")
    }
    return column
  }

  /// The language that was typed, or else the one with which the name of a file of labels ends.
  private func languageOfLabels() throws -> String {
    if let language { return language }
    let words = URL(filePath: name).deletingPathExtension().lastPathComponent.split(separator: "_")
    for count in [2, 1] {
      let ending = words.suffix(count).joined(separator: "_")
      if case (let code?, true) = NameLanguage.code(ofHeading: ending) { return code }
    }
    throw notNames(
      "it has labels of BirdNET, and does not say their language",
      "Type the language, as in: --language German")
  }

  /// Whether a cell is a number, or a code such as `b1234`.
  private static func isCode(_ cell: String) -> Bool {
    cell.contains(where: \.isNumber) && !cell.contains(where: \.isWhitespace)
  }

  // MARK: Rows

  private static func isBlank(_ row: DelimitedRows.Row) -> Bool {
    row.cells.allSatisfy { TagOperand.trimmed($0).isEmpty }
  }

  private mutating func addNames(
    of row: DelimitedRows.Row, _ add: (AddedName) throws -> Void
  ) throws {
    guard !Self.isBlank(row) else { return }
    let found: (species: Binomial?, names: [(language: String, text: String?)])
    switch layout {
    case .languages(let scientific, let columns):
      found = (
        row.text(scientific).flatMap(Self.species),
        columns.map { ($0.language, row.text($0.index)) }
      )
    case .names(let scientific, let language, let name):
      let language = row.text(language).flatMap { code(of: $0) }
      found = (
        language == nil ? nil : row.text(scientific).flatMap(Self.species),
        language.map { [($0, row.text(name))] } ?? []
      )
    case .labels(let language):
      let label = Self.label(row)
      found = (label?.species, [(language, label?.name)])
    }
    guard let species = found.species else {
      leftOutRows += 1
      return
    }
    for (language, text) in found.names {
      for part in (text ?? "").split(whereSeparator: { ";|".contains($0) }) {
        let text = TagOperand.trimmed(String(part))
        // Lists have the scientific name where a language has none.
        guard !text.isEmpty, Double(text) == nil, Binomial(text) != species else { continue }
        guard text.count <= Self.nameLimit else {
          leftOutNames += 1
          continue
        }
        try add(AddedName(species, language: language, text: text, position: position))
        position += 1
      }
    }
  }

  /// The code of the language that a cell names; `nil` for any other text.
  private mutating func code(of cell: String) -> String? {
    let (code, isKnown) = NameLanguage.code(ofHeading: cell)
    guard let code, !isKnown else { return code }
    let isCode = !TagOperand.trimmed(cell).contains(where: \.isWhitespace)
    guard isCode, (2...3).contains(code.prefix { $0 != "-" }.count) else { return nil }
    unknown[code] = TagOperand.trimmed(cell)
    return code
  }

  /// The species and the name of a label; `nil` for any other row. The species is `nil` for
  /// `Engine_Engine`.
  private static func label(_ row: DelimitedRows.Row) -> (species: Binomial?, name: String)? {
    guard row.count == 1, let text = row.text(0), let mark = text.firstIndex(of: "_") else {
      return nil
    }
    return (species(String(text[..<mark])), String(text[text.index(after: mark)...]))
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
      var missing = "a scientific name of a species"
      if case .names = layout { missing += " or a language" }
      notes.append("\(Plural.words(leftOutRows, "row")) left out, without \(missing)")
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
