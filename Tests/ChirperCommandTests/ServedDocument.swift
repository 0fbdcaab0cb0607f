import ChirperTestSupport
import Foundation
import Testing

/// docs/openapi.json, to compare answers with: the parts of JSON Schema that it uses.
struct ServedDocument {
  let bytes: Data
  private let document: [String: Any]

  init() throws {
    bytes = try Data(contentsOf: BuiltProgram.repository.appending(path: "docs/openapi.json"))
    document = try #require(JSONSerialization.jsonObject(with: bytes) as? [String: Any])
  }

  private var paths: [String: [String: [String: Any]]] {
    document["paths"] as? [String: [String: [String: Any]]] ?? [:]
  }

  /// `GET /path/{name}`.
  var routes: [String] {
    paths.flatMap { path, methods in methods.keys.map { "\($0.uppercased()) \(path)" } }
  }

  /// What an answer has that the document does not say of it.
  func problems(of answer: RawClient.Answer, _ route: String) throws -> [String] {
    let words = route.split(separator: " ").map(String.init)
    let operation = try #require(paths[words[1]]?[words[0].lowercased()])
    let responses = operation["responses"] as? [String: [String: Any]]
    guard let response = responses?["\(answer.status)"] else { return ["status \(answer.status)"] }
    let content = response["content"] as? [String: [String: Any]]
    guard let schema = content?["application/json"]?["schema"] as? [String: Any] else {
      return ["no content"]
    }
    let value = try JSONSerialization.jsonObject(
      with: Data(answer.body), options: .fragmentsAllowed)
    return problems(of: value, schema, "answer")
  }

  private func problems(of value: Any, _ schema: [String: Any], _ path: String) -> [String] {
    if let name = (schema["$ref"] as? String)?.split(separator: "/").last {
      let schemas =
        (document["components"] as? [String: Any])?["schemas"] as? [String: [String: Any]]
      guard let schema = schemas?[String(name)] else { return ["\(name) is missing"] }
      return problems(of: value, schema, path)
    }
    if let any = schema["anyOf"] as? [[String: Any]] {
      let all = any.map { problems(of: value, $0, path) }
      return all.contains([]) ? [] : all.flatMap(\.self)
    }
    let types = schema["type"] as? [String] ?? [schema["type"] as? String].compactMap(\.self)
    guard types.isEmpty || types.contains(where: { Self.has(value, $0) }) else {
      return ["\(path) is not \(types): \(value)"]
    }
    var found: [String] = []
    if let allowed = schema["enum"] as? [String], let text = value as? String,
      !allowed.contains(text)
    {
      found.append("\(path) is \(text)")
    }
    if let least = schema["minimum"] as? Int, let number = value as? Int, number < least {
      found.append("\(path) is \(number)")
    }
    if let object = value as? [String: Any] {
      let known = schema["properties"] as? [String: [String: Any]] ?? [:]
      for name in schema["required"] as? [String] ?? [] where object[name] == nil {
        found.append("\(path).\(name) is missing")
      }
      for (name, member) in object {
        if let schema = known[name] {
          found += problems(of: member, schema, "\(path).\(name)")
        } else if schema["additionalProperties"] as? Bool == false {
          found.append("\(path).\(name) is not described")
        }
      }
    }
    if let items = value as? [Any], let schema = schema["items"] as? [String: Any] {
      for (index, item) in items.enumerated() {
        found += problems(of: item, schema, "\(path)[\(index)]")
      }
    }
    return found
  }

  private static func has(_ value: Any, _ type: String) -> Bool {
    let number = value as? NSNumber
    let isBoolean = number.map { String(cString: $0.objCType) == "c" } ?? false
    switch type {
    case "object": return value is [String: Any]
    case "array": return value is [Any]
    case "string": return value is String
    case "boolean": return isBoolean
    case "integer":
      return number.map { !isBoolean && $0.doubleValue == $0.doubleValue.rounded() } ?? false
    case "null": return value is NSNull
    default: return false
    }
  }
}
