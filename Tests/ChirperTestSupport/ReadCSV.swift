/// Reads RFC 4180 by its grammar, apart from the program's own code; `nil` where the text is not that.
package func readCSV(_ text: String) -> [[String]]? {
  var rows: [[String]] = []
  var row: [String] = []
  var cell = String.UnicodeScalarView()
  var scalars = Array(text.unicodeScalars)[...]

  func endsCell(_ scalar: Unicode.Scalar?) -> Bool { scalar == "," || scalar == "\r" }
  while !scalars.isEmpty {
    if scalars.first == "\"" {
      scalars.removeFirst()
      while true {
        guard let next = scalars.popFirst() else { return nil }
        if next != "\"" {
          cell.append(next)
        } else if scalars.first == "\"" {
          cell.append(scalars.removeFirst())
        } else {
          break
        }
      }
    } else {
      while let next = scalars.first, !endsCell(next) {
        guard next != "\"", next != "\n" else { return nil }
        cell.append(scalars.removeFirst())
      }
    }
    row.append(String(cell))
    cell.removeAll()
    guard let end = scalars.popFirst(), endsCell(end) else { return nil }
    guard end == "\r" else { continue }
    guard scalars.popFirst() == "\n" else { return nil }
    rows.append(row)
    row = []
  }
  return rows
}
