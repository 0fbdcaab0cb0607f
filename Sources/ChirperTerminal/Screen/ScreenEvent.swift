import Chirper
import ChirperModel
import Foundation

/// What happens to the screen.
package enum ScreenEvent: Sendable {
  case key(Key)
  case resize(TerminalSize)
  /// The time it is.
  case tick(Date)
  /// The stored queries, to choose from.
  case queries([StoredQuery])
  /// A list is opened; its first snapshot follows.
  case opened(SearchQuery, Catalogue)
  /// How the list stands; its state needs no rows, they come as `rows`.
  case snapshot(Snapshot)
  /// The rows at those positions of what is shown, fewer where it ends before.
  case rows(Range<Int>, [Recording])
  case load(LoadProgress?)
  case matches(FilterMatches)
  /// The answer to `findMatch`: the row's position in the list, `nil` where there is none.
  case match(MatchSearch, position: Int?)
  case playback(Playback)
  /// One sentence for the user.
  case notice(String)
  /// A text that is no search, and why: it stays in the prompt.
  case refused(search: String, String)
}

/// What the screen asks of the world.
package enum ScreenAction: Equatable, Sendable {
  case showQueries
  case open(SearchQuery)
  /// A typed text; the shell makes a query of it and opens that, or says why it is none.
  case search(String)
  /// The rows at those positions.
  case read(Range<Int>, of: RowSource)
  case sort(ListSort?)
  /// Look for the rows with that text; `nil` stops looking.
  case filter(String?)
  /// The position of a match in the list; `match` answers.
  case findMatch(MatchSearch)
  case loadPage(Int)
  case refresh
  case cancelLoad
  case play(Recording)
  case stopPlaying
  /// An HTTPS address, for the user's browser.
  case openPage(URL)
  case copy(String)
  case export(path: String, of: RowSource)
  case redraw
  case suspend
  case quit
  case interrupt
}

/// What a load is doing.
package enum LoadProgress: Equatable, Sendable {
  case starting
  case asking(page: Int, of: Int?)
  /// Until that time, for that reason.
  case waiting(Date, WaitReason)
  case startingOver(pass: Int)
  case verifying
}

/// The rows that positions count: those of the list as it is sorted, or only those that match the filter.
package enum RowSource: Equatable, Sendable {
  case list
  case matches
}

/// How many rows match the filter, so far.
package struct FilterMatches: Equatable, Sendable {
  package let text: String
  package let count: Int
  /// Whether every row was checked.
  package let isComplete: Bool

  package init(text: String, count: Int, isComplete: Bool) {
    self.text = text
    self.count = count
    self.isComplete = isComplete
  }
}

/// Which match to find.
package enum MatchSearch: Equatable, Sendable {
  /// The match at that index, from 0.
  case index(Int)
  /// The first match after that position of the list.
  case after(Int)
  /// The last match before that position of the list.
  case before(Int)
}

/// What is to be heard.
package enum Playback: Equatable, Sendable {
  case silent
  /// The audio is on its way: bytes so far, of all where that is known.
  case fetching(RecordingID, received: Int, total: Int?)
  case playing(RecordingID)
  case ended(RecordingID)
  /// There is nothing to hear, and why.
  case failed(RecordingID, String)
}
