/// Reads text in the language of tags, `gen:larus q:">C" "song thrush"`, for queries to a
/// catalogue and for searches of everything stored. It reads scalars, because a quotation
/// mark with a combining mark after it is one `Character`.
package struct TagScanner {
  let scalars: [Unicode.Scalar]
  /// The index of the next scalar.
  private(set) var at = 0

  package init(_ text: String) {
    scalars = Array(text.unicodeScalars)
  }

  var isAtEnd: Bool { at == scalars.count }

  /// Whether the next scalar is this one.
  func isNext(_ scalar: Unicode.Scalar) -> Bool { !isAtEnd && scalars[at] == scalar }

  /// Whether a term ends here: at white space or at the end.
  var isAtBreak: Bool { isAtEnd || scalars[at].properties.isWhitespace }

  /// Whether anything is left after the white space.
  package mutating func skipSpaces() -> Bool {
    while !isAtEnd, scalars[at].properties.isWhitespace { at += 1 }
    return !isAtEnd
  }

  /// Steps over the scalar if it is the next.
  package mutating func skip(_ scalar: Unicode.Scalar) -> Bool {
    guard isNext(scalar) else { return false }
    at += 1
    return true
  }

  /// Steps over a tag and its colon. A tag has ASCII letters with `_` or `-` between them.
  ///
  /// - Returns: The tag in lower case, and `cnt` for `country`; `nil` if the text does not continue
  ///   with a tag.
  package mutating func tag() -> String? { tagAsTyped().map { Self.writtenOut[$0] ?? $0 } }

  /// Steps over a tag and its colon, like `tag()`.
  ///
  /// - Returns: The tag in lower case, as a query with `=` sends it.
  mutating func tagAsTyped() -> String? {
    let end = endOfTag
    guard end > at, end < scalars.count, scalars[end] == ":" else { return nil }
    defer { at = end + 1 }
    return text(at..<end).lowercased()
  }

  /// Tags by the words that people write in their place.
  private static let writtenOut = [
    "country": "cnt", "family": "fam", "length": "len", "quality": "q",
  ]

  #if Collection
  /// Steps over a known tag that people write without a colon, as in `len>60`: up to the sign, which
  /// is part of the value.
  ///
  /// - Parameter own: known tags besides chirper's.
  mutating func comparedTag(own: Set<String>) -> String? {
    let end = endOfTag
    guard end < scalars.count, scalars[end] == "<" || scalars[end] == ">",
      case let typed = text(at..<end).lowercased(),
      case let name = Self.writtenOut[typed] ?? typed,
      SearchTag(rawValue: name) != nil || own.contains(name)
    else { return nil }
    at = end
    return name
  }
  #endif

  /// The index after what may be a tag.
  private var endOfTag: Int {
    var end = at
    while end < scalars.count, scalars[end].isASCII,
      scalars[end].properties.isAlphabetic
        || end > at && (scalars[end] == "_" || scalars[end] == "-")
    {
      end += 1
    }
    return end
  }

  /// Steps over `=tag:`, by which a query sends a tag that is not known.
  ///
  /// - Returns: The tag in lower case; `nil` if the text does not continue so.
  package mutating func exactTag() -> String? {
    let start = at
    guard skip("="), let tag = tagAsTyped() else {
      at = start
      return nil
    }
    return tag
  }

  /// The plain words of a query, without its tags and their values, and whether it has tags.
  package static func words(ofQuery text: String) -> (words: String, hasTags: Bool) {
    var scanner = TagScanner(text)
    var words: [String] = []
    var hasTags = false
    while scanner.skipSpaces() {
      guard let tag = scanner.exactTag() ?? scanner.tag() else {
        words.append(scanner.words())
        continue
      }
      hasTags = true
      scanner.skipValue(of: tag)
    }
    return (words.joined(separator: " "), hasTags)
  }

  /// Steps over a tag's value, up to white space or that separator, and gives it without its quotes
  /// and escapes.
  package mutating func value(
    of tag: String, before separator: Unicode.Scalar = " "
  ) throws(QueryError) -> (text: String, wasQuoted: Bool) {
    guard !isAtBreak, !isNext(separator) else { throw QueryError(.missingValue(tag: tag)) }
    if isNext("\"") { return (try quoted(of: tag, before: separator), true) }
    let value = run(before: separator)
    guard !value.unicodeScalars.contains("\"") else {
      throw Self.misplacedQuote(in: value, of: tag)
    }
    return (value, false)
  }

  /// Steps over a tag's value, whatever it is.
  mutating func skipValue(of tag: String) {
    if (try? value(of: tag)) == nil { _ = run() }
  }

  private static func misplacedQuote(in value: String, of tag: String) -> QueryError {
    .badValue(tag: tag, value: value, expected: "quotes around all of it or none")
  }

  #if Collection
  /// Steps over a tag's values, which commas separate, and gives them without their quotes and
  /// escapes.
  mutating func values(of tag: String) throws(QueryError) -> [String] {
    var values: [String] = []
    repeat { values.append(try value(of: tag, before: ",").text) } while skip(",")
    return values
  }
  #endif

  /// Steps over everything up to the next white space, or to that separator.
  mutating func run(before separator: Unicode.Scalar = " ") -> String {
    let start = at
    while !isAtBreak, !isNext(separator) { at += 1 }
    return text(start..<at)
  }

  /// Steps over a text in quotes, the next scalar being the opening one; `\"` is a quotation mark
  /// in it, `\\` a backslash. White space follows, or the separator.
  mutating func quoted(of tag: String = "", before separator: Unicode.Scalar = " ")
    throws(QueryError) -> String
  {
    at += 1
    var value = String.UnicodeScalarView()
    while !isAtEnd, !isNext("\"") {
      if scalars[at] == "\\", at + 1 < scalars.count,
        scalars[at + 1] == "\"" || scalars[at + 1] == "\\"
      {
        at += 1
      }
      value.append(scalars[at])
      at += 1
    }
    guard skip("\"") else { throw QueryError(.unclosedQuote) }
    guard isAtBreak || isNext(separator) else {
      throw Self.misplacedQuote(in: String(value), of: tag)
    }
    return String(value)
  }

  /// Steps over plain words up to the next white space; those that begin with a quotation mark, up
  /// to the closing one.
  package mutating func words() -> String {
    let start = at
    if isNext("\""), let closing = scalars[(at + 1)...].firstIndex(of: "\"") { at = closing + 1 }
    while !isAtBreak { at += 1 }
    return text(start..<at)
  }

  private func text(_ range: Range<Int>) -> String {
    String(String.UnicodeScalarView(scalars[range]))
  }

  /// The text in quotes, as `quoted` reads it.
  package static func quoting(_ text: String) -> String {
    var quoted = "\"".unicodeScalars
    for scalar in text.unicodeScalars {
      if scalar == "\"" || scalar == "\\" { quoted.append("\\") }
      quoted.append(scalar)
    }
    quoted.append("\"")
    return String(quoted)
  }

  /// `tag:value`, with quotes where the value needs them: the service documents its operators in
  /// quotes.
  package static func spelled(_ tag: String, _ value: String, quoted: Bool = false) -> String {
    "\(tag):\(quoted || needsQuotes(value) ? quoting(value) : value)"
  }

  /// Whether the value can only be read in quotes.
  static func needsQuotes(_ value: String) -> Bool {
    value.isEmpty
      || value.unicodeScalars.contains {
        "\"\\<>=".unicodeScalars.contains($0) || $0.properties.isWhitespace
      }
  }
}

/// A value taken apart: `>3`, `=common quail`, `10-15`, `song`.
package struct TagOperand: Hashable, Sendable {
  package enum Sign: Unicode.Scalar, Sendable {
    case below = "<"
    case above = ">"
    case exactly = "="
  }

  package let sign: Sign?
  /// The text after the sign, as typed.
  package let text: String

  package init(_ value: String) {
    sign = value.unicodeScalars.first.flatMap(Sign.init)
    text = sign == nil ? value : String(value.unicodeScalars.dropFirst())
  }

  /// The text without white space around it.
  package static func trimmed(_ text: String) -> String {
    let rest = text.unicodeScalars.drop(while: \.properties.isWhitespace)
    return rest.lastIndex { !$0.properties.isWhitespace }.map { String(rest[...$0]) } ?? ""
  }
}

/// Names of tags.
package enum TagNames {
  /// Other names of tags: in older versions of the service, in the fields of its answers, in plain
  /// English.
  static let otherNames = [
    "bird-seen": "seen", "animal-seen": "seen", "playback-used": "playback", "group": "grp",
    "lng": "lon", "genus": "gen", "species": "sp", "subspecies": "ssp", "english": "en",
    "name": "en",
    "recordist": "rec", "location": "loc", "license": "lic", "licence": "lic",
    "remarks": "rmk",
    "number": "nr", "id": "nr", "background": "also", "colyr": "colyear",
    "latitude": "lat", "longitude": "lon", "elevation": "alt", "list": "in", "catalogue": "source",
    "catalog": "source",
  ]

  /// The tags to type in place of an unknown one, the likeliest first; `q:">C"` for
  /// `q_gt:C` of v2.
  package static func nearest(to tag: String, value: String, among tags: some Sequence<String>)
    -> [String]
  {
    let tags = Set(tags)
    // Tags are so short that after two slips nearly every one is near.
    return otherSpellings(of: tag, value: value, among: tags)
      ?? NearestNames.to(tag, among: tags).filter {
        tag.count > 5 || NearestNames.editDistance(tag, $0) == 1
      }
  }

  /// The tags that an unknown tag probably means: the one of which it is a different name,
  /// or tags of which it is a slip of the keyboard. A service may have added any other tag
  /// by now.
  package static func meant(
    by tag: String, value: String, among tags: some Sequence<String>
  ) -> [String] {
    let tags = Set(tags)
    return otherSpellings(of: tag, value: value, among: tags)
      ?? Array(tags.filter { NearestNames.isSlip(tag, of: $0) }.sorted().prefix(3))
  }

  private static func otherSpellings(
    of tag: String, value: String, among tags: Set<String>
  ) -> [String]? {
    for (ending, sign) in [("_gt", ">"), ("_lt", "<")] where tag.hasSuffix(ending) {
      let stem = String(tag.dropLast(3))
      if tags.contains(stem) { return [TagScanner.spelled(stem, sign + value)] }
    }
    if let other = otherNames[tag], tags.contains(other) { return [other] }
    // Queries have no tag for a date.
    if tag == "date", let date = PartialDate(value), tags.isSuperset(of: ["year", "month"]) {
      return ["year:\(date.year)" + (date.month.map { " month:\($0)" } ?? "")]
    }
    return nil
  }
}
