import ChirperModel
import Foundation

/// An HTTP server on loopback that answers byte for byte as scripted, faults included, and records
/// its requests.
///
///     let server = try ScriptedServer { request in .json(200, "[]") }
///     … server.url … server.requests …
///
/// A connection takes one request, or more where the answers keep it. It stops when it is closed or
/// forgotten.
package final class ScriptedServer: Sendable {
  /// What a client sent.
  package struct Request: Sendable, Equatable {
    package let method: String
    /// Path and query as sent.
    package let target: String
    /// By lower-case name.
    package let headers: [String: String]

    package var path: String { String(target.prefix { $0 != "?" }) }

    /// The first query item of that name, decoded.
    package func query(_ name: String) -> String? {
      let items = URLComponents(string: target.replacing("+", with: "%20"))?.queryItems
      return items?.first { $0.name == name }?.value
    }
  }

  package let url: URL
  private let world: World

  /// - Parameters:
  ///   - onIPv6: listens on `[::1]` instead of 127.0.0.1.
  ///   - greeting: what every connection gets in place of an answer, without having been read.
  package init(
    onIPv6: Bool = false, greeting: ScriptedAnswer? = nil,
    _ answer: @escaping @Sendable (Request) -> ScriptedAnswer = { _ in .silent }
  ) throws {
    let (socket, port) = try LoopbackSocket.listening(onIPv6: onIPv6)
    url = URL(string: "http://\(onIPv6 ? "[::1]" : "127.0.0.1"):\(port)")!
    let world = World(greeting: greeting, answer: answer)
    self.world = world
    Thread.detachNewThread {
      while !world.isClosed {
        guard let connection = socket.accepted(waiting: 20) else { continue }
        // It was closed while it waited.
        if world.isClosed {
          connection.close(isReset: true)
          break
        }
        world.connections.withLock { $0 += 1 }
        Thread.detachNewThread { world.serve(connection) }
      }
      socket.close()
      world.hasStopped.signal()
    }
  }

  deinit { world.closed.withLock { $0 = true } }

  /// In the order in which they came.
  package var requests: [Request] { world.requests.withLock { $0 } }

  /// How often a client connected.
  package var connections: Int { world.connections.withLock { $0 } }

  /// How often a client hung up on an answer that was still going on.
  package var hangUps: Int { world.hangUps.withLock { $0 } }

  /// Refuses connections from then on.
  package func close() {
    let isFirst = world.closed.withLock { closed in
      defer { closed = true }
      return !closed
    }
    if isFirst { world.hasStopped.wait() }
  }
}

/// What the threads share; it outlives the server by a few milliseconds.
private final class World: Sendable {
  let greeting: ScriptedAnswer?
  let answer: @Sendable (ScriptedServer.Request) -> ScriptedAnswer
  let requests = Locked<[ScriptedServer.Request]>([])
  let connections = Locked(0)
  let hangUps = Locked(0)
  let closed = Locked(false)
  /// Signalled once nobody listens any more.
  let hasStopped = DispatchSemaphore(value: 0)

  init(
    greeting: ScriptedAnswer?,
    answer: @escaping @Sendable (ScriptedServer.Request) -> ScriptedAnswer
  ) {
    self.greeting = greeting
    self.answer = answer
  }

  var isClosed: Bool { closed.withLock { $0 } }

  func serve(_ connection: LoopbackSocket) {
    var isReset = false
    defer { connection.close(isReset: isReset) }
    while let answer = greeting ?? self.answer(from: connection) {
      for step in answer.steps {
        if case .reset = step { isReset = true }
        guard play(step, on: connection) else {
          if !isClosed { hangUps.withLock { $0 += 1 } }
          return
        }
      }
      guard answer.keepsConnection, !isClosed else { return }
    }
  }

  /// What the next request is answered with; `nil` if none came.
  private func answer(from connection: LoopbackSocket) -> ScriptedAnswer? {
    guard let request = request(from: connection) else { return nil }
    requests.withLock { $0.append(request) }
    return answer(request)
  }

  private func request(from connection: LoopbackSocket) -> ScriptedServer.Request? {
    var bytes: [UInt8] = []
    var lines: [String] = []
    while !lines.contains("") {
      let piece = connection.received()
      guard !piece.isEmpty else { return nil }
      bytes += piece
      lines = String(decoding: bytes, as: UTF8.self).components(separatedBy: "\r\n").dropLast()
    }
    let words = lines[0].split(separator: " ").map(String.init)
    guard words.count == 3 else { return nil }
    var headers: [String: String] = [:]
    for line in lines.dropFirst() {
      guard let colon = line.firstIndex(of: ":") else { continue }
      headers[line[..<colon].lowercased()] = line[line.index(after: colon)...].trimmingCharacters(
        in: .whitespaces)
    }
    return ScriptedServer.Request(method: words[0], target: words[1], headers: headers)
  }

  /// Whether the connection is still open.
  private func play(_ step: ScriptedAnswer.Step, on connection: LoopbackSocket) -> Bool {
    switch step {
    case .send(let bytes):
      return connection.send(bytes)
    case .pause(let duration):
      return hold(connection, until: .now + duration)
    case .reset:
      connection.resetAtClose()
      return true
    case .hold:
      return hold(connection, until: .now + .seconds(60))
    case .endless(let bytes, let interval):
      while !isClosed {
        guard connection.send(bytes), hold(connection, until: .now + interval) else { return false }
      }
      return false
    }
  }

  private func hold(_ connection: LoopbackSocket, until end: ContinuousClock.Instant) -> Bool {
    while case let left = ContinuousClock.now.duration(to: end), left > .zero {
      let milliseconds = Int32(min(20, max(1, left / .milliseconds(1))))
      if isClosed || connection.isHungUp(waiting: milliseconds) { return false }
    }
    return true
  }
}
