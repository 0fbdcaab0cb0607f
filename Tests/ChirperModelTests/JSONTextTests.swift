import ChirperModel
import ChirperTestSupport
import Foundation
import Testing

/// Canonical JSON that is read in place, against Foundation's reader.
@Suite struct JSONTextTests {
  @Test func `members, items and texts are those that Foundation reads`() throws {
    var random = SeededRandom(seed: 22)
    for _ in 0..<1_000 {
      let names = (0..<Int.random(in: 0...6, using: &random)).map { "\($0)\(text(&random))" }
      let sent = names.map { "\(JSONText.quoted($0)): \(value(&random, depth: 2))" }.joined(
        separator: ", ")
      let fields = try RecordingFields(json: "{\(sent)}")
      let expected = try #require(
        JSONSerialization.jsonObject(with: Data(fields.json.utf8)) as? [String: Any])
      #expect(fields.members.map(\.name) == names)
      for (name, value) in fields.members {
        #expect(same(value, expected[name]), "\(name) of \(fields.json)")
      }
    }
  }

  @Test func `a scan for names finds the values that a look for each finds`() throws {
    var random = SeededRandom(seed: 23)
    for _ in 0..<1_000 {
      let names = (0..<6).map {
        "\($0)\(random.chance(50) ? "name" : "a longer name than eight bytes")"
      }
      let sent = names.map { "\(JSONText.quoted($0)):\(value(&random, depth: 1))" }.joined(
        separator: ",")
      let fields = try RecordingFields(json: "{\(sent)}")
      let wanted = names.filter { _ in random.chance(50) } + ["missing"]
      var found: [String: String] = [:]
      NameScan(wanted).forEach(in: fields) { index, value in
        found[wanted[index]] = value.text ?? "none"
      }
      let expected = wanted.compactMap { name in
        fields[name].map { (name, $0.withRaw { $0.text ?? "none" }) }
      }
      #expect(found == Dictionary(uniqueKeysWithValues: expected))
    }
  }

  private func text(_ random: inout SeededRandom) -> String {
    let parts = [
      "a", " ", "\"", "\\", "\n", "é", "日", "🐦", "\u{2028}", "\u{0}", "{", "}", "[", "]", ",", ":",
      "null",
    ]
    return (0..<Int.random(in: 0...12, using: &random)).map { _ in
      parts[Int.random(in: parts.indices, using: &random)]
    }.joined()
  }

  /// The JSON of a value, with white space that the canonical form does not have.
  private func value(_ random: inout SeededRandom, depth: Int) -> String {
    switch Int.random(in: 0...(depth > 0 ? 6 : 4), using: &random) {
    case 0: "null"
    case 1: "true"
    case 2: "\(Int.random(in: -1_000...1_000, using: &random))"
    case 5:
      "[" + (0..<3).map { _ in value(&random, depth: depth - 1) }.joined(separator: " , ") + "]"
    case 6:
      "{"
        + (0..<3).map { "\"\($0)\" : \(value(&random, depth: depth - 1))" }.joined(separator: ", ")
        + "}"
    default: JSONText.quoted(text(&random))
    }
  }

  private func same(_ value: RecordingFields.Value, _ expected: Any?) -> Bool {
    value.withRaw { same($0, expected) }
  }

  private func same(_ value: RawValue, _ expected: Any?) -> Bool {
    switch expected {
    case let text as String:
      return (value.text ?? "") == text.trimmingCharacters(in: .whitespacesAndNewlines)
    case let items as [Any]:
      var isSame: [Bool] = []
      value.forEachItem { item in
        isSame.append(isSame.count < items.count && same(item, items[isSame.count]))
      }
      return isSame.count == items.count && !isSame.contains(false)
    case let members as [String: Any]:
      var isSame: [Bool] = []
      value.forEachMember { name, member in isSame.append(same(member, members[name])) }
      return isSame.count == members.count && !isSame.contains(false)
    case is NSNull: return value.isNull
    case let number as NSNumber:
      return value.isTrue ? number.boolValue : value.decimal == number.doubleValue
    default: return false
    }
  }
}
