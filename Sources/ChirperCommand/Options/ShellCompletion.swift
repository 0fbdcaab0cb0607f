import ArgumentParser
import Chirper
import ChirperModel

/// The words that a shell offers for a word that is typed: stored queries, columns, sort
/// keys and the tags of a search.
///
/// The shell runs the program for this, so it only reads the store, and offers nothing if
/// that cannot be read. Names of fields and texts of lists come from catalogues, so each
/// kind is made by `offering`.
enum ShellCompletion {
  /// The stored queries as they were typed; after `--source`, only the queries of that
  /// catalogue.
  static let queries = offering(quoted) { words, _ in queries(words) }

  /// The stored queries, and names of animals that begin as the typed word does.
  static let newQueries = offering(quoted) { words, typed in
    queries(words) + completions(of: typed)
  }

  private static func queries(_ words: [String]) -> [String] {
    let source = value(of: "--source", in: words)
    // After a word that begins with a dash the shell would offer flags.
    return stored.filter { source == nil || $0.query.catalogue.rawValue == source }
      .map(\.query.typed).filter { !$0.hasPrefix("-") }
  }

  private static func completions(of typed: Substring) -> [String] {
    (try? Session.offline(.read).completions(of: String(typed))) ?? []
  }

  /// The columns, and the fields of the list that is named before or of all stored lists; after a
  /// comma, those that are not named yet.
  static let columns = offering { words, typed in
    let named = typed.split(separator: ",", omittingEmptySubsequences: false).dropLast()
    let before = named.map { $0 + "," }.joined()
    return fields(words).filter { !named.contains(Substring($0)) }.map { before + $0 }
  }

  /// The columns as sort keys, and the orders that have no other direction.
  static let sortKeys = offering { words, typed in
    typed.hasPrefix("-")
      ? fields(words).map { "-" + $0 } : [SortKey.rank, SortKey.stored] + fields(words)
  }

  /// The tags of a search, for its last term, and names that begin so.
  static let searchTags = offering(quoted) { _, typed in
    let last = typed.split(separator: " ", omittingEmptySubsequences: false).last ?? ""
    let isNegated = last.hasPrefix("-")
    let before = typed.dropLast(last.count) + (isNegated ? "-" : "")
    return SearchTag.allCases.map { "\(before)\($0.rawValue):" } + completions(of: typed)
  }

  /// The lists of names that were added.
  static let nameLists = offering { _, _ in
    ((try? Session.offline(.read).nameLists()) ?? []).map(\.name).filter { !$0.hasPrefix("-") }
  }

  /// The files whose labels were imported.
  static let labelFiles = offering(quoted) { _, _ in
    (try? Session.offline(.read).labelled().files) ?? []
  }

  /// The languages of these lists.
  static let nameLanguages = offering { _, _ in
    (try? Session.offline(.read).nameLanguages()) ?? []
  }

  /// The signs of queries that are offered, because shells quote them: `sp:"turdus merula"`.
  private static let quoted: Set<Unicode.Scalar> = ["\"", "<", ">", "="]

  /// A kind of word; the one way in which words reach a shell.
  ///
  /// A shell may run what it is offered: bash expands each word before it compares it with what is
  /// typed. A word with any sign besides letters, digits, `-_.:,`, blanks and `signs` is left out.
  private static func offering(
    _ signs: Set<Unicode.Scalar> = [],
    _ words: @escaping @Sendable ([String], Substring) -> [String]
  ) -> CompletionKind {
    .custom { line, _, typed in
      // Shells compare words without the quote that begins the typed one.
      let typed = typed.first.map { "'\"".contains($0) } == true ? typed.dropFirst() : typed[...]
      let isOffered = { (word: String) in
        !word.isEmpty && word.unicodeScalars.allSatisfy { isPlain($0) || signs.contains($0) }
      }
      return words(line, typed).filter(isOffered).uniqued
        .map { literal($0, in: CompletionShell.requesting) }
    }
  }

  /// Whether the scalar is visible text without a meaning in any shell: a letter of any alphabet, a
  /// digit, a blank, or one of `-_.:,`.
  private static func isPlain(_ scalar: Unicode.Scalar) -> Bool {
    if "-_.:, ".unicodeScalars.contains(scalar) { return true }
    switch scalar.properties.generalCategory {
    case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter,
      .decimalNumber, .nonspacingMark, .spacingMark:
      return !scalar.properties.isDefaultIgnorableCodePoint
    default: return false
    }
  }

  /// The word as the shell's script must get it, so that the script offers it unchanged.
  private static func literal(_ word: String, in shell: CompletionShell?) -> String {
    switch shell {
    // `compgen -W` expands words; this is how `printf %q` writes them.
    case .bash?: escaped(word, [" ", "\"", "<", ">", "="])
    // `_describe` reads a description after a colon.
    case .zsh?: escaped(word, [":"])
    default: word
    }
  }

  private static func escaped(_ word: String, _ signs: Set<Character>) -> String {
    word.reduce(into: "") { text, character in
      if signs.contains(character) { text.append("\\") }
      text.append(character)
    }
  }

  private static func fields(_ words: [String]) -> [String] {
    guard let repository = try? Session.offline(.read), let stored = try? repository.storedQueries()
    else { return [] }
    // Shells pass words as they are typed, with their quotes.
    let bare = { (word: String) in word.filter { !"'\"\\".contains($0) } }
    let typed = Set(words.map(bare))
    let source = value(of: "--source", in: words)
    let meant = stored.map(\.query).filter {
      typed.contains(bare($0.typed)) && source ?? $0.catalogue.rawValue == $0.catalogue.rawValue
    }
    let fields = (meant.isEmpty ? stored.map(\.query) : meant).map(\.catalogue).uniqued
      .flatMap { (try? repository.fieldNames(of: $0)) ?? [] }
    // A shell takes a word with a dash for an option.
    return RecordingColumn.all.map(\.name) + fields.filter { !$0.hasPrefix("-") }
  }

  private static var stored: [StoredQuery] {
    (try? Session.offline(.read).storedQueries()) ?? []
  }

  private static func value(of option: String, in words: [String]) -> String? {
    guard let index = words.lastIndex(of: option), words.indices.contains(index + 1) else {
      return nil
    }
    return words[index + 1]
  }
}
