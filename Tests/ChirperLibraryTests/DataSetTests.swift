import Chirper
import ChirperFormats
import Foundation
import Testing

/// Data sets from an app, with public API alone.
struct DataSetTests {
  private let folder = FileManager.default.temporaryDirectory.appending(
    path: "chirper-\(UUID().uuidString)")
  private let repository: RecordingRepository
  private let lock: URL

  init() throws {
    repository = try .inMemory()
    lock = folder.appending(path: "owls.lock.jsonl")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  }

  /// A definition of four owls, of which 165 are stored.
  private func definition() async throws -> URL {
    try await repository.fetch("owl", in: .sample, pages: .all)
    let file = folder.appending(path: "owls.dataset.json")
    let limits = #""limits":{"recordings":4,"first":["mediaDuration"]}"#
    try Data(#"{"selections":[{"lists":["owl"]}],\#(limits)}"#.utf8).write(to: file)
    return file
  }

  @Test func `an app locks, builds and verifies a data set`() async throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let locked = try await DataSet.lock(definition(), to: lock, from: repository)
    #expect(locked.recordings == 4 && locked.beyondLimits == 161 && locked.audio?.new == 4)
    let set = folder.appending(path: "set")
    let built = try await DataSet.build(lock, to: set, from: repository)
    #expect(built.files == 4 && built.copied == 4 && built.missing == 0)
    #expect(try await DataSet.build(lock, to: set, from: repository).copied == 0)
    #expect(try await DataSet.verify(lock, in: set, from: repository, asking: true).areSame)
    let elsewhere = try await DataSet.verify(lock, in: folder, from: repository) {
      #expect($0.reasons == [.missing], "\($0.text)")
    }
    #expect(elsewhere[.missing] == 4 && elsewhere.total == 4)
  }

  @Test func `a lock is not replaced, and what ends early leaves none`() async throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let definition = try await definition()
    let task = Task {
      try await DataSet.lock(definition, to: lock, from: repository) { _, _ in
        withUnsafeCurrentTask { $0?.cancel() }
      }
    }
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(!FileManager.default.fileExists(atPath: lock.path))
    try await DataSet.lock(definition, to: lock, from: repository, hashesAudio: false)
    await #expect(throws: ExportError.self) {
      try await DataSet.lock(definition, to: lock, from: repository)
    }
    await #expect(throws: ExportError.self) {
      try await DataSet.build(lock, to: folder.appending(path: "set"), from: repository)
    }
  }
}
