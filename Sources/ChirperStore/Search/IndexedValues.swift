#if Collection

import ChirperModel

/// The values of recordings in a column of the index by which they are ordered
/// (`DetailColumn.isOrderedByIndex`), in the order of the recordings.
package enum IndexedValues: Sendable {
  /// Numbers; `nan` for a recording without one.
  case numbers([Double])
  /// Texts without case and accents, and for each recording the position of its text; -1 for a
  /// recording without one.
  case texts([String], positions: [Int32])

  /// The number of the recording at that position; `nan` if it has none.
  package func number(at position: Int) -> Double {
    if case .numbers(let numbers) = self { numbers[position] } else { .nan }
  }

  /// The text of the recording at that position, without case and accents; `nil` if it has none.
  package func text(at position: Int) -> String? {
    guard case .texts(let texts, let positions) = self, positions[position] >= 0 else { return nil }
    return texts[Int(positions[position])]
  }

  /// The values of those rows, in their order; none for a negative row.
  func of(_ rows: some Sequence<Int>) -> IndexedValues {
    switch self {
    case .numbers(let numbers): .numbers(rows.map { $0 < 0 ? .nan : numbers[$0] })
    case .texts(let texts, let positions):
      .texts(texts, positions: rows.map { $0 < 0 ? -1 : positions[$0] })
    }
  }

  /// Appends the values of further recordings in the same column.
  mutating func append(_ other: IndexedValues) {
    switch (self, other) {
    case (.numbers(let numbers), .numbers(let others)): self = .numbers(numbers + others)
    case (.texts(let texts, let positions), .texts(let otherTexts, let others)):
      let count = Int32(texts.count)
      self = .texts(
        texts + otherTexts, positions: positions + others.lazy.map { $0 < 0 ? -1 : $0 + count })
    default: self = other
    }
  }
}

#endif
