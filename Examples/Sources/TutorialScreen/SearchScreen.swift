import Chirper
import Foundation

/// The screen of the tutorial without a user interface: a search bar, a list with a footer, and a play button in each row. A
/// view controller has the same methods and puts what they return on the screen.
@MainActor final class SearchScreen {
  private let repository: RecordingRepository
  private let catalogue: CatalogueID
  private let model: ListModel
  private var typing: Task<Void, Never>?

  init(_ repository: RecordingRepository, searching catalogue: CatalogueID) {
    self.repository = repository
    self.catalogue = catalogue
    model = ListModel(repository)
  }

  /// The user typed a text. Rows that are stored are shown at once; a text that cannot be searched for is a state, and an empty one
  /// shows nothing.
  func search(_ typed: String) {
    model.search(typed, in: catalogue)
  }

  /// The list shows the row; near the end, the next page is loaded.
  func rowAppeared(_ row: RecordingList.Row) {
    model.rowAppeared(row)
  }

  /// The user tapped the button in the footer of a failed load.
  func retry() {
    model.retry()
  }

  /// What is below the rows.
  var footer: String {
    switch model.state {
    case nil: "Nothing fetched yet"
    case .loading: "Loading …"
    case .paging(let rows, next: let page):
      "\(rows.count) of \(model.snapshot?.stored?.totals?.recordings ?? 0), page \(page) is next"
    case .populated(let rows): "All \(rows.count)"
    case .empty: "Nothing found"
    case .error(let error, cached: let rows):
      "\(rows.count) stored. \(error.localizedDescription) [Try again]"
    }
  }

  /// How many rows there are; they are read when they are shown.
  var count: Int { model.rows.count }

  /// The rows to show, by the ids of their recordings.
  var window: [RecordingList.Row] { model.window }

  /// The recording of a row; none while the list changes.
  func recording(of row: RecordingList.Row) -> Recording? { model.rows[row] }

  /// The text of a row.
  func text(of row: RecordingList.Row) -> String {
    guard let recording = model.rows[row] else { return "" }
    let details = repository.details(of: recording)
    return [details.vernacularName, details.behavior.first, details.country].compactMap(\.self)
      .joined(separator: ", ")
  }
}

extension SearchScreen {
  /// The user is typing. Once no letter has come for 300 milliseconds, the text is searched for; the text of another call replaces it.
  func isTyping(_ text: String) {
    typing?.cancel()
    typing = Task { [weak self] in
      do { try await Task.sleep(for: .milliseconds(300)) } catch { return }
      self?.search(text)
    }
  }

  /// The sound of a recording as a file for an audio player, and the line that must be shown while it plays.
  func play(_ recording: Recording) async throws(AudioError) -> (file: URL, credit: String) {
    let file = try await repository.audio.file(of: recording, storesGenerated: true)
    return (file.url, repository.details(of: recording).credit)
  }

  /// Whether the last load failed.
  var hasFailed: Bool { model.snapshot?.failure != nil }

  /// Whether a load is under way.
  var isLoading: Bool { model.isLoading }
}
