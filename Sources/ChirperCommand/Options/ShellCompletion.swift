import ArgumentParser
import Chirper
import ChirperFormats
import ChirperModel

/// What a shell offers for a word that is typed: stored queries, columns, sort keys and the tags of a search.
///
/// The shell runs the program for this, so it only reads the store, and where that cannot be read it offers nothing.
enum ShellCompletion {
  /// The stored queries as they were typed; those of one catalogue after `--source`.
  static let queries = CompletionKind.custom { words, _, _ in
    let source = value(of: "--source", in: words)
    // After a word that begins with a dash the shell would offer flags.
    return stored.filter { source == nil || $0.query.catalogue.rawValue == source }.map(\.query.typed).uniqued
      .filter { !$0.hasPrefix("-") }
  }

  /// The columns, and the fields of the list that is named before or of all stored lists; after a comma, those that are not
  /// named yet.
  static let columns = CompletionKind.custom { words, _, typed in
    let named = typed.split(separator: ",", omittingEmptySubsequences: false).dropLast()
    let before = named.map { $0 + "," }.joined()
    return fields(words).filter { !named.contains(Substring($0)) }.map { before + $0 }
  }

  /// The same as sort keys.
  static let sortKeys = CompletionKind.custom { words, _, typed in
    fields(words).map { typed.hasPrefix("-") ? "-" + $0 : $0 }
  }

  /// The tags of a search, for its last term.
  static let searchTags = CompletionKind.custom { _, _, typed in
    let last = typed.split(separator: " ", omittingEmptySubsequences: false).last ?? ""
    let isNegated = last.hasPrefix("-")
    let before = typed.dropLast(last.count) + (isNegated ? "-" : "")
    return SearchTag.allCases.map { "\(before)\($0.rawValue):" }
  }

  private static func fields(_ words: [String]) -> [String] {
    guard let repository = try? Session.offline(.read), let stored = try? repository.storedQueries() else { return [] }
    let typed = Set(words.map { $0.filter { !"'\"\\".contains($0) } })
    let source = value(of: "--source", in: words)
    let meant = stored.filter {
      typed.contains($0.query.typed) && source ?? $0.query.catalogue.rawValue == $0.query.catalogue.rawValue
    }
    let fields = (meant.isEmpty ? stored : meant).map(\.query.catalogue).uniqued
      .flatMap { (try? repository.fieldNames(of: $0)) ?? [] }
    return (SearchColumn.all.map(\.name) + fields).uniqued
  }

  private static var stored: [StoredQuery] {
    (try? Session.offline(.read).storedQueries()) ?? []
  }

  private static func value(of option: String, in words: [String]) -> String? {
    guard let index = words.lastIndex(of: option), words.indices.contains(index + 1) else { return nil }
    return words[index + 1]
  }
}
