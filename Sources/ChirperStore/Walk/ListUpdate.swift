import ChirperModel

/// What a catalogue sent to bring a complete list up to date without a walk.
package struct ListUpdate: Sendable {
  /// Everything that was added since the newest upload of the list; it may contain recordings that the list has already.
  package let additions: RecordingPage
  /// The list's first page, requested after the additions, with the current total.
  package let firstPage: RecordingPage

  package init(additions: RecordingPage, firstPage: RecordingPage) {
    self.additions = additions
    self.firstPage = firstPage
  }
}
