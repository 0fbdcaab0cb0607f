import Chirper
import ChirperModel

extension ImportReport {
  /// The result in words: a line for each list, and one for each row that could not be read, at
  /// most ten.
  package func lines(in repository: RecordingRepository) -> [String] {
    var lines = lists.map { list in
      let catalogue = repository.catalogue(list.query.catalogue)?.name ?? "\(list.query.catalogue)"
      let rows = Plural.words(list.stored?.count ?? 0, "recording")
      let again = list.foundAgain > 0 ? " (\(list.foundAgain) found again)" : ""
      return "\(list.query.typed): \(rows) of \(catalogue), "
        + "\(list.new) new\(again), \(list.changed) changed, \(list.gone) gone"
    }
    if lists.contains(where: { $0.stored?.completeness.word == "shifted" }) {
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
    return lines
  }

  /// The result for programs.
  package func object(_ path: String, in repository: RecordingRepository) -> JSONObject {
    var object: JSONObject = ["path": path]
    object.add("imported", claim.object)
    object.add(
      "lists",
      lists.map { list in
        var member: JSONObject = [:]
        list.query.addMembers(to: &member, in: repository.catalogue(list.query.catalogue))
        member.add("new", list.new)
        member.add("foundAgain", list.foundAgain)
        member.add("changed", list.changed)
        member.add("gone", list.gone)
        list.stored?.addMembers(to: &member)
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
