/// The type that pandas, and so Hugging Face `datasets`, takes a column of CSV for. Readers that
/// get a table for each part refuse columns of which the parts have different types.
struct GuessedType {
  private var (hasText, hasEmpty, hasDecimal, isUnsure) = (false, false, false, false)

  mutating func add(_ cell: String) {
    if Self.missing.contains(cell) {
      hasEmpty = true
    } else if ["true", "false"].contains(cell.lowercased()) {
      isUnsure = true
    } else if Double(cell) == nil {
      hasText = true
    } else if Int(cell) == nil {
      hasDecimal = true
    }
  }

  /// The name of the type; `nil` if it is not sure.
  var name: String? {
    if hasText { return "text" }
    if isUnsure { return nil }
    return hasEmpty || hasDecimal ? "float" : "integer"
  }

  /// The texts that `pandas.read_csv` takes for a missing value.
  private static let missing: Set<String> = [
    "", "#N/A", "#N/A N/A", "#NA", "-1.#IND", "-1.#QNAN", "-NaN", "-nan", "1.#IND", "1.#QNAN",
    "<NA>", "N/A", "NA", "NULL", "NaN", "None", "n/a", "nan", "null",
  ]
}
