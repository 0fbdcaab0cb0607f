import Foundation

/// A catalogue: its address, its limits, its query language, and the meaning of its fields.
///
/// Each catalogue is a value of this type in a folder of its own, and no other code tests
/// which catalogue it has.
public struct Catalogue: Sendable, Identifiable {
  /// The catalogue's name in the store, in JSON and in the sentences of errors. It must
  /// never change.
  public let id: CatalogueID
  /// The catalogue's name in sentences: `xeno-canto`, `iTunes`.
  public let name: String
  /// The service that requests go to; `nil` for a catalogue that is built in.
  public let service: Service?
  /// The key it needs; `nil` if it needs none.
  public let key: KeyRequirement?
  /// A sentence that people must read wherever the catalogue's rows are shown; `nil` if it
  /// has none.
  public let notice: String?
  /// A page that explains its query language.
  public var queryHelpURL: URL? { queryHelpAddress.flatMap { URL(string: $0) } }
  /// The address of `queryHelpURL` as text.
  package let queryHelpAddress: String?
  /// Page sizes it serves.
  public let pageSizes: ClosedRange<Int>
  /// The page size if none is given.
  public let defaultPageSize: Int
  /// The least time between two requests to its own host; a fetcher may say less
  /// (`PageFetcher.minimumInterval`).
  public let minimumInterval: Duration
  /// The part of a list that the catalogue serves pages of; `nil` if every page can be
  /// requested.
  public let depth: Depth?
  /// The catalogue's documented field names, in the order of the columns of exports. Other
  /// fields that it sends come after these.
  public let fields: [String]
  /// The columns of the table, in the order in which a pipe has them; see `terminalColumns`.
  public let tableColumns: [TableColumn]
  /// Fields that it changes without meaning: a recording that differs only in these has not
  /// changed.
  public let volatileFields: Set<String>
  /// The texts in `volatileFields` that count all the same; `nil` if no text does.
  package var countedTexts: (@Sendable (RecordingFields) -> [String])?
  /// The parts of its recordings that change without meaning.
  package var volatility: VolatileFields {
    countedTexts.map { VolatileFields(volatileFields, counted: $0) }
      ?? VolatileFields(volatileFields)
  }
  /// The meaning of its fields.
  public let mapping: DetailsMapping
  /// Names of its own for tags of searches, with the detail that each asks about; see
  /// `RecordingRepository.searchExpression`. A tag of chirper's keeps its meaning.
  public let searchTags: [String: DetailColumn]
  /// Further tags of its queries, and the fields that answer them.
  package var fieldTags: [String: FieldTag] = [:]
  /// Whether a tag of its queries is known; `nil` unless it takes further ones, which are sent as
  /// typed.
  package var knowsTag: (@Sendable (String) -> Bool)?
  /// Whether a typed text is the address of a taxon's page on the catalogue's site, which is a
  /// query for that taxon.
  package var namesTaxon: @Sendable (_ typed: String) -> Bool = { _ in false }
  /// The origin of the audio of its recordings.
  public let audio: AudioRules
  /// The way in which it can list only what was added; `nil` if only a walk finds that out.
  public let incrementalSync: IncrementalSync?
  /// Whether plain words that find nothing are asked as a scientific name too: the catalogue takes
  /// them for one kind of name only.
  public let triesScientificNames: Bool
  private let makeAliases: @Sendable (String) -> [String]
  private let makeIDQuery: @Sendable (String) -> String?
  private let makeQuery: QueryMaker

  /// Turns a cleaned text into the text that identifies the query and the text that is sent.
  public typealias QueryMaker =
    @Sendable (_ cleaned: String, _ scientific: Bool) throws(QueryError) -> (
      identity: String, requestText: String
    )

  /// Sends a text as it was typed; texts that differ only in case are the same query.
  public static let asTyped: QueryMaker = { (cleaned, _) throws(QueryError) in
    (cleaned.lowercased(), cleaned)
  }

  /// A catalogue that is not one of chirper's own: `PageFetcher` requests its pages.
  ///
  /// Parameters are described at the properties. Without `fields`, `tableColumns` and `mapping`
  /// there are only raw fields. An id of other characters than lower-case ASCII letters, digits and
  /// hyphens, which no command could name, ends the program, and so do a `defaultPageSize` that is
  /// not among `pageSizes`, a search tag of other characters than lower-case ASCII letters, and one
  /// for a detail that none of chirper's tags asks about.
  ///
  /// - Parameters:
  ///   - idAliases: the ids that a typed id may mean, the likeliest first; the id itself where it
  ///     is not given.
  ///   - idQuery: the text that finds the recording of a typed id; without it, one recording cannot
  ///     be requested.
  ///   - makeQuery: reads a typed text; `asTyped` for a service that takes any text.
  public init(
    id: CatalogueID, name: String, service: Service? = nil, key: KeyRequirement? = nil,
    notice: String? = nil,
    queryHelpURL: String? = nil, pageSizes: ClosedRange<Int>, defaultPageSize: Int,
    minimumInterval: Duration,
    depth: Depth? = nil, fields: [String] = [], tableColumns: [TableColumn] = [],
    volatileFields: Set<String> = [],
    mapping: DetailsMapping = DetailsMapping(fields: [:]) { _ in RecordingDetails() },
    searchTags: [String: DetailColumn] = [:], audio: AudioRules = .none,
    incrementalSync: IncrementalSync? = nil,
    idAliases: @escaping @Sendable (_ typed: String) -> [String] = { [$0] },
    idQuery: @escaping @Sendable (_ typed: String) -> String? = { _ in nil },
    triesScientificNames: Bool = false,
    makeQuery: @escaping QueryMaker
  ) {
    precondition(
      !id.rawValue.isEmpty
        && id.rawValue.utf8.allSatisfy { "abcdefghijklmnopqrstuvwxyz0123456789-".utf8.contains($0) },
      "the id of a catalogue has other characters than lower-case ASCII letters, digits and hyphens: \(id)"
    )
    precondition(
      pageSizes.contains(defaultPageSize),
      "the default page size of \(id) is not one that it serves")
    for (tag, column) in searchTags {
      precondition(
        !tag.isEmpty && tag.utf8.allSatisfy { (0x61...0x7A).contains($0) },
        "no search can name the tag \(tag)")
      precondition(SearchTag(askingAbout: column) != nil, "no tag asks about \(column.name)")
    }
    self.id = id
    self.name = name
    self.service = service
    self.key = key
    self.notice = notice
    queryHelpAddress = queryHelpURL
    self.pageSizes = pageSizes
    self.defaultPageSize = defaultPageSize
    self.minimumInterval = minimumInterval
    self.depth = depth
    self.fields = fields
    self.tableColumns = tableColumns
    self.volatileFields = volatileFields
    self.mapping = mapping
    self.searchTags = searchTags
    self.audio = audio
    self.incrementalSync = incrementalSync
    self.triesScientificNames = triesScientificNames
    self.makeQuery = makeQuery
    makeAliases = idAliases
    makeIDQuery = idQuery
  }

  /// The service of a catalogue, which is used unless a different base URL is configured.
  public struct Service: Hashable, Sendable {
    /// The scheme and host, without a path: `https://xeno-canto.org`; `nil` if the text is
    /// not a URL, and every request fails then.
    public var baseURL: URL? { URL(string: baseAddress) }
    /// The base URL as text.
    package let baseAddress: String
    /// Every host name of its API, in lower case.
    public let hosts: Set<String>
    /// The largest body that is accepted, in bytes after decompression.
    public let bodyLimit: Int

    /// A service by its address; `bodyLimit` is 32 MiB by default.
    public init(baseURL: String, hosts: Set<String>, bodyLimit: Int = 32 << 20) {
      baseAddress = baseURL
      self.hosts = hosts
      self.bodyLimit = bodyLimit
    }
  }

  /// The key that a catalogue needs with every request.
  public struct KeyRequirement: Hashable, Sendable {
    /// The environment variable that holds it: `XENO_CANTO_API_KEY`.
    public let variable: String
    /// The page where people get a key.
    public var helpURL: URL? { URL(string: helpAddress) }
    /// The help page's address as text.
    package let helpAddress: String

    /// A key that people get at `helpURL` and set in `variable`.
    public init(variable: String, helpURL: String) {
      self.variable = variable
      helpAddress = helpURL
    }
  }

  /// The columns of the table as a terminal shows them: columns with a rank by it,
  /// then the rest.
  package var terminalColumns: [TableColumn] {
    tableColumns.sorted { $0.rank ?? .max < $1.rank ?? .max }
  }

  /// Whether its field `id` is the id of a recording. A table with a column that shows the
  /// id in place of a field counts as one without.
  package var sendsIDs: Bool {
    mapping.fields[.catalogNumber] == ["id"] && !tableColumns.contains(where: \.showsID)
  }

  /// The end of the part of a long list that a catalogue serves.
  public struct Depth: Hashable, Sendable {
    /// Records that can be read, from the first.
    public let records: Int
    /// Tags that make a list shorter, as in a sentence: `year:, month: or cnt:`.
    public let narrowing: String

    /// A limit of `records` for each list, unless the query is narrowed with the tags in
    /// `narrowing`.
    public init(records: Int, narrowing: String) {
      self.records = records
      self.narrowing = narrowing
    }
  }

  /// A column of the table: the field or detail it shows, its heading, and how it is shown.
  public struct TableColumn: Hashable, Sendable {
    /// The raw field, in the catalogue's own spelling; the name of the detail in a column of
    /// details.
    public let field: String
    /// The detail that is shown if no raw field holds it alone.
    public private(set) var detail: DetailColumn?
    /// The heading that people read.
    public let heading: String
    /// Whether values are aligned right, as numbers are.
    public let alignRight: Bool
    /// The column's rank, from 1, among the columns that a terminal of 80 cells shows;
    /// `nil` for columns that come after them.
    public let rank: Int?
    /// The cells to which it may be cut so that every column with a rank fits; `nil` if it
    /// is not cut for that.
    public let leastWidth: Int?
    /// Whether the table shows the recording's id, as `play` takes it, in place of the field, by
    /// which it is sorted.
    public let showsID: Bool

    /// A column of text, unless `alignRight` is set.
    public init(
      _ field: String, _ heading: String, alignRight: Bool = false, rank: Int? = nil,
      leastWidth: Int? = nil,
      showsID: Bool = false
    ) {
      self.field = field
      self.heading = heading
      self.alignRight = alignRight
      self.rank = rank
      self.leastWidth = leastWidth
      self.showsID = showsID
    }

    /// A column of a detail; of text, unless `alignRight` is set.
    public init(
      _ detail: DetailColumn, _ heading: String, alignRight: Bool = false, rank: Int? = nil,
      leastWidth: Int? = nil
    ) {
      self.init(detail.name, heading, alignRight: alignRight, rank: rank, leastWidth: leastWidth)
      self.detail = detail
    }
  }

  /// The meaning of a catalogue's fields.
  public struct DetailsMapping: Sendable {
    /// The raw fields that each detail comes from, the most important first. A detail that
    /// the catalogue does not have is missing, and so are the columns of parts of a detail,
    /// such as `year` of `eventDate`.
    public let fields: [DetailColumn: [String]]
    /// The version of `details` for the search index, which keeps their values; `nil` if it
    /// must not. chirper's own mappings have none.
    public let version: Int?
    private let read: @Sendable (Recording, inout RecordingDetails) -> Void

    /// A mapping by a function, which must take each detail from the fields that `fields`
    /// names for it and from no other field.
    ///
    /// - Parameters:
    ///   - fields: the raw fields of each detail.
    ///   - version: any number; a different one whenever `details` gives a different value
    ///     for some recording. Searches of everything stored then use the search index.
    ///     Without it they read each recording of the catalogue, so that they are right
    ///     whatever `details` gives. Programs that share a store should have equal
    ///     versions.
    ///   - details: the recording in standard terms; always equal for equal fields.
    public init(
      fields: [DetailColumn: [String]], version: Int? = nil,
      details: @escaping @Sendable (_ recording: Recording) -> RecordingDetails
    ) {
      self.init(fields: fields, version: version) { $1 = details($0) }
    }

    /// A mapping without a copy of the details. The copy would take as long as reading
    /// several fields.
    ///
    /// - Parameters:
    ///   - fields: the raw fields of each detail.
    ///   - version: as in `init(fields:version:details:)`.
    ///   - read: sets the details of a recording; they have no value before.
    package init(
      fields: [DetailColumn: [String]], version: Int? = nil,
      read: @escaping @Sendable (_ recording: Recording, inout RecordingDetails) -> Void
    ) {
      (self.fields, self.version) = (fields, version)
      self.read = read
    }

    /// The recording in standard terms; computed at each call.
    public func details(of recording: Recording) -> RecordingDetails {
      var details = RecordingDetails()
      read(recording, &details)
      if details.countryCode == nil, let country = details.country {
        details.countryCode = Countries.sent(country)?.code
      }
      return details
    }

    /// The detail that comes from this raw field alone; `nil` if the number of such details
    /// is not 1.
    public func detail(ofField field: String) -> DetailColumn? {
      let details = fields.filter { $0.value == [field] }
      return details.count == 1 ? details.first?.key : nil
    }

    /// The details that come from a raw field, alone or with others.
    package func details(from field: String) -> [DetailColumn] {
      fields.filter { $0.value.contains(field) }.map(\.key)
    }

    /// The raw fields that a column comes from; none if the catalogue does not have it.
    package func fields(of column: DetailColumn) -> [String] { fields[column.parent] ?? [] }
  }

  /// The origin of the audio of a catalogue's recordings.
  #if hasAttribute(nonexhaustive)
    @nonexhaustive
  #endif
  public enum AudioRules: Sendable {
    /// The catalogue has no audio.
    case none
    /// The audio is downloaded from the `audioURL` of the recording's details, which must
    /// be absolute and on one of these hosts (in lower case) or on the host of the
    /// configured base URL. `nameField` is the raw field with the file's original name,
    /// whose extension names the kind of audio. `withheld` gives the catalogue's reason if
    /// it withholds the audio.
    case download(
      hosts: Set<String>, nameField: String? = nil,
      withheld: @Sendable (_ recording: Recording) -> WithheldAudio?)
    /// The audio is made on this machine, always equal for one id: the file's extension and
    /// its bytes.
    case generated(extension: String, bytes: @Sendable (_ id: RecordingID) -> [UInt8])
  }

  /// Audio that a catalogue withholds.
  public struct WithheldAudio: Hashable, Sendable {
    /// The catalogue's own word, raw: `restricted_species`; `nil` if it gives none.
    public let reason: String?

    /// Audio that is withheld for this reason.
    public init(reason: String?) {
      self.reason = reason
    }
  }

  /// The query that a typed text means here.
  ///
  /// - Parameters:
  ///   - scientific: take plain words as a scientific name, where the catalogue distinguishes the
  ///     two.
  ///   - pageSize: recordings per page; the catalogue's default without.
  /// - Throws: `QueryError` when the text is blank, too long or not in the catalogue's language, or
  ///   the size is not served.
  public func query(_ typed: String, scientific: Bool = false, pageSize: Int? = nil)
    throws(QueryError) -> CatalogueQuery
  {
    try query(cleaned: CatalogueQuery.cleaned(typed), scientific: scientific, pageSize: pageSize)
  }

  /// Makes a query of a text that is clean, as `query(_:scientific:pageSize:)` does.
  package func query(cleaned: String, scientific: Bool, pageSize: Int? = nil)
    throws(QueryError) -> CatalogueQuery
  {
    let size = try checked(pageSize)
    let (identity, requestText) = try makeQuery(cleaned, scientific)
    var alternatives: [CatalogueQuery] = []
    if triesScientificNames, !scientific,
      TagScanner.words(ofQuery: cleaned).words.canBeScientificName,
      let other = try? query(cleaned: cleaned, scientific: true, pageSize: size),
      other.identity != identity
    {
      alternatives = [other]
    }
    return CatalogueQuery(
      catalogue: id, identity: identity, pageSize: size, typed: cleaned, requestText: requestText,
      alternatives: alternatives)
  }

  /// The query with a different page size, the catalogue's default if that is `nil`.
  package func query(_ query: CatalogueQuery, pageSize: Int?) throws(QueryError) -> CatalogueQuery {
    query.paged(by: try checked(pageSize))
  }

  private func checked(_ pageSize: Int?) throws(QueryError) -> Int {
    let size = pageSize ?? defaultPageSize
    guard pageSizes.contains(size) else {
      throw .pageSize(asked: size, served: pageSizes, catalogue: name)
    }
    return size
  }

  /// Whether a query asks for plain words as a scientific name: one that `query` made with
  /// `scientific`, and each of a query's `alternatives`, also if it was stored or decoded since.
  /// `false` if the catalogue takes both for the same.
  public func isScientific(_ query: CatalogueQuery) -> Bool {
    let texts = [true, false].map {
      try? self.query(query.typed, scientific: $0, pageSize: query.pageSize).identity
    }
    return texts[0] == query.identity && texts[1] != query.identity
  }

  /// The tags of a query that chirper does not know, each once, in lower case. They are sent as
  /// typed, because services add tags without notice; the service may ignore them.
  public func unknownTags(of query: CatalogueQuery) -> [String] {
    guard let knowsTag else { return [] }
    var scanner = TagScanner(query.requestText)
    var unknown: [String] = []
    while scanner.skipSpaces() {
      guard let tag = scanner.tag() else {
        _ = scanner.words()
        continue
      }
      if !knowsTag(tag), !unknown.contains(tag) { unknown.append(tag) }
      if (try? scanner.value(of: tag)) == nil { _ = scanner.run() }
    }
    return unknown
  }

  /// Refuses a query with a tag that chirper does not know, which would be sent as typed.
  package func checkTagsAreKnown(in query: CatalogueQuery) throws(QueryError) {
    if let tag = unknownTags(of: query).first { throw .unknownTag(tag, nearest: []) }
  }

  /// The ids that a typed id may mean here, the likeliest first: `XC535692` is `535692`.
  public func ids(for typed: String) -> [RecordingID] {
    makeAliases(typed).map { RecordingID(catalogue: id, value: $0) }
  }

  /// The text to fetch to get one recording by a typed id: `nr:535692`; `nil` if the
  /// catalogue has no such query.
  public func queryForID(_ typed: String) -> String? { makeIDQuery(typed) }

  /// The number under which people cite the recording that a typed text names, by that number or by
  /// the address of its page: `XC535692` for `xc 535692`; `nil` if the text is neither.
  package func catalogueNumber(in typed: String) -> String? {
    guard queryForID(typed) != nil, let id = ids(for: typed).first, id.value != typed else {
      return nil
    }
    return details(of: Recording(id: id, fields: RecordingFields(canonical: "{}"))).catalogueNumber
  }

  /// The recording in standard terms.
  public func details(of recording: Recording) -> RecordingDetails {
    mapping.details(of: recording)
  }
}

extension String {
  /// Whether it is one to three words of ASCII letters, as a genus, a species or a subspecies is,
  /// whatever their case. A hyphen is in no name of a genus.
  fileprivate var canBeScientificName: Bool {
    let words = split(separator: " ")
    let isLetter = { (byte: UInt8) in (0x61...0x7A).contains(byte | 0x20) }
    return (1...3).contains(words.count) && words[0].utf8.allSatisfy(isLetter)
      && words.allSatisfy { $0.utf8.allSatisfy { isLetter($0) || $0 == UInt8(ascii: "-") } }
  }

  /// Whether it can be the number that people cite a recording by: letters of ASCII, or none, and
  /// then digits (`XC363793`).
  package var canBeCatalogueNumber: Bool {
    let digits = utf8.drop { (0x61...0x7A).contains($0 | 0x20) }
    return !digits.isEmpty && digits.allSatisfy { (0x30...0x39).contains($0) }
  }
}

extension Catalogue: Hashable {
  /// Compares the ids. A repository has one catalogue of an id.
  public static func == (left: Catalogue, right: Catalogue) -> Bool { left.id == right.id }

  /// Hashes the id.
  public func hash(into hasher: inout Hasher) { hasher.combine(id) }
}
