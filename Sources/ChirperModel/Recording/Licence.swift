import Foundation

/// What may be done with a recording.
public struct Licence: Hashable, Sendable {
  /// The short name: `CC BY-NC-SA 4.0`, `CC0 1.0`; else the rights as the catalogue words them.
  public let name: String
  /// The identifier of https://spdx.org/licenses, where there is one: `CC-BY-NC-SA-4.0`.
  public let spdx: String?
  /// The address of the text of the licence; absolute, HTTPS or HTTP.
  package let address: String?
  /// The text of the licence; absolute, HTTPS or HTTP.
  public var url: URL? { address.flatMap { URL(string: $0) } }
  /// Whether commercial use is allowed; unknown rights allow nothing.
  public let allowsCommercialUse: Bool
  /// Whether changed versions may be published; unknown rights allow nothing.
  public let allowsDerivatives: Bool

  /// Rights that are no Creative Commons licence, in the catalogue's own words: nothing is allowed.
  public init(other name: String, url: URL? = nil) {
    self.init(other: name, address: url?.absoluteString)
  }

  /// The same.
  ///
  /// - Parameter address: of the text of the licence.
  package init(other name: String, address: String?) {
    self.name = name
    spdx = nil
    self.address = address
    (allowsCommercialUse, allowsDerivatives) = (false, false)
  }

  /// Reads the address of a Creative Commons licence or public domain dedication, with or without a scheme, `www.`,
  /// `/legalcode` or a closing slash: `//creativecommons.org/licenses/by-nc-sa/4.0/`. `nil` for every other text.
  public init?(creativeCommons address: String) {
    if let known = Self.byAddress[address] {
      self = known
      return
    }
    var rest = address.lowercased()[...]
    for prefix in ["https:", "http:", "//", "www."] where rest.hasPrefix(prefix) { rest = rest.dropFirst(prefix.count) }
    let parts = rest.split(separator: "/")
    guard parts.count >= 4, parts[0] == "creativecommons.org",
      let known = Self.byAddress["https://creativecommons.org/\(parts[1])/\(parts[2])/\(parts[3])/"]
    else { return nil }
    self = known
  }

  /// Every licence and dedication, by its address with HTTPS and without a scheme: thousands of recordings have the same.
  private static let byAddress: [String: Licence] = {
    var all = [
      Licence(free: "CC0 1.0", spdx: "CC0-1.0", path: "zero/1.0"),
      Licence(free: "Public Domain Mark 1.0", spdx: nil, path: "mark/1.0"),
    ]
    for code in ["by", "by-sa", "by-nd", "by-nc", "by-nc-sa", "by-nc-nd"] {
      all += ["1.0", "2.0", "2.1", "2.5", "3.0", "4.0"].compactMap { Licence(creativeCommonsCode: code, version: $0) }
    }
    var byAddress: [String: Licence] = [:]
    for licence in all {
      guard let url = licence.address else { continue }
      byAddress[url] = licence
      byAddress[String(url.dropFirst("https:".count))] = licence
    }
    return byAddress
  }()

  /// A Creative Commons licence by its code (`by-nc-sa`, in lower case) and its version (`4.0`); `nil` for an unknown code.
  public init?(creativeCommonsCode code: String, version: String) {
    guard ["by", "by-sa", "by-nd", "by-nc", "by-nc-sa", "by-nc-nd"].contains(code) else { return nil }
    name = "CC \(code.uppercased()) \(version)"
    spdx = "CC-\(code.uppercased())-\(version)"
    address = "https://creativecommons.org/licenses/\(code)/\(version)/"
    let elements = code.split(separator: "-")
    allowsCommercialUse = !elements.contains("nc")
    allowsDerivatives = !elements.contains("nd")
  }

  private init(free name: String, spdx: String?, path: String) {
    self.name = name
    self.spdx = spdx
    address = "https://creativecommons.org/publicdomain/\(path)/"
    (allowsCommercialUse, allowsDerivatives) = (true, true)
  }
}
