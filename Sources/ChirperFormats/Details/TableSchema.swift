import ChirperModel

/// The tidy columns as a Frictionless Table Schema (https://specs.frictionlessdata.io/table-schema/).
package enum TableSchema {
  /// One line a field, so that a change shows as a change of that line.
  package static func json(of columns: [TidyColumn] = TidyColumn.all) -> String {
    let fields = columns.map { "    " + field($0).text }.joined(separator: ",\n")
    var tail = JSONObject()
    tail.add("missingValues", [""])
    if Set(columns.map(\.name)).isSuperset(of: ["catalogue", "id"]) { tail.add("primaryKey", ["catalogue", "id"]) }
    return "{\n  \"fields\": [\n\(fields)\n  ],\n  \(tail.text.dropFirst().dropLast())\n}\n"
  }

  private static func field(_ column: TidyColumn) -> JSONObject {
    var field = JSONObject()
    var constraints = JSONObject()
    field.add("name", column.name)
    switch column.type {
    case .key:
      field.add("type", "string")
      constraints.add("required", true)
    case .text, .serial, .list: field.add("type", "string")
    case .pattern(let pattern):
      field.add("type", "string")
      constraints.add("pattern", pattern)
    case .address:
      field.add("type", "string")
      constraints.add("pattern", "https?://[^ ]+")
    case .date:
      field.add("type", "string")
      constraints.add("pattern", "[0-9]{4}(-[0-9]{2}(-[0-9]{2})?)?")
    case .rating:
      field.add("type", "string")
      constraints.add("enum", Quality.allCases.map(\.rawValue))
    case .number(let range, _):
      field.add("type", "number")
      if let range {
        constraints.add("minimum", raw: DecimalText.text(range.lowerBound))
        constraints.add("maximum", raw: DecimalText.text(range.upperBound))
      }
    case .integer(let range):
      field.add("type", "integer")
      if let range {
        constraints.add("minimum", range.lowerBound)
        constraints.add("maximum", range.upperBound)
      }
    case .boolean:
      field.add("type", "boolean")
      constraints.add("required", true)
    }
    field.add("description", column.description)
    if let term = column.term { field.add("rdfType", term) }
    if constraints != JSONObject() { field.add("constraints", constraints) }
    return field
  }
}
