import Foundation

/// A row that entered a list or left it.
package struct MovedRow: Equatable, Sendable {
  package let key: Int64
  package let id: String
  /// What was stored before, in milliseconds: of a row that entered, when it had left the list; of
  /// a row that left, when it had entered after the list's first reading. `nil` if nothing was.
  package let earlier: Int64?
}

/// The difference between a list at the start of a run and now.
///
/// A walk can miss a row that moves upstream while its pages are read, and the next walk of the
/// run finds it again. Such a row neither left the list nor entered it, and `arrival` and
/// `departure` say of it what they said
/// before the run.
package struct RunChanges: Sendable {
  /// Keys of rows that the list did not have at the start. Those of a first reading follow each
  /// other, and take no space.
  private var entered = IndexSet()
  /// When the rows in `entered` that had left the list before the run had left it.
  private var departures: [Int64: Int64] = [:]
  /// Rows that the list had at the start and has no more, and when they had entered it.
  private var left: [Int64: Int64?] = [:]

  package init() {}

  /// Whether the list did not have the row at the start.
  func hasEntered(_ key: Int64) -> Bool { entered.contains(Int(key)) }

  /// When a row that entered the list in this run had left it before the run.
  func departure(of key: Int64) -> Int64? { departures[key] }

  /// When a row that left the list in this run had entered it before the run, which is `nil` for a
  /// row of the list's first reading; `nil` for a row that has not left it.
  func arrival(of key: Int64) -> Int64?? { left[key] }

  /// Notes rows that entered the list. Returns the ids of those that it did not have at the start,
  /// and of those that it had.
  package mutating func note(entered rows: [MovedRow]) -> (new: [String], back: [String]) {
    var (new, back): ([String], [String]) = ([], [])
    for row in rows {
      if left.removeValue(forKey: row.key) != nil {
        back.append(row.id)
      } else {
        entered.insert(Int(row.key))
        departures[row.key] = row.earlier
        new.append(row.id)
      }
    }
    return (new, back)
  }

  /// Notes rows that a closed walk removed. Returns the ids of those that the list had at the
  /// start, and of those that it had not.
  package mutating func note(removed rows: [MovedRow]) -> (gone: [String], withdrawn: [String]) {
    var (gone, withdrawn): ([String], [String]) = ([], [])
    for row in rows {
      if entered.remove(Int(row.key)) != nil {
        departures[row.key] = nil
        withdrawn.append(row.id)
      } else {
        left.updateValue(row.earlier, forKey: row.key)
        gone.append(row.id)
      }
    }
    return (gone, withdrawn)
  }
}
