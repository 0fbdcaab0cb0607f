/// One key press, as the terminal tells it.
package enum Key: Hashable, Sendable {
  case character(Character)
  /// The letter that was held with Control, in lower case.
  case control(Character)
  case enter, escape, tab, backspace, delete
  case up, down, left, right, pageUp, pageDown, home, end
}
