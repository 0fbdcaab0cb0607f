import Chirper
import ChirperFormats
import ChirperModel
import Foundation

/// The footer of each state: how the list stands, and what to do next.
extension RecordingTable {
  func footer(at now: Date, in zone: TimeZone) -> Screen.Footer {
    if let filter = appliedFilter { return footer(of: filter) }
    if let load { return Screen.Footer(text: words(for: load, in: zone)) }
    guard let snapshot else { return Screen.Footer(text: "reading the store") }
    switch snapshot.state {
    case nil: return Screen.Footer(text: "not fetched yet · r asks \(catalogue.name)")
    case .loading: return Screen.Footer(text: "loading page 1")
    case .paging: return Screen.Footer(text: "\(amount) · further down loads more")
    case .populated: return populated(snapshot.completeness)
    case .empty:
      return Screen.Footer(text: "nothing found for \(query.typed) · / searches for something else", style: .warning)
    case .error(let error, cached: _): return Screen.Footer(text: words(for: error, at: now), style: .warning)
    }
  }

  private func footer(of filter: RowFilter) -> Screen.Footer {
    guard let matches = filter.matchCount else { return Screen.Footer(text: "looking for \(filter.text) · Esc shows all") }
    let found = "\(matches) of \(snapshot?.count ?? 0) rows match \(filter.text)"
    return Screen.Footer(text: found + (filter.isComplete ? "" : ", still looking") + " · Esc shows all")
  }

  private func populated(_ completeness: Completeness) -> Screen.Footer {
    switch completeness {
    case .verified: Screen.Footer(text: "\(amount), verified · r asks again", style: .good)
    case .complete: Screen.Footer(text: "\(amount), complete · r asks again", style: .good)
    case .shifted(let rows, let total):
      Screen.Footer(
        text: "the list moved while it was read: \(rows) of \(total.map(String.init) ?? "?") · r reads it again",
        style: .warning)
    case .partial: Screen.Footer(text: "\(amount) · r asks again")
    }
  }

  private func words(for error: SearchError, at now: Date) -> String {
    let age = snapshot?.origin.map { " · rows fetched \(AgeText.ago($0.oldestFetchedAt, now: now))" }
    let reason = UserFacingError(error).problem
    return "\(reason)\(age ?? "") · r tries again"
  }

  private func words(for load: LoadProgress, in zone: TimeZone) -> String {
    let stored = (snapshot?.count ?? 0) > 0 ? "\(amount) · " : ""
    switch load {
    case .starting: return stored + "asking \(catalogue.name)"
    case .asking(let page, let of): return stored + "loading page \(page)\(of.map { " of \($0)" } ?? "")"
    case .waiting(let until, .retryAfter), .waiting(let until, .pace):
      return "rate-limited until \(AgeText.timeOfDay(until, in: zone)) · \(stored)the stored rows stay usable"
    case .waiting(let until, .backoff(let error, let attempt)):
      let time = AgeText.timeOfDay(until, in: zone)
      return stored + "\(UserFacingError(error, catalogue: query.catalogue, page: nil).problem): try \(attempt) at \(time)"
    case .waiting(_, .otherProcess): return stored + "another chirper is fetching this list"
    case .startingOver(let pass): return stored + "the list moved: reading it again, pass \(pass)"
    case .verifying: return stored + "verifying: reading every page a second time"
    }
  }
}
