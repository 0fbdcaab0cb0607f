/// How many columns of a terminal a scalar takes: 0, 1 or 2.
package enum DisplayWidth {
  /// Of one scalar; ambiguous ones count 1, as every terminal does outside East Asian legacy encodings.
  package static func columns(_ scalar: Unicode.Scalar) -> Int {
    let value = scalar.value
    if value < 0x300 { return value == 0xAD ? 0 : 1 }
    var low = 0
    var high = runs.count
    while low < high {
      let middle = (low + high) / 2
      if runs[middle].last < value { low = middle + 1 } else { high = middle }
    }
    guard low < runs.count, runs[low].first <= value else { return 1 }
    return Int(runs[low].columns)
  }

  /// Of text as `CellText` makes it.
  package static func columns(_ text: String) -> Int {
    text.unicodeScalars.reduce(0) { $0 + columns($1) }
  }
}
