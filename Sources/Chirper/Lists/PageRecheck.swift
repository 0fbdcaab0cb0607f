import ChirperModel
import ChirperRemote
import ChirperStore
import Foundation

/// Reads pages of a complete list again, those that were read longest ago first, so that a sync
/// without a walk finds changes that no total and no upload shows.
struct PageRecheck {
  let count: Int
  /// Every page, the one that was read longest ago first.
  private let pages: [Int]
  private let context: FetchContext

  /// Chooses the number of pages by which every page becomes at most `within` old. These
  /// are the pages that are older, and at least the share of the time that has passed since
  /// the last sync. One page has its turn in every sync. A page from the future, by a clock
  /// that was ahead, comes first.
  init(
    of status: WalkStatus, except read: Set<Int> = [], since lastSync: Date, _ context: FetchContext
  ) {
    self.context = context
    let now = context.dependencies.now()
    let ages = status.pages.filter { !read.contains($0.key) }.mapValues { page in
      page.fetchedAt > now ? .infinity : now.timeIntervalSince(page.fetchedAt)
    }
    let within = max(1, context.plan.rereadingWithin / .seconds(1))
    let share = (Double(ages.count) * now.timeIntervalSince(lastSync) / within).rounded(.up)
    let overdue = ages.values.count { $0 > within }
    count = max(1, overdue, Int(min(max(0, share), Double(ages.count))))
    pages = ages.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.map(\.key)
  }

  /// Requests the pages. A page that cannot be fetched does not keep the rest from their
  /// turn.
  ///
  /// - Returns: `false` if a page differs from the stored one. The list is then no longer
  ///   complete.
  func run(_ requester: inout PageRequester) async throws -> Bool {
    let query = requester.query
    for number in pages {
      guard requester.report.recheckedPages.count < count,
        requester.report.failedPages.count < Walk.failureLimit,
        let status = try context.store.walkStatus(of: query)
      else { break }
      context.observe(.requesting(page: number, of: status.pages.count))
      let page: RecordingPage
      do {
        page = try await requester.page(
          PageRequest(
            query: query, number: number, token: status.pages[number - 1]?.nextToken, isReread: true
          ))
      } catch LoadError.fetch(let error, catalogue: _, page: _) where error.scope != .service {
        context.observe(.failed(page: number, error))
        requester.report.failedPages.append(FetchReport.FailedPage(number: number, error: error))
        continue
      }
      guard try requester.confirm(page) else {
        requester.report.failedPages = []
        return false
      }
      requester.report.recheckedPages.append(number)
    }
    return true
  }
}
