import Chirper

/// The result of a command: one JSON object for programs, and lines for people.
package struct Report {
  package var json: JSONObject
  /// The lines that were asked for.
  package var answer: [String]
  /// The lines that say what was done.
  package var notes: [String]

  package init(_ json: JSONObject, answer: [String] = [], notes: [String] = []) {
    self.json = json
    self.answer = answer
    self.notes = notes
  }
}

extension FirstNames {
  /// A line for each of the names, and one for the others.
  package var lines: [String] { names + [more].compactMap(\.self) }
}
