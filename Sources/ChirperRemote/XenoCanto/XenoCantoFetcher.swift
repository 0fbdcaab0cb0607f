import ChirperModel
import ChirperPlatform
import Foundation

/// Requests one page from xeno-canto; without a key nothing is sent.
package final class XenoCantoFetcher: PageFetcher {
  package var catalogue: Catalogue { XenoCanto.catalogue }

  private let client: HTTPClient
  private let readKey: @Sendable () -> APIKey?
  private let knownKey = Locked<APIKey?>(nil)

  package init(configuration: RemoteConfiguration) {
    client = HTTPClient(XenoCanto.catalogue, configuration)
    readKey = { configuration.key(XenoCanto.catalogue.id) }
  }

  package var minimumInterval: Duration { client.minimumInterval }

  package func page(_ request: PageRequest) async throws(FetchError) -> RecordingPage {
    let (number, query) = (request.number, request.query)
    guard let key = key() else { throw .keyMissing }
    let url = try client.address.url(
      "/api/3/recordings",
      [("query", query.sent), ("key", key.secret), ("page", "\(number)"), ("per_page", "\(query.pageSize)")])
    let response = try await client.get(url, hiding: key)
    if [401, 403].contains(response.status) {
      throw .keyRefused(status: response.status, message: ServiceMessage.read(response))
    }
    let envelope = try client.read(response, XenoCantoEnvelope.init)
    if envelope.isError { throw .refused(status: 200, message: ServiceMessage.read(response)) }
    return try envelope.page(number, redactions: response.redactions)
  }

  private func key() -> APIKey? {
    if let key = knownKey.withLock({ $0 }) { return key }
    let key = readKey().flatMap { $0.secret.isEmpty ? nil : $0 }
    knownKey.withLock { $0 = key }
    return key
  }
}
