#if Collection

import ChirperModel

/// One sound of an occurrence, which can have up to three of them, and pictures of any number and
/// order.
struct GBIFSound: RecordSound {
  /// The field of an occurrence that has its sounds.
  static let field = "media"

  /// A hash of the path of the sound's address and of the text after its `?`
  /// (`proxyImage?imageId=7b35`). Parts that change while the file does not are left out:
  /// scheme, host, and a number alone after the `?`, which is iNaturalist's time stamp. The
  /// position among the media is not taken, because it changes: audio is stored under an id
  /// must stay that recording's.
  var suffix = ""
  /// The identifier as sent, by which the technical data of the file is found.
  private(set) var identifier: String?
  var address: String? { identifier }
  private(set) var url: String?
  private(set) var creator: String?
  private(set) var rightsHolder: String?
  private(set) var licence: RecordingDetails.Licence?
  /// Seconds.
  private(set) var duration: Double?

  private enum Member: String, CaseIterable {
    case type, format, identifier, creator, rightsHolder, license, description
  }

  private static let members = NameScan(Member.allCases.map(\.rawValue))
  private static let firstMembers = NameScan(Member.allCases.prefix(3).map(\.rawValue))

  /// The sound in an item; `nil` if the item is not a sound.
  init?(_ item: RawValue, isWhole: Bool) {
    var (type, format): (String?, String?)
    (isWhole ? Self.members : Self.firstMembers).forEach(in: item) { index, value in
      switch Member.allCases[index] {
      case .type: type = value.text
      case .format: format = value.text
      case .identifier: (identifier, url) = (value.text, isWhole ? value.url() : nil)
      case .creator: creator = value.plainText
      case .rightsHolder: rightsHolder = value.plainText
      case .license: licence = value.licence
      case .description: duration = value.seconds
      }
    }
    guard MediaKind.isSound(format: format, type: type, address: identifier) else { return nil }
    suffix = identifier.flatMap(Self.hash) ?? ""
  }

  /// The number of xeno-canto in the address: `…/XC695654-name.mp3`,
  /// `https://xeno-canto.org/695654/download`.
  var xenoCantoNumber: String? {
    let parts = (identifier ?? "").split(separator: "/").suffix(2).map(String.init)
    guard let name = parts.last else { return nil }
    if name == "download" { return parts[0].isDigits ? parts[0] : nil }
    return name.digits(between: ["XC"], and: "-") ?? name.digits(between: ["XC"], and: ".")
  }

  /// Eight hexadecimal digits; `nil` for an address without a path.
  private static func hash(_ address: String) -> String? {
    let text = Array(address.utf8).prefix { $0 != UInt8(ascii: "#") }
    guard let rest = text.afterScheme, let path = rest.firstIndex(of: UInt8(ascii: "/")) else {
      return nil
    }
    var name = rest[path...]
    if let query = name.firstIndex(of: UInt8(ascii: "?")),
      name[query...].dropFirst().allSatisfy({ $0.isDigit })
    {
      name = name[..<query]
    }
    let hash = StableHash.fnv1a(Array(name))
    return String(hexadecimal: (hash ^ hash >> 32) & 0xFFFF_FFFF, digits: 8)
  }
}

#endif
