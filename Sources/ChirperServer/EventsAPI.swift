import Chirper
import ChirperFormats
import ChirperPlatform
import Foundation
import NIOCore

/// The stream of events. Each event is the whole state of loads and lists, so that a client
/// that was slow, or away, misses nothing. The state is made when it is sent, and nothing
/// waits in a queue.
struct EventsAPI: Sendable {
  let repository: RecordingRepository
  let loads: Loads
  let lists: ListsAPI
  private let open = Locked(0)
  /// The state by whether it is for a reader.
  private let latest = Locked<[Bool: (key: [Int], text: String)]>([:])

  /// Streams at a time.
  private static let atMost = 128
  /// The time between two comparisons of the state with the one that was sent.
  private static let interval = Duration.milliseconds(500)
  /// The time without an event after which a comment is sent, by which each side sees
  /// that the connection is alive.
  private static let silence = Duration.seconds(15)

  init(_ repository: RecordingRepository, _ loads: Loads, _ lists: ListsAPI) {
    (self.repository, self.loads, self.lists) = (repository, loads, lists)
  }

  /// A slot for a stream, taken for as long as it is referred to.
  private final class Slot: Sendable {
    private let open: Locked<Int>

    private init(_ open: Locked<Int>) { self.open = open }

    /// Takes a slot; `nil` if all are taken.
    static func take(of open: Locked<Int>) -> Slot? {
      let isTaken = open.withLock { count in
        guard count < EventsAPI.atMost else { return false }
        count += 1
        return true
      }
      return isTaken ? Slot(open) : nil
    }

    deinit { open.withLock { $0 -= 1 } }
  }

  func answer(_ request: Request) throws -> Answer {
    guard let slot = Slot.take(of: open) else {
      throw UserFacingError(
        .tryLater, kind: "too-many-streams", problem: "\(Self.atMost) streams are open",
        hint: "Close a page that shows this server.")
    }
    return Answer(
      type: "text/event-stream; charset=utf-8",
      body: .stream { send in
        defer { withExtendedLifetime(slot) {} }
        var (last, sent) = ("", ContinuousClock.now)
        try await send(ByteBuffer(string: "retry: 2000\n\n"))
        while true {
          let text = try await repository.perform { _ in
            try state(forReader: request.isReader)
          }
          if text != last {
            try await send(ByteBuffer(string: "event: state\ndata: \(text)\n\n"))
            (last, sent) = (text, .now)
          } else if ContinuousClock.now - sent >= Self.silence {
            try await send(ByteBuffer(string: ":\n\n"))
            sent = .now
          }
          try await Task.sleep(for: Self.interval)
        }
      })
  }

  /// Made once for all streams of a kind.
  private func state(forReader isReader: Bool) throws -> String {
    let version = try repository.version()
    let key = version + [loads.changes]
    if let latest = latest.withLock({ $0[isReader] }), latest.key == key { return latest.text }
    let lists = String(decoding: try lists.bytes(), as: UTF8.self).trimmingCharacters(in: .newlines)
    let loads = loads.json(forReader: isReader)
    let text =
      "{\"version\":\"\(SelectionsAPI.text(of: version))\",\"loads\":\(loads),\(lists.dropFirst())"
    latest.withLock { $0[isReader] = (key, text) }
    return text
  }
}
