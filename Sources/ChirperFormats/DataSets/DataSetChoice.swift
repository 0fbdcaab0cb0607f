import Chirper
import ChirperModel

/// The recordings that a definition chooses, in the order of a lock.
struct DataSetChoice: Sendable {
  /// The selections of the definition, in its order.
  let selections: [Rows]
  private var entries: [Entry] = []
  /// Recordings left out by the limits.
  private(set) var beyondLimits = 0

  /// A recording by its id, and its place among the rows.
  private struct Entry {
    let id: RecordingID
    let selection: Int32
    let position: Int32
  }

  /// - Throws: the errors of reading rows, and `CancellationError` soon after the task is cancelled.
  init(
    _ selections: [Rows], _ limits: DataSetDefinition.Limits,
    progress: (_ read: Int) -> Void = { _ in }
  ) throws {
    self.selections = selections
    var order = DataSetOrder(limits)
    for (index, selection) in selections.enumerated() {
      try selection.checkIsWhole(forExport: true)
      for range in (0..<selection.count).batches() {
        try Task.checkCancellation()
        for (position, row) in zip(range, try selection.rows(range)) {
          entries.append(
            Entry(id: row.id, selection: Int32(index), position: Int32(position)))
          if order.isNeeded { order.add(row) }
        }
        progress(entries.count)
      }
    }
    let indices = entries.indices.sorted {
      LockedRecording.precedes(entries[$0].id, entries[$1].id)
    }
    var distinct: [Int] = []
    for index in indices where distinct.last.map({ entries[$0].id }) != entries[index].id {
      distinct.append(index)
    }
    let taken = order.isNeeded ? order.taken(of: distinct) : distinct
    beyondLimits = distinct.count - taken.count
    entries = taken.map { entries[$0] }
  }

  var count: Int { entries.count }

  /// The recordings at a range of positions, with their details and lists.
  func rows(_ range: Range<Int>) throws -> [RecordingRow] {
    let wanted = entries[range]
    var rows: [RecordingID: RecordingRow] = [:]
    for index in selections.indices {
      let positions = wanted.filter { $0.selection == index }.map { Int($0.position) }
      guard !positions.isEmpty else { continue }
      for row in try selections[index].rows(at: positions, with: [.details, .lists]) {
        rows[row.id] = row
      }
    }
    return try wanted.map { entry throws(StoreError) in
      guard let row = rows[entry.id] else { throw StoreError(.recordingForgotten) }
      return row
    }
  }

  /// Calls `body` with each recording and its position, in order.
  func forEach(_ body: (_ position: Int, RecordingRow) throws -> Void) throws {
    for range in (0..<count).batches() {
      try Task.checkCancellation()
      for (position, row) in zip(range, try rows(range)) { try body(position, row) }
    }
  }

  /// The stored lists that were chosen from and have one of the recordings, each once.
  ///
  /// - Parameter queries: the lists that recordings are in.
  func lists(among queries: Set<CatalogueQuery>) throws -> [StoredQuery] {
    var seen: Set<CatalogueQuery> = []
    return try selections.flatMap { try $0.sources() }.filter {
      queries.contains($0.query) && seen.insert($0.query).inserted
    }
  }

  /// The conditions that leave out a whole list because no recording of it has such a value, in
  /// sentences.
  ///
  /// - Parameter queries: the lists that recordings are in.
  func linesOfDropped(besides queries: Set<CatalogueQuery>) throws -> [String] {
    try selections.flatMap { selection -> [String] in
      let terms = selection.expression?.terms ?? []
      let details = terms.filter { !$0.isNegated && $0.tag?.asksForValue == true }
      guard !details.isEmpty else { return [] }
      let others = terms.filter { $0.tag?.columns.isEmpty == true }.map(\.description)
      return try selection.searchedLists().filter { !queries.contains($0.query) }.flatMap { list in
        func count(_ searches: [String]) throws -> Int {
          try selection.repository.rows(of: Selection([list.query], where: searches)).matched
        }
        let all = try count(others)
        return try details.filter { term in
          try all > 0 && count(["\(term.tag?.rawValue ?? ""):any"]) == 0
        }.map { term in
          "\(term.description.inQuotes) leaves out all of \(Plural.words(all, "recording")) of \(list.query.typed.inQuotes) (\(list.query.catalogue)): none has such a value"
        }
      }
    }
  }
}

extension SearchTag {
  /// Whether it asks for a value of a detail, apart from names, which are found in several ways.
  fileprivate var asksForValue: Bool {
    !columns.isEmpty && ![.gen, .sp, .ssp, .en, .text].contains(self)
  }
}

/// The order in which recordings are taken if not all are: the first by some columns, then by catalogue and id.
struct DataSetOrder {
  /// A column and its direction: `quality`, `-eventDate`.
  struct Key {
    let column: DetailColumn
    let isDescending: Bool

    init?(_ typed: String) {
      isDescending = typed.hasPrefix("-")
      guard let column = DetailColumn(rawValue: String(typed.trimmingPrefix("-")))
      else { return nil }
      self.column = column
    }
  }

  private enum Value: Comparable {
    case number(Double)
    case text(String)
  }

  private let limits: DataSetDefinition.Limits
  private let keys: [Key]
  private var species = Interned()
  private var recordists = Interned()
  private var facts: [(species: Int32, recordists: [Int32], values: [Value?])] = []

  init(_ limits: DataSetDefinition.Limits) {
    self.limits = limits
    keys = limits.first.compactMap(Key.init)
  }

  var isNeeded: Bool { !limits.isNothing }

  mutating func add(_ row: RecordingRow) {
    let details = row.details
    let name = RecordingDetails.species(
      details.scientificName, rank: details.taxonRank, accepted: details.species?.scientificName)
    let values = keys.map { key -> Value? in
      key.column.isOrderedByNumber
        ? key.column.number(of: details).map { Value.number($0) }
        : key.column.value(of: details).text().map { Value.text(TextFolding.folded($0)) }
    }
    let people = Recordists.people(in: details.recordedBy ?? "")
    facts.append(
      (species.number(name) ?? -1, people.compactMap { recordists.number($0) }, values))
  }

  /// The recordings that are taken, in the order given, which decides among equals.
  func taken(of indices: [Int]) -> [Int] {
    let ranked = indices.enumerated().sorted { one, other in
      for (position, key) in keys.enumerated() {
        let left = facts[one.element].values[position]
        let right = facts[other.element].values[position]
        if left == right { continue }
        // A recording without the value comes last in both directions.
        guard let left, let right else { return right == nil }
        return (left < right) != key.isDescending
      }
      return one.offset < other.offset
    }
    var counts: (species: [Int32: Int], recordists: [Int32: Int]) = ([:], [:])
    var taken: [Int] = []
    for (position, index) in ranked where taken.count < limits.recordings ?? .max {
      let (species, recordists, _) = facts[index]
      if let most = limits.perSpecies, counts.species[species, default: 0] >= most { continue }
      // Nobody knows whether two recordings without a recordist are by one.
      if let most = limits.perRecordist,
        recordists.contains(where: { counts.recordists[$0, default: 0] >= most })
      {
        continue
      }
      counts.species[species, default: 0] += 1
      for recordist in recordists { counts.recordists[recordist, default: 0] += 1 }
      taken.append(position)
    }
    return taken.sorted().map { indices[$0] }
  }
}

extension Rows {
  /// The first rows of each species in their order, at most `most` of one.
  ///
  /// - Parameter forDeck: whether recordings that a deck leaves out stay and do not count.
  package func limited(perSpecies most: Int, forDeck: Bool = false) throws -> Rows {
    var limits = DataSetDefinition.Limits()
    limits.perSpecies = most
    var order = DataSetOrder(limits)
    var (counted, leftOut): ([Int], [Int]) = ([], [])
    try forEach { row in
      let position = counted.count + leftOut.count
      if forDeck, !row.id.mayBePassedOn(under: row.details.licence) {
        leftOut.append(position)
      } else {
        counted.append(position)
      }
      order.add(row)
    }
    return limited(to: (order.taken(of: counted) + leftOut).sorted(), perSpecies: most)
  }
}

/// Numbers for texts; texts that differ only in case and accents have one number.
struct Interned: Sendable {
  private var numbers: [String: Int32] = [:]

  var count: Int { numbers.count }

  /// The number of a text; `nil` for no text.
  mutating func number(_ text: String?) -> Int32? {
    guard let folded = text.map(TextFolding.folded), !folded.isEmpty else { return nil }
    if let known = numbers[folded] { return known }
    numbers[folded] = Int32(numbers.count)
    return Int32(numbers.count - 1)
  }
}
