extension RandomAccessCollection where Index == Int {
  /// The elements in their order, in slices of at most `size`. Rows are read so, to keep memory
  /// flat and hold no lock for long; a loop that can take long checks after each whether its task
  /// is cancelled.
  package func batches(of size: Int = Recording.batch) -> some Sequence<SubSequence> {
    stride(from: startIndex, to: endIndex, by: size).lazy.map {
      self[$0..<Swift.min($0 + size, endIndex)]
    }
  }
}

extension Recording {
  /// Recordings that are read at once; one of iNaturalist can have 50 kB.
  package static let batch = 250
}
