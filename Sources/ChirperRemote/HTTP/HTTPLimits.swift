/// The limits for the time and size of one request. They are a value, so that tests make
/// them small.
struct HTTPLimits: Hashable, Sendable {
  /// The time until the connection is open: name, TCP and TLS. URLSession does not report
  /// that moment; `firstByte` covers it there.
  var connect: Duration = .seconds(20)
  /// The time until the head of the answer, the connection included.
  var firstByte: Duration = .seconds(30)
  /// The time between two pieces of the body.
  var idle: Duration = .seconds(20)
  /// The time for the whole request.
  var whole: Duration = .seconds(180)
  /// A body slower than this through one `rateWindow` is given up: a byte a second would satisfy
  /// `idle` for ever.
  var minimumBytesPerSecond = 256
  var rateWindow: Duration = .seconds(15)
  /// All lines of the head, hints before it included. Real heads are below 4 kB.
  var headBytes = 256 << 10
  /// The size of the body after decompression; most catalogues have a lower limit. 500
  /// recordings of xeno-canto are about 1.5 MB.
  var bodyBytes = 64 << 20
  var redirects = 5
}
