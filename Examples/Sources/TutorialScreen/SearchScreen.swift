import Chirper
import Foundation

/// The screen of the tutorial without a user interface: a search bar, a list with a footer, and a play button in each row. A
/// view controller has the same methods and puts what they return on the screen.
@MainActor final class SearchScreen {
  private let repository: RecordingRepository
  private let catalogue: Catalogue
  private let model: ListModel

  init(_ repository: RecordingRepository, searching catalogue: Catalogue) {
    self.repository = repository
    self.catalogue = catalogue
    model = ListModel(repository)
  }

  /// The user typed a text. Rows that are stored are shown at once; a text that cannot be searched for is an error.
  func search(_ typed: String) throws(QueryError) {
    model.search(try catalogue.query(typed))
  }

  /// The list shows the row at that position; near the end, the next page is loaded.
  func rowAppeared(at position: Int) {
    model.rowAppeared(at: position)
  }

  /// The user tapped the button in the footer of a failed load.
  func retry() {
    model.retry()
  }

  /// What is below the rows.
  var footer: String {
    switch model.state {
    case nil where model.query != nil && model.snapshot == nil, .loading: "Loading …"
    case nil: "Nothing fetched yet"
    case .paging(let rows, next: let page): "\(rows.count) of \(model.snapshot?.totals?.recordings ?? 0), page \(page) is next"
    case .populated(let rows): "All \(rows.count)"
    case .empty: "Nothing found"
    case .error(let error, cached: let rows): "\(rows.count) stored. \(error.localizedDescription) [Try again]"
    }
  }

  /// How many rows there are; they are read when they are shown.
  var count: Int { model.rows.count }

  /// The text of a row.
  func row(at position: Int) -> String {
    let details = repository.details(of: model.rows[position])
    return [details.vernacularName, details.soundType.first, details.country].compactMap(\.self).joined(separator: ", ")
  }
}

extension SearchScreen {
  /// The sound of a row as a file for an audio player, and the line that must be shown while it plays.
  func play(rowAt position: Int) async throws(AudioError) -> (file: URL, credit: String) {
    let recording = model.rows[position]
    let file = try await repository.audio.file(of: recording, keepsGenerated: true)
    return (file.url, repository.details(of: recording).credit)
  }

  /// Whether the last load failed.
  var hasFailed: Bool {
    if case .error = model.state { true } else { false }
  }

  /// Whether a load is under way.
  var isLoading: Bool {
    guard let snapshot = model.snapshot else { return model.query != nil }
    if case .loading = snapshot.load { return true }
    return false
  }
}
