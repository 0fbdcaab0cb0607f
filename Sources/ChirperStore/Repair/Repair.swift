/// What `doctor --repair` did.
public struct Repair: Equatable, Sendable {
  /// The path that the damaged file has now.
  public internal(set) var damagedCopy = ""
  /// What is in the new store.
  public internal(set) var kept = Counts()
  /// What was lost, as far as the rest of the file refers to it; what left no trace cannot be counted.
  public internal(set) var lost = Counts()
  /// Queries, as they were typed, whose list is no longer whole; their next fetch requests what is missing.
  public internal(set) var incomplete: [String] = []

  /// Numbers of things in a store.
  public struct Counts: Equatable, Sendable {
    /// Lists.
    public var queries = 0
    /// Pages of lists.
    public var pages = 0
    /// Rows of lists.
    public var rows = 0
    /// Recordings.
    public var recordings = 0
  }
}
