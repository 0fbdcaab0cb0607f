import Chirper
import ChirperFormats
import ChirperModel
import Foundation
import Logging
import NIOCore
import NIOHTTP1
import NIOPosix

/// The server of `chirper serve`, over the stored recordings; reached from this machine
/// alone, unless it is started otherwise.
///
/// The surface of the module is this type, `ServerAccess` with its `SessionToken`, `Route` for the
/// tests, and `QRCode`. Everything else is implementation.
package struct LocalServer: Sendable {
  private typealias Connection = NIOAsyncChannel<HTTPServerRequestPart, HTTPServerResponsePart>

  /// The port on which it answers.
  let port: Int
  private let access: ServerAccess
  private let responder: Responder
  private let listening: any Channel
  private let connections: OpenConnections
  /// Writes the search index, so that the first client does not wait for it.
  private let indexing: Task<Void, Never>

  /// Begins to listen, and answers until `stop` is called.
  ///
  /// - Parameters:
  ///   - repository: the repository whose recordings are answered.
  ///   - access: the address on which it listens, and who may ask.
  ///   - port: 0 for any that is free.
  ///   - defaultCatalogue: the catalogue of a query that is fetched and names none.
  ///   - hasKey: whether the key of a catalogue that needs one is there.
  ///   - dependencies: the clock, and the logger of answers. It gets no addresses of
  ///     requests, because they can have the token.
  /// - Throws: `UserFacingError` if the port is in use or may not be used.
  package init(
    _ repository: RecordingRepository, _ access: ServerAccess, port: Int,
    defaultCatalogue: Catalogue,
    hasKey: @escaping @Sendable (Catalogue) -> Bool,
    dependencies: RecordingRepository.Dependencies = .live
  ) async throws {
    ServerMemory.limitAllocatorPools()
    let connections = OpenConnections()
    let responder = Responder(
      repository, access, defaultCatalogue: defaultCatalogue, hasKey: hasKey, dependencies)
    do {
      listening = try await ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
        .serverChannelOption(.backlog, value: 256)
        .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
        // Without file descriptors left it waits a second and goes on.
        .serverChannelInitializer { channel in
          channel.eventLoop.makeCompletedFuture {
            try channel.pipeline.syncOperations.addHandler(AcceptBackoffHandler())
          }
        }
        .childChannelInitializer { channel in
          channel.eventLoop.makeCompletedFuture {
            let connection = try Self.connection(channel, among: connections)
            // A task of its own for each: NIO's stream of connections loses those that nobody took
            // when it ends.
            let answering = Task { await responder.serve(connection, among: connections) }
            // What is computed for a client that has gone ends.
            channel.closeFuture.whenComplete { _ in answering.cancel() }
          }
        }
        .bind(to: SocketAddress(ipAddress: access.address, port: port)).get()
    } catch let error as IOError {
      throw UserFacingError.cannotListen(access.address, port, error)
    }
    self.port = listening.localAddress?.port ?? port
    self.connections = connections
    self.access = access
    self.responder = responder
    indexing = Task { try? await repository.updateSearchIndex() }
  }

  /// The address of its page, as a browser on any machine takes it.
  package var url: String {
    var address = access.address
    if ["0.0.0.0", "::"].contains(address) {
      let own = (try? System.enumerateDevices())?.compactMap(\.address?.ipAddress) ?? []
      // Without a network only this machine can ask.
      address = own.first { !Loopback.contains($0) && !$0.contains(":") } ?? "127.0.0.1"
    }
    return "http://\(address.contains(":") ? "[\(address)]" : address):\(port)/"
  }

  /// The address with a token, if it needs one, in its fragment, which browsers do not send.
  package func link(for role: SessionToken.Role) -> String {
    switch role {
    case .owner: "\(url)#\(access.owner.text)"
    case .reader: access.isPublic ? url : "\(url)#\(access.reader.text)"
    }
  }

  /// Returns when `stop` was called, loads have ended and the answers that were under way are
  /// written, or 0.8 s later.
  package func run() async throws {
    try await listening.closeFuture.get()
    await responder.stopLoads(within: .milliseconds(300))
    for _ in 0..<50 where !connections.isEmpty {
      try await Task.sleep(for: .milliseconds(10))
    }
  }

  /// Takes no more requests.
  package func stop() {
    indexing.cancel()
    listening.close(promise: nil)
    for channel in connections.channels {
      channel.pipeline.fireUserInboundEventTriggered(ConnectionLimits.Stop())
    }
  }

  /// The pipeline of every connection: the bytes are counted and parsed, and the request is
  /// held to the limits.
  private static func connection(
    _ channel: any Channel, among connections: OpenConnections
  ) throws -> Connection {
    let limits = ConnectionLimits(connections)
    let pipeline = channel.pipeline.syncOperations
    try pipeline.addHandler(ByteMeter(limits))
    // By itself it would end an answer without a body, as that to HEAD, as one that came in pieces.
    var framing = HTTPResponseEncoder.Configuration()
    framing.automaticallySetFramingHeaders = false
    try pipeline.addHandler(HTTPResponseEncoder(configuration: framing))
    try pipeline.addHandler(
      ByteToMessageHandler(HTTPRequestDecoder(limitConfiguration: ServerLimits.decoder)))
    try pipeline.addHandler(HTTPServerPipelineHandler())
    try pipeline.addHandler(limits)
    return try Connection(wrappingChannelSynchronously: channel)
  }
}

extension UserFacingError {
  fileprivate static func cannotListen(_ address: String, _ port: Int, _ error: IOError)
    -> UserFacingError
  {
    switch error.errnoCode {
    case EADDRINUSE:
      UserFacingError(
        .unreachable, kind: "port-in-use", problem: "Port \(port) is in use",
        hint:
          "If chirper serve runs already, open its address; else type: chirper serve --port \(port % 65_535 + 1)"
      )
    case EACCES:
      UserFacingError(
        .unreachable, kind: "port-refused", problem: "Port \(port) may not be used here",
        hint: "Type: chirper serve --port 8642")
    case EADDRNOTAVAIL:
      UserFacingError(
        .unreachable, kind: "no-address",
        problem: "This machine does not have the address \(address)",
        hint: "Type: chirper serve --listen 0.0.0.0")
    default:
      UserFacingError(
        .unreachable, kind: "cannot-listen",
        problem: "Port \(port) cannot be used: \(error.localizedDescription)")
    }
  }
}
