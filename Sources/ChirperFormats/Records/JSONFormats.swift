import ChirperModel

extension RecordFormat {
  /// One object: the query, its age and completeness, and `recordings`.
  package static let json = RecordFormat(
    "json", fileExtension: "json", containsNotes: true, writer: { JSONWriter(.object($0.head), $0) },
    details: { TidyJSONWriter(.object, $0) })

  /// One recording per line.
  package static let jsonl = RecordFormat(
    "jsonl", fileExtension: "jsonl", writer: { JSONWriter(.lines, $0) }, details: { TidyJSONWriter(.lines, $0) })
}

/// Writes recordings as JSON objects, with the fields as they were sent.
struct JSONWriter: RecordWriter {
  enum Form: Sendable {
    /// The last member of an object that starts with these members.
    case object(JSONObject)
    case lines
  }

  private let form: Form
  private let options: RecordWriterOptions
  private var locator: ColumnLocator
  private var isFirst = true

  init(_ form: Form, _ options: RecordWriterOptions) {
    self.form = form
    self.options = options
    locator = ColumnLocator(options.columns)
  }

  mutating func begin(_ out: inout [UInt8]) {
    guard case .object(let head) = form else { return }
    // The object stays open: the recordings are its last member.
    out.append(contentsOf: head.text.utf8.dropLast())
    out.append(contentsOf: ",\"recordings\":[".utf8)
  }

  mutating func append(fields object: UnsafeBufferPointer<UInt8>, to out: inout [UInt8]) {
    switch form {
    case .object:
      if !isFirst { out.append(UInt8(ascii: ",")) }
      out.append(UInt8(ascii: "\n"))
      appendObject(object, to: &out)
    case .lines:
      appendObject(object, to: &out)
      out.append(UInt8(ascii: "\n"))
    }
    isFirst = false
  }

  mutating func end(_ out: inout [UInt8]) {
    if case .object = form { out.append(contentsOf: "\n]}\n".utf8) }
  }

  private mutating func appendObject(_ object: UnsafeBufferPointer<UInt8>, to out: inout [UInt8]) {
    guard !options.isWhole else {
      out.append(contentsOf: object)
      return
    }
    locator.locate(in: object)
    out.append(UInt8(ascii: "{"))
    var isFirst = true
    for (column, range) in zip(options.columns, locator.ranges) where !range.isEmpty {
      if !isFirst { out.append(UInt8(ascii: ",")) }
      isFirst = false
      out.append(contentsOf: JSONText.quoted(column).utf8)
      out.append(UInt8(ascii: ":"))
      out.append(contentsOf: object[range])
    }
    out.append(UInt8(ascii: "}"))
  }
}
