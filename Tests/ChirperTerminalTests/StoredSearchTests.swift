import Chirper
import ChirperModel
import ChirperTestSupport
import Foundation
import Testing

@testable import ChirperTerminal

/// The search of everything stored, and the language of the filter, without a store.
@Suite struct StoredSearchTests {
  private func driver(_ rows: Int = 150) -> ScreenDriver {
    var driver = ScreenDriver(columns: 80, rows: 24, recordings: ScreenDriver.parrots(rows))
    driver.open(
      .populated([]), totals: RecordingPage.Totals(recordings: rows, pages: 3),
      completeness: .complete)
    return driver
  }

  private func lines(_ driver: ScreenDriver) -> [String] {
    driver.screen.render().text.split(separator: "\n", omittingEmptySubsequences: false).map(
      String.init)
  }

  /// The last two lines: the footer and the prompt.
  private func bottom(_ driver: ScreenDriver) -> [String] { Array(lines(driver).suffix(2)) }

  @Test
  func
    `s searches as it is typed, Enter keeps what was found, and Esc goes back to the list as it was`()
    throws
  {
    var driver = driver()
    driver.press(.down, .down)
    let before = driver.screen.table?.selected
    driver.press(.character("s"))
    driver.type("kakapo q:a")
    #expect(
      bottom(driver) == [
        "25 of 150 recordings found · Esc goes back", "search everything stored: kakapo q:a",
      ])
    driver.press(.enter, .down, .enter)
    #expect(lines(driver).prefix(3).first?.hasPrefix("Kākāpō") == true)
    #expect(lines(driver).contains("in the list parrot"), "\(lines(driver))")
    driver.press(.escape)
    #expect(driver.screen.table?.query == nil)
    driver.press(.escape)
    #expect(driver.screen.table?.query == ScreenDriver.query)
    #expect(driver.screen.table?.selected == before)
    #expect(driver.takeActions().last == .searchStored(nil, nil))
    // Its text is still there, selected, with its results.
    driver.press(.character("s"))
    #expect(
      bottom(driver) == [
        "25 of 150 recordings found · Esc goes back", "search everything stored: kakapo q:a",
      ])
    driver.type("k")
    #expect(bottom(driver)[1] == "search everything stored: k")
  }

  @Test func `c counts the rows shown, again by the next detail, and Enter on a bar filters by it`()
    throws
  {
    var driver = driver()
    driver.press(.character("c"))
    #expect(lines(driver)[0] == "species of 150 recordings, 0 without")
    #expect(lines(driver)[1].hasPrefix("> Psittacus exemplaris  150  █"))
    driver.press(.character("c"))
    #expect(lines(driver)[0] == "recordist of 150 recordings, 0 without")
    let bars = lines(driver)[1...].filter { $0.contains("█") }
    try #require(bars.count == 7 && bars[0].hasPrefix("> "), "\(lines(driver))")
    driver.press(.down, .enter)
    let name = try #require(driver.screen.table?.filter?.text)
    #expect(name.hasPrefix("rec:\"=") && driver.screen.pane == .none)
    let count = try #require(driver.screen.table?.filter?.answer.count)
    #expect(bars[1].contains(" \(count) "), "\(bars[1]), \(count)")
    // What is shown is counted, and the filter narrowed.
    driver.press(.character("c"), .right, .left, .left)
    #expect(lines(driver)[0] == "catalogue of \(count) recordings, 0 without")
    driver.press(.enter)
    #expect(driver.screen.table?.filter?.text == name + " source:xeno-canto")
    driver.press(.character("c"), .escape)
    #expect(
      driver.screen.pane == .none
        && driver.screen.table?.filter?.answer.count == driver.screen.table?.count)
    // Back to the search that the bar was chosen in.
    driver.press(.escape)
    #expect(driver.screen.table?.filter?.text == name)
    driver.press(.escape, .escape, .character("c"))
    #expect(driver.screen.pane == .none)
  }

  @Test func `c counts what a search of everything stored found, in any size of screen`() throws {
    for (columns, rows) in [(80, 24), (20, 5), (4, 1), (1, 2)] {
      var driver = driver()
      driver.press(.character("s"))
      driver.type("kakapo")
      driver.press(.enter, .character("c"))
      driver.send(.resize(TerminalSize(columns: columns, rows: rows)))
      // Twice through the keys.
      for _ in 0..<2 * CountsPane.keys.count {
        driver.press(.character("l"), .down, .pageDown)
        #expect(lines(driver).count == rows)
      }
      driver.press(.character("g"), .enter)
      #expect(driver.screen.table?.filter?.text.hasPrefix("kakapo ") == true)
      driver.press(.escape)
      #expect(driver.screen.table?.filter?.text == "kakapo")
    }
  }

  @Test
  func `Esc in the prompt, and Enter without a text, go back too, also to the stored queries`() {
    var driver = driver()
    driver.press(.character("s"), .character("k"), .escape)
    #expect(driver.screen.storedSearch == nil && driver.screen.pane == .none)
    driver.press(.character("s"), .enter)
    #expect(driver.screen.storedSearch == nil && driver.screen.pane == .none)
    driver.press(.escape, .character("s"))
    driver.type("kea")
    driver.press(.enter)
    #expect(driver.screen.table?.count == 25)
    driver.press(.escape)
    #expect(driver.screen.table == nil)
  }

  @Test func `What was found can be played, sorted, narrowed, searched again and exported`() throws
  {
    var driver = driver()
    driver.press(.character("s"))
    driver.type("kea")
    driver.press(.enter)
    _ = driver.takeActions()
    let kea = try TypedExpression("kea")
    let first = try #require(driver.screen.table?.selected)
    driver.press(
      .character("p"), .character("4"), .character("4"), .character("r"), .character("e"))
    #expect(lines(driver).last == "export to: kea.csv")
    driver.press(.enter)
    let (up, down) = (
      SortKey(.detail(.mediaDuration)), SortKey(.detail(.mediaDuration), descending: true)
    )
    #expect(
      driver.takeActions() == [
        .play(first), .searchStored(kea, up), .searchStored(kea, down), .searchStored(kea, down),
        .export(path: "kea.csv", of: .found),
      ])
    // f continues the text instead of replacing it.
    driver.press(.character("f"))
    driver.type(" new")
    #expect(driver.takeActions().last == .searchStored(try TypedExpression("kea new"), down))
  }

  @Test
  func `An answer for another text is not shown, and the rows stay until that for the last one`()
    throws
  {
    var driver = driver()
    driver.press(.character("s"))
    driver.type("kakap")
    // The screen alone: nothing answers its actions.
    var screen = driver.screen
    _ = screen.handle(.key(.character("o")))
    #expect(screen.table?.count == 25)
    #expect(screen.render().text.contains("searching for kakapo · Esc goes back"))
    for event in [
      ScreenEvent.matches(
        MatchCount(text: "kakap", count: 7, isComplete: true, searched: 150), of: .found),
      .matches(MatchCount(text: "kakap", done: 0.5), of: .found),
      .searchFailed("kakap", of: .found, reason: "the disk cannot be read"),
    ] {
      _ = screen.handle(event)
      #expect(screen.table?.count == 25)
      #expect(screen.render().text.contains("searching for kakapo · Esc goes back"))
    }
    _ = screen.handle(.matches(MatchCount(text: "kakapo", done: 0.5), of: .found))
    #expect(screen.render().text.contains("searching for kakapo, 50 % · Esc goes back"))
    let found = MatchCount(
      text: "kakapo", count: 3, isComplete: true, searched: 150, notices: ["Hums of plants."])
    _ = screen.handle(.matches(found, of: .found))
    #expect(screen.render().text.contains("3 of 150 recordings found"))
    #expect(screen.render().text.contains("Hums of plants."))
  }

  @Test func `The filter takes tags, and words match at their start`() {
    var driver = driver()
    driver.press(.character("f"))
    driver.type("parrot q:A cnt:brazil")
    #expect(driver.screen.table?.count == 12)
    driver.press(.control("u"))
    driver.type("arrot")
    #expect(driver.screen.table?.count == 0)
    driver.press(.control("u"))
    driver.type("-parrot -cnt:gabon")
    #expect(driver.screen.table?.count == 100)
    driver.press(.control("u"))
    driver.type("cnt:BR")
    #expect(
      bottom(driver)[0].contains("rows match cnt:BR · cnt:BR is taken as Brazil"),
      "\(bottom(driver))")
  }

  @Test(arguments: [Key.character("f"), .character("s")])
  func `A text that is not in the language is marked and explained, and the rows stay`(key: Key) {
    var driver = driver()
    driver.press(key)
    driver.type("kakapo")
    let rows = lines(driver).dropLast(2)
    _ = driver.takeActions()
    driver.type(" type:sonng")
    let fault = #"column 8: the tag "type:" does not accept "sonng". Did you mean song? To search…"#
    #expect(bottom(driver)[0] == fault)
    #expect(bottom(driver)[1].hasSuffix("kakapo type:sonng"))
    #expect(
      driver.screen.render().lines.last?.spans.last
        == Line.Span(text: "type:sonng", style: .warning))
    // The rows are those of the text before the fault.
    #expect(driver.screen.table?.filter?.text == "kakapo ")
    #expect(Array(lines(driver).dropFirst().dropLast(2)) == Array(rows.dropFirst()))
    driver.press(.enter)
    #expect(bottom(driver)[0] == fault, "Enter keeps a text with a fault in the prompt")
    driver.press(.backspace, .backspace, .character("g"), .enter)
    #expect(driver.screen.table?.filter?.text == "kakapo type:song")
    #expect(driver.screen.pane == .none)
    // A small screen has the reason after the text.
    driver.press(key, .home)
    driver.type("z:")
    driver.send(.resize(TerminalSize(columns: 80, rows: 6)))
    #expect(
      lines(driver).last?.contains(#"  column 1: unknown tag "z:"#) == true, "\(lines(driver))")
  }

  @Test func `While a word of a vocabulary is typed the rows are those of what is before it`() {
    var driver = driver()
    driver.press(.character("f"))
    driver.type("kakapo")
    let count = driver.screen.table?.count
    driver.type(" type:so")
    #expect(driver.screen.table?.filter?.text == "kakapo " && driver.screen.table?.count == count)
    #expect(bottom(driver)[0].contains("Did you mean"))
    driver.type("ng")
    #expect(driver.screen.table?.filter?.text == "kakapo type:song")
    for text in ["type:=so", "sex:female", "type:call", "so"] {
      #expect(throws: Never.self) { try TypedExpression(text) }
    }
    for text in ["type:so", "sex:f", "type:song,c"] {
      #expect(throws: SearchExpressionError.self) { try TypedExpression(text) }
    }
  }

  @Test(arguments: typedSearches)
  func `a typed search means what it means to the command and to the server`(
    row: (typed: String, means: String)
  ) {
    let read = try? TypedExpression(row.typed).expression.description
    #expect(read ?? "an error" == row.means)
  }

  @Test func `A list that is not stored is a fault of the text too`() throws {
    var driver = driver()
    driver.press(.character("s"))
    driver.type("in:kea")
    let fault = TypedExpression.Fault(
      SearchExpressionError(.unknownList("kea", nearest: []), at: 1))
    driver.send(.refused("in:ke", fault))
    #expect(!bottom(driver)[0].contains("kea"))
    driver.send(.refused("in:kea", fault))
    #expect(
      bottom(driver)[0]
        == #"column 1: no list "kea" is stored"#)
  }

  @Test
  func
    `While a text has a fault, the rows are those of what is before it, or stay where that is nothing`()
  {
    var driver = driver()
    driver.press(.character("f"))
    driver.type("q:A q:")
    #expect(driver.screen.table?.filter?.text == "q:A " && driver.screen.table?.count == 50)
    driver.press(.home, .character("z"))
    #expect(bottom(driver)[0].hasPrefix("column 1: "))
    #expect(driver.screen.table?.filter?.text == "q:A " && driver.screen.table?.count == 50)
  }

  @Test func `What a list loads meanwhile is shown on the way back`() {
    var driver = driver(50)
    driver.press(.character("s"))
    driver.type("kea")
    driver.recordings += ScreenDriver.parrots(50, from: 51)
    driver.show(
      .populated([]), totals: RecordingPage.Totals(recordings: 100, pages: 2),
      completeness: .complete)
    #expect(driver.screen.table?.query == nil && driver.screen.table?.filter?.text == "kea")
    driver.press(.escape, .end)
    #expect(driver.screen.table?.count == 100)
    #expect(driver.screen.table?.selected?.id.value == "1100")
  }

  @Test
  func `A search that was overtaken before it began is skipped, and one that runs is cancelled`()
    throws
  {
    let (hasBegun, mayEnd) = (Locked(false), Locked(false))
    let answers = Locked<[(number: Int, turn: LatestTask.Turn, wasCancelled: Bool)]>([])
    var latest = LatestTask(on: QueueExecutor("chirper.search"))
    for number in 1...5 {
      latest.start { turn in
        hasBegun.withLock { $0 = true }
        // Like a search that waits for the disk: it does not notice at once that it was cancelled.
        while !mayEnd.withLock(\.self) { usleep(1000) }
        answers.withLock { $0.append((number, turn, Task.isCancelled)) }
      }
      // The first runs, on its own thread, before the others are started.
      while !hasBegun.withLock(\.self) { usleep(1000) }
    }
    mayEnd.withLock { $0 = true }
    while answers.withLock(\.count) < 2 { usleep(1000) }
    let found = answers.withLock(\.self)
    #expect(found.map(\.number) == [1, 5])
    #expect(found.map(\.wasCancelled) == [true, false])
    #expect(found.map(\.turn.isLatest) == [false, true])
    latest.cancel()
    #expect(!latest.turn.isLatest)
  }
}
