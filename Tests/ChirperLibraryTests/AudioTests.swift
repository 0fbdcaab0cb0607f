import Chirper
import Foundation
import Synchronization
import Testing

/// Audio from an app, with public API alone.
@Suite struct AudioTests {
  private static let sound = "RIFF\u{24}\0\0\0WAVEfmt " + String(repeating: "tweet ", count: 1000)

  /// A repository with the one recording of a notebook, whose audio the server has.
  private static func recording(on server: LoopbackServer) async throws -> (
    RecordingRepository, Recording
  ) {
    let notebook = NotebookCatalogue(id: "notebook", places: ["Poland"], files: server.url)
    let repository = try RecordingRepository.inMemory(
      configuration: RemoteConfiguration(baseURLs: [notebook.catalogue.id: server.url]),
      catalogues: [notebook])
    let query = try notebook.catalogue.query("all")
    _ = await repository.fetch(query, FetchPlan(.all))
    return (repository, try #require(try repository.rows(of: query, in: 0..<1).first))
  }

  @Test func `progress has the total before the first byte, and the bytes as they arrive`()
    async throws
  {
    let (half, isHeld) = (
      Self.sound.utf8.count - Self.sound.utf8.count / 2, DispatchSemaphore(value: 0)
    )
    // The rest is sent when the progress has the first half.
    let server = try LoopbackServer({ _ in Self.sound }, beforeRest: { isHeld.wait() })
    let (repository, recording) = try await Self.recording(on: server)
    defer {
      try? FileManager.default.removeItem(
        at: repository.audio.directory.deletingLastPathComponent())
    }
    let reported = Mutex<[(Int, Int?)]>([])
    let file = try await repository.audio.file(of: recording) { received, total in
      reported.withLock { $0.append((received, total)) }
      if received == half { isHeld.signal() }
    }
    #expect(try String(contentsOf: file.url, encoding: .utf8) == Self.sound)
    let all = reported.withLock(\.self)
    let total = Self.sound.utf8.count
    #expect(all.first { $0.1 != nil }?.0 == 0 && all.contains { $0 == (half, total) })
    #expect(all.last.map { $0 == (total, total) } == true)
    #expect(zip(all, all.dropFirst()).allSatisfy { $0.0 <= $1.0 })
  }

  @Test func `a download ends when its task is cancelled, keeps nothing, and can be made again`()
    async throws
  {
    let isHeld = DispatchSemaphore(value: 0)
    let server = try LoopbackServer({ _ in Self.sound }, beforeRest: { isHeld.wait() })
    let (repository, recording) = try await Self.recording(on: server)
    defer {
      try? FileManager.default.removeItem(
        at: repository.audio.directory.deletingLastPathComponent())
    }
    let (started, isStarted) = AsyncStream.makeStream(of: Void.self)
    let download = Task {
      try await repository.audio.file(of: recording) { received, _ in
        if received > 0 { isStarted.yield() }
      }
    }
    for await _ in started { break }
    download.cancel()
    await #expect(throws: AudioError.fetch(.cancelled)) { try await download.value }
    #expect(try await repository.audio.downloadedFile(of: recording.id) == nil)
    #expect(await repository.audio.usage().files == 0)
    // For this answer, and for the next.
    isHeld.signal()
    isHeld.signal()
    let file = try await repository.audio.file(of: recording)
    #expect(try String(contentsOf: file.url, encoding: .utf8) == Self.sound)
  }

  @Test func `the audio of one recording is deleted, and no other`() async throws {
    let stream = IDCursorCatalogue(upstream: Upstream(count: 3))
    let repository = try RecordingRepository.inMemory(catalogues: [stream])
    defer {
      try? FileManager.default.removeItem(
        at: repository.audio.directory.deletingLastPathComponent())
    }
    let query = try stream.catalogue.query("all")
    _ = await repository.fetch(query, FetchPlan(.all))
    let rows = try repository.rows(of: query, in: 0..<2)
    for row in rows { _ = try await repository.audio.file(of: row, storesGenerated: true) }
    #expect(await repository.audio.usage().files == 2)
    #expect(try await repository.audio.remove(rows[0].id))
    #expect(try await repository.audio.downloadedFile(of: rows[0].id) == nil)
    #expect(try await repository.audio.downloadedFile(of: rows[1].id) != nil)
    #expect(try await !repository.audio.remove(rows[0].id))
    #expect(await repository.audio.usage().files == 1)
    // It can be kept again.
    _ = try await repository.audio.file(of: rows[0], storesGenerated: true)
    #expect(await repository.audio.usage().files == 2)
    await #expect(throws: AudioError.badID) {
      try await repository.audio.remove(RecordingID(catalogue: stream.catalogue.id, value: ""))
    }
  }
}
