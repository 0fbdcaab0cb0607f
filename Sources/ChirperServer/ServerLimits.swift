import NIOCore
import NIOHTTP1

/// What a client may cost; beyond it the answer is an error and the connection is closed (docs/bounds.md).
enum ServerLimits {
  /// Bytes of a request's line and headers.
  static let headBytes = 16_384
  static let headerLines = 64
  static let bodyBytes = 65_536
  static let connections = 64

  /// From the first byte of a request to the end of its headers, by the clock and not by silence.
  static let headTime = TimeAmount.seconds(10)
  /// From there to the end of its body.
  static let bodyTime = TimeAmount.seconds(20)
  /// Between two requests of a connection.
  static let idleTime = TimeAmount.seconds(15)
  /// For a piece of an answer to be taken by the client.
  static let writeTime = TimeAmount.seconds(30)
  /// After a refusal: so long what still arrives is read and thrown away, or the client might not see the answer.
  static let lingerTime = TimeAmount.seconds(2)

  static var decoder: NIOHTTPDecoderLimitConfiguration {
    var limits = NIOHTTPDecoderLimitConfiguration()
    (limits.maxHeaderFieldSize, limits.maxHeaderListSize, limits.maxHeaderFieldCount) = (headBytes, headBytes, headerLines)
    return limits
  }
}
