import ChirperModel
import Foundation

/// Brings one audio file into the audio directory: piece by piece, resumed after a cut, whole or not at all.
///
/// Pieces are asked for by range, so that a cut costs at most one of them and memory holds no more; a server that knows
/// no ranges sends the file in one. The file has its name only once the last byte is on the disk.
struct AudioDownload {
  let address: AudioAddress
  let file: AudioFile
  let transport: any HTTPTransport
  let progress: @Sendable (_ received: Int, _ total: Int?) -> Void

  static let piece = 512 << 10
  /// The longest recordings of xeno-canto are below this.
  static let limit = 1 << 30
  private static let redirects = 5

  func run() async throws(AudioError) {
    try Self.makeDirectory(file.url.deletingLastPathComponent())
    var total: Int?
    while true {
      let start = try resumable()
      progress(start, total)
      if let total, start >= total { break }
      let (response, isPiece) = try await ask(from: start)
      if !isPiece {
        // No ranges here: this is all of it.
        try write(response.body, at: 0)
        progress(response.body.count, response.body.count)
        break
      }
      guard let range = ContentRange(response), range.start == start, range.total <= Self.limit,
        response.body.count == range.end - start + 1, total == nil || total == range.total
      else { throw .fetch(.malformed("a piece of the audio is not the one that was asked for")) }
      total = range.total
      try remember(response)
      try write(response.body, at: start)
    }
    try finish()
  }

  /// One piece, behind all redirects; starts over where the server has another version by now.
  private func ask(from start: Int) async throws(AudioError) -> (HTTPResponse, isPiece: Bool) {
    var headers = ["Range": "bytes=\(start)-\(start + Self.piece - 1)", "Accept": "audio/*, */*;q=0.1"]
    // A compressed piece would be a piece of something else.
    headers["Accept-Encoding"] = "identity"
    headers["User-Agent"] = HTTPClient.userAgent
    if start > 0, let version = version() { headers["If-Range"] = version }
    let response = try await get(address.url, headers)
    switch response.status {
    case 206: return (response, true)
    case 200 where !response.isWebPage: return (response, false)
    case 200: throw .fetch(.webPage)
    case 416 where start > 0:
      discardPart()
      return try await ask(from: 0)
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
        throw .fetch(error)
      }
      guard [301, 302, 303, 307, 308].contains(response.status) else { return response }
      guard let location = response.header("Location"), let target = URL(string: location, relativeTo: url)?.absoluteURL
      else { throw .fetch(.redirectRefused("it leads nowhere")) }
      if let refusal = address.refusal(of: target) { throw .fetch(.redirectRefused(refusal)) }
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
