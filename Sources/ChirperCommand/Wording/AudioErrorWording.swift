import ChirperModel
import ChirperRemote
import ChirperTerminal

/// Why there is nothing to hear, in sentences.
extension UserFacingError {
  init(_ error: AudioError, _ id: RecordingID) {
    let words = "\(id): \(AudioWords.short(error, id.catalogue))."
    switch error {
    case .fetch(let error): self.init(SearchError.fetch(error, catalogue: id.catalogue, page: nil))
    case .withheld, .none, .addressRefused, .badID: self.init(.failed, "no-audio", words)
    case .file:
      self.init(.cannotCreate, "cannot-create", words, hint: "Audio is kept in the data directory: see chirper doctor.")
    }
  }
}
