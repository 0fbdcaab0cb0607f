import ChirperModel

/// The stored queries to choose from, where the program was started without one.
package struct QueryList: Sendable {
  var queries: [StoredQuery] = []
  /// Whether the store was asked: no queries before that says nothing.
  var isRead = false
  var selection = Selection()

  var selected: StoredQuery? { queries.indices.contains(selection.selected) ? queries[selection.selected] : nil }
}
