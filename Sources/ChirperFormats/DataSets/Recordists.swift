/// The people in the text of a recordist: `Ann Example & Bob Sample` is two.
///
/// `|`, `;`, `&` and *and* stand between people. A comma does too, unless initials or *Jr.* follow
/// it (`Müller, H.`), or it is the only one and a single word is next to it (`Müller, Hans`).
enum Recordists {
  static func people(in text: String) -> [String] {
    text.split { "|;&".contains($0) }.flatMap { names in
      names.split(whereSeparator: \.isWhitespace).split { $0.lowercased() == "and" }
        .flatMap { people(betweenCommasOf: $0.joined(separator: " ")) }
    }
  }

  private static func people(betweenCommasOf text: String) -> [String] {
    let parts = text.split(separator: ",").map { $0.split(separator: " ") }.filter { !$0.isEmpty }
    var people: [[Substring]] = []
    for part in parts {
      if !people.isEmpty, part.allSatisfy(isInitial) {
        people[people.count - 1] += part
      } else {
        people.append(part)
      }
    }
    if parts.count == 2, people.count == 2, people.contains(where: { $0.count == 1 }) {
      people = [people[0] + people[1]]
    }
    return people.map { $0.joined(separator: " ") }
  }

  /// Whether a word is one or a few initials (`H.`, `HK`), or what follows a name (`Jr.`, `III`).
  private static func isInitial(_ word: Substring) -> Bool {
    word.hasSuffix(".") || word.count <= 3 && word.allSatisfy { $0.isUppercase || $0 == "-" }
  }
}
