import ChirperModel

/// Why there is nothing to hear.
package enum AudioError: Error, Hashable, Sendable {
  /// The catalogue gives no audio of the recording; its reason, raw, where it names one.
  case withheld(reason: String?)
  /// The catalogue knows no audio field at all, or the recording has none.
  case none
  /// The address the catalogue gave may not be asked, and why.
  case addressRefused(String)
  /// The recording's id makes no file name.
  case badID
  case fetch(FetchError)
  /// A file of the audio directory could not be written: its path and `errno`.
  case file(path: String, errno: Int32)
}
