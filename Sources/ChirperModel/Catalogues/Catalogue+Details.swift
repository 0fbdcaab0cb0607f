import Foundation

extension Catalogue {
  /// A detail of a catalogue's recordings, and the field that it comes from.
  ///
  /// The property is named by its key path, and so is its column: `\.scientificName` is what
  /// screens read as `RecordingDetails.scientificName`, exports as `scientificName`, and searches
  /// as `sp:`. A value that cannot be read leaves the property without one.
  ///
  /// A field is named as the service spells it. A path leads into objects: `place.name` is the
  /// member `name` of the object `place`, or of the first object of an array of that name.
  public struct Detail: Sendable {
    fileprivate let property: any PartialKeyPath<RecordingDetails> & Sendable
    fileprivate let fields: [String]
    fileprivate let source: Source

    fileprivate enum Source: Sendable {
      /// The value at a path of names, by a way to read it that has a name.
      case field(path: [String], form: String, @Sendable (RawValue, inout RecordingDetails) -> Void)
      /// The value of several fields, by a way to read them; one without a name is the catalogue's.
      case computed(form: String?, @Sendable (Recording, inout RecordingDetails) -> Void)
    }

    private init<Value>(
      _ property: WritableKeyPath<RecordingDetails, Value> & Sendable, of field: String,
      _ form: String, _ read: @escaping @Sendable (RawValue) -> Value
    ) {
      self.property = property
      let path = Self.path(field)
      fields = [path[0]]
      source = .field(path: path, form: form) { $1[keyPath: property] = read($0) }
    }

    /// A text, without white space around it; a number as it is written.
    public static func text(
      _ property: WritableKeyPath<RecordingDetails, String?> & Sendable, of field: String
    ) -> Detail {
      Detail(property, of: field, "text", \.text)
    }

    /// The texts of an array; a text alone is one of them.
    public static func texts(
      _ property: WritableKeyPath<RecordingDetails, [String]> & Sendable, of field: String
    ) -> Detail {
      Detail(property, of: field, "texts", \.texts)
    }

    /// A number, or one in a text, such as `"12.5"`; of a length in metres.
    public static func number(
      _ property: WritableKeyPath<RecordingDetails, Double?> & Sendable, of field: String
    ) -> Detail {
      Detail(property, of: field, "number", \.decimal)
    }

    /// A whole number above zero, or one in a text: `44100`.
    public static func integer(
      _ property: WritableKeyPath<RecordingDetails, Int?> & Sendable, of field: String
    ) -> Detail {
      Detail(property, of: field, "integer") { $0.count.flatMap { Int(exactly: $0) } }
    }

    /// The place at two fields of degrees, each a number, or one in a text.
    public static func coordinate(latitude: String, longitude: String) -> Detail {
      let paths = [path(latitude), path(longitude)]
      return Detail(
        \.coordinate, paths.map { $0[0] },
        .computed(form: "coordinate \(latitude) \(longitude)") { recording, details in
          let degrees = paths.compactMap { path in
            recording.fields.value(at: path, \.decimal).flatMap(\.self)
          }
          guard degrees.count == 2 else { return }
          details.coordinate = RecordingDetails.Coordinate(
            latitude: degrees[0], longitude: degrees[1])
        })
    }

    /// A licence of Creative Commons as `RecordingDetails.Licence.init(creativeCommons:)` reads it,
    /// or any other by its name or address.
    public static func licence(of field: String) -> Detail {
      Detail(\.licence, of: field, "licence", \.licence)
    }

    /// A number of seconds, or a text such as `1:05` or `1:02:07`.
    public static func duration(
      _ property: WritableKeyPath<RecordingDetails, Duration?> & Sendable, of field: String
    ) -> Detail {
      Detail(property, of: field, "duration") { value in
        (value.decimal ?? value.duration).flatMap { (0...1e9).contains($0) ? .seconds($0) : nil }
      }
    }

    /// A day, month or year as `PartialDate` reads it: `2024-05-01`, `2024-05`, `2024`, or a date
    /// with a time after it.
    public static func date(
      _ property: WritableKeyPath<RecordingDetails, PartialDate?> & Sendable, of field: String
    ) -> Detail {
      Detail(property, of: field, "date", \.date)
    }

    /// An absolute address with HTTPS or HTTP.
    public static func url(
      _ property: WritableKeyPath<RecordingDetails, URL?> & Sendable, of field: String
    ) -> Detail {
      // A URL takes longer than every other value, and most rows are read without one.
      Detail(property.address, of: field, "url") { $0.url() }
    }

    /// A value of any type that `value` computes of a recording.
    ///
    ///     .value(\.coordinate, from: ["lat", "lon"]) { recording in
    ///       guard let latitude = recording["lat"]?.double, let longitude = recording["lon"]?.double
    ///       else { return nil }
    ///       return Coordinate(latitude: latitude, longitude: longitude)
    ///     }
    ///
    /// - Parameters:
    ///   - property: the property that has the value.
    ///   - fields: the fields that the value depends on, the most important first; it must depend
    ///     on no other field.
    ///   - value: always equal for equal fields, until `Catalogue.detailsVersion` is a higher one.
    public static func value<Value>(
      _ property: WritableKeyPath<RecordingDetails, Value> & Sendable, from fields: [String],
      _ value: @escaping @Sendable (_ recording: Recording) -> Value
    ) -> Detail {
      Detail(property, fields, .computed(form: nil) { $1[keyPath: property] = value($0) })
    }

    private static func path(_ field: String) -> [String] {
      field.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
    }

    private init(
      _ property: any PartialKeyPath<RecordingDetails> & Sendable, _ fields: [String],
      _ source: Source
    ) {
      self.property = property
      self.fields = fields
      self.source = source
    }
  }
}

extension RawValue {
  /// A licence of Creative Commons by its address, any other licence by its name or
  /// address.
  package var licence: RecordingDetails.Licence? {
    text.map {
      RecordingDetails.Licence(creativeCommons: $0)
        ?? RecordingDetails.Licence(other: $0, address: url())
    }
  }
}

extension WritableKeyPath<RecordingDetails, URL?> {
  /// The property that has the address as text.
  fileprivate var address: WritableKeyPath<RecordingDetails, String?> & Sendable {
    switch self {
    case \.pageURL: \.pageAddress
    case \.sonogramURL: \.sonogramAddress
    default: \.audioAddress
    }
  }
}

extension Catalogue {
  /// The meaning of a catalogue's fields.
  package struct DetailsMapping: Sendable {
    /// The raw fields that each detail comes from, the most important first. A detail that
    /// the catalogue does not have is missing, and so are the columns of parts of a detail,
    /// such as `year` of `eventDate`.
    package let fields: [DetailColumn: [String]]
    /// The version of the details for the search index, which keeps their values; `nil` if it
    /// must not. chirper's own mappings have none.
    package let version: Int?
    /// The details that keep the catalogue out of the search index, because they are computed and
    /// have no version.
    package private(set) var unversioned: [DetailColumn] = []
    /// Sets the details of a recording; they have no value before.
    package typealias Read = @Sendable (_ recording: Recording, inout RecordingDetails) -> Void
    private let reader: @Sendable (_ names: Set<String>?) -> Read
    private var read: Read

    /// A mapping that reads all fields in one pass, and then computes the other details.
    ///
    /// - Parameter version: `Catalogue.detailsVersion`.
    init(_ details: [Detail], version: Int?) {
      var sources: [DetailColumn: [String]] = [:]
      var properties: Set<PartialKeyPath<RecordingDetails>> = []
      var readers: [(path: [String], read: @Sendable (RawValue, inout RecordingDetails) -> Void)]
      var computed: [@Sendable (Recording, inout RecordingDetails) -> Void] = []
      readers = []
      var declaration: [String] = []
      for detail in details {
        let columns = DetailColumn.columns(of: detail.property)
        precondition(
          properties.insert(detail.property).inserted, "two details are one: \(columns)")
        var form: String?
        switch detail.source {
        case .field(let path, let named, let read):
          readers.append((path, read))
          form = "\(named) \(path.joined(separator: "."))"
        case .computed(let named, let read):
          computed.append(read)
          form = named
        }
        if form == nil, version == nil { unversioned += columns }
        for column in columns {
          sources[column, default: []] += detail.fields
          declaration.append("\(column.name) \(form ?? "computed")")
        }
      }
      fields = sources
      declaration.append("\(version ?? 0)")
      let hash = StableHash.fnv1a(declaration.joined(separator: "\n"))
      self.version = unversioned.isEmpty ? Int(hash >> 1) : nil
      let all = Set(readers.map(\.path[0]))
      reader = { [readers, computed] wanted in
        let names = all.intersection(wanted ?? all).sorted()
        let scan = NameScan(names)
        let byName = names.map { name in readers.filter { $0.path[0] == name } }
        return { recording, details in
          scan.forEach(in: recording.fields) { index, value in
            for reader in byName[index] {
              value.withMember(at: reader.path.dropFirst()) { reader.read($0, &details) }
            }
          }
          for read in computed { read(recording, &details) }
        }
      }
      read = reader(nil)
    }

    /// A mapping of a catalogue of chirper's, whose details depend on each other.
    ///
    /// - Parameters:
    ///   - fields: the fields that each detail is taken from.
    ///   - reader: makes what reads the fields with those names, or all of them, and sets the details
    ///     that follow from them.
    package init(
      fields: [DetailColumn: [String]],
      reader: @escaping @Sendable (_ names: Set<String>?) -> Read
    ) {
      self.fields = fields
      self.reader = reader
      read = reader(nil)
      version = nil
    }

    /// The recording in standard terms; computed at each call.
    package func details(of recording: Recording) -> RecordingDetails {
      var details = RecordingDetails()
      if recording.fields.importedForm == .details {
        details = ImportedDetails.read(recording.fields)
      } else {
        read(recording, &details)
      }
      if details.countryCode == nil, let country = details.country {
        details.countryCode = Countries.sent(country)?.code
      }
      details.annotations += recording.labels
      return details
    }

    /// The mapping that reads only the fields that these columns come from. Other columns may have no
    /// value.
    package func reading(only columns: Set<DetailColumn>) -> DetailsMapping {
      var mapping = self
      mapping.read = reader(Set(columns.union(columns.flatMap(\.sources)).flatMap(fields(of:))))
      return mapping
    }

    /// The detail that comes from this raw field alone; `nil` if the number of such details
    /// is not 1.
    package func detail(ofField field: String) -> DetailColumn? {
      let details = fields.filter { $0.value == [field] }
      return details.count == 1 ? details.first?.key : nil
    }

    /// The detail in which a record without raw fields has what is in that field.
    package func detail(inPlaceOf field: String) -> DetailColumn? {
      let details = DetailColumn.allCases.filter { $0 != .issues && fields[$0]?.first == field }
      return details.first { fields[$0]?.count == 1 } ?? details.first
    }

    /// The details that come from a raw field, alone or with others.
    package func details(from field: String) -> [DetailColumn] {
      fields.filter { $0.value.contains(field) }.map(\.key)
    }

    /// The raw fields that a column comes from; none if the catalogue does not have it.
    package func fields(of column: DetailColumn) -> [String] { fields[column.parent] ?? [] }
  }
}
