/// Finds the names that a mistyped one may have meant: commands, columns, tags.
package enum NearestNames {
  /// At most three of the names, the nearest first and equally near ones in alphabetical order.
  ///
  /// Up to two edits are allowed from four letters on, one below, and at least one letter must be right.
  package static func to(_ name: String, among names: some Sequence<String>) -> [String] {
    let wanted = name.lowercased()
    let limit = wanted.count < 4 ? 1 : 2
    return names.map { (name: $0, distance: editDistance(wanted, $0.lowercased())) }
      .filter { $0.distance <= limit && $0.distance < max(wanted.count, $0.name.count) }
      .sorted { ($0.distance, $0.name) < ($1.distance, $1.name) }
      .prefix(3).map(\.name)
  }

  /// How many letters must be inserted, removed, replaced or swapped with their neighbour to make one word of the other.
  ///
  /// Only the first 40 letters count: the time grows with the product of both lengths.
  package static func editDistance(_ left: String, _ right: String) -> Int {
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
