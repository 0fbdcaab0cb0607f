/// The reason why a recording's audio cannot be a local file.
#if hasAttribute(nonexhaustive)
@nonexhaustive
#endif
public enum AudioError: Error, Hashable, Sendable {
  /// The catalogue withholds the audio of this recording; its reason, raw, if it gives one:
  /// `restricted_species`.
  case withheld(reason: String?)
  /// The catalogue has no audio, or none of this recording.
  case none
  /// The address the catalogue gave may not be requested, and why.
  case addressRefused(String)
  /// The recording's id cannot be a file name.
  case badID
  /// The file could not be requested.
  case fetch(FetchError)
  /// The store, which keeps the rate limit, could not be read or written.
  case store(StoreError)
  /// A different process downloads the recording, without progress for a minute: `process
  /// 4711 (chirper sync)`, if it is known.
  case inUse(holder: String?)
  /// A file of the audio directory could not be written: its path and `errno`.
  case file(path: String, errno: Int32)
}
