/// The one name of a species in a query, as typed or in its identity, and the rest of the query.
package struct NamedText: Sendable {
  /// The name without quotes: plain words, or the value of `sp:` or `en:`.
  package let name: TypedName
  /// The other terms, in small letters and in order.
  package let rest: [String]

  /// Reads a query; `nil` if it has no name, or several, or one that is taken as it is (`=`).
  package init?(_ text: String) {
    var scanner = TagScanner(text)
    var (words, tagged, rest) = ([String](), [TypedName](), [String]())
    while scanner.skipSpaces() {
      let exact = scanner.exactTag()
      guard let tag = exact ?? scanner.tag() else {
        words.append(scanner.words())
        continue
      }
      guard let value = try? scanner.value(of: tag).text, !["gen", "ssp", "fam"].contains(tag)
      else { return nil }
      guard exact == nil, tag == "sp" || tag == "en" else {
        rest.append((exact == nil ? "" : "=") + TagScanner.spelled(tag, value).lowercased())
        continue
      }
      guard TagOperand(value).sign == nil else { return nil }
      tagged.append(TypedName(value, tag == "sp" ? .scientific : .english))
    }
    let plain = words.joined(separator: " ").filter { !"\"\\".contains($0) }
    if !plain.isEmpty { tagged.append(TypedName(plain, .scientific, .english)) }
    guard tagged.count == 1 else { return nil }
    name = tagged[0]
    self.rest = rest.sorted()
  }
}
