/// Where an answer may come from.
public enum ReadPolicy: Hashable, Sendable {
  /// The store, never the network.
  case storeOnly
  /// The store at once, then the network.
  case storeThenNetwork
  /// The network; stored rows are shown only if it fails.
  case networkThenStore
  /// The network only for pages older than that.
  case ifOlder(than: Duration)
}
