/// How long and how much one request may take; a value, so that tests make it small.
package struct HTTPLimits: Hashable, Sendable {
  /// Until the connection is open: name, TCP and TLS. URLSession does not report when that is; `firstByte` covers it there.
  package var connect: Duration = .seconds(20)
  /// Until the head of the answer, the connection included.
  package var firstByte: Duration = .seconds(30)
  /// Between two pieces of the body.
  package var idle: Duration = .seconds(20)
  /// For all of it.
  package var whole: Duration = .seconds(180)
  /// A body slower than this through one `rateWindow` is given up: a byte a second would satisfy `idle` for ever.
  package var minimumBytesPerSecond = 256
  package var rateWindow: Duration = .seconds(15)
  /// All lines of the head, hints before it included. Real heads are below 4 kB.
  package var headBytes = 256 << 10
  /// After decompression; most catalogues have a lower limit. 500 recordings of xeno-canto are about 1.5 MB.
  package var bodyBytes = 64 << 20
  package var redirects = 5
}
