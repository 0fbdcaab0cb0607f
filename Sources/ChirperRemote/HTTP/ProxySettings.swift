import ChirperModel
import Foundation

/// The proxy for a request, as the environment says: `https_proxy` and `no_proxy`, in lower
/// or upper case.
///
/// Only HTTPS requests use a proxy. They go through it by CONNECT, so it sees a host and a
/// port and no key. Plain HTTP goes to this machine alone, and `http_proxy` and `all_proxy`
/// are not read.
package struct ProxySettings: Sendable, Equatable {
  struct Proxy: Sendable, Equatable {
    /// The setting as it is in the environment, a name and password included; only for
    /// libcurl.
    let setting: String
    /// Host and port, for people.
    let name: String
  }

  private let proxy: Proxy?
  private let exceptions: [String]

  package init(_ environment: [String: String]) {
    func value(_ name: String) -> String? {
      let value = environment[name] ?? environment[name.uppercased()]
      return value.flatMap { $0.isEmpty ? nil : $0 }
    }
    proxy = value("https_proxy").map { Proxy(setting: $0, name: Self.name($0)) }
    exceptions = (value("no_proxy") ?? "").lowercased().split { $0 == "," || $0.isWhitespace }.map(
      String.init)
  }

  /// The settings of this process.
  package static var live: ProxySettings { ProxySettings(ProcessInfo.processInfo.environment) }

  /// The proxy and where it is not used, for people, without password; `nil` if none is
  /// set, empty if it names no host.
  package var summary: String? {
    #if canImport(Darwin)
    return "as set in the system's network settings"
    #else
    guard let proxy else { return nil }
    if proxy.name.isEmpty || proxy.name.hasPrefix(":") { return "" }
    return exceptions.isEmpty
      ? proxy.name : "\(proxy.name), not for \(exceptions.joined(separator: ", "))"
    #endif
  }

  func proxy(for url: URL) -> Proxy? {
    guard let proxy, url.scheme?.lowercased() == "https", let host = ServiceAddress.host(url),
      !Loopback.contains(host),
      !exceptions.contains(where: { Self.matches($0, host, port: url.port ?? 443) })
    else { return nil }
    return proxy
  }

  /// `*`, a host and all below it (`.` or `*.` may be before it), an address, a range such as
  /// `10.0.0.0/8`, a host with a port.
  private static func matches(_ exception: String, _ host: String, port: Int) -> Bool {
    if exception == "*" { return true }
    if let isInRange = isInRange(exception, host) { return isInRange }
    var name = exception[...]
    if name.hasPrefix("[") || name.filter({ $0 == ":" }).count == 1,
      let colon = name.lastIndex(of: ":"),
      let wanted = Int(name[name.index(after: colon)...])
    {
      guard wanted == port else { return false }
      name = name[..<colon]
    }
    name = name.hasPrefix("*.") ? name.dropFirst(2) : name.hasPrefix(".") ? name.dropFirst() : name
    let wanted = name.trimmingCharacters(in: ["[", "]"])
    return !wanted.isEmpty && (host == wanted || host.hasSuffix("." + wanted))
  }

  /// Whether the host is in a range of IPv4 addresses; `nil` if the exception is not such a
  /// range.
  private static func isInRange(_ exception: String, _ host: String) -> Bool? {
    let parts = exception.split(separator: "/")
    guard parts.count == 2, let base = address(parts[0]), let bits = Int(parts[1]),
      (0...32).contains(bits)
    else { return nil }
    guard let address = address(host[...]) else { return false }
    return bits == 0 || (address ^ base) >> (32 - UInt32(bits)) == 0
  }

  private static func address(_ text: Substring) -> UInt32? {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false).compactMap {
      UInt8($0)
    }
    return parts.count == 4 ? parts.reduce(0) { $0 << 8 | UInt32($1) } : nil
  }

  /// The setting without its scheme, name and password.
  private static func name(_ setting: String) -> String {
    var rest = setting[...]
    if let scheme = rest.range(of: "://") { rest = rest[scheme.upperBound...] }
    rest = rest.prefix { $0 != "/" && $0 != "?" && $0 != "#" }
    if let at = rest.lastIndex(of: "@") { rest = rest[rest.index(after: at)...] }
    return String(rest)
  }
}
