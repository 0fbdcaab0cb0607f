/// Which columns of a table fit, and how wide each is.
package enum ColumnFit {
  package static let gap = 2
  /// No column is wider, however much room there is.
  package static let widest = 80
  /// A wider column is cut to this before one behind it is left out.
  package static let usual = 22

  /// The columns that fit into `available`, by index, the most important first; what is left over goes to those that
  /// were cut. The first column always stays.
  ///
  /// - Parameters:
  ///   - wanted: how wide each would have to be to show all its values.
  ///   - usual: a wider one is cut to this before one behind it is left out.
  ///   - needed: stays too, behind the others where it would be left out.
  package static func columns(
    _ wanted: [Int], in available: Int, usual: Int = usual, needed: Int? = nil
  ) -> [(index: Int, width: Int)] {
    let fitted = prefix(wanted, in: available, usual: usual)
    guard let needed, needed >= fitted.count, wanted.indices.contains(needed) else {
      return spread(fitted.enumerated().map { ($0, $1) }, wanted, in: available)
    }
    let width = min(wanted[needed], usual)
    let others = prefix(Array(wanted.prefix(needed)), in: available - gap - width, usual: usual)
    guard available - gap - width >= others.reduce(0, +) + gap * (others.count - 1) else {
      return spread([(0, fitted[0])], wanted, in: available)
    }
    return spread(others.enumerated().map { ($0, $1) } + [(needed, width)], wanted, in: available)
  }

  private static func prefix(_ wanted: [Int], in available: Int, usual: Int) -> [Int] {
    var widths: [Int] = []
    var left = available
    for want in wanted {
      let width = min(want, usual)
      let gap = widths.isEmpty ? 0 : gap
      guard width + gap <= left else { break }
      widths.append(width)
      left -= width + gap
    }
    return widths.isEmpty && !wanted.isEmpty ? [max(0, available)] : widths
  }

  private static func spread(
    _ columns: [(index: Int, width: Int)], _ wanted: [Int], in available: Int
  ) -> [(index: Int, width: Int)] {
    var left = available - columns.reduce(0) { $0 + $1.width } - gap * (columns.count - 1)
    return columns.map { column in
      let more = max(0, min(left, min(wanted[column.index], widest) - column.width))
      left -= more
      return (column.index, column.width + more)
    }
  }
}
