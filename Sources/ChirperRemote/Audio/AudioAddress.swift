import ChirperModel
import Foundation

/// Where a recording's audio is, checked: HTTPS, and a host of the catalogue's own or the one set in its place.
struct AudioAddress: Sendable {
  let url: URL
  private let allowed: [ServiceAddress]

  init(of recording: Recording, in catalogue: Catalogue, _ configuration: RemoteConfiguration) throws(AudioError) {
    guard let field = catalogue.roles.audio else { throw .none }
    guard var text = recording.text(field) else { throw Self.absence(of: field, in: recording) }
    // Answers before 2026 left the scheme out.
    if text.hasPrefix("//") { text = "https:" + text }
    guard let url = URL(string: text) else { throw .addressRefused("it is no URL") }
    self.url = url
    allowed = Self.services(of: catalogue.id, configuration)
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

  /// `_meta.redacted_fields` names what is kept back and why: `{"file": "restricted_species"}`.
  private static func absence(of field: String, in recording: Recording) -> AudioError {
    guard let meta = recording["_meta"], !meta.isNull else {
      return recording[field] == nil ? .none : .withheld(reason: nil)
    }
    var reason: String?
    var reader = JSONReader(Array(meta.json.utf8))
    try? reader.object { name, reader throws(JSONFault) in
      guard name == "redacted_fields", reader.kind == .object else { return try reader.skipValue() }
      try reader.object { name, reader throws(JSONFault) in
        if name == field, reader.kind == .string { reason = try reader.string() } else { try reader.skipValue() }
      }
    }
    return .withheld(reason: reason)
  }

  private static func services(of catalogue: CatalogueID, _ configuration: RemoteConfiguration) -> [ServiceAddress] {
    let own: [URL]
    let override: URL?
    switch catalogue {
    case .xenoCanto: (own, override) = ([xenoCanto], configuration.xenoCantoURL)
    case .itunes: (own, override) = (itunes, configuration.itunesURL)
    default: (own, override) = ([], nil)
    }
    let hosts = Set(own.compactMap { $0.host() } + (catalogue == .xenoCanto ? ["www.xeno-canto.org"] : []))
    let services = own.prefix(1).map { ServiceAddress(own: $0, ownHosts: hosts, override: nil) }
    return (override.map { [ServiceAddress(own: $0, ownHosts: [], override: $0)] } ?? []) + services
  }

  private static let xenoCanto = URL(string: "https://xeno-canto.org")!  // Safe: a literal.
  /// The hosts of the previews in every recorded answer that has HTTPS ones.
  private static let itunes = [
    URL(string: "https://audio-ssl.itunes.apple.com")!,  // Safe: a literal.
    URL(string: "https://video-ssl.itunes.apple.com")!,  // Safe: a literal.
  ]
}
