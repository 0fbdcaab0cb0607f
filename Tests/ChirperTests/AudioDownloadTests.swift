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
  private let directory = FileManager.default.temporaryDirectory.appending(
    path: "chirper-audio-\(UUID().uuidString)")

  /// Serves `sound` by ranges; a range that starts after the end gets a 416.
  private static func piece(_ request: ScriptedServer.Request) -> ScriptedAnswer {
    let bounds =
      request.headers["range"]?.dropFirst(6).split(separator: "-").compactMap { Int($0) } ?? []
    guard bounds.count == 2 else { return .bytes(200, sound) }
    guard bounds[0] < sound.count else {
      return .empty(416, headers: ["Content-Range": "bytes */\(sound.count)"])
    }
    let end = min(bounds[1], sound.count - 1)
    return .bytes(
      206, Array(sound[bounds[0]...end]),
      headers: ["Content-Range": "bytes \(bounds[0])-\(end)/\(sound.count)", "ETag": "\"one\""])
  }

  private func library(
    _ server: ScriptedServer, _ dependencies: RecordingRepository.Dependencies = .live
  ) throws
    -> AudioLibrary
  {
    let configuration = RemoteConfiguration(baseURLs: [.xenoCanto: server.url])
    return AudioLibrary(
      store: try RecordingStore.inMemory(), directory: directory, dependencies: dependencies,
      pieceSize: Self.piece
    ) { AudioFetcher($0, configuration) }
  }

  private func recording(_ server: ScriptedServer) -> Recording {
    Recording(
      id: RecordingID(catalogue: .xenoCanto, value: "17"),
      fields: RecordingFields(canonical: #"{"id":"17","file":"\#(server.url)/17/download"}"#))
  }

  private var folder: String { file().deletingLastPathComponent().path }

  private func file(_ end: String = "") -> URL {
    directory.appending(path: "audio/xeno-canto/17.mp3" + end)
  }

  @Test(arguments: [
    "bytes 0-9223372036854775807/100", "bytes 0-9223372036854775807/9223372036854775807",
    "bytes 9-0/100", "bytes 0-99/99",
  ])
  func `an impossible byte range is refused`(_ range: String) async throws {
    defer { try? FileManager.default.removeItem(at: directory) }
    let server = try ScriptedServer { _ in
      .bytes(206, Array(Self.sound.prefix(100)), headers: ["Content-Range": range])
    }
    let malformed = AudioError.fetch(
      .malformed("a piece of the audio is not the one that was requested"))
    await #expect(throws: malformed) { try await library(server).file(of: recording(server)) }
  }

  @Test
  func
    `two downloads of one recording at once make one whole file, and each piece is asked for once`()
    async throws
  {
    defer { try? FileManager.default.removeItem(at: directory) }
    let server = try ScriptedServer { request in
      ScriptedAnswer([.pause(.milliseconds(Int.random(in: 1...60)))] + Self.piece(request).steps)
    }
    let row = recording(server)
    let (one, two) = (try library(server), try library(server))
    async let first = one.file(of: row)
    async let second = two.file(of: row)
    for source in try await [first, second] {
      #expect(try Array(Data(contentsOf: source.url)) == Self.sound)
    }
    #expect(server.requests.count == 3)
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: file().deletingLastPathComponent().path)
        == ["17.mp3"])
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

  @Test func `a complete part left by a killed process is downloaded again in the same run`()
    async throws
  {
    defer { try? FileManager.default.removeItem(at: directory) }
    let server = try ScriptedServer { Self.piece($0) }
    try FileManager.default.createDirectory(
      at: file().deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(Self.sound).write(to: file(".part"))
    try JSONEncoder().encode(AudioVersion(entityTag: "\"one\"", total: Self.sound.count)).write(
      to: file(".version"))
    let source = try await library(server).file(of: recording(server))
    #expect(try Array(Data(contentsOf: source.url)) == Self.sound)
  }

  @Test func `a file that changed on the disk after it was completed is noticed`() async throws {
    defer { try? FileManager.default.removeItem(at: directory) }
    let server = try ScriptedServer { Self.piece($0) }
    let (row, library) = (recording(server), try library(server))
    func compared() throws -> AudioComparison { try library.comparison(of: nil) { _, _ in } }
    #expect(try compared().files == 0)
    // The hash of a file that was forgotten and came back with other bytes is the last one.
    try FileManager.default.createDirectory(
      at: directory.appending(path: "audio"), withIntermediateDirectories: true)
    let earlier = "\(String(repeating: "0", count: 64))  xeno-canto/17.mp3\ncut off\n"
    let sums = directory.appending(path: "audio/.sha256")
    try Data(earlier.utf8).write(to: sums)
    _ = try await library.file(of: row)
    let hash = SHA256.text(SHA256.digest(Self.sound))
    #expect(
      try String(contentsOf: sums, encoding: .utf8) == "\(earlier)\(hash)  xeno-canto/17.mp3\n")
    #expect(try (compared().files, compared().same) == (1, 1))

    var changed = Self.sound
    changed[changed.count / 2] ^= 1
    try Data(changed).write(to: file())
    try Data("ID3".utf8).write(to: file().deletingLastPathComponent().appending(path: "18.mp3"))
    let found = try compared()
    #expect((found.files, found.same, found.unknown) == (2, 0, 1))
    #expect(found.changed == ["xeno-canto/17.mp3"] && found.unreadable == [])
    #expect(await library.usage().files == 2)
    #expect(library.downloadedFiles().count == 2)
  }

  @Test func `parts of the audio have every file once`() throws {
    defer { try? FileManager.default.removeItem(at: directory) }
    let server = try ScriptedServer { _ in .silent }
    let library = try library(server)
    let folder = file().deletingLastPathComponent()
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    for number in 1...60 {
      try Data("ID3".utf8).write(to: folder.appending(path: "\(number).mp3"))
    }
    let counts = try (1...10).map {
      try library.comparison(of: AudioComparison.Part($0, of: 10)) { _, _ in }.files
    }
    #expect(counts.reduce(0, +) == 60 && counts.allSatisfy { $0 < 20 }, "\(counts)")
    for (number, count) in [(0, 10), (11, 10), (1, 0), (1, 1001)] {
      #expect(AudioComparison.Part(number, of: count) == nil)
    }
  }

  @Test func `a named pipe or a file without an end as the version of a part is not read`()
    async throws
  {
    defer { try? FileManager.default.removeItem(at: directory) }
    let server = try ScriptedServer { Self.piece($0) }
    let (row, library, version) = (recording(server), try library(server), file(".version").path)
    for makeVersion in [{ mkfifo(version, 0o600) }, { symlink("/dev/zero", version) }] {
      try FileManager.default.createDirectory(
        at: file().deletingLastPathComponent(), withIntermediateDirectories: true)
      try Data(Self.sound.prefix(100)).write(to: file(".part"))
      #expect(makeVersion() == 0)
      #expect(try Array(Data(contentsOf: try await library.file(of: row).url)) == Self.sound)
      #expect(
        try FileManager.default.contentsOfDirectory(atPath: file().deletingLastPathComponent().path)
          == ["17.mp3"])
      try FileManager.default.removeItem(at: directory)
    }
  }

  @Test func `a link in the place of audio is replaced, nothing goes through it`() async throws {
    defer { try? FileManager.default.removeItem(at: directory) }
    let server = try ScriptedServer { Self.piece($0) }
    let (row, library) = (recording(server), try library(server))
    let folder = file().deletingLastPathComponent()
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let secret = directory.appending(path: "secret")
    try Data("RIFF a secret".utf8).write(to: secret)
    for end in ["", ".part", ".version"] {
      #expect(symlink(secret.path, file(end).path) == 0)
      #expect(try await library.downloadedFile(of: row.id) == nil)
      #expect(library.downloadedFiles(of: [.xenoCanto])[row.id] == nil)
      #expect(await library.usage() == AudioLibrary.Usage())
      #expect(library.downloadedFiles().isEmpty)
      #expect(
        DownloadedAudioFile(path: file(end).path) == nil && AudioHeader(path: file(end).path) == nil
      )
      let downloaded = try await library.file(of: row)
      #expect(try Array(Data(contentsOf: downloaded.url)) == Self.sound, "\(end)")
      #expect(try Data(contentsOf: secret) == Data("RIFF a secret".utf8), "\(end)")
      #expect(
        try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["17.mp3"], "\(end)")
      #expect(try await library.remove(row.id))
    }
    #expect(symlink(secret.path, file().path) == 0)
    #expect(try await library.remove(row.id))
    #expect(FileManager.default.fileExists(atPath: secret.path))
    #expect(try await library.downloadedFile(of: row.id) == nil)
  }

  @Test(arguments: ["audio", "audio/xeno-canto"])
  func `a link to a folder of audio is followed if this account or its folder's owner made it`(
    _ path: String
  ) async throws {
    defer { try? FileManager.default.removeItem(at: directory) }
    let server = try ScriptedServer { Self.piece($0) }
    let (row, library) = (recording(server), try library(server))
    let (link, disk) = (directory.appending(path: path), directory.appending(path: "disk"))
    try FileManager.default.createDirectory(at: disk, withIntermediateDirectories: true)
    try FileManager.default.createDirectory(
      at: link.deletingLastPathComponent(), withIntermediateDirectories: true)
    #expect(
      symlink(String(repeating: "../", count: path.count { $0 == "/" }) + "disk", link.path) == 0)
    _ = try await library.file(of: row)
    #expect(try await library.downloadedFile(of: row.id) != nil)
    #expect(await library.usage().files == 1)
    #expect(
      try #require(library.downloadedFiles(of: [.xenoCanto])[row.id]).path.hasSuffix(
        "audio/xeno-canto/17.mp3"))
    // Only root can make a link look like that of a different account.
    guard geteuid() == 0 else { return }
    #expect(lchown(link.path, 4711, 4711) == 0)
    #expect(try await library.downloadedFile(of: row.id) == nil)
    #expect(await library.usage().files == 0)
    #expect(
      library.downloadedFiles(of: [.xenoCanto])[row.id] == nil
        && DownloadedAudioFile(path: file().path) == nil)
    await #expect(throws: AudioError.file(path: link.path, errno: ELOOP)) {
      try await library.file(of: row)
    }
    #expect(try await !library.remove(row.id))
    // The owner of the folder may lead its users to a different disk.
    #expect(chown(link.deletingLastPathComponent().path, 4711, 4711) == 0)
    #expect(try await library.downloadedFile(of: row.id) != nil)
    #expect(try await library.remove(row.id))
  }

  @Test func `a part that is removed during the last piece never becomes a file with a hole`()
    async throws
  {
    defer { try? FileManager.default.removeItem(at: directory) }
    let part = file(".part")
    let server = try ScriptedServer { request in
      if request.headers["range"]?.hasPrefix("bytes=0-") == false {
        try? FileManager.default.removeItem(at: part)
      }
      return Self.piece(request)
    }
    await #expect(throws: AudioError.file(path: part.path, errno: ENOENT)) {
      try await library(server).file(of: recording(server))
    }
    #expect(!FileManager.default.fileExists(atPath: file().path))
  }

  @Test
  func `pieces without an end are requested a bounded number of times, and what arrived is kept`()
    async throws
  {
    defer { try? FileManager.default.removeItem(at: directory) }
    let server = try ScriptedServer { request in
      let start =
        request.headers["range"]?.dropFirst(6).split(separator: "-").first.flatMap { Int($0) } ?? 0
      return .bytes(
        206, [Self.sound[start]],
        headers: [
          "Content-Range": "bytes \(start)-\(start)/\(Self.sound.count)", "ETag": "\"one\"",
        ])
    }
    await #expect(throws: AudioError.fetch(.malformed("the audio comes in 16 pieces and more"))) {
      try await library(server).file(of: recording(server))
    }
    #expect(server.requests.count == 16)
    #expect(try Data(contentsOf: file(".part")).count == 16)
  }

  // MARK: Pieces of another file

  /// What differs in the pieces of the second version.
  enum Difference: CaseIterable { case tag, tagIsMissing, date, total, position }

  private static let otherSound = (0..<(piece * 2 + 1000)).map {
    UInt8(truncatingIfNeeded: $0 &* 29 &+ 7)
  }

  /// A piece of a second version of the file, whatever `If-Range` says.
  private static func otherPiece(_ request: ScriptedServer.Request, _ difference: Difference)
    -> ScriptedAnswer
  {
    let sound = difference == .total ? otherSound.dropLast(10) : otherSound[...]
    let start =
      request.headers["range"]?.dropFirst(6).split(separator: "-").first.flatMap { Int($0) } ?? 0
    let position = difference == .position ? 0 : start
    let end = min(position + piece, sound.count)
    var headers = [
      "Content-Range": "bytes \(position)-\(end - 1)/\(sound.count)", "ETag": "\"one\"",
      "Last-Modified": "Mon",
    ]
    switch difference {
    case .tag: headers["ETag"] = "\"two\""
    case .tagIsMissing: headers["ETag"] = nil
    case .date: headers["Last-Modified"] = "Tue"
    case .total, .position: break
    }
    return .bytes(206, Array(sound[position..<end]), headers: headers)
  }

  private static func firstPiece() -> ScriptedAnswer {
    let headers = [
      "Content-Range": "bytes 0-\(piece - 1)/\(sound.count)", "ETag": "\"one\"",
      "Last-Modified": "Mon",
    ]
    return .bytes(206, Array(sound[..<piece]), headers: headers)
  }

  @Test(arguments: Difference.allCases.filter { $0 != .position }, [false, true])
  func `a piece of another version starts the download over`(
    _ difference: Difference, inAnotherRun: Bool
  ) async throws {
    defer { try? FileManager.default.removeItem(at: directory) }
    let count = Atomic(0)
    let server = try ScriptedServer { request in
      switch count.add(1, ordering: .relaxed).oldValue {
      case 0: Self.firstPiece()
      case 1 where inAnotherRun: .empty(503)
      default: Self.otherPiece(request, difference)
      }
    }
    if inAnotherRun {
      await #expect(throws: AudioError.fetch(.serverBusy(status: 503, retryAfter: nil))) {
        try await library(server).file(of: recording(server))
      }
    }
    let source = try await library(server).file(of: recording(server))
    let whole = difference == .total ? Array(Self.otherSound.dropLast(10)) : Self.otherSound
    #expect(try Array(Data(contentsOf: source.url)) == whole)
    #expect(server.requests[inAnotherRun ? 2 : 1].headers["if-range"] == "\"one\"")
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: file().deletingLastPathComponent().path)
        == ["17.mp3"])
  }

  // MARK: Ranges that servers mistake

  @Test(arguments: [[200], [206, 200]])
  func `a content range is a piece, whatever the status`(_ statuses: [Int]) async throws {
    defer { try? FileManager.default.removeItem(at: directory) }
    let count = Atomic(0)
    let server = try ScriptedServer { request in
      let position = count.add(1, ordering: .relaxed).oldValue
      return Self.slice(request, status: statuses[min(position, statuses.count - 1)])
    }
    let source = try await library(server).file(of: recording(server))
    #expect(try Array(Data(contentsOf: source.url)) == Self.sound)
    #expect(server.requests.count == 3)
  }

  @Test(arguments: [200, 206])
  func `a content range from the first byte to the last is the whole file`(
    _ status: Int
  ) async throws {
    defer { try? FileManager.default.removeItem(at: directory) }
    let end = Self.sound.count
    let server = try ScriptedServer { _ in
      .bytes(status, Self.sound, headers: ["Content-Range": "bytes 0-\(end - 1)/\(end)"])
    }
    let source = try await library(server).file(of: recording(server))
    #expect(try Array(Data(contentsOf: source.url)) == Self.sound)
    #expect(server.requests.count == 1)
  }

  @Test(
    arguments: ["bytes 100-199/1000", "bytes 0-99/*", "bytes 0-99", "seconds 0-99/1000"],
    [200, 206])
  func `a piece of a different place is asked for once more without a range`(
    _ range: String, status: Int
  ) async throws {
    defer { try? FileManager.default.removeItem(at: directory) }
    let piece = ScriptedAnswer.bytes(
      status, Array(Self.sound.prefix(100)), headers: ["Content-Range": range])
    let server = try ScriptedServer { request in
      request.headers["range"] == nil ? .bytes(200, Self.sound) : piece
    }
    let source = try await library(server).file(of: recording(server))
    #expect(try Array(Data(contentsOf: source.url)) == Self.sound)
    #expect(server.requests.map { $0.headers["range"] != nil } == [true, false])

    try FileManager.default.removeItem(at: directory)
    let stubborn = try ScriptedServer { _ in piece }
    let malformed = AudioError.fetch(
      .malformed("a piece of the audio is not the one that was requested"))
    await #expect(throws: malformed) {
      try await library(stubborn).file(of: recording(stubborn))
    }
    #expect(stubborn.requests.count == 2)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == [])
  }

  @Test func `a later piece of a different place leads to one request for the file`() async throws {
    defer { try? FileManager.default.removeItem(at: directory) }
    let count = Atomic(0)
    let server = try ScriptedServer { request in
      let isSecond = count.add(1, ordering: .relaxed).oldValue == 1
      return isSecond ? Self.otherPiece(request, .position) : Self.piece(request)
    }
    let source = try await library(server).file(of: recording(server))
    #expect(try Array(Data(contentsOf: source.url)) == Self.sound)
    #expect(
      server.requests.map { $0.headers["range"]?.prefix(8) } == ["bytes=0-", "bytes=65", nil])
    #expect(server.requests[2].headers["if-range"] == nil)
  }

  /// Serves the range that was asked for with that status, and names no version.
  private static func slice(_ request: ScriptedServer.Request, status: Int) -> ScriptedAnswer {
    let bounds =
      request.headers["range"]?.dropFirst(6).split(separator: "-").compactMap { Int($0) } ?? []
    guard bounds.count == 2 else { return .bytes(200, sound) }
    let end = min(bounds[1], sound.count - 1)
    return .bytes(
      status, Array(sound[bounds[0]...end]),
      headers: ["Content-Range": "bytes \(bounds[0])-\(end)/\(sound.count)"])
  }

  @Test func `a server whose version changes with every answer ends the download with an error`()
    async throws
  {
    defer { try? FileManager.default.removeItem(at: directory) }
    let count = Atomic(0)
    let server = try ScriptedServer { request in
      let start =
        request.headers["range"]?.dropFirst(6).split(separator: "-").first.flatMap { Int($0) } ?? 0
      let end = min(start + Self.piece, Self.sound.count)
      let tag = "\"\(count.add(1, ordering: .relaxed).newValue)\""
      return .bytes(
        206, Array(Self.sound[start..<end]),
        headers: ["Content-Range": "bytes \(start)-\(end - 1)/\(Self.sound.count)", "ETag": tag])
    }
    let mismatch = AudioError.fetch(
      .malformed("a piece of the audio is not the one that was requested"))
    await #expect(throws: mismatch) { try await library(server).file(of: recording(server)) }
    #expect(server.requests.count == 4)
    #expect(!FileManager.default.fileExists(atPath: file().path))
  }

  // MARK: What is not audio

  /// An answer, and what is wrong with it.
  struct Answer: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let answer: ScriptedAnswer
    let error: FetchError

    init(_ name: String, _ answer: ScriptedAnswer, _ error: FetchError) {
      (testDescription, self.answer, self.error) = (name, answer, error)
    }

    static func typed(_ status: Int, _ type: String, _ body: [UInt8]) -> ScriptedAnswer {
      .bytes(
        status, body,
        headers: [
          "Content-Type": type, "Content-Range": "bytes 0-\(body.count - 1)/\(body.count)",
          "ETag": "\"one\"",
        ])
    }

    static func typed(_ status: Int, _ type: String, _ body: String) -> ScriptedAnswer {
      typed(status, type, Array(body.utf8))
    }
  }

  private static let isText = FetchError.malformed("it is text, not audio")
  private static let mp3: [UInt8] = [0xFF, 0xFB, 0x90, 0x64] + [UInt8](repeating: 0, count: 400)

  @Test(arguments: [
    Answer("an empty 200", .empty(200), .malformed("the audio is empty")),
    Answer("JSON", .json(200, #"{"error":"gone"}"#), isText),
    Answer("JSON as audio/mpeg", Answer.typed(200, "audio/mpeg", #"{"error":"gone"}"#), isText),
    Answer("JSON in a piece", Answer.typed(206, "application/json", #"{"error":"gone"}"#), isText),
    Answer("text without a type", .bytes(200, Array("Datei nicht gefunden".utf8)), isText),
    Answer(
      "Latin-1 text",
      Answer.typed(
        200, "application/octet-stream", Array("gel".utf8) + [0xF6] + Array("scht".utf8)), isText),
    Answer(
      "UTF-16 text", Answer.typed(200, "audio/mpeg", [0xFF, 0xFE, 0x7B, 0x00, 0x7D, 0x00]), isText),
    Answer("HTML", .html(200), FetchError(.webPage)),
    Answer(
      "HTML as audio/mpeg", Answer.typed(200, "audio/mpeg", "<!doctype html><p>Log in"),
      FetchError(.webPage)),
    Answer(
      "HTML in a piece", Answer.typed(206, "audio/mpeg", "<!doctype html><p>Log in"),
      FetchError(.webPage)),
    Answer(
      "a picture", Answer.typed(200, "image/x-odd", [1, 2, 3, 0]),
      .malformed("it is image/x-odd, not audio")),
    Answer(
      "a picture as audio/mpeg",
      Answer.typed(206, "audio/mpeg", [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0]),
      .malformed("it is a different kind of file, not audio")),
    Answer(
      "audio without a length",
      ScriptedAnswer([.send(ScriptedAnswer.head(200, ["Content-Type": "audio/mpeg"])), .send(mp3)]),
      .malformed("the audio came without a length, so a missing end could not be noticed")),
  ])
  func `what is not audio is not kept`(_ answer: Answer) async throws {
    defer { try? FileManager.default.removeItem(at: directory) }
    let server = try ScriptedServer { _ in answer.answer }
    await #expect(throws: AudioError.fetch(answer.error)) {
      try await library(server).file(of: recording(server))
    }
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: file().deletingLastPathComponent().path)
        == [])
  }

  @Test(
    arguments: [
      "text/html", "text/plain; charset=utf-8", "application/octet-stream",
      "application/x-force-download", "application/json",
    ],
    [
      mp3, Array("ID3".utf8) + [4, 0], Array("RIFF".utf8) + [9, 0, 0, 0] + Array("WAVEfmt ".utf8),
      Array("fLaC".utf8) + [0],
      Array("OggS".utf8) + [0], [0, 0, 0, 0x20] + Array("ftypM4A ".utf8),
      [0xFF, 0xF1, 0x50, 0x80, 0],
      Array("FORM".utf8) + [0, 0, 0, 9] + Array("AIFF".utf8),
    ] as [[UInt8]])
  func `audio is kept, whatever type the server gives it`(type: String, sound: [UInt8]) async throws
  {
    defer { try? FileManager.default.removeItem(at: directory) }
    let server = try ScriptedServer { _ in Answer.typed(200, type, sound) }
    let source = try await library(server).file(of: recording(server))
    #expect(try Array(Data(contentsOf: source.url)) == sound)
  }

  @Test func `the end of a body is known where the protocol marks it`() {
    #expect(
      AudioContent.fault(
        CatalogueClient.Response(status: 200, headers: HTTPHeaders(), body: Self.mp3), isStart: true
      ) != nil)
    let marked = CatalogueClient.Response(
      status: 200, headers: HTTPHeaders(), body: Self.mp3, endIsMarked: true)
    #expect(AudioContent.fault(marked, isStart: true) == nil)
  }

  // MARK: Waiting

  @Test func `a download waits a minute for another one that makes no progress`() async throws {
    defer { try? FileManager.default.removeItem(at: directory) }
    let server = try ScriptedServer { Self.piece($0) }
    let clock = ManualClock()
    try FileManager.default.createDirectory(
      at: file().deletingLastPathComponent(), withIntermediateDirectories: true)
    let held = try #require(
      try AudioPart.take(
        try AudioFile(
          of: recording(server).id, fileExtension: "mp3",
          in: directory.appending(path: "audio"))))
    await #expect(throws: AudioError.inUse(holder: nil)) {
      try await library(server, clock.dependencies()).file(of: recording(server))
    }
    #expect(clock.slept.reduce(.zero, +) == .seconds(60))
    #expect(server.requests.isEmpty)
    held.release()
    _ = try await library(server).file(of: recording(server))
  }

  @Test func `progress of the other process lengthens the wait`() async throws {
    var count = 0
    let lock = try await ManualClock().dependencies().lock { () -> Int? in
      count += 1
      return nil
    } progress: {
      min(count, 1000) / 300
    }
    #expect(lock == nil && count == 900 + 600)
  }
}
