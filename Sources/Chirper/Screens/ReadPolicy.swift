extension Pager {
  /// The sources that an answer may come from.
  #if hasAttribute(nonexhaustive)
  @nonexhaustive
  #endif
  public enum ReadPolicy: Hashable, Sendable {
    /// The store, never the network.
    case storeOnly
    /// The store at once, then the network: page 1 is requested, and the stored pages only if
    /// it differs from the stored one.
    ///
    /// One request if nothing changed; up to one for each stored page if something did, at
    /// the catalogue's rate. A complete list of a catalogue that can be asked for changes
    /// takes a few requests in either case.
    case storeThenNetwork
    /// The network, as above; stored rows are shown only if it fails.
    case networkThenStore
    /// The sources of `storeThenNetwork`, without a request if page 1 was requested less than
    /// the duration ago.
    case ifOlder(than: Duration)
  }
}
