import ChirperModel
import ChirperRemote
import ChirperStore
import Foundation

/// Downloads one audio file: piece by piece, resumed after an interruption, complete or not
/// at all.
///
/// Pieces are requested by range, so that an interruption costs at most one of them and
/// memory holds no more; a server without ranges sends the file in one. The file gets its
/// name only after its last byte is on the disk. Downloads of one file wait for each other
/// and use the file of the first.
struct AudioDownload {
  let address: URL
  let file: AudioFile
  let fetcher: AudioFetcher
  let pacer: RequestPacer
  let pieceSize: Int
  /// The hash without which a file is not kept; `nil` for any.
  let sha256: String?
  let progress: @Sendable (_ done: Int, _ total: Int?) -> Void

  private var log: Log { pacer.dependencies.log }

  /// Downloads the file, unless that was done meanwhile.
  ///
  /// - Returns: the complete file.
  func run() async throws(AudioError) -> URL {
    do {
      return try await download()
    } catch {
      throw AudioError(error)
    }
  }

  private func download() async throws -> URL {
    try Self.makeFolder(file.part.deletingLastPathComponent())
    var part = try await takePart()
    defer { part.release() }
    // Another download may have fetched it meanwhile.
    if let complete = file.downloadedFile { return complete }
    var hasStartedOver = false
    var asksForWhole = false
    var mediaType = ""
    var answers = AnswerLimit()
    while true {
      let start = part.size
      progress(start, part.version?.total)
      if let total = part.version?.total, start >= total {
        return try part.finish(mediaType: mediaType, sha256: sha256)
      }
      let piece = asksForWhole ? nil : start..<(start + pieceSize)
      switch try await request(piece, version: part.version?.condition) {
      case .piece(let response, let range):
        let version = AudioVersion(
          entityTag: response.header("ETag"), lastModified: response.header("Last-Modified"),
          total: range.total)
        if part.version?.isContinued(by: version) ?? true {
          if let fault = AudioContent.fault(response, isStart: start == 0) { throw fault }
          try part.remember(version)
          try part.write(response.body, at: start)
          mediaType = response.mediaType
          guard answers.countAnswer(announced: (range.total + pieceSize - 1) / pieceSize) else {
            throw FetchError.malformed("the audio comes in \(answers.count) pieces and more")
          }
          continue
        }
      case .whole(let response):
        if let fault = AudioContent.fault(response, isStart: true) { throw fault }
        try part.discard()
        try part.write(response.body, at: 0)
        progress(response.body.count, response.body.count)
        return try part.finish(mediaType: response.mediaType, sha256: sha256)
      case .nothing: break
      case .misplaced:
        // A server that mistakes ranges may still send the whole file.
        guard !asksForWhole else { throw Self.isOtherPiece }
        asksForWhole = true
        continue
      }
      // What has arrived is of another version than what the server has now.
      guard !hasStartedOver else { throw Self.isOtherPiece }
      hasStartedOver = true
      try part.discard()
    }
  }

  private static let isOtherPiece =
    FetchError.malformed("a piece of the audio is not the one that was requested")

  private func request(_ piece: Range<Int>?, version: String?) async throws -> AudioFetcher.Part {
    try await pacer.waitForTurn(observe: log.waits)
    do throws(FetchError) {
      return try await fetcher.piece(piece, version: version, of: address, progress: progress)
    } catch {
      try await pacer.pause(for: error, isLast: true)
      throw error
    }
  }

  /// Makes the folder of a catalogue's audio, `audio/xeno-canto` in the data directory, and opens
  /// it.
  @discardableResult
  static func makeFolder(_ folder: URL) throws(AudioError) -> OpenFolder {
    let audio = folder.deletingLastPathComponent()
    let data = audio.deletingLastPathComponent()
    do {
      try FileManager.default.createDirectory(
        at: data, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    } catch {
      throw .file(path: data.path, errno: errno == 0 ? EACCES : errno)
    }
    guard var opened = OpenFolder(data.path) else { throw .file(path: data.path, errno: errno) }
    for folder in [audio, folder] {
      let name = folder.lastPathComponent
      guard opened.makeFolder(name), let inner = opened.folder(name) else {
        throw .file(path: folder.path, errno: errno)
      }
      opened = inner
    }
    return opened
  }

  /// Takes the part of the file. Waits while a different download of the recording makes
  /// progress, in any process.
  private func takePart() async throws -> AudioPart {
    let holder = { LockHolder.description(ofLockOn: file.part.path) }
    let part = try await pacer.dependencies.lock {
      try AudioPart.take(file)
    } progress: {
      AudioLibrary.size(of: file.part)
    } willWait: {
      log.waits(.zero, for: .otherProcess(holder: holder()))
    }
    guard let part else { throw AudioError.inUse(holder: holder()) }
    return part
  }
}

extension AudioError {
  /// The one kind of error that a download ends with.
  fileprivate init(_ error: any Error) {
    switch error {
    case let error as AudioError: self = error
    case let error as StoreError: self = .store(error)
    case let error as FetchError, LoadError.fetch(let error, catalogue: _, page: _):
      self = .fetch(error)
    // Apart from these only a cancelled sleep throws.
    default: self = .fetch(.cancelled)
    }
  }
}
