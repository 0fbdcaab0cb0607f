import Chirper
import ChirperFormats
import ChirperModel
import ChirperTerminal
import Foundation

/// The settings, the key and the catalogues of a command that may ask a catalogue.
struct Session {
  let settings: Settings
  /// The address of another chirper's server that is asked in the place of xeno-canto.
  private(set) var server: URL?

  init() throws(UserFacingError) {
    settings = try Settings(.live)
    for warning in settings.warnings { Console.line(warning) }
  }

  /// The store for commands that never ask a catalogue. Neither the key is read nor the settings,
  /// apart from the preferred catalogue.
  static func offline(_ access: RecordingRepository.Access) throws -> RecordingRepository {
    try open(access, RemoteConfiguration())
  }

  private static func open(
    _ access: RecordingRepository.Access, _ configuration: RemoteConfiguration
  ) throws -> RecordingRepository {
    let environment = ProcessEnvironment.live
    var repository = try RecordingRepository(
      directory: environment.storeDirectory(), access: access, configuration: configuration,
      dependencies: CommandLog.dependencies())
    repository.preferredCatalogue = Settings.value(of: "source", variable: "CHIRPER_SOURCE")
      .map { CatalogueID(rawValue: $0.text) }
    return repository
  }

  func repository(_ access: RecordingRepository.Access = .write) throws -> RecordingRepository {
    var repository = try Self.open(access, try configuration)
    repository.asksNameService = settings.asksNameService
    return repository
  }

  /// The store for reading and, where it can be written, for asking catalogues too.
  func repositoryOrReadOnly() throws -> RecordingRepository {
    do {
      return try repository()
    } catch let error as StoreError {
      guard case .readOnly = error.reason else { throw error }
      return try repository(.read)
    }
  }

  func player() -> Result<Player, UserFacingError> {
    Result { () throws(UserFacingError) in
      try Player.find(
        configured: settings.player,
        in: ProgramPath(environment: ProcessInfo.processInfo.environment))
    }
  }

  private var configuration: RemoteConfiguration {
    get throws {
      var configuration = RemoteConfiguration(
        baseURLs: settings.baseURLs,
        // A key that cannot be used was reported by `checkKey` before.
        key: { $0 == KeyFile.catalogue.id ? (try? KeyFile.current())?.key : nil })
      if let server {
        configuration.baseURLs[Catalogues.defaultCatalogue.id] = server
        configuration.server = try .init(token: settings.serverToken())
      }
      return configuration
    }
  }

  /// The session that asks that server in the place of xeno-canto.
  func asking(_ server: String) throws(UserFacingError) -> Session {
    guard let url = try? Settings.base(server, from: "--from-server") else {
      throw .usage(
        "--from-server does not accept \(server.inQuotes)",
        hint: "Type HTTPS, or this machine's end of a tunnel: http://127.0.0.1:8642")
    }
    var session = self
    session.server = url
    return session
  }

  /// The catalogue to ask: the flag, the environment, the config file, else the remote one in which
  /// the text is stored with rows, else the default one where its key is set, else the built-in
  /// one.
  ///
  /// - Parameter stored: the lists that the text names, the preferred one first. Rows of the
  ///   built-in catalogue never replace real ones that are stored, so a missing key is then an
  ///   error of the fetch.
  func catalogue(
    flag: String?, stored: [StoredQuery] = []
  ) throws(UserFacingError) -> (catalogue: Catalogue, isFallback: Bool) {
    if let (name, from) = flag.map({ ($0, "--source") })
      ?? settings.source.map({ ($0.name, $0.from) })
    {
      let catalogue = try Self.catalogue(name, from: from)
      try checkKey(for: [catalogue.id])
      return (catalogue, false)
    }
    let hasKey = try KeyFile.current() != nil
    if let list = stored.first, list.count > 0,
      let catalogue = Catalogues.named(list.query.catalogue),
      catalogue.service != nil
    {
      return (catalogue, false)
    }
    return hasKey ? (KeyFile.catalogue, false) : (Catalogues.defaultWithoutKey, true)
  }

  static func catalogue(_ name: String, from: String) throws(UserFacingError) -> Catalogue {
    if let catalogue = Catalogues.named(CatalogueID(rawValue: name)) { return catalogue }
    throw UserFacingError(
      from == "--source" ? .usage : .configuration, kind: "unknown-source",
      problem: "Unknown catalogue \(name.inQuotes) (\(from))",
      hint: "Type one of: \(Catalogues.all.map(\.id.rawValue).joined(separator: ", ")).")
  }

  /// Whether the catalogue can be asked, because it needs no key, or because its key is set
  /// and can be used.
  func hasKey(_ catalogue: Catalogue) -> Bool {
    catalogue.keyHelpAddress == nil
      || catalogue.id == KeyFile.catalogue.id && (try? KeyFile.current()) != nil
  }

  /// Reports a key that is set but cannot be used; a missing one is reported by the catalogue.
  func checkKey(for catalogues: some Sequence<CatalogueID>) throws(UserFacingError) {
    if catalogues.contains(KeyFile.catalogue.id) { _ = try KeyFile.current() }
  }
}
