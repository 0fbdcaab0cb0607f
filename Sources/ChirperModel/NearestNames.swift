/// Finds what someone may have meant; the only place that measures how far two words are apart.
package enum NearestNames {
  /// At most three names within two edits, the nearest first, whatever their case.
  package static func to(_ name: String, among names: [String]) -> [String] {
    let wanted = name.lowercased()
    return names.map { (name: $0, distance: distance(wanted, $0.lowercased())) }
      .filter { $0.distance <= max(1, min(2, wanted.count / 2)) }
      .sorted { $0.distance < $1.distance }
      .prefix(3).map(\.name)
  }

  /// Letters to insert, remove, replace or swap with their neighbour to make one word of the other; only the first 40
  /// letters count.
  package static func distance(_ left: String, _ right: String) -> Int {
    let (left, right) = (Array(left.prefix(40)), Array(right.prefix(40)))
    var before: [Int] = []
    var last = Array(0...right.count)
    for i in left.indices {
      var row = [i + 1]
      for j in right.indices {
        var best = min(last[j] + (left[i] == right[j] ? 0 : 1), last[j + 1] + 1, row[j] + 1)
        if i > 0, j > 0, left[i] == right[j - 1], left[i - 1] == right[j] { best = min(best, before[j - 1] + 1) }
        row.append(best)
      }
      (before, last) = (last, row)
    }
    return last[right.count]
  }
}
