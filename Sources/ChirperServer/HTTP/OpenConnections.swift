import ChirperModel
import Foundation
import NIOCore

/// The connections that are open: at most `ServerLimits.connectionsOfSession` of one session of a
/// browser, `ServerLimits.connectionsOfAddress` of one address, and `limit` in all. Browsers keep
/// connections that they do not use. If there are too many, one that waits for a request is closed
/// for a new one: of the session that has most, that which has waited longest.
final class OpenConnections: Sendable {
  private struct Connection {
    let channel: any Channel
    let address: String?
    /// The cookie that its requests have; `nil` before the first, and without a session.
    var session: String?
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
        guard let least = Self.leastNeeded(isOver ? ofAddress : open) else { return (false, nil) }
        ended = open.removeValue(forKey: least)?.channel
      }
      open[id] = Connection(channel: channel, address: address)
      return (true, ended)
    }
    ended?.pipeline.fireUserInboundEventTriggered(ConnectionLimits.Stop())
    return mayStay
  }

  /// The connection that is closed first: among those that wait for a request, one of the session
  /// with most connections, and of these the one that has waited longest.
  private static func leastNeeded(_ open: [ObjectIdentifier: Connection]) -> ObjectIdentifier? {
    var counts: [String: Int] = [:]
    for case let session? in open.values.map(\.session) { counts[session, default: 0] += 1 }
    let now = ContinuousClock.now
    let waiting = open.compactMap { id, connection in
      connection.waitingSince.map { since in
        (id: id, rank: (connection.session.flatMap { counts[$0] } ?? 1, now - since))
      }
    }
    return waiting.max { $0.rank < $1.rank }?.id
  }

  /// Notes the session of a connection's request.
  ///
  /// - Returns: whether it may be answered. Otherwise requests of the session are being answered on
  ///   as many connections as it may have.
  func note(_ channel: any Channel, session: String) -> Bool {
    let id = ObjectIdentifier(channel)
    let (mayStay, ended) = open.withLock { open -> (Bool, (any Channel)?) in
      guard let connection = open[id], connection.session != session else { return (true, nil) }
      let ofSession = open.filter { $0.value.session == session }
      guard ofSession.count >= ServerLimits.connectionsOfSession else {
        open[id]?.session = session
        return (true, nil)
      }
      guard let least = Self.leastNeeded(ofSession) else { return (false, nil) }
      open[id]?.session = session
      return (true, open.removeValue(forKey: least)?.channel)
    }
    ended?.pipeline.fireUserInboundEventTriggered(ConnectionLimits.Stop())
    return mayStay
  }

  /// Notes whether a connection waits for a request.
  func note(_ channel: any Channel, waits: Bool) {
    open.withLock { $0[ObjectIdentifier(channel)]?.waitingSince = waits ? .now : nil }
  }
}
