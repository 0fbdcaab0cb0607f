import ArgumentParser
import Chirper
import ChirperFormats
import Foundation

struct DataSetCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "dataset",
    abstract: "Lock a set of recordings, and build its folder.",
    discussion: """
      NAME.dataset.json says which recordings are meant, and NAME.lock.jsonl which ones they were: a line for each, with \
      hashes of its fields and its audio. A lock and the catalogues are enough to build the set on another machine, or \
      to say for each recording why that is not possible. man 7 chirper-datasets has all of it.

        chirper dataset new wrens 'wren' --where 'q:A type:song' --split 80/10/10
        chirper dataset lock wrens.dataset.json
        chirper dataset build wrens.lock.jsonl wrens
        chirper dataset verify wrens.lock.jsonl --sync
        chirper dataset has XC46088 wrens.lock.jsonl
      """,
    subcommands: [New.self, Lock.self, Build.self, Verify.self, Has.self]
  )
}

extension DataSetDefinition {
  /// The rows of each selection; shows progress if that takes long.
  func rows(in repository: RecordingRepository, _ printer: Printer) throws -> [Rows] {
    try questions().map { try $0.rows(in: repository, for: nil, printer) }
  }
}
