#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// A TCP socket on 127.0.0.1, blocking, with waits short enough to notice that the server was closed.
struct LoopbackSocket: Sendable {
  struct Failure: Error {
    let call: String
    let code: Int32
  }

  let descriptor: Int32

  /// Listens on a port that the system chooses.
  static func listening() throws(Failure) -> (socket: LoopbackSocket, port: Int) {
    #if canImport(Glibc)
      let stream = Int32(SOCK_STREAM.rawValue)
    #else
      let stream = SOCK_STREAM
    #endif
    let descriptor = socket(AF_INET, stream, 0)
    guard descriptor >= 0 else { throw Failure(call: "socket", code: errno) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let bound = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
        bind(descriptor, pointer, length) == 0 && listen(descriptor, 64) == 0
          && getsockname(descriptor, pointer, &length) == 0
      }
    }
    guard bound else { throw Failure(call: "bind", code: errno) }
    return (LoopbackSocket(descriptor: descriptor), Int(UInt16(bigEndian: address.sin_port)))
  }

  /// The next connection; `nil` where none came within the wait.
  func accepted(waiting milliseconds: Int32) -> LoopbackSocket? {
    guard isReadable(waiting: milliseconds) else { return nil }
    let connection = accept(descriptor, nil, nil)
    guard connection >= 0 else { return nil }
    #if canImport(Darwin)
      var on: Int32 = 1
      setsockopt(connection, SOL_SOCKET, SO_NOSIGPIPE, &on, socklen_t(MemoryLayout<Int32>.size))
    #endif
    return LoopbackSocket(descriptor: connection)
  }

  /// What has arrived; empty where the peer hung up.
  func received() -> [UInt8] {
    var buffer = [UInt8](repeating: 0, count: 16_384)
    let count = recv(descriptor, &buffer, buffer.count, 0)
    return Array(buffer.prefix(max(count, 0)))
  }

  /// Whether all of it was taken by the peer's system.
  func send(_ bytes: [UInt8]) -> Bool {
    #if canImport(Darwin)
      let flags: Int32 = 0
    #else
      let flags = Int32(MSG_NOSIGNAL)
    #endif
    var sent = 0
    while sent < bytes.count {
      let count = bytes.withUnsafeBytes { buffer in
        sendto(descriptor, buffer.baseAddress?.advanced(by: sent), bytes.count - sent, flags, nil, 0)
      }
      guard count > 0 else { return false }
      sent += count
    }
    return true
  }

  /// Whether the peer hung up, looked for as long as the wait.
  func isHungUp(waiting milliseconds: Int32) -> Bool {
    guard isReadable(waiting: milliseconds) else { return false }
    var byte: UInt8 = 0
    return recv(descriptor, &byte, 1, Int32(MSG_PEEK)) <= 0
  }

  func close() {
    shutdown(descriptor, Int32(SHUT_RDWR))
    #if canImport(Glibc)
      Glibc.close(descriptor)
    #elseif canImport(Musl)
      Musl.close(descriptor)
    #elseif canImport(Darwin)
      Darwin.close(descriptor)
    #endif
  }

  private func isReadable(waiting milliseconds: Int32) -> Bool {
    var wanted = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    return poll(&wanted, 1, milliseconds) > 0
  }
}
