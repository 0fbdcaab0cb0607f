import ChirperTestSupport
import Foundation
import Synchronization
import Testing

@testable import Chirper
@testable import ChirperModel
@testable import ChirperRemote
@testable import ChirperStore

/// Audio from odd servers, and in several downloads at once.
@Suite struct `Audio downloads` {
  private static let piece = 64 << 10
  private static let sound = (0..<(piece * 2 + 1000)).map { UInt8(truncatingIfNeeded: $0 &* 31) }
  private let directory = FileManager.default.temporaryDirectory.appending(path: "chirper-audio-\(UUID().uuidString)")

  /// Serves `sound` by ranges; a range that starts after the end gets a 416.
  private static func piece(_ request: ScriptedServer.Request) -> ScriptedAnswer {
    let bounds = request.headers["range"]?.dropFirst(6).split(separator: "-").compactMap { Int($0) } ?? []
    guard bounds.count == 2 else { return .bytes(200, sound) }
    guard bounds[0] < sound.count else { return .empty(416, headers: ["Content-Range": "bytes */\(sound.count)"]) }
    let end = min(bounds[1], sound.count - 1)
    return .bytes(
      206, Array(sound[bounds[0]...end]),
      headers: ["Content-Range": "bytes \(bounds[0])-\(end)/\(sound.count)", "ETag": "\"one\""])
  }

  private func library(_ server: ScriptedServer) throws -> AudioLibrary {
    let configuration = RemoteConfiguration(baseURLs: [.xenoCanto: server.url])
    return AudioLibrary(
      store: try RecordingStore.inMemory(), directory: directory, dependencies: .live, pieceSize: Self.piece
    ) { AudioFetcher($0, configuration) }
  }

  private func recording(_ server: ScriptedServer) -> Recording {
    Recording(
      id: RecordingID(catalogue: .xenoCanto, value: "17"),
      fields: RecordingFields(canonical: #"{"id":"17","file":"\#(server.url)/17/download"}"#))
  }

  private func file(_ end: String = "") -> URL { directory.appending(path: "audio/xeno-canto/17.mp3" + end) }

  @Test(arguments: [
    "bytes 0-9223372036854775807/100", "bytes 0-9223372036854775807/9223372036854775807", "bytes 9-0/100", "bytes 0-99/99",
  ])
  func `an impossible byte range is refused`(_ range: String) async throws {
    defer { try? FileManager.default.removeItem(at: directory) }
    let server = try ScriptedServer { _ in .bytes(206, Array(Self.sound.prefix(100)), headers: ["Content-Range": range]) }
    let malformed = AudioError.fetch(.malformed("a piece of the audio is not the one that was requested"))
    await #expect(throws: malformed) { try await library(server).file(of: recording(server)) }
  }

  @Test func `two downloads of one recording at once make one whole file, and each piece is asked for once`() async throws {
    defer { try? FileManager.default.removeItem(at: directory) }
    let server = try ScriptedServer { request in
      ScriptedAnswer([.pause(.milliseconds(Int.random(in: 1...60)))] + Self.piece(request).steps)
    }
    let row = recording(server)
    let (one, two) = (try library(server), try library(server))
    async let first = one.file(of: row)
    async let second = two.file(of: row)
    for source in try await [first, second] { #expect(try Array(Data(contentsOf: source.url)) == Self.sound) }
    #expect(server.requests.count == 3)
    #expect(try FileManager.default.contentsOfDirectory(atPath: file().deletingLastPathComponent().path) == ["17.mp3"])
  }

  @Test func `a download that waits for another is cancelled at once`() async throws {
    defer { try? FileManager.default.removeItem(at: directory) }
    let server = try ScriptedServer { _ in .silent }
    let (row, library) = (recording(server), try library(server))
    let first = Task { try await library.file(of: row) }
    try await eventually { server.requests.count == 1 }
    let second = Task { try await library.file(of: row) }
    try await Task.sleep(for: .milliseconds(50))
    second.cancel()
    await #expect(throws: AudioError.fetch(.cancelled)) { try await second.value }
    #expect(server.requests.count == 1)
    first.cancel()
    _ = await first.result
  }

  @Test func `a complete part left by a killed process is downloaded again in the same run`() async throws {
    defer { try? FileManager.default.removeItem(at: directory) }
    let server = try ScriptedServer { Self.piece($0) }
    try FileManager.default.createDirectory(at: file().deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(Self.sound).write(to: file(".part"))
    try Data("\"one\"".utf8).write(to: file(".version"))
    let source = try await library(server).file(of: recording(server))
    #expect(try Array(Data(contentsOf: source.url)) == Self.sound)
  }

  @Test func `a part that is removed during the last piece never becomes a file with a hole`() async throws {
    defer { try? FileManager.default.removeItem(at: directory) }
    let part = file(".part")
    let server = try ScriptedServer { request in
      if request.headers["range"]?.hasPrefix("bytes=0-") == false { try? FileManager.default.removeItem(at: part) }
      return Self.piece(request)
    }
    await #expect(throws: AudioError.file(path: part.path, errno: ENOENT)) {
      try await library(server).file(of: recording(server))
    }
    #expect(!FileManager.default.fileExists(atPath: file().path))
  }
}
