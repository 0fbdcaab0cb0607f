import Chirper
import ChirperModel

extension Export {
  /// A use that somebody has in mind for recordings. A recording's licence may not allow it,
  /// or its place may be too uncertain.
  #if hasAttribute(nonexhaustive)
    @nonexhaustive
  #endif
  public enum Purpose: Hashable, Codable, Sendable {
    /// Commercial use, which the licence must allow.
    case commercial
    /// Publishing changed versions, which the licence must allow.
    case derivatives
    /// Work with places that are certain to that number of metres, and that the catalogue does not
    /// call wrong or doubtful.
    case precise(metres: Int)

    /// The words that can be typed; after `precise`, a colon and metres can follow: `precise:500`.
    package static let names = ["commercial", "derivatives", "precise"]

    /// Reads words with commas between them, each once; `nil` for any other text.
    package static func list(_ typed: String) -> [Export.Purpose]? {
      let words = typed.split(separator: ",", omittingEmptySubsequences: false)
      let found = words.compactMap { Export.Purpose(String($0)) }
      return found.count == words.count && Set(found.map(\.word)).count == found.count ? found : nil
    }

    /// Reads one of the words.
    package init?(_ typed: String) {
      switch typed {
      case "commercial": self = .commercial
      case "derivatives": self = .derivatives
      case "precise": self = .precise(metres: 1000)
      default:
        let parts = typed.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 2, parts[0] == "precise", parts[1].first != "+",
          let metres = Int(parts[1]),
          (1...1_000_000).contains(metres)
        else { return nil }
        self = .precise(metres: metres)
      }
    }

    /// The one of `names` that it begins with.
    package var word: String {
      switch self {
      case .commercial: "commercial"
      case .derivatives: "derivatives"
      case .precise: "precise"
      }
    }

    /// The purpose as it can be typed.
    var text: String { if case .precise(let metres) = self { "precise:\(metres)" } else { word } }
  }
}

/// The recordings that were left out because of the use they are wanted for, and the
/// reasons.
package struct PurposeReport: Equatable, Sendable {
  package let purposes: [Export.Purpose]
  /// The number of rows left out by the short name of their licence; an empty name for rows
  /// without a licence.
  private(set) var licences: [String: Int] = [:]
  /// The number of rows left out, by the fault of their coordinate.
  private(set) var coordinateFaults: [String: Int] = [:]
  /// The number of rows that were not left out although the uncertainty of their coordinate is
  /// not known.
  private(set) var unknownUncertainties = 0

  init(_ purposes: [Export.Purpose] = []) {
    self.purposes = purposes
  }

  /// Adds the purposes and the number of rows left out, for programs; nothing without purposes.
  func addMembers(to object: inout JSONObject) {
    guard !purposes.isEmpty else { return }
    object.add("for", purposes.map(\.text))
    object.add("leftOut", leftOut)
  }

  /// Counts a recording if it is left out; returns whether it may be used. An unknown licence
  /// allows nothing.
  mutating func count(_ details: RecordingDetails) -> Bool {
    let licence = details.licence
    if purposes.contains(.commercial) && licence?.allowsCommercialUse != true
      || purposes.contains(.derivatives) && licence?.allowsDerivatives != true
    {
      licences[licence?.name ?? "", default: 0] += 1
      return false
    }
    guard let metres else { return true }
    let reason: String? =
      switch details.coordinateUncertaintyInMeters {
      case _ where details.coordinate == nil: "no coordinates"
      // What services write for a place that is not known.
      case _ where details.coordinate?.latitude == 0 && details.coordinate?.longitude == 0:
        "0,0"
      case _ where details.issues.contains(.coordinate): "doubted by the catalogue"
      case let uncertainty?: uncertainty > Double(metres) ? "uncertain" : nil
      case nil: details.isObscured ? "obscured" : nil
      }
    if let reason {
      coordinateFaults[reason, default: 0] += 1
    } else if details.coordinateUncertaintyInMeters == nil {
      unknownUncertainties += 1
    }
    return reason == nil
  }

  private var metres: Int? {
    purposes.lazy.compactMap { if case .precise(let metres) = $0 { metres } else { nil } }.first
  }

  /// The number of rows left out.
  package var leftOut: Int { [licences, coordinateFaults].flatMap(\.values).reduce(0, +) }

  /// `commercial use and changed versions`; empty if no licence matters.
  private var uses: String {
    let words = [(Export.Purpose.commercial, "commercial use"), (.derivatives, "changed versions")]
    return words.filter { purposes.contains($0.0) }.map(\.1).joined(separator: " and ")
  }

  /// The conditions in words: `licence allows commercial use, place certain to 1000 m`; empty
  /// without purposes.
  var words: String {
    [uses.isEmpty ? nil : "licence allows \(uses)", metres.map { "place certain to \($0) m" }]
      .compactMap(\.self)
      .joined(separator: ", ")
  }

  /// The rows left out, and what the letters of licences mean, a sentence each; empty if
  /// every recording may be used.
  package var lines: [String] {
    func line(_ counts: [String: Int], _ reason: String) -> [String] {
      guard !counts.isEmpty else { return [] }
      let reasons = counts.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
        .map { "\(PlainLine.text($0.key) ?? "no licence given"): \($0.value)" }
      let count = counts.values.reduce(0, +)
      return [
        "\(Plural.words(count, "row")) left out, because \(reason): \(reasons.joined(separator: ", "))"
      ]
    }
    var lines = line(licences, "the licence does not allow \(uses)")
    if !lines.isEmpty {
      lines.append(
        "NC: not for commercial use. ND: no changed versions. Without a known licence nothing is allowed."
      )
    }
    lines += line(coordinateFaults, "the place is not certain to \(metres ?? 0) m")
    if unknownUncertainties > 0 {
      let rows = Plural.words(unknownUncertainties, "row")
      lines.append(
        "\(rows) not left out, of which the catalogue does not say how certain the place is")
    }
    return lines
  }
}
