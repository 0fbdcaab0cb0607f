import ArgumentParser
import Chirper
import ChirperFormats

/// The language in which names of animals are shown.
struct NamesOption: ParsableArguments {
  @Option(
    name: .customLong("names"),
    help: .rare(
      "Show names in English (en), or in a language of the lists that you added (chirper names), as in de. (default: the setting names)",
      valueName: "language"),
    completion: ShellCompletion.nameLanguages)
  var language: String?

  /// The repository with the names that the option, the environment or the config file asks for.
  func applied(
    to repository: RecordingRepository, _ environment: ProcessEnvironment = .live
  ) throws -> RecordingRepository {
    var language = language
    var from = String?.none
    if language == nil, let setting = Settings.nameLanguage(environment) {
      language = setting.language
      from = setting.from
    }
    guard let language else { return repository }
    if let shown = try repository.showing(namesIn: language) { return shown }
    throw UserFacingError.unknownLanguage(
      language, from: from, known: try repository.nameLanguages())
  }
}
