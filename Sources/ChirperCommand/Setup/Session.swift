import Chirper
import ChirperModel
import ChirperRemote
import Foundation

/// What a command that may ask a catalogue works with.
struct Session {
  let settings: Settings
  let keyFile: KeyFile
  let environment: ProcessEnvironment

  init(_ environment: ProcessEnvironment = .live) throws(CommandError) {
    self.environment = environment
    settings = try Settings(environment)
    keyFile = KeyFile(environment)
  }

  /// The store for commands that never ask a catalogue: neither settings nor key are read.
  static func offline(
    _ access: RecordingRepository.Access, _ environment: ProcessEnvironment = .live
  ) throws -> RecordingRepository {
    try RecordingRepository(directory: environment.dataDirectory(), access: access)
  }

  func repository() throws -> RecordingRepository {
    try RecordingRepository(directory: environment.dataDirectory(), access: .write, configuration: configuration)
  }

  var configuration: RemoteConfiguration {
    let keyFile = keyFile
    return RemoteConfiguration(
      baseURLs: settings.baseURLs,
      // A key that cannot be used was reported by `checkKey` before.
      key: { catalogue in Catalogues.named(catalogue)?.key == nil ? nil : (try? keyFile.current())?.key })
  }

  /// The catalogue to ask: the flag, the environment, the config file, and without any xeno-canto where a key is set.
  func catalogue(flag: String?) throws(CommandError) -> (catalogue: Catalogue, isFallback: Bool) {
    if let (name, from) = flag.map({ ($0, "--source") }) ?? settings.source.map({ ($0.name, $0.from) }) {
      let catalogue = try Self.catalogue(name, from: from)
      try checkKey(for: catalogue.id)
      return (catalogue, false)
    }
    let hasKey = try keyFile.current() != nil
    let id: CatalogueID = hasKey ? .xenoCanto : .sample
    return (try Self.catalogue(id.rawValue, from: "built in"), !hasKey)
  }

  static func catalogue(_ name: String, from: String) throws(CommandError) -> Catalogue {
    guard let catalogue = Catalogues.named(CatalogueID(rawValue: name)) else { throw .unknownSource(name, from: from) }
    return catalogue
  }

  /// Tells of a key that is there but cannot be used; a missing one is the catalogue's to tell.
  func checkKey(for catalogue: CatalogueID) throws(CommandError) {
    if catalogue == .xenoCanto { _ = try keyFile.current() }
  }
}
