import ChirperModel
import Foundation
import Synchronization

/// Requests one page from xeno-canto; without a key nothing is sent.
package final class XenoCantoFetcher: PageFetcher {
  package var catalogue: Catalogue { XenoCanto.catalogue }

  private let client: HTTPClient
  private let readKey: @Sendable () -> APIKey?
  private let knownKey = Mutex<APIKey?>(nil)

  package init(configuration: RemoteConfiguration, transport: any HTTPTransport = URLSessionTransport()) {
    client = HTTPClient(XenoCanto.catalogue, configuration, transport: transport)
    readKey = { configuration.key(XenoCanto.catalogue.id) }
  }

  package var minimumInterval: Duration { client.address.isOwnHost ? catalogue.minimumInterval : .zero }

  package func page(_ number: Int, of query: SearchQuery) async throws(FetchError) -> RecordingPage {
    guard let key = key() else { throw .keyMissing }
    let url = try client.address.url(
      "/api/3/recordings",
      [("query", query.sent), ("key", key.secret), ("page", "\(number)"), ("per_page", "\(query.pageSize)")])
    let response = try await client.get(url)
    guard response.status == 200 else { throw failure(response, key: key) }
    guard !response.isWebPage else { throw .webPage }
    let envelope: XenoCantoEnvelope
    do throws(JSONFault) {
      envelope = try XenoCantoEnvelope(response.body)
    } catch {
      throw client.failure(error, in: response)
    }
    if envelope.isError { throw .refused(status: 200, message: message(of: response, key: key)) }
    return try envelope.page(number)
  }

  private func failure(_ response: HTTPResponse, key: APIKey) -> FetchError {
    let message = message(of: response, key: key)
    if [401, 403].contains(response.status) { return .keyRefused(status: response.status, message: message) }
    let failure = client.failure(response)
    if case .refused(let status, _) = failure { return .refused(status: status, message: message) }
    return failure
  }

  /// The service's own message, without the key in case it repeats it.
  private func message(of response: HTTPResponse, key: APIKey) -> String? {
    ServiceMessage.read(response)?.replacing(key.secret, with: key.description)
  }

  private func key() -> APIKey? {
    if let key = knownKey.withLock({ $0 }) { return key }
    let key = readKey().flatMap { $0.secret.isEmpty ? nil : $0 }
    knownKey.withLock { $0 = key }
    return key
  }
}
