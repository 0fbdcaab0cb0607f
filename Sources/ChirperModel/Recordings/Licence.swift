import Foundation

extension RecordingDetails {
  /// The rights in a recording: what its licence allows.
  public struct Licence: Hashable, Sendable {
    /// The short name: `CC BY-NC-SA 4.0`, `CC0 1.0`; else the rights as the catalogue words them.
    public let name: String
    /// The identifier of https://spdx.org/licenses, if it has one: `CC-BY-NC-SA-4.0`.
    public let spdx: String?
    /// The address of the text of the licence; absolute, HTTPS or HTTP.
    package let address: String?
    /// The text of the licence; absolute, HTTPS or HTTP.
    public var url: URL? { address.flatMap { URL(string: $0) } }
    /// Whether commercial use is allowed; unknown rights allow nothing.
    public let allowsCommercialUse: Bool
    /// Whether changed versions may be published; unknown rights allow nothing.
    public let allowsDerivatives: Bool

    /// Rights that are not a Creative Commons licence, in the catalogue's own words. They
    /// allow nothing.
    public init(other name: String, url: URL? = nil) {
      self.init(other: name, address: url?.absoluteString)
    }

    /// Rights that are not a Creative Commons licence, in the catalogue's own words.
    ///
    /// - Parameter address: the address of the licence's text.
    package init(other name: String, address: String?) {
      self.name = name
      spdx = nil
      self.address = address
      allowsCommercialUse = false
      allowsDerivatives = false
    }

    /// Reads the address of a licence or public domain dedication of Creative Commons, its SPDX
    /// identifier, or words that can mean one licence only: `//creativecommons.org/licenses/by/4.0/`,
    /// `CC-BY-4.0`, `CC_BY_NC_4_0`, "Creative Commons Attribution 4.0 International".
    ///
    /// `nil` for every other text. A version ported to a country (`/by-sa/3.0/nl/`) is a licence of
    /// its own. What comes after it in an address (`deed.de`, `legalcode`, `rdf`, `#`, `?`) is a part
    /// or a translation of the same licence.
    public init?(creativeCommons text: String) {
      guard text.utf8.count <= Self.longestText,
        let known = Self.byText[text] ?? Self(addressOf: text) ?? Self(words: text)
      else { return nil }
      self = known
    }

    /// A licence of Creative Commons by its code (`by-nc-sa`, in lower case), its version (`4.0`) and
    /// the country it is ported to (`nl`, or `igo`).
    ///
    /// `nil` for an unknown code or version. Version 4.0 has no ports.
    package init?(creativeCommonsCode code: String, version: String, port: String? = nil) {
      guard Self.codes.contains(code), Self.versions.contains(version) else { return nil }
      if let port {
        guard version != "4.0", Self.isPort(port) else { return nil }
      }
      let parts = [code, version] + [port].compactMap(\.self)
      name = "CC " + parts.joined(separator: " ").uppercased()
      let identifier = "CC-" + parts.joined(separator: "-").uppercased()
      spdx = Self.spdxIdentifiers.contains(identifier) ? identifier : nil
      address = "https://creativecommons.org/licenses/" + parts.map { $0 + "/" }.joined()
      let elements = code.split(separator: "-")
      allowsCommercialUse = !elements.contains("nc")
      allowsDerivatives = !elements.contains("nd")
    }

    private init(free name: String, spdx: String, path: String) {
      self.name = name
      self.spdx = spdx
      address = "https://creativecommons.org/publicdomain/\(path)/"
      allowsCommercialUse = true
      allowsDerivatives = true
    }

    private static let zero = Licence(
      free: "CC0 1.0", spdx: "CC0-1.0", path: "zero/1.0")
    private static let mark = Licence(
      free: "Public Domain Mark 1.0", spdx: "CC-PDM-1.0", path: "mark/1.0")

    /// The most bytes of a text that are read: the longest name of a licence has about 100.
    private static let longestText = 200

    private static let codes = ["by", "by-sa", "by-nd", "by-nc", "by-nc-sa", "by-nc-nd"]
    private static let versions = ["1.0", "2.0", "2.1", "2.5", "3.0", "4.0"]

    /// The addresses without a port, in the forms that catalogues send: thousands of recordings have
    /// the same.
    private static let byText: [String: Licence] = {
      let ofCodes = codes.flatMap { code in
        versions.compactMap { Licence(creativeCommonsCode: code, version: $0) }
      }
      var byText: [String: Licence] = [:]
      for licence in [zero, mark] + ofCodes {
        guard let address = licence.address else { continue }
        for scheme in ["https:", "http:", ""] {
          for form in ["", "legalcode"] {
            byText[scheme + address.dropFirst("https:".count) + form] = licence
          }
        }
      }
      return byText
    }()

    /// The identifiers of https://spdx.org/licenses (list 3.29) that begin with `CC-BY`.
    private static let spdxIdentifiers: Set<String> = {
      let ports: [String: [String: String]] = [
        "BY": ["1.0": "", "2.0": "", "2.5": " AU", "3.0": " AT AU DE IGO NL US", "4.0": ""],
        "BY-NC": ["1.0": "", "2.0": "", "2.5": "", "3.0": " DE IGO", "4.0": ""],
        "BY-NC-ND": ["1.0": "", "2.0": "", "2.5": "", "3.0": " DE IGO", "4.0": ""],
        "BY-NC-SA": ["1.0": "", "2.0": " DE FR UK", "2.5": "", "3.0": " DE IGO", "4.0": ""],
        "BY-ND": ["1.0": "", "2.0": "", "2.5": "", "3.0": " DE", "4.0": ""],
        "BY-SA": ["1.0": "", "2.0": " UK", "2.5": "", "3.0": " AT DE IGO", "4.0": ""],
      ]
      var identifiers: Set = ["CC-BY-SA-2.1-JP"]
      for (code, versions) in ports {
        for (version, ports) in versions {
          for port in ports.split(separator: " ", omittingEmptySubsequences: false) {
            identifiers.insert("CC-\(code)-\(version)" + (port.isEmpty ? "" : "-\(port)"))
          }
        }
      }
      return identifiers
    }()

    /// Whether a part of an address can be a country or `igo`; `rdf` is a form of the text.
    private static func isPort(_ part: some StringProtocol) -> Bool {
      (2...3).contains(part.utf8.count) && part != "rdf"
        && part.utf8.allSatisfy(\.isSmallLetter)
    }

    // MARK: Addresses

    private init?(addressOf text: String) {
      var rest = text.lowercased()[...]
      for prefix in ["https:", "http:", "//", "www."] where rest.hasPrefix(prefix) {
        rest = rest.dropFirst(prefix.count)
      }
      rest = rest.prefix { $0 != "#" && $0 != "?" }
      if rest.last == "." { rest.removeLast() }
      let parts = rest.split(separator: "/")
      guard parts.count >= 4, parts[0] == "creativecommons.org" else { return nil }
      var further = parts[4...]
      let port = further.first.flatMap { Self.isPort($0) ? String($0) : nil }
      if port != nil { further.removeFirst() }
      if let form = further.first, Self.isForm(form) { further.removeFirst() }
      guard further.isEmpty else { return nil }
      switch (parts[1], parts[2], parts[3], port) {
      case ("publicdomain", "zero", "1.0", nil): self = Self.zero
      case ("publicdomain", "mark", "1.0", nil): self = Self.mark
      case ("licenses", let code, let version, let port):
        guard
          let licence = Licence(
            creativeCommonsCode: String(code), version: String(version), port: port)
        else { return nil }
        self = licence
      default: return nil
      }
    }

    /// Whether the part of an address is a form or a translation of a licence's text: `deed.de`.
    private static func isForm(_ part: Substring) -> Bool {
      if part == "rdf" { return true }
      let parts = part.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
      guard parts[0] == "deed" || parts[0] == "legalcode" else { return false }
      return parts.count == 1
        || !parts[1].isEmpty
          && parts[1].utf8.allSatisfy { $0.isLetter || $0 == UInt8(ascii: "-") }
    }

    // MARK: Words

    /// The code of a licence of Creative Commons whose version a text does not say: `by-nc` of
    /// `cc-by-nc` and `https://creativecommons.org/licenses/by-nc/`. The licence itself is not known,
    /// so it allows nothing.
    static func codeWithoutVersion(_ text: String) -> String? {
      guard text.utf8.count <= longestText else { return nil }
      var parts = text.lowercased().split(separator: "/").map(String.init)[...]
      if let scheme = parts.first, ["https:", "http:"].contains(scheme) { parts.removeFirst() }
      guard let host = parts.first, parts.count == 3 else { return LicenceWords(text)?.codeAlone() }
      guard ["creativecommons.org", "www.creativecommons.org"].contains(host),
        parts.dropFirst().first == "licenses"
      else { return nil }
      return codes.first { $0 == parts.last }
    }

    private init?(words text: String) {
      guard let first = text.utf8.first, "ACP".utf8.contains(first & ~0x20),
        let words = LicenceWords(text)?.licence()
      else { return nil }
      self = words
    }

    /// The words of a licence's name, read one after the other.
    private struct LicenceWords {
      private var words: ArraySlice<Substring>

      /// Reads the name of a licence; `nil` if the text has anything but letters, digits and
      /// separators of the parts of a name.
      init?(_ text: String) {
        let text = text.lowercased()
        let isSeparator = { (byte: UInt8) in " -_.,()/".utf8.contains(byte) }
        guard text.utf8.allSatisfy({ $0.isSmallLetter || $0.isDigit || isSeparator($0) }) else {
          return nil
        }
        words = text.split { $0.utf8.allSatisfy(isSeparator) }[...]
      }

      /// The licence that all of the words name, once or twice: `... 4.0 International (CC BY 4.0)`.
      func licence() -> Licence? {
        var reader = self
        guard let licence = reader.read() else { return nil }
        return reader.words.isEmpty || reader.read() == licence && reader.words.isEmpty
          ? licence : nil
      }

      private mutating func skip(_ names: String...) -> Bool {
        for name in names {
          let wanted = name.split(separator: " ")
          guard words.prefix(wanted.count).elementsEqual(wanted) else { continue }
          words = words.dropFirst(wanted.count)
          return true
        }
        return false
      }

      private mutating func read() -> Licence? {
        let isNamed = skip("creative commons")
        if skip("cc0", "cc 0", "cc zero") || isNamed && skip("zero") {
          // Some publishers give CC0 the version of their other licences; there is only one.
          _ = skip("1 0", "4 0")
          _ = skip("universal")
          _ = skip("public domain dedication")
          return zero
        }
        let isCode = skip("cc")
        if isCode && skip("pdm 1 0") || skip("public domain mark 1 0") { return mark }
        guard let code = readCode(isNamed: isNamed || isCode) else { return nil }
        guard let version = versions.first(where: { skip($0.replacing(".", with: " ")) }) else {
          return nil
        }
        var port: String?
        switch version {
        case "4.0": _ = skip("international", "intl", "int")
        case "3.0" where skip("unported"), "1.0" where skip("generic"), "2.0" where skip("generic"),
          "2.5" where skip("generic"):
          break
        default:
          if let word = words.first, isPort(word), word != "cc" {
            port = String(word)
            words.removeFirst()
          }
        }
        _ = skip("public license", "public licence", "license", "licence")
        return Licence(creativeCommonsCode: code, version: version, port: port)
      }

      /// Reads `by-nc-sa`, or its words.
      ///
      /// - Parameter isNamed: whether the words before it are Creative Commons'.
      private mutating func readCode(isNamed: Bool) -> String? {
        let isLong = words.first == "attribution"
        guard skip("by", "attribution"), isNamed || isLong else { return nil }
        var code = "by"
        if skip("nc", "noncommercial", "non commercial") { code += "-nc" }
        if skip("sa", "sharealike", "share alike") {
          code += "-sa"
        } else if skip("nd", "noderivatives", "noderivs", "no derivatives", "no derivs") {
          code += "-nd"
        }
        _ = skip("license", "licence")
        return code
      }

      /// The code that all of the words are.
      func codeAlone() -> String? {
        var reader = self
        let isNamed = reader.skip("creative commons cc", "creative commons", "cc")
        guard let code = reader.readCode(isNamed: isNamed) else { return nil }
        return reader.words.isEmpty ? code : nil
      }
    }
  }
}
