import Chirper

/// The results of a repair, in words and for programs.
package enum RepairText {
  package static func lines(_ repair: Repair) -> [String] {
    var lines = [
      "repair       kept \(counts(repair.kept))",
      "             lost \(counts(repair.lost))",
      "             the damaged file is now \(repair.damagedCopy)",
    ]
    let incomplete = FirstNames(repair.incomplete)
    lines += incomplete.names.map {
      "             incomplete now: \($0); type: \(CommandText.line("sync", $0))"
    }
    if let more = incomplete.more { lines.append("             \(more); type: chirper sync") }
    return lines
  }

  package static func json(_ repair: Repair) -> JSONObject {
    [
      "damagedCopy": repair.damagedCopy, "kept": json(repair.kept), "lost": json(repair.lost),
      "incomplete": repair.incomplete,
    ]
  }

  private static func counts(_ counts: Repair.Counts) -> String {
    [
      Plural.words(counts.queries, "query"), Plural.words(counts.pages, "page"),
      Plural.words(counts.rows, "row"), Plural.words(counts.recordings, "recording"),
    ].joined(separator: ", ")
  }

  private static func json(_ counts: Repair.Counts) -> JSONObject {
    [
      "queries": counts.queries, "pages": counts.pages, "rows": counts.rows,
      "recordings": counts.recordings,
    ]
  }
}
