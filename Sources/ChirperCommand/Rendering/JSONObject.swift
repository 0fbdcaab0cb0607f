import ChirperModel
import Foundation

/// A JSON object built name by name, in that order; `nil` becomes `null`.
struct JSONObject: Equatable {
  private var members: [String] = []

  var text: String { "{" + members.joined(separator: ",") + "}" }

  mutating func add(_ name: String, _ value: String?) {
    add(name, raw: value.map(JSONText.quoted) ?? "null")
  }

  mutating func add(_ name: String, _ value: Int?) {
    add(name, raw: value.map(String.init) ?? "null")
  }

  mutating func add(_ name: String, _ value: Bool) {
    add(name, raw: value ? "true" : "false")
  }

  /// UTC, to the second.
  mutating func add(_ name: String, _ value: Date?) {
    add(name, value.map { $0.formatted(.iso8601) })
  }

  mutating func add(_ name: String, _ value: JSONObject?) {
    add(name, raw: value?.text ?? "null")
  }

  mutating func add(_ name: String, _ values: [JSONObject]) {
    add(name, raw: "[" + values.map(\.text).joined(separator: ",") + "]")
  }

  mutating func add(_ name: String, _ values: [String]) {
    add(name, raw: "[" + values.map(JSONText.quoted).joined(separator: ",") + "]")
  }

  mutating func add(_ name: String, raw json: String) {
    members.append(JSONText.quoted(name) + ":" + json)
  }
}
