import Chirper
import ChirperModel
import Foundation

/// The exit codes and hints of search, fetch and audio errors; their sentences are the library's
/// (`ErrorText`). A service's own messages are inserted as sent and escaped when they are printed.
extension UserFacingError {
  package init(_ error: LoadError) {
    switch error {
    case .fetch(let error, let catalogue, let page):
      self.init(error, catalogue: catalogue, page: page)
    case .store(let error): self.init(error)
    case .cancelled: self = .interrupted(terminated: false)
    }
  }

  /// A run that a signal or the user ended.
  package static func interrupted(terminated: Bool) -> UserFacingError {
    UserFacingError(
      terminated ? .terminated : .interrupted, "interrupted",
      terminated ? "Terminated by a signal" : "Interrupted",
      hint: continues)
  }

  private static let continues = "What arrived is stored; the same command continues from there."

  /// The way to get the key of a catalogue and set it.
  package static func howToGetAKey(_ key: Catalogue.KeyRequirement) -> String {
    "Get a free key at \(key.helpAddress), then type: chirper auth set"
  }

  package init(_ error: FetchError, catalogue id: CatalogueID, page: Int?) {
    let catalogue = Catalogues.named(id)
    let again = "Type the same command again later; it continues where this one stopped."
    let report =
      "If it happens again, the service may be failing or may have changed; what is stored is not affected."
    let key = catalogue?.key.map(Self.howToGetAKey)
    let (status, hint): (ExitStatus, String?) =
      switch error {
      case .offline: (.unreachable, "chirper list and chirper export work without a network.")
      case .unreachable: (.unreachable, again)
      case .timedOut: (.tryLater, again)
      case .truncated: (.notUnderstood, again)
      case .rateLimited: (.tryLater, again)
      case .serverBusy: (.tryLater, again)
      case .refused:
        (
          .failed,
          "Check the query.\(catalogue?.queryHelpAddress.map { " The query language is described at \($0)." } ?? "")"
        )
      case .tooDeep:
        (
          .failed,
          "Narrow the query\(catalogue?.depth.map { " with \($0.narrowing)" } ?? ""), and fetch its parts one by one."
        )
      case .unknownTag:
        (
          .failed,
          "Leave the tag out, or fetch some pages only, as in: --pages 3. Page 1 is stored."
        )
      case .endless: (.notUnderstood, again)
      case .unknownCatalogue: (.failed, "Use the version of chirper that stored it.")
      case .keyMissing: (.key, key)
      case .keyRefused: (.key, key)
      case .webPage:
        (.notUnderstood, "Sign in to the network in a browser, then type the same command again.")
      case .malformed: (.notUnderstood, report)
      case .tooLarge: (.notUnderstood, report)
      case .unknownEncoding: (.notUnderstood, report)
      case .addressRefused:
        (.configuration, "Set the base URL to an HTTPS address, or to one on this machine.")
      case .redirectRefused: (.unreachable, report)
      case .badCertificate:
        (.unreachable, "Check the machine's clock and network. This check cannot be skipped.")
      case .proxyRefused(let proxy):
        (
          .unreachable,
          "Set https_proxy with both, as in: https_proxy=http://NAME:PASSWORD@\(proxy)"
        )
      case .cancelled: (.interrupted, Self.continues)
      }
    self.init(status, error.code, error.text(of: id, page: page), hint: hint)
  }

  /// The reason why a recording has no audio.
  package init(_ error: AudioError, _ id: RecordingID) {
    let text = error.text(of: id)
    switch error {
    case .withheld, .none, .addressRefused, .badID: self.init(.failed, error.code, text)
    case .fetch(let error): self.init(error, catalogue: id.catalogue, page: nil)
    case .store(let error): self.init(error)
    case .inUse(let holder): self.init(.tryLater, error.code, text, hint: Self.waitFor(holder))
    case .file(_, let number) where AudioError.isWriting(number):
      self.init(
        .inputOutput, error.code, text,
        hint: "Check the disk and the limits of the system, then type the same command again.")
    case .file:
      self.init(
        .cannotCreate, error.code, text,
        hint: "Audio is kept in the data directory: see chirper doctor.")
    }
  }
}
