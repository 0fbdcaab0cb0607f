import ChirperModel
import Foundation

/// The sample's query language: plain words to find in both names and the country, and the tags that
/// its recordings have, which need the language of searches.
enum SampleLanguage {
  #if Collection
  static let tags = TagTable.all.only([
    "gen", "sp", "fam", "en", "grp", "rec", "cnt", "area", "loc", "rmk", "also", "type", "nr",
    "lic", "q", "len", "since", "year",
    "month",
  ])
  #else
  static let tags = TagTable.all.only([])
  #endif

  static func query(_ cleaned: String, scientific: Bool) throws(QueryError) -> (
    identity: String, requestText: String
  ) {
    #if Collection
    let query = try TagQuery(cleaned.isDigits ? "nr:\(cleaned)" : cleaned, tags: tags)
    guard query.terms.isEmpty, !scientific else {
      let named = try query.naming(scientific: scientific)
      return (named.normalised, named.requestText)
    }
    #else
    let query = try TagQuery(cleaned, tags: tags)
    #endif
    return (query.normalisedWords, query.words)
  }

  /// The recordings that a query finds, given the text that identifies it.
  static func matches(_ text: String, now: Date) throws(QueryError) -> [SampleRecording] {
    let query = try TagQuery(text, tags: tags)
    #if Collection
    if !query.terms.isEmpty { return matches(query.terms, now: now) }
    #endif
    return SampleWorld.recordings.filter { recording in
      [recording.species.englishName, recording.species.name, recording.country]
        .contains { $0.lowercased().contains(query.words) }
    }
  }

  #if Collection
  private static func matches(_ terms: [TagQuery.Term], now: Date) -> [SampleRecording] {
    let searched = terms.map(\.requestText).joined(separator: " ")
    // The language of queries accepts more than the search of what is stored: values that no
    // recording can have.
    guard let expression = try? SearchExpression(searched, catalogues: []),
      let matcher = try? SearchMatcher(expression, now: now)
    else { return [] }
    return zip(SampleWorld.recordings, SampleWorld.details).filter { _, details in
      matcher.matches(details, SearchContext(catalogue: .sample))
    }.map(\.0)
  }
  #endif
}
