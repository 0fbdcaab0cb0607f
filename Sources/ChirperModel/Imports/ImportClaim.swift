/// The facts about a list whose rows are those of a file that was imported.
package struct ImportClaim: Hashable, Sendable {
  /// The DOI of the file, without an address: `10.15468/dl.8k2qf5`.
  package var doi: String?
  /// The title that the file has.
  package var title: String?
  /// The day on which the file was made, as it says: `2026-11-20`.
  package var madeOn: String?
  /// The name of the file, without its folder.
  package var file: String
  /// A text that a different file does not have.
  package var fingerprint: String
  /// Rows of the file.
  package var rows = 0
  /// Rows of the file that have no sound.
  package var silent = 0
  /// Rows of the file, of its media too, that could not be read, or not in full.
  package var unreadable = 0
  /// The first `unreadLimit` of these.
  package var unread: [UnreadRow] = []
  /// The file's own texts about how to cite its datasets, and about their rights.
  package var citations: String?
  package var rights: String?

  /// A row that could not be read.
  package struct UnreadRow: Hashable, Sendable {
    /// The line of the file on which it begins, from 1.
    package let line: Int
    package let reason: String

    package init(line: Int, reason: String) { (self.line, self.reason) = (line, reason) }
  }

  package static let unreadLimit = 100

  package init(file: String, fingerprint: String) {
    self.file = file
    self.fingerprint = fingerprint
  }

  /// The address of its DOI.
  package var address: String? { doi.map { "https://doi.org/\($0)" } }

  /// Counts a row that could not be read.
  package mutating func countUnreadable(line: Int, _ reason: String) {
    unreadable += 1
    if unread.count < Self.unreadLimit { unread.append(UnreadRow(line: line, reason: reason)) }
  }
}
