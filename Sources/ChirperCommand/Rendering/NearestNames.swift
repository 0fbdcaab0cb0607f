/// Finds what someone may have meant.
enum NearestNames {
  /// At most three names within two edits, the nearest first.
  static func to(_ name: String, among names: [String]) -> [String] {
    let wanted = Array(name.lowercased())
    return names.map { ($0, distance(wanted, Array($0.lowercased()))) }
      .filter { $0.1 <= max(1, min(2, wanted.count / 2)) }
      .sorted { $0.1 < $1.1 }
      .prefix(3).map(\.0)
  }

  /// Insertions, deletions and replacements between two words.
  private static func distance(_ left: [Character], _ right: [Character]) -> Int {
    var row = Array(0...right.count)
    for (index, character) in left.enumerated() {
      var diagonal = row[0]
      row[0] = index + 1
      for column in right.indices {
        let next = min(row[column] + 1, row[column + 1] + 1, diagonal + (right[column] == character ? 0 : 1))
        diagonal = row[column + 1]
        row[column + 1] = next
      }
    }
    return row[right.count]
  }
}
