import Chirper
import ChirperFormats
import ChirperModel
import Foundation
import NIOCore

/// The stream of events. Each event is the whole state of loads and lists, so that a client
/// that was slow, or away, misses nothing. The state is made when it is sent, and nothing
/// waits in a queue.
struct EventsAPI: Sendable {
  let repository: RecordingRepository
  let loads: Loads
  let lists: ListsAPI
  /// Open streams by the session of their browser; those without one have the empty name.
  private let open = Locked<[String: Int]>([:])
  /// The state by whether it is for a reader.
  private let latest = Locked<[Bool: (key: [Int], text: String)]>([:])

  /// Distinguishes the tags of this server from those of one that ran before.
  private let run = UInt32.random(in: 0 ... .max)

  /// Streams at a time.
  private static let atMost = 128
  /// Streams of one browser. Its pages share one, unless it does not let them.
  private static let atMostOfSession = 8
  /// The time between two comparisons of the state with the one that was sent.
  private static let interval = Duration.milliseconds(500)
  /// The time without an event after which a comment is sent, by which each side sees
  /// that the connection is alive.
  private static let silence = Duration.seconds(15)

  /// A slot for a stream, taken for as long as it is referred to.
  private final class Slot: Sendable {
    private let open: Locked<[String: Int]>
    private let session: String

    /// Takes a slot; `nil` if all are taken, or all of the session.
    init?(of open: Locked<[String: Int]>, for session: String?) {
      let isTaken = open.withLock { counts in
        let own = session.map { counts[$0] ?? 0 } ?? 0
        let all = counts.values.reduce(0, +)
        guard own < EventsAPI.atMostOfSession, all < EventsAPI.atMost else { return false }
        counts[session ?? "", default: 0] += 1
        return true
      }
      guard isTaken else { return nil }
      self.open = open
      self.session = session ?? ""
    }

    deinit {
      open.withLock { counts in
        let left = (counts[session] ?? 1) - 1
        counts[session] = left > 0 ? left : nil
      }
    }
  }

  func answer(_ request: Request) throws -> Answer {
    guard let slot = Slot(of: open, for: request.session) else {
      throw UserFacingError(
        .tryLater, kind: "too-many-streams", problem: "Too many streams are open",
        hint: "Close a page that shows this server.")
    }
    return Answer(
      type: "text/event-stream; charset=utf-8",
      body: .stream { send in
        defer { withExtendedLifetime(slot) {} }
        var last = ""
        var sent = ContinuousClock.now
        try await send(ByteBuffer(string: "retry: 2000\n\n"))
        while true {
          let text = try await repository.perform { _ in
            try state(forReader: request.isReader).text
          }
          if text != last {
            try await send(ByteBuffer(string: "event: state\ndata: \(text)\n\n"))
            last = text
            sent = .now
          } else if ContinuousClock.now - sent >= Self.silence {
            try await send(ByteBuffer(string: ":\n\n"))
            sent = .now
          }
          try await Task.sleep(for: Self.interval)
        }
      })
  }

  /// The state as a client that polls gets it: with its tag, and without its text if the client has
  /// that already.
  func polled(_ request: Request) throws -> Answer {
    let state = try state(forReader: request.isReader)
    let tag = "\"\(run)-\(SelectionsAPI.text(of: state.key))\""
    let answer = request.hasAnswer(tagged: tag) ? Answer(status: .notModified) : .json(state.text)
    return answer.with(("ETag", tag))
  }

  /// Made once for all streams of a kind.
  private func state(forReader isReader: Bool) throws -> (key: [Int], text: String) {
    let version = try repository.version()
    let key = version + [loads.changes, isReader ? 1 : 0]
    if let latest = latest.withLock({ $0[isReader] }), latest.key == key { return latest }
    let lists = String(decoding: try lists.bytes(), as: UTF8.self).trimmingCharacters(in: .newlines)
    let loads = loads.json(forReader: isReader)
    let text =
      "{\"version\":\"\(SelectionsAPI.text(of: version))\",\"loads\":\(loads),\(lists.dropFirst())"
    latest.withLock { $0[isReader] = (key, text) }
    return (key, text)
  }
}
