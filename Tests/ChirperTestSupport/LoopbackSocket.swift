#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// A TCP socket on 127.0.0.1 or ::1, blocking, with waits short enough to notice that the server
/// was closed.
struct LoopbackSocket: Sendable {
  struct Failure: Error {
    let call: String
    let code: Int32
  }

  let descriptor: Int32

  /// Listens on a port that the system chooses.
  static func listening(onIPv6: Bool) throws(Failure) -> (socket: LoopbackSocket, port: Int) {
    #if canImport(Glibc)
    let stream = Int32(SOCK_STREAM.rawValue)
    #else
    let stream = SOCK_STREAM
    #endif
    let descriptor = socket(onIPv6 ? AF_INET6 : AF_INET, stream, 0)
    guard descriptor >= 0 else { throw Failure(call: "socket", code: errno) }
    let port: UInt16?
    if onIPv6 {
      var address = sockaddr_in6()
      address.sin6_family = sa_family_t(AF_INET6)
      address.sin6_addr = in6addr_loopback
      port = opened(descriptor, at: &address) ? address.sin6_port : nil
    } else {
      var address = sockaddr_in()
      address.sin_family = sa_family_t(AF_INET)
      address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
      port = opened(descriptor, at: &address) ? address.sin_port : nil
    }
    guard let port else { throw Failure(call: "bind", code: errno) }
    return (LoopbackSocket(descriptor: descriptor), Int(UInt16(bigEndian: port)))
  }

  /// Connected to a server on 127.0.0.1; `nil` if it takes no connection.
  static func connected(to port: Int) -> LoopbackSocket? {
    #if canImport(Glibc)
    let stream = Int32(SOCK_STREAM.rawValue)
    #else
    let stream = SOCK_STREAM
    #endif
    let descriptor = socket(AF_INET, stream, 0)
    guard descriptor >= 0 else { return nil }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = UInt16(port).bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    let isConnected = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
      }
    }
    let socket = LoopbackSocket(descriptor: descriptor)
    if !isConnected { socket.close() }
    return isConnected ? socket : nil
  }

  /// Binds to the address, listens, and fills in the port.
  private static func opened<Address>(_ descriptor: Int32, at address: inout Address) -> Bool {
    var length = socklen_t(MemoryLayout<Address>.size)
    return withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
        bind(descriptor, pointer, length) == 0 && listen(descriptor, 512) == 0
          && getsockname(descriptor, pointer, &length) == 0
      }
    }
  }

  /// The next connection; `nil` if none came within the wait.
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
        sendto(
          descriptor, buffer.baseAddress?.advanced(by: sent), bytes.count - sent, flags, nil, 0)
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

  /// Makes the next `close` end the connection at once and with an error for the peer.
  func resetAtClose() {
    var now = linger(l_onoff: 1, l_linger: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &now, socklen_t(MemoryLayout<linger>.size))
  }

  /// - Parameter isReset: `resetAtClose` was called; a shutdown would end the connection in order.
  func close(isReset: Bool = false) {
    guard !isReset else { return release() }
    shutdown(descriptor, Int32(SHUT_RDWR))
    release()
  }

  private func release() {
    #if canImport(Glibc)
    Glibc.close(descriptor)
    #elseif canImport(Musl)
    Musl.close(descriptor)
    #elseif canImport(Darwin)
    Darwin.close(descriptor)
    #endif
  }

  func isReadable(waiting milliseconds: Int32) -> Bool {
    var wanted = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    return poll(&wanted, 1, milliseconds) > 0
  }
}
