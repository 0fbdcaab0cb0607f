import Chirper

/// The results of a repair, in words and for programs.
package enum RepairText {
  package static func lines(_ repair: Repair) -> [String] {
    var lines = [
      "repair       kept \(counts(repair.kept))",
      "             lost \(counts(repair.lost))",
      "             the damaged file is now \(repair.damagedCopy)",
    ]
    for typed in repair.incomplete.prefix(20) {
      lines.append(
        "             incomplete now: \(typed); type: \(CommandText.line("sync", typed))")
    }
    if repair.incomplete.count > 20 {
      lines.append("             and \(repair.incomplete.count - 20) more; type: chirper sync")
    }
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
