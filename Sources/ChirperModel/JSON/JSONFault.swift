/// The reason why bytes are not the JSON that was expected, and where.
package struct JSONFault: Error, Hashable, Sendable, CustomStringConvertible {
  /// The kinds of faults in the bytes.
  package enum Reason: Hashable, Sendable {
    /// The text ends within a value.
    case truncated
    /// Something else than this was expected.
    case unexpected(String)
    /// The text begins with a byte order mark.
    case byteOrderMark
    /// The text is not UTF-8.
    case invalidUTF8
    /// A string has an unescaped control character.
    case controlCharacter
    /// An escape that JSON does not have.
    case badEscape
    /// Half of a surrogate pair.
    case loneSurrogate
    /// A number that JSON does not allow, such as `01`.
    case badNumber
    /// Arrays and objects within each other, more levels than `limit`.
    case tooDeep(limit: Int)
    /// One object has this name twice.
    case duplicateName(String)
    /// Text after the value.
    case trailingBytes
  }

  /// The fault at `offset`.
  package let reason: Reason
  /// Counted in bytes from the start of the body.
  package let offset: Int

  package init(reason: Reason, offset: Int) { (self.reason, self.offset) = (reason, offset) }

  /// The fault and its position, in one clause.
  package var description: String {
    let what =
      switch reason {
      case .truncated: "the text ends too early"
      case .unexpected(let wanted): "expected \(wanted)"
      case .byteOrderMark: "it begins with a byte order mark"
      case .invalidUTF8: "it is not valid UTF-8"
      case .controlCharacter: "a string contains a control character"
      case .badEscape: "an escape in a string is not a JSON escape"
      case .loneSurrogate: "half of a surrogate pair is missing"
      case .badNumber: "a number is malformed"
      case .tooDeep(let limit): "it is nested more than \(limit) deep"
      case .duplicateName(let name): "the name \"\(name)\" occurs twice in one object"
      case .trailingBytes: "there is more text after the end"
      }
    return "\(what) (byte \(offset))"
  }
}
