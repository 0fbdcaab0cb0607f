import ChirperModel

/// What can go wrong in the command itself, before or after the library does its part.
enum CommandError: Error, Equatable {
  /// A flag or argument that cannot be, and what to type instead.
  case usage(String, hint: String)
  case unknownSource(String, from: String)
  case unknownColumn(String, nearest: [String], known: [String])
  /// The text as it was typed, and the catalogue if one was named.
  case notFetched(String, source: String?)
  case noHome(variable: String)
  case badSetting(String, from: String, hint: String)
  /// How many files may be open at once.
  case fewFiles(limit: Int, needed: Int)
  case keyFileOpenToOthers(path: String)
  case keyFileUnreadable(path: String, errno: Int32)
  case badKey(from: String)
  case cannotCreate(path: String, errno: Int32)
  case isDirectory(path: String)
  case writeFailed(path: String, errno: Int32)
  /// Whoever read our output has gone: success, in silence.
  case closedPipe
  /// Damage that `doctor` found and has already told.
  case unsound(path: String, problems: Int)
  case interrupted(terminated: Bool)
}
