extension RecordingDetails {
  /// A doubt that a catalogue states about its own record.
  ///
  /// The many words of catalogues are read as these few. Words that name no doubt
  /// (`COORDINATE_ROUNDED`) and unknown words are not read, and stay in the raw fields.
  #if hasAttribute(nonexhaustive)
  @nonexhaustive
  #endif
  public enum Issue: String, CaseIterable, Hashable, Sendable {
    /// A wrong or doubtful coordinate: 0, 0, outside the record's country, swapped.
    case coordinate
    /// The date or the time is not valid, or the date disagrees with its parts.
    case date
    /// The name is not one of the catalogue's taxonomy, or only nearly.
    case name
    /// The species was questioned, or nobody but the recordist has confirmed it.
    case identification
    /// The catalogue does not count it as evidence: the date, the place or the sound is missing, or
    /// people voted so.
    case casual
    /// The animal was not wild.
    case captive
    /// People have flagged the sound, and the flag stands.
    case sound
  }
}

extension RecordingDetails {
  /// Adds the doubts about a date, a time and a coordinate that the record has and that could not be
  /// read.
  package mutating func addDoubts(hasDate: Bool, isTimeLost: Bool, hasPlace: Bool) {
    let isDateLost = hasDate && eventDate == nil && eventInterval == nil || isTimeLost
    let isPlaceLost = hasPlace && coordinate == nil
    issues = Issue.allCases.filter {
      issues.contains($0) || $0 == .date && isDateLost || $0 == .coordinate && isPlaceLost
    }
  }
}
