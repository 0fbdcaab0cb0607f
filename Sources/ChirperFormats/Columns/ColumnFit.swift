/// A choice of the columns of a table that fit, and of their widths.
package enum ColumnFit {
  /// Cells between two columns, if they have room.
  package static let gap = 2
  /// The greatest width of a column, however much room there is.
  package static let widest = 80
  /// A wider column is cut to this before one after it is left out.
  static let defaultWidth = 22

  /// The room that one column needs, in cells.
  package struct Need: Equatable, Sendable {
    /// The width that shows all its values.
    let wanted: Int
    /// The width that it is cut to before a column after it is left out.
    let defaultWidth: Int
    /// The width that it is cut to before an essential column is left out; `nil` if it is
    /// not cut below `defaultWidth`.
    let least: Int?
    /// Whether other columns are cut, and gaps made smaller, so that it fits.
    let isEssential: Bool

    init(
      _ wanted: Int, defaultWidth: Int = ColumnFit.defaultWidth, least: Int? = nil,
      isEssential: Bool = false
    ) {
      self.wanted = min(wanted, widest)
      self.defaultWidth = defaultWidth
      self.least = least
      self.isEssential = isEssential
    }
  }

  /// The columns that fit, and how they are laid out.
  package struct Layout: Equatable, Sendable {
    package var columns: [Column]
    package var gap: Int

    package struct Column: Equatable, Sendable {
      package var index: Int
      package var width: Int
    }
  }

  /// The columns that fit into `available`, the most important first. Room that is left
  /// goes to the columns that are cut, one cell each in turn. The first column always
  /// stays.
  ///
  /// - Parameter needed: the index of a column that stays too. If it would be left out, it
  ///   comes after the columns that fit.
  package static func layout(_ needs: [Need], in available: Int, needed: Int? = nil) -> Layout {
    let essential = needs.lazy.filter(\.isEssential).count
    var layout = Layout(columns: [], gap: gap)
    for (cutsMore, gap) in [(false, gap), (true, gap), (true, 1)] {
      let widths = needs.map { need in
        min(
          need.wanted,
          cutsMore && need.isEssential ? need.least ?? need.defaultWidth : need.defaultWidth)
      }
      layout = fitted(widths, in: available, gap: gap, needed: needed)
      if layout.columns.lazy.filter({ needs[$0.index].isEssential }).count == essential { break }
    }
    spread(&layout, needs, in: available)
    return layout
  }

  private static func fitted(_ widths: [Int], in available: Int, gap: Int, needed: Int?) -> Layout {
    let count = prefix(widths, in: available, gap: gap)
    func layout(_ indices: some Sequence<Int>) -> Layout {
      Layout(columns: indices.map { Layout.Column(index: $0, width: widths[$0]) }, gap: gap)
    }
    // The first is cut where it does not fit alone.
    guard count > 0 else {
      return Layout(
        columns: widths.isEmpty ? [] : [Layout.Column(index: 0, width: max(0, available))], gap: gap
      )
    }
    guard let needed, needed >= count, widths.indices.contains(needed) else {
      return layout(0..<count)
    }
    let others = prefix(
      Array(widths.prefix(needed)), in: available - gap - widths[needed], gap: gap)
    return others > 0 ? layout(Array(0..<others) + [needed]) : layout(0..<1)
  }

  /// The number of columns at the beginning that fit.
  private static func prefix(_ widths: [Int], in available: Int, gap: Int) -> Int {
    var left = available + gap
    return widths.prefix { width in
      left -= width + gap
      return left >= 0
    }.count
  }

  private static func spread(_ layout: inout Layout, _ needs: [Need], in available: Int) {
    var left =
      available - layout.columns.reduce(0) { $0 + $1.width } - layout.gap
      * (layout.columns.count - 1)
    var grows = true
    while left > 0, grows {
      grows = false
      for index in layout.columns.indices
      where left > 0 && layout.columns[index].width < needs[layout.columns[index].index].wanted {
        layout.columns[index].width += 1
        left -= 1
        grows = true
      }
    }
  }
}
