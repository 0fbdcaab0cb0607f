/// What a catalogue says against its own record.
///
/// A catalogue's many words are read as these few; those that name no doubt (`COORDINATE_ROUNDED`)
/// and unknown words are not read, and stay in the raw fields.
#if hasAttribute(nonexhaustive)
  @nonexhaustive
#endif
public enum RecordingIssue: String, CaseIterable, Codable, Hashable, Sendable {
  /// The coordinate is wrong or doubtful: 0, 0, in another country than the record says, swapped.
  case coordinate
  /// The date is not valid, or disagrees with its parts.
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
