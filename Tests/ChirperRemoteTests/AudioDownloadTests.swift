import ChirperTestSupport
import Foundation
import Synchronization
import Testing

@testable import ChirperModel
@testable import ChirperRemote

/// Odd servers, and company, while audio comes into the data directory.
@Suite struct `Audio downloads` {
  private static let sound = (0..<(AudioDownload.piece * 2 + 1000)).map { UInt8(truncatingIfNeeded: $0 &* 31) }
  private let directory = FileManager.default.temporaryDirectory.appending(path: "chirper-audio-\(UUID().uuidString)")

  /// Serves `sound` by ranges, and says so where a range begins behind its end.
  private static func piece(_ request: ScriptedServer.Request) -> ScriptedAnswer {
    let bounds = request.headers["range"]?.dropFirst(6).split(separator: "-").compactMap { Int($0) } ?? []
    guard bounds.count == 2 else { return .bytes(200, sound) }
    guard bounds[0] < sound.count else { return .empty(416, headers: ["Content-Range": "bytes */\(sound.count)"]) }
    let end = min(bounds[1], sound.count - 1)
    return .bytes(
      206, Array(sound[bounds[0]...end]),
      headers: ["Content-Range": "bytes \(bounds[0])-\(end)/\(sound.count)", "ETag": "\"one\""])
  }

  private func library(_ server: ScriptedServer) -> AudioLibrary {
    AudioLibrary(dataDirectory: directory, configuration: RemoteConfiguration(xenoCantoURL: server.url))
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
  func `a range that no file has is no piece`(_ range: String) async throws {
    defer { try? FileManager.default.removeItem(at: directory) }
    let server = try ScriptedServer { _ in .bytes(206, Array(Self.sound.prefix(100)), headers: ["Content-Range": range]) }
    let malformed = AudioError.fetch(.malformed("a piece of the audio is not the one that was asked for"))
    await #expect(throws: malformed) { try await library(server).file(of: recording(server), in: XenoCanto.catalogue) }
  }
}
