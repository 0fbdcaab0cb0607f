import ChirperModel
import Foundation

/// A JSON object built name by name, in that order; `nil` becomes `null`.
package struct JSONObject: Equatable, Sendable {
  private var members: [String] = []

  package init() {}

  package var text: String { "{" + members.joined(separator: ",") + "}" }

  package mutating func add(_ name: String, _ value: String?) {
    add(name, raw: value.map(JSONText.quoted) ?? "null")
  }

  package mutating func add(_ name: String, _ value: (some FixedWidthInteger)?) {
    add(name, raw: value.map { "\($0)" } ?? "null")
  }

  package mutating func add(_ name: String, _ value: Bool) {
    add(name, raw: value ? "true" : "false")
  }

  /// UTC, to the second.
  package mutating func add(_ name: String, _ value: Date?) {
    add(name, value.map { $0.formatted(.iso8601) })
  }

  package mutating func add(_ name: String, _ value: JSONObject?) {
    add(name, raw: value?.text ?? "null")
  }

  package mutating func add(_ name: String, _ values: [JSONObject]) {
    add(name, raw: "[" + values.map(\.text).joined(separator: ",") + "]")
  }

  package mutating func add(_ name: String, _ values: [String]) {
    add(name, raw: "[" + values.map(JSONText.quoted).joined(separator: ",") + "]")
  }

  package mutating func add(_ name: String, raw json: String) {
    members.append(JSONText.quoted(name) + ":" + json)
  }
}
