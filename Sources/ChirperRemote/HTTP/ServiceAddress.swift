import ChirperModel
import Foundation

/// The address at which a catalogue is asked: its own host or the one configured in its
/// place. It decides which URLs belong to the catalogue.
struct ServiceAddress: Sendable {
  let base: URL
  /// Whether requests go to the catalogue's own host, where its pace is kept.
  let isOwnHost: Bool
  private let ownHosts: Set<String>

  /// `ownHosts` are the names the service itself answers to, in lower case.
  init(own: URL, ownHosts: Set<String>, override: URL?) {
    base = override ?? own
    let host = Self.host(base) ?? ""
    isOwnHost = ownHosts.contains(host)
    self.ownHosts = isOwnHost ? ownHosts : [host]
  }

  /// The URL of a request; everything but unreserved characters is percent-encoded, but a space can
  /// be `+`.
  func url(_ path: String, _ items: [(name: String, value: String)], spaceAsPlus: Bool = false)
    throws(FetchError) -> URL
  {
    guard let host = Self.host(base), !host.isEmpty, base.user() == nil, base.password() == nil,
      base.query() == nil
    else {
      throw FetchError(.addressRefused("it must be scheme, host and port: https://host:port"))
    }
    guard Self.isSecure(base) else {
      throw FetchError(.addressRefused("it must begin with https:// unless it is on this machine"))
    }
    let query = items.map { name, value in
      let encoded = value.addingPercentEncoding(withAllowedCharacters: Self.unreserved) ?? ""
      return "\(name)=\(spaceAsPlus ? encoded.replacing("%20", with: "+") : encoded)"
    }
    var text = base.absoluteString
    while text.hasSuffix("/") { text.removeLast() }
    guard let url = URL(string: "\(text)\(path)?\(query.joined(separator: "&"))") else {
      throw FetchError(.addressRefused("it is not a URL"))
    }
    return url
  }

  func refusal(ofRedirectTo target: URL) -> String? {
    guard let host = Self.host(target), !host.isEmpty else { return "it names no host" }
    guard Self.isSecure(target) else { return "it leads to \(host) without HTTPS" }
    guard ownHosts.contains(host) else { return "it leads to another host, \(host)" }
    // A port is a server of its own.
    guard Self.port(target) == Self.port(base) else { return "it leads to another port of \(host)" }
    return nil
  }

  private static func port(_ url: URL) -> Int {
    url.port ?? (url.scheme?.lowercased() == "http" ? 80 : 443)
  }

  /// The host in lower case, without the brackets of IPv6 and the dot of the root.
  static func host(_ url: URL) -> String? {
    guard var host = url.host(percentEncoded: false)?.lowercased() else { return nil }
    if host.hasSuffix(".") { host.removeLast() }
    return host.trimmingCharacters(in: ["[", "]"])
  }

  /// Whether nobody on the way can listen: HTTPS, or HTTP that stays on this machine.
  static func isSecure(_ url: URL) -> Bool {
    switch url.scheme?.lowercased() {
    case "https": true
    case "http": Loopback.contains(host(url) ?? "")
    default: false
    }
  }

  private static let unreserved = CharacterSet(
    charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
}
