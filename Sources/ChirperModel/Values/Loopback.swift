/// The hosts that are this machine, the only ones that may be asked without HTTPS.
package enum Loopback {
  /// Whether the host is `localhost`, `::1` or an address in 127.0.0.0/8, in any case, with
  /// or without the brackets of IPv6 and the dot of the root. Only whole names and
  /// addresses count, because `127.evil.example` is a different machine.
  package static func contains(_ host: String) -> Bool {
    var host = host.lowercased()[...]
    if host.hasPrefix("["), host.hasSuffix("]") { host = host.dropFirst().dropLast() }
    if host.hasSuffix(".") { host = host.dropLast() }
    if host == "localhost" || host == "::1" { return true }
    let parts = host.split(separator: ".", omittingEmptySubsequences: false)
    // `UInt8` alone would take `+1`.
    return parts.count == 4 && parts[0] == "127"
      && parts.allSatisfy { part in
        part.utf8.allSatisfy { $0.isDigit } && UInt8(part) != nil
      }
  }
}
