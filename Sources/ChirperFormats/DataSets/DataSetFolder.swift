import Chirper
import ChirperModel
import Foundation

/// The paths of the files of a data set.
struct DataSetNames: Sendable {
  private let layout: DataSetDefinition.Layout
  private let hasParts: Bool
  /// Whether names have only ASCII letters, digits, `-`, `.` and `_`.
  let arePlain: Bool

  init(_ header: LockHeader, arePlain: Bool = false) {
    layout = header.definition.layout
    hasParts = header.definition.split != nil
    self.arePlain = arePlain
  }

  /// The path of a recording's audio in the folder: `train/Turdus merula/XC46088.mp3`.
  func path(of recording: LockedRecording) -> String {
    "\(folder(of: recording))/\(stem(of: recording)).\(recording.audio?.kind ?? "mp3")"
  }

  /// The path of the table of its annotations. In folders of species it has the name by which
  /// BirdNET-Analyzer pairs it with the sound.
  func annotations(of recording: LockedRecording) -> String {
    let ending = layout == .folders ? "BirdNET.selections.txt" : "selections.txt"
    return "\(folder(of: recording))/\(stem(of: recording)).\(ending)"
  }

  private func folder(of recording: LockedRecording) -> String {
    let part = recording.split?.rawValue
    switch layout {
    case .audiofolder: return part ?? (hasParts ? "without-part" : DataSetPart.train.rawValue)
    case .package: return "audio"
    case .folders:
      let species = label(of: recording)
      guard hasParts else { return species }
      return "\(part ?? "without-part")/\(species)"
    }
  }

  /// The class of what has a name that is not of one species, such as a genus.
  static let aboveSpecies = "above species"

  /// The recordings that are not of one species, in a sentence; `nil` for none.
  static func aboveSpeciesLine(_ count: Int) -> String? {
    guard count > 0 else { return nil }
    let recordings = "\(Plural.words(count, "recording")) \(Plural.are(count))"
    return "\(recordings) \(aboveSpecies): a genus, a group, a hybrid or without a name"
  }

  /// The class of a recording: its species.
  func label(of recording: LockedRecording) -> String {
    let name =
      recording.species.flatMap { AudioFolder.plain($0, 120) }
      ?? (recording.text(.scientificName) == nil ? "unknown" : Self.aboveSpecies)
    return arePlain ? Self.ascii(name) : name
  }

  private func stem(of recording: LockedRecording) -> String {
    let id = recording.id
    let number = recording.text(.catalogNumber)
    // Several sounds can have one number; of these the id says which one it is.
    if let number, number.hasSuffix(id.value), Self.isPlain(number) { return number }
    if Self.isPlain(id.value), id.value == id.value.lowercased() {
      return "\(id.catalogue.rawValue)-\(id.value)"
    }
    return "\(id.catalogue.rawValue)-\(String(StableHash.fnv1a(id.value), radix: 16))"
  }

  private static func isPlain(_ text: String) -> Bool {
    (1...100).contains(text.utf8.count) && !text.hasPrefix(".")
      && text.utf8.allSatisfy { byte in
        byte == 0x2D || byte == 0x2E || byte == 0x5F || byte.isDigit
          || (0x61...0x7A).contains(byte | 0x20)
      }
  }

  private static func ascii(_ name: String) -> String {
    let folded = name.folding(options: .diacriticInsensitive, locale: nil)
    let text = String(
      folded.unicodeScalars.map { scalar -> Character in
        scalar.isASCII && scalar.properties.isAlphabetic || ("0"..."9").contains(scalar)
          ? Character(scalar) : "_"
      })
    return text.isEmpty ? "unknown" : text
  }
}

/// The texts of the folder of a data set. All of them follow from the lock, so that two builds are
/// the same.
struct DataSetFolder {
  private let header: LockHeader
  private let names: DataSetNames
  private let lockName: String
  private let lines: () throws -> LockReader
  /// Whether the file of each line is in the folder, in the order of the lock.
  private let isThere: [Bool]
  private let notCompared: Int
  private var facts = Facts()

  /// Facts about the recordings that are in the folder.
  private struct Facts {
    var recordings = 0
    var seconds = 0.0
    /// The parts in which each species is.
    var species: [String: Set<DataSetPart>] = [:]
    var aboveSpecies = 0
    var recordists = Interned()
    var licences: [String: Licence] = [:]
    var parts: [DataSetPart: Int] = [:]
    /// The ids of catalogues.
    var catalogues: Set<String> = []
    var linesDigest = ""

    /// Whether a layout with a table for each part has one for this.
    func hasTable(_ part: DataSetPart) -> Bool {
      parts[part] != nil || (parts.isEmpty && part == .train && recordings > 0)
    }
  }

  private struct Licence {
    let licence: RecordingDetails.Licence
    var count = 0
  }

  /// Reads the lock for its facts.
  ///
  /// - Parameters:
  ///   - lock: the lock's name, without folders.
  ///   - notCompared: recordings in it of which no record is stored.
  ///   - lines: opens the lock.
  init(
    _ header: LockHeader, names: DataSetNames, lock: String, isThere: [Bool], notCompared: Int,
    lines: @escaping () throws -> LockReader
  ) throws {
    self.header = header
    self.names = names
    lockName = lock
    self.isThere = isThere
    self.notCompared = notCompared
    self.lines = lines
    var facts = Facts()
    let digest = try forEach { recording in
      facts.recordings += 1
      facts.seconds += recording.number(.mediaDuration) ?? 0
      if let species = recording.species {
        facts.species[species, default: []].formUnion([recording.split].compactMap(\.self))
      } else {
        facts.aboveSpecies += 1
      }
      for person in Recordists.people(in: recording.text(.recordedBy) ?? "") {
        _ = facts.recordists.number(person)
      }
      if let licence = recording.licence {
        facts.licences[licence.name, default: Licence(licence: licence)].count += 1
      }
      if let part = recording.split { facts.parts[part, default: 0] += 1 }
      facts.catalogues.insert(recording.id.catalogue.rawValue)
    }
    facts.linesDigest = digest
    self.facts = facts
  }

  /// The names of the texts, apart from tables next to the audio.
  static let names = [
    "README.txt", "METHODS.md", "CITATION.cff", "credits.txt", "licences.csv", "recordings.csv",
    "croissant.json", "datapackage.json", "citations.txt",
  ]

  /// Calls `body` with each recording that is in the folder; returns SHA-256 of all lines.
  @discardableResult
  private func forEach(_ body: (LockedRecording) throws -> Void) throws -> String {
    let reader = try lines()
    while let recording = try reader.next() {
      if isThere[reader.count - 1] { try body(recording) }
    }
    return reader.sha256
  }

  // MARK: Texts

  /// Writes every text. `write` is called with the path and a function that writes the content; it
  /// returns SHA-256 and bytes of what was written.
  ///
  /// - Parameters:
  ///   - report: counts the annotations that are left out.
  ///   - header: the header of the file of a recording; `nil` if it cannot be read.
  func writeTexts(
    _ report: inout DataSet.BuildReport, header audioHeader: (LockedRecording) -> AudioHeader?,
    _ write: (_ path: String, _ body: (any ByteOutput) throws -> Void) throws ->
      LockedRecording.Audio
  ) throws {
    try forEach { recording in
      guard let annotations = recording.json(.annotations),
        let selections = selectionTable(
          of: [RecordingDetails.Annotation](json: annotations), recording, audioHeader(recording),
          &report)
      else { return }
      _ = try write(names.annotations(of: recording)) { $0.buffer += selections.utf8 }
    }
    if header.definition.layout == .audiofolder {
      let columns = try columnsOfOneType()
      for part in DataSetPart.allCases where facts.hasTable(part) {
        _ = try write("\(part.rawValue)/metadata.csv") { output in
          try writeTable(of: part, columns, to: output)
        }
      }
    }
    let table = try write("recordings.csv") {
      try writeTable(of: nil, Array(Self.headings.indices), to: $0)
    }
    _ = try write("licences.csv", writeLicences)
    _ = try write("credits.txt", writeCredits)
    _ = try write("CITATION.cff") { try $0.line(citation) }
    if !citedFiles.isEmpty {
      _ = try write("citations.txt") { try $0.line(citations) }
    }
    _ = try write("METHODS.md") { try $0.line("# \(title)\n\n\(methods)" as PlainText) }
    _ = try write("README.txt") { try $0.line(readme) }
    if header.definition.layout == .package {
      _ = try write("datapackage.json") { try $0.line("\(package(table))" as PlainText) }
    }
    _ = try write("croissant.json") { try writeCroissant(table, to: $0) }
  }

  /// The recordings that no record confirms, in a sentence; `nil` for none.
  static func notCompared(_ count: Int, of all: Int) -> String? {
    guard count > 0 else { return nil }
    return
      "\(count) of \(Plural.words(all, "line")) \(Plural.are(count)) as the lock says; no record was compared"
  }

  private var catalogueNames: [String] {
    facts.catalogues.map { Catalogues.named(CatalogueID(rawValue: $0))?.name ?? $0 }.sorted()
  }

  private var title: String {
    header.definition.title.flatMap(PlainLine.text)
      ?? lockName.replacing(".lock.jsonl", with: "")
  }

  /// The columns of the lines that tables have.
  private static let columns = LockedRecording.columns.filter { $0 != .annotations }
  private static let ownColumns = [
    ("file_name", "The path of the audio file."), ("label", "The species, as a class."),
    ("split", "The part that the recording is in; empty without parts."),
    ("catalogue", "The catalogue that the recording is in."),
    ("id", "The catalogue's own id of the recording."),
    ("credit", "Recordist, number and licence in one line."),
    ("sha256", "SHA-256 of the audio file."), ("bytes", "Bytes of the audio file."),
  ]
  private static let headings = ownColumns.map(\.0) + columns.map(\.name)

  /// - Parameters:
  ///   - part: the part that the table is for; `nil` for all recordings.
  ///   - columns: the columns by their positions among all.
  private func writeTable(
    of part: DataSetPart?, _ columns: [Int], to output: any ByteOutput
  ) throws {
    let cells = CellEncoder(form: .csv)
    func add(_ texts: [String]) throws {
      cells.append(plain: columns.map { texts[$0] }, to: &output.buffer)
      try output.writeIfFull()
    }
    try add(Self.headings)
    try forEach { recording in
      guard part == nil || part == tablePart(of: recording) else { return }
      try add(texts(of: recording, isInPart: part != nil))
    }
    try output.flush()
  }

  /// The cells of a recording. In a table of one part, paths begin there and numbers have decimals,
  /// so that all of them are of one type.
  private func texts(of recording: LockedRecording, isInPart: Bool) -> [String] {
    let path = names.path(of: recording)
    let name = isInPart ? path.drop { $0 != "/" }.dropFirst() : path[...]
    return [
      String(name), names.label(of: recording), recording.split?.rawValue ?? "",
      recording.id.catalogue.rawValue, recording.id.value, recording.credit,
      recording.audio?.sha256 ?? "", "\(recording.audio?.bytes ?? 0)",
    ]
      + Self.columns.map { column in
        guard let value = recording.value(column) else { return "" }
        if isInPart, !value.json.hasPrefix("\""), let number = value.double {
          return number == number.rounded() ? "\(DecimalText.text(number)).0" : value.text
        }
        return value.json.hasPrefix("[") ? value.list.joined(separator: " | ") : value.text
      }
  }

  /// The part whose table has the recording; `nil` if none has.
  private func tablePart(of recording: LockedRecording) -> DataSetPart? {
    header.definition.split == nil ? .train : recording.split
  }

  /// The columns that readers take for the same type in each part, and the path.
  private func columnsOfOneType() throws -> [Int] {
    var types: [DataSetPart: [GuessedType]] = [:]
    try forEach { recording in
      guard let part = tablePart(of: recording) else { return }
      let texts = texts(of: recording, isInPart: true)
      for (index, text) in texts.enumerated() {
        types[part, default: texts.map { _ in GuessedType() }][index].add(
          PlainLine.text(text) ?? "")
      }
    }
    return Self.headings.indices.filter { index in
      let names = Set(types.values.map { $0[index].name })
      return index == 0 || names.count <= 1 && !names.contains(nil)
    }
  }

  private var licences: [Licence] {
    facts.licences.values.sorted { ($1.count, $0.licence.name) < ($0.count, $1.licence.name) }
  }

  private func writeLicences(to output: any ByteOutput) throws {
    let cells = CellEncoder(form: .csv)
    let rows =
      [["licence", "address", "recordings", "allowsCommercialUse", "allowsDerivatives"]]
      + licences.map { entry in
        [
          entry.licence.name, entry.licence.address ?? "", "\(entry.count)",
          "\(entry.licence.allowsCommercialUse)", "\(entry.licence.allowsDerivatives)",
        ]
      }
    for row in rows { cells.append(plain: row, to: &output.buffer) }
    try output.flush()
  }

  private func writeCredits(to output: any ByteOutput) throws {
    try output.line("Sound recordings: \(title)\n" as PlainText)
    try forEach { recording in
      let name = recording.text(.scientificName).flatMap(PlainLine.text) ?? recording.label
      try output.line("\(name): \(recording.credit)" as PlainText)
      if let page = recording.text(.references) { try output.line("    \(page)" as PlainText) }
    }
    try output.flush()
  }

  private var readme: PlainText {
    var lines: [PlainText] = []
    let notCommercial = licences.filter { !$0.licence.allowsCommercialUse }.map(\.count)
      .reduce(0, +)
    if notCommercial > 0 {
      lines.append(
        "NOT FOR COMMERCIAL USE: the licences of \(notCommercial) of \(Plural.words(facts.recordings, "recording")) do not allow it.\n"
      )
    }
    let unchanged = licences.filter { !$0.licence.allowsDerivatives }.map(\.count).reduce(0, +)
    if unchanged > 0 {
      lines.append(
        "The licences of \(Plural.words(unchanged, "recording")) do not allow to publish changed versions, such as cuts.\n"
      )
    }
    lines += ["\(title)\n", "\(methods)\n"]
    if let text = Self.notCompared(notCompared, of: facts.recordings) { lines.append("\(text).\n") }
    lines.append(
      "recordings.csv has a line for each file, licences.csv the licences, credits.txt whom to name, CITATION.cff how to cite."
    )
    if !citedFiles.isEmpty {
      lines.append("Cite the imported files, too, and their datasets: citations.txt has both.")
    }
    return lines.joined(separator: "\n")
  }

  /// The lists of catalogues that have a recording in the folder.
  private var citedLists: [RecordingFields] {
    header.lists.filter { facts.catalogues.contains($0["source"]?.text ?? "") }
  }

  /// The citations of the imported lists among these.
  private var citedFiles: [RecordingFields] {
    let imported = citedLists.filter { $0["imported"]?.object != nil }.map { $0["query"]?.text }
    return header.citations.filter { imported.contains($0["query"]?.text) }
  }

  /// The citations of the imported files, and what these say about their datasets.
  private var citations: PlainText {
    citedFiles.flatMap { file in
      ["cite", "citations", "rights"].compactMap { file[$0].map { PlainText(linesOf: $0.text) } }
    }.joined(separator: "\n\n")
  }

  /// The paragraph for the section *Methods* of a paper: what is in the folder, and what each member
  /// of the definition left out or decided.
  private var methods: PlainText {
    let hours = DecimalText.text((facts.seconds / 360).rounded() / 10)
    var sentences: [PlainText] = [
      "The data set has \(Plural.words(facts.recordings, "recording")) of \(facts.species.count) species by \(Plural.words(facts.recordists.count, "recordist")) (\(hours) hours) from \(WordList.and(catalogueNames))."
    ]
    if let text = DataSetNames.aboveSpeciesLine(facts.aboveSpecies) {
      sentences.append("\(text).")
    }
    let lists = citedLists.prefix(20).map { list -> String in
      let query = list["query"]?.text ?? ""
      let source = list["source"]?.text ?? ""
      let newest = list["fetchedAt"]?.object?["newest"]?.text.prefix(10) ?? ""
      let doi = Self.doi(of: list).map { ", https://doi.org/\($0)" } ?? ""
      return
        "\"\(query)\" in \(source) (\(list["rows"]?.text ?? "0") recordings, \(list["completeness"]?.text ?? ""), read until \(newest)\(doi))"
    }
    if !lists.isEmpty {
      let more = citedLists.count - lists.count
      let others = more > 0 ? [Plural.words(more, "more list")] : []
      sentences.append("They were chosen from \(WordList.and(lists + others)).")
    }
    let selections = header.definition.selections.map(\.words)
    sentences.append(
      "Chosen were: \(FirstNames(selections.map(\.text)).names.joined(separator: "; ")).")
    if selections.count > 20 {
      sentences.append("\(selections.count - 20) more selections are in the lock.")
    }
    if header.definition.names {
      sentences.append("A name of a bird found it under its other names, too.")
    }
    return
      (sentences + samplingSentences + splitSentences + [
        "Species are named after \(header.names). The recordings were locked with chirper \(header.program); SHA-256 of the lines of the lock is \(facts.linesDigest)."
      ]).joined(separator: " ")
  }

  /// How many of the recordings that were found are in the folder, and by what.
  private var samplingSentences: [PlainText] {
    var sentences: [PlainText] = []
    let limits = header.definition.limits
    if let found = header.found, found > header.recordings {
      let beyond = header.beyondLimits
      if !limits.isNothing {
        sentences.append(
          "Of \(Plural.words(found, "recording")) found, \(beyond) \(Plural.were(beyond)) left out by the limits."
        )
      }
      let silent = found - beyond - header.recordings
      if silent > 0 {
        sentences.append("\(silent) of \(found - beyond) had no audio.")
      }
    }
    if !limits.isNothing { sentences.append("\(limits.words).") }
    let left = header.recordings - facts.recordings
    if left > 0 {
      sentences.append(
        "\(left) of \(Plural.words(header.recordings, "recording")) of the lock \(Plural.are(left)) not in the folder."
      )
    }
    return sentences
  }

  /// The parts as they were wanted and as they became.
  private var splitSentences: [PlainText] {
    guard let split = header.definition.split else { return [] }
    let parts = DataSetPart.allCases.map { ($0, facts.parts[$0] ?? 0) }
    let sizes = parts.filter { $0.1 > 0 }.map { part, count in
      "\(count) for \(part == .train ? "training" : part.rawValue)"
    }
    guard !sizes.isEmpty else { return [] }
    var sentences: [PlainText] = ["\(WordList.and(sizes)) were divided \(division)."]
    let all = Double(parts.map(\.1).reduce(0, +))
    if split.file == nil {
      let wanted = split.shares.map(DecimalText.text).joined(separator: "/")
      let got = parts.map { DecimalText.text((Double($0.1) / all * 1000).rounded() / 10) }
      sentences.append(
        "Shares wanted were \(wanted) with seed \(split.seed), and are \(got.joined(separator: "/")) %."
      )
      if let holdOut = split.holdOut {
        sentences.append("\(holdOut.text) was held out for the test part.")
      }
    }
    let untested = facts.species.filter { !$0.value.contains(.test) }.keys.sorted()
    if !untested.isEmpty {
      sentences.append(
        "\(untested.count) of \(facts.species.count) species have no test sounds: \(FirstNames(untested).phrase)."
      )
    }
    let without = facts.recordings - parts.map(\.1).reduce(0, +)
    if without > 0 { sentences.append("\(Plural.words(without, "recording")) in no part.") }
    return sentences
  }

  /// The DOI of a list that was imported.
  private static func doi(of list: RecordingFields) -> String? {
    list["imported"]?.object?["doi"]?.text
  }

  /// The division in words: what is claimed is what the division keeps together.
  private var division: String {
    guard let split = header.definition.split, split.file == nil else { return "as given" }
    return switch split.grouping {
    case .recordist: "so that no recordist, session or copy is in two parts"
    case .place(let kilometres):
      "so that no cell of a grid of \(DecimalText.text(kilometres)) km, session or copy is in two parts"
    }
  }

  private var citation: PlainText {
    let authors =
      header.definition.authors.isEmpty
      ? ["The recordists of \(WordList.and(catalogueNames))"] : header.definition.authors
    // JSON strings are strings of YAML.
    return """
      cff-version: 1.2.0
      message: "Please cite this data set, and credit the recordists as in credits.txt."
      type: dataset
      title: \(title.json)
      authors:
      \(authors.map { "  - name: \($0.json)" as PlainText }.joined(separator: "\n"))
      \(released.map { "date-released: \($0)\n" as PlainText } ?? "")identifiers:
        - type: other
          value: "sha256:\(facts.linesDigest)"
          description: "SHA-256 of the lines of the lock"\(references.isEmpty ? "" : "\nreferences:\n\(references.joined(separator: "\n"))" as PlainText)
      """
  }

  /// The day of the newest page of the lists; `nil` if the lock does not say one.
  private var released: PartialDate? {
    PartialDate(String(header.fetchedAt.prefix(10))).flatMap { $0.day == nil ? nil : $0 }
  }

  /// The imported files that have a DOI.
  private var references: [PlainText] {
    citedLists.compactMap { list in
      Self.doi(of: list).map { doi -> PlainText in
        let catalogue = CatalogueID(rawValue: list["source"]?.text ?? "")
        let author = Catalogues.named(catalogue)?.name ?? catalogue.rawValue
        let title = list["imported"]?.object?["title"]?.text ?? doi
        return """
            - type: data
              title: \(title.json)
              doi: \(doi.json)
              authors:
                - name: \(author.json)
          """
      }
    }
  }

  // MARK: Descriptions for programs

  private func package(_ table: LockedRecording.Audio) -> String {
    let own = Self.ownColumns.map { name, meaning -> JSONObject in
      ["name": name, "type": name == "bytes" ? "integer" : "string", "description": meaning]
    }
    let details = Self.columns.map { TableSchema.field(TidyColumn(.detail($0))) }
    let schema: JSONObject = ["fields": own + details, "missingValues": [""]]
    let resource: JSONObject = [
      "profile": "tabular-data-resource", "name": "recordings", "path": "recordings.csv",
      "format": "csv", "mediatype": "text/csv", "encoding": "utf-8", "bytes": table.bytes,
      "hash": "sha256:\(table.sha256)", "schema": schema,
    ]
    let package: JSONObject = [
      "profile": "data-package", "name": "recordings", "title": title,
      "description": methods.text,
      "licenses": licences.map {
        ["name": $0.licence.spdx ?? $0.licence.name, "path": $0.licence.address ?? ""] as JSONObject
      },
      "resources": [resource],
    ]
    return package.text
  }

  private func writeCroissant(_ table: LockedRecording.Audio, to output: any ByteOutput) throws {
    func file(_ path: String, _ type: String, _ content: LockedRecording.Audio) -> String {
      ([
        // Readers take an `@id` for an address, which has no blanks. No path has `%`.
        "@type": "cr:FileObject", "@id": path.replacing(" ", with: "%20"), "name": path,
        "contentUrl": path,
        "encodingFormat": type, "contentSize": "\(content.bytes) B", "sha256": content.sha256,
      ] as JSONObject).text
    }
    let authors = header.definition.authors.isEmpty ? catalogueNames : header.definition.authors
    let cited =
      "\(WordList.and(authors)): \(title). SHA-256 of the lines of the lock: \(facts.linesDigest)"
    let head: JSONObject = [
      "@type": "sc:Dataset", "conformsTo": "http://mlcommons.org/croissant/1.0", "name": title,
      "description": methods.text, "datePublished": released?.description,
      "version": "1.0.0", "url": ProgramVersion.homepage, "citeAs": cited,
      "license": licences.map { $0.licence.address ?? $0.licence.name },
      "creator": authors.map { ["@type": "sc:Person", "name": $0] as JSONObject },
    ]
    try output.line(
      "{\"@context\":\(Self.context),\(head.text.dropFirst().dropLast()),\"distribution\":["
        as PlainText)
    output.buffer += file("recordings.csv", "text/csv", table).utf8
    try forEach { recording in
      guard let audio = recording.audio else { return }
      let path = names.path(of: recording)
      output.buffer += ",\n\(file(path, AudioLibrary.mediaType(ofKind: audio.kind), audio))".utf8
      try output.writeIfFull()
    }
    let fields = Self.headings.map { name -> JSONObject in
      [
        "@type": "cr:Field", "@id": "recordings/\(name)", "name": name, "dataType": "sc:Text",
        "source": [
          "fileObject": ["@id": "recordings.csv"] as JSONObject,
          "extract": ["column": name] as JSONObject,
        ] as JSONObject,
      ]
    }
    let set: JSONObject = [
      "@type": "cr:RecordSet", "@id": "recordings", "name": "recordings", "field": fields,
    ]
    try output.line("\n],\"recordSet\":[\(set.text)]}")
    try output.flush()
  }

  /// The context of Croissant 1.0, as its specification gives it.
  private static let context = """
    {"@language":"en","@vocab":"https://schema.org/","citeAs":"cr:citeAs","column":"cr:column",\
    "conformsTo":"dct:conformsTo","cr":"http://mlcommons.org/croissant/","rai":"http://mlcommons.org/croissant/RAI/",\
    "data":{"@id":"cr:data","@type":"@json"},"dataType":{"@id":"cr:dataType","@type":"@vocab"},\
    "dct":"http://purl.org/dc/terms/","examples":{"@id":"cr:examples","@type":"@json"},"extract":"cr:extract",\
    "field":"cr:field","fileProperty":"cr:fileProperty","fileObject":"cr:fileObject","fileSet":"cr:fileSet",\
    "format":"cr:format","includes":"cr:includes","isLiveDataset":"cr:isLiveDataset","jsonPath":"cr:jsonPath",\
    "key":"cr:key","md5":"cr:md5","parentField":"cr:parentField","path":"cr:path","recordSet":"cr:recordSet",\
    "references":"cr:references","regex":"cr:regex","repeated":"cr:repeated","replace":"cr:replace",\
    "sc":"https://schema.org/","separator":"cr:separator","source":"cr:source","subField":"cr:subField",\
    "transform":"cr:transform"}
    """

  /// A selection table of Raven of the annotations; `nil` if none is in the file.
  private func selectionTable(
    of annotations: [RecordingDetails.Annotation], _ recording: LockedRecording,
    _ header: AudioHeader?, _ report: inout DataSet.BuildReport
  ) -> String? {
    let cells = CellEncoder(form: .plain)
    var out = [UInt8]()
    var count = 0
    let headings = [
      "Selection", "View", "Channel", "Begin Time (s)", "End Time (s)", "Low Freq (Hz)",
      "High Freq (Hz)", "Species", "Common Name", "Confidence", "Sound Type", "Annotator",
      "Comments",
    ]
    cells.append(plain: headings, to: &out)
    let length = SoundLength(header, sent: recording.number(.mediaDuration))
    for annotation in annotations {
      guard let stretch = annotation.stretch, stretch.lowerBound < stretch.upperBound,
        let part = length.map({ $0.part(of: stretch) }) ?? stretch
      else {
        report.annotationsWithoutTimes += 1
        continue
      }
      guard
        let frequencies = SelectedFrequencies(
          low: annotation.lowFrequency, high: annotation.highFrequency, header?.sampleRate)
      else {
        report.annotationsAbove += 1
        continue
      }
      count += 1
      let name = annotation.scientificName
      let isOwn = name != nil && name == recording.text(.scientificName)
      let texts = [
        "\(count)", "Spectrogram 1", "1", DecimalText.text(part.lowerBound),
        DecimalText.text(part.upperBound), DecimalText.text(frequencies.low),
        DecimalText.text(frequencies.high), name ?? "",
        RavenWriter.commonName(isOwn ? recording.text(.vernacularName) : nil, of: name),
        RavenWriter.confidence(annotation.confidence),
        annotation.behavior.joined(separator: ", "), annotation.identifiedBy ?? "",
        annotation.remarks ?? "",
      ]
      cells.append(plain: texts, to: &out)
    }
    return count == 0 ? nil : String(decoding: out, as: UTF8.self)
  }
}
