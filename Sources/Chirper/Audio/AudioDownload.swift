import ChirperModel
import ChirperPlatform
import ChirperRemote
import ChirperStore
import Foundation
import Logging

/// Downloads one audio file: piece by piece, resumed after an interruption, complete or not at all.
///
/// Pieces are requested by range, so that an interruption costs at most one of them and memory holds no more; a server
/// without ranges sends the file in one. The file gets its name only after its last byte is on the disk. Downloads of the
/// same file wait for each other and use what the first one fetched.
struct AudioDownload {
  let address: URL
  let file: AudioFile
  let fetcher: AudioFetcher
  let pacer: RequestPacer
  let progress: @Sendable (_ received: Int, _ total: Int?) -> Void

  /// Bytes per request. Most recordings fit into one, which matters because each request waits for the rate limit.
  var pieceSize = 4 << 20

  private var logger: Logger { pacer.dependencies.logger }

  func run() async throws(AudioError) {
    try Self.makeFolder(file.url.deletingLastPathComponent())
    var part = try await takePart()
    defer { part.release() }
    // Another download may have fetched it meanwhile.
    guard !FileManager.default.fileExists(atPath: file.url.path) else { return }
    var hasStartedOver = false
    var answers = AnswerLimit()
    while true {
      let start = part.size
      progress(start, part.version?.total)
      if let total = part.version?.total, start >= total { return try part.finish() }
      switch try await request(from: start, version: part.version?.condition) {
      case .piece(let response, let range):
        let version = AudioVersion(of: response, total: range.total)
        if part.version?.isContinued(by: version) ?? true {
          try Self.check(response, isStart: start == 0)
          try part.remember(version)
          try part.write(response.body, at: start)
          guard answers.allowsMore(announced: (range.total + pieceSize - 1) / pieceSize) else {
            throw .fetch(.malformed("the audio comes in \(answers.count) pieces and more"))
          }
          continue
        }
      case .whole(let response):
        try Self.check(response, isStart: true)
        try part.discard()
        try part.write(response.body, at: 0)
        progress(response.body.count, response.body.count)
        return try part.finish()
      case .nothing: break
      }
      // What has arrived is of another version than what the server has now.
      guard !hasStartedOver else { throw Self.mismatch }
      hasStartedOver = true
      try part.discard()
    }
  }

  private static func check(_ response: HTTPResponse, isStart: Bool) throws(AudioError) {
    if let fault = AudioContent.fault(response, isStart: isStart) { throw .fetch(fault) }
  }

  private static let mismatch = AudioError.fetch(.malformed("a piece of the audio is not the one that was requested"))

  private func request(from start: Int, version: String?) async throws(AudioError) -> AudioFetcher.Answer {
    do throws(LoadError) {
      try await pacer.waitForTurn(observe: logger.log)
    } catch {
      switch error {
      case .fetch(let error, catalogue: _, page: _): throw .fetch(error)
      case .cancelled: throw .fetch(.cancelled)
      case .store(let error): throw .store(error)
      }
    }
    do throws(FetchError) {
      return try await fetcher.piece(start..<(start + pieceSize), version: version, of: address)
    } catch {
      do throws(StoreError) {
        try pacer.pause(for: error, isLast: true)
      } catch {
        throw .store(error)
      }
      throw .fetch(error)
    }
  }

  /// Makes the folder of a catalogue's audio, `audio/xeno-canto` in the data directory.
  static func makeFolder(_ folder: URL) throws(AudioError) {
    let audio = folder.deletingLastPathComponent()
    let data = audio.deletingLastPathComponent()
    do {
      try FileManager.default.createDirectory(at: data, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    } catch {
      throw .file(path: data.path, errno: errno == 0 ? EACCES : errno)
    }
    for folder in [audio, folder] {
      let made = SharedFolder(folder.deletingLastPathComponent().path).makeFolder(folder.lastPathComponent)
      guard made else { throw .file(path: folder.path, errno: errno) }
    }
  }

  /// Waits while another download of the same recording makes progress, in this process or in another.
  private func takePart() async throws(AudioError) -> AudioPart {
    var wait = LockWait<Int64>()
    var waits = false
    while true {
      if let part = try AudioPart.take(file) { return part }
      if !waits { logger.log(.zero, for: .otherProcess(holder: LockHolder.description(ofLockOn: file.part.path))) }
      waits = true
      var status = stat()
      let size = stat(file.part.path, &status) == 0 ? Int64(status.st_size) : 0
      guard wait.mayContinue(size) else { throw .inUse(holder: LockHolder.description(ofLockOn: file.part.path)) }
      do {
        try await pacer.dependencies.sleep(wait.pause)
      } catch {
        throw .fetch(.cancelled)
      }
    }
  }
}
