import Chirper
import ChirperModel
import Foundation

enum ScreenEvent: Sendable {
  case key(Key)
  case resize(TerminalSize)
  case tick(Date)
  case queries([StoredQuery])
  /// A list was opened; its first snapshot follows.
  case opened(CatalogueQuery, Catalogue)
  /// The list's new snapshot, also after a step of its load; its state needs no rows,
  /// because `rows` brings them.
  case snapshot(ListSnapshot)
  /// The rows at a range of positions, fewer if the list ends earlier. `downloaded` are those
  /// whose audio is downloaded, `new` those that are new in the list.
  case rows(Range<Int>, [Recording], downloaded: Set<RecordingID>, new: Set<RecordingID>)
  /// Rows at those positions of the list could not be read.
  case rowsFailed(Range<Int>)
  case downloaded(RecordingID)
  /// The progress of the filter (`matches`) or of the search of everything stored
  /// (`found`).
  case matches(MatchCount, of: ShownRows)
  /// The recordings at a range of positions in the results, fewer if they end earlier.
  case foundRows(Range<Int>, [RecordingRow])
  /// The filter (`matches`) or the search of everything stored (`found`) for that text ended early,
  /// and why.
  case searchFailed(String, of: ShownRows, reason: String)
  /// A filter or a search that asks for a list that is not stored: a fault of the typed
  /// text.
  case refused(String, TypedExpression.Fault)
  /// The answer to `complete`: the texts with names at their ends, and then the one that was asked for.
  case completions([String])
  /// The answer to `findMatch`: the row's position in the list, `nil` if no row matches.
  case match(WantedMatch, position: Int?)
  /// Searches ask that catalogue from now on.
  case catalogue(Catalogue)
  /// The answer to `count`.
  case counts(RecordingCounts)
  case playback(Playback)
  /// The list found nothing: the name to search for in its place, and a description of it.
  case suggestion(String, String)
  case notice(String)
  /// A text that cannot be searched for, and why: the prompt opens again with it.
  case invalidSearch(String, reason: String)
}

/// A task that the screen gives to the shell.
enum ScreenAction: Equatable, Sendable {
  case showQueries
  case open(CatalogueQuery)
  case forget(CatalogueQuery)
  /// A typed text: the shell makes a query of it and opens that, or answers `invalidSearch`.
  case search(String)
  /// The rows at those positions; `rows` answers.
  case read(Range<Int>, of: ShownRows)
  case sort(SortKey?)
  /// Search for the rows that satisfy it; `nil` ends the search.
  case filter(TypedExpression?)
  /// Search everything stored; `nil` ends the search and forgets its results.
  case searchStored(TypedExpression?, SortKey?)
  /// The texts that one may become; `completions` answers.
  case complete(String)
  /// The position of a match in the list; `match` answers.
  case findMatch(WantedMatch)
  /// Search the next catalogue from now on, and the open list's query in it; `catalogue` answers.
  case nextCatalogue
  /// Counts the rows with each value; `counts` answers.
  case count(CountKey, of: ShownRows)
  case loadPage(Int)
  case refresh
  case cancelLoad
  /// The recording, or only the seconds in `part`.
  case play(Recording, part: ClosedRange<Double>? = nil)
  case stopPlaying
  /// An HTTPS address, for the user's web browser.
  case openPage(URL)
  case copy(String)
  case export(path: String, of: ShownRows)
  case redraw
  case suspend
  case quit
  case interrupt
}

/// The rows that a position counts: those of the list as it is sorted, only those that
/// match the filter, or the results of a search of everything stored.
enum ShownRows: Equatable, Sendable {
  case list
  case matches
  case found
}

struct MatchCount: Equatable, Sendable {
  let text: String
  /// Rows that match so far; `nil` while everything stored is searched.
  var count: Int?
  var isComplete = false
  /// The part of the store that was read, from 0 to 1.
  var done: Double?
  /// Recordings that are stored.
  var searched = 0
  /// Further recordings that match and are left out, because they are in no list any more.
  var unlisted = 0
  /// Further recordings that match and are left out, because they are copies of those found.
  var copies = 0
  /// The scientific names under which recordings of a bird that was named match too.
  var otherNames: [String] = []
  /// The text that was probably meant by one that finds nothing.
  var meant: String?
  /// The notices that people must read about the catalogues of the recordings found.
  var notices: [String] = []
}

enum WantedMatch: Equatable, Sendable {
  /// The match at that index, from 0.
  case index(Int)
  /// The first match after that position of the list.
  case after(Int)
  /// The last match before that position of the list.
  case before(Int)
}

enum Playback: Equatable, Sendable {
  case idle
  /// The audio is being downloaded: bytes so far, and of the whole file if that is known.
  case downloading(RecordingID, received: Int, total: Int?)
  /// The recording, or only the seconds in `part`.
  case playing(RecordingID, part: ClosedRange<Double>? = nil)
  case finished(RecordingID)
  case failed(RecordingID, String)
}
