import ChirperModel
import Foundation

/// The sample's query language: the tags that its recordings have, and plain words that are looked for in the English
/// name, the scientific name and the country.
enum SampleLanguage {
  static let tags = TagTable.all.only([
    "gen", "sp", "fam", "en", "grp", "rec", "cnt", "loc", "rmk", "also", "type", "nr", "lic", "q", "len", "since", "year",
    "month",
  ])

  static func query(_ cleaned: String, scientific: Bool) throws(QueryError) -> (text: String, sent: String) {
    let query = try TagQuery(cleaned, tags: tags)
    guard query.terms.isEmpty else { return (query.normalised, query.sent) }
    if scientific {
      let term = TagQuery.Term(tag: "sp", value: query.words, wasQuoted: true)
      return (term.normalised, term.sent)
    }
    let text = query.words.lowercased()
    // Words with a colon were quoted when typed, and must be when the identity is read again.
    return (text.contains(":") ? "\"\(text)\"" : text, query.words)
  }

  /// The recordings that a query finds, given the text that identifies it.
  static func matches(_ text: String, now: Date) throws(QueryError) -> [SampleRecording] {
    let query = try TagQuery(text, tags: tags)
    return SampleWorld.recordings.filter { recording in
      query.terms.isEmpty
        ? hasWords(query.words, recording) : query.terms.allSatisfy { matches($0, recording, now: now) }
    }
  }

  private static func hasWords(_ words: String, _ recording: SampleRecording) -> Bool {
    let species = recording.species
    return [species.englishName, "\(species.genus) \(species.epithet)", recording.country]
      .contains { $0.lowercased().contains(words) }
  }

  private static func matches(_ term: TagQuery.Term, _ recording: SampleRecording, now: Date) -> Bool {
    let species = recording.species
    let value = TagOperand(term.value)
    return switch term.tag {
    case "gen": value.begins(species.genus)
    case "sp": value.begins(species.epithet) || value.begins("\(species.genus) \(species.epithet)")
    case "fam": value.begins(species.family)
    case "en": value.isIn(species.englishName)
    case "grp": value.begins("birds") || value.text == "1"
    case "rec": value.isIn(SampleRecording.recordist)
    case "cnt": value.begins(recording.country)
    case "loc": value.isIn(recording.placeName)
    case "rmk": value.isIn(SampleRecording.remarks)
    case "also": value.isIn(recording.background ?? "")
    case "type": recording.type.components(separatedBy: ", ").contains(value.text)
    case "nr": value.covers(Double(recording.number))
    case "lic": value.begins(SampleRecording.licence)
    case "q": recording.quality.map(value.covers) ?? false
    case "len": value.covers(Double(recording.seconds))
    case "since": recording.uploaded >= since(value.text, now: now)
    case "year": value.covers(Double(recording.date.prefix(4)) ?? 0)
    case "month": value.covers(Double(recording.date.dropFirst(5).prefix(2)) ?? 0)
    default: false
    }
  }

  /// A number of days back from now, or the date itself.
  private static func since(_ text: String, now: Date) -> String {
    guard let days = Int(text) else { return text }
    let parts = Calendar(identifier: .iso8601).dateComponents(
      in: .gmt, from: now.addingTimeInterval(-Double(days) * 86_400))
    return String(format: "%04d-%02d-%02d", parts.year ?? 0, parts.month ?? 0, parts.day ?? 0)
  }
}
