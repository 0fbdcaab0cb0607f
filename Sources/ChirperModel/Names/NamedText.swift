/// The one name of a species in a query, as typed or in its identity, and the rest of the query.
package struct NamedText: Sendable {
  /// The name without quotes: plain words, or the value of `sp:` or `en:`.
  package let name: TypedName
  /// Whether the name has a tag.
  package let isTagged: Bool
  /// The other terms, as they are spelled.
  private let others: [String]
  /// The other terms, in small letters and in order.
  package var rest: [String] { others.map { $0.lowercased() }.sorted() }

  /// Reads a query; `nil` if it has no name, or several, or one that is taken as it is (`=`).
  package init?(_ text: String) {
    var scanner = TagScanner(text)
    var words = [String]()
    var tagged = [TypedName]()
    var others = [String]()
    while scanner.skipSpaces() {
      let exact = scanner.exactTag()
      guard let tag = exact ?? scanner.tag() else {
        words.append(scanner.words())
        continue
      }
      guard let value = try? scanner.value(of: tag).text, !["gen", "ssp", "fam"].contains(tag)
      else { return nil }
      guard exact == nil, tag == "sp" || tag == "en" else {
        others.append((exact == nil ? "" : "=") + TagScanner.spelled(tag, value))
        continue
      }
      guard TagOperand(value).sign == nil else { return nil }
      tagged.append(TypedName(value, tag == "sp" ? .scientific : .english))
    }
    let plain = words.joined(separator: " ").filter { !"\"\\".contains($0) }
    isTagged = plain.isEmpty
    if !isTagged { tagged.append(TypedName(plain, .scientific, .english)) }
    guard tagged.count == 1 else { return nil }
    name = tagged[0]
    self.others = others
  }

  /// The query with a different name in place of its own.
  package func text(naming name: TypedName) -> String {
    let tag = name.kinds == [.scientific] ? "sp" : "en"
    let named = isTagged ? TagScanner.spelled(tag, name.text, quoted: true) : name.text
    return ([named] + others).joined(separator: " ")
  }
}
