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
  func applied(to repository: RecordingRepository) throws -> RecordingRepository {
    let setting = language == nil ? Settings.value(of: "names", variable: "CHIRPER_NAMES") : nil
    guard let chosen = language ?? setting?.text else { return repository }
    if let shown = try repository.showing(namesIn: chosen) { return shown }
    throw UserFacingError.unknownLanguage(
      chosen, from: setting?.from, known: try repository.nameLanguages())
  }
}
