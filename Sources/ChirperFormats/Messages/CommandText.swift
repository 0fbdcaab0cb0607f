/// Commands to type, as hints show them.
package enum CommandText {
  /// `chirper COMMAND QUERY …` as a shell reads it.
  package static func line(
    _ command: String, _ typed: String, source: String? = nil, scientific: Bool = false,
    also: String? = nil
  ) -> String {
    var flags: [String] = []
    if let source { flags += ["--source", source] }
    if scientific { flags.append("--scientific") }
    if let also { flags.append(also) }
    // After `--` a flag would be read as part of the query, so flags come before it.
    let words = typed.hasPrefix("-") ? flags + ["--", quoted(typed)] : [quoted(typed)] + flags
    return (["chirper", command] + words).joined(separator: " ")
  }

  /// The command that imports a file as the list of that name.
  static func importing(as list: String) -> String {
    line("import", "FILE", also: "--as \(quoted(list))")
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
