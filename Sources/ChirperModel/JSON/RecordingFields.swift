import Foundation

/// The fields of one recording as a JSON object, in the order sent and with numbers spelled as
/// sent.
///
/// The text is compact and canonical (`JSONReader.copyValue`), so two answers that differ only
/// in white space or in escapes (`\/`, `\u00e9`) are equal, and a terminal does nothing but print
/// it.
public struct RecordingFields: Hashable, Sendable {
  /// The fields as a compact JSON object, which is made anew at each call.
  public var json: String { String(decoding: bytes, as: UTF8.self) }

  /// The object as UTF-8; of a damaged file, whatever bytes it has.
  package let bytes: [UInt8]

  /// The fields of any JSON object.
  ///
  /// - Throws: `FetchError.malformed` if the text is not one object.
  public init(json: String) throws(FetchError) {
    do throws(JSONFault) {
      try self.init(parsing: json)
    } catch {
      throw .malformed(error.description)
    }
  }

  /// Converts any JSON object to the canonical form.
  package init(parsing json: String) throws(JSONFault) {
    var reader = JSONReader(Array(json.utf8))
    guard reader.kind == .object else { throw reader.fault(.unexpected("an object")) }
    var canonical: [UInt8] = []
    try reader.copyValue(into: &canonical)
    try reader.end()
    self.init(canonical: canonical)
  }

  /// Fields of texts, for a catalogue that does not send JSON, and for previews and tests; the
  /// first of the same name counts.
  public init(_ texts: KeyValuePairs<String, String>) {
    self.init(texts: Array(texts))
  }

  package init(texts: [(key: String, value: String)]) {
    var names: Set<String> = []
    let members = texts.filter { names.insert($0.key).inserted }
      .map { "\(JSONText.quoted($0.key)):\(JSONText.quoted($0.value))" }
    self.init(canonical: "{\(members.joined(separator: ","))}")
  }

  /// Keeps bytes that are known to be canonical, from `copyValue` or from the store.
  package init(canonical bytes: [UInt8]) {
    self.bytes = bytes
  }

  /// Keeps text that is known to be canonical.
  package init(canonical json: String) {
    self.init(canonical: Array(json.utf8))
  }

  /// The fields with one item of an array at a different position.
  ///
  /// - Parameters:
  ///   - source: the position of the item.
  ///   - target: its new position, before it.
  ///   - name: of the member that is the array.
  package func moving(itemAt source: Int, to target: Int, of name: String) -> RecordingFields {
    let moved = members.map { member in
      var json = member.value.json
      if member.name == name {
        var items: [String] = []
        member.value.withRaw { array in
          array.forEachItem { items.append(String(decoding: $0.json, as: UTF8.self)) }
        }
        if items.indices.contains(source), (0..<source).contains(target) {
          items.insert(items.remove(at: source), at: target)
          json = "[\(items.joined(separator: ","))]"
        }
      }
      return "\(JSONText.quoted(member.name)):\(json)"
    }
    return RecordingFields(canonical: "{\(moved.joined(separator: ","))}")
  }

  /// The names in the order sent.
  public var names: [String] { members.map(\.name) }

  /// The fields as a type of yours, which need not have all of them.
  ///
  /// - Parameters:
  ///   - type: the type to decode.
  ///   - decoder: the decoder, which knows how to read dates and names.
  /// - Throws: `DecodingError` if the fields do not fit the type.
  public func decoded<Row: Decodable>(
    as type: Row.Type = Row.self, by decoder: JSONDecoder = JSONDecoder()
  ) throws -> Row {
    try decoder.decode(type, from: Data(bytes))
  }
}

extension RecordingFields: Codable {
  /// Encodes the JSON as a text, so that numbers keep their spelling and members their order.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(json)
  }

  /// Decodes the text of a JSON object.
  public init(from decoder: any Decoder) throws {
    try self.init(json: decoder.singleValueContainer().decode(String.self))
  }
}

extension RecordingFields {
  /// One field's value, kept as the JSON that was sent.
  public struct Value: Hashable, Sendable {
    /// Compact JSON: `"song"`, `9.99`, `null`, `["Turdus merula"]`.
    public let json: String

    /// A value from canonical JSON.
    package init(json: String) {
      self.json = json
    }

    /// Whether the service sent `null`.
    public var isNull: Bool { json == "null" }

    /// The string itself, a number or boolean as written, nothing for null, and the JSON of an array
    /// or object.
    public var text: String {
      if json.utf8.first == UInt8(ascii: "\"") {
        return JSONText.unescaped(json.utf8.dropFirst().dropLast())
      }
      return isNull ? "" : json
    }

    /// The members of an object as they were sent; `nil` if the value is not an object.
    public var object: RecordingFields? {
      withRaw { $0.isObject ? RecordingFields(canonical: Array($0.json)) : nil }
    }

    /// The objects of an array as they were sent, with `nil` in place of any other element;
    /// empty if the value is not an array.
    public var objects: [RecordingFields?] {
      var objects: [RecordingFields?] = []
      withRaw { array in
        array.forEachItem {
          objects.append($0.isObject ? RecordingFields(canonical: Array($0.json)) : nil)
        }
      }
      return objects
    }

    /// A number, also one in a string, as some services send them; `nil` for everything else, and for
    /// texts such as `1,5` and `nan`.
    public var double: Double? { withRaw(\.decimal) ?? (isNumber ? Double(json) : nil) }

    /// Whether the value is spelled as a number is, which may have an exponent.
    private var isNumber: Bool {
      json.utf8.first.map { $0 == UInt8(ascii: "-") || $0.isDigit } ?? false
    }

    /// `true` or `false`; `nil` for everything else.
    public var bool: Bool? { json == "true" ? true : json == "false" ? false : nil }

    /// An integer, also one in a string, as some services send them; `nil` for everything else.
    public var integer: Int? { Int(text) }

    /// The strings of an array without white space around them and without empty ones; a single
    /// string or number counts as an array of one.
    public var list: [String] { withRaw(\.texts) }
  }
}
