// ChirperModel has the values that travel between modules, and reads nothing but what it is given.
// Its surface is what is `public` or `package`: an app sees the public part through `Chirper`.

/// The identity of a recording: its catalogue and the id that the catalogue gave it.
public struct RecordingID: Hashable, Codable, Sendable, CustomStringConvertible {
  /// The catalogue that it is in.
  public let catalogue: CatalogueID
  /// The catalogue's own id, as text: `"535692"`, `"track-1369438950"`, `"sample:17"`.
  public let value: String

  /// The recording to which this catalogue gave this id.
  public init(catalogue: CatalogueID, value: String) {
    self.catalogue = catalogue
    self.value = value
  }

  /// Catalogue and id: `xeno-canto 535692`.
  public var description: String { "\(catalogue) \(value)" }
}

/// One entry of a catalogue: its id and every field the service sent, kept exactly.
public struct Recording: Hashable, Codable, Sendable, Identifiable {
  /// Catalogue and id.
  public let id: RecordingID
  /// Every field as the catalogue sent it.
  public let fields: RecordingFields
  /// The labels of imported files, which stand after the catalogue's annotations in its details.
  package var labels: [RecordingDetails.Annotation] = []

  private enum CodingKeys: CodingKey { case id, fields }

  /// The recording of that id, with the fields that were sent.
  public init(id: RecordingID, fields: RecordingFields) {
    self.id = id
    self.fields = fields
  }

  /// The recording with other fields, and the same labels.
  package func with(_ fields: RecordingFields) -> Recording {
    var recording = Recording(id: id, fields: fields)
    recording.labels = labels
    return recording
  }

  /// The field of that name in the catalogue's own spelling (`"en"`, `"file-name"`); `nil` if it
  /// was not sent.
  public subscript(field: String) -> RecordingFields.Value? { fields[field] }

  /// The field as text: the string itself, a number as it was written; `nil` for null, missing and
  /// empty.
  public func text(_ field: String) -> String? {
    guard let value = fields[field], case let text = value.text, !text.isEmpty else { return nil }
    return text
  }
}
