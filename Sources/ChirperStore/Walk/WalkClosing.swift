import ChirperModel

/// What closing a walk did.
package struct WalkClosing: Equatable, Sendable {
  /// `nil`: the walk's pages disagree, and it stays open.
  package let completeness: Completeness?
  /// The ids of the recordings that left the list.
  package let goneIDs: [String]
  package var gone: Int { goneIDs.count }

  package init(completeness: Completeness?, goneIDs: [String]) {
    self.completeness = completeness
    self.goneIDs = goneIDs
  }
}
