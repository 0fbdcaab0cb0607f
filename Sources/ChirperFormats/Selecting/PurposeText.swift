import Chirper
import ChirperModel

extension PurposeReport {
  /// `commercial use and changed versions`; empty if no licence matters.
  private var uses: String {
    let words = [
      (Selection.Purpose.commercial, "commercial use"), (.derivatives, "changed versions"),
    ]
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

  /// The purposes and the number of rows left out, for programs; empty without purposes.
  var object: JSONObject {
    purposes.isEmpty ? [:] : ["for": purposes.map(\.text), "leftOut": leftOut]
  }
}
