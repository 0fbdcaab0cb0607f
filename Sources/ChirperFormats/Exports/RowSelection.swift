import Chirper
import ChirperModel
import Foundation

/// The recordings that a command shows or writes: those of some lists, or of everything stored, as
/// the user chose them.
package struct RowSelection: Sendable {
  package let repository: RecordingRepository
  /// The lists that were named; none: everything stored.
  package let lists: [StoredQuery]
  /// The catalogue that all its recordings are of, whatever is stored; `nil` if there may be
  /// several.
  let catalogueID: CatalogueID?
  let part: ListReader.Part
  let fieldNames: [String]
  package let names: ColumnNames<RecordingColumn>
  package private(set) var expression: SearchExpression?
  private(set) var isDistinct = false
  package private(set) var reader: ListReader
  /// The rows to write, by position in the reader.
  private(set) var range = 0..<0
  /// Rows before the first of them.
  package private(set) var offset = 0
  package private(set) var searchedCount = 0
  /// Rows that satisfy the search, before those unfit for the purposes and copies are left out.
  package private(set) var matchedCount = 0
  /// Rows to write if the window has all.
  package private(set) var wholeCount = 0
  /// The results of a search of everything stored; `nil` for lists.
  private(set) var results: SearchResults?
  /// The number of rows left out because they are copies of recordings that are among the
  /// rows.
  package private(set) var leftOutCopies = 0
  /// The scientific names under which recordings of a bird that was named are found too.
  package private(set) var otherNames: [String] = []
  /// The uses that rows are wanted for, and the rows that are left out because of them.
  package private(set) var purposes = PurposeReport()
  /// The first sort key; its column stays in a terminal's table whatever the width.
  private(set) var sorted: RecordingColumn?
  /// Other lists that the same texts are stored as, in words.
  private(set) var others: [String] = []

  /// Rows that are written.
  package var count: Int { range.count }

  /// The error of a damaged database, because of which the lists do not have all their rows; `nil`
  /// if they have. For everything stored, it is about the lists that the search names.
  package var damage: StoreError? { reader.damage ?? namedDamage }
  private var namedDamage: StoreError?

  /// Fails if the database is damaged and the lists do not have all their rows.
  ///
  /// - Parameter isExport: whether the rows are written to a file. Then every list is read that a
  ///   recording of everything stored can be in.
  package func checkIsWhole(forExport isExport: Bool = false) throws {
    if let damage { throw damage }
    if isExport, results != nil {
      try repository.checkAreWhole(namedLists(among: repository.storedQueries()).map(\.query))
    }
  }

  /// The repository's; `nil` if there may be several, or the repository does not have it.
  var catalogue: Catalogue? { catalogueID.flatMap(repository.catalogue) }

  /// The rows of lists, each recording once and in the order of the lists, or the results
  /// of a search of everything stored.
  ///
  /// - Parameters:
  ///   - lists: the lists that were named; empty for everything stored.
  ///   - others: other lists that are stored under these texts, in words.
  ///   - catalogue: the only one that the expression asks for, if everything stored is
  ///     searched.
  ///   - part: the rows of the lists, the rows that are new, or the recordings that left.
  ///     The last two have a column with the date.
  ///   - expression: a search that finds the rows.
  ///   - sort: keys by the names of columns. `rank` before them puts rows with the bare words
  ///     in a name first; `stored` alone is the order as stored.
  ///   - isDistinct: leaves out each copy of a recording that is among the rows; see
  ///     `RecordingRepository.search`. `nil`: copies are left out of everything stored, but
  ///     not of lists.
  ///   - purposes: the uses that every row must be fit for.
  ///   - findsUnlisted: whether everything stored includes recordings that are in no list
  ///     any more, whatever the expression says.
  ///   - takesNamesAsTyped: whether a name of a bird finds that name only.
  ///   - progress: called with the part that is done of a search of everything stored.
  /// - Throws: `UserFacingError` for an unknown column or catalogue,
  ///   `SearchExpressionError` for a list that is not stored, `StoreError` if the store
  ///   cannot be read.
  package init(
    _ repository: RecordingRepository, lists: [StoredQuery], others: [String] = [],
    of catalogue: CatalogueID? = nil,
    part: ListReader.Part = .rows, where expression: SearchExpression? = nil, sort: [SortKey] = [],
    isDistinct: Bool? = nil,
    for purposes: [Export.Purpose] = [], findsUnlisted: Bool = false,
    takesNamesAsTyped: Bool = false, offset: Int = 0, limit: Int? = nil,
    progress: (Double) -> Void = { _ in }
  ) throws {
    try self.init(repository, lists: lists, of: catalogue, part: part, where: expression)
    let isDistinct = isDistinct ?? lists.isEmpty
    self.others = others
    self.isDistinct = isDistinct
    self.purposes = PurposeReport(purposes)
    let (isRanked, order) = try Self.order(sort, names)
    sorted = order.first?.column
    func window(_ count: Int) -> Range<Int> {
      let start = min(max(0, offset), count)
      return start..<(start + min(max(0, limit ?? .max), count - start))
    }
    let all: ListReader
    // The rows of the window can be read without the others if nothing else must be known of these.
    let isWindow: Bool
    if lists.isEmpty {
      isWindow = purposes.isEmpty
      let results = try repository.search(
        expression ?? SearchExpression(terms: []), sort: order, ranked: isRanked,
        distinct: isDistinct && isWindow,
        window: isWindow ? window(.max) : nil, findsUnlisted: findsUnlisted,
        takesNamesAsTyped: takesNamesAsTyped, preparing: [], progress: progress)
      (all, searchedCount, matchedCount) = (results.reader, results.searched, results.matched)
      leftOutCopies = results.leftOutCopies
      otherNames = results.otherNames
      self.expression = results.asked
      self.results = results
      if expression?.listNames.isEmpty == false {
        namedDamage = try repository.damage(
          of: namedLists(among: repository.storedQueries()).map(\.query))
      }
    } else {
      isWindow =
        lists.count == 1 && part == .rows && expression == nil && purposes.isEmpty && !isDistinct
      (searchedCount, matchedCount) = (lists[0].count, lists[0].count)
      all = try repository.reader(
        of: lists.map(\.query), part: part, sort: order,
        window: isWindow ? window(matchedCount) : nil)
    }
    if isWindow {
      (reader, range, self.offset) = (all, 0..<all.count, window(matchedCount).lowerBound)
      wholeCount = matchedCount
      return
    }
    var rows = all
    if results == nil {
      searchedCount = rows.count
      if let expression {
        // Without its catalogue nothing is known about a field.
        try checkCatalogues()
        let matcher = try StoredMatcher(
          expression, in: repository, rowsOf: lists.map(\.query),
          takesNamesAsTyped: takesNamesAsTyped)
        otherNames = matcher.otherNames
        let found = try rows.positions(matching: matcher)
        rows = rows.subset(at: isRanked ? try rows.ranked(found, by: matcher) : found)
      }
      matchedCount = rows.count
    }
    if !purposes.isEmpty { rows = try rows.fit(for: &self.purposes) }
    if isDistinct {
      let single = try rows.withoutCopies()
      leftOutCopies = rows.count - single.count
      matchedCount -= leftOutCopies
      rows = single
    }
    (reader, wholeCount) = (rows, rows.count)
    range = window(rows.count)
    self.offset = range.lowerBound
  }

  /// Whether rows are ranked, and the keys of their order.
  private static func order(
    _ sort: [SortKey], _ names: ColumnNames<RecordingColumn>
  ) throws(UserFacingError) -> (isRanked: Bool, keys: [SortKey]) {
    var keys = sort[...]
    let first = keys.first?.name.lowercased()
    let isRanked = first == rank
    if isRanked || first == stored { keys.removeFirst() }
    if first == stored, !keys.isEmpty {
      throw .usage(
        "stored cannot be combined with other sort keys", hint: "Leave one of them out.")
    }
    if let other = keys.first(where: { [rank, stored].contains($0.name.lowercased()) }) {
      throw .usage(
        "\(other.name) must be the first sort key",
        hint: "Type it as in: --sort rank --sort -date")
    }
    if let name = first, isRanked || name == stored, sort[0].descending {
      throw .usage("\(name) has one direction only", hint: "Type it as in: --sort \(name)")
    }
    return (
      isRanked,
      try keys.map { key throws(UserFacingError) in
        SortKey(
          try names.column(key.name, orOneOf: [rank, stored]), descending: key.descending)
      }
    )
  }

  /// The sort key for rows of which a name has the plain words of the search first.
  package static let rank = "rank"
  /// The sort key for the order as stored, where it is not the default.
  package static let stored = "stored"

  /// The rows that a reader has of a list: those that satisfy the expression.
  package init(
    _ repository: RecordingRepository, _ stored: StoredQuery, rows: ListReader,
    where expression: SearchExpression?
  ) throws {
    try self.init(repository, lists: [stored], of: nil, part: .rows, where: expression)
    (reader, range, searchedCount, matchedCount) = (rows, 0..<rows.count, stored.count, rows.count)
    wholeCount = rows.count
  }

  /// The results of a search of everything stored.
  package init(_ repository: RecordingRepository, _ results: SearchResults) throws {
    try self.init(repository, lists: [], of: nil, part: .rows, where: results.asked)
    (reader, range, searchedCount, matchedCount) = (
      results.reader, 0..<results.count, results.searched, results.matched
    )
    (self.results, otherNames, wholeCount) = (results, results.otherNames, results.matched)
  }

  /// One stored recording; `nil` if it is not stored.
  package init?(_ repository: RecordingRepository, recording: RecordingID) throws {
    try self.init(repository, lists: [], of: recording.catalogue, part: .rows, where: nil)
    reader = try repository.reader(of: recording)
    guard reader.count > 0 else { return nil }
    (range, searchedCount, matchedCount, wholeCount) = (0..<1, 1, 1, 1)
  }

  /// Some of its rows, by position among them.
  package func window(offset: Int, limit: Int?) -> RowSelection {
    var window = self
    let start = min(offset, count)
    window.range =
      range.lowerBound + start..<range.lowerBound + start + min(limit ?? .max, count - start)
    window.offset = self.offset + start
    return window
  }

  private init(
    _ repository: RecordingRepository, lists: [StoredQuery], of catalogue: CatalogueID?,
    part: ListReader.Part,
    where expression: SearchExpression?
  ) throws {
    let ids =
      lists.isEmpty
      ? catalogue.map { [$0] } ?? repository.known.map(\.id)
      : lists.map(\.query.catalogue).uniqued
    catalogueID = ids.count == 1 ? ids[0] : nil
    fieldNames =
      try ids.flatMap { try repository.fieldNames(of: $0) }.uniqued
      + [part.dateColumn?.name].compactMap(\.self)
    names = ColumnNames(
      fields: fieldNames, in: ids.count == 1 ? repository.catalogue(ids[0]) : nil,
      date: part.dateColumn)
    reader = try repository.reader(of: [])
    (self.repository, self.lists, self.part, self.expression) = (
      repository, lists, part, expression
    )
  }

  /// The lists that the recordings can be in. For a search these are the lists of the
  /// catalogues found, or the lists that `in:` names. They are read when they are written,
  /// because few formats name them.
  package func sources() throws -> [StoredQuery] {
    guard let results else { return lists }
    return try namedLists(
      among: repository.storedQueries().filter {
        $0.count > 0 && results.matchedByCatalogue[$0.query.catalogue] != nil
      })
  }

  /// The lists that were searched, also those of which nothing was found; made-up ones only if
  /// something was.
  func searchedLists() throws -> [StoredQuery] {
    guard let results else { return lists }
    return try namedLists(
      among: repository.storedQueries().filter {
        let id = $0.query.catalogue
        return results.matchedByCatalogue[id] != nil
          || Catalogues.named(id)?.isBuiltIn != true && (catalogueID ?? id) == id
      })
  }

  /// The lists in which the search asks for recordings; all if it names none.
  private func namedLists(among lists: [StoredQuery]) throws -> [StoredQuery] {
    var lists = lists
    for term in expression?.terms ?? [] where term.tag == .list && !term.isNegated {
      let named = try SearchExpression(terms: [term]).listNames.map(repository.lists(named:))
      lists.removeAll { list in !named.contains { $0.contains(list.query) } }
    }
    return lists
  }

  /// The rows at those positions, with their details.
  package func rows(
    _ positions: Range<Int>, with contents: RowContents = [.details]
  ) throws -> [RecordingRow] {
    try reader.rows(range(of: positions), with: contents)
  }

  /// The rows at those positions, wherever they are.
  package func rows(
    at positions: [Int], with contents: RowContents = [.details]
  ) throws -> [RecordingRow] {
    var reader = reader.subset(at: positions.map { range.lowerBound + $0 })
    try reader.prepare(for: contents)
    return try reader.rows(0..<positions.count, with: contents)
  }

  /// The rows that are one of those recordings.
  package func including(_ ids: some Collection<RecordingID>) throws -> RowSelection {
    var chosen = self
    chosen.reader = try reader.including(ids)
    chosen.range = 0..<chosen.reader.count
    return chosen
  }

  /// The rows whose audio is downloaded, prepared for it; `nil` if none is.
  package func withDownloadedAudio() throws -> RowSelection? {
    var chosen = self
    try chosen.reader.prepare(for: .audio)
    guard chosen.reader.mayHaveAudio else { return nil }
    chosen.reader = try chosen.reader.subset(at: Array(range))
      .rows(with: .audio, where: \.isAudioDownloaded)
    chosen.range = 0..<chosen.reader.count
    return chosen.count == 0 ? nil : chosen
  }

  /// Latitude and longitude of each row in degrees; `nan` for one without a coordinate.
  package func coordinates() throws -> [SIMD2<Float>] { Array(try reader.coordinates()[range]) }

  /// The recording at that position.
  package func recording(_ position: Int) throws -> Recording? {
    try reader.rows(range(of: position..<(position + 1))).first
  }

  /// Counts the rows by one key or two; throws as `SearchResults.counts(by:)`.
  package func counts(by keys: [CountKey]) throws -> RecordingCounts {
    try reader.counts(by: keys, of: results == nil ? nil : searchedCount)
  }

  /// Fetches the audio of every row and keeps it, as `RecordingRepository.fetchAudio` does.
  package func fetchAudio(observe: @Sendable (_ position: Int, _ count: Int) -> Void) async throws
    -> AudioLibrary.Report
  {
    try await repository.fetchAudio(of: reader, range, observe: observe)
  }

  /// Throws if nothing is known about the recordings but their raw fields.
  func checkCatalogues() throws(UserFacingError) {
    for list in lists where repository.catalogue(list.query.catalogue) == nil {
      throw UserFacingError(ExportError.unknownCatalogue(list.query.catalogue))
    }
  }
}

extension ListReader {
  /// The rows that are fit for the purposes, which count the others.
  fileprivate func fit(for purposes: inout PurposeReport) throws -> ListReader {
    try rows(with: .details) { purposes.count($0.details) }
  }

  fileprivate func rows(
    with contents: RowContents, where isChosen: (RecordingRow) -> Bool
  ) throws -> ListReader {
    var positions: [Int] = []
    for range in (0..<count).batches() {
      try Task.checkCancellation()
      for (position, row) in zip(range, try rows(range, with: contents)) where isChosen(row) {
        positions.append(position)
      }
    }
    return subset(at: positions)
  }
}

extension SearchResults {
  /// The search; `nil` if it asks for nothing.
  fileprivate var asked: SearchExpression? { expression.terms.isEmpty ? nil : expression }
}
