/// Commands and words to type, as they stand in hints.
enum CommandText {
  static let howToGetAKey = "Get a free key at https://xeno-canto.org/account, then type: chirper auth set"

  static func fetch(_ typed: String, source: String? = nil, scientific: Bool = false, also: String? = nil) -> String {
    line("fetch", typed, source: source, scientific: scientific, also: also)
  }

  /// `chirper COMMAND QUERY …` as a shell takes it.
  static func line(
    _ command: String, _ typed: String, source: String? = nil, scientific: Bool = false, also: String? = nil
  ) -> String {
    var words = ["chirper", command]
    if typed.hasPrefix("-") { words += ["--"] }
    words.append(quoted(typed))
    // Behind `--` a flag would be taken as part of the query, so there it stands before.
    var flags: [String] = []
    if let source { flags += ["--source", source] }
    if scientific { flags.append("--scientific") }
    if let also { flags.append(also) }
    if typed.hasPrefix("-") { words.insert(contentsOf: flags, at: 2) } else { words += flags }
    return words.joined(separator: " ")
  }

  /// The text as one word of a POSIX shell.
  static func quoted(_ text: String) -> String {
    let plain = text.unicodeScalars.allSatisfy { scalar in
      switch scalar {
      case "a"..."z", "A"..."Z", "0"..."9", "-", "_", ".", "/", ":", ",", "=", "+", "@", "%": true
      default: scalar.value > 0x9F && scalar.properties.isAlphabetic
      }
    }
    if plain, !text.isEmpty { return text }
    return "'" + text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''") + "'"
  }
}
