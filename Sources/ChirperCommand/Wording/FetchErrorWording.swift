import ChirperModel
import ChirperRemote

/// The sentences for what the network and the catalogues do; a catalogue's own words come raw and are made safe where
/// they are printed.
extension UserFacingError {
  init(_ error: SearchError) {
    switch error {
    case .fetch(let error, let catalogue, let page): self.init(error, catalogue: catalogue, page: page)
    case .store(let error): self.init(error)
    case .cancelled: self.init(CommandError.interrupted(terminated: false))
    }
  }

  init(_ error: FetchError, catalogue: CatalogueID, page: Int?) {
    let name = Catalogues.named(catalogue)?.name ?? catalogue.rawValue
    let it = page.map { "\(name), page \($0)" } ?? name
    let again = "Type the same command again later; it goes on where this one stopped."
    let upgrade = "If it happens again, the catalogue has changed or is ill; what is stored is not touched."
    switch error {
    case .offline(let host):
      self.init(
        .unreachable, "offline", "\(it): there is no network, or \(host) is not known to it.",
        hint: "chirper list and chirper export work without a network.")
    case .unreachable(let host, let detail):
      self.init(.unreachable, "unreachable", "\(it): \(host) cannot be reached: \(detail).", hint: again)
    case .timedOut(let host, let phase):
      self.init(.tryLater, "timed-out", "\(it): \(host) \(Self.silence(phase)).", hint: again)
    case .truncated:
      self.init(.notUnderstood, "truncated", "\(it): the answer broke off before its end, so it was not stored.", hint: again)
    case .rateLimited(let wait):
      let when = wait.map { " for \(DurationText.words($0))" } ?? ""
      self.init(.tryLater, "rate-limited", "\(it): too many requests; the catalogue asks to wait\(when).", hint: again)
    case .serverBusy(let status, let wait):
      let when = wait.map { "; it asks to wait for \(DurationText.words($0))" } ?? ""
      self.init(.tryLater, "server-busy", "\(it): the server cannot answer now (status \(status))\(when).", hint: again)
    case .refused(let status, let message):
      self.init(
        .failed, "refused", "\(it): the catalogue does not accept the request (status \(status))\(Self.quote(message)).",
        hint: "Check the query; xeno-canto's tags are listed at https://xeno-canto.org/help/search.")
    case .keyMissing:
      self.init(.key, "key-missing", "\(name) needs a key and none is set.", hint: CommandText.howToGetAKey)
    case .keyRefused(let status, let message):
      self.init(
        .key, "key-refused", "\(name) does not accept the key (status \(status))\(Self.quote(message)).",
        hint: CommandText.howToGetAKey)
    case .webPage:
      self.init(
        .notUnderstood, "web-page", "\(it): the network answered with a web page: a captive portal?",
        hint: "Sign in to the network in a browser, then type the same command again.")
    case .malformed(let detail):
      self.init(.notUnderstood, "malformed", "\(it): the answer could not be understood: \(detail).", hint: upgrade)
    case .tooLarge(let limit):
      self.init(.notUnderstood, "too-large", "\(it): the answer is larger than \(limit) bytes.", hint: upgrade)
    case .unknownEncoding(let encoding):
      self.init(
        .notUnderstood, "unknown-encoding", "\(it): the answer comes in the unknown encoding \"\(encoding)\".", hint: upgrade)
    case .addressRefused(let why):
      self.init(
        .configuration, "address-refused", "\(it): the address set for it is not asked: \(why).",
        hint: "Set the base URL to an HTTPS address, or to one on this machine.")
    case .redirectRefused(let why):
      self.init(.unreachable, "redirect-refused", "\(it): a redirect was not followed: \(why).", hint: upgrade)
    case .badCertificate(let host):
      self.init(
        .unreachable, "bad-certificate", "\(it): the certificate of \(host) cannot be trusted.",
        hint: "Check the machine's clock and network; chirper has no flag to go on regardless.")
    case .cancelled:
      self.init(CommandError.interrupted(terminated: false))
    }
  }

  private static func silence(_ phase: FetchError.TimeoutPhase) -> String {
    switch phase {
    case .connect: "did not accept a connection in time"
    case .firstByte: "accepted the connection but did not answer in time"
    case .idle: "fell silent in the middle of its answer"
    case .whole: "took too long over its answer"
    }
  }

  private static func quote(_ message: String?) -> String {
    guard let message, !message.isEmpty else { return "" }
    return ": \"\(message.prefix(300))\""
  }
}
