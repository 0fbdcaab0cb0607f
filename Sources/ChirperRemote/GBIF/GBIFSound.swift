import ChirperModel

/// One sound of an occurrence, which can have up to three of them, and pictures of any number and order.
struct GBIFSound: RecordSound {
  /// A hash of the path of the sound's address. The place among the media would not do: pictures and sounds change places
  /// between records, and audio that is kept under an id must stay that recording's. Scheme, host and what follows a `?` are
  /// left out, because they change while the file does not.
  var suffix = ""
  /// As sent; the technical data of the same file is found by it.
  private(set) var identifier: String?
  private(set) var url: String?
  private(set) var creator: String?
  private(set) var rightsHolder: String?
  private(set) var licence: Licence?
  /// Seconds.
  private(set) var duration: Double?

  /// `nil` if the item is no sound: its type says so, or, where that is missing, the format.
  init?(_ item: RawValue) {
    var (type, format): (String?, String?)
    item.forEachMember { name, value in
      switch name {
      case "type": type = value.text
      case "format": format = value.text
      case "identifier": (identifier, url) = (value.text, value.url(allowingHTTP: true))
      case "creator": creator = value.text
      case "rightsHolder": rightsHolder = value.text
      case "license": licence = value.licence
      case "description": duration = value.seconds
      default: break
      }
    }
    guard type == "Sound" || type == nil && format?.hasPrefix("audio/") == true else { return nil }
    suffix = identifier.flatMap(Self.pathHash) ?? ""
  }

  /// Eight hexadecimal digits; `nil` for an address without a path.
  private static func pathHash(_ address: String) -> String? {
    let bytes = address.utf8.prefix { $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") }
    guard let start = Substring(bytes).firstRange(of: "//")?.upperBound,
      let path = bytes[start...].firstIndex(of: UInt8(ascii: "/"))
    else { return nil }
    let hash = StableHash.fnv1a(bytes[path...])
    let digits = String(UInt32(truncatingIfNeeded: hash ^ hash >> 32), radix: 16)
    return String(repeating: "0", count: 8 - digits.count) + digits
  }
}
