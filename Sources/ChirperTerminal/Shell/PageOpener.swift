import Chirper
import ChirperModel
import Foundation

extension Recording {
  /// Its page for people, where the catalogue gives one that is safe to hand on: HTTPS, nothing before the host.
  func page(in catalogue: Catalogue) -> URL? {
    guard let url = catalogue.details(of: self).pageURL.flatMap({ URL(string: $0) }), url.scheme?.lowercased() == "https",
      url.host() != nil, url.user == nil
    else { return nil }
    return url
  }
}

/// Opens a recording's page in the user's browser: an argument vector, and only an HTTPS address.
enum PageOpener {
  enum Outcome: Equatable {
    case opened(String)
    case refused(String)
  }

  static func open(_ recording: Recording, environment: [String: String]) -> Outcome {
    guard let url = Catalogues.named(recording.id.catalogue).flatMap(recording.page) else {
      return .refused("\(recording.id.value) has no page that can be opened")
    }
    #if os(macOS)
      let name = "open"
    #else
      let name = "xdg-open"
    #endif
    guard let program = ProgramSearch(environment: environment).path(of: name) else {
      return .refused("no program to open \(url.absoluteString): Y copies it")
    }
    let process = Process()
    process.executableURL = URL(filePath: program)
    process.arguments = [url.absoluteString]
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    guard (try? process.run()) != nil else { return .refused("\(name) could not be started: Y copies the address") }
    return .opened(url.absoluteString)
  }
}
