import ChirperModel
import Foundation

/// Any text as cells of a terminal line: nothing in it can act on the terminal or take more columns
/// than are counted.
///
/// White space is one space, a control is `replacement`, format characters (joiners, variation
/// selectors) are left out because terminals differ in what they make of them, and marks are kept
/// three to a cell.
package struct CellText: Equatable, Sendable {
  package struct Cell: Equatable, Sendable {
    package fileprivate(set) var text: String
    package let columns: Int
    var marks = 0
  }

  static let replacement: Unicode.Scalar = "\u{FFFD}"
  static let marksPerCell = 3

  package private(set) var cells: [Cell] = []

  /// - Parameter limit: columns after which nothing more is read; remarks may be megabytes long.
  package init(_ raw: String, limit: Int = .max) {
    let short = limit == .max ? raw[...] : raw.prefix(limit + 1)
    let composed =
      short.utf8.allSatisfy { $0 < 0x80 }
      ? String(short) : short.precomposedStringWithCanonicalMapping
    var columns = 0
    var previousIsReturn = false
    for scalar in composed.unicodeScalars {
      if columns > limit { break }
      defer { previousIsReturn = scalar == "\r" }
      if scalar == "\n", previousIsReturn { continue }
      columns += append(scalar)
    }
  }

  private mutating func append(_ scalar: Unicode.Scalar) -> Int {
    if scalar == "\t" || scalar == "\n" || scalar == "\r" { return append(" ", columns: 1) }
    if PlainLine.isControl(scalar) || scalar.properties.isNoncharacterCodePoint {
      return append(Self.replacement, columns: 1)
    }
    let width = DisplayWidth.columns(scalar)
    guard width == 0 else { return append(scalar, columns: width) }
    if scalar.properties.generalCategory == .format || scalar.properties.isVariationSelector {
      return 0
    }
    // A mark without a base character gets the dotted circle that Unicode uses to show it.
    let added = cells.isEmpty ? append("\u{25CC}", columns: 1) : 0
    let last = cells.count - 1
    if cells[last].marks < Self.marksPerCell {
      cells[last].text.unicodeScalars.append(scalar)
      cells[last].marks += 1
    }
    return added
  }

  private mutating func append(_ scalar: Unicode.Scalar, columns: Int) -> Int {
    cells.append(Cell(text: String(scalar), columns: columns))
    return columns
  }
}
