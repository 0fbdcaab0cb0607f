import Chirper
import ChirperFormats
import ChirperModel
import ChirperPlatform
import Foundation
import Logging
import NIOCore
import NIOHTTP1
import NIOPosix

/// The server of `chirper serve`, over what is stored; reached from this machine alone, unless it is started otherwise.
package struct LocalServer: Sendable {
  private typealias Connection = NIOAsyncChannel<HTTPServerRequestPart, HTTPServerResponsePart>

  /// Where it answers.
  package let port: Int
  private let access: ServerAccess
  private let listening: any Channel
  private let connections: Locked<[ObjectIdentifier: any Channel]>

  /// Begins to listen, and answers until `stop` is called.
  ///
  /// - Parameters:
  ///   - repository: whose recordings are answered.
  ///   - access: where it listens, and who may ask.
  ///   - port: 0 for any that is free.
  ///   - logger: for what was answered, without the addresses that were asked for, which can have the token.
  /// - Throws: `UserFacingError` if the port is in use or may not be used.
  package init(_ repository: RecordingRepository, _ access: ServerAccess, port: Int, logger: Logger) async throws {
    let connections = Locked<[ObjectIdentifier: any Channel]>([:])
    let responder = Responder(
      access: access, recordings: RecordingsAPI(repository), audio: AudioAPI(repository: repository), logger: logger)
    do {
      listening = try await ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
        .serverChannelOption(.backlog, value: 256)
        .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
        // Without file descriptors left it waits a second and goes on.
        .serverChannelInitializer { channel in
          channel.eventLoop.makeCompletedFuture { try channel.pipeline.syncOperations.addHandler(AcceptBackoffHandler()) }
        }
        .childChannelInitializer { channel in
          channel.eventLoop.makeCompletedFuture {
            let connection = try Self.connection(channel, among: connections)
            // A task of its own for each: NIO's stream of connections loses those that nobody took when it ends.
            Task { await responder.serve(connection) }
          }
        }
        .bind(to: SocketAddress(ipAddress: access.address, port: port)).get()
    } catch let error as IOError {
      throw UserFacingError.cannotListen(access.address, port, error)
    }
    self.port = listening.localAddress?.port ?? port
    self.connections = connections
    self.access = access
  }

  /// The address of its page, as a browser on this machine or on another one takes it.
  package var url: String {
    var address = access.address
    if ["0.0.0.0", "::"].contains(address) {
      let own = (try? System.enumerateDevices())?.compactMap(\.address?.ipAddress) ?? []
      // Without a network only this machine can ask.
      address = own.first { !Loopback.contains($0) && !$0.contains(":") } ?? "127.0.0.1"
    }
    return "http://\(address.contains(":") ? "[\(address)]" : address):\(port)/"
  }

  /// The same with the token in its fragment, which a browser sends to nobody.
  package var link: String { "\(url)#\(access.token.text)" }

  /// Returns when `stop` was called and the answers that were under way are written, or half a second later.
  package func run() async throws {
    try await listening.closeFuture.get()
    for _ in 0..<50 where connections.withLock({ !$0.isEmpty }) { try await Task.sleep(for: .milliseconds(10)) }
  }

  /// Takes no more requests.
  package func stop() {
    listening.close(promise: nil)
    for channel in connections.withLock({ Array($0.values) }) {
      channel.pipeline.fireUserInboundEventTriggered(ConnectionLimits.Stop())
    }
  }

  /// What every connection goes through: the bytes are counted and parsed, and the request is held to the limits.
  private static func connection(
    _ channel: any Channel, among connections: Locked<[ObjectIdentifier: any Channel]>
  ) throws -> Connection {
    let id = ObjectIdentifier(channel)
    let open = connections.withLock { open in
      open[id] = channel
      return open.count
    }
    channel.closeFuture.whenComplete { _ in connections.withLock { $0[id] = nil } }
    let limits = ConnectionLimits(isOneTooMany: open > ServerLimits.connections)
    let pipeline = channel.pipeline.syncOperations
    try pipeline.addHandler(ByteMeter(limits))
    try pipeline.addHandler(HTTPResponseEncoder())
    try pipeline.addHandler(ByteToMessageHandler(HTTPRequestDecoder(limitConfiguration: ServerLimits.decoder)))
    try pipeline.addHandler(HTTPServerPipelineHandler())
    try pipeline.addHandler(limits)
    return try Connection(wrappingChannelSynchronously: channel)
  }
}

/// Answers the requests of connections.
private struct Responder: Sendable {
  let access: ServerAccess
  let recordings: RecordingsAPI
  let audio: AudioAPI
  let logger: Logger

  func serve(_ connection: NIOAsyncChannel<HTTPServerRequestPart, HTTPServerResponsePart>) async {
    do {
      try await connection.executeThenClose { requests, answers in
        var (head, body) = (HTTPRequestHead?.none, [UInt8]())
        for try await part in requests {
          switch part {
          case .head(let next): (head, body) = (next, [])
          case .body(let bytes): body += bytes.readableBytesView
          case .end:
            guard let asked = head else { return }
            let gate = Gate(access: access, local: connection.channel.localAddress)
            try await write(await answer(Request(asked, body: body), gate), to: asked, answers)
            guard asked.isKeepAlive else { return }
          }
        }
      }
    } catch {
      logger.trace("connection ended", metadata: ["error": "\(error)"])
    }
  }

  private func answer(_ request: Request, _ gate: Gate) async -> Answer {
    var answer: Answer
    if let refusal = gate.refusal(of: request) {
      answer = refusal
    } else {
      do {
        // The store is read on threads that may wait.
        answer = try await NIOThreadPool.singleton.runIfActive { try self.answer(request, gate).compressed(for: request) }
      } catch {
        logger.warning("not answered", metadata: ["error": "\(error)"])
        answer = .text(.serviceUnavailable, "The store cannot be read now. Try again.")
      }
    }
    if let origin = gate.allowedOrigin(of: request) {
      answer.headers += [("Access-Control-Allow-Origin", origin), ("Access-Control-Expose-Headers", "*"), ("Vary", "Origin")]
    }
    logger.debug(
      "answered",
      metadata: ["method": "\(request.method)", "status": "\(answer.status.code)", "bytes": "\(answer.length ?? 0)"])
    return answer
  }

  private func answer(_ request: Request, _ gate: Gate) throws -> Answer {
    let path = request.path
    if path == ["session"], request.method == .POST {
      return SessionAPI(token: access.token, cookie: gate.cookie).answer(request)
    }
    guard request.isReading else {
      return Answer(status: .methodNotAllowed, headers: [("Allow", path == ["session"] ? "POST" : "GET, HEAD")])
    }
    switch (path.first, path.count) {
    case (nil, 0): return .text(.ok, "chirper answers as xeno-canto does, at /api/3/recordings?query=q:A and so on.")
    case ("api", 3) where path[1...] == ["3", "recordings"]: return try recordings.answer(request, .three)
    case ("api", 3) where path[1...] == ["2", "recordings"]: return try recordings.answer(request, .two)
    case (let id?, 2) where path[1] == "download": return try audio.answer(request, id: id)
    default: return .text(.notFound, "Nothing is here.")
    }
  }

  private func write(
    _ answer: Answer, to request: HTTPRequestHead, _ writer: NIOAsyncChannelOutboundWriter<HTTPServerResponsePart>
  ) async throws {
    // A client of HTTP/1.0 cannot read pieces of unknown number, and gets them until the connection is closed.
    var head = HTTPResponseHead(version: answer.length == nil ? request.version : .http1_1, status: answer.status)
    head.headers = Answer.headers(type: answer.type, length: answer.length)
    for (name, value) in answer.headers { head.headers.add(name: name, value: value) }
    if !request.isKeepAlive { head.headers.add(name: "Connection", value: "close") }
    try await writer.write(.head(head))
    if request.method != .HEAD {
      switch answer.body {
      case .bytes(let bytes):
        for start in stride(from: 0, to: bytes.count, by: Self.pieceSize) {
          try await writer.write(.body(.byteBuffer(ByteBuffer(bytes: bytes[start...].prefix(Self.pieceSize)))))
        }
      case .file(let url, let range):
        let file = try FileHandle(forReadingFrom: url)
        defer { try? file.close() }
        try file.seek(toOffset: UInt64(range.lowerBound))
        var left = range.count
        while left > 0 {
          let count = min(left, Self.pieceSize)
          let piece = try await NIOThreadPool.singleton.runIfActive { try file.read(upToCount: count) ?? Data() }
          // The file became shorter: the client sees that bytes are missing.
          guard !piece.isEmpty else { throw ChannelError.inputClosed }
          try await writer.write(.body(.byteBuffer(ByteBuffer(bytes: piece))))
          left -= piece.count
        }
      case .stream(let produce):
        try await produce { try await writer.write(.body(.byteBuffer($0))) }
      }
    }
    try await writer.write(.end(nil))
  }

  private static let pieceSize = 1 << 17
}

extension UserFacingError {
  fileprivate static func cannotListen(_ address: String, _ port: Int, _ error: IOError) -> UserFacingError {
    switch error.errnoCode {
    case EADDRINUSE:
      UserFacingError(
        .unreachable, "port-in-use", "Port \(port) is in use",
        hint: "If chirper serve runs already, open its address; else type: chirper serve --port \(port % 65_535 + 1)")
    case EACCES:
      UserFacingError(.unreachable, "port-refused", "Port \(port) may not be used here", hint: "Type: chirper serve --port 8642")
    case EADDRNOTAVAIL:
      UserFacingError(
        .unreachable, "no-address", "This machine does not have the address \(address)",
        hint: "Type: chirper serve --listen 0.0.0.0")
    default:
      UserFacingError(.unreachable, "cannot-listen", "Port \(port) cannot be used: \(error.localizedDescription)")
    }
  }
}
