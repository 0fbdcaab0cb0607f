import ChirperModel

/// A file of names, as spreadsheets and societies have them: headings, then a row for each species
/// with its scientific name and its names in one or more languages.
package struct NameFile {
  private let name: String
  private let encoding: TextEncoding
  /// The column of scientific names.
  private var scientific = 0
  private var columns: [(index: Int, language: String)] = []
  /// The headings that name no known language, by the code that they got.
  package private(set) var unknown: [String: String] = [:]
  /// Rows that have something, but no scientific name of a species.
  package private(set) var leftOutRows = 0
  /// Cells that are too long for a name.
  package private(set) var leftOutNames = 0
  private var row = 0

  /// The bytes of a row. A row of 1,000 languages has a tenth of this.
  private static let rowLimit = 1 << 20
  /// The characters of a name.
  package static let nameLimit = 200
  /// The rows by which the columns are told apart.
  private static let sample = 50

  /// - Parameters:
  ///   - name: the name of the file, for messages.
  ///   - encoding: the encoding of its text.
  package init(name: String, encoding: TextEncoding) {
    (self.name, self.encoding) = (name, encoding)
  }

  /// Calls `add` with each name, in their order. Only a row and a piece of the file are kept.
  ///
  /// - Parameter next: returns the next piece of the file, empty at its end.
  /// - Throws: `UserFacingError`, and the errors of `next` and `add`.
  package mutating func forEachName(
    _ next: () throws -> [UInt8], _ add: (AddedName) throws -> Void
  ) throws {
    var decoder = TextEncoding.Decoder(encoding)
    var (piece, isAtEnd) = ([UInt8](), false)
    func more() throws {
      let bytes = try next()
      isAtEnd = bytes.isEmpty
      piece += decoder.utf8(bytes)
    }
    // The first line says what separates cells.
    while !isAtEnd, !piece.contains(0x0A) || piece.isEmpty {
      try more()
      if !piece.contains(0x0A) { try check(size: piece.count) }
    }
    if piece.starts(with: [0xEF, 0xBB, 0xBF]) { piece.removeFirst(3) }
    if piece.starts(with: [0x50, 0x4B, 0x03, 0x04]) {
      throw notNames("it is a spreadsheet's own file", "Save it as CSV in the spreadsheet.")
    }
    // Line ends of old Macintosh programs.
    let hasReturnsOnly = !piece.contains(0x0A)
    var reader = DelimitedReader(separator: Self.separator(of: piece))
    var (sample, isChosen) = ([[String]](), false)
    func take(_ cells: [String]) throws {
      guard !isChosen else { return try addNames(of: cells, add) }
      sample.append(cells)
      guard sample.count > Self.sample else { return }
      try addSample()
    }
    func addSample() throws {
      let first = sample.firstIndex { $0.contains { !TagOperand.trimmed($0).isEmpty } }
      guard let first else {
        throw notNames("it is empty", "Name a CSV file with a column of scientific names.")
      }
      try chooseColumns(sample[first], sample[(first + 1)...])
      isChosen = true
      row = first + 1
      for cells in sample[(first + 1)...] { try addNames(of: cells, add) }
      sample = []
    }
    while !piece.isEmpty || !isAtEnd {
      for byte in piece {
        let byte = hasReturnsOnly && byte == 0x0D ? 0x0A : byte
        if let cells = reader.add(byte) { try take(cells) }
      }
      try check(size: reader.size)
      piece = []
      if !isAtEnd { try more() }
    }
    if reader.endsInQuotes { throw unclosedQuote() }
    if let cells = reader.end() { try take(cells) }
    if !isChosen { try addSample() }
  }

  /// The separator that the first line of a table has most of.
  static func separator(of text: [UInt8]) -> UInt8 {
    var (isQuoted, counts) = (false, [UInt8: Int]())
    for byte in text {
      if byte == 0x22 { isQuoted.toggle() }
      if !isQuoted, byte == 0x0A { break }
      if !isQuoted { counts[byte, default: 0] += 1 }
    }
    let separators = [",", ";", "\t"].map { UInt8(ascii: $0) }
    return separators.max { counts[$0, default: 0] < counts[$1, default: 0] } ?? separators[0]
  }

  // MARK: Columns

  private mutating func chooseColumns(_ headings: [String], _ rows: ArraySlice<[String]>) throws {
    func cells(_ index: Int) -> [String] {
      rows.compactMap { $0.indices.contains(index) ? TagOperand.trimmed($0[index]) : nil }
        .filter { !$0.isEmpty }
    }
    let birds = headings.indices.map { cells($0).count { NameTable.species(named: $0) != nil } }
    let said = headings.indices.filter { NameLanguage.isOfScientificNames(headings[$0]) }
    // The names say it best; those of other animals are in no list.
    let best =
      said.max { birds[$0] < birds[$1] }.flatMap { birds[$0] > 0 ? $0 : nil }
      ?? headings.indices.max { birds[$0] < birds[$1] }.flatMap { birds[$0] > 0 ? $0 : nil }
      ?? said.first { cells($0).contains { Self.species($0) != nil } }
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
      let texts = cells(index)
      // Names in a different list of species.
      if said.contains(index), texts.allSatisfy({ Self.species($0) != nil }) { continue }
      // Numbers, and codes such as `b1234`.
      let isOfCodes =
        !texts.isEmpty
        && texts.allSatisfy {
          $0.contains(where: \.isNumber) && !$0.contains(where: \.isWhitespace)
        }
      let (code, isKnown) = NameLanguage.code(ofHeading: headings[index])
      guard let code, !isOfCodes else { continue }
      if !isKnown { unknown[code] = TagOperand.trimmed(headings[index]) }
      columns.append((index, code))
    }
    if columns.isEmpty {
      throw notNames(
        "it has no column of names besides the scientific ones",
        "Write a language over each column, as in: German")
    }
  }

  // MARK: Rows

  private mutating func addNames(of cells: [String], _ add: (AddedName) throws -> Void) throws {
    row += 1
    guard cells.contains(where: { !$0.isEmpty }) else { return }
    guard cells.indices.contains(scientific), let species = Self.species(cells[scientific]) else {
      leftOutRows += 1
      return
    }
    for (index, language) in columns where cells.indices.contains(index) {
      for part in cells[index].split(whereSeparator: { ";|".contains($0) }) {
        let text = TagOperand.trimmed(String(part))
        guard !text.isEmpty, Double(text) == nil else { continue }
        guard text.count <= Self.nameLimit else {
          leftOutNames += 1
          continue
        }
        try add(AddedName(species, language: language, text: text, position: row))
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

  // MARK: Errors

  private func check(size: Int) throws {
    guard size <= Self.rowLimit else { throw unclosedQuote() }
  }

  private func unclosedQuote() -> UserFacingError {
    notNames(
      "a quote after row \(row) is not closed, or a row has more than \(Self.rowLimit) bytes",
      "Save the file as CSV again, in a spreadsheet.")
  }

  /// The error for a file without names.
  package func notNames(_ reason: String, _ hint: String) -> UserFacingError {
    UserFacingError(
      .usage, kind: "not-names", subject: name,
      problem: "no names can be read from this file: \(reason)", hint: hint)
  }
}
