import Chirper
import ChirperModel

extension DataSetDefinition {
  /// The questions of the selections, whose answers do not depend on the day.
  package func questions() throws -> [Selection] {
    try checkSearches()
    return selections.map { selection in
      var question = selection
      question.takesNamesAsTyped = !names
      return question
    }
  }

  /// The parts of the file that the division names; `nil` without one.
  ///
  /// - Parameter path: the path of the definition, in whose folder the name of the file begins.
  package func givenParts(besides path: String) throws -> DataSetParts? {
    guard let name = split?.file else { return nil }
    let folder = path.folderOfPath
    return try DataSetParts(name.hasPrefix("/") || folder.isEmpty ? name : "\(folder)/\(name)")
  }
}
