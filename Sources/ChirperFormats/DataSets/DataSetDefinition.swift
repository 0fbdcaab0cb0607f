import Chirper
import ChirperModel

/// The recipe of a data set: the content of `NAME.dataset.json`.
package struct DataSetDefinition: Sendable, Equatable {
  package var title: String?
  package var authors: [String] = []
  /// The choices of recordings; of their members these are written: lists, catalogue, searches,
  /// purposes and copies.
  package var selections: [Selection] = [Selection()]
  package var limits = Limits()
  package var split: Split?
  package var layout = Layout.folders
  /// Whether a name of a bird finds it under its other names too.
  package var names = false

  package init() {}

  /// The limits for the recordings that are taken.
  package struct Limits: Sendable, Equatable {
    package var perSpecies: Int?
    package var perRecordist: Int?
    /// The most recordings in all.
    package var recordings: Int?
    /// Columns by which the recordings that are taken come first, with `-` for descending.
    package var first: [String] = []

    var isNothing: Bool { perSpecies == nil && perRecordist == nil && recordings == nil }
  }

  /// The division of the recordings into parts.
  package struct Split: Sendable, Equatable {
    /// The share of each part, as written.
    package var shares: [Double] = [0.8, 0.1, 0.1]
    package var seed = 1
    package var grouping = Grouping.recordist
    /// `country:PL`: these recordings are the test part.
    package var holdOut: HoldOut?
    /// A CSV file that gives the part of each recording.
    package var file: String?

    package init() {}

    /// The recordings that are never divided, besides sessions and copies.
    package enum Grouping: Sendable, Equatable {
      case recordist
      /// The cells of a grid with this many kilometres.
      case place(kilometres: Double)
    }
  }

  /// Recordings that are kept for the test part.
  package struct HoldOut: Sendable, Equatable {
    let column: DetailColumn
    let value: String

    static let names = [
      "country": DetailColumn.countryCode, "recordist": .recordedBy, "species": .scientificName,
    ]

    /// Reads `country:PL`; `nil` for any other text.
    package init?(_ typed: String) {
      guard let colon = typed.firstIndex(of: ":"), let column = Self.names[String(typed[..<colon])]
      else { return nil }
      let value = typed[colon...].dropFirst().trimmingPrefix(" ")
      guard !value.isEmpty else { return nil }
      if column == .countryCode {
        guard let country = Countries.named(String(value)) else { return nil }
        self.value = country.code
      } else {
        self.value = String(value)
      }
      self.column = column
    }

    var text: String {
      "\(Self.names.first { $0.value == column }?.key ?? column.name):\(value)"
    }
  }

  /// The arrangement of the files of a data set.
  package enum Layout: String, Sendable, CaseIterable {
    case folders, audiofolder, package
  }
}

/// A part of a data set, by the name that its folder has.
package enum DataSetPart: String, Sendable, CaseIterable {
  case train, validation, test
}

extension DataSetDefinition {
  /// Throws `UserFacingError` for a search whose answer depends on the day.
  func checkSearches() throws {
    for typed in selections.flatMap(\.searches) {
      for term in try SearchExpression(typed: typed, in: Catalogues.known).terms
      where term.condition.parts.contains(where: \.dependsOnNow) {
        throw UserFacingError(
          .usage, kind: "depends-on-now",
          problem: "\(term.description.inQuotes) finds something different on another day",
          hint: "Name days, as in since:2026-03-31.")
      }
    }
  }

  // MARK: Writing

  /// The definition as it is written in the header of a lock.
  var json: JSONObject {
    var object: JSONObject = [:]
    for (name, value) in members { object.add(name, raw: value) }
    return object
  }

  /// The definition as a file, a line for each member.
  package var file: String {
    "{\n" + members.map { "  \($0.json): \($1)" }.joined(separator: ",\n") + "\n}\n"
  }

  private var members: [(String, String)] {
    var members: [(String, String)] = []
    if let title { members.append(("title", title.json)) }
    if !authors.isEmpty { members.append(("authors", authors.json)) }
    members.append(("selections", "[\(selections.map(\.json.text).joined(separator: ","))]"))
    if limits != Limits() { members.append(("limits", limits.json.text)) }
    if let split { members.append(("split", split.json.text)) }
    members.append(("layout", layout.rawValue.json))
    if names { members.append(("names", "true")) }
    return members
  }
}

// MARK: Words

extension Selection {
  /// `"owl", of xeno-canto only, that satisfies "q:A", with copies`.
  var words: PlainText {
    let names = WordList.and(lists.map(\.text.inQuotes))
    var parts = [lists.isEmpty ? "everything stored" : names]
    if let catalogue { parts.append("of \(catalogue) only") }
    if !searches.isEmpty {
      parts.append("that satisfies \(WordList.and(searches.map(\.inQuotes)))")
    }
    if !purposes.isEmpty { parts.append("fit for \(WordList.and(purposes.map(\.text)))") }
    parts.append(leavesOutCopies ? "without copies" : "with copies")
    return "\(parts.joined(separator: ", "))"
  }
}

extension DataSetDefinition.Limits {
  /// `At most 20 of a species and 100 in all, the first by quality, then by catalogue and id`.
  var words: PlainText {
    let most = [
      perSpecies.map { "\($0) of a species" }, perRecordist.map { "\($0) of a recordist" },
      recordings.map { "\($0) in all" },
    ].compactMap(\.self)
    let order = first.map { key in
      key.hasPrefix("-") ? "\(key.dropFirst()) (descending)" : key
    }
    return
      "At most \(WordList.and(most)) were taken, the first by \(WordList.and(order + ["catalogue and id"]))"
  }
}

extension Selection {
  fileprivate var json: JSONObject {
    var object: JSONObject = [:]
    object.add(known: [
      "lists": lists.map(\.text), "source": catalogue?.rawValue, "where": searches,
      "for": purposes.map(\.text),
    ])
    if copies != .asUsual { object.add("distinct", copies == .leftOut) }
    return object
  }
}

extension DataSetDefinition.Limits {
  fileprivate var json: JSONObject {
    var object: JSONObject = [:]
    object.add(known: [
      "perSpecies": perSpecies, "perRecordist": perRecordist, "recordings": recordings,
      "first": first,
    ])
    return object
  }
}

extension DataSetDefinition.Split {
  var json: JSONObject {
    if let file { return ["file": file] }
    var object: JSONObject = [:]
    for (part, share) in zip(DataSetPart.allCases, shares) { object.add(part.rawValue, share) }
    object.add("seed", seed)
    if case .place(let kilometres) = grouping { object.add("placeKilometres", kilometres) }
    object.add(known: ["holdOut": holdOut?.text])
    return object
  }
}

// MARK: Reading

extension DataSetDefinition {
  /// The most selections: each is a search of what is stored.
  private static let selectionLimit = 100
  /// The most bytes of a file that is read.
  private static let sizeLimit = 1 << 20

  /// Reads a file.
  ///
  /// - Throws: `UserFacingError`, which names the line of a fault.
  package init(_ path: String) throws(UserFacingError) {
    let file = try ReadableFile(path)
    try self.init(file.bytes(at: 0, count: Self.sizeLimit + 1), name: path)
  }

  package init(_ bytes: [UInt8], name: String) throws(UserFacingError) {
    do throws(JSONFault) {
      guard bytes.count <= Self.sizeLimit else {
        throw JSONFault(reason: .unexpected("at most a megabyte"), offset: 0)
      }
      var reader = JSONReader(bytes)
      try self.init(&reader)
      try reader.end()
    } catch {
      let line = 1 + bytes.prefix(error.offset).count { $0 == 0x0A }
      let text = error.description
      let end = text.range(of: " (byte ")?.lowerBound ?? text.endIndex
      throw UserFacingError(
        .configuration, kind: "bad-definition", subject: "\(name), line \(line)",
        problem: String(text[..<end]),
        hint: "man 7 chirper-datasets describes the file; chirper dataset new writes one.")
    }
  }

  /// Reads the next value, which is a definition.
  init(_ reader: inout JSONReader) throws(JSONFault) {
    self.init()
    selections = []
    try reader.members([
      "title", "authors", "selections", "limits", "split", "layout", "names",
    ]) { name, reader throws(JSONFault) in
      switch name {
      case "title": title = try reader.text("a title")
      case "authors": authors = try reader.texts("the name of an author")
      case "limits": limits = try Limits(&reader)
      case "split": split = try Split(&reader)
      case "names": names = try reader.flag()
      case "layout":
        layout = try reader.read("\"folders\", \"audiofolder\" or \"package\"") {
          Layout(rawValue: $0.text)
        }
      default:
        selections = []
        guard reader.kind == .array else { throw reader.fault(.unexpected("an array")) }
        try reader.array { reader throws(JSONFault) in
          guard selections.count < Self.selectionLimit else {
            throw reader.fault(.unexpected("at most \(Self.selectionLimit) selections"))
          }
          selections.append(try Selection(&reader))
        }
      }
    }
    guard !selections.isEmpty else {
      throw JSONFault(
        reason: .unexpected("\"selections\" with at least one selection; {} is everything stored"),
        offset: 0)
    }
  }
}

extension Selection {
  fileprivate init(_ reader: inout JSONReader) throws(JSONFault) {
    self.init()
    try reader.members(["lists", "source", "where", "for", "distinct"]) {
      name, reader throws(JSONFault) in
      switch name {
      case "lists":
        lists = try reader.texts("a stored list, as \"gbif:parrot\"").map(ListName.typed)
      case "source":
        catalogue = try reader.read(
          WordList.or(Catalogues.known.map { $0.id.rawValue.json })
        ) { Catalogues.named(CatalogueID(rawValue: $0.text))?.id }
      case "where": searches = try reader.texts("a search, as \"q:A type:song\"")
      case "for":
        let fault = reader.fault(.unexpected("\"commercial\", \"derivatives\" or \"precise:500\""))
        guard let purposes = Purpose.list(try reader.texts("a purpose").joined(separator: ","))
        else { throw fault }
        self.purposes = purposes
      default: copies = try reader.flag() ? .leftOut : .kept
      }
    }
  }
}

extension DataSetDefinition.Limits {
  fileprivate init(_ reader: inout JSONReader) throws(JSONFault) {
    self.init()
    try reader.members(["perSpecies", "perRecordist", "recordings", "first"]) {
      name, reader throws(JSONFault) in
      switch name {
      case "first":
        let fault = reader.fault(
          .unexpected("the name of a column, as \"quality\" or \"-eventDate\""))
        first = try reader.texts("the name of a column")
        guard first.allSatisfy({ DataSetOrder.Key($0) != nil }) else { throw fault }
      case "perSpecies": perSpecies = try reader.count()
      case "perRecordist": perRecordist = try reader.count()
      default: recordings = try reader.count()
      }
    }
  }
}

extension DataSetDefinition.Split {
  fileprivate init(_ reader: inout JSONReader) throws(JSONFault) {
    self.init()
    var shares = [Double]?.none
    let parts = DataSetPart.allCases.map(\.rawValue)
    let whole = reader.fault(.unexpected("shares that are above 0 together"))
    try reader.members(parts + ["seed", "placeKilometres", "holdOut", "file"]) {
      name, reader throws(JSONFault) in
      switch name {
      case "seed":
        seed = try reader.read("a whole number") { value in
          value.double.flatMap(Int.init(exactly:)).flatMap { $0 >= 0 ? $0 : nil }
        }
      case "placeKilometres":
        grouping = .place(
          kilometres: try reader.read("kilometres from 0.1 to 5000") { value in
            value.double.flatMap { (0.1...5000).contains($0) ? $0 : nil }
          })
      case "holdOut":
        holdOut = try reader.read("\"country:PL\", \"recordist:…\" or \"species:…\"") {
          DataSetDefinition.HoldOut($0.text)
        }
      case "file": file = try reader.text("the name of a CSV file")
      default:
        let share: Double = try reader.read("a share from 0 to 100") { value in
          value.double.flatMap { (0...100).contains($0) ? $0 : nil }
        }
        var all = shares ?? parts.map { _ in 0 }
        if let index = parts.firstIndex(of: name) { all[index] = share }
        shares = all
      }
    }
    if let shares {
      guard shares.reduce(0, +) > 0 else { throw whole }
      self.shares = shares
    }
  }
}

extension JSONReader {
  /// Reads an object with some of these members and no others.
  fileprivate mutating func members(
    _ known: [String],
    _ member: (_ name: String, _ reader: inout JSONReader) throws(JSONFault) -> Void
  ) throws(JSONFault) {
    guard kind == .object else { throw fault(.unexpected("an object")) }
    try object { name, reader throws(JSONFault) in
      guard known.contains(name) else {
        let meant = NearestNames.to(name, among: known)
        let names = WordList.or((meant.isEmpty ? known : meant).map(\.json))
        throw reader.fault(.unexpected("\(names), not \(name.json)"))
      }
      try member(name, &reader)
    }
  }

  fileprivate mutating func read<Value>(
    _ wanted: String, _ value: (RecordingFields.Value) -> Value?
  ) throws(JSONFault) -> Value {
    let fault = fault(.unexpected(wanted))
    guard let read = value(try self.value()) else { throw fault }
    return read
  }

  fileprivate mutating func text(_ wanted: String) throws(JSONFault) -> String {
    guard kind == .string else { throw fault(.unexpected(wanted)) }
    return try value().text
  }

  fileprivate mutating func texts(_ wanted: String) throws(JSONFault) -> [String] {
    guard kind == .array else { throw fault(.unexpected("an array")) }
    var texts: [String] = []
    try array { reader throws(JSONFault) in texts.append(try reader.text(wanted)) }
    return texts
  }

  fileprivate mutating func flag() throws(JSONFault) -> Bool {
    try read("true or false") { $0.bool }
  }

  fileprivate mutating func count() throws(JSONFault) -> Int {
    try read("a whole number from 1 to 1000000") { value in
      value.double.flatMap(Int.init(exactly:)).flatMap { (1...1_000_000).contains($0) ? $0 : nil }
    }
  }
}

extension SearchCondition {
  /// Whether what it finds depends on the time of the search.
  fileprivate var dependsOnNow: Bool {
    switch self {
    case .uploaded(.daysAgo), .entered, .changed: true
    default: false
    }
  }
}
