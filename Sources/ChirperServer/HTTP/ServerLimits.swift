import NIOCore
import NIOHTTP1

/// The limits of what a client may cost. Beyond them the answer is an error and the
/// connection is closed (Sources/BOUNDS.md).
enum ServerLimits {
  /// Bytes of a request's line and headers.
  static let headBytes = 16_384
  static let headerLines = 64
  static let bodyBytes = 65_536
  static let connections = 500
  /// Connections of one session of a browser. A browser opens six, however many pages it shows.
  static let connectionsOfSession = 32
  /// Connections of one address, which can be that of a proxy for a whole class.
  static let connectionsOfAddress = 300
  /// Files that are open besides those of connections: the database, the log.
  static let ownFiles = 56
  /// The seconds after which a client may try again that found too many connections.
  static let retryAfter = 2

  /// Wrong codes of one address in a minute.
  static let wrongCodesInMinute = 5
  /// Wrong codes in all, after which the code is off.
  static let wrongCodes = 100

  /// The time from the first byte of a request to the end of its headers. The clock counts,
  /// not silence.
  static let headTime = TimeAmount.seconds(10)
  /// The time from the end of the headers to the end of the body.
  static let bodyTime = TimeAmount.seconds(20)
  /// The time between two requests of a connection.
  static let idleTime = TimeAmount.seconds(15)
  /// The time for a client to take a piece of an answer.
  static let writeTime = TimeAmount.seconds(30)
  /// The time after a refusal in which arriving bytes are read and thrown away. Without it
  /// the client might not see the answer.
  static let lingerTime = TimeAmount.seconds(2)

  static var decoder: NIOHTTPDecoderLimitConfiguration {
    var limits = NIOHTTPDecoderLimitConfiguration()
    limits.maxHeaderFieldSize = headBytes
    limits.maxHeaderListSize = headBytes
    limits.maxHeaderFieldCount = headerLines
    return limits
  }
}
