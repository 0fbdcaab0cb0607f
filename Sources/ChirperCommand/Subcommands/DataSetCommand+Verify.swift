import ArgumentParser
import Chirper
import ChirperFormats
import ChirperModel

extension DataSetCommand {
  struct Verify: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "verify", abstract: "Say for each recording of a lock what became of it.",
      discussion: """
        Compares each line with what is stored and with the audio that is kept, or that is in FOLDER: same, different \
        species, licence changed, renamed, audio changed, missing (in FOLDER), fields changed, withdrawn, not reachable, \
        not asked. --sync asks the catalogues first: for the lists of the lock that were not imported, then by number for \
        recordings that are in none of them, then for audio that is not kept. With a later lock in place of FOLDER it compares \
        the two: a line for each recording that only one of them has, or that changed. The exit code is 3 if not all are the same.

          chirper dataset verify wrens.lock.jsonl
          chirper dataset verify wrens.lock.jsonl wrens
          chirper dataset verify wrens.lock.jsonl --sync
          chirper dataset verify wrens.lock.jsonl wrens-2026-12.lock.jsonl
        """)

    @Argument(help: "A lock.", completion: .file(extensions: ["jsonl"]))
    var lock: String

    @Argument(help: "A folder that was built from it, or a later lock.", completion: .file())
    var folder: String?

    @Flag(help: "Ask the catalogues first.")
    var sync = false

    @OptionGroup var common: CommonOptions

    func run() async throws {
      if let folder, folder.hasSuffix(DataSet.lockEnd) { return try compare(with: folder) }
      let header = try LockReader(lock).header
      let session = try sync ? Session() : nil
      let repository = try session?.repository() ?? Session.offline(.read)
      try session?.checkKey(for: header.queries(in: repository).asked.map(\.query.catalogue))
      let printer = common.printer
      let reporter = FetchReporter(repository: repository, printer: printer)
      let (asked, error) = try await sync ? reporter.fetchLists(of: header) : (nil, nil)
      let verification = LockVerification(of: lock, folder: folder, in: repository, asked: asked)
      let summary = try await printer.showingProgress(changesNothing: !sync) { line in
        var lines = printer.lines("recordings")
        let summary = try await verification.run { count, all in
          line.show { "checking \(count) of \(all)" }
        } difference: {
          try lines.add($0.text, $0.json)
        }
        line.close()
        try lines.end(["summary": summary.json], line: summary.text)
        return summary
      }
      guard !summary.areSame else { return }
      throw UserFacingError(
        .partly, kind: "not-the-same",
        problem: "Not every recording is the same as when it was locked",
        hint: error?.message ?? hint(summary))
    }

    private func compare(with later: String) throws {
      guard !sync else {
        throw UserFacingError.usage("Two locks are compared as they are", hint: "Leave --sync out.")
      }
      var lines = common.printer.lines("differences")
      let differences = try LockDifferences(LockReader(lock), LockReader(later)) {
        try lines.add($0.text, $0.json)
      }
      try lines.end(differences.json, line: differences.text)
      guard !differences.areSame else { return }
      throw UserFacingError(
        .partly, kind: "not-the-same", problem: "The locks do not have the same recordings",
        hint: "Build the later one in a folder of its own.")
    }

    private func hint(_ summary: LockSummary) -> String {
      if summary[.missing] > 0 { return "chirper dataset build adds what is missing." }
      return summary[.notAsked] > 0 && !sync
        ? "Type --sync to ask the catalogues." : "chirper dataset lock -o writes a new lock."
    }
  }
}
