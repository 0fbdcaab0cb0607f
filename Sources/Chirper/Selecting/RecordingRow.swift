#if Collection

import ChirperModel
import Foundation

/// A stored recording, as a search or a selection reads it.
public struct RecordingRow: Hashable, Sendable, Identifiable {
  /// The recording with all its fields.
  public let recording: Recording
  /// The recording in standard terms, computed when it was read.
  public let details: RecordingDetails
  /// The lists that it is in, the oldest first.
  public let lists: [CatalogueQuery]
  /// The lists that it was in until its catalogue removed it from them.
  public let leftLists: [CatalogueQuery]
  /// The path of `audioFile`.
  package let audioPath: String?
  /// Whether tables and files do not have that path.
  private let hidesAudioPath: Bool
  /// The time at which the recording was first stored, UTC.
  public let firstSeenAt: Date
  /// The time since which the recording has its fields, UTC.
  package let fieldsSince: Date
  /// The time at which it entered the list that is read, changed, or left it, for a part of
  /// a list with dates.
  package let date: Date?
  /// The recordings of other catalogues that are copies of it, in the order in which they were
  /// first stored. Read only for rows of which that is asked.
  package let copies: [RecordingID]

  /// Catalogue and id of the recording.
  public var id: RecordingID { recording.id }
  /// The file of its audio; `nil` if it is not downloaded.
  public var audioFile: URL? { audioPath.map { URL(filePath: $0) } }

  package init(
    recording: Recording, details: RecordingDetails, lists: [CatalogueQuery] = [],
    leftLists: [CatalogueQuery] = [],
    audioPath: String? = nil, hidesAudioPath: Bool = false, firstSeenAt: Date = .distantPast,
    fieldsSince: Date = .distantPast, date: Date? = nil, copies: [RecordingID] = []
  ) {
    self.recording = recording
    self.details = details
    self.lists = lists
    self.leftLists = leftLists
    self.audioPath = audioPath
    self.hidesAudioPath = hidesAudioPath
    self.firstSeenAt = firstSeenAt
    self.fieldsSince = fieldsSince
    self.date = date
    self.copies = copies
  }

  /// The path of `audioFile` for tables and files; `nil` for people who use a different machine, too.
  package var shownAudioPath: String? { hidesAudioPath ? nil : audioPath }

  /// Whether its audio is a file on this machine.
  public var isAudioDownloaded: Bool { audioPath != nil }
}

/// The contents of a row that are read besides its fields. Each takes time.
package struct RowContents: OptionSet, Sendable {
  package let rawValue: Int

  package init(rawValue: Int) { self.rawValue = rawValue }

  package static let details = RowContents(rawValue: 1)
  package static let lists = RowContents(rawValue: 2)
  package static let audio = RowContents(rawValue: 4)
  package static let dates = RowContents(rawValue: 8)
  static let copies = RowContents(rawValue: 16)
  /// The species of copies, where the recording's own names do not decide it.
  static let species = RowContents(rawValue: 32)
}

extension RecordingRow {
  package func value(of column: RecordingColumn) -> DetailColumn.Value {
    switch column {
    case .id: .text(recording.id.value)
    case .catalogue: .text(recording.id.catalogue.rawValue)
    case .detail(let column): column.value(of: details)
    // Each name once: two lists with the same text differ in their page size only.
    case .lists: .list(lists.map(\.typed).uniqued)
    case .leftLists: .list(leftLists.map(\.typed).uniqued)
    case .audio: .flag(isAudioDownloaded)
    case .audioFile: DetailColumn.Value(shownAudioPath)
    case .copies: .list(copies.map(\.description))
    case .firstSeenAt: .text(firstSeenAt.formatted(.iso8601))
    case .enteredAt, .changedAt, .goneAt: DetailColumn.Value(date?.formatted(.iso8601))
    case .field(let name): recording[name].map { .field($0) } ?? .none
    }
  }

  /// The values of those columns.
  package func values(of columns: [RecordingColumn]) -> [DetailColumn.Value] {
    // Once for all columns: a copy of the details takes longer than to write one of them.
    let details = details
    return columns.map { column in
      if case .detail(let detail) = column { detail.value(of: details) } else { value(of: column) }
    }
  }
}

#endif
