extension RandomAccessCollection {
  /// The first position from which on every element satisfies the condition; found by halving.
  package func firstPosition(where isAfter: (Element) -> Bool) -> Index {
    var low = startIndex
    var high = endIndex
    while low < high {
      let middle = index(low, offsetBy: distance(from: low, to: high) / 2)
      if isAfter(self[middle]) { high = middle } else { low = index(after: middle) }
    }
    return low
  }
}
