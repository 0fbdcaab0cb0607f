import ChirperModel

/// The fields of a catalogue's records that details come from: which, and how each is read.
struct FieldTable<Reading>: Sendable {
  struct Field: Sendable {
    let name: String
    let details: [DetailColumn]
    let read: @Sendable (inout Reading, RawValue) -> Void

    init(_ name: String, _ details: DetailColumn..., read: @escaping @Sendable (inout Reading, RawValue) -> Void) {
      (self.name, self.details, self.read) = (name, details, read)
    }
  }

  private let fields: [Field]
  private let names: NameScan

  init(_ fields: [Field]) {
    self.fields = fields
    names = NameScan(fields.map(\.name))
  }

  var sources: [DetailColumn: [String]] {
    fields.reduce(into: [:]) { sources, field in
      for detail in field.details { sources[detail, default: []].append(field.name) }
    }
  }

  func reading(of recording: Recording, _ empty: Reading) -> Reading {
    var reading = empty
    names.forEach(in: recording.fields) { fields[$0].read(&reading, $1) }
    return reading
  }
}
