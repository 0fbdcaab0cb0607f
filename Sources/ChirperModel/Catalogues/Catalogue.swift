import Foundation

/// A catalogue: its address, its limits, its query language, and the meaning of its fields.
///
/// Only `id` and `name` must be given. Everything else has a default, and is set by its property:
///
///     var catalogue = Catalogue(id: "diary", name: "Diary")
///     catalogue.pageSizes = 1...100
///     catalogue.details = [.text(\.scientificName, of: "bird"), .date(\.eventDate, of: "written")]
///
/// Each of chirper's own catalogues is a value of this type in a folder of its own, and no other
/// code tests which catalogue it has.
public struct Catalogue: Sendable, Identifiable {
  /// The catalogue's name in the store, in JSON and in the sentences of errors. It must
  /// never change.
  public let id: CatalogueID
  /// The catalogue's name in sentences: `xeno-canto`, `iTunes`.
  public var name: String
  /// The service that requests go to; `nil`, the default, for a catalogue that is built in.
  public var service: Service?
  /// The page where people get the key that it needs with every request; `nil`, the default, if it
  /// needs none.
  public var keyHelpURL: URL? {
    get { keyHelpAddress.flatMap { URL(string: $0) } }
    set { keyHelpAddress = newValue?.absoluteString }
  }
  /// The address of `keyHelpURL` as text.
  package var keyHelpAddress: String?
  /// A sentence that people must read wherever the catalogue's rows are shown; `nil`, the default,
  /// if it has none.
  public var notice: String?
  /// A page that explains its query language; `nil`, the default, if it has none.
  public var queryHelpURL: URL? {
    get { queryHelpAddress.flatMap { URL(string: $0) } }
    set { queryHelpAddress = newValue?.absoluteString }
  }
  /// The address of `queryHelpURL` as text.
  package var queryHelpAddress: String?
  /// A list that people who have none are offered.
  package struct FirstList: Hashable, Sendable {
    package let query: String
    /// The words for fetching it: `Fetch from GBIF`.
    package let action: String
    /// The effect of fetching it.
    package let effect: String

    package init(_ query: String, action: String, effect: String) {
      self.query = query
      self.action = action
      self.effect = effect
    }
  }
  /// The list that is offered while nothing is stored; `nil`, the default, if none is.
  package var firstList: FirstList?
  /// Page sizes it serves: 1 to 100 by default.
  public var pageSizes: ClosedRange<Int> = 1...100
  /// The page size if none is given: 100 by default, or the size nearest to it that is served.
  ///
  /// A size that is not among `pageSizes` ends the program when a repository is opened.
  public var defaultPageSize: Int {
    get { chosenPageSize ?? min(max(pageSizes.lowerBound, 100), pageSizes.upperBound) }
    set { chosenPageSize = newValue }
  }
  private var chosenPageSize: Int?
  /// The least time between two requests to its own host, one second by default; a fetcher may say
  /// less (`PageFetcher.minimumInterval`).
  public var minimumInterval: Duration = .seconds(1)
  /// The part of a list that the catalogue serves pages of; `nil`, the default, if every page can
  /// be requested.
  public var depth: Depth?
  /// The catalogue's documented field names, in the order of the columns of exports. Other
  /// fields that it sends come after these.
  public var fields: [String] = []
  /// The columns of the table, in the order in which a pipe has them.
  package var tableColumns: [TableColumn] = []
  /// Fields that it changes without meaning, by name or path (`taxon.count`): a recording that
  /// differs only in these has not changed.
  public var volatileFields: Set<String> = []
  /// The texts in `volatileFields` that count all the same.
  package var countedTexts: @Sendable (RecordingFields) -> [String] = { _ in [] }
  /// The parts of its recordings that change without meaning.
  package var volatility: VolatileFields {
    VolatileFields(names: volatileFields, counted: countedTexts) { [self] id, stored, new in
      merge(id, stored, new)
    }
  }
  /// The way in which it takes the rows of files; `nil` if it has none.
  package var imports: ImportRules?
  /// The recordings of a record that its service sent, one for each sound, and the number
  /// of sounds beyond the most of one record; `nil` if it sends none.
  package var recordings: (@Sendable (RecordingFields) -> (rows: [Recording], leftOut: Int))?
  /// Whether no service answers for it: its recordings are imported from files.
  package var isImportedOnly = false
  /// Whether it is built in, and its recordings are made up.
  package var isBuiltIn: Bool { service == nil && !isImportedOnly }
  /// The details of its recordings, each with the fields that it comes from; none by default.
  ///
  /// Two of one property end the program: there is one source of each detail.
  public var details: [Detail] = [] {
    didSet { mapping = DetailsMapping(details, version: detailsVersion) }
  }
  /// The version of `details` for the search index, which keeps their values: any number, and a
  /// different one whenever they give a different value for some recording.
  ///
  /// It is needed for details that are computed (`Detail.value`) alone: those that name their
  /// fields have a version of their own. Without it the index keeps none of the catalogue's
  /// recordings, and each search reads them, so that it is right whatever the details are. Programs
  /// that share a store should have equal versions.
  public var detailsVersion: Int? {
    didSet { mapping = DetailsMapping(details, version: detailsVersion) }
  }
  /// The meaning of its fields.
  package var mapping = DetailsMapping([], version: nil)
  #if Collection
  /// Names of its own for tags of searches, of lower-case ASCII letters, each with the detail or
  /// the field that it asks about. A tag of chirper's keeps its meaning, and so do `country`,
  /// `family`, `length` and `quality`.
  ///
  /// A name that no search can have, and a detail that no tag of chirper's asks about, end the
  /// program.
  public var searchTags: [String: Tag] = [:] {
    didSet {
      for (tag, meaning) in searchTags {
        precondition(
          !tag.isEmpty && tag.utf8.allSatisfy(\.isSmallLetter),
          "no search can name the tag \(tag)")
        if case .detail(let column) = meaning.asked {
          precondition(SearchTag(askingAbout: column) != nil, "no tag asks about \(column.name)")
        }
      }
    }
  }
  /// Further tags of its queries, and the fields that answer them.
  package var fieldTags: [String: FieldTag] = [:]
  #endif
  /// Whether a tag of its queries is known; `nil` unless it takes further ones, which are sent as
  /// typed.
  package var knowsTag: (@Sendable (String) -> Bool)?
  /// Whether a typed text is the address of a taxon's page on the catalogue's site, which is a
  /// query for that taxon.
  package var namesTaxon: @Sendable (_ typed: String) -> Bool = { _ in false }
  /// The origin of the audio of its recordings; by default they have none.
  public var audio: AudioRules = .none
  /// The requests that list only what was added or changed; `nil`, the default, if only a walk
  /// finds that out.
  public var sync: Sync?
  /// The requests of `sync`.
  package var incrementalSync: IncrementalSync? { sync?.requests }
  /// Whether plain words that find nothing are asked as a scientific name too: the catalogue takes
  /// them for one kind of name only.
  package var triesScientificNames = false
  /// Whether its recordings have scientific names.
  package var namesSpecies: Bool { !mapping.fields(of: .scientificName).isEmpty }
  /// The ids that a typed id may mean, the likeliest first.
  package var idAliases: @Sendable (_ typed: String) -> [String] = { [$0] }
  /// The text that finds the recording of a typed id: `nr:535692`; without it, one recording cannot
  /// be requested.
  package var idQuery: @Sendable (_ typed: String) -> String? = { _ in nil }
  /// Reads a text that was typed, without white space around it: `identity` identifies the list,
  /// and `requestText` is what the service gets.
  ///
  /// The default sends the text as typed; texts that differ only in case are one list.
  /// `scientific` asks to take plain words as a scientific name, where the catalogue distinguishes
  /// the two. A text that is not in the catalogue's language throws a `QueryError`, such as
  /// `badValue(tag:value:expected:)`.
  public var makeQuery:
    @Sendable (_ typed: String, _ scientific: Bool) throws(QueryError) -> (
      identity: String, requestText: String
    ) = { (typed, _) throws(QueryError) in (typed.lowercased(), typed) }

  /// A catalogue that is not one of chirper's own: `PageFetcher` requests its pages.
  ///
  /// - Parameters:
  ///   - id: lower-case ASCII letters, digits and hyphens; any other character, which no search
  ///     could name, ends the program.
  ///   - name: the name in sentences.
  public init(id: CatalogueID, name: String) {
    precondition(
      !id.rawValue.isEmpty
        && id.rawValue.utf8.allSatisfy { "abcdefghijklmnopqrstuvwxyz0123456789-".utf8.contains($0) },
      "the id of a catalogue has other characters than lower-case ASCII letters, digits and hyphens: \(id)"
    )
    self.id = id
    self.name = name
  }

  /// Ends the program if values contradict each other.
  package func checkValues() {
    precondition(
      pageSizes.contains(defaultPageSize),
      "the default page size of \(id) is not one that it serves: \(defaultPageSize)")
    precondition(pageSizes.lowerBound > 0, "\(id) serves pages without a recording")
  }

  /// The environment variable that holds its key for the command: `XENO_CANTO_API_KEY`.
  package var keyVariable: String {
    id.rawValue.uppercased().replacing("-", with: "_") + "_API_KEY"
  }

  /// The service of a catalogue, which is used unless a different base URL is configured.
  public struct Service: Hashable, Sendable {
    /// The scheme and host, without a path: `https://xeno-canto.org`; `nil` if the text is
    /// not a URL, and every request fails then.
    public var baseURL: URL? { URL(string: baseAddress) }
    /// The base URL as text.
    package let baseAddress: String
    /// Every host name of its API, in lower case: redirects lead to these alone.
    public var hosts: Set<String>
    /// The largest body that is accepted, in bytes after decompression; 32 MiB by default.
    public var bodyLimit = 32 << 20

    /// A service by its scheme and host, `https://xeno-canto.org`, which is its only host.
    public init(_ baseURL: String) {
      baseAddress = baseURL
      hosts = URL(string: baseURL)?.host().map { [$0.lowercased()] } ?? []
    }
  }

  #if Collection
  /// Whether its field `id` is the id of a recording. A table with a column that shows the
  /// id in place of a field counts as one without.
  package var sendsIDs: Bool {
    mapping.fields[.catalogNumber] == ["id"] && !tableColumns.contains(where: \.showsID)
  }

  /// The meaning of a tag of searches that a catalogue has of its own.
  public struct Tag: Hashable, Sendable {
    let asked: Asked

    enum Asked: Hashable, Sendable {
      case detail(DetailColumn)
      case field(String, SearchField.Kind)
    }

    /// The tag asks about a detail, as chirper's tag for it does, in every catalogue. A property
    /// that no tag asks about ends the program.
    public static func detail(_ property: PartialKeyPath<RecordingDetails>) -> Tag {
      guard let column = DetailColumn.columns(of: property).first else {
        preconditionFailure("no tag asks about \(property)")
      }
      return Tag(asked: .detail(column))
    }

    /// The tag asks about a field of this catalogue, by its name or path, whose text contains the
    /// value: `camera:canon`. `=` asks for the whole text, `any` for a recording with the field,
    /// `none` for one without.
    public static func field(_ name: String) -> Tag { Tag(asked: .field(name, .text)) }

    /// The tag asks about a field of this catalogue that is a number, or a text with one:
    /// `khz:>60`, `khz:20-40`.
    public static func number(_ name: String) -> Tag { Tag(asked: .field(name, .number)) }

    /// The tag asks about a field of this catalogue that is a date (`Detail.date`):
    /// `heard:2024-05`, `heard:2018-2020`, `heard:<2024-05-17`.
    public static func date(_ name: String) -> Tag { Tag(asked: .field(name, .date)) }
  }
  #endif

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

  /// The origin of the audio of a catalogue's recordings.
  #if hasAttribute(nonexhaustive)
  @nonexhaustive
  #endif
  public enum AudioRules: Sendable {
    /// The catalogue has no audio.
    case none
    /// The audio is downloaded from the `accessURI` of the recording's details, which must
    /// be absolute and on one of these hosts (in lower case) or on the host of the
    /// configured base URL. `nameField` is the raw field with the file's original name,
    /// whose extension names the kind of audio. `withheld` gives the catalogue's reason if
    /// it withholds the audio.
    case download(
      hosts: Set<String>, nameField: String? = nil,
      withheld: @Sendable (_ recording: Recording) -> WithheldAudio? = { _ in nil })
    /// The audio is made on this machine, always equal for one id: the file's extension and
    /// its bytes.
    case generated(extension: String, bytes: @Sendable (_ id: RecordingID) -> [UInt8])
    /// The audio is a file on this machine, which is used where it is, and never changed or
    /// deleted; `nil`, or a file that does not exist, for a recording without audio.
    case file(@Sendable (_ recording: Recording) -> URL?)
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
    let asked = ScientificName.withoutAuthor(cleaned) ?? cleaned
    let (identity, requestText) = try makeQuery(asked, scientific)
    var alternatives: [CatalogueQuery] = []
    if triesScientificNames, !scientific,
      TagScanner.words(ofQuery: asked).words.canBeScientificName,
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
      throw QueryError(.pageSize(asked: size, served: pageSizes, catalogue: name))
    }
    return size
  }

  /// Whether a query asks for plain words as a scientific name: one that `query` made with
  /// `scientific`, and each of a query's `alternatives`, also if it was stored or decoded since.
  /// `false` if the catalogue takes both for the same.
  package func isScientific(_ query: CatalogueQuery) -> Bool {
    let texts = [true, false].map {
      try? self.query(query.typed, scientific: $0, pageSize: query.pageSize).identity
    }
    return texts[0] == query.identity && texts[1] != query.identity
  }

  /// The tags of a query that chirper does not know, each once, in lower case. They are sent as
  /// typed, because services add tags without notice; the service may ignore them.
  package func unknownTags(of query: CatalogueQuery) -> [String] {
    guard let knowsTag else { return [] }
    var scanner = TagScanner(query.requestText)
    var unknown: [String] = []
    while scanner.skipSpaces() {
      guard let tag = scanner.tagAsTyped() else {
        _ = scanner.words()
        continue
      }
      if !knowsTag(tag), !unknown.contains(tag) { unknown.append(tag) }
      scanner.skipValue(of: tag)
    }
    return unknown
  }

  #if Collection
  /// The further tags of its queries, which ask about recordings of that catalogue.
  package func furtherTags(asking id: CatalogueID) -> [String: OwnTag] {
    fieldTags.compactMapValues { tag in
      switch tag {
      case .field(let names, let kind): .field(SearchField(names, kind, of: id))
      case .compared(let tag, let sign): .compared(tag, sign)
      case .unanswered: nil
      }
    }
  }

  /// The first tag of a query for which records have no field; it may be spelled unlike other tags,
  /// such as `id?:`.
  package func unansweredTag(in query: String) -> String? {
    var scanner = TagScanner(query)
    while scanner.skipSpaces() {
      _ = scanner.skip("-")
      let tag = scanner.tag()
      let word = tag ?? scanner.words()
      let name = word.prefix { $0 != ":" }.lowercased()
      if tag != nil || name.count < word.count, fieldTags[name] == .unanswered { return name }
      if let tag { scanner.skipValue(of: tag) }
    }
    return nil
  }
  #endif

  /// Refuses a query with a tag that chirper does not know, which would be sent as typed.
  package func checkTagsAreKnown(in query: CatalogueQuery) throws(QueryError) {
    if let tag = unknownTags(of: query).first { throw QueryError(.unknownTag(tag, nearest: [])) }
  }

  /// The ids that a typed id may mean here, the likeliest first: `XC535692` is `535692`.
  package func ids(for typed: String) -> [RecordingID] {
    idAliases(typed).map { RecordingID(catalogue: id, value: $0) }
  }

  /// The number under which people cite the recording that a typed text names, by that number or by
  /// the address of its page: `XC535692` for `xc 535692`; `nil` if the text is neither.
  package func catalogueNumber(in typed: String) -> String? {
    guard idQuery(typed) != nil, let id = ids(for: typed).first, id.value != typed else {
      return nil
    }
    return details(of: Recording(id: id, fields: RecordingFields(canonical: "{}"))).catalogNumber
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
    return (1...3).contains(words.count) && words[0].utf8.allSatisfy(\.isLetter)
      && words.allSatisfy { $0.utf8.allSatisfy { $0.isLetter || $0 == UInt8(ascii: "-") } }
  }

  /// Whether it can be the number that people cite a recording by: letters of ASCII, or none, and
  /// then digits (`XC363793`).
  package var canBeCatalogueNumber: Bool {
    let digits = utf8.drop(while: \.isLetter)
    return !digits.isEmpty && digits.allSatisfy(\.isDigit)
  }
}

extension Catalogue: Hashable {
  /// Compares the ids. A repository has one catalogue of an id.
  public static func == (left: Catalogue, right: Catalogue) -> Bool { left.id == right.id }

  /// Hashes the id.
  public func hash(into hasher: inout Hasher) { hasher.combine(id) }
}
