import ChirperFormats
import ChirperModel
import Foundation
import NIOCore
import NIOPosix

/// Sends the bytes that a thread writes, as fast as the client takes them: a pipe between
/// the two holds the thread up.
enum ExportStream {
  /// - Parameters:
  ///   - send: takes each piece, and returns when the client has.
  ///   - write: called on a thread of its own; it ends with an error if the client goes away.
  static func send(
    to send: (ByteBuffer) async throws -> Void,
    _ write: @escaping @Sendable (any ByteOutput) throws -> Void
  ) async throws {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { throw IOError(errnoCode: errno, reason: "pipe") }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    let input = ends[1]
    let output: NIOAsyncChannel<ByteBuffer, Never>
    do {
      output = try await NIOPipeBootstrap(group: MultiThreadedEventLoopGroup.singleton)
        .takingOwnershipOfDescriptor(input: ends[0]) { channel in
          channel.eventLoop.makeCompletedFuture {
            try NIOAsyncChannel(wrappingChannelSynchronously: channel)
          }
        }
    } catch {
      close(input)
      throw error
    }
    async let written: Void = withTaskExecutorPreference(QueueExecutor("chirper.export")) {
      defer { close(input) }
      // The other end is closed when the client has gone.
      try write(ByteSink(input, path: "client"))
    }
    try await output.executeThenClose { pieces in
      for try await piece in pieces { try await send(piece) }
    }
    try await written
  }
}
