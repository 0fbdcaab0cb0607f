/// Which row is selected and which is the first in sight.
package struct Selection: Equatable, Sendable {
  package var selected = 0
  package var top = 0

  package init() {}

  mutating func move(by rows: Int, count: Int, height: Int) {
    select(selected + rows, count: count, height: height)
  }

  /// A whole screen: the rows in sight move with the selection.
  mutating func movePage(by pages: Int, count: Int, height: Int) {
    top += pages * height
    move(by: pages * height, count: count, height: height)
  }

  mutating func select(_ row: Int, count: Int, height: Int) {
    selected = row
    clamp(count: count, height: height)
  }

  /// Back into the list, with the selected row in sight and no more empty space below than need be.
  mutating func clamp(count: Int, height: Int) {
    selected = max(0, min(selected, count - 1))
    top = max(0, min(top, count - height))
    if selected < top { top = selected }
    if selected >= top + height { top = selected - height + 1 }
  }

  func inSight(count: Int, height: Int) -> Range<Int> {
    let end = max(0, min(top + height, count))
    return min(top, end)..<end
  }
}
