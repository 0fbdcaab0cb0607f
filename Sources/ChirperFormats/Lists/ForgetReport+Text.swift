import Chirper

extension ForgetReport {
  /// The total of what was removed.
  ///
  /// - Parameters:
  ///   - reports: the report of each list.
  ///   - query: the query as it was typed; `nil` if those were removed that found nothing.
  package static func report(_ reports: [ForgetReport], query: String?) -> Report {
    func sum<Number: Numeric>(_ number: (ForgetReport) -> Number) -> Number {
      reports.reduce(0) { $0 + number($1) }
    }
    let pages = sum(\.pages)
    let rows = sum(\.rows)
    let recordings = sum(\.recordings)
    let files = sum(\.audioFiles)
    let bytes = sum(\.audioBytes)
    let links = sum(\.audioLinks)
    let labelled = sum(\.labelled)
    let audio: JSONObject = ["files": files, "bytes": bytes, "links": links]
    let json: JSONObject = [
      "query": query, "pages": pages, "rows": rows, "recordings": recordings,
      "labelled": labelled, "audio": audio,
    ]
    guard query != nil else {
      let queries = Plural.words(reports.count, "query")
      return Report(json, notes: ["removed: \(queries) that never found anything"])
    }
    let were = Plural.were(recordings)
    var notes = [
      "removed: \(Plural.words(rows, "row")) on \(Plural.words(pages, "page")); "
        + "\(Plural.words(recordings, "recording")) \(were) in no other list and \(were) deleted"
        + (bytes > 0 ? ", with \(words(files, bytes))" : "")
    ]
    if links > 0 {
      let lead = links == 1 ? "it leads" : "they lead"
      notes.append("removed \(Plural.words(links, "link")) to audio; what \(lead) to was left")
    }
    if labelled > 0 {
      notes.append(
        "the labels of \(Plural.words(labelled, "recording")) stay, for when these are fetched again"
      )
    }
    return Report(json, notes: notes)
  }

  /// `3 audio files (1.2 MB)`.
  package static func words(_ files: Int, _ bytes: Int64) -> String {
    "\(Plural.words(files, "audio file")) (\(SizeText.words(bytes)))"
  }
}
