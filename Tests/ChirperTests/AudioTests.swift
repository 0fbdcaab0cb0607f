import ChirperTestSupport
import Foundation
import Synchronization
import Testing

@testable import Chirper
@testable import ChirperModel
@testable import ChirperRemote
@testable import ChirperStore

/// Audio that is downloaded into the data directory, from a server on loopback.
@Suite struct AudioTests {
  private static let piece = 64 << 10
  private static let sound = (0..<(piece * 2 + 1000)).map { UInt8(truncatingIfNeeded: $0 &* 31) }
  private let directory = FileManager.default.temporaryDirectory.appending(
    path: "chirper-audio-\(UUID().uuidString)")

  /// Serves `sound` by ranges.
  private static func piece(_ request: ScriptedServer.Request, tag: String = "\"one\"")
    -> ScriptedAnswer
  {
    let bounds =
      request.headers["range"]?.dropFirst(6).split(separator: "-").compactMap { Int($0) } ?? []
    guard bounds.count == 2, request.headers["if-range"] ?? tag == tag else {
      return .bytes(200, sound)
    }
    let end = min(bounds[1], sound.count - 1)
    return .bytes(
      206, Array(sound[bounds[0]...end]),
      headers: ["Content-Range": "bytes \(bounds[0])-\(end)/\(sound.count)", "ETag": tag])
  }

  private func library(_ server: ScriptedServer) throws -> AudioLibrary {
    let configuration = RemoteConfiguration(baseURLs: [.xenoCanto: server.url])
    return AudioLibrary(
      store: try RecordingStore.inMemory(), directory: directory, dependencies: .live,
      pieceSize: Self.piece
    ) { AudioFetcher($0, configuration) }
  }

  private func recording(_ file: String?, id: String = "17", meta: String? = nil) -> Recording {
    var members = [
      "\"id\":\(JSONText.quoted(id))", "\"file\":\(file.map(JSONText.quoted) ?? "null")",
    ]
    if let meta { members.append("\"_meta\":\(meta)") }
    return Recording(
      id: RecordingID(catalogue: .xenoCanto, value: id),
      fields: RecordingFields(canonical: "{\(members.joined(separator: ","))}"))
  }

  private func files() -> [String] {
    (FileManager.default.enumerator(atPath: directory.path)?.compactMap { $0 as? String } ?? [])
      .sorted()
  }

  private func failure(_ recording: Recording, _ library: AudioLibrary) async -> AudioError? {
    do throws(AudioError) {
      _ = try await library.file(of: recording)
      return nil
    } catch {
      return error
    }
  }

  @Test func `Audio is downloaded in pieces and kept, and the next time nothing is requested`()
    async throws
  {
    defer { try? FileManager.default.removeItem(at: directory) }
    let server = try ScriptedServer { Self.piece($0) }
    let row = recording("\(server.url)/17/download")
    let source = try await library(server).file(of: row)
    #expect(try Array(Data(contentsOf: source.url)) == Self.sound)
    #expect(files() == ["audio", "audio/.sha256", "audio/xeno-canto", "audio/xeno-canto/17.mp3"])
    #expect(server.requests.count == 3)
    _ = try await library(server).file(of: row)
    #expect(server.requests.count == 3)
  }

  @Test
  func
    `An interrupted download continues where it stopped, and only whole audio has the final file name`()
    async throws
  {
    defer { try? FileManager.default.removeItem(at: directory) }
    let isCut = Mutex(true)
    let server = try ScriptedServer { request in
      let start =
        request.headers["range"]?.dropFirst(6).split(separator: "-").first.flatMap { Int($0) } ?? 0
      guard start > 0, isCut.withLock({ $0 }) else { return Self.piece(request) }
      return ScriptedAnswer([
        .send(
          ScriptedAnswer.head(
            206,
            [
              "Content-Range": "bytes \(start)-\(start + 99)/\(Self.sound.count)",
              "Content-Length": "100", "ETag": "\"one\"",
            ])),
        .send([1, 2, 3]),
      ])
    }
    let row = recording("\(server.url)/17/download")
    #expect(await failure(row, try library(server)) == .fetch(FetchError(.truncated)))
    #expect(files().contains("audio/xeno-canto/17.mp3") == false)
    isCut.withLock { $0 = false }
    let before = server.requests.count
    let source = try await library(server).file(of: row)
    #expect(try Array(Data(contentsOf: source.url)) == Self.sound)
    #expect(server.requests.count == before + 2)
    #expect(server.requests[before].headers["if-range"] == "\"one\"")
  }

  @Test func `A part of another version is discarded`() async throws {
    defer { try? FileManager.default.removeItem(at: directory) }
    let tag = Mutex("\"one\"")
    let isCut = Mutex(true)
    let server = try ScriptedServer { request in
      if request.headers["range"]?.hasPrefix("bytes=0-") == false, isCut.withLock({ $0 }) {
        return .empty(503)
      }
      return Self.piece(request, tag: tag.withLock { $0 })
    }
    let row = recording("\(server.url)/17/download")
    #expect(
      await failure(row, try library(server)) == .fetch(.serverBusy(status: 503, retryAfter: nil)))
    tag.withLock { $0 = "\"two\"" }
    isCut.withLock { $0 = false }
    let source = try await library(server).file(of: row)
    #expect(try Array(Data(contentsOf: source.url)) == Self.sound)
  }

  @Test func `A server without ranges sends the audio in one piece`() async throws {
    defer { try? FileManager.default.removeItem(at: directory) }
    let server = try ScriptedServer { _ in .bytes(200, Self.sound) }
    let source = try await library(server).file(of: recording("\(server.url)/17"))
    #expect(try Array(Data(contentsOf: source.url)) == Self.sound)
  }

  @Test func `Audio is requested only from the catalogue's own hosts, over HTTPS`() async throws {
    let server = try ScriptedServer { _ in .redirect(to: "https://evil.example/17.mp3") }
    let library = try library(server)
    for address in [
      "http://xeno-canto.org/17/download", "https://evil.example/17",
      "https://xeno-canto.org.evil.example/17",
      "https://user@xeno-canto.org/17", "file:///etc/passwd", "//evil.example/17",
      "https://xeno-canto.org:8443/17", "-",
    ] {
      switch await failure(recording(address), library) {
      case .addressRefused, .some(.none): continue
      default: Issue.record("\(address) is asked")
      }
    }
    #expect(server.requests.isEmpty)
    guard case .fetch(let error) = await failure(recording("\(server.url)/17"), library),
      case .redirectRefused = error.reason
    else {
      Issue.record("the redirect is followed")
      return
    }
  }

  @Test(arguments: [
    ("//xeno-canto.org/17/download", "https://xeno-canto.org/17/download"),
    ("https://www.xeno-canto.org/17/download", "https://www.xeno-canto.org/17/download"),
  ])
  func `An address without a scheme means HTTPS`(given: String, asked: String) throws {
    let address = try AudioFetcher(Catalogues.defaultCatalogue, RemoteConfiguration()).address(
      of: recording(given))
    #expect(address.absoluteString == asked)
  }

  @Test func `A restricted recording reports why it has no audio`() async throws {
    let library = try library(try ScriptedServer { _ in .empty(500) })
    let meta = #"{"redacted_fields":{"lat":"x","file":"restricted_species"}}"#
    #expect(
      await failure(recording(nil, meta: meta), library) == .withheld(reason: "restricted_species"))
    #expect(await failure(recording(nil), library) == .withheld(reason: nil))
  }

  @Test(arguments: [
    ("17", "17.mp3"), ("track-5", "track-5.mp3"), ("../../x", "%2E%2E%2F%2E%2E%2Fx.mp3"),
    ("a\u{0}é", "a%00%C3%A9.mp3"),
  ])
  func `A file's name is made of the id and cannot leave the directory`(id: String, name: String)
    throws
  {
    let file = try AudioFile(of: recording(nil, id: id).id, in: directory)
    #expect(file.url(.mp3).path == directory.path + "/xeno-canto/" + name)
    #expect(throws: AudioError.badID) {
      try AudioFile(of: recording(nil, id: String(repeating: "/", count: 100)).id, in: directory)
    }
  }

  @Test func `A row that is not read yet gets no sound, also none that is computed`() async throws {
    defer { try? FileManager.default.removeItem(at: directory) }
    let server = try ScriptedServer { Self.piece($0) }
    for catalogue in [CatalogueID.sample, .xenoCanto] {
      let error = await failure(Recording(missingAt: 0, of: catalogue), try library(server))
      #expect(error?.presentation.code == "busy", "\(catalogue)")
    }
    #expect(files() == [] && server.requests.isEmpty)
  }

  @Test func `each sample has its own WAV file, the same each time and as long as it says`() throws
  {
    let found = try SampleLanguage.matches("parrot", now: .now).prefix(4)
    let ids = found.map(\.recording.id)
    let sounds = ids.map { Chirp.wav(of: $0) }
    #expect(Set(sounds).count == ids.count)
    #expect(sounds == ids.map { Chirp.wav(of: $0) })
    for (recording, wav) in zip(found, sounds) {
      #expect(
        String(decoding: wav[0..<4], as: UTF8.self) == "RIFF"
          && String(decoding: wav[8..<16], as: UTF8.self) == "WAVEfmt ")
      let size = wav[40..<44].reversed().reduce(0) { $0 << 8 | Int($1) }
      #expect(size == wav.count - 44)
      let seconds = Double(size) / 2 / Double(Chirp.sampleRate)
      #expect(
        Catalogues.defaultWithoutKey.details(of: recording.recording).mediaDuration
          == .seconds(seconds))
      let loudest = stride(from: 44, to: wav.count, by: 2).map {
        abs(Int(Int16(bitPattern: UInt16(wav[$0]) | UInt16(wav[$0 + 1]) << 8)))
      }.max()
      #expect((8000...12_000).contains(loudest ?? 0))
    }
  }
}
