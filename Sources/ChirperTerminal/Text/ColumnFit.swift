/// Which columns of a table fit, and how wide each is.
package enum ColumnFit {
  package static let gap = 2
  /// No column is wider, however much room there is.
  package static let widest = 80
  /// A wider column is cut to this before one behind it is left out.
  private static let usual = 28

  /// The widths of the columns that fit into `available`, the most important first; what is left over goes to those
  /// that were cut. The first column always stays.
  ///
  /// - Parameter wanted: how wide each would have to be to show all its values.
  package static func widths(_ wanted: [Int], in available: Int) -> [Int] {
    var widths: [Int] = []
    var left = available
    for want in wanted {
      let width = min(want, usual)
      let gap = widths.isEmpty ? 0 : gap
      guard width + gap <= left else { break }
      widths.append(width)
      left -= width + gap
    }
    guard !widths.isEmpty else { return wanted.isEmpty ? [] : [available] }
    for index in widths.indices {
      let more = min(left, min(wanted[index], widest) - widths[index])
      widths[index] += more
      left -= more
    }
    return widths
  }
}
