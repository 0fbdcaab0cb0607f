/// One answer of a catalogue: a page's number, its recordings in order and what the catalogue said of the whole.
public struct RecordingPage: Hashable, Sendable {
  /// From 1.
  public let number: Int
  public let recordings: [Recording]
  /// `nil` for a catalogue that gives none.
  public let totals: Totals?
  /// The remote key: the next page to ask for; `nil` where this page is the last.
  public let next: Int?
  /// Records that could not be read, having no usable id.
  public let skipped: Int
  /// What stands just before this page's first recording, where the catalogue was asked for it; a walk compares it with
  /// the last of the page before to see a shift that no total tells.
  public let preceding: Preceding
  /// How often the answer repeated the key; `***` is in its place.
  public let redactions: Int

  /// What stands before a page.
  public enum Preceding: Hashable, Sendable {
    /// Not asked for, or not readable.
    case unknown
    case recording(RecordingID)
    /// The list ends before that place.
    case nothing
  }

  public init(
    number: Int, recordings: [Recording], totals: Totals?, next: Int?, skipped: Int = 0, preceding: Preceding = .unknown,
    redactions: Int = 0
  ) {
    self.number = number
    self.recordings = recordings
    self.totals = totals
    self.next = next
    self.skipped = skipped
    self.preceding = preceding
    self.redactions = redactions
  }
}

/// What a catalogue says of the whole list.
public struct Totals: Hashable, Sendable {
  public let recordings: Int
  public let pages: Int
  /// Distinct species, where the catalogue counts them.
  public let species: Int?

  public init(recordings: Int, pages: Int, species: Int? = nil) {
    self.recordings = recordings
    self.pages = pages
    self.species = species
  }
}
