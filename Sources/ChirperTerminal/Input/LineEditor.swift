/// A line of text that is being typed.
struct LineEditor: Equatable, Sendable {
  private(set) var text: String
  /// The position of the cursor, in characters from the start.
  private(set) var cursor: Int
  /// Whether the whole text is selected, so that typing replaces it.
  private(set) var isSelected: Bool

  init(_ text: String = "", isSelected: Bool = false) {
    self.text = text
    cursor = text.count
    self.isSelected = isSelected && !text.isEmpty
  }

  /// Applies an editing key; other keys change nothing.
  mutating func handle(_ key: Key) {
    if isSelected {
      isSelected = false
      switch key {
      case .character, .paste, .backspace, .delete: self = LineEditor()
      default: break
      }
    }
    switch key {
    case .character(let character): insert(String(character))
    case .paste(let pasted): insert(pasted)
    case .backspace: remove(from: cursor - 1, to: cursor)
    case .delete: remove(from: cursor, to: cursor + 1)
    case .left: cursor = max(0, cursor - 1)
    case .right: cursor = min(text.count, cursor + 1)
    case .home, .control("a"): cursor = 0
    case .end, .control("e"): cursor = text.count
    case .control("u"): remove(from: 0, to: cursor)
    case .control("k"): remove(from: cursor, to: text.count)
    case .control("w"): remove(from: wordStart, to: cursor)
    default: break
    }
  }

  /// Inserts as many characters as there is room for.
  private mutating func insert(_ new: String) {
    var room = Self.limit - text.utf8.count
    let fitting = new.prefix { character in
      room -= character.utf8.count
      return room >= 0
    }
    guard !fitting.isEmpty else { return }
    let tail = String(text.dropFirst(cursor))
    // A combining mark joins the character before it, so the characters are counted again.
    let head = String(text.prefix(cursor)) + fitting
    text = head + tail
    cursor = head.count
  }

  private mutating func remove(from start: Int, to end: Int) {
    guard start >= 0, start < end, end <= text.count else { return }
    text = String(text.prefix(start)) + String(text.dropFirst(end))
    cursor = min(start, text.count)
  }

  private var wordStart: Int {
    let head = Array(text.prefix(cursor))
    let wordEnd = head.lastIndex { $0 != " " } ?? 0
    return (head[..<wordEnd].lastIndex { $0 == " " }).map { $0 + 1 } ?? 0
  }

  /// The longest text in bytes, more than the longest query that any catalogue accepts.
  private static let limit = 4096
}
