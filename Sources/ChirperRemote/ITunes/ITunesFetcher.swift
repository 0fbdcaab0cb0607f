import ChirperModel
import Foundation

/// Asks the iTunes Search API for one page.
package final class ITunesFetcher: PageFetcher {
  package var catalogue: Catalogue { ITunes.catalogue }

  private let client: HTTPClient

  package init(configuration: RemoteConfiguration, transport: any HTTPTransport = URLSessionTransport()) {
    client = HTTPClient(ITunes.catalogue, configuration, transport: transport)
  }

  package var minimumInterval: Duration { client.address.isOwnHost ? catalogue.minimumInterval : .zero }

  package func page(_ request: PageRequest) async throws(FetchError) -> RecordingPage {
    let (number, query) = (request.number, request.query)
    let window = ITunesWindow(page: number, size: query.pageSize)
    let url = try client.address.url(
      "/search", [("term", query.sent), ("limit", "\(window.limit)"), ("offset", "\(window.offset)")], spaceAsPlus: true)
    let response = try await client.get(url)
    // Over the limit the service answers 403 with nothing in it; clients that took that for "no results" cached it.
    if response.status == 403, response.body.isEmpty { throw .rateLimited(retryAfter: nil) }
    guard response.status == 200 else { throw client.failure(response) }
    guard !response.isWebPage else { throw .webPage }
    let envelope: ITunesEnvelope
    do throws(JSONFault) {
      envelope = try ITunesEnvelope(response.body)
    } catch {
      throw client.failure(error, in: response)
    }
    if envelope.isError { throw .refused(status: 200, message: ServiceMessage.read(response)) }
    guard let rows = envelope.rows else { throw .malformed("it has no list of results") }
    return window.page(number, rows: rows)
  }
}
