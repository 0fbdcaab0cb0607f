#if Collection

import ChirperModel
import ChirperRemote

/// The rows that a `Selection` chooses, as they were when it was asked, read in batches. It keeps
/// their keys, and no lock.
public struct Rows: Sendable {
  /// The question that they answer.
  public let selection: Selection
  package let repository: RecordingRepository
  /// The stored lists that the selection names; none: everything stored.
  package private(set) var lists: [StoredQuery] = []
  /// Other lists that are stored under the same texts, in words.
  package private(set) var otherLists: [String] = []
  /// A sentence for each text that no list has, with the lists that are read in its place.
  package private(set) var listNotes: [String] = []
  /// The part of the lists that was read.
  package private(set) var part = ListReader.Part.rows
  /// The catalogue that all its recordings are of, whatever is stored; `nil` if there may be
  /// several.
  package private(set) var catalogueID: CatalogueID?
  /// The raw fields of the recordings, and the column of the date that its part has.
  package private(set) var fieldNames: [String] = []
  package private(set) var names: ColumnNames
  /// The search that the rows satisfy; `nil` if every row does.
  package private(set) var expression: SearchExpression?
  /// The results of a search of everything stored; `nil` if the rows are read from lists.
  package private(set) var results: SearchResults?
  package fileprivate(set) var reader: ListReader
  /// The rows to read, by position in the reader.
  private var range = 0..<0
  /// Rows before the first of them.
  package private(set) var offset = 0
  /// The rows that were searched: those of the lists, or all that are stored.
  public private(set) var searched = 0
  /// Rows that satisfy the search, before some are left out because of a purpose.
  public private(set) var matched = 0
  /// Rows that are chosen, whatever the offset and the limit.
  public private(set) var chosen = 0
  /// The number of rows left out because they are copies of recordings that are among the rows.
  public private(set) var leftOutCopies = 0
  /// The scientific names under which recordings of a bird that was named are found too.
  public private(set) var otherNames: [String] = []
  /// The most rows of a species, if there is such a limit.
  package private(set) var perSpecies: Int?
  /// The number of rows left out because their species has as many.
  package private(set) var beyondLimits = 0
  /// The uses that rows are wanted for, and the rows that are left out because of them.
  package private(set) var purposes: PurposeReport
  /// The first sort key; its column stays in a terminal's table whatever the width.
  package private(set) var sorted: RecordingColumn?
  /// The error of a damaged database, because of which lists that the search names do not have all
  /// their rows.
  private var namedDamage: StoreError?
  /// The latest change of the fields of any recording, when the rows were chosen for an app.
  fileprivate var latestChange: [Int64] = []

  /// Rows that can be read.
  public var count: Int { range.count }

  /// The number of recordings left out because their licence or their place is not fit for one of
  /// the purposes.
  public var leftOutByPurpose: Int { purposes.leftOut }

  /// The number of recordings that a search of everything stored left out, because they are in no
  /// list any more; `nil` for lists.
  package var unlisted: Int? { results?.unlisted }

  /// The error of a damaged database, because of which the lists do not have all their rows; `nil`
  /// if they have. For everything stored, it is about the lists that the search names.
  package var damage: StoreError? { reader.damage ?? namedDamage }

  /// The catalogue of all rows; `nil` if there may be several, or the repository does not have it.
  package var catalogue: Catalogue? { catalogueID.flatMap(repository.catalogue) }

  fileprivate init(
    _ selection: Selection, in repository: RecordingRepository, chooses: Bool,
    progress: (Int, Int) -> Void
  ) throws {
    self.selection = selection
    self.repository = repository
    let named = try repository.lists(of: selection, choosing: chooses)
    lists = named.stored
    otherLists = named.others
    listNotes = named.notes
    let isSearch = lists.isEmpty || selection.searchesEverything
    part = isSearch ? .rows : selection.readPart(now: repository.dependencies.now())
    expression = try selection.expression(
      in: repository.known, searchedLists: isSearch ? lists.map(\.query) : nil)
    let ids =
      lists.isEmpty
      ? selection.catalogue.map { [$0] } ?? repository.known.map(\.id)
      : lists.map(\.query.catalogue).uniqued
    catalogueID = ids.count == 1 ? ids[0] : nil
    fieldNames =
      try ids.flatMap { try repository.fieldNames(of: $0) }.uniqued
      + [part.dateColumn?.name].compactMap(\.self)
    names = ColumnNames(
      fields: fieldNames, in: catalogueID.flatMap(repository.catalogue), besides: repository.known,
      date: part.dateColumn)
    reader = try ListReader(repository, [])
    purposes = PurposeReport(selection.purposes)
    let (isRanked, order) = try selection.order(names)
    sorted = order.first?.column
    try isSearch ? search(order, isRanked, progress) : read(order, isRanked)
  }

  /// The positions of the rows that are read, of as many.
  private func window(of count: Int) -> Range<Int> {
    (0..<count).window(offset: selection.offset, limit: selection.limit)
  }

  /// Finds the rows among everything stored.
  private mutating func search(
    _ order: [SortKey], _ isRanked: Bool, _ progress: (Int, Int) -> Void
  ) throws {
    // Recordings that are named are meant, whether a list has them or not.
    let areNamed = !selection.recordings.isEmpty
    // The rows of the window can be read without the others if nothing else must be known of these.
    let isWindow = selection.purposes.isEmpty && !areNamed
    let results =
      selection.onlyNamesRecordings
      ? try repository.results(of: selection.namedRecordings)
      : try repository.search(
        expression ?? SearchExpression(terms: []), sort: order, ranked: isRanked,
        distinct: selection.leavesOutCopies && isWindow, window: isWindow ? window(of: .max) : nil,
        findsUnlisted: selection.includesUnlisted || areNamed,
        takesNamesAsTyped: selection.takesNamesAsTyped, preparing: [], progress: progress)
    self.results = results
    expression = results.expression.terms.isEmpty ? nil : results.expression
    searched = results.searched
    matched = results.matched
    leftOutCopies = results.leftOutCopies
    otherNames = results.otherNames
    if expression?.listNames.isEmpty == false {
      namedDamage = try repository.damage(
        of: namedLists(among: repository.storedQueries()).map(\.query))
    }
    guard isWindow else {
      return try choose(
        from: areNamed ? results.reader.including(selection.namedRecordings) : results.reader)
    }
    reader = results.reader
    range = 0..<reader.count
    offset = window(of: matched).lowerBound
    chosen = matched
  }

  /// Reads the rows of the lists.
  private mutating func read(_ order: [SortKey], _ isRanked: Bool) throws {
    let isWindow =
      lists.count == 1 && part == .rows && expression == nil && selection.purposes.isEmpty
      && selection.recordings.isEmpty && !selection.leavesOutCopies
    var rows = try ListReader(
      repository, lists.map(\.query), part: part, sort: order,
      window: isWindow ? window(of: lists[0].count) : nil)
    if isWindow {
      reader = rows
      range = 0..<rows.count
      offset = window(of: lists[0].count).lowerBound
      searched = lists[0].count
      matched = searched
      chosen = searched
      return
    }
    if !selection.recordings.isEmpty { rows = try rows.including(selection.recordings) }
    searched = rows.count
    if let expression {
      // Without its catalogue nothing is known about a field.
      try checkCatalogues()
      let matcher = try StoredMatcher(
        expression, in: repository, rowsOf: lists.map(\.query),
        takesNamesAsTyped: selection.takesNamesAsTyped)
      otherNames = matcher.otherNames
      let found = try rows.positions(matching: matcher)
      rows = rows.subset(at: isRanked ? try rows.ranked(found, by: matcher) : found)
    }
    matched = rows.count
    try choose(from: rows)
  }

  /// Leaves out rows that are not fit for the purposes, and then copies of the others. So a purpose
  /// cannot lose both a recording and its copy.
  private mutating func choose(from found: ListReader) throws {
    var rows = found
    // Of each row that is fit.
    var fit: [(catalogue: CatalogueID, isUncertain: Bool)] = []
    if !selection.purposes.isEmpty {
      rows = try rows.filtered(with: .details) { row in
        let uncertain = purposes.unknownUncertainties
        guard purposes.count(row.details) else {
          results?.matchedByCatalogue[row.id.catalogue]? -= 1
          return false
        }
        fit.append((row.id.catalogue, purposes.unknownUncertainties > uncertain))
        return true
      }
    }
    if selection.leavesOutCopies {
      let single = try rows.withoutCopies()
      let left = fit.isEmpty ? [] : Set(single.keys)
      for (key, row) in zip(rows.keys, fit) where !left.contains(key) {
        results?.matchedByCatalogue[row.catalogue]? -= 1
        if row.isUncertain { purposes.unknownUncertainties -= 1 }
      }
      leftOutCopies = rows.count - single.count
      matched -= leftOutCopies
      rows = single
    }
    reader = rows
    chosen = rows.count
    range = window(of: chosen)
    offset = range.lowerBound
  }

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

  /// Throws if nothing is known about the recordings but their raw fields.
  package func checkCatalogues() throws(SelectionError) {
    for list in lists where repository.catalogue(list.query.catalogue) == nil {
      throw .unknownCatalogue(list.query.catalogue)
    }
  }

  // MARK: Lists

  /// The lists that the recordings can be in. For a search these are the lists of the catalogues
  /// found, or the lists that `in:` names. They are read when they are written, because few formats
  /// name them.
  package func sources() throws -> [StoredQuery] {
    guard let results else { return lists }
    return try namedLists(
      among: repository.storedQueries().filter {
        $0.count > 0 && results.matchedByCatalogue[$0.query.catalogue] != nil
      })
  }

  /// The lists that were searched, also those of which nothing was found; made-up ones only if
  /// something was.
  package func searchedLists() throws -> [StoredQuery] {
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

  // MARK: Reading

  /// The positions in the reader of some of the rows.
  package func range(of positions: Range<Int>) -> Range<Int> {
    range.lowerBound + positions.lowerBound..<range.lowerBound + positions.upperBound
  }

  /// The rows at those positions, from 0, cut to the end; throws `.recordingForgotten` if a
  /// recording was deleted meanwhile, or changed so that the search no longer finds it.
  public func rows(_ range: Range<Int>) async throws -> [RecordingRow] {
    let positions = self.range(of: range.clamped(to: 0..<count))
    return try await repository.perform { _ in
      try reader.rows(positions, with: Self.readByApps)
    }
  }

  /// The contents of the rows that apps read.
  fileprivate static let readByApps: RowContents = [.details, .lists, .audio]

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
    var reader = subset(at: positions).reader
    try reader.prepare(for: contents)
    return try reader.rows(0..<positions.count, with: contents)
  }

  /// Some of the rows, by position among them, in that order.
  private func subset(at positions: [Int]) -> Rows {
    with(reader.subset(at: positions.map { range.lowerBound + $0 }))
  }

  /// All rows of a reader, with what is known of these.
  private func with(_ reader: ListReader) -> Rows {
    var rows = self
    rows.reader = reader
    rows.range = 0..<reader.count
    return rows
  }

  /// The rows at those positions, where the others are more than `most` of their species.
  package func limited(to positions: [Int], perSpecies most: Int) -> Rows {
    var rows = subset(at: positions)
    rows.perSpecies = most
    rows.beyondLimits = count - positions.count
    return rows
  }

  /// The recording at that position.
  package func recording(_ position: Int) throws -> Recording? {
    try reader.rows(range(of: position..<(position + 1))).first
  }

  /// The ids of the rows that are still stored.
  package func ids() throws(StoreError) -> [RecordingID] {
    try reader.store.ids(of: reader.keys.within(range))
  }

  /// Some of the rows, by position among them.
  package func window(offset: Int, limit: Int?) -> Rows {
    var window = self
    let positions = (0..<count).window(offset: offset, limit: limit)
    window.range = range(of: positions)
    window.offset = self.offset + positions.lowerBound
    return window
  }

  /// The rows that are one of those recordings.
  package func including(_ ids: some Collection<RecordingID>) throws -> Rows {
    with(try reader.including(ids))
  }

  /// The rows whose audio is downloaded, prepared for it; `nil` if none is.
  package func withDownloadedAudio() throws -> Rows? {
    var reader = reader
    try reader.prepare(for: .audio)
    guard reader.mayHaveAudio else { return nil }
    let rows = with(
      try reader.subset(at: Array(range)).filtered(with: .audio, by: \.isAudioDownloaded))
    return rows.count == 0 ? nil : rows
  }

  /// Latitude and longitude of each row in degrees; `nan` for one without a coordinate.
  package func coordinates() throws -> [SIMD2<Float>] { Array(try reader.coordinates()[range]) }

  /// Counts the rows by one detail or two: `\.scientificName`, `\.country`,
  /// `\.recordedBy`, `\.behavior`, `\.quality`, `\.licence`, `\.issues`, `\.annotations` (species),
  /// `\.mediaDuration` (ranges), `\.eventDate` (weeks), `\.eventDate?.month`, `\.eventDate?.year`,
  /// `\.eventTime` (hours). By `\.acceptedNameUsage`, a bird counts once, under whichever name it is
  /// stored; by `\.scientificName`, each name does.
  ///
  /// - Parameter details: one or two of these. Anything else ends the program.
  /// - Throws: `StoreError`, and `CancellationError` soon after the task is cancelled.
  public func counts(by details: PartialKeyPath<RecordingDetails>...) async throws
    -> RecordingCounts
  {
    let keys = details.map { detail in
      guard let key = CountKey.counting(by: detail) else {
        preconditionFailure("recordings are not counted by \(detail)")
      }
      return key
    }
    precondition(
      (1...2).contains(keys.count) && Set(keys).count == keys.count,
      "recordings are counted by one detail or two different ones, not by "
        + keys.map(\.name).joined(separator: ", "))
    return try await repository.perform { _ in try counts(by: keys) }
  }

  package func counts(by keys: [CountKey]) throws -> RecordingCounts {
    try readable.counts(by: keys, of: results == nil ? nil : searched)
  }

  /// A reader of the rows that can be read, and no others.
  var readable: ListReader {
    range == 0..<reader.count ? reader : reader.subset(at: Array(range))
  }

  /// Fetches the audio of every row and keeps it, as `RecordingRepository.fetchAudio` does.
  package func fetchAudio(progress: @Sendable (_ done: Int, _ total: Int) -> Void) async throws
    -> AudioLibrary.Report
  {
    try await repository.fetchAudio(of: reader, range, progress: progress)
  }
}

extension Rows: Equatable {
  /// Whether both answer one question with equal recordings in one order, among as many recordings,
  /// and no recording changed between them.
  public static func == (left: Rows, right: Rows) -> Bool {
    left.selection == right.selection && left.searched == right.searched
      && left.matched == right.matched && left.chosen == right.chosen
      && left.unlisted == right.unlisted && left.leftOutCopies == right.leftOutCopies
      && left.latestChange == right.latestChange && left.range == right.range
      && left.reader.keys == right.reader.keys
  }
}

extension RecordingRepository {
  /// The rows that a selection chooses, as they are stored now. Of everything stored it takes up to
  /// seconds: the index decides about most recordings, the rest are read, and no lock is held
  /// meanwhile.
  ///
  /// - Parameters:
  ///   - selection: the question.
  ///   - progress: called with about the number of recordings that were looked at, and that of all,
  ///     if everything stored is searched, on the thread of the search.
  /// - Throws: `SelectionError`; `SearchExpressionError` for a search that is not in the language,
  ///   or asks for a list that is not stored; `QueryError` for a typed text that cannot be a list;
  ///   `StoreError`; and `CancellationError` soon after the task is cancelled.
  public func rows(
    of selection: Selection,
    progress: @Sendable (_ done: Int, _ total: Int) -> Void = { _, _ in }
  ) async throws -> Rows {
    try await perform {
      let latestChange = try $0.store.latestChange()
      var rows: Rows = try $0.rows(of: selection, progress: progress)
      try rows.reader.prepare(for: Rows.readByApps)
      rows.latestChange = latestChange
      return rows
    }
  }

  /// The one thing that interprets a selection: finds the rows that it chooses.
  ///
  /// - Parameters:
  ///   - chooses: whether one of the lists of several catalogues that a text names may be chosen.
  ///   - progress: as for a search of everything stored.
  /// - Throws: `SelectionError`; `SearchExpressionError` for a search that is not in the language,
  ///   or asks for a list that is not stored; `QueryError` for a text that cannot be a list;
  ///   `StoreError`; and `CancellationError` soon after the task is cancelled.
  package func rows(
    of selection: Selection, choosingLists chooses: Bool = true,
    progress: (_ done: Int, _ total: Int) -> Void = { _, _ in }
  ) throws -> Rows {
    try Rows(selection, in: self, chooses: chooses, progress: progress)
  }

  /// The stored lists that a selection names, each once.
  ///
  /// - Parameter chooses: whether one of the lists of several catalogues that a text names may be
  ///   chosen.
  /// - Returns: The lists; other lists that are stored under the same texts, in words; and a
  ///   sentence for each text that no list has, with the lists that are read in its place.
  package func lists(of selection: Selection, choosing chooses: Bool = true) throws -> (
    stored: [StoredQuery], others: [String], notes: [String]
  ) {
    var stored: [StoredQuery] = []
    var others: [String] = []
    var notes: [String] = []
    for name in selection.lists {
      let found: [StoredQuery]
      switch name {
      case .typed(let text):
        let typed = try TypedText(text, in: selection.catalogue)
        let lists = try typed.listsToSelect(in: self, chooses: chooses)
        found = lists.stored
        others += lists.others
        notes += [lists.note].compactMap(\.self)
      case .query(let query):
        guard let list = try self.stored(query) ?? self.stored(list(of: query)) else {
          throw SelectionError.notStored(query)
        }
        found = [list]
      }
      stored += found.filter { list in !stored.contains { $0.query == list.query } }
    }
    return (stored, others.uniqued, notes)
  }
}

extension Selection {
  /// Whether recordings are named, and no other condition and no order is.
  fileprivate var onlyNamesRecordings: Bool {
    !recordings.isEmpty && lists.isEmpty && searches.isEmpty && part == .rows && sort.isEmpty
  }

  /// The recordings that are named, of the catalogue that is meant.
  fileprivate var namedRecordings: [RecordingID] {
    recordings.filter { catalogue == nil || $0.catalogue == catalogue }
  }

  /// Whether rows are ranked, and the keys of their order.
  fileprivate func order(
    _ names: ColumnNames
  ) throws(SelectionError) -> (isRanked: Bool, keys: [SortKey]) {
    let words = [SortKey.rank, SortKey.stored]
    var keys = sort[...]
    let first = keys.first?.name.lowercased()
    let isRanked = first == SortKey.rank
    if isRanked || first == SortKey.stored { keys.removeFirst() }
    if let first, first == SortKey.stored, !keys.isEmpty {
      throw .order(first, .hasFurtherKeys)
    }
    if let other = keys.first(where: { words.contains($0.name.lowercased()) }) {
      throw .order(other.name, .isNotFirst)
    }
    if let first, words.contains(first), sort[0].descending {
      throw .order(first, .hasOneDirection)
    }
    let resolved = try keys.map { key throws(SelectionError) in
      SortKey(try names.column(key.name, orOneOf: words), descending: key.descending)
    }
    return (isRanked, resolved)
  }
}

extension SortKey {
  /// The word for rows of which a name has the plain words of the search first.
  package static let rank = "rank"
  /// The word for the order as stored, where it is not the default.
  package static let stored = "stored"
}

extension Range<Int> {
  /// `limit` positions after the first `offset`, cut to the end; all of them if the limit is `nil`.
  fileprivate func window(offset: Int, limit: Int?) -> Range<Int> {
    let start = Swift.min(lowerBound + Swift.max(0, offset), upperBound)
    return start..<(start + Swift.min(Swift.max(0, limit ?? .max), upperBound - start))
  }
}

#endif
