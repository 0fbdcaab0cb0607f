import ChirperModel

extension CatalogueClient {
  /// A service's answer.
  public struct Response: Hashable, Sendable {
    /// The status: 200 of every answer that `CatalogueClient.get` and `post` return.
    public let status: Int
    let headers: HTTPHeaders
    /// The body after decompression.
    public let body: [UInt8]
    /// The number of times that the key was in the answer; each is replaced by `***`. For
    /// `RecordingPage.redactions`.
    var redactions = 0
    /// Whether the protocol itself marks the end of the body, as HTTP/2 does.
    var endIsMarked = false

    /// The first header `name`, in whatever case it was sent; `nil` if the answer has none.
    public func header(_ name: String) -> String? { headers[name] }

    /// The body as one JSON object, whose members can be read by name.
    ///
    /// - Throws: `.webPage`, `.truncated` or `.malformed`.
    public func object() throws(FetchError) -> RecordingFields {
      try read { body throws(JSONFault) in
        try RecordingFields(parsing: String(decoding: body, as: UTF8.self))
      }
    }

    /// The body as one JSON array: its objects as they were sent, `nil` in the place of anything
    /// else. At most 10,000.
    ///
    /// - Throws: `.webPage`, `.truncated` or `.malformed`.
    public func objects() throws(FetchError) -> [RecordingFields?] {
      try read { body throws(JSONFault) in
        var reader = JSONReader(body)
        let objects = try reader.objects()
        try reader.end()
        return objects
      }
    }

    /// The result of `read` for the JSON of the body.
    func read<Value>(_ read: ([UInt8]) throws(JSONFault) -> Value) throws(FetchError) -> Value {
      guard !isWebPage else { throw FetchError(.webPage) }
      do throws(JSONFault) {
        return try read(body)
      } catch {
        // A body of unknown length that ends inside a value broke off on its way.
        throw error.reason == .truncated && !isFramed
          ? FetchError(.truncated) : .malformed(error.description)
      }
    }

    /// Whether the body's length was announced or its end marked, so that its end is known to be its
    /// end.
    var isFramed: Bool {
      endIsMarked || header("Content-Length") != nil || header("Transfer-Encoding") != nil
    }

    /// Whether a web page came instead of data. JSON sent as `text/html` is data: PHP labels
    /// everything so by default.
    var isWebPage: Bool {
      // The first byte that is neither white space nor of a byte order mark.
      let first = body.first { ![0x20, 0x09, 0x0A, 0x0D, 0xEF, 0xBB, 0xBF].contains($0) }
      if first == UInt8(ascii: "<") { return true }
      return mediaType == "text/html" && first != UInt8(ascii: "{") && first != UInt8(ascii: "[")
    }

    /// The media type in lower case and without parameters, such as `audio/mpeg`; empty if
    /// the answer has none.
    package var mediaType: String {
      String((header("Content-Type") ?? "").lowercased().prefix { !";, ".contains($0) })
    }
  }
}

extension CatalogueClient.Response {
  /// An answer that is whole, for `RemoteConfiguration.transport`.
  ///
  /// - Parameters:
  ///   - status: 200 if it is not given.
  ///   - headers: by name; none if they are not given.
  ///   - body: after decompression, such as `#"{"items":[]}"#.utf8`.
  public init(status: Int = 200, headers: [String: String] = [:], body: some Sequence<UInt8>) {
    self.init(
      status: status, headers: HTTPHeaders(headers), body: Array(body), endIsMarked: true)
  }
}

/// The headers of an answer, found by name in any case; a name that was sent twice keeps every
/// value.
struct HTTPHeaders: Hashable, Sendable {
  private var values: [String: [String]] = [:]

  init(_ single: [String: String] = [:]) {
    for (name, value) in single { append(value, to: name) }
  }

  mutating func append(_ value: String, to name: String) {
    values[name.lowercased(), default: []].append(value)
  }

  /// The first value.
  subscript(name: String) -> String? { values[name.lowercased()]?.first }

  /// Every value, in the order sent.
  func all(_ name: String) -> [String] { values[name.lowercased()] ?? [] }

  func mapTexts(_ replace: (String) -> String) -> HTTPHeaders {
    var headers = HTTPHeaders()
    for (name, values) in values {
      for value in values { headers.append(replace(value), to: replace(name)) }
    }
    return headers
  }
}
