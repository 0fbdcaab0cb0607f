import Chirper
import Foundation

extension UserFacingError {
  /// The reason why a file was not written. If the reader of an output has ended, that is success.
  package init(_ error: FileError) {
    switch error {
    case .writing(_, EPIPE):
      self.init(.done, kind: "closed-pipe", problem: "The reader of the output has ended")
    case .writing(let path, let number):
      let file = UnwrittenFile(number)
      self.init(
        .inputOutput, kind: "write-failed", subject: path, problem: file.sentence.continued,
        hint: "\(file.remedy.map { "\($0) and type" } ?? "Type") the same command again.")
    case .creating(let path, let number):
      self = .cannotCreate(
        path, UnwrittenFile(number).sentence.continued,
        hint: "Name a file in a directory that exists and that you may write to.")
    case .folder(let path):
      self = .cannotCreate(path, "this is a directory", hint: "Name a file in it.")
    case .device(let path):
      self = .cannotCreate(path, "this is a pipe or a device", hint: "Name another folder.")
    case .openDatabase(let path, let companion):
      self = .cannotCreate(
        path, "\(companion) is next to the file: a program has it open, or crashed",
        hint: "Close that program, or choose another name.")
    }
  }

  package static func cannotRead(path: String, errno number: Int32) -> UserFacingError {
    UserFacingError(
      .inputOutput, kind: "cannot-read", subject: path,
      problem: "the file cannot be read: \(String(cString: strerror(number)))",
      hint: "Name a file that exists and that you may read.")
  }

  /// The input is a directory, a pipe or a device.
  package static func notAFile(path: String) -> UserFacingError {
    UserFacingError(
      .inputOutput, kind: "cannot-read", subject: path, problem: "this is not a regular file",
      hint: "Name a file.")
  }

  /// A file that is not as chirper wrote it has the name of one that is to be written.
  ///
  /// - Parameter isChanged: whether chirper wrote it, and it has changed since.
  package static func inTheWay(_ path: String, isChanged: Bool = false) -> UserFacingError {
    cannotCreate(
      path,
      isChanged
        ? "this file has changed since it was written here"
        : "this file is there already, and is not chirper's",
      hint: "Rename it, or name a new folder.")
  }

  package static func cannotCreate(
    _ path: String, _ problem: String, hint: String
  ) -> UserFacingError {
    UserFacingError(
      .cannotCreate, kind: "cannot-create", subject: path, problem: problem, hint: hint)
  }
}
