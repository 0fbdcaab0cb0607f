import ChirperModel

extension RawValue {
  /// The elevation in metres; deeper than any sea or higher than planes fly is a slip of the pen.
  var elevation: Double? { metres.flatMap { (-11_000...20_000).contains($0) ? $0 : nil } }

  /// The hour and minute of `2018-05-12T06:00:00+02:00`, by the clock at the place.
  var timeAfterDate: PartialDate.TimeOfDay? {
    guard let text, text.utf8.count <= 40, let start = text.utf8.firstIndex(of: UInt8(ascii: "T"))
    else { return nil }
    let time = Substring(text.utf8[start...].dropFirst())
    // After a date, a minus is that of a zone.
    return PartialDate.TimeOfDay(String(time.prefix { !"+-Z/".contains($0) }))
  }

  /// The texts among the members of an object, by name.
  var memberTexts: [String: String] {
    var texts: [String: String] = [:]
    forEachMember { texts[$0] = $1.text }
    return texts
  }

  /// A country's name or code; `nil` if the text says that it is not known.
  var country: String? { plainText.flatMap { Countries.isUnknown($0) ? nil : $0 } }

  /// The text, without the character references that some services have in texts that
  /// people typed.
  var plainText: String? { text.map(HTMLEntities.decoded) }

  /// Metres around a coordinate, also in kilometres, feet and miles by their units.
  var uncertainty: Double? {
    let units = ["m": 1, "meters": 1, "metres": 1, "km": 1000, "ft": 0.3048, "mi": 1609.344]
    var metres = decimal
    if metres == nil, let text, let unit = text.firstIndex(where: \.isLetter) {
      let number = Double(text[..<unit].filter { !$0.isWhitespace })
      metres = number.flatMap { number in units[text[unit...].lowercased()].map { number * $0 } }
    }
    return metres.flatMap { $0 > 0 && $0 <= 1e9 ? $0 : nil }
  }
}

extension RecordingDetails.Coordinate {
  /// A coordinate of two numbers; `nil` if one is missing or out of range.
  init?(_ latitude: Double?, _ longitude: Double?) {
    guard let latitude, let longitude else { return nil }
    self.init(latitude: latitude, longitude: longitude)
  }
}
