import ChirperModel
import Foundation

/// Requests the audio of one catalogue's recordings: a piece per call, in one attempt. Pace,
/// retries and files are the library's.
package struct AudioFetcher: Sendable {
  /// The least time between two requests.
  package var minimumInterval: Duration { client.minimumInterval }
  private let client: CatalogueClient
  /// The catalogue's audio hosts, and the service set in its place.
  private let allowed: [ServiceAddress]

  /// The longest recordings of xeno-canto are below this, in bytes.
  package static let limit = 1 << 30

  package init(_ catalogue: Catalogue, _ configuration: RemoteConfiguration) {
    client = CatalogueClient(catalogue, configuration)
    let override = configuration.baseURLs[catalogue.id]
    var allowed = override.map { [ServiceAddress(own: $0, ownHosts: [], override: $0)] } ?? []
    // The token of a server is for no other host.
    if configuration.server == nil, case .download(let hosts, _, _) = catalogue.audio,
      let host = hosts.min(),
      let own = URL(string: "https://\(host)")
    {
      allowed.append(ServiceAddress(own: own, ownHosts: hosts, override: nil))
    }
    self.allowed = allowed
  }

  /// The address of the recording's audio: HTTPS, and on one of the catalogue's audio hosts
  /// or the host configured in its place.
  ///
  /// - Throws: `.none`, `.withheld` or `.addressRefused`.
  package func address(of recording: Recording) throws(AudioError) -> URL {
    guard case .download(_, _, let withheld) = client.catalogue.audio else { throw .none }
    if client.server != nil {
      let id = recording.id
      do {
        return try client.url("/api/chirper/audio/\(id.catalogue.rawValue)/\(id.value)")
      } catch {
        throw .addressRefused("it is not a URL")
      }
    }
    guard let text = client.catalogue.details(of: recording).audioAddress else {
      throw withheld(recording).map { .withheld(reason: $0.reason) } ?? .none
    }
    return try checked(text)
  }

  /// The address of an audio file.
  ///
  /// - Throws: `AudioError.addressRefused` if it may not be asked.
  package func checked(_ text: String) throws(AudioError) -> URL {
    guard let url = URL(string: text) else { throw .addressRefused("it is not a URL") }
    if let refusal = refusal(of: url) { throw .addressRefused(refusal) }
    return url
  }

  /// A server's answer to a request for a piece.
  package enum Part: Sendable {
    case piece(CatalogueClient.Response, ContentRange)
    /// The whole file: the server does not support ranges, or has a different version by now.
    case whole(CatalogueClient.Response)
    /// The file has no byte at that position, so nothing continues it.
    case nothing
    /// A piece at a different position, or at a position or of a length that the server does not
    /// say.
    case misplaced
  }

  /// Requests one piece of a file, or the file, after all redirects. `AudioContent` finds
  /// out whether it is audio.
  ///
  /// - Parameters:
  ///   - range: the piece, in bytes of the file; `nil` for the whole file.
  ///   - version: the entity tag or date of the pieces before, for `If-Range`.
  ///   - url: the address of the file.
  ///   - progress: called as bytes arrive, with the bytes of the file that have arrived,
  ///     and with the file's size if the answer has it.
  /// - Throws: `FetchError`; `.malformed` if the answer is not as long as it says, or too
  ///   long.
  package func piece(
    _ range: Range<Int>?, version: String?, of url: URL,
    progress: @escaping @Sendable (_ done: Int, _ total: Int?) -> Void = { _, _ in }
  ) async throws(FetchError) -> Part {
    do throws(FetchError) {
      return try await answer(range, version, url, progress)
    } catch {
      throw client.naming(error)
    }
  }

  private func answer(
    _ range: Range<Int>?, _ version: String?, _ url: URL,
    _ progress: @escaping @Sendable (_ done: Int, _ total: Int?) -> Void
  ) async throws(FetchError) -> Part {
    let start = range?.lowerBound ?? 0
    var headers = client.server?.headers ?? [:]
    headers["Accept"] = "audio/*, */*;q=0.1"
    if let range { headers["Range"] = "bytes=\(start)-\(range.upperBound - 1)" }
    // A compressed piece would be a piece of something else.
    headers["Accept-Encoding"] = "identity"
    if start > 0, let version { headers["If-Range"] = version }
    // No audio request carries the key, but whoever answers may know it from others.
    let response = try await client.answer(
      to: url, hiding: client.key, headers: headers, audioRefusal: refusal
    ) { head, count in
      guard head.status == 200 || head.status == 206 else { return }
      if head.header("Content-Range") == nil {
        progress(count, head.header("Content-Length").flatMap { Int($0) })
      } else if let content = ContentRange(head), content.start == start || content.isWhole {
        progress(content.start + count, content.total)
      }
    }
    switch response.status {
    // Some servers send a piece with status 200, so the header alone says whether it is one.
    case 200 where response.header("Content-Range") == nil: return .whole(response)
    case 200, 206:
      guard let content = ContentRange(response) else { return .misplaced }
      guard content.total <= Self.limit,
        response.body.count == content.end - content.start + 1
      else {
        throw .malformed("a piece of the audio is not the one that was requested")
      }
      if content.isWhole { return .whole(response) }
      return range != nil && content.start == start ? .piece(response, content) : .misplaced
    case 416 where start > 0: return .nothing
    case 404, 410:
      throw client.server == nil
        ? .refused(status: response.status, message: nil) : FetchError(.notKept)
    default: throw client.failure(response)
    }
  }

  private func refusal(of url: URL) -> String? {
    guard url.user == nil, url.password == nil else { return "it contains a name or password" }
    var last = "it is on no host of the catalogue"
    for service in allowed {
      guard let refusal = service.refusal(ofRedirectTo: url) else { return nil }
      last = refusal
    }
    return last
  }
}

/// `Content-Range: bytes 0-511/2048`.
package struct ContentRange: Hashable, Sendable {
  let start: Int
  let end: Int
  package let total: Int

  /// Whether that is every byte of the file.
  var isWhole: Bool { start == 0 && end == total - 1 }

  init?(_ response: CatalogueClient.Response) {
    guard let header = response.header("Content-Range"), header.lowercased().hasPrefix("bytes ")
    else { return nil }
    let parts = header.dropFirst(6).split(separator: "/")
    let bounds = parts.first?.split(separator: "-") ?? []
    guard parts.count == 2, bounds.count == 2, let start = Int(bounds[0]), let end = Int(bounds[1]),
      let total = Int(parts[1]),
      start >= 0, end >= start, total > end
    else { return nil }
    self.start = start
    self.end = end
    self.total = total
  }
}
