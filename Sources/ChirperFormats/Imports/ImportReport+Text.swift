import Chirper
import ChirperModel

extension FetchReport {
  /// `3 new (1 found again), 0 changed, 2 gone`.
  package var change: String {
    let again = foundAgain > 0 ? " (\(foundAgain) found again)" : ""
    return "\(new) new\(again), \(changed) changed, \(gone) gone"
  }
}

extension ImportReport {
  /// The result in words: a line for each list, and one for each row that could not be read, at
  /// most ten.
  package func lines(in repository: RecordingRepository) -> [String] {
    var lines = lists.compactMap { list in
      list.stored.map { stored in
        let id = stored.query.catalogue
        let rows = Plural.words(stored.count, "recording")
        return "\(stored.query.typed): \(rows) of \(repository.catalogue(id)?.name ?? "\(id)"), "
          + list.change
      }
    }
    let hasEarlierRows = lists.contains { list in
      list.stored.map { $0.completeness.word == "shifted" && $0.count > list.new } ?? false
    }
    if hasEarlierRows {
      lines.append("no recording counts as gone, because the file could not be read in full")
    }
    if claim.silent > 0 {
      lines.append("\(Plural.words(claim.silent, "row")) without a sound")
    }
    let shown = claim.unread.prefix(10)
    lines += shown.map { "line \($0.line) could not be read: \($0.reason)" }
    if claim.unreadable > shown.count {
      lines.append("\(claim.unreadable - shown.count) further rows could not be read")
    }
    if unindexed > 0 {
      lines.append("the next search prepares the index of \(unindexed) recordings first")
    }
    return lines
  }

  package func object(_ path: String, in repository: RecordingRepository) -> JSONObject {
    var object: JSONObject = ["path": path]
    object.add("imported", claim.object)
    object.add(
      "lists",
      lists.map { list -> JSONObject in
        guard let stored = list.stored else { return [:] }
        let query = stored.query
        var member = query.object(in: repository.catalogue(query.catalogue))
        member.add([
          "new": list.new, "foundAgain": list.foundAgain, "changed": list.changed,
          "gone": list.gone,
        ])
        member.add(stored.object)
        return member
      })
    return object
  }
}

extension UserFacingError {
  /// A file of which no row has a sound.
  package static func noSounds(
    _ path: String, _ claim: ImportClaim, _ advice: String
  ) -> UserFacingError {
    let why =
      claim.unread.first.map { "line \($0.line) could not be read: \($0.reason)" }
      ?? "none of its \(Plural.words(claim.rows, "row")) has a sound"
    return notImportable(path, "nothing was imported: \(why)", hint: advice)
  }
}
