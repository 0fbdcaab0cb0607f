import ArgumentParser
import Chirper
import ChirperFormats
import ChirperModel

extension DataSetCommand {
  struct Diff: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "diff", abstract: "Show which recordings of two locks are different.",
      discussion: """
        A line for each: - only in OLD, + only in NEW, else what changed. The first lines of the files are not compared.

          chirper dataset diff wrens-2026-11.lock.jsonl wrens-2026-12.lock.jsonl
        """)

    @Argument(help: "A lock.", completion: .file(extensions: ["jsonl"]))
    var old: String

    @Argument(help: "A later lock.", completion: .file(extensions: ["jsonl"]))
    var new: String

    @OptionGroup var common: CommonOptions

    func run() throws {
      let left = try LockReader(old)
      let right = try LockReader(new)
      var lines = common.printer.lines("differences")
      var counts = (removed: 0, added: 0, changed: 0)
      let same = try LockDifference.forEach(left, right) { line in
        switch line {
        case .removed: counts.removed += 1
        case .added: counts.added += 1
        case .changed: counts.changed += 1
        }
        try lines.add(line.text, line.json)
      }
      try lines.end([
        "removed": counts.removed, "added": counts.added, "changed": counts.changed, "same": same,
      ])
      common.printer.note(
        "\(counts.removed) removed, \(counts.added) added, \(counts.changed) changed, \(same) the same"
      )
    }
  }
}
