import Chirper
import ChirperModel

/// An annotation as a row of a table of its own, with the recording that it is of.
struct AnnotationRow: TableRow, Sendable {
  let recording: RecordingRow
  let annotation: RecordingDetails.Annotation

  private static let recordingColumns: [RecordingColumn] = [
    .id, .catalogue, .detail(.catalogNumber),
  ]

  /// The columns that say which recording it is of, then its own.
  static let columns = ValueColumns<AnnotationRow>(
    recordingColumns.map(\.name) + AnnotationColumn.allCases.map(\.rawValue)
  ) { row in
    row.recording.values(of: recordingColumns)
      + AnnotationColumn.allCases.map { $0.value(of: row.annotation) }
  }
}
