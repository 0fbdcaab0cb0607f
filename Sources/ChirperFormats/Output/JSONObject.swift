import ChirperModel
import Foundation

package protocol JSONValue {
  /// Compact JSON.
  var json: String { get }
}

/// A JSON object built name by name, in that order; `nil` becomes `null`.
package struct JSONObject: Equatable, Sendable, JSONValue, ExpressibleByDictionaryLiteral {
  private var members: [String] = []

  package init(dictionaryLiteral elements: (String, (any JSONValue)?)...) {
    for (name, value) in elements { add(name, value) }
  }

  package var text: String { "{" + members.joined(separator: ",") + "}" }

  package var json: String { text }

  package mutating func add(_ name: String, _ value: (any JSONValue)?) {
    add(name, raw: value?.json ?? "null")
  }

  /// Adds those of the members that have a value: neither `nil` nor an empty list or object.
  package mutating func add(known members: KeyValuePairs<String, (any JSONValue)?>) {
    for (name, value) in members {
      if let json = value?.json, !["[]", "{}"].contains(json) { add(name, raw: json) }
    }
  }

  /// Adds the members of an object after its own.
  package mutating func add(_ other: JSONObject) { members += other.members }

  package mutating func add(_ name: String, raw json: String) {
    members.append(name.json + ":" + json)
  }
}

extension String: JSONValue {
  package var json: String { JSONText.quoted(self) }
}

extension JSONValue where Self: LosslessStringConvertible {
  package var json: String { description }
}

extension RecordingFields: JSONValue {}
extension RecordingFields.Value: JSONValue {}
extension Bool: JSONValue {}
extension Int: JSONValue {}
extension Int64: JSONValue {}

extension Double: JSONValue {
  package var json: String { DecimalText.text(self) }
}

extension Date: JSONValue {
  /// UTC, to the second.
  package var json: String { formatted(.iso8601).json }
}

extension Array: JSONValue where Element: JSONValue {
  package var json: String { "[" + map(\.json).joined(separator: ",") + "]" }
}
