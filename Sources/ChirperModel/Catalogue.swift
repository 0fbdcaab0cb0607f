/// What chirper knows about a catalogue without asking it: limits, field names, and how a typed text becomes a query.
public struct Catalogue: Sendable {
  public let id: CatalogueID
  /// For sentences: `xeno-canto`, `iTunes`.
  public let name: String
  /// Page sizes it serves.
  public let pageSizes: ClosedRange<Int>
  /// The page size when none is asked for.
  public let defaultPageSize: Int
  /// The least time between two requests to its own host.
  public let minimumInterval: Duration
  /// Its documented field names, in the order in which exports put them; fields it sends besides come after these.
  public let fields: [String]
  /// The columns of the terminal table, most important first.
  public let tableColumns: [TableColumn]
  /// Which of its fields play the parts that every screen knows.
  public let roles: Roles
  /// How it tells what was added to a list; `nil` where only a walk can tell.
  package let incrementalSync: IncrementalSync?
  let makeQuery: @Sendable (_ cleaned: String, _ scientific: Bool) throws(QueryError) -> (text: String, sent: String)

  package init(
    id: CatalogueID, name: String, pageSizes: ClosedRange<Int>, defaultPageSize: Int, minimumInterval: Duration,
    fields: [String], tableColumns: [TableColumn], roles: Roles, incrementalSync: IncrementalSync? = nil,
    makeQuery: @escaping @Sendable (_ cleaned: String, _ scientific: Bool) throws(QueryError) -> (text: String, sent: String)
  ) {
    self.id = id
    self.name = name
    self.pageSizes = pageSizes
    self.defaultPageSize = defaultPageSize
    self.minimumInterval = minimumInterval
    self.fields = fields
    self.tableColumns = tableColumns
    self.roles = roles
    self.incrementalSync = incrementalSync
    self.makeQuery = makeQuery
  }

  /// A column of the terminal table: the field it shows, its heading, and whether its values are numbers.
  public struct TableColumn: Hashable, Sendable {
    public let field: String
    public let heading: String
    public let alignRight: Bool

    package init(_ field: String, _ heading: String, alignRight: Bool = false) {
      self.field = field
      self.heading = heading
      self.alignRight = alignRight
    }
  }

  /// Field names by part; `nil` where the catalogue has no such field.
  public struct Roles: Hashable, Sendable {
    public var title: String?
    public var scientificName: [String]
    public var recordist: String?
    public var country: String?
    public var place: String?
    public var date: String?
    public var duration: String?
    public var quality: String?
    public var kind: String?
    public var licence: String?
    public var page: String?
    public var audio: String?
    public var remarks: String?
    public var background: String?

    package init(
      title: String? = nil, scientificName: [String] = [], recordist: String? = nil, country: String? = nil,
      place: String? = nil, date: String? = nil, duration: String? = nil, quality: String? = nil, kind: String? = nil,
      licence: String? = nil, page: String? = nil, audio: String? = nil, remarks: String? = nil,
      background: String? = nil
    ) {
      self.title = title
      self.scientificName = scientificName
      self.recordist = recordist
      self.country = country
      self.place = place
      self.date = date
      self.duration = duration
      self.quality = quality
      self.kind = kind
      self.licence = licence
      self.page = page
      self.audio = audio
      self.remarks = remarks
      self.background = background
    }
  }

  /// The query that a typed text means here.
  ///
  /// - Parameters:
  ///   - scientific: take plain words as a scientific name, where the catalogue tells the two apart.
  ///   - pageSize: recordings per page; the catalogue's default without.
  /// - Throws: `QueryError` when the text is blank, too long or not in the catalogue's language, or the size is not served.
  public func query(_ typed: String, scientific: Bool = false, pageSize: Int? = nil) throws(QueryError) -> SearchQuery {
    let cleaned = try SearchQuery.cleaned(typed)
    let size = pageSize ?? defaultPageSize
    guard pageSizes.contains(size) else { throw .pageSize(asked: size, served: pageSizes, catalogue: name) }
    let (text, sent) = try makeQuery(cleaned, scientific)
    return SearchQuery(catalogue: id, text: text, pageSize: size, typed: cleaned, sent: sent)
  }
}

/// Why a typed text is no query.
public enum QueryError: Error, Hashable, Sendable {
  case blank
  /// In Unicode scalars.
  case tooLong(count: Int, limit: Int)
  /// A control or bidi character, by its scalar value.
  case controlCharacter(UInt32)
  case pageSize(asked: Int, served: ClosedRange<Int>, catalogue: String)
  /// A tag the catalogue does not have, and the nearest it has.
  case unknownTag(String, nearest: [String])
  /// A tag with nothing after its colon.
  case missingValue(tag: String)
  /// A value outside those the tag takes.
  case badValue(tag: String, value: String, expected: String)
  case unclosedQuote
  /// Plain words beside tags; the suggestion has them tagged.
  case mixed(words: String, suggestion: String)
}
