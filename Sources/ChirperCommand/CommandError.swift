import Chirper
import ChirperFormats
import ChirperModel
import Foundation

/// What can go wrong in the command itself, before or after the library does its part.
enum CommandError: Error, Equatable {
  /// A flag or argument that cannot be used, and what to type instead.
  case usage(String, hint: String)
  case unknownSource(String, from: String)
  /// The text as it was typed, the catalogue if one was named, and stored queries that are spelled much like it.
  case notFetched(String, source: String?, nearest: [String] = [])
  /// The database that a command reads does not exist.
  case noDatabase(path: String)
  case noHome(variable: String)
  /// The directory in which the user wants the store.
  case noFolder(path: String)
  case badSetting(String, from: String, hint: String)
  /// How many files may be open at once.
  case fewFiles(limit: Int, needed: Int)
  case littleMemory(megabytes: Int, needed: Int)
  /// And the permissions that it may have.
  case keyFileOpenToOthers(path: String, mode: String)
  case keyFileUnreadable(path: String, errno: Int32)
  case badKey(from: String)
  case cannotCreate(path: String, errno: Int32)
  case cannotRead(path: String, errno: Int32)
  /// What is to be read is a directory, a pipe or a device.
  case notAFile(path: String)
  case isDirectory(path: String)
  /// The output file is the database, the key or another file of chirper's own.
  case ownFile(path: String)
  /// The output file is a symbolic link to a file that does not exist.
  case danglingLink(path: String)
  case writeFailed(path: String, errno: Int32)
  /// The reader of our output has ended: success, without a message.
  case closedPipe
  /// Damage that `doctor` found and has already reported.
  case unsound(path: String, problems: Int)
  case interrupted(terminated: Bool)
}

extension CommandError {
  /// Refuses a number that an option cannot have; `nil` if it was not given.
  static func check(
    _ option: String, _ number: Int?, in range: ClosedRange<Int>, example: Int
  ) throws(CommandError) {
    guard let number, !range.contains(number) else { return }
    throw .usage(
      "\(option) must be from \(range.lowerBound) to \(range.upperBound)", hint: "Type it as in: \(option) \(example)")
  }
}

extension UserFacingError {
  /// The text of any error of ours; `nil` for every other.
  init?(any error: any Error) {
    if let error = error as? CommandError { self.init(error) } else { self.init(library: error) }
  }

  /// An error that is not one of ours, in its own words.
  static func other(_ error: any Error) -> UserFacingError { UserFacingError(.failed, "other", "\(error)") }

  init(_ error: CommandError) {
    switch error {
    case .usage(let message, let hint):
      self.init(.usage, "usage", message, hint: hint)
    case .unknownSource(let name, let from):
      let known = Catalogues.all.map(\.id.rawValue).joined(separator: ", ")
      self.init(
        from == "--source" ? .usage : .configuration, "unknown-source", "Unknown catalogue \"\(name)\" (\(from))",
        hint: "Type one of: \(known).")
    case .notFetched(let typed, let source, let nearest):
      let place = source.map { " from \($0)" } ?? ""
      let meant = nearest.map { "\"\($0)\"" }
      let hint = meant.isEmpty ? "Type" : "Did you mean \(Self.orList(meant))? If not, type"
      self.init(
        .notFetched, "never-fetched", "\"\(typed)\" was never fetched\(place)",
        hint: "\(hint): \(CommandText.fetch(typed, source: source))")
    case .noDatabase(let path):
      self.init(
        .notFetched, "no-database", path, "there is no database, because nothing was fetched yet",
        hint: "Type: \(CommandText.fetch("parrot")), or set CHIRPER_DATA_DIR to the directory of your store.")
    case .noHome(let variable):
      self.init(
        .configuration, "no-home", "chirper has no place for its files, because HOME is not set",
        hint: "Set HOME, or \(variable) to a directory of your choice.")
    case .noFolder(let path):
      self.init(
        .inputOutput, "no-folder", path, "this directory does not exist, so the data directory in it cannot be used",
        hint: "Mount or create it, or set CHIRPER_DATA_DIR to another directory.")
    case .badSetting(let what, let from, let hint):
      self.init(.configuration, "bad-setting", "\(what) (\(from))", hint: hint)
    case .fewFiles(let limit, let needed):
      self.init(
        .configuration, "few-files", "Only \(limit) files may be open at once here; chirper needs \(needed)",
        hint: "Type: ulimit -n 256")
    case .littleMemory(let megabytes, let needed):
      self.init(
        .configuration, "little-memory", "Only \(megabytes) MB of memory may be used here; chirper needs \(needed)",
        hint: "Type: ulimit -v unlimited -d unlimited")
    case .keyFileOpenToOthers(let path, let mode):
      self.init(
        .configuration, "key-file-open", path, "other users can read this key file, so it is not used",
        hint: "Type: chmod \(mode) \(CommandText.quoted(path))")
    case .keyFileUnreadable(let path, let number):
      self.init(
        .configuration, "key-file-unreadable", path, "the key file cannot be read: \(Self.reason(number))",
        hint: "Make it readable to you, or type: chirper auth set")
    case .badKey(let from):
      let help = Catalogues.standard.key.map { "Copy it from \($0.helpURL) and type" } ?? "Type"
      self.init(
        .configuration, "bad-key", "The key in \(from) cannot be a key: a key is one word of letters and digits",
        hint: "\(help): chirper auth set")
    case .cannotCreate(let path, let number):
      self.init(
        .cannotCreate, "cannot-create", path, "the file cannot be created: \(Self.reason(number))",
        hint: "Name a file in a directory that exists and that you may write to.")
    case .cannotRead(let path, let number):
      self.init(
        .inputOutput, "cannot-read", path, "the file cannot be read: \(Self.reason(number))",
        hint: "Name a file that exists and that you may read.")
    case .notAFile(let path):
      self.init(.inputOutput, "cannot-read", path, "this is not a regular file", hint: "Name a file that was exported.")
    case .isDirectory(let path):
      self.init(.cannotCreate, "cannot-create", path, "this is a directory", hint: "Name a file in it.")
    case .ownFile(let path):
      self.init(
        .cannotCreate, "own-file", path, "this is one of chirper's own files; it was not changed",
        hint: "Name another file.")
    case .danglingLink(let path):
      self.init(
        .cannotCreate, "cannot-create", path, "this is a link to a file that does not exist", hint: "Name another file.")
    case .writeFailed(let path, let number):
      self.init(
        .inputOutput, "write-failed", path, "writing failed: \(Self.reason(number))",
        hint: Self.whatToDo(aboutWriteError: number))
    case .closedPipe:
      self.init(.done, "closed-pipe", "The reader of the output has ended")
    case .unsound(let path, let problems):
      self.init(
        .damaged, "damaged", path, "the database is damaged: \(Plural.words(problems, "problem"))",
        hint: "Type: chirper doctor --repair")
    case .interrupted(let terminated):
      self = .interrupted(terminated: terminated)
    }
  }

  private static func reason(_ number: Int32) -> String { String(cString: strerror(number)) }

  private static func whatToDo(aboutWriteError number: Int32) -> String {
    switch number {
    case ENOSPC, EDQUOT: "Free some space and type the same command again."
    case EFBIG: "Raise the limit on the size of files (ulimit -f) and type the same command again."
    default: "Type the same command again."
    }
  }
}
