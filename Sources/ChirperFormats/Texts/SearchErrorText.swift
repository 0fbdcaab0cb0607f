import Chirper
import ChirperModel
import Foundation

/// The texts of search, fetch and audio errors. A service's own messages are inserted as sent and escaped when they are
/// printed.
extension UserFacingError {
  package init(_ error: SearchError) {
    switch error {
    case .fetch(let error, let catalogue, let page): self.init(error, catalogue: catalogue, page: page)
    case .store(let error): self.init(error)
    case .cancelled: self = .interrupted(terminated: false)
    }
  }

  /// A run that a signal or the user ended.
  package static func interrupted(terminated: Bool) -> UserFacingError {
    UserFacingError(
      terminated ? .terminated : .interrupted, "interrupted", terminated ? "Terminated" : "Interrupted",
      hint: "What arrived is stored; the same command continues from there.")
  }

  /// How to get the key of a catalogue and set it.
  package static func howToGetAKey(_ key: Catalogue.KeyRequirement) -> String {
    "Get a free key at \(key.helpURL), then type: chirper auth set"
  }

  package init(_ error: FetchError, catalogue id: CatalogueID, page: Int?) {
    let catalogue = Catalogues.named(id)
    let name = catalogue?.name ?? id.rawValue
    let subject = page.map { "\(name), page \($0)" } ?? name
    let again = "Type the same command again later; it continues where this one stopped."
    let report = "If it happens again, the service may be failing or may have changed; what is stored is not affected."
    let key = catalogue?.key.map(Self.howToGetAKey)
    switch error {
    case .offline(let host):
      self.init(
        .unreachable, "offline", subject, "no network, or \(host) did not resolve",
        hint: "chirper list and chirper export work without a network.")
    case .unreachable(let host, let detail):
      self.init(.unreachable, "unreachable", subject, "\(host) cannot be reached: \(detail)", hint: again)
    case .timedOut(let host, let phase):
      self.init(.tryLater, "timed-out", subject, "\(host) \(Self.timeout(phase))", hint: again)
    case .truncated:
      self.init(.notUnderstood, "truncated", subject, "the answer was cut off, so it was not stored", hint: again)
    case .rateLimited(let wait):
      let time = wait.map { " \(AgeText.words($0))" } ?? ""
      self.init(.tryLater, "rate-limited", subject, "too many requests; the service asks to wait\(time)", hint: again)
    case .serverBusy(let status, let wait):
      let time = wait.map { "; it asks to wait \(AgeText.words($0))" } ?? ""
      self.init(.tryLater, "server-busy", subject, "the server cannot answer now (status \(status))\(time)", hint: again)
    case .refused(let status, let message):
      let help = catalogue?.queryHelpURL.map { " The query language is described at \($0)." } ?? ""
      self.init(
        .failed, "refused", subject, "the service rejects the request (status \(status))\(Self.quote(message))",
        hint: "Check the query.\(help)")
    case .tooDeep(let total, let limit):
      let count = total.map { "the query finds \($0) records, and " } ?? ""
      let narrowing = catalogue?.depth.map { " with \($0.narrowing)" } ?? ""
      self.init(
        .failed, "too-deep", name, "\(count)only the first \(limit) of a list can be read",
        hint: "Narrow the query\(narrowing), and fetch its parts one by one.")
    case .unknownCatalogue:
      self.init(
        .failed, "unknown-catalogue", subject, "this version of chirper does not support the catalogue",
        hint: "Use the version of chirper that stored it.")
    case .keyMissing:
      self.init(.key, "key-missing", name, "a key is needed and none is set", hint: key)
    case .keyRefused(let status, let message):
      self.init(
        .key, "key-refused", name, "the service rejects the key (status \(status))\(Self.quote(message))", hint: key)
    case .webPage:
      self.init(
        .notUnderstood, "web-page", subject, "the network answered with a web page: a captive portal?",
        hint: "Sign in to the network in a browser, then type the same command again.")
    case .malformed(let detail):
      self.init(.notUnderstood, "malformed", subject, "the answer cannot be read: \(detail)", hint: report)
    case .tooLarge(let limit):
      self.init(.notUnderstood, "too-large", subject, "the answer is larger than \(limit) bytes", hint: report)
    case .unknownEncoding(let encoding):
      self.init(
        .notUnderstood, "unknown-encoding", subject, "the answer has the unknown encoding \"\(encoding)\"", hint: report)
    case .addressRefused(let reason):
      self.init(
        .configuration, "address-refused", subject, "the configured base URL cannot be used: \(reason)",
        hint: "Set the base URL to an HTTPS address, or to one on this machine.")
    case .redirectRefused(let reason):
      self.init(.unreachable, "redirect-refused", subject, "a redirect was not followed: \(reason)", hint: report)
    case .badCertificate(let host):
      self.init(
        .unreachable, "bad-certificate", subject, "the certificate of \(host) is not trusted",
        hint: "Check the machine's clock and network. There is no flag to skip this check.")
    case .proxyRefused(let proxy):
      self.init(
        .unreachable, "proxy-refused", subject, "the proxy \(proxy) asks for a name and password (status 407)",
        hint: "Set https_proxy with both, as in: https_proxy=http://NAME:PASSWORD@\(proxy)")
    case .cancelled:
      self = .interrupted(terminated: false)
    }
  }

  private static func timeout(_ phase: FetchError.TimeoutPhase) -> String {
    switch phase {
    case .connect: "did not accept a connection in time"
    case .firstByte: "accepted the connection but did not answer in time"
    case .idle: "stopped sending in the middle of its answer"
    case .whole: "took too long to send its answer"
    }
  }

  private static func quote(_ message: String?) -> String {
    guard let message, !message.isEmpty else { return "" }
    return ": \"\(message.prefix(300))\""
  }

  /// Why there is no audio.
  package init(_ error: AudioError, _ id: RecordingID) {
    let subject = "\(id)"
    switch error {
    case .withheld(let reason?):
      let words = reason.split(separator: "_").joined(separator: " ")
      self.init(.failed, "no-audio", subject, "the service withholds the audio (\(words))")
    case .withheld(reason: nil):
      self.init(.failed, "no-audio", subject, "the service withholds the audio: its species is restricted")
    case .none: self.init(.failed, "no-audio", subject, "it has no audio")
    case .addressRefused(let reason): self.init(.failed, "no-audio", subject, "its audio was not requested: \(reason)")
    case .badID: self.init(.failed, "no-audio", subject, "its id cannot be a file name")
    case .fetch(let error): self.init(error, catalogue: id.catalogue, page: nil)
    case .store(let error): self.init(error)
    case .inUse(let holder):
      self.init(
        .tryLater, "audio-in-use", subject,
        "\(holder ?? "another chirper process") has been downloading the same audio, without progress for a minute",
        hint: Self.waitFor(holder))
    case .file(let path, let number) where [ENOSPC, EDQUOT, EFBIG, EIO].contains(number):
      self.init(
        .inputOutput, "write-failed", path, "writing failed: \(String(cString: strerror(number)))",
        hint: "Check the disk and the limits of the system, then type the same command again.")
    case .file(let path, let number):
      self.init(
        .cannotCreate, "cannot-create", path, "the file cannot be written: \(String(cString: strerror(number)))",
        hint: "Audio is kept in the data directory: see chirper doctor.")
    }
  }
}
