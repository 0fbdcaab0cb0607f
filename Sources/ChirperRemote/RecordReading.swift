import ChirperModel

/// Far more than a page of any catalogue has; what is asked for is at most 500.
private let recordLimit = 10_000

extension JSONReader {
  /// Reads the array of records that is next and keeps each exactly as sent; `nil` is a record without a usable id.
  ///
  /// - Parameters:
  ///   - names: the fields that `id` needs.
  ///   - id: the catalogue's id from the values of those fields that were sent.
  mutating func records(
    of catalogue: CatalogueID, seeing names: Set<String>, id: ([String: FieldValue]) -> String?
  ) throws(JSONFault) -> [Recording?] {
    let wanted = names.map { (name: $0, bytes: Array($0.utf8)) }
    var rows: [Recording?] = []
    var bytes: [UInt8] = []
    try array { reader throws(JSONFault) in
      guard rows.count < recordLimit else { throw reader.fault(.unexpected("no more than \(recordLimit) records")) }
      guard reader.kind == .object else {
        try reader.skipValue()
        return rows.append(nil)
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
      rows.append(
        id(seen).map {
          Recording(id: RecordingID(catalogue: catalogue, value: $0), fields: RecordingFields(canonical: fields))
        })
    }
    return rows
  }
}

extension Recording {
  /// The records of the member `results`, without those that have no usable id; `nil` if there is no such list.
  ///
  /// - Parameter field: the field that has the id.
  static func results(
    in body: [UInt8], of catalogue: CatalogueID, id field: String
  ) throws(JSONFault) -> [Recording]? {
    var records: [Recording]?
    var reader = JSONReader(body)
    try reader.object { name, reader throws(JSONFault) in
      guard name == "results", reader.kind == .array else { return try reader.skipValue() }
      records = try reader.records(of: catalogue, seeing: [field]) { $0[field]?.idText }.compactMap { $0 }
    }
    try reader.end()
    return records
  }

  /// A row for each sound of a record, each with the whole record; the record alone if it has no sound. A row's id is that of
  /// the record, a hyphen, and the sound's suffix.
  func rows(suffixes: [String]) -> [Recording] {
    var seen: Set<String> = []
    let rows = suffixes.filter { seen.insert($0).inserted }.map { suffix in
      Recording(id: RecordingID(catalogue: id.catalogue, value: "\(id.value)-\(suffix)"), fields: fields)
    }
    return rows.isEmpty ? [self] : rows
  }
}

extension RecordingID {
  /// What distinguishes the sounds of one record; empty if the record has one row.
  var soundSuffix: Substring { value.split(separator: "-", maxSplits: 1).dropFirst().first ?? "" }
}

extension Int {
  /// The count that a service spelled so; at most a thousand million, far from where sums of counts overflow.
  ///
  /// - Parameter name: of the member.
  init(count text: String, _ name: String) throws(FetchError) {
    guard let number = Int(text), (0...1_000_000_000).contains(number) else {
      throw .malformed("\(name) is not a count: \(text.prefix(40))")
    }
    self = number
  }
}

extension FieldValue {
  /// The text of an id: a string that is not blank, or an integer; services change between the two.
  var idText: String? {
    if json.utf8.first == UInt8(ascii: "\"") { return text.allSatisfy(\.isWhitespace) ? nil : text }
    return json.utf8.allSatisfy { (0x30...0x39).contains($0) } ? json : nil
  }
}
