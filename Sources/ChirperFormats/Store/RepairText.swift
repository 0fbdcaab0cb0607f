import Chirper

/// The results of a repair, in words and for programs.
extension Repair {
  package var lines: [String] {
    var lines = [
      "repair       kept \(kept.text())",
      // It is not known which recordings were in rows that were lost.
      "             lost \(lost.text(lost.rows > 0 ? "at least " : ""))",
      "             the damaged file is now \(damagedCopy)",
    ]
    let incomplete = FirstNames(incomplete)
    lines += incomplete.names.map { name in
      let command =
        imported.contains(name) ? CommandText.importing(as: name) : CommandText.line("sync", name)
      return "             incomplete now: \(name); type: \(command)"
    }
    if let more = incomplete.more { lines.append("             \(more); type: chirper sync") }
    if let lostLabels {
      let files = lostLabels.isEmpty ? "" : " of \(FirstNames(lostLabels).phrase)"
      lines.append(
        "             labels\(files) can be lost; type: chirper import --labels FILE, with each file"
      )
    }
    return lines
  }

  package var json: JSONObject {
    [
      "damagedCopy": damagedCopy, "kept": kept.json, "lost": lost.json, "incomplete": incomplete,
      "lostLabels": lostLabels,
    ]
  }
}

extension Repair.Counts {
  fileprivate func text(_ certainty: String = "") -> String {
    [
      Plural.words(queries, "query"), Plural.words(pages, "page"), Plural.words(rows, "row"),
      certainty + Plural.words(recordings, "recording"),
    ].joined(separator: ", ")
  }

  fileprivate var json: JSONObject {
    ["queries": queries, "pages": pages, "rows": rows, "recordings": recordings]
  }
}
