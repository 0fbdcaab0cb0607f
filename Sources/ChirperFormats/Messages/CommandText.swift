/// Commands to type, as hints show them.
package enum CommandText {
  /// `chirper COMMAND QUERY …` as a shell reads it.
  package static func line(
    _ command: String, _ typed: String, source: String? = nil, scientific: Bool = false,
    also: String? = nil
  ) -> String {
    var words = ["chirper", command]
    if typed.hasPrefix("-") { words += ["--"] }
    words.append(quoted(typed))
    // After `--` a flag would be read as part of the query, so flags come before it.
    var flags: [String] = []
    if let source { flags += ["--source", source] }
    if scientific { flags.append("--scientific") }
    if let also { flags.append(also) }
    if typed.hasPrefix("-") { words.insert(contentsOf: flags, at: 2) } else { words += flags }
    return words.joined(separator: " ")
  }

  /// The text as one word of a POSIX shell.
  package static func quoted(_ text: String) -> String {
    let plain = text.unicodeScalars.allSatisfy { scalar in
      switch scalar {
      case "a"..."z", "A"..."Z", "0"..."9", "-", "_", ".", "/", ":", ",", "=", "+", "@", "%": true
      default: scalar.value > 0x9F && scalar.properties.isAlphabetic
      }
    }
    // zsh takes what follows a = for the name of a program.
    if plain, !text.isEmpty, !text.hasPrefix("=") { return text }
    return "'"
      + text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''")
      + "'"
  }
}
