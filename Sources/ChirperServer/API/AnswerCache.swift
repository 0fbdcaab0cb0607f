import Chirper
import ChirperModel

/// What was found for a few requests, kept while clients read it page by page.
struct AnswerCache<Key: Hashable & Sendable, Value: Sendable>: Sendable {
  struct Entry: Sendable {
    let value: Value
    /// The version of what is stored when the value was made.
    let version: [Int]
    let made: ContinuousClock.Instant
    /// The time that it took to make it.
    let cost: Duration
    var used: ContinuousClock.Instant
  }

  private let entries = Locked<[Key: Entry]>([:])
  /// The most entries: those that were used last.
  private static var most: Int { 8 }

  /// The value for a key.
  ///
  /// - Parameters:
  ///   - version: the version of what is stored now.
  ///   - isFresh: whether a kept value is still good at this time.
  ///   - make: makes the value if none is kept that is good.
  func value(
    for key: Key, version: [Int], isFresh: (Entry, ContinuousClock.Instant) -> Bool,
    _ make: () throws -> Value
  ) rethrows -> Value {
    let start = ContinuousClock.now
    if let known = entries.withLock({ $0[key] }), isFresh(known, start) {
      entries.withLock { $0[key]?.used = start }
      return known.value
    }
    let value = try make()
    let made = ContinuousClock.now
    entries.withLock { all in
      all[key] = Entry(
        value: value, version: version, made: made, cost: made - start, used: made)
      while all.count > Self.most, let oldest = all.min(by: { $0.value.used < $1.value.used }) {
        all[oldest.key] = nil
      }
    }
    return value
  }

  /// Calls `body` again, without what was kept, if a recording that was found is not stored any
  /// more.
  func retryingIfForgotten(_ body: () throws -> Answer) throws -> Answer {
    do {
      return try body()
    } catch let error as StoreError where error.reason == .recordingForgotten {
      entries.withLock { $0 = [:] }
      return try body()
    }
  }
}
