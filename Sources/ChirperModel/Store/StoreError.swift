/// The reason why the store could not be opened, read or written. What it is about is in its
/// `presentation`: a code, which stays, and sentences.
public struct StoreError: Error, Hashable, Sendable {
  package let reason: Reason

  package init(_ reason: Reason) { self.reason = reason }

  /// Every reason.
  package enum Reason: Hashable, Sendable {
    /// `detail` is SQLite's own sentence.
    case damaged(path: String, detail: String)
    /// The file's schema version and the newest this program knows.
    case newer(path: String, version: Int, known: Int)
    /// A database, but not one of chirper's.
    case notOurs(path: String)
    /// The file, or its directory, cannot be written. `owner` is the account whose permission
    /// is missing, if it is not this one.
    case readOnly(path: String, owner: String? = nil)
    /// The disk, or the user's share of it, is full.
    case diskFull(path: String)
    /// The disk failed; `detail` is SQLite's own sentence.
    case inputOutput(path: String, detail: String)
    /// A lock was held by a different process for longer than the busy timeout: `process 4711
    /// (sqlite3)`, if it is known.
    case busy(path: String, holder: String? = nil)
    /// The query is being fetched by a different process, without progress for a minute.
    case queryInUse(holder: String? = nil)
    /// The file cannot be opened or created, and why.
    case cannotOpen(path: String, detail: String)
    /// The query was forgotten while its pages were stored: a page stored now would leave a list with
    /// a gap.
    case queryForgotten
    /// The list has the rows of a file that was imported, so the catalogue is not asked for it; the
    /// address of the file's DOI, if it has one.
    case listIsImported(address: String?)
    /// The walk that was about to be closed was closed by a different process.
    case walkClosed
    /// A different file has taken the place of the open one, as after a repair or when a backup is
    /// restored. Open the store again.
    case replaced(path: String)
    /// The file was moved or deleted while it was open.
    case removed(path: String)
    /// A recording was forgotten after the list that holds it was read.
    case recordingForgotten
    /// Anything else that SQLite reports, or a defect of the program.
    case unexpected(path: String, detail: String)
  }

  /// Whether a lock was held for too long.
  package var isBusy: Bool {
    if case .busy = reason { true } else { false }
  }
}

extension StoreError: CustomStringConvertible {
  /// The reason as it is written in a log: `recordingForgotten`.
  public var description: String { "\(reason)" }
}
