import ChirperModel

/// The fields of a catalogue's records that details come from: which, and how each is read. A `Reading` keeps what further details
/// are made of when every field is read.
struct FieldTable<Reading>: Sendable {
  typealias Read = @Sendable (inout RecordingDetails, inout Reading, RawValue) -> Void

  struct Field: Sendable {
    let name: String
    let details: [DetailColumn]
    let read: Read

    init(_ name: String, _ details: DetailColumn..., read: @escaping Read) {
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

  func read(_ recording: Recording, into details: inout RecordingDetails, _ reading: inout Reading) {
    names.forEach(in: recording.fields) { fields[$0].read(&details, &reading, $1) }
  }
}
