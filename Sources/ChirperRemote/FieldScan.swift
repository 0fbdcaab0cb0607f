import ChirperModel

/// Finds the fields that a mapping needs in one pass over a record's JSON. The raw values of the cases are the names of the
/// fields.
struct FieldScan<Field: RawRepresentable & CaseIterable & Sendable>: Sendable where Field.RawValue == String {
  private let cases: [Field]
  private let names: NameScan

  /// Looks for every case of `Field`.
  init(_: Field.Type) {
    cases = Array(Field.allCases)
    names = NameScan(cases.map(\.rawValue))
  }

  /// Calls `body` with each of the fields that was sent, in the order sent. The value is valid only inside of `body`.
  func forEach(in fields: RecordingFields, _ body: (Field, RawValue) -> Void) {
    names.forEach(in: fields) { body(cases[$0], $1) }
  }

  /// Calls `body` with each of the fields that are members of an object.
  func forEach(in object: RawValue, _ body: (Field, RawValue) -> Void) {
    names.forEach(in: object) { body(cases[$0], $1) }
  }
}
