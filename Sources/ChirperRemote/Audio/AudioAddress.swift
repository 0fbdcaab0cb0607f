import ChirperModel
import Foundation

/// Where a recording's audio is, checked: HTTPS, and a host of the catalogue's own or the one set in its place.
struct AudioAddress: Sendable {
  let url: URL
  private let allowed: [ServiceAddress]

  init(of recording: Recording, in catalogue: Catalogue, _ configuration: RemoteConfiguration) throws(AudioError) {
    guard case .download(let hosts, let withheld) = catalogue.audio else { throw .none }
    guard let text = catalogue.details(of: recording).audioURL else {
      throw withheld(recording).map { .withheld(reason: $0.reason) } ?? .none
    }
    guard let url = URL(string: text) else { throw .addressRefused("it is no URL") }
    self.url = url
    let own = hosts.sorted().first.flatMap { URL(string: "https://\($0)") }.map {
      ServiceAddress(own: $0, ownHosts: hosts, override: nil)
    }
    let override = configuration.baseURLs[catalogue.id].map { ServiceAddress(own: $0, ownHosts: [], override: $0) }
    allowed = [override, own].compactMap(\.self)
    if let refusal = refusal(of: url) { throw .addressRefused(refusal) }
  }

  /// Why the URL may not be asked; `nil` where it may.
  func refusal(of url: URL) -> String? {
    guard url.user == nil, url.password == nil else { return "it holds a name or password" }
    var last = "it is on no host of the catalogue"
    for service in allowed {
      guard let refusal = service.refusal(ofRedirectTo: url) else { return nil }
      last = refusal
    }
    return last
  }
}
