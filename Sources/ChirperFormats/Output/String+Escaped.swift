extension String {
  /// The text with scalars replaced. Most texts have nothing to replace and are returned as
  /// they are. Letters, digits and spaces of ASCII are never replaced.
  func escaped(_ replacement: (Unicode.Scalar) -> String?) -> String {
    guard unicodeScalars.contains(where: { Self.mayBeReplaced($0) && replacement($0) != nil })
    else { return self }
    var escaped = UnicodeScalarView()
    for scalar in unicodeScalars {
      if let text = replacement(scalar) {
        escaped.append(contentsOf: text.unicodeScalars)
      } else {
        escaped.append(scalar)
      }
    }
    return String(escaped)
  }

  /// Whether the scalar is neither a space nor a letter or digit of ASCII, which are most of a text.
  private static func mayBeReplaced(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar {
    case " ", "0"..."9", "A"..."Z", "a"..."z": false
    default: true
    }
  }
}
