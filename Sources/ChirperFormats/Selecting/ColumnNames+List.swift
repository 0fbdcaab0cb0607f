import Chirper
import Foundation

extension ColumnNames {
  /// The columns named in `a,b,c`; `nil` if nothing is typed. This is the one parser of such lists.
  package func columns(_ list: String?) throws -> [RecordingColumn]? {
    guard let list else { return nil }
    let typed = list.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }
    var columns: [RecordingColumn] = []
    for name in typed where !name.isEmpty {
      let column = try column(name)
      guard !columns.contains(column) else {
        throw UserFacingError.usage(
          "--columns has \(name.inQuotes) twice", hint: "Name each column once.")
      }
      columns.append(column)
    }
    guard !columns.isEmpty else {
      throw UserFacingError.usage("--columns needs a column", hint: hint)
    }
    return columns
  }
}
