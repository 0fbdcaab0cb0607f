import ChirperModel
import Foundation

/// Brings one audio file into the audio directory: piece by piece, resumed after a cut, whole or not at all.
///
/// Pieces are asked for by range, so that a cut costs at most one of them and memory holds no more; a server that knows
/// no ranges sends the file in one. The file has its name only once the last byte is on the disk. Downloads of the same
/// file wait for each other and take what the first one brought.
struct AudioDownload {
  let address: AudioAddress
  let file: AudioFile
  let transport: any HTTPTransport
  let redactor: KeyRedactor?
  let progress: @Sendable (_ received: Int, _ total: Int?) -> Void

  static let piece = 512 << 10
  /// The longest recordings of xeno-canto are below this.
  static let limit = 1 << 30
  private static let redirects = 5

  func run() async throws(AudioError) {
    try Self.makeDirectory(file.url.deletingLastPathComponent())
    let part = try await takePart()
    defer { part.release() }
    // Another download may have brought it meanwhile.
    guard !FileManager.default.fileExists(atPath: file.url.path) else { return }
    try part.forgetUnnamed()
    var total: Int?
    var hasStartedOver = false
    while true {
      let start = try part.resumable()
      progress(start, total)
      if let total, start >= total { break }
      let response: HTTPResponse
      switch try await ask(from: start, version: part.version) {
      case .piece(let answer): response = answer
      case .whole(let answer):
        try part.discard()
        try part.write(answer.body, at: 0)
        progress(answer.body.count, answer.body.count)
        return try part.finish()
      case .nothing:
        // What is here is not of the file there, or it is all of it and was never given its name.
        guard !hasStartedOver else { throw Self.mismatch }
        hasStartedOver = true
        total = nil
        try part.discard()
        continue
      }
      guard let range = ContentRange(response), range.start == start, range.total <= Self.limit,
        response.body.count == range.end - start + 1, total == nil || total == range.total
      else { throw Self.mismatch }
      total = range.total
      try part.remember(response)
      try part.write(response.body, at: start)
    }
    try part.finish()
  }

  private static let mismatch = AudioError.fetch(.malformed("a piece of the audio is not the one that was asked for"))

  static func makeDirectory(_ directory: URL) throws(AudioError) {
    do {
      try FileManager.default.createDirectory(
        at: directory, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    } catch {
      throw .file(path: directory.path, errno: errno == 0 ? EACCES : errno)
    }
  }

  /// Waits while another download of the same recording is under way, in this process or in another.
  private func takePart() async throws(AudioError) -> AudioPart {
    while true {
      if let part = try AudioPart.take(file) { return part }
      do {
        try await Task.sleep(for: .milliseconds(100))
      } catch {
        throw .fetch(.cancelled)
      }
    }
  }

  private enum Answer {
    case piece(HTTPResponse)
    /// All of it: the server knows no ranges, or has another version by now.
    case whole(HTTPResponse)
    /// The file has no byte there.
    case nothing
  }

  /// One piece, behind all redirects.
  private func ask(from start: Int, version: String?) async throws(AudioError) -> Answer {
    var headers = ["Range": "bytes=\(start)-\(start + Self.piece - 1)", "Accept": "audio/*, */*;q=0.1"]
    // A compressed piece would be a piece of something else.
    headers["Accept-Encoding"] = "identity"
    headers["User-Agent"] = HTTPClient.userAgent
    if start > 0, let version { headers["If-Range"] = version }
    let response = try await get(address.url, headers)
    switch response.status {
    case 206: return .piece(response)
    case 200 where !response.isWebPage: return .whole(response)
    case 200: throw .fetch(.webPage)
    case 416 where start > 0: return .nothing
    case 404, 410: throw .fetch(.refused(status: response.status, message: nil))
    case 429: throw .fetch(.rateLimited(retryAfter: nil))
    case 408, 425, 500...: throw .fetch(.serverBusy(status: response.status, retryAfter: nil))
    default: throw .fetch(.refused(status: response.status, message: ServiceMessage.read(response)))
    }
  }

  private func get(_ first: URL, _ headers: [String: String]) async throws(AudioError) -> HTTPResponse {
    var url = first
    var limits = HTTPLimits()
    limits.bodyBytes = 256 << 20
    for _ in 0...Self.redirects {
      let response: HTTPResponse
      do {
        response = try await transport.get(url, headers: headers, limits: limits)
      } catch {
        throw .fetch(redactor?.redacted(error) ?? error)
      }
      guard [301, 302, 303, 307, 308].contains(response.status) else {
        return redactor?.redacted(response, keepingBody: response.status < 300) ?? response
      }
      guard let location = response.header("Location"), let target = URL(string: location, relativeTo: url)?.absoluteURL
      else { throw .fetch(.redirectRefused("it leads nowhere")) }
      if let refusal = address.refusal(of: target) {
        throw .fetch(.redirectRefused(redactor?.redacted(refusal) ?? refusal))
      }
      url = target
    }
    throw .fetch(.redirectRefused("there are more than \(Self.redirects)"))
  }
}

/// `Content-Range: bytes 0-511/2048`.
struct ContentRange {
  let start: Int
  let end: Int
  let total: Int

  init?(_ response: HTTPResponse) {
    guard let header = response.header("Content-Range"), header.lowercased().hasPrefix("bytes ") else { return nil }
    let parts = header.dropFirst(6).split(separator: "/")
    let bounds = parts.first?.split(separator: "-") ?? []
    guard parts.count == 2, bounds.count == 2, let start = Int(bounds[0]), let end = Int(bounds[1]), let total = Int(parts[1]),
      start >= 0, end >= start, total > end
    else { return nil }
    (self.start, self.end, self.total) = (start, end, total)
  }
}
