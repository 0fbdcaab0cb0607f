import ChirperModel
import Foundation

/// Answers from `SampleWorld` with the pages and totals of a remote catalogue.
struct SampleFetcher: PageFetcher {
  var catalogue: Catalogue { Sample.catalogue }
  let now: @Sendable () -> Date

  func page(_ request: PageRequest) async throws(FetchError) -> RecordingPage {
    let number = request.number
    let query = request.query
    guard !Task.isCancelled else { throw .cancelled }
    let found: [SampleRecording]
    do throws(QueryError) {
      found = try SampleLanguage.matches(query.identity, now: now())
    } catch {
      throw .refused(
        status: 400, message: "the query is not in the language of the sample catalogue")
    }
    let pages = (found.count + query.pageSize - 1) / query.pageSize
    let totals = RecordingPage.Totals(
      recordings: found.count, pages: pages, species: Set(found.map(\.species.name)).count)
    guard (1...max(pages, 1)).contains(number) else {
      return RecordingPage(number: number, recordings: [], totals: totals, next: nil)
    }
    let window = found.dropFirst((number - 1) * query.pageSize).prefix(query.pageSize)
    return RecordingPage(
      number: number, recordings: window.map(\.recording), totals: totals,
      next: number < pages ? number + 1 : nil)
  }
}
