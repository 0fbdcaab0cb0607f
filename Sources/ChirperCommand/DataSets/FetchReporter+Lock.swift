import Chirper
import ChirperFormats
import ChirperModel

extension FetchReporter {
  /// Fetches the lists of a lock, each with a header and a summary.
  ///
  /// - Returns: the lists that were read, and the first error.
  func fetchLists(of header: LockHeader) async throws -> (AskedLists?, UserFacingError?) {
    var batch = FetchBatch(count: try header.queries(in: repository).asked.count)
    let asked = try await AskedLists(of: header, in: repository) { query, goal in
      var report: FetchReport?
      let isLast = await batch.run(query) {
        printHeader(query, repository.catalogue(query.catalogue), isFallback: false)
        let outcome = await fetch(query, FetchPlan(goal))
        printSummary(outcome)
        report = outcome.report
        return outcome
      }
      if isLast, let error = batch.error(done: "fetched") { throw error }
      return report
    }
    return (asked, batch.error(done: "fetched"))
  }
}
