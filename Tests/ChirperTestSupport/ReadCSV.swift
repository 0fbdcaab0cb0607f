/// Parses CSV by the grammar of RFC 4180, without the program's own code; `nil` if the text does
/// not follow it.
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
