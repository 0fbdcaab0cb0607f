/// One recording in typed properties that are the same for every catalogue.
///
/// A catalogue computes them from the raw fields each time they are needed; they are never stored in place of the raw
/// fields. Property names follow Darwin Core and Audubon Core (https://dwc.tdwg.org, https://ac.tdwg.org). What a
/// catalogue did not send, or sent in a form that cannot be read, is `nil` or empty, never a guess.
public struct RecordingDetails: Hashable, Sendable {
  /// Genus, specific and infraspecific epithet as one text: `Turdus merula`.
  public var scientificName: String?
  public var genus: String?
  public var specificEpithet: String?
  /// The subspecies: `merula` of `Turdus merula merula`.
  public var infraspecificEpithet: String?
  /// In English where the catalogue has an English name; for music, the track's title.
  public var vernacularName: String?
  /// The catalogue's own group: `birds`, `frogs`; for music, the kind of work.
  public var group: String?
  /// The recordist; for music, the artist.
  public var recordedBy: String?
  /// An English country name, as the catalogue spells it.
  public var country: String?
  /// The place within the country; for music, the collection.
  public var locality: String?
  public var coordinate: Coordinate?
  /// Metres above sea level.
  public var elevation: Double?
  /// The day of the recording, as precisely as it is known.
  public var eventDate: PartialDate?
  /// The local time of day at the place of the recording.
  public var eventTime: TimeOfDay?
  /// `song`, `alarm call`; in the catalogue's order.
  public var soundType: [String] = []
  /// `female`, `male`; in the catalogue's order.
  public var sex: [String] = []
  /// `adult`, `juvenile`; in the catalogue's order.
  public var lifeStage: [String] = []
  public var quality: Quality?
  /// Seconds.
  public var duration: Double?
  /// Hertz.
  public var sampleRate: Int?
  public var licence: Licence?
  /// Who holds the rights, where the catalogue names somebody.
  public var rightsHolder: String?
  public var remarks: String?
  /// English or scientific names, as the catalogue sent them.
  public var backgroundSpecies: [String] = []
  /// The day on which the recording was added to the catalogue.
  public var uploaded: PartialDate?
  /// The recording's page for people; absolute, HTTPS.
  public var pageURL: String?
  /// The audio file; absolute.
  public var audioURL: String?
  /// A picture of the sound; absolute.
  public var sonogramURL: String?
  /// The number under which people cite the recording: `XC363793`.
  public var catalogueNumber: String?

  public init() {}

  /// Recordist, number and licence in one line, as catalogues ask for them: `A. Smith, XC363793, CC BY-NC-SA 4.0`.
  ///
  /// A missing licence is named as such, because it means that nothing is allowed.
  public var credit: String {
    let rights = licence?.name ?? "no licence given"
    return [recordedBy, catalogueNumber, rights].compactMap { $0 }.joined(separator: ", ")
  }
}

/// The details by name: for columns, sorting and search.
public enum DetailName: String, CaseIterable, Hashable, Sendable {
  case scientificName, genus, specificEpithet, infraspecificEpithet, vernacularName, group, recordedBy, country, locality
  case coordinate, elevation, eventDate, eventTime, soundType, sex, lifeStage, quality, duration, sampleRate, licence
  case rightsHolder, remarks, backgroundSpecies, uploaded, pageURL, audioURL, sonogramURL, catalogueNumber
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
  public let year: Int
  /// 1 to 12.
  public let month: Int?
  /// 1 to the month's last day; only with a month.
  public let day: Int?

  /// `nil` where there is no such date; a zero month or day is unknown, and so is the day of an unknown month.
  public init?(year: Int, month: Int = 0, day: Int = 0) {
    guard (1...9999).contains(year), (0...12).contains(month), day >= 0 else { return nil }
    if month > 0, day > 0 {
      let isLeapYear = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
      let days = [31, isLeapYear ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
      guard day <= days[month - 1] else { return nil }
    } else if day > 31 {
      return nil
    }
    self.year = year
    self.month = month > 0 ? month : nil
    self.day = month > 0 && day > 0 ? day : nil
  }

  /// Reads `2024-05-17`, `2024-05`, `2024`, and zeros for what is unknown (`2024-05-00`); what follows a `T` is left out.
  public init?(_ text: String) {
    let parts = text.prefix { $0 != "T" && $0 != " " }.split(separator: "-", omittingEmptySubsequences: false)
    guard (1...3).contains(parts.count), parts[0].utf8.count == 4, parts.dropFirst().allSatisfy({ $0.utf8.count == 2 }),
      parts.allSatisfy({ $0.utf8.allSatisfy { (0x30...0x39).contains($0) } })
    else { return nil }
    let numbers = parts.compactMap { Int($0) } + [0, 0]
    self.init(year: numbers[0], month: numbers[1], day: numbers[2])
  }

  /// ISO 8601 in the precision known: `2024-05-17`, `2024-05`, `2024`.
  public var description: String {
    func digits(_ number: Int, _ width: Int) -> String {
      let text = String(number)
      return String(repeating: "0", count: max(0, width - text.count)) + text
    }
    return digits(year, 4) + (month.map { "-" + digits($0, 2) } ?? "") + (day.map { "-" + digits($0, 2) } ?? "")
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

  /// `07:30`.
  public var description: String {
    [hour, minute].map { $0 < 10 ? "0\($0)" : "\($0)" }.joined(separator: ":")
  }

  public static func < (left: TimeOfDay, right: TimeOfDay) -> Bool { (left.hour, left.minute) < (right.hour, right.minute) }
}

/// How good a recording is, from A (best) to E, as xeno-canto rates it; a recording without a rating has none.
public enum Quality: String, CaseIterable, Hashable, Sendable, Comparable {
  case a = "A"
  case b = "B"
  case c = "C"
  case d = "D"
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
    var rest = address.lowercased()[...]
    for prefix in ["https:", "http:", "//", "www."] where rest.hasPrefix(prefix) { rest = rest.dropFirst(prefix.count) }
    let parts = rest.split(separator: "/", omittingEmptySubsequences: true)
    guard parts.count >= 4, parts[0] == "creativecommons.org" else { return nil }
    let (code, version) = (String(parts[2]), String(parts[3]))
    let isVersion = version.wholeMatch(of: /[1-9]\.[0-9]/) != nil
    switch parts[1] {
    case "licenses" where isVersion:
      self.init(creativeCommonsCode: code, version: version)
    case "publicdomain" where code == "zero" && isVersion:
      self.init(free: "CC0 \(version)", spdx: "CC0-\(version)", path: "zero/\(version)")
    case "publicdomain" where code == "mark" && isVersion:
      self.init(free: "Public Domain Mark \(version)", spdx: nil, path: "mark/\(version)")
    default: return nil
    }
  }

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
