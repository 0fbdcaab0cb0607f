import Chirper
import ChirperModel
import Foundation

/// The recordings of a data set as far as their parts depend on it: who recorded what, when and
/// where, and which are copies of each other. A million take about
/// 40 MB, and the names of their recordists.
package struct DataSetGroups: Sendable {
  private struct Fact {
    /// 0 for a recording that is not of one species.
    let species: Int32
    /// The number of the recordist's text; -1 if it is not known.
    let recordist: Int32
    /// `PartialDate.packed` of a whole date, else 0.
    let day: Int32
    /// The hash of its text; 0 if it is not known.
    let locality: UInt32
    /// Degrees; `nan` if not known.
    let latitude: Float
    let longitude: Float
    let isHeldOut: Bool
  }

  private var facts: [Fact] = []
  /// The hashes of the recordings' ids.
  private var ids: [UInt64] = []
  /// The hashes of the originals of which rows are copies.
  private var originals: [Int: UInt64] = [:]
  private var species = Interned()
  /// The names of species by their numbers.
  private var names = [DataSetNames.aboveSpecies]
  private var recordists = Interned()
  /// The people of each recordist's text.
  private var people: [[Int32]] = []
  private var persons = Interned()
  private let holdOut: DataSetDefinition.HoldOut?

  package init(_ holdOut: DataSetDefinition.HoldOut? = nil) { self.holdOut = holdOut }

  var count: Int { facts.count }

  /// The recordings that are not of one species, in a sentence; `nil` for none.
  var aboveSpeciesLine: String? {
    DataSetNames.aboveSpeciesLine(facts.count { $0.species == 0 })
  }

  package mutating func add(_ recording: LockedRecording) {
    let date = recording.text(.eventDate).flatMap { PartialDate($0) }
    let coordinate = recording.coordinate
    let number = recording.species.flatMap { species.number($0) }.map { $0 + 1 } ?? 0
    if Int(number) == names.count { names.append(recording.species ?? "") }
    let recordist = recordists.number(recording.text(.recordedBy)) ?? -1
    if Int(recordist) == people.count {
      people.append(
        Recordists.people(in: recording.text(.recordedBy) ?? "").compactMap { persons.number($0) })
    }
    ids.append(Self.hash(recording.id))
    if let original = recording.original { originals[facts.count] = Self.hash(original) }
    let locality = recording.text(.locality).map(TextFolding.folded) ?? ""
    facts.append(
      Fact(
        species: number, recordist: recordist,
        day: date?.day == nil ? 0 : date?.packed ?? 0,
        locality: locality.isEmpty
          ? 0 : UInt32(truncatingIfNeeded: StableHash.fnv1a(locality)),
        latitude: coordinate.map { Float($0.latitude) } ?? .nan,
        longitude: coordinate.map { Float($0.longitude) } ?? .nan,
        isHeldOut: holdOut.map { recording.isPart(of: $0) } ?? false))
  }

  private static func hash(_ id: RecordingID) -> UInt64 {
    StableHash.fnv1a(id.description)
  }

  // MARK: Groups

  /// Rows that are joined, step by step; each has the number of its group.
  private struct Union {
    private var parents: [Int32]

    init(count: Int) { parents = Array(0..<Int32(count)) }

    mutating func root(_ row: Int) -> Int {
      var row = row
      while Int(parents[row]) != row {
        parents[row] = parents[Int(parents[row])]
        row = Int(parents[row])
      }
      return row
    }

    mutating func join(_ one: Int, _ other: Int) {
      let one = root(one)
      let other = root(other)
      // The first row names the group.
      if one != other { parents[max(one, other)] = Int32(min(one, other)) }
    }

    /// Joins those of the rows that have a key in common.
    mutating func join<Key: Hashable>(_ rows: some Sequence<Int>, by keys: (Int) -> [Key]) {
      var first: [Key: Int] = [:]
      for row in rows {
        for key in keys(row) {
          if let known = first[key] { join(known, row) } else { first[key] = row }
        }
      }
    }

    mutating func roots() -> [Int] { parents.indices.map { root($0) } }
  }

  /// The people who recorded it.
  private func people(_ row: Int) -> [Int32] {
    facts[row].recordist < 0 ? [] : people[Int(facts[row].recordist)]
  }

  private func joinCopies(_ union: inout Union) {
    let known = Set(originals.values)
    union.join(facts.indices) { row -> [UInt64] in
      originals[row].map { [$0] } ?? (known.contains(ids[row]) ? [ids[row]] : [])
    }
  }

  /// Joins the rows of a session: one recordist, one day, places within a kilometre.
  private func joinSessions(_ union: inout Union) {
    // The rows by recordist and day.
    var sessions: [Int64: [Int]] = [:]
    for row in facts.indices where facts[row].day > 0 {
      for person in people(row) {
        sessions[Int64(person) << 32 | Int64(facts[row].day), default: []].append(row)
      }
    }
    for rows in sessions.values where rows.count > 1 {
      union.join(rows) { row -> [UInt32] in
        facts[row].locality == 0 ? [] : [facts[row].locality]
      }
      let placed = rows.filter { !facts[$0].latitude.isNaN }
        .sorted { (facts[$0].latitude, $0) < (facts[$1].latitude, $1) }
      for (index, row) in placed.enumerated() {
        for other in placed[(index + 1)...] {
          guard facts[other].latitude - facts[row].latitude < 0.0091 else { break }
          if kilometres(row, other) <= 1 { union.join(row, other) }
        }
      }
    }
  }

  private func joinCells(_ union: inout Union, of size: Double) {
    union.join(facts.indices) { row -> [SIMD2<Int>] in
      let fact = facts[row]
      guard !fact.latitude.isNaN else { return [] }
      let height = size / Self.kilometresPerDegree
      let cell = (Double(fact.latitude) / height).rounded(.down)
      let width = height / max(cos((cell + 0.5) * height * .pi / 180), 0.001)
      return [SIMD2(Int(cell), Int((Double(fact.longitude) / width).rounded(.down)))]
    }
  }

  private static let kilometresPerDegree = 111.195

  private func kilometres(_ one: Int, _ other: Int) -> Double {
    let one = facts[one]
    let other = facts[other]
    let middle = Double(one.latitude + other.latitude) / 2 * .pi / 180
    var across = abs(Double(one.longitude - other.longitude))
    if across > 180 { across = 360 - across }
    let x = across * cos(middle)
    let y = Double(one.latitude - other.latitude)
    return (x * x + y * y).squareRoot() * Self.kilometresPerDegree
  }

  // MARK: Parts

  /// Divides the recordings by whole groups, the largest first; returns the part of each, and what
  /// is to be said about the parts.
  func parts(_ split: DataSetDefinition.Split) -> (parts: [DataSetPart], lines: [String]) {
    var union = Union(count: count)
    switch split.grouping {
    case .recordist: union.join(facts.indices, by: people)
    case .place(let kilometres): joinCells(&union, of: kilometres)
    }
    joinSessions(&union)
    joinCopies(&union)
    let roots = union.roots()
    // The first row of a group names it.
    let groups = Dictionary(grouping: roots.indices) { roots[$0] }.values
    let seed = UInt64(truncatingIfNeeded: split.seed)
    func rank(_ rows: [Int]) -> (Int, UInt64, UInt64, Int) {
      (-rows.count, Self.mixed(ids[rows[0]], seed), ids[rows[0]], rows[0])
    }
    var filling = Filling(names, split, facts.lazy.map(\.species))
    var parts = Array(repeating: DataSetPart.train, count: count)
    for rows in groups.sorted(by: { rank($0) < rank($1) }) {
      var species: [Int32: Int] = [:]
      for row in rows { species[facts[row].species, default: 0] += 1 }
      let part = filling.place(species, isHeldOut: rows.contains { facts[$0].isHeldOut })
      for row in rows { parts[row] = part }
    }
    var lines = filling.lines(groups: groups.count)
    if let holdOut, !facts.contains(where: \.isHeldOut) {
      lines.append("0 recordings held out: none is of \(holdOut.text)")
    }
    return (parts, lines)
  }

  private static func mixed(_ value: UInt64, _ seed: UInt64) -> UInt64 {
    // The finaliser of SplitMix64.
    var mixed = value &+ (seed &+ 1) &* 0x9E37_79B9_7F4A_7C15
    mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
    return mixed ^ mixed >> 31
  }

  /// The recordings that each part has so far.
  private struct Filling {
    private let names: [String]
    private let shares: [Double]
    private var totals: [Int]
    private var counts: [[Int]]
    private var (large, heldOut) = (0, 0)

    init(_ names: [String], _ split: DataSetDefinition.Split, _ species: some Sequence<Int32>) {
      self.names = names
      var shares = split.shares
      // What is held out is the test part.
      if split.holdOut != nil {
        shares[2] = 0
        if shares[0] + shares[1] == 0 { shares[0] = 1 }
      }
      let sum = shares.reduce(0, +)
      self.shares = shares.map { $0 / sum }
      totals = names.map { _ in 0 }
      for number in species { totals[Int(number)] += 1 }
      counts = DataSetPart.allCases.map { _ in names.map { _ in 0 } }
    }

    /// Decides the part of a group by how many recordings of each species it has.
    mutating func place(_ group: [Int32: Int], isHeldOut: Bool) -> DataSetPart {
      let part = part(of: group, isHeldOut: isHeldOut)
      for (species, count) in group { counts[part][Int(species)] += count }
      return DataSetPart.allCases[part]
    }

    private mutating func part(of group: [Int32: Int], isHeldOut: Bool) -> Int {
      if isHeldOut {
        heldOut += group.values.reduce(0, +)
        return 2
      }
      let largest = shares.indices.max { shares[$0] < shares[$1] } ?? 0
      if group.contains(where: { $0 > 0 && $1 * 10 > totals[Int($0)] }) {
        large += 1
        return shares[0] > 0 ? 0 : largest
      }
      let sorted = group.sorted { $0.key < $1.key }
      var best = (part: largest, gain: -Double.infinity)
      for part in shares.indices where shares[part] > 0 {
        let gain = sorted.reduce(0.0) { sum, species in
          let total = Double(totals[Int(species.key)])
          let size = Double(species.value)
          let missing = shares[part] * total - Double(counts[part][Int(species.key)])
          return sum + size * (missing - size / 2) / total
        }
        if gain > best.gain { best = (part, gain) }
      }
      return best.part
    }

    func lines(groups: Int) -> [String] {
      let all = max(totals.reduce(0, +), 1)
      let sizes = zip(DataSetPart.allCases, counts).map { part, counts in
        let size = counts.reduce(0, +)
        let percent = DecimalText.text((Double(size * 1000) / Double(all)).rounded() / 10)
        return "\(part.rawValue) \(size) (\(percent) %)"
      }
      var lines = ["\(Plural.words(groups, "group")): \(sizes.joined(separator: ", "))"]
      if large > 0 {
        lines.append(
          "\(Plural.words(large, "group")) in the training part, with more than a tenth of a species"
        )
      }
      if heldOut > 0 {
        lines.append("\(Plural.words(heldOut, "recording")) held out for the test part")
      }
      for (part, index) in zip(DataSetPart.allCases, shares.indices) where shares[index] > 0 {
        let without = names.indices.dropFirst().filter { counts[index][$0] == 0 }
        guard !without.isEmpty else { continue }
        lines.append(
          "\(part.rawValue): none of \(without.count) of \(names.count - 1) species, such as \(names[without[0]])"
        )
      }
      return lines
    }
  }

  // MARK: Leaks

  /// The recordings outside of the training part of which it has something in common.
  struct Leaks: Equatable, Sendable {
    /// Recordings of the other parts.
    fileprivate(set) var others = 0
    fileprivate(set) var (recordist, session, copy) = (0, 0, 0)

    var isNone: Bool { recordist == 0 && session == 0 && copy == 0 }
  }

  func leaks(_ parts: [DataSetPart?]) -> Leaks {
    var leaks = Leaks()
    let trained = parts.indices.filter { parts[$0] == .train }
    let others = parts.indices.filter { parts[$0] != nil && parts[$0] != .train }
    leaks.others = others.count
    func leaking(_ join: (inout Union) -> Void) -> Int {
      var union = Union(count: count)
      join(&union)
      let roots = union.roots()
      let known = Set(trained.map { roots[$0] })
      return others.count { known.contains(roots[$0]) }
    }
    let recordists = Set(trained.flatMap(people))
    leaks.recordist = others.count { !recordists.isDisjoint(with: people($0)) }
    leaks.session = leaking { joinSessions(&$0) }
    leaks.copy = leaking { joinCopies(&$0) }
    return leaks
  }
}

extension LockedRecording {
  fileprivate func isPart(of holdOut: DataSetDefinition.HoldOut) -> Bool {
    let texts =
      switch holdOut.column {
      case .scientificName: [text(.scientificName), text(.acceptedNameUsage)]
      case .recordedBy:
        [text(.recordedBy)] + Recordists.people(in: text(.recordedBy) ?? "").map { $0 }
      default: [text(holdOut.column)]
      }
    let wanted = TextFolding.folded(holdOut.value)
    return texts.contains { $0.map(TextFolding.folded) == wanted }
  }
}

extension DataSetGroups.Leaks {
  /// `leaks: none of 215 recordings outside of the training part`.
  var text: String {
    let of = "of \(Plural.words(others, "recording")) outside of the training part"
    guard !isNone else { return "leaks: none \(of)" }
    let parts = [(recordist, "recordist"), (session, "session"), (copy, "copy")].filter { $0.0 > 0 }
      .map { "\($0.0) \($0.1)" }
    return "leaks: the training part has the \(parts.joined(separator: ", ")) \(of)"
  }
}

/// The parts that a CSV file gives to recordings.
package struct DataSetParts: Sendable {
  /// The file's name, for messages.
  let name: String
  /// Parts by catalogue number or id, and by both with the catalogue before them.
  private var parts: [String: DataSetPart] = [:]
  /// The ids that no recording had so far.
  private var unused: Set<String> = []

  /// Opens a table with columns `id` and `split`, and perhaps `catalogue`.
  package init(_ path: String) throws {
    try self.init(name: path) { try ReadableFile(path).pieces() }
  }

  /// Reads a table with columns `id` and `split`, and perhaps `catalogue`.
  ///
  /// - Parameter pieces: opens the file, and returns a function that reads its next piece, empty at
  ///   its end.
  init(name: String, _ pieces: () throws -> () throws -> [UInt8]) throws {
    self.name = name
    func fault(_ problem: String) -> UserFacingError {
      UserFacingError(
        .usage, kind: "bad-split", subject: name, problem: problem,
        hint: "Its columns are id, split (train, validation or test) and perhaps catalogue.")
    }
    var form = try DelimitedRows.Form(ofTable: pieces())
    // A row may lack cells that say nothing here.
    form.headerLines = 0
    var rows = DelimitedRows(form, try pieces())
    func next() throws -> DelimitedRows.Row? {
      switch try rows.row() {
      case .row(let row)?: return row
      case .unreadable(let line, let reason)?: throw fault("row \(line): \(reason)")
      case nil: return nil
      }
    }
    let headings = try next()?.cells ?? []
    guard let id = headings.firstIndex(of: "id"), let split = headings.firstIndex(of: "split")
    else {
      throw fault("this file has no columns id and split")
    }
    let catalogue = headings.firstIndex(of: "catalogue")
    while let row = try next() {
      guard let id = row.text(id) else { continue }
      guard let part = row.text(split).flatMap(DataSetPart.init(rawValue:)) else {
        throw fault("row \(row.line) has an unknown part \((row.text(split) ?? "").inQuotes)")
      }
      let key = Self.key(row.text(catalogue).map { CatalogueID(rawValue: $0) }, id)
      guard parts.updateValue(part, forKey: key).map({ $0 == part }) ?? true else {
        throw fault("row \(row.line) gives \(id) another part than a row before")
      }
    }
    unused = Set(parts.keys)
  }

  private static func key(_ catalogue: CatalogueID?, _ id: String) -> String {
    (catalogue.map { "\($0.rawValue) " } ?? "") + id.lowercased()
  }

  package mutating func part(of id: RecordingID, _ number: String?) -> DataSetPart? {
    let keys = [id.value, number].compactMap(\.self).flatMap { name in
      [id.catalogue, nil].map { Self.key($0, name) }
    }
    unused.subtract(keys)
    return keys.compactMap { parts[$0] }.first
  }

  /// The ids that no recording had, in a sentence; `nil` if each has one.
  package var unusedLine: String? {
    guard !unused.isEmpty else { return nil }
    let ids = FirstNames(unused.sorted(), limit: 5).text
    return "\(Plural.words(unused.count, "id")) of \(name) without a recording in the set: \(ids)"
  }
}
