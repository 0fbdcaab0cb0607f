/// One recording in typed properties that are the same for every catalogue.
///
/// A catalogue computes them from the raw fields each time they are needed; they are never stored in place of the raw
/// fields. Property names follow Darwin Core and Audubon Core (https://dwc.tdwg.org, https://ac.tdwg.org). What a
/// catalogue did not send, or sent in a form that cannot be read, is `nil` or empty, never a guess.
public struct RecordingDetails: Hashable, Sendable {
  /// Genus, specific and infraspecific epithet as one text: `Turdus merula`; the genus alone where the species was not
  /// determined.
  public var scientificName: String?
  /// `Turdus` of `Turdus merula`.
  public var genus: String?
  /// `merula` of `Turdus merula`.
  public var specificEpithet: String?
  /// The subspecies: `merula` of `Turdus merula merula`.
  public var infraspecificEpithet: String?
  /// The English name, or what the catalogue has in its place (`Soundscape`); for music, the title.
  public var vernacularName: String?
  /// The catalogue's own group: `birds`, `frogs`; for music, the kind of work.
  public var group: String?
  /// The recordist; for music, the artist.
  public var recordedBy: String?
  /// An English country name, as the catalogue spells it.
  public var country: String?
  /// The place within the country; for music, the collection.
  public var locality: String?
  /// Where it was recorded; `nil` where one of the two numbers is missing or out of range.
  public var coordinate: Coordinate?
  /// Metres around the coordinate within which the place lies.
  public var coordinateUncertainty: Double?
  /// What the catalogue made less exact before it published the recording, in words: an obscured place.
  public var dataGeneralizations: String?
  /// Metres above sea level, negative below it.
  public var elevation: Double?
  /// The day of the recording, as precisely as it is known; for music, the day of its release.
  public var eventDate: PartialDate?
  /// The local time of day at the place of the recording.
  public var eventTime: TimeOfDay?
  /// `song`, `alarm call`; in the catalogue's order.
  public var soundType: [String] = []
  /// `female`, `male`; in the catalogue's order.
  public var sex: [String] = []
  /// `adult`, `juvenile`; in the catalogue's order.
  public var lifeStage: [String] = []
  /// The catalogue's rating; `nil` where nobody has rated it.
  public var quality: Quality?
  /// Seconds.
  public var duration: Double?
  /// Hertz.
  public var sampleRate: Int?
  /// How it was recorded: `field recording`, `in the hand`.
  public var samplingProtocol: String?
  /// What may be done with it; `nil` where the catalogue does not say.
  public var licence: Licence?
  /// Who holds the rights, where the catalogue names somebody.
  public var rightsHolder: String?
  /// What the recordist wrote about it; may have several lines.
  public var remarks: String?
  /// English or scientific names, as the catalogue sent them.
  public var backgroundSpecies: [String] = []
  /// The day on which the recording was added to the catalogue.
  public var uploaded: PartialDate?
  /// The recording's page for people; absolute, HTTPS. `nil` for the sample, whose recordings have no page.
  public var pageURL: String?
  /// The audio file; absolute, HTTPS or HTTP: whether it may be asked is decided by who downloads it. `nil` where there is
  /// none, and for the sample, whose audio is made (`Catalogue.AudioRules.generated`).
  public var audioURL: String?
  /// A picture of the sound; absolute, HTTPS.
  public var sonogramURL: String?
  /// The number under which people cite the recording: `XC363793`.
  public var catalogueNumber: String?
  /// The same recording in the catalogue that it was copied from; found by numbers only.
  public var alsoIn: RecordingID?

  /// Details without any value.
  public init() {}

  /// Recordist, number and licence in one line, as catalogues ask for them: `A. Smith, XC363793, CC BY-NC-SA 4.0`.
  ///
  /// A missing licence is named as such, because it means that nothing is allowed. The line holds no control characters,
  /// whatever the catalogue sent.
  public var credit: String {
    var line = ""
    for part in [recordedBy, catalogueNumber, licence?.name ?? "no licence given"] {
      guard let part, let plain = PlainLine.text(part) else { continue }
      if !line.isEmpty { line += ", " }
      line += plain
    }
    return line.isEmpty ? "no licence given" : line
  }
}

/// The names of the details, for columns, sorting and search; each is a property of `RecordingDetails`.
public enum DetailName: String, CaseIterable, Hashable, Sendable {
  /// The property of the same name.
  case scientificName, genus, specificEpithet, infraspecificEpithet, vernacularName, group, recordedBy, country, locality
  /// The property of the same name.
  case coordinate, coordinateUncertainty, dataGeneralizations, elevation, eventDate, eventTime, soundType, sex, lifeStage
  /// The property of the same name.
  case quality, duration, sampleRate, samplingProtocol, licence, rightsHolder, remarks, backgroundSpecies, uploaded, pageURL
  /// The property of the same name.
  case audioURL, sonogramURL, catalogueNumber, alsoIn
}

/// A place on Earth in degrees, WGS 84.
public struct Coordinate: Hashable, Sendable {
  /// -90 to 90, north is positive.
  public let latitude: Double
  /// -180 to 180, east is positive.
  public let longitude: Double

  /// `nil` outside of the range: services were seen to send a latitude of 91.5.
  public init?(latitude: Double, longitude: Double) {
    guard (-90...90).contains(latitude), (-180...180).contains(longitude) else { return nil }
    self.latitude = latitude
    self.longitude = longitude
  }
}

/// A date of which the month or the day may be unknown.
public struct PartialDate: Hashable, Sendable, Comparable, CustomStringConvertible {
  /// 1 to 9999.
  public let year: Int
  /// 1 to 12.
  public let month: Int?
  /// 1 to the month's last day; only with a month.
  public let day: Int?

  /// `nil` where there is no such date; a zero month or day is unknown, and so is the day of an unknown month.
  public init?(year: Int, month: Int = 0, day: Int = 0) {
    guard (1...9999).contains(year), (0...12).contains(month), day >= 0 else { return nil }
    guard day <= (month > 0 ? Self.days(of: month, in: year) : 31) else { return nil }
    self.year = year
    self.month = month > 0 ? month : nil
    self.day = month > 0 && day > 0 ? day : nil
  }

  /// Reads `2024-05-17`, `2024-05`, `2024`, and zeros for what is unknown (`2024-05-00`); what follows a `T` or a space
  /// is left out. `nil` for everything else, `0000-00-00` and days that the month does not have included.
  public init?(_ text: String) {
    var text = text
    guard let date = text.withUTF8({ PartialDate(utf8: $0) }) else { return nil }
    self = date
  }

  /// The same of a text's bytes.
  package init?(utf8 text: UnsafeBufferPointer<UInt8>) {
    var scan = DigitScan(text)
    guard let year = scan.number(digits: 4...4) else { return nil }
    var (month, day) = (0, 0)
    if scan.skip("-") {
      guard let number = scan.number(digits: 2...2) else { return nil }
      month = number
      if scan.skip("-") {
        guard let number = scan.number(digits: 2...2) else { return nil }
        day = number
      }
    }
    guard scan.isAtEnd || scan.skip("T") || scan.skip(" ") else { return nil }
    self.init(year: year, month: month, day: day)
  }

  private static func days(of month: Int, in year: Int) -> Int {
    switch month {
    case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
    case 4, 6, 9, 11: 30
    default: 31
    }
  }

  /// ISO 8601 in the precision known: `2024-05-17`, `2024-05`, `2024`.
  public var description: String {
    String(unsafeUninitializedCapacity: 10) { bytes in
      var count = 0
      func append(_ byte: UInt8) {
        bytes[count] = byte
        count += 1
      }
      func appendDigits(_ number: Int, from first: Int) {
        var unit = first
        while unit > 0 {
          append(0x30 + UInt8(number / unit % 10))
          unit /= 10
        }
      }
      appendDigits(year, from: 1000)
      for part in [month, day] {
        guard let part else { break }
        append(UInt8(ascii: "-"))
        appendDigits(part, from: 10)
      }
      return count
    }
  }

  /// By year, month and day; an unknown part comes before every known one.
  public static func < (left: PartialDate, right: PartialDate) -> Bool {
    (left.year, left.month ?? 0, left.day ?? 0) < (right.year, right.month ?? 0, right.day ?? 0)
  }
}

/// An hour and a minute, without a zone.
public struct TimeOfDay: Hashable, Sendable, Comparable, CustomStringConvertible {
  /// 0 to 23.
  public let hour: Int
  /// 0 to 59.
  public let minute: Int

  /// `nil` where there is no such time.
  public init?(hour: Int, minute: Int) {
    guard (0...23).contains(hour), (0...59).contains(minute) else { return nil }
    self.hour = hour
    self.minute = minute
  }

  /// Reads what has an hour and a minute and can mean one time only: `07:30`, `9:30`, `06.00`, `07:30:15` (the seconds are
  /// left out), `9:45am`, `2:15 pm`.
  ///
  /// `nil` for everything else. Of what was seen, `11` may be an hour or a count, `11:20 AST` may not be in the zone of the
  /// place, `0-30` may be a range; `morning`, `?` and `xx:xx` are no times.
  public init?(_ text: String) {
    var text = text
    guard let time = text.withUTF8({ TimeOfDay(utf8: $0) }) else { return nil }
    self = time
  }

  /// The same of a text's bytes.
  package init?(utf8 text: UnsafeBufferPointer<UInt8>) {
    var scan = DigitScan(text)
    guard var hour = scan.number(digits: 1...2),
      let separator: Unicode.Scalar = scan.skip(":") ? ":" : scan.skip(".") ? "." : nil,
      let minute = scan.number(digits: 2...2)
    else { return nil }
    if scan.skip(separator) {
      guard let seconds = scan.number(digits: 2...2), seconds < 60 else { return nil }
    }
    if !scan.isAtEnd {
      _ = scan.skip(" ")
      let isAfternoon = scan.skip("p") || scan.skip("P")
      guard isAfternoon || scan.skip("a") || scan.skip("A"), scan.skip("m") || scan.skip("M"), scan.isAtEnd,
        (1...12).contains(hour)
      else { return nil }
      hour = hour % 12 + (isAfternoon ? 12 : 0)
    }
    self.init(hour: hour, minute: minute)
  }

  /// `07:30`.
  public var description: String {
    String(unsafeUninitializedCapacity: 5) { bytes in
      for (at, number) in [(0, hour), (3, minute)] {
        bytes[at] = 0x30 + UInt8(number / 10)
        bytes[at + 1] = 0x30 + UInt8(number % 10)
      }
      bytes[2] = UInt8(ascii: ":")
      return 5
    }
  }

  /// By hour and minute.
  public static func < (left: TimeOfDay, right: TimeOfDay) -> Bool { (left.hour, left.minute) < (right.hour, right.minute) }
}

/// How good a recording is, from A (best) to E, as xeno-canto rates it; a recording without a rating has none.
public enum Quality: String, CaseIterable, Hashable, Sendable, Comparable {
  /// The best.
  case a = "A"
  /// The second best.
  case b = "B"
  /// The middle.
  case c = "C"
  /// The second worst.
  case d = "D"
  /// The worst.
  case e = "E"

  /// The better is the greater: A is greater than B, as in xeno-canto's `q:">C"`.
  public static func < (left: Quality, right: Quality) -> Bool { left.rawValue > right.rawValue }
}

/// What may be done with a recording.
public struct Licence: Hashable, Sendable {
  /// The short name: `CC BY-NC-SA 4.0`, `CC0 1.0`; else the rights as the catalogue words them.
  public let name: String
  /// The identifier of https://spdx.org/licenses, where there is one: `CC-BY-NC-SA-4.0`.
  public let spdx: String?
  /// The text of the licence; absolute, HTTPS.
  public let url: String?
  /// Whether commercial use is allowed; unknown rights allow nothing.
  public let allowsCommercialUse: Bool
  /// Whether changed versions may be published; unknown rights allow nothing.
  public let allowsDerivatives: Bool

  /// Rights that are no Creative Commons licence, in the catalogue's own words: nothing is allowed.
  public init(other name: String, url: String? = nil) {
    self.name = name
    spdx = nil
    self.url = url
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

  /// Every licence and dedication there is, by its address with HTTPS and without a scheme: a list has thousands of
  /// recordings under a few of them.
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
      guard let url = licence.url else { continue }
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
    url = "https://creativecommons.org/licenses/\(code)/\(version)/"
    allowsCommercialUse = !code.contains("nc")
    allowsDerivatives = !code.contains("nd")
  }

  private init(free name: String, spdx: String?, path: String) {
    self.name = name
    self.spdx = spdx
    url = "https://creativecommons.org/publicdomain/\(path)/"
    (allowsCommercialUse, allowsDerivatives) = (true, true)
  }
}

/// Reads a date or a time from its beginning to its end, without making a text of each part.
private struct DigitScan {
  private let text: UnsafeBufferPointer<UInt8>
  private var at = 0

  init(_ text: UnsafeBufferPointer<UInt8>) {
    self.text = text
  }

  var isAtEnd: Bool { at == text.count }

  /// Steps over the ASCII character if it is the next.
  mutating func skip(_ character: Unicode.Scalar) -> Bool {
    guard at < text.count, UInt32(text[at]) == character.value else { return false }
    at += 1
    return true
  }

  /// Steps over the number that is next; `nil` unless it has as many digits as asked for.
  mutating func number(digits: ClosedRange<Int>) -> Int? {
    var number = 0
    var count = 0
    while at < text.count, case let byte = text[at], (0x30...0x39).contains(byte) {
      guard count < digits.upperBound else { return nil }
      number = number * 10 + Int(byte - 0x30)
      count += 1
      at += 1
    }
    return digits.contains(count) ? number : nil
  }
}
