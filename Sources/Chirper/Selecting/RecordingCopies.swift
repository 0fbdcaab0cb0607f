#if Collection

import ChirperModel
import ChirperStore

/// The stored recordings that are copies of stored recordings (`RecordingDetails.alsoIn`), by their
/// keys in the store.
///
/// This is the one rule of which rows are left out so that each recording is shown once: a copy
/// whose original is among the rows.
struct RecordingCopies: Sendable {
  /// A copy and its original.
  struct Copy {
    let key: Int64
    let original: Int64
  }

  /// The copies in the order of their originals, then of their keys.
  private let byOriginal: [Copy]

  static let none = RecordingCopies([])

  /// The copies, each once, without those that are copies of each other: these would leave out
  /// both.
  init(_ copies: [Copy]) {
    let originals = Dictionary(copies.lazy.map { ($0.key, $0.original) }) { first, _ in first }
    byOriginal = copies.filter { copy in
      var (origin, steps): (Int64?, Int) = (copy.original, 0)
      while let key = origin, steps < Self.longestChain {
        origin = originals[key]
        steps += 1
      }
      return origin == nil
    }
    .sorted { ($0.original, $0.key) < ($1.original, $1.key) }
  }

  /// The most steps from a copy to its first original; a longer chain is taken for a cycle.
  private static let longestChain = 8

  var isEmpty: Bool { byOriginal.isEmpty }

  /// The keys of all originals, ascending, each once.
  var originals: [Int64] {
    byOriginal.reduce(into: []) { keys, copy in
      if keys.last != copy.original { keys.append(copy.original) }
    }
  }

  /// The keys of the copies of those originals, ascending.
  ///
  /// - Parameter originals: the originals that are among the rows, ascending.
  func leftOut(ifShown originals: [Int64]) -> [Int64] {
    var shown = originals[...]
    var keys: [Int64] = []
    for copy in byOriginal {
      shown = shown.drop { $0 < copy.original }
      if shown.first == copy.original { keys.append(copy.key) }
    }
    return keys.sorted()
  }

  /// The keys of the copies of a recording, ascending.
  func copies(of original: Int64) -> [Int64] {
    let start = byOriginal.firstPosition { $0.original >= original }
    return byOriginal[start...].prefix { $0.original == original }.map(\.key)
  }
}

/// A value that was read from one version of the store.
final class VersionCache<Value: Sendable>: Sendable {
  private let latest = Locked<(version: [Int], value: Value)?>(nil)

  func value(_ version: [Int]) -> Value? {
    latest.withLock { $0?.version == version ? $0?.value : nil }
  }

  func keep(_ value: Value, _ version: [Int]) {
    latest.withLock { $0 = (version, value) }
  }
}

extension RecordingRepository {
  /// The stored copies of stored recordings. The index has most; the rest are read.
  ///
  /// - Parameter rows: only copies among these are wanted, so no other recording is read;
  ///   `nil` for all.
  func copies(among rows: [Int64]? = nil) throws(StoreError) -> RecordingCopies {
    let copying = catalogues.filter { $0.mapping.fields[.alsoIn] != nil }.map(\.id)
    guard !copying.isEmpty else { return .none }
    let version = try store.version()
    if let known = copiesCache.value(version) { return known }
    var (copies, undecided) = try store.copies(in: copying)
    let isWhole = rows == nil || undecided.isEmpty
    if let rows, !isWhole {
      let wanted = Set(rows)
      undecided.removeAll { !wanted.contains($0) }
    }
    for batch in undecided.batches() {
      copies += try store.recordings(Array(batch), ifStored: true).compactMap { row in
        details(of: row.recording).alsoIn.map { (row.key, $0) }
      }
    }
    let originals = try store.keys(of: copies.map(\.original))
    let stored = RecordingCopies(
      zip(copies, originals).compactMap { copy, original in
        original.flatMap { $0 == copy.key ? nil : .init(key: copy.key, original: $0) }
      })
    if isWhole { copiesCache.keep(stored, version) }
    return stored
  }
}

extension ListReader {
  /// The rows without each copy (`alsoIn`) of a recording that is among them.
  func withoutCopies() throws(StoreError) -> ListReader {
    let copies = try repository.copies(among: keys)
    let originals = Set(copies.originals)
    let leftOut = Set(copies.leftOut(ifShown: keys.filter(originals.contains).sorted()))
    var reader = leftOut.isEmpty ? self : with(keys.filter { !leftOut.contains($0) })
    reader.isDistinct = true
    return reader
  }
}

#endif
