import Chirper
import ChirperFormats
import Foundation

/// The errors of the command itself that are thrown by more than one command.
extension UserFacingError {
  /// Refuses a number that an option cannot have; `nil` if it was not given.
  static func check(
    _ option: String, _ number: Int?, in range: ClosedRange<Int>, example: Int
  ) throws(UserFacingError) {
    guard let number, !range.contains(number) else { return }
    throw .usage(
      "\(option) must be from \(range.lowerBound) to \(range.upperBound)",
      example: "\(option) \(example)")
  }

  /// Two or more options or arguments, of which only one can be typed.
  static func together(_ names: [String]) -> UserFacingError {
    .usage("\(WordList.and(names)) cannot be used together", hint: "Type one of them.")
  }

  static func badSetting(_ what: String, from: String, hint: String) -> UserFacingError {
    UserFacingError(.configuration, kind: "bad-setting", problem: "\(what) (\(from))", hint: hint)
  }

  static func noHome(variable: String) -> UserFacingError {
    UserFacingError(
      .configuration, kind: "no-home",
      problem: "chirper has no place for its files, because HOME is not set",
      hint: "Set HOME, or \(variable) to a directory of your choice.")
  }

  /// The output file is the database, the key or a different file of chirper's own.
  static func ownFile(path: String) -> UserFacingError {
    UserFacingError(
      .cannotCreate, kind: "own-file", subject: path,
      problem: "this is one of chirper's own files; it was not changed",
      hint: "Name another file.")
  }
}
