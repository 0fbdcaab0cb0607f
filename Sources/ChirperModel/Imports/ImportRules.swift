/// A row of a Darwin Core archive, or of a catalogue's table.
package struct ArchiveRow: Sendable {
  /// The line on which it begins, from 1.
  package let line: Int
  /// The value of the key that other tables of the archive name.
  package let key: String
  /// The values that are not empty, by the names of their terms.
  package let record: RecordingFields
  /// The media of the record, whose members are named after terms: `type`, `identifier`.
  package let media: [RecordingFields]
  /// A text that archives of other datasets do not have.
  package let dataset: String

  package init(
    line: Int, key: String, record: RecordingFields, media: [RecordingFields] = [],
    dataset: String = ""
  ) {
    self.line = line
    self.key = key
    self.record = record
    self.media = media
    self.dataset = dataset
  }
}

/// The way in which a catalogue takes the rows of archives.
package struct ImportRules: Sendable {
  /// The address of a term that only the catalogue's own archives have, or of the kind of rows that
  /// it takes of any archive; of a table the heading of the column with the id.
  package let term: String
  /// The advice for a file that has nothing to import.
  package let advice: String
  /// Whether its files are tables of comma-separated values, and not archives.
  package var isTable = false
  /// Whether a row without media is a recording too.
  package var takesSilent = false
  /// The names that columns have in records, where it is not that of their term; `nil` for one that
  /// is left out.
  package var names: [String: String?] = [:]
  /// The names in records whose values are lists, with semicolons between the items.
  package var lists: Set<String> = []
  /// The details that a recording of the service can have and one of an archive cannot, or has of
  /// a different taxonomy.
  package var missing: Set<DetailColumn> = []
  /// The recordings of a row, one for each sound, with the ids that the catalogue's service would
  /// give them.
  package let recordings: @Sendable (ArchiveRow) -> ImportedRow

  package init(
    _ term: String, advice: String, recordings: @escaping @Sendable (ArchiveRow) -> ImportedRow
  ) {
    self.term = term
    self.advice = advice
    self.recordings = recordings
  }
}

/// The form of a record that no service sent.
package enum ImportedForm: String, CaseIterable, Sendable {
  /// The row of an archive, with the names that the catalogue's service uses.
  case archive
  /// The details of a recording by the names of their columns.
  case details
  /// The line of a file of the catalogue's own, by the headings of its columns.
  case table
  /// The record as its service sent it, from a file of such records.
  case record
}

extension RecordingFields {
  /// The name of the first member of a record that no service sent; its value is the form.
  package static let mark = "importedAs"
  private static let prefixes = ImportedForm.allCases.map { form in
    (form, Array("{\"\(mark)\":\"\(form.rawValue)\"".utf8))
  }

  /// The form of a record that was imported; `nil` if a service sent it.
  package var importedForm: ImportedForm? {
    Self.prefixes.first { bytes.starts(with: $0.1) }?.0
  }

  /// A record of a file of records, marked as such unless it has a mark.
  package init(importedRecord fields: RecordingFields) {
    guard fields.importedForm == nil else {
      self = fields
      return
    }
    self.init(
      importedAs: .record,
      fields.members.filter { $0.name != Self.mark }.map { ($0.name, Array($0.value.json.utf8)) })
  }

  /// A record that is imported, with the members of each of the objects.
  package init(importedAs form: ImportedForm, membersOf objects: [RecordingFields]) {
    var bytes = Array("{\"\(Self.mark)\":\"\(form.rawValue)\"".utf8)
    bytes.reserveCapacity(objects.reduce(bytes.count + 1) { $0 + $1.bytes.count })
    for object in objects where object.bytes.count > 2 {
      bytes.append(UInt8(ascii: ","))
      bytes += object.bytes[1..<(object.bytes.count - 1)]
    }
    bytes.append(UInt8(ascii: "}"))
    self.init(canonical: bytes)
  }

  /// A record that is imported, of members that are canonical JSON.
  package init(importedAs form: ImportedForm, _ members: [(name: String, json: [UInt8])]) {
    var bytes = Array("{\"\(Self.mark)\":\"\(form.rawValue)\"".utf8)
    for (name, json) in members {
      bytes.append(UInt8(ascii: ","))
      JSONText.append(quoted: name, to: &bytes)
      bytes.append(UInt8(ascii: ":"))
      bytes += json
    }
    bytes.append(UInt8(ascii: "}"))
    self.init(canonical: bytes)
  }
}

/// The result for a row of a file that is imported.
package enum ImportedRow: Sendable {
  /// The recordings of the row, all of one catalogue: one for each sound.
  ///
  /// - Parameters:
  ///   - line: the line of the row.
  ///   - leftOut: sounds of the row beyond the most of one record.
  ///   - isOnly: whether no other row has the same recordings.
  case recordings([Recording], line: Int, leftOut: Int = 0, isOnly: Bool = true)
  /// The row has no sound.
  case silent
  case unreadable(line: Int, reason: String)
  /// A part of the file is missing in the list: of a row that counts, or of a different table.
  case incomplete(line: Int, reason: String)

  /// The line and the reason of what could not be read.
  package var missing: (line: Int, reason: String)? {
    switch self {
    case .unreadable(let line, let reason), .incomplete(let line, let reason): (line, reason)
    case .recordings, .silent: nil
    }
  }
}
