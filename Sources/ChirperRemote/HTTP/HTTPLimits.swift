/// The limits for the time and size of one request. They are a value, so that tests make
/// them small.
package struct HTTPLimits: Hashable, Sendable {
  /// The time until the connection is open: name, TCP and TLS. URLSession does not report
  /// that moment; `firstByte` covers it there.
  package var connect: Duration = .seconds(20)
  /// The time until the head of the answer, the connection included.
  package var firstByte: Duration = .seconds(30)
  /// The time between two pieces of the body.
  package var idle: Duration = .seconds(20)
  /// The time for the whole request.
  package var whole: Duration = .seconds(180)
  /// A body slower than this through one `rateWindow` is given up: a byte a second would satisfy
  /// `idle` for ever.
  package var minimumBytesPerSecond = 256
  package var rateWindow: Duration = .seconds(15)
  /// All lines of the head, hints before it included. Real heads are below 4 kB.
  package var headBytes = 256 << 10
  /// The size of the body after decompression; most catalogues have a lower limit. 500
  /// recordings of xeno-canto are about 1.5 MB.
  package var bodyBytes = 64 << 20
  package var redirects = 5
}
