import Chirper
import ChirperModel

/// What somebody wants to do with recordings; their licence may allow it or not.
package enum LicencePurpose: String, CaseIterable, Sendable {
  case commercial, derivatives

  /// Whether the licence allows it; an unknown licence allows nothing.
  package func isAllowed(by licence: Licence?) -> Bool {
    switch self {
    case .commercial: licence?.allowsCommercialUse ?? false
    case .derivatives: licence?.allowsDerivatives ?? false
    }
  }

  var inWords: String {
    switch self {
    case .commercial: "commercial use"
    case .derivatives: "changed versions"
    }
  }
}

/// Recordings that were left out because of their licences, and why.
package struct LicenceReport: Equatable, Sendable {
  package let purposes: [LicencePurpose]
  /// By the short name of the licence; without a licence under an empty name.
  private(set) var leftOut: [String: Int] = [:]

  init(_ purposes: [LicencePurpose]) {
    self.purposes = purposes
  }

  /// Whether a recording under this licence may be used; counts those that may not.
  mutating func allows(_ licence: Licence?) -> Bool {
    if purposes.allSatisfy({ $0.isAllowed(by: licence) }) { return true }
    leftOut[licence?.name ?? "", default: 0] += 1
    return false
  }

  package var count: Int { leftOut.values.reduce(0, +) }

  /// `commercial use and changed versions`.
  var purposeText: String { purposes.map(\.inWords).joined(separator: " and ") }

  /// What was left out, and what the letters mean; empty where every recording may be used.
  package var lines: [String] {
    guard count > 0 else { return [] }
    let reasons = leftOut.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
      .map { "\(PlainLine.text($0.key) ?? "no licence given"): \($0.value)" }
    return [
      "\(Plural.words(count, "row")) left out, because the licence does not allow \(purposeText): \(reasons.joined(separator: ", "))",
      "NC: not for commercial use. ND: no changed versions. Without a known licence nothing is allowed.",
    ]
  }
}
