import ChirperModel

/// The JSON object around the records of an answer.
struct Envelope {
  /// Far more than a page of any catalogue has; what is asked for is at most 500.
  private static let recordLimit = 10_000

  /// Each record exactly as sent, `nil` for one without a usable id; `nil` if the answer has no such list.
  private(set) var list: [Recording?]?
  /// The members that are no lists.
  private var members: [String: FieldValue] = [:]

  /// - Parameters:
  ///   - name: the member that is the list of records.
  ///   - names: the fields of a record that `id` needs.
  ///   - id: the catalogue's id from the values of those fields that were sent.
  init(
    _ body: [UInt8], of catalogue: CatalogueID, list name: String, seeing names: Set<String>,
    id: ([String: FieldValue]) -> String?
  ) throws(JSONFault) {
    var reader = JSONReader(body)
    try reader.object { member, reader throws(JSONFault) in
      switch reader.kind {
      case .array where member == name: list = try Self.records(&reader, of: catalogue, seeing: names, id: id)
      case .array: try reader.skipValue()
      default:
        var value: [UInt8] = []
        try reader.copyValue(into: &value)
        members[member] = FieldValue(json: String(decoding: value, as: UTF8.self))
      }
    }
    try reader.end()
  }

  private static func records(
    _ reader: inout JSONReader, of catalogue: CatalogueID, seeing names: Set<String>, id: ([String: FieldValue]) -> String?
  ) throws(JSONFault) -> [Recording?] {
    let wanted = names.map { (name: $0, bytes: Array($0.utf8)) }
    var records: [Recording?] = []
    var bytes: [UInt8] = []
    try reader.array { reader throws(JSONFault) in
      guard records.count < recordLimit else { throw reader.fault(.unexpected("no more than \(recordLimit) records")) }
      guard reader.kind == .object else {
        try reader.skipValue()
        return records.append(nil)
      }
      var seen: [String: FieldValue] = [:]
      bytes.removeAll(keepingCapacity: true)
      try reader.copyObject(into: &bytes) { out, name, value in
        for field in wanted where field.bytes.count == name.count && field.bytes.elementsEqual(out[name]) {
          seen[field.name] = FieldValue(json: String(decoding: out[value], as: UTF8.self))
        }
      }
      // A copy, because the buffer is used for the next record.
      var fields: [UInt8] = []
      fields.reserveCapacity(bytes.count)
      fields += bytes
      records.append(
        id(seen).map {
          Recording(id: RecordingID(catalogue: catalogue, value: $0), fields: RecordingFields(canonical: fields))
        })
    }
    return records
  }

  var count: Int { list?.count ?? 0 }

  /// The records with a usable id.
  var readable: [Recording] { list?.compactMap(\.self) ?? [] }

  subscript(name: String) -> FieldValue? { members[name] }

  /// Whether it is an error, which some services send with status 200.
  var isError: Bool {
    ["error", "errorMessage"].contains { !["", "false"].contains(members[$0]?.text ?? "") }
  }

  /// A count, sent as a number or as a text, at most a thousand million: far from where sums of counts overflow. `nil` if it
  /// is missing or empty.
  func count(_ name: String) throws(FetchError) -> Int? {
    guard let text = members[name]?.text, !text.isEmpty else { return nil }
    guard let number = Int(text), (0...1_000_000_000).contains(number) else {
      throw .malformed("\(name) is not a count: \(text.prefix(40))")
    }
    return number
  }
}

extension FieldValue {
  /// The text of an id: a string that is not blank, or an integer; services change between the two.
  var idText: String? {
    if json.utf8.first == UInt8(ascii: "\"") { return text.allSatisfy(\.isWhitespace) ? nil : text }
    return json.isDigits ? json : nil
  }
}
