import ChirperStore
import Foundation

/// Opens the store in a directory with the shipped migrations and those in other files: a program
/// that a test can kill.
///
///     MigrationProbe DIRECTORY FILE.sql…
let files = CommandLine.arguments.dropFirst(2).map { URL(filePath: $0) }
let added = try files.map { file in
  Migration(
    name: file.deletingPathExtension().lastPathComponent,
    sql: try String(contentsOf: file, encoding: .utf8))
}
_ = try RecordingStore.writable(
  in: URL(filePath: CommandLine.arguments[1]), migrations: Migrations.all + added)
