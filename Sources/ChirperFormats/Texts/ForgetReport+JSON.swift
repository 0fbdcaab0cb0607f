import Chirper

extension ForgetReport {
  /// What was removed in all, for programs.
  ///
  /// - Parameters:
  ///   - reports: of each list.
  ///   - query: as it was typed.
  package static func json(of reports: [ForgetReport], query: String?) -> JSONObject {
    func sum<Number: Numeric>(_ number: (ForgetReport) -> Number) -> Number { reports.reduce(0) { $0 + number($1) } }
    let audio: JSONObject = ["files": sum(\.audioFiles), "bytes": sum(\.audioBytes), "links": sum(\.audioLinks)]
    return [
      "query": query, "pages": sum(\.pages), "rows": sum(\.rows), "recordings": sum(\.recordings), "audio": audio,
    ]
  }
}
