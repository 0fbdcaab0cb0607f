import Chirper
import ChirperModel

extension RecordingDetails {
  /// A detail as a table shows it: as its text, but a length as `3:45`; `nil` if it is not known.
  package func cell(of column: DetailColumn) -> String? {
    if case .number(_, .seconds) = column.type { return column.number(of: self).map { AgeText.length(seconds: $0) } }
    return text(of: column)
  }
}
