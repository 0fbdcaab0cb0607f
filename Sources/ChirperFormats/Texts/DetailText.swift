import Chirper
import ChirperModel

extension RecordingDetails {
  /// A detail as a table shows it: as its text, but a length as `3:45`; `nil` where it is not known.
  package func cell(of name: DetailName) -> String? {
    name == .duration ? duration.map { AgeText.length(seconds: $0) } : text(of: name)
  }
}
