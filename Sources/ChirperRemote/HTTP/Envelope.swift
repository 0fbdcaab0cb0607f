import ChirperModel

/// The JSON object around the records of an answer.
struct Envelope {
  /// Each record exactly as sent, with `nil` in place of a record without a usable id;
  /// `nil` if the answer does not have the list.
  private(set) var list: [Recording?]?
  /// The members that are not lists.
  private var members: [String: RecordingFields.Value] = [:]

  /// - Parameters:
  ///   - name: the member that is the list of records.
  ///   - id: the catalogue's id from the fields of a record.
  init(
    _ body: [UInt8], of catalogue: CatalogueID, list name: String, id: (RecordingFields) -> String?
  ) throws(JSONFault) {
    var reader = JSONReader(body)
    try reader.object { member, reader throws(JSONFault) in
      switch reader.kind {
      case .array where member == name:
        list = try reader.objects().map { fields in
          fields.flatMap { Recording($0, of: catalogue, id: id($0)) }
        }
      case .array: try reader.skipValue()
      default: members[member] = try reader.value()
      }
    }
    try reader.end()
  }

  var count: Int { list?.count ?? 0 }

  /// The records with a usable id.
  var readable: [Recording] { list?.compactMap(\.self) ?? [] }

  subscript(name: String) -> RecordingFields.Value? { members[name] }

  /// Whether it is an error, which some services send with status 200.
  var isError: Bool {
    ["error", "errorMessage"].contains { !["", "false"].contains(members[$0]?.text ?? "") }
  }

  /// A count, sent as a number or a text, far from where sums of counts overflow; `nil` if it is
  /// missing or empty.
  func count(_ name: String) throws(FetchError) -> Int? {
    guard let text = members[name]?.text, !text.isEmpty else { return nil }
    guard let number = Int(text), (0...1_000_000_000).contains(number) else {
      throw .malformed("\(name) is not a count: \(text.prefix(40))")
    }
    return number
  }
}

extension JSONReader {
  /// The most records of an answer, far more than a page of any catalogue has; requests ask
  /// for at most 500.
  private static let recordLimit = 10_000

  /// The objects of the array that is next, `nil` in the place of anything else.
  mutating func objects() throws(JSONFault) -> [RecordingFields?] {
    var objects: [RecordingFields?] = []
    var bytes: [UInt8] = []
    try array { reader throws(JSONFault) in
      guard objects.count < Self.recordLimit else {
        throw reader.fault(.unexpected("no more than \(Self.recordLimit) records"))
      }
      guard reader.kind == .object else {
        try reader.skipValue()
        return objects.append(nil)
      }
      bytes.removeAll(keepingCapacity: true)
      try reader.copyValue(into: &bytes)
      // A copy, because the buffer is used for the next record.
      objects.append(RecordingFields(canonical: [] + bytes))
    }
    return objects
  }
}

extension RecordingFields.Value {
  /// The text of an id: a string that is not blank, or an integer; services change between the two.
  var idText: String? {
    if json.utf8.first == UInt8(ascii: "\"") { return text.allSatisfy(\.isWhitespace) ? nil : text }
    return json.isDigits ? json : nil
  }
}

extension Recording {
  /// The recording of a record as sent; `nil` without a usable id.
  init?(_ fields: RecordingFields, of catalogue: CatalogueID, id: String?) {
    guard let id else { return nil }
    self.init(id: RecordingID(catalogue: catalogue, value: id), fields: fields)
  }
}
