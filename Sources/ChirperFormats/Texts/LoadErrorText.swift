import Chirper
import ChirperModel
import Foundation

/// The exit codes and hints of search, fetch and audio errors; their sentences are the library's (`ErrorText`). A service's own
/// messages are inserted as sent and escaped when they are printed.
extension UserFacingError {
  package init(_ error: LoadError) {
    switch error {
    case .fetch(let error, let catalogue, let page): self.init(error, catalogue: catalogue, page: page)
    case .store(let error): self.init(error)
    case .cancelled: self = .interrupted(terminated: false)
    }
  }

  /// A run that a signal or the user ended.
  package static func interrupted(terminated: Bool) -> UserFacingError {
    UserFacingError(
      terminated ? .terminated : .interrupted, "interrupted", terminated ? "Terminated by a signal" : "Interrupted",
      hint: "What arrived is stored; the same command continues from there.")
  }

  /// How to get the key of a catalogue and set it.
  package static func howToGetAKey(_ key: Catalogue.KeyRequirement) -> String {
    "Get a free key at \(key.helpURL), then type: chirper auth set"
  }

  package init(_ error: FetchError, catalogue id: CatalogueID, page: Int?) {
    let catalogue = Catalogues.named(id)
    let text = error.text(of: id, page: page)
    let again = "Type the same command again later; it continues where this one stopped."
    let report = "If it happens again, the service may be failing or may have changed; what is stored is not affected."
    let key = catalogue?.key.map(Self.howToGetAKey)
    switch error {
    case .offline:
      self.init(.unreachable, "offline", text, hint: "chirper list and chirper export work without a network.")
    case .unreachable: self.init(.unreachable, "unreachable", text, hint: again)
    case .timedOut: self.init(.tryLater, "timed-out", text, hint: again)
    case .truncated: self.init(.notUnderstood, "truncated", text, hint: again)
    case .rateLimited: self.init(.tryLater, "rate-limited", text, hint: again)
    case .serverBusy: self.init(.tryLater, "server-busy", text, hint: again)
    case .refused:
      let help = catalogue?.queryHelpURL.map { " The query language is described at \($0)." } ?? ""
      self.init(.failed, "refused", text, hint: "Check the query.\(help)")
    case .tooDeep:
      let narrowing = catalogue?.depth.map { " with \($0.narrowing)" } ?? ""
      self.init(.failed, "too-deep", text, hint: "Narrow the query\(narrowing), and fetch its parts one by one.")
    case .endless: self.init(.notUnderstood, "endless", text, hint: again)
    case .unknownCatalogue:
      self.init(.failed, "unknown-catalogue", text, hint: "Use the version of chirper that stored it.")
    case .keyMissing: self.init(.key, "key-missing", text, hint: key)
    case .keyRefused: self.init(.key, "key-refused", text, hint: key)
    case .webPage:
      self.init(
        .notUnderstood, "web-page", text, hint: "Sign in to the network in a browser, then type the same command again.")
    case .malformed: self.init(.notUnderstood, "malformed", text, hint: report)
    case .tooLarge: self.init(.notUnderstood, "too-large", text, hint: report)
    case .unknownEncoding: self.init(.notUnderstood, "unknown-encoding", text, hint: report)
    case .addressRefused:
      self.init(
        .configuration, "address-refused", text, hint: "Set the base URL to an HTTPS address, or to one on this machine.")
    case .redirectRefused: self.init(.unreachable, "redirect-refused", text, hint: report)
    case .badCertificate:
      self.init(
        .unreachable, "bad-certificate", text,
        hint: "Check the machine's clock and network. There is no flag to skip this check.")
    case .proxyRefused(let proxy):
      self.init(
        .unreachable, "proxy-refused", text,
        hint: "Set https_proxy with both, as in: https_proxy=http://NAME:PASSWORD@\(proxy)")
    case .cancelled:
      self = .interrupted(terminated: false)
    }
  }

  /// Why there is no audio.
  package init(_ error: AudioError, _ id: RecordingID) {
    let text = error.text(of: id)
    switch error {
    case .withheld, .none, .addressRefused, .badID: self.init(.failed, "no-audio", text)
    case .fetch(let error): self.init(error, catalogue: id.catalogue, page: nil)
    case .store(let error): self.init(error)
    case .inUse(let holder): self.init(.tryLater, "audio-in-use", text, hint: Self.waitFor(holder))
    case .file(_, let number) where [ENOSPC, EDQUOT, EFBIG, EIO].contains(number):
      self.init(
        .inputOutput, "write-failed", text,
        hint: "Check the disk and the limits of the system, then type the same command again.")
    case .file:
      self.init(.cannotCreate, "cannot-create", text, hint: "Audio is kept in the data directory: see chirper doctor.")
    }
  }
}
