import ChirperModel
import Foundation
import GRDB

#if Collection

/// The effect of storing or removing labels.
package struct LabelChange: Equatable, Sendable {
  /// The recordings that got other labels than before.
  package internal(set) var recordings = 0
  /// The labels that were stored, those of before included if they are the same.
  package internal(set) var labels = 0
  /// The labels that were removed, or that others took the place of.
  package internal(set) var removed = 0
  /// The recordings with labels of the same author and file name that were not among those of the
  /// change.
  package var others = 0
}

/// The labels that files of one name have for a recording, by one author.
package struct StoredLabels: Hashable, Sendable {
  package let recording: RecordingID
  package let author: String
  package let count: Int
}

extension RecordingStore {
  /// Stores the labels that a file has for recordings, all or none. They take the place of those
  /// that a file of that name, by the same author, had for these recordings; of a recording without
  /// labels they are removed.
  package func setLabels(
    _ labels: [RecordingID: [RecordingDetails.Annotation]], of file: String, by author: String,
    at date: Date
  ) throws(StoreError) -> LabelChange {
    try write { db in
      var change = LabelChange()
      for (id, labels) in labels {
        change.labels += labels.count
        guard let catalogue = try storedID(of: id.catalogue, db) else { continue }
        if !labels.isEmpty { change.others -= 1 }
        let earlier = try db.firstRow(
          """
          SELECT annotations FROM label
          WHERE catalogue_id = ? AND id = ? AND file = ? AND identified_by = ?
          """, catalogue, id.value, file, author
        ) { $0.text(0) }
        guard earlier != (labels.isEmpty ? nil : labels.json) else { continue }
        if labels.isEmpty {
          try remove(StoredLabels(recording: id, author: author, count: 0), of: file, db)
        } else {
          try db.run(
            "INSERT OR REPLACE INTO label VALUES (?, ?, ?, ?, ?, ?)", catalogue, id.value, file,
            author, date, labels.json)
          try noteLabelChange(catalogue, id.value, db)
        }
        change.recordings += 1
        change.removed += earlier.map { [RecordingDetails.Annotation](json: $0).count } ?? 0
      }
      change.others +=
        try db.firstRow(
          "SELECT count(*) FROM label WHERE file = ? AND identified_by = ?", file, author
        ) { $0.count(0) } ?? 0
      return change
    }
  }

  /// The labels of the files of that name.
  package func storedLabels(of file: String) throws(StoreError) -> [StoredLabels] {
    try read { db in
      try db.rows(
        """
        SELECT name, id, identified_by, annotations FROM label JOIN catalogue USING (catalogue_id)
        WHERE file = ?
        """, file
      ) {
        StoredLabels(
          recording: RecordingID(
            catalogue: CatalogueID(rawValue: $0.text(0)), value: $0.text(1)), author: $0.text(2),
          count: [RecordingDetails.Annotation](json: $0.text(3)).count)
      }
    }
  }

  /// Removes these labels of the files of that name.
  package func remove(_ labels: [StoredLabels], of file: String) throws(StoreError) {
    try write { db in
      for labels in labels { try remove(labels, of: file, db) }
    }
  }

  private func remove(_ labels: StoredLabels, of file: String, _ db: Database) throws {
    guard let catalogue = try storedID(of: labels.recording.catalogue, db) else { return }
    let id = labels.recording.value
    try db.run(
      "DELETE FROM label WHERE catalogue_id = ? AND id = ? AND file = ? AND identified_by = ?",
      catalogue, id, file, labels.author)
    try noteLabelChange(catalogue, id, db)
  }

  /// The search index has the details of a recording, and its labels with them.
  private func noteLabelChange(_ catalogue: Int64, _ id: String, _ db: Database) throws {
    if let key = try key(of: id, in: catalogue, db) {
      try SearchIndexChanges(db).noteChange(of: key)
    }
  }

  /// The recordings that have labels, also those that are not stored now, and the names of the files.
  package func labelled() throws(StoreError) -> (recordings: Int, files: [String]) {
    try read { db in
      (
        try db.firstRow("SELECT count(*) FROM (SELECT DISTINCT catalogue_id, id FROM label)") {
          $0.count(0)
        } ?? 0,
        try db.rows("SELECT DISTINCT file FROM label ORDER BY file") { $0.text(0) }
      )
    }
  }

  /// The labels of a recording, those of one file after the other.
  package func labels(of id: RecordingID) throws(StoreError) -> [RecordingDetails.Annotation] {
    try read { db in try labels(of: id, db) }
  }
}

#endif

extension RecordingStore {
  func labels(of id: RecordingID, _ db: Database) throws -> [RecordingDetails.Annotation] {
    try db.rows(
      """
      SELECT annotations FROM label JOIN catalogue USING (catalogue_id)
      WHERE name = ? AND id = ? ORDER BY file, identified_by
      """, id.catalogue.rawValue, id.value
    ) { [RecordingDetails.Annotation](json: $0.text(0)) }.flatMap(\.self)
  }
}
