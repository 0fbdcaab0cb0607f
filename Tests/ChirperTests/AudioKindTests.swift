import ChirperTestSupport
import Foundation
import Testing

@testable import Chirper
@testable import ChirperModel
@testable import ChirperRemote
@testable import ChirperStore

/// The names of downloaded audio: the extension is the kind of the bytes.
@Suite struct `Kinds of audio` {
  private let directory = FileManager.default.temporaryDirectory
    .appending(path: "chirper-audio-\(UUID().uuidString)")

  /// The first bytes of a file, and the kind that they say.
  private static let starts: [(kind: AudioKind, bytes: [UInt8])] = [
    (.mp3, [0xFF, 0xFB, 0x90, 0x64, 0]),
    (.mp3, Array("ID3".utf8) + [4, 0, 0, 0, 0, 0, 2, 1, 1, 0xFF, 0xFB, 0x90, 0x64]),
    (.wav, Array("RIFF".utf8) + [9, 0, 0, 0] + Array("WAVEfmt ".utf8)),
    (.wav, Array("RF64".utf8) + [9, 0, 0, 0] + Array("WAVEds64".utf8)),
    (.flac, Array("fLaC".utf8) + [0, 0, 0, 34]),
    (.flac, Array("ID3".utf8) + [4, 0, 0, 0, 0, 0, 2, 1, 1] + Array("fLaC".utf8)),
    (.aac, [0xFF, 0xF1, 0x50, 0x80, 0]),
    (.aac, Array("ID3".utf8) + [4, 0, 0, 0, 0, 0, 0, 0xFF, 0xF1, 0x50, 0x80]),
    (.m4a, [0, 0, 0, 0x20] + Array("ftypM4A ".utf8)),
    (.m4v, [0, 0, 0, 0x20] + Array("ftypM4V ".utf8)),
    (.m4a, [0, 0, 0, 0x20] + Array("ftypisom".utf8)),
    (.ogg, Array("OggS".utf8) + [UInt8](repeating: 0, count: 24) + Array("\u{1}vorbis".utf8)),
    (.opus, Array("OggS".utf8) + [UInt8](repeating: 0, count: 24) + Array("OpusHead".utf8)),
    (.aif, Array("FORM".utf8) + [0, 0, 0, 9] + Array("AIFF".utf8)),
    (.caf, Array("caff".utf8) + [0, 1]),
    (.wv, Array("wvpk".utf8) + [0, 1]),
    (.mka, [0x1A, 0x45, 0xDF, 0xA3, 0]),
  ]

  private static func kind(
    _ bytes: [UInt8], _ mediaType: String = "", named: AudioKind? = nil
  ) -> AudioKind {
    AudioKind(mediaType: mediaType, name: named) { Array(bytes.dropFirst($0).prefix($1)) }
  }

  private func library(_ server: ScriptedServer? = nil) throws -> AudioLibrary {
    let urls = server.map { [CatalogueID.xenoCanto: $0.url] } ?? [:]
    let configuration = RemoteConfiguration(baseURLs: urls)
    return AudioLibrary(
      store: try RecordingStore.inMemory(), directory: directory, dependencies: .live
    ) { AudioFetcher($0, configuration) }
  }

  private func recording(
    _ server: ScriptedServer, _ id: String, name: String? = nil
  ) -> Recording {
    let name = name.map { #","file-name":"\#($0)""# } ?? ""
    return Recording(
      id: RecordingID(catalogue: .xenoCanto, value: id),
      fields: RecordingFields(
        canonical: #"{"id":"\#(id)","file":"\#(server.url)/\#(id)"\#(name)}"#))
  }

  private var folder: URL { directory.appending(path: "audio/xeno-canto") }

  private var files: [String] {
    ((try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []).sorted()
  }

  /// Keeps a file under the name of a different kind.
  private func keep(_ bytes: [UInt8], as name: String) throws {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    try Data(bytes).write(to: folder.appending(path: name))
  }

  private static let wave = starts[2].bytes

  @Test func `the bytes decide, whatever type and name say`() {
    for (kind, bytes) in Self.starts {
      #expect(Self.kind(bytes) == kind)
      let other: AudioKind = kind == .wav ? .mp3 : .wav
      #expect(Self.kind(bytes, "audio/\(other == .wav ? "x-wav" : "mpeg")", named: other) == kind)
    }
  }

  @Test func `what the bytes leave open the type decides, then the name`() {
    let movie = [0, 0, 0, 0x20] + Array("ftypmp42".utf8)
    #expect(Self.kind(movie, "video/mp4", named: .m4v) == .mp4)
    #expect(Self.kind(movie, "audio/mpeg", named: .m4v) == .m4v)
    #expect(Self.kind([1, 2, 3], "audio/x-wav", named: .flac) == .wav)
    #expect(Self.kind([1, 2, 3], "application/octet-stream", named: .flac) == .flac)
    #expect(Self.kind([1, 2, 3]) == .mp3)
    #expect(Self.kind([]) == .mp3)
    // Neither a film nor an image is a sound of that container.
    #expect(Self.kind(Array("RIFF....AVI LIST".utf8), named: .wav) == .wav)
  }

  @Test func `every kind is served with a media type of audio or video`() {
    for kind in AudioKind.allCases {
      #expect(kind.mediaType.hasPrefix("audio/") || kind.mediaType == "video/mp4", "\(kind)")
    }
  }

  @Test func `ID3 tags without an end are read a bounded number of times`() {
    var reads = 0
    let kind = AudioKind(mediaType: "", name: nil) { _, _ in
      reads += 1
      return Array("ID3".utf8) + [4, 0, 0, 0, 0, 0, 0]
    }
    #expect(kind == .mp3 && reads == 9)
  }

  @Test func `a download gets the name of its kind`() async throws {
    defer { try? FileManager.default.removeItem(at: directory) }
    let server = try ScriptedServer { request in
      let position = Int(request.path.dropFirst()) ?? 0
      return .bytes(200, Self.starts[position].bytes, headers: ["Content-Type": "audio/mpeg"])
    }
    let library = try library(server)
    for (position, start) in Self.starts.enumerated() {
      let row = recording(server, "\(position)", name: "song.wav")
      let file = try await library.file(of: row)
      #expect(file.url.lastPathComponent == "\(position).\(start.kind.rawValue)")
      #expect(try await library.downloadedFile(of: row.id) == file.url)
      #expect(AudioLibrary.mediaType(of: file.url) == start.kind.mediaType)
    }
    #expect(files.count == Self.starts.count)
    #expect(library.downloadedFiles().count == Self.starts.count)
    #expect(await library.usage().files == Self.starts.count)
  }

  /// What looks at downloaded audio.
  enum Use: CaseIterable { case file, downloaded, many, found, backup }

  @Test(arguments: Use.allCases)
  func `a file that is kept under a wrong name gets the right one at the next use`(
    _ use: Use
  ) async throws {
    defer { try? FileManager.default.removeItem(at: directory) }
    try keep(Self.wave, as: "17.mp3")
    let server = try ScriptedServer { _ in .empty(500) }
    let library = try library(server)
    let row = recording(server, "17")
    let right = folder.appending(path: "17.wav").path
    switch use {
    case .file: #expect(try await library.file(of: row).url.path == right)
    case .downloaded: #expect(try await library.downloadedFile(of: row.id)?.path == right)
    case .many: #expect(library.downloadedFiles(of: [.xenoCanto])[row.id]?.path == right)
    case .found:
      let downloaded = library.downloadedFiles(of: [.xenoCanto])
      #expect(downloaded.contains(row.id))
      let path = try #require(downloaded.path(of: row.id))
      #expect(FileManager.default.fileExists(atPath: path))
    case .backup: #expect(library.downloadedFiles().map(\.name) == ["xeno-canto/17.wav"])
    }
    #expect(files == ["17.wav"])
    #expect(try Array(Data(contentsOf: folder.appending(path: "17.wav"))) == Self.wave)
    #expect(server.requests.isEmpty)
  }

  @Test func `a file that was renamed since the folders were read is found`() throws {
    defer { try? FileManager.default.removeItem(at: directory) }
    try keep(Self.wave, as: "17.mp3")
    let library = try library()
    let id = RecordingID(catalogue: .xenoCanto, value: "17")
    let downloaded = library.downloadedFiles(of: [.xenoCanto])
    _ = try library.downloadedFile(of: id)
    #expect(files == ["17.wav"])
    #expect(downloaded[id]?.lastPathComponent == "17.wav")
    #expect(try library.remove(id))
    #expect(downloaded[id] == nil)
  }

  @Test func `a complete file that has the right name is never replaced`() throws {
    defer { try? FileManager.default.removeItem(at: directory) }
    try keep(Self.wave, as: "17.mp3")
    try keep(Self.wave + [1], as: "17.wav")
    let id = RecordingID(catalogue: .xenoCanto, value: "17")
    #expect(try library().downloadedFile(of: id)?.lastPathComponent == "17.wav")
    #expect(try Array(Data(contentsOf: folder.appending(path: "17.wav"))) == Self.wave + [1])
    #expect(files == ["17.mp3", "17.wav"])
  }

  @Test func `a link in the place of a file is neither read nor renamed`() throws {
    defer { try? FileManager.default.removeItem(at: directory) }
    try keep(Self.wave, as: "other.bin")
    let link = folder.appending(path: "17.mp3")
    try FileManager.default.createSymbolicLink(
      at: link, withDestinationURL: folder.appending(path: "other.bin"))
    _ = try library().downloadedFile(of: RecordingID(catalogue: .xenoCanto, value: "17"))
    #expect(files == ["17.mp3", "other.bin"])
  }

  @Test func `an incomplete file is continued, whatever kind it turns out to be`() async throws {
    defer { try? FileManager.default.removeItem(at: directory) }
    let sound = Self.wave + [UInt8](repeating: 7, count: 1000)
    try keep(Array(sound.prefix(100)), as: "17.mp3.part")
    let version = AudioVersion(entityTag: "\"one\"", total: sound.count)
    try JSONEncoder().encode(version).write(to: folder.appending(path: "17.mp3.version"))
    let server = try ScriptedServer { _ in
      .bytes(
        206, Array(sound[100...]),
        headers: [
          "Content-Range": "bytes 100-\(sound.count - 1)/\(sound.count)", "ETag": "\"one\"",
        ])
    }
    let file = try await library(server).file(of: recording(server, "17"))
    #expect(try Array(Data(contentsOf: file.url)) == sound)
    #expect(files == ["17.wav"])
    #expect(server.requests.map { $0.headers["if-range"] } == ["\"one\""])
  }
}
