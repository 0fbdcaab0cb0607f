import Chirper

extension ForgetReport {
  /// The total of what was removed, for programs.
  ///
  /// - Parameters:
  ///   - reports: the report of each list.
  ///   - query: the query as it was typed.
  package static func json(of reports: [ForgetReport], query: String?) -> JSONObject {
    func sum<Number: Numeric>(_ number: (ForgetReport) -> Number) -> Number {
      reports.reduce(0) { $0 + number($1) }
    }
    let audio: JSONObject = [
      "files": sum(\.audioFiles), "bytes": sum(\.audioBytes), "links": sum(\.audioLinks),
    ]
    return [
      "query": query, "pages": sum(\.pages), "rows": sum(\.rows), "recordings": sum(\.recordings),
      "audio": audio,
    ]
  }
}
