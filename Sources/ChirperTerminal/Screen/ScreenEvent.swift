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
  /// Rows of the list in its present sort: the positions of what is shown, and where those stand in the list when a
  /// filter is on.
  case read(Range<Int>, filtered: [Int]?)
  case sort(ListSort?)
  /// Look for the rows with that text; `nil` stops looking.
  case filter(String?)
  case loadPage(Int)
  case refresh
  case cancelLoad
  case play(Recording)
  case stopPlaying
  case openPage(Recording)
  case copy(String)
  case export(path: String, filtered: [Int]?)
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

/// The rows that hold a text, so far.
package struct FilterMatches: Equatable, Sendable {
  package let text: String
  /// Positions in the list as it is sorted, ascending.
  package let positions: [Int]
  /// Whether every row was looked at.
  package let isWhole: Bool

  package init(text: String, positions: [Int], isWhole: Bool) {
    self.text = text
    self.positions = positions
    self.isWhole = isWhole
  }
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
