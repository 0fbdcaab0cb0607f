/// How long and how much one request may take; a value, so that tests make it small.
package struct HTTPLimits: Hashable, Sendable {
  /// Until the head of the answer: name, connection, handshake and waiting. URLSession does not tell them apart.
  package var firstByte: Duration = .seconds(30)
  /// Between two pieces of the body.
  package var idle: Duration = .seconds(20)
  /// For all of it.
  package var whole: Duration = .seconds(180)
  /// A body slower than this through one `rateWindow` is given up: a byte a second would keep `idle` quiet for ever.
  package var minimumBytesPerSecond = 256
  package var rateWindow: Duration = .seconds(15)
  /// After decompression. A page of 500 xeno-canto recordings is about 1.5 MB.
  package var bodyBytes = 32 << 20
  package var redirects = 5

  package init() {}
}
