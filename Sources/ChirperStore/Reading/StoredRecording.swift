import ChirperModel
import Foundation

/// A stored recording, and what a search may ask about it besides its fields.
package struct StoredRecording: Sendable {
  package let key: Int64
  package let recording: Recording
  /// When it was first stored; UTC.
  package let storedAt: Date
  /// The numbers of the lists that it is in, and of those that it left; both are empty if they were not asked for.
  package private(set) var lists: [Int64] = []
  package private(set) var leftLists: [Int64] = []

  mutating func add(list: Int64, hasLeft: Bool) {
    if hasLeft { leftLists.append(list) } else { lists.append(list) }
  }
}
