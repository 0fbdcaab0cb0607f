#if Collection

import ChirperModel

/// The answer of GBIF's name matching: the name that it found, and the taxon that has it.
struct GBIFMatch {
  /// The kind of match: `EXACT`, `FUZZY`, `HIGHERRANK` and others.
  let type: String
  /// The taxon under the name that was found.
  let usage: NameLookup.Taxon
  /// The taxon to ask for: the accepted one of a synonym, else `usage`. A synonym's own key
  /// finds only records published under the synonym.
  let accepted: NameLookup.Taxon
  /// The name that was found with its author; `nil` if it is not sent.
  private let fullName: String?

  /// The match in an answer; `nil` if no name matches.
  init?(_ fields: RecordingFields) throws(FetchError) {
    guard let type = fields["diagnostics"]?.object?["matchType"]?.text, !type.isEmpty else {
      throw .malformed("it has no matchType")
    }
    guard type != "NONE", let usage = fields["usage"]?.object.flatMap(Self.taxon) else {
      return nil
    }
    self.type = type
    self.usage = usage
    accepted = fields["acceptedUsage"]?.object.flatMap(Self.taxon) ?? usage
    fullName = fields["usage"]?.object?["name"]?.text
  }

  private static func taxon(_ usage: RecordingFields) -> NameLookup.Taxon? {
    let names = ["canonicalName", "name"].lazy.compactMap { usage[$0]?.text }
    guard let key = usage["key"]?.idText, let name = names.first(where: { !$0.isEmpty }) else {
      return nil
    }
    return NameLookup.Taxon(key: key, name: name, rank: usage["rank"]?.text.lowercased() ?? "")
  }

  private func hasName(_ name: String) -> Bool {
    TextFolding.folded(usage.name) == TextFolding.folded(name)
      || fullName.map { TextFolding.folded($0) == TextFolding.folded(name) } ?? false
  }

  /// Whether exactly that name was found. `HIGHERRANK` is answered for some names of groups, too.
  func isExact(_ name: String) -> Bool {
    type == "EXACT" || type == "HIGHERRANK" && hasName(name)
  }

  /// The taxon to ask for in place of one of the older taxonomy; `nil` if the match has a
  /// different name or rank.
  func taxon(replacing older: NameLookup.Taxon) -> NameLookup.Taxon? {
    guard isExact(older.name), hasName(older.name), usage.rank == older.rank,
      accepted.rank == older.rank
    else { return nil }
    return NameLookup.Taxon(
      key: accepted.key, name: accepted.name, rank: accepted.rank, englishName: older.englishName)
  }
}

#endif
