import ChirperPlatform
import Foundation
import NIOCore

/// The connections that are open, at most `limit` and `ServerLimits.connectionsOfAddress` of one
/// address. Browsers keep connections that they do not use. If there are too many, the connection
/// that has waited longest for a request is closed for a new one.
final class OpenConnections: Sendable {
  private struct Connection {
    let channel: any Channel
    let address: String?
    /// The time since which no request of it is read or answered; `nil` while one is.
    var waitingSince: ContinuousClock.Instant? = .now
  }

  /// The most connections, fewer where the system allows fewer open files: each can have a file
  /// open that it sends.
  let limit = max(
    8,
    min(ServerLimits.connections, (Int(sysconf(Int32(_SC_OPEN_MAX))) - ServerLimits.ownFiles) / 2))
  private let open = Locked<[ObjectIdentifier: Connection]>([:])

  var isEmpty: Bool { open.withLock(\.isEmpty) }
  var channels: [any Channel] { open.withLock { $0.values.map(\.channel) } }

  /// Adds a connection until it closes.
  ///
  /// - Returns: whether it may stay. Otherwise a request of every other one is being answered.
  func add(_ channel: any Channel) -> Bool {
    let address = channel.remoteAddress?.ipAddress
    let id = ObjectIdentifier(channel)
    channel.closeFuture.whenComplete { _ in self.open.withLock { $0[id] = nil } }
    let (mayStay, ended) = open.withLock { open -> (Bool, (any Channel)?) in
      let ofAddress = open.filter { $0.value.address == address }
      let isOver = ofAddress.count >= ServerLimits.connectionsOfAddress
      var ended: (any Channel)?
      if isOver || open.count >= limit {
        let waiting = (isOver ? ofAddress : open).compactMap { id, connection in
          connection.waitingSince.map { (id, $0) }
        }
        guard let longest = waiting.min(by: { $0.1 < $1.1 }) else { return (false, nil) }
        ended = open.removeValue(forKey: longest.0)?.channel
      }
      open[id] = Connection(channel: channel, address: address)
      return (true, ended)
    }
    ended?.pipeline.fireUserInboundEventTriggered(ConnectionLimits.Stop())
    return mayStay
  }

  /// Notes whether a connection waits for a request.
  func note(_ channel: any Channel, waits: Bool) {
    open.withLock { $0[ObjectIdentifier(channel)]?.waitingSince = waits ? .now : nil }
  }
}
