import ChirperModel

/// Parts of details, kept until every field is read.
protocol FieldReading: Sendable {
  init()
}

/// The fields of a catalogue's records that details come from, and how each is read.
struct FieldTable<Reading: FieldReading>: Sendable {
  typealias Read = @Sendable (inout RecordingDetails, inout Reading, RawValue) -> Void

  struct Field: Sendable {
    let name: String
    let details: [DetailColumn]
    let read: Read
  }

  private let fields: [Field]
  private let names: NameScan
  /// The values read from the fields of a large record, for the next row of that record.
  private let latest = Locked<Latest?>(nil)

  private struct Latest: Sendable {
    let fields: RecordingFields
    let details: RecordingDetails
    let reading: Reading
  }

  /// The bytes of a record from which on it is compared with the one before: less is read as fast.
  private static var largeRecord: Int { 16 << 10 }

  init(_ fields: [Field]) {
    self.fields = fields
    names = NameScan(fields.map(\.name))
  }

  var sources: [DetailColumn: [String]] {
    fields.reduce(into: [:]) { sources, field in
      for detail in field.details { sources[detail, default: []].append(field.name) }
    }
  }

  /// The meaning of a catalogue's fields.
  ///
  /// - Parameters:
  ///   - sources: the fields that each detail is taken from; those of the table if `nil`.
  ///   - finish: computes the other details, once the fields are read.
  func mapping(
    from sources: [DetailColumn: [String]]? = nil,
    _ finish: @escaping @Sendable (Recording, inout Reading, inout RecordingDetails) -> Void
  ) -> Catalogue.DetailsMapping {
    Catalogue.DetailsMapping(fields: sources ?? self.sources) { names in
      let table = names.map { names in FieldTable(fields.filter { names.contains($0.name) }) }
      return { recording, details in
        var reading = Reading()
        (table ?? self).read(recording, into: &details, &reading)
        finish(recording, &reading, &details)
      }
    }
  }

  /// Reads the fields into details and a reading that are still empty.
  private func read(
    _ recording: Recording, into details: inout RecordingDetails, _ reading: inout Reading
  ) {
    let isLarge = recording.fields.bytes.count >= Self.largeRecord
    // Each sound of a record is a row with the whole record, and these rows follow each other.
    if isLarge, let latest = latest.withLock(\.self),
      latest.fields.bytes == recording.fields.bytes
    {
      details = latest.details
      reading = latest.reading
      return
    }
    names.forEach(in: recording.fields) { fields[$0].read(&details, &reading, $1) }
    guard isLarge else { return }
    let read = Latest(fields: recording.fields, details: details, reading: reading)
    latest.withLock { $0 = read }
  }
}

extension FieldTable.Field {
  init(_ name: String, _ details: DetailColumn..., read: @escaping FieldTable<Reading>.Read) {
    self.init(name: name, details: details, read: read)
  }

  /// A field whose value is that of a detail.
  init<Value>(
    _ name: String, _ details: DetailColumn...,
    into detail: WritableKeyPath<RecordingDetails, Value> & Sendable,
    _ value: @escaping @Sendable (RawValue) -> Value
  ) {
    self.init(name: name, details: details) { details, _, field in
      details[keyPath: detail] = value(field)
    }
  }
}

/// A reading that keeps the texts of fields, by the names of these.
protocol TextReading: FieldReading {
  var texts: [String: String] { get set }
}

extension FieldTable.Field where Reading: TextReading {
  /// A field whose text is kept until every field is read.
  init(
    _ name: String, _ details: DetailColumn..., text: @escaping @Sendable (RawValue) -> String?
  ) {
    self.init(name: name, details: details) { _, reading, field in
      reading.texts[name] = text(field)
    }
  }
}

/// A reading that keeps numbers of fields, by the names of these.
protocol NumberReading: FieldReading {
  var numbers: [String: Double] { get set }
  /// Whether the record has a coordinate, whether or not it can be read.
  var hasPlace: Bool { get set }
}

extension NumberReading {
  /// The date whose parts are in these fields; `nil` without a year.
  func dateOfNumbers(_ year: String, _ month: String, _ day: String) -> PartialDate? {
    func whole(_ name: String) -> Int? { numbers[name].flatMap { Int(exactly: $0) } }
    return whole(year).flatMap {
      PartialDate(year: $0, month: whole(month) ?? 0, day: whole(day) ?? 0)
    }
  }
}

extension FieldTable.Field where Reading: NumberReading {
  /// A field whose number is kept until every field is read.
  static func number(
    _ name: String, _ details: DetailColumn..., by read: @escaping @Sendable (RawValue) -> Double?
  ) -> Self {
    Self(name: name, details: details) { _, reading, field in reading.numbers[name] = read(field) }
  }

  /// A field of degrees north or east, which are kept as a number.
  static func degrees(_ name: String, _ details: DetailColumn...) -> Self {
    Self(name: name, details: details) { _, reading, field in
      reading.numbers[name] = field.degrees
      if field.text != nil { reading.hasPlace = true }
    }
  }
}
