import Chirper
import ChirperModel
import Foundation

/// A data set: recordings that a definition chooses, a lock that says which they were, and a folder
/// that is built from the lock.
///
///     try await DataSet.lock(definition, to: lock, from: repository)
///     try await DataSet.build(lock, to: folder, from: repository)
///     let summary = try await DataSet.verify(lock, in: folder, from: repository)
///
/// The document on data sets describes the files. All functions throw `ExportError`,
/// `SelectionError`, `StoreError`, `AudioError`, `SearchExpressionError`, and `CancellationError`
/// soon after the task is cancelled.
public enum DataSet {
  /// The ends of the names of definitions and locks.
  package static let (definitionEnd, lockEnd) = (".dataset.json", ".lock.jsonl")

  package static func lockPath(of definition: String) -> String {
    let isNamed = definition.hasSuffix(definitionEnd)
    return (isNamed ? String(definition.dropLast(definitionEnd.count)) : definition) + lockEnd
  }

  /// A function that gets the number of each recording, and that of all.
  public typealias Progress = @Sendable (_ number: Int, _ count: Int) -> Void

  /// Writes down which recordings a data set has now. Audio that is not kept is fetched.
  ///
  /// - Parameters:
  ///   - definition: a file `NAME.dataset.json`.
  ///   - lock: the file to write, which must not be there.
  ///   - hashesAudio: whether each line has the hash of its audio; otherwise the lock cannot be built.
  @discardableResult
  public static func lock(
    _ definition: URL, to lock: URL, from repository: RecordingRepository, hashesAudio: Bool = true,
    progress: @escaping Progress = { _, _ in }
  ) async throws -> LockReport {
    try await ExportError.converting([definition, lock]) {
      let path = definition.path
      let definition = try DataSetDefinition(path)
      try checkIsNew(lock.path)
      do {
        let prepared = try await DataSetLock(
          definition,
          choosingFrom: definition.questions().map {
            try repository.rows(of: $0, choosingLists: false)
          },
          parts: definition.givenParts(besides: path), hasAudio: hashesAudio, in: repository,
          progress: progress)
        let file = try AtomicFile(path: lock.path, links: .refuse)
        try AtomicFile.committing([file]) { try prepared.write(to: file.sink) }
        return prepared.report
      } catch let missing as DataSetLock.MissingAudio {
        throw missing.error
      }
    }
  }

  /// Makes the folder of a data set from its lock. Audio that is not kept is fetched. After an
  /// interruption the same call continues.
  ///
  /// - Parameters:
  ///   - folder: a new folder, or one that was built from the same lock.
  ///   - usesPlainNames: whether names of folders have only ASCII letters, digits and `_`.
  @discardableResult
  public static func build(
    _ lock: URL, to folder: URL, from repository: RecordingRepository, usesPlainNames: Bool = false,
    progress: @escaping Progress = { _, _ in }
  ) async throws -> BuildReport {
    try await ExportError.converting([lock, folder]) {
      try await DataSetBuild(
        lock.path, to: folder.path, from: repository, usesPlainNames: usesPlainNames
      ).run(progress)
    }
  }

  /// Says for each recording of a lock what became of it.
  ///
  /// - Parameters:
  ///   - folder: a folder that was built from the lock; `nil` if kept audio is compared.
  ///   - asking: whether the catalogues are asked first; otherwise what is stored is compared.
  ///   - difference: called with each recording that is not the same, in the order of the lock.
  @discardableResult
  public static func verify(
    _ lock: URL, in folder: URL? = nil, from repository: RecordingRepository, asking: Bool = false,
    difference: @escaping @Sendable (LockCheck) -> Void = { _ in },
    progress: @escaping Progress = { _, _ in }
  ) async throws -> LockSummary {
    try await ExportError.converting([lock] + [folder].compactMap(\.self)) {
      let header = try LockReader(lock.path).header
      let asked = try await asking ? AskedLists(of: header, in: repository) : nil
      return try await LockVerification(
        of: lock.path, folder: folder?.path, in: repository, asked: asked
      ).run(progress, difference: difference)
    }
  }

  /// Throws if a file must not be written, or replaced, under a name.
  package typealias OutputCheck =
    @Sendable (_ path: String, _ links: AtomicFile.LinkPolicy) throws -> Void

  /// Refuses a file that is there already.
  package static func checkIsNew(
    _ lock: String,
    hint: String = "A lock is never replaced. Type -o and a different name, or remove it first."
  ) throws(UserFacingError) {
    guard FileKind(lock, followsLinks: false) != nil else { return }
    throw .cannotCreate(lock, "this file exists already", hint: hint)
  }
}
