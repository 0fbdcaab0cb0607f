#if Collection

import ChirperModel

extension Selection {
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
    package static func list(_ typed: String) -> [Purpose]? {
      let words = typed.split(separator: ",", omittingEmptySubsequences: false)
      let found = words.compactMap { Purpose(String($0)) }
      return found.count == words.count && Set(found.map(\.word)).count == found.count ? found : nil
    }

    /// Reads one of the words.
    init?(_ typed: String) {
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
    var word: String {
      switch self {
      case .commercial: "commercial"
      case .derivatives: "derivatives"
      case .precise: "precise"
      }
    }

    /// The purpose as it can be typed.
    package var text: String {
      if case .precise(let metres) = self { "precise:\(metres)" } else { word }
    }
  }
}

/// The recordings that were left out because of the use they are wanted for, and the
/// reasons.
package struct PurposeReport: Equatable, Sendable {
  package let purposes: [Selection.Purpose]
  /// The number of rows left out by the short name of their licence; an empty name for rows
  /// without a licence.
  package private(set) var licences: [String: Int] = [:]
  /// The number of rows left out, by the fault of their coordinate.
  package private(set) var coordinateFaults: [String: Int] = [:]
  /// The number of rows that were not left out although the uncertainty of their coordinate is
  /// not known.
  package internal(set) var unknownUncertainties = 0

  init(_ purposes: [Selection.Purpose]) {
    self.purposes = purposes
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

  /// The metres of `precise`; `nil` if the place does not matter.
  package var metres: Int? {
    purposes.lazy.compactMap { if case .precise(let metres) = $0 { metres } else { nil } }.first
  }

  /// The number of rows left out.
  package var leftOut: Int { [licences, coordinateFaults].flatMap(\.values).reduce(0, +) }
}

#endif
