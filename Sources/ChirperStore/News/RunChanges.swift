import Foundation

/// A row that entered a list or left it.
package struct MovedRow: Equatable, Sendable {
  let key: Int64
  let id: String
  /// The time of the row's last move before the run, in milliseconds. For a row that
  /// entered, it is the time at which it had left the list. For a row that left, it is the
  /// time at which it had entered after the list's first reading. `nil` if none was stored.
  let earlier: Int64?
}

/// The difference between a list at the start of a run and now.
///
/// A walk can miss a row that moves upstream while its pages are read, and the next walk of
/// the run finds it again. Such a row neither left the list nor entered it, and its rows in
/// `arrival` and `departure` are as before the run.
package struct RunChanges: Sendable {
  /// Keys of rows that the list did not have at the start. The keys of a first reading
  /// follow each other, and take no space.
  private var entered = IndexSet()
  /// The times at which rows in `entered` had left the list before the run, by key.
  private var departures: [Int64: Int64] = [:]
  /// Rows that the list had at the start and has no more, and when they had entered it.
  private var left: [Int64: Int64?] = [:]

  package init() {}

  /// Whether the list did not have the row at the start.
  func hasEntered(_ key: Int64) -> Bool { entered.contains(Int(key)) }

  /// The time at which a row that entered the list in this run had left it before the run;
  /// `nil` if it had not.
  func departure(of key: Int64) -> Int64? { departures[key] }

  /// The time at which a row that left the list in this run had entered it before the run.
  /// The inner `nil` is for a row of the list's first reading, the outer one for a row that
  /// has not left it.
  func arrival(of key: Int64) -> Int64?? { left[key] }

  /// Notes rows that entered the list. Returns the ids of those that it did not have at the start,
  /// of those among them that had left it before the run, and of those that it had.
  package mutating func note(
    entered rows: [MovedRow]
  ) -> (new: [String], foundAgain: [String], back: [String]) {
    var (new, foundAgain, back): ([String], [String], [String]) = ([], [], [])
    for row in rows {
      if left.removeValue(forKey: row.key) != nil {
        back.append(row.id)
      } else {
        entered.insert(Int(row.key))
        departures[row.key] = row.earlier
        new.append(row.id)
        if hadLeft(row.key) { foundAgain.append(row.id) }
      }
    }
    return (new, foundAgain, back)
  }

  /// Whether a list had the row before the run, and a run before this one reported it as gone.
  private func hadLeft(_ key: Int64) -> Bool {
    departures[key].map { $0 != RecordingStore.neverListed } ?? false
  }

  /// Notes rows that a closed walk removed. Returns the ids of those that the list had at the
  /// start, of those that it had not, and of those among the latter that were found again.
  package mutating func note(
    removed rows: [MovedRow]
  ) -> (gone: [String], withdrawn: [String], foundAgain: [String]) {
    var (gone, withdrawn, foundAgain): ([String], [String], [String]) = ([], [], [])
    for row in rows {
      if entered.remove(Int(row.key)) != nil {
        if hadLeft(row.key) { foundAgain.append(row.id) }
        departures[row.key] = nil
        withdrawn.append(row.id)
      } else {
        left.updateValue(row.earlier, forKey: row.key)
        gone.append(row.id)
      }
    }
    return (gone, withdrawn, foundAgain)
  }
}
