import Chirper
import ChirperModel
import Foundation

/// Why there is nothing to hear, in one line.
package enum AudioWords {
  package static func short(_ error: AudioError, _ catalogue: CatalogueID) -> String {
    switch error {
    case .withheld(let reason?):
      "\(catalogue) gives no audio of it (\(reason.split(separator: "_").joined(separator: " ")))"
    case .withheld(reason: nil): "\(catalogue) gives no audio of it: its species is restricted"
    case .none: "\(catalogue) has no audio of it"
    case .addressRefused(let why): "its audio is not asked for: \(why)"
    case .badID: "its id makes no file name"
    case .fetch(let error): ErrorWords.short(error, catalogue)
    case .file(let path, let number): "\(path) cannot be written: \(String(cString: strerror(number)))"
    }
  }
}
