import ChirperModel

/// The fields of tidy columns in a Frictionless Table Schema
/// (https://specs.frictionlessdata.io/table-schema/).
enum TableSchema {
  private static let date = "[0-9]{4}(-[0-9]{2}(-[0-9]{2})?)?"

  static func field(_ column: TidyColumn) -> JSONObject {
    let (type, constraints): (String, JSONObject) =
      switch column.type {
      case .key: ("string", ["required": true])
      case .text, .serial, .list: ("string", [:])
      case .objects: ("array", [:])
      case .pattern(let pattern): ("string", ["pattern": pattern])
      case .address: ("string", ["pattern": "https?://[^ ]+"])
      case .date: ("string", ["pattern": "\(date)([/]\(date))?"])
      case .rating: ("string", ["enum": RecordingDetails.Quality.allCases.map(\.rawValue)])
      case .number(let range?, _):
        ("number", ["minimum": range.lowerBound, "maximum": range.upperBound])
      case .integer(let range?):
        ("integer", ["minimum": range.lowerBound, "maximum": range.upperBound])
      case .number(nil, _): ("number", [:])
      case .integer(nil): ("integer", [:])
      case .boolean: ("boolean", ["required": true])
      }
    var field: JSONObject = ["name": column.name, "type": type, "description": column.description]
    field.add(known: ["rdfType": column.term, "constraints": constraints])
    return field
  }
}
