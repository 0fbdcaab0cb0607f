import Chirper
import ChirperFormats
import ChirperModel
import ChirperTestSupport
import Foundation
import Testing

@testable import ChirperTerminal

@Suite struct ScreenTests {
  private let totals = RecordingPage.Totals(recordings: 454, pages: 9)

  private func driver(_ rows: Int = 50, columns: Int = 80, height: Int = 24) -> ScreenDriver {
    var driver = ScreenDriver(
      columns: columns, rows: height, recordings: ScreenDriver.parrots(rows))
    driver.open(.paging([], next: 2), totals: totals)
    return driver
  }

  private func selectedID(_ driver: ScreenDriver) -> String? {
    driver.screen.table?.selected?.id.value
  }

  @Test func `The next page is requested once, shortly before the last row is visible`() {
    var driver = driver()
    #expect(driver.takeActions().isEmpty)
    for _ in 0..<47 { driver.press(.down) }
    #expect(driver.takeActions() == [.loadPage(2)])
    driver.press(.down, .up, .down, .end, .pageDown)
    #expect(driver.takeActions().isEmpty)
  }

  @Test func `Appended rows do not move the selection, and scrolling reaches the end of the list`()
  {
    var driver = driver()
    driver.press(.end)
    #expect(driver.takeActions() == [.loadPage(2)])
    let load = LoadState.loading(.loading(page: 2, of: 9))
    driver.show(.paging([], next: 2), totals: totals, load: load)
    let before = selectedID(driver)
    driver.recordings += ScreenDriver.parrots(50, from: 51)
    driver.show(.paging([], next: 3), totals: totals, load: load)
    driver.show(.paging([], next: 3), totals: totals)
    #expect(selectedID(driver) == before)
    #expect(driver.takeActions().isEmpty)
    driver.press(.end)
    #expect(driver.takeActions() == [.loadPage(3)])
    driver.show(.populated([]), totals: totals, completeness: .complete)
    driver.press(.end, .down)
    #expect(driver.takeActions().isEmpty)
  }

  @Test func `A failed page is requested again only when the user asks for it`() {
    var driver = driver()
    driver.press(.end)
    _ = driver.takeActions()
    let error = LoadError.fetch(.offline(host: "xeno-canto.org"), catalogue: .xenoCanto, page: 2)
    driver.show(.error(error, cached: []), totals: totals)
    driver.press(.up, .end)
    #expect(driver.takeActions().isEmpty)
    driver.press(.character("r"))
    #expect(driver.takeActions() == [.refresh])
  }

  @Test func `The selection stays on its recording when rows are inserted above it`() {
    var driver = driver()
    for _ in 0..<5 { driver.press(.down) }
    let before = selectedID(driver)
    let line = driver.screen.render().cursor?.row
    driver.recordings.insert(contentsOf: ScreenDriver.parrots(3, from: 900), at: 0)
    driver.show(.paging([], next: 2), totals: totals)
    #expect(selectedID(driver) == before)
    #expect(driver.screen.render().cursor?.row == line)
  }

  @Test func `With ten thousand rows only the visible ones are read`() {
    var small = driver(100)
    var large = driver(10_000)
    for key in [Key.pageDown, .end, .home, .character("G"), .pageUp, .down] {
      small.press(key)
      large.press(key)
    }
    #expect(large.largestRead <= 3 * 24)
    #expect(large.rowsRead <= small.rowsRead + 4 * 3 * 24)
    #expect(selectedID(large) == "\(1000 + 10_000 - 20 + 1)")
  }

  @Test
  func `Filtering shows only matching rows, makes no request, and Esc shows the whole list again`()
  {
    var driver = driver(150)
    driver.press(.character("f"))
    driver.type("kakapo")
    #expect(driver.screen.table?.count == 25)
    driver.press(.enter, .down, .end)
    let match = selectedID(driver)
    driver.press(.escape)
    #expect(driver.screen.table?.count == 150)
    #expect(selectedID(driver) == match)
    #expect(!driver.takeActions().contains { if case .loadPage = $0 { true } else { false } })
  }

  @Test func `The filter does not search the address of the licence, which has common words`() {
    var driver = driver(150)
    driver.press(.character("f"))
    driver.type("common")
    #expect(driver.screen.table?.count == 0)
  }

  @Test func `n and N go from match to match in the whole list`() {
    var driver = driver(150)
    driver.press(.character("f"))
    driver.type("kakapo")
    driver.press(.escape)
    #expect(selectedID(driver) == "1003")
    driver.press(.character("n"))
    #expect(selectedID(driver) == "1009")
    driver.press(.character("N"), .character("N"))
    #expect(selectedID(driver) == "1003")
    #expect(driver.screen.notice?.text == "no match further up")
  }

  @Test func `Before the first matches every row is shown, and Esc leaves the filter at once`()
    throws
  {
    // The screen alone: nothing answers its actions.
    var screen = driver(150).screen
    _ = screen.handle(.key(.character("f")))
    #expect(screen.handle(.key(.character("k"))).contains(.filter(try TypedExpression("k"))))
    #expect(screen.table?.count == 150)
    #expect(screen.render().text.contains("searching for k · Esc shows all"))
    _ = screen.handle(.matches(MatchCount(text: "kak", count: 3, isComplete: true), of: .matches))
    #expect(screen.table?.count == 150, "matches of another text are ignored")
    let actions = screen.handle(.key(.escape))
    #expect(!actions.contains { if case .findMatch = $0 { true } else { false } })
    #expect(screen.table?.appliedFilter == nil)
    #expect(screen.handle(.key(.character("n"))).contains(.findMatch(.after(0))))
  }

  @Test func `While a longer text is searched for, the matches of the shorter one stay`() throws {
    var driver = driver(150)
    driver.press(.character("f"))
    driver.type("kakap")
    // The screen alone: nothing answers its actions.
    var screen = driver.screen
    let actions = screen.handle(.key(.character("o")))
    #expect(actions.contains(.filter(try TypedExpression("kakapo"))))
    #expect(actions.contains { if case .read(_, of: .matches) = $0 { true } else { false } })
    #expect(screen.table?.count == 25)
    #expect(screen.render().text.contains("25 of 150 rows match kakapo, still searching"))
    _ = screen.handle(.matches(MatchCount(text: "kakapo", count: 4), of: .matches))
    #expect(screen.table?.count == 4)
  }

  @Test(arguments: [(true, true, ">•*!"), (true, false, "> *!"), (false, false, ">  !")])
  func `A row that is new and doubted has both marks`(
    isNew: Bool, isDownloaded: Bool, marks: String
  )
    throws
  {
    let fields = try RecordingFields(json: #"{"id":"1","en":"Kea","status":"questioned"}"#)
    let row = Recording(id: RecordingID(catalogue: .xenoCanto, value: "1"), fields: fields)
    var driver = ScreenDriver(columns: 80, rows: 24, recordings: [row])
    (driver.new, driver.downloaded) = (isNew ? [row.id] : [], isDownloaded ? [row.id] : [])
    driver.open(
      .populated([]), totals: RecordingPage.Totals(recordings: 1, pages: 1), completeness: .complete
    )
    let text = driver.screen.render().text
    #expect(text.contains("\n\(marks)Kea"), "\(text)")
  }

  @Test func `A late answer about a match moves nothing`() {
    var driver = driver(150)
    driver.press(.character("f"))
    driver.type("kakapo")
    driver.press(.escape, .down)
    let before = selectedID(driver)
    driver.send(.match(.index(3), position: 40))
    #expect(selectedID(driver) == before)
  }

  @Test func `A digit sorts by that column, again in reverse, and 0 restores the order`() {
    var driver = driver()
    driver.press(.character("1"), .character("1"), .character("0"))
    #expect(
      driver.takeActions() == [
        .sort(SortKey(.field("en"))), .sort(SortKey(.field("en"), descending: true)), .sort(nil),
      ])
    // Of the columns shown: here only two are.
    driver.send(.resize(TerminalSize(columns: 30, rows: 24)))
    driver.press(.character("2"), .character("9"))
    #expect(driver.takeActions() == [.sort(SortKey(.field("q")))])
  }

  @Test(arguments: [80, 40, 30]) func `The sorted column stays visible with its whole heading`(
    columns: Int
  ) {
    var driver = driver()
    driver.press(.character("3"))
    driver.send(.resize(TerminalSize(columns: columns, rows: 24)))
    #expect(driver.screen.render().text.contains("↑Length"))
  }

  @Test func `A search is typed and started, or left`() {
    var driver = driver()
    driver.press(.character("/"))
    driver.type("kea q")
    driver.press(.backspace, .backspace, .enter, .character("/"), .escape)
    #expect(driver.takeActions() == [.search("kea")])
  }

  @Test func `A malformed search stays in the prompt, below the reason`() {
    var driver = driver()
    driver.press(.character("/"), .control("u"))
    driver.type("q:X")
    driver.press(.enter)
    #expect(driver.takeActions() == [.search("q:X")])
    driver.send(.invalidSearch("q:X", reason: "q:X is not A to E"))
    let lines = driver.screen.render().text.split(separator: "\n", omittingEmptySubsequences: false)
      .suffix(2)
    #expect(
      lines.map { $0.trimmingCharacters(in: .whitespaces) } == ["q:X is not A to E", "search: q:X"])
    driver.press(.backspace, .character("A"), .enter)
    #expect(driver.takeActions() == [.search("q:A")])
  }

  @Test func `Where the filter leaves no row, nothing is selected`() {
    var driver = driver()
    driver.press(.character("f"))
    driver.type("no such row")
    driver.press(.enter)
    _ = driver.takeActions()
    #expect(driver.screen.table?.selected == nil)
    driver.press(
      .enter, .character("p"), .character("y"), .character("Y"), .character("o"), .character("e"))
    #expect(driver.takeActions().isEmpty)
  }

  @Test func `An export waits until the filter has finished`() {
    var driver = driver()
    driver.press(.character("f"))
    driver.type("kea")
    driver.press(.enter)
    _ = driver.takeActions()
    driver.send(.matches(MatchCount(text: "kea", count: 1), of: .matches))
    driver.press(.character("e"), .enter)
    #expect(driver.takeActions().isEmpty)
    driver.send(.matches(MatchCount(text: "kea", count: 2, isComplete: true), of: .matches))
    driver.press(.character("e"), .enter)
    #expect(driver.takeActions() == [.export(path: "en-parrot.csv", of: .matches)])
  }

  @Test
  func
    `A cell shows the detail of its field where that reads better, else the field as it was sent`()
  {
    let mapping = Catalogue.DetailsMapping(fields: [
      .mediaDuration: ["ms"], .eventDate: ["when"], .quality: ["q"],
    ]) { _ in
      { recording, details in
        details.seconds = recording.text("ms").flatMap(Double.init).map { $0 / 1000 }
        details.eventDate = recording.text("when").flatMap { PartialDate($0) }
        details.quality = recording.text("q").flatMap(RecordingDetails.Quality.init)
      }
    }
    let columns = ["ms", "when", "q", "rec"].map { Catalogue.TableColumn($0, $0) }
    let table = TableCells(
      columns, in: ScreenDriver.catalogue(tableColumns: columns, mapping: mapping))
    func cells(_ values: String...) -> [String] {
      table.row(of: ScreenDriver.recording(id: "1", Array(zip(columns.map(\.field), values)))).texts
    }
    #expect(
      cells("225400", "2024-05-01T08:00:00Z", "A", "Ann") == ["3:45", "2024-05-01", "A", "Ann"])
    #expect(cells("3727000", "2024-05-00", "no score", "") == ["1:02:07", "2024-05", "-", ""])
    #expect(cells("unknown", "0000-00-00") == ["unknown", "0000-00-00", "", ""])
  }

  @Test func `The clipboard gets no control character`() {
    var driver = ScreenDriver(
      columns: 80, rows: 24,
      recordings: [
        ScreenDriver.recording(
          id: "1\n2", [("en", "Kea"), ("url", "https://example.org/1\ntouch x\n")])
      ])
    // A catalogue whose details do not refuse such an address.
    let mapping = Catalogue.DetailsMapping(fields: [:]) { _ in
      { recording, details in details.pageAddress = recording.text("url") }
    }
    driver.send(
      .opened(
        ScreenDriver.query,
        ScreenDriver.catalogue(tableColumns: [.init("en", "name")], mapping: mapping)))
    driver.show(.populated([]))
    driver.press(.character("y"), .character("Y"))
    let copied = driver.takeActions().compactMap {
      if case .copy(let text) = $0 { text } else { nil }
    }
    #expect(copied.count == 1, "the id has such a character and is not copied")
    #expect(
      !copied.contains { $0.unicodeScalars.contains(where: PlainLine.isControl) }, "\(copied)")
  }

  @Test func `Esc goes back from the detail to the list to the stored queries`() {
    var driver = driver()
    driver.press(.enter, .escape)
    #expect(driver.screen.table != nil)
    driver.press(.escape)
    #expect(driver.screen.table == nil)
    #expect(driver.takeActions() == [.cancelLoad, .showQueries])
  }

  @Test func `p plays and stops, and the row and the bottom line show it`() throws {
    var driver = driver()
    let row = try #require(driver.screen.table?.selected)
    driver.press(.character("p"))
    #expect(driver.takeActions() == [.play(row)])
    driver.send(.playback(.playing(row.id)))
    #expect(driver.screen.render().text.contains(">♪"))
    driver.press(.character(" "))
    #expect(driver.takeActions() == [.stopPlaying])
    driver.send(.playback(.finished(row.id)))
    #expect(!driver.screen.render().text.contains("♪"))
    #expect(driver.screen.notice?.text == "finished playing 1001")
  }

  @Test func `Copy, page, export, suspend and quit become actions`() throws {
    var driver = driver()
    let page = try #require(URL(string: "https://example.org/1001"))
    driver.press(
      .character("y"), .character("Y"), .character("o"), .character("e"), .enter, .control("z"),
      .character("q"))
    #expect(
      driver.takeActions() == [
        .copy("1001"), .copy("https://example.org/1001"), .openPage(page),
        .export(path: "en-parrot.csv", of: .list), .suspend, .quit,
      ])
  }

  @Test func `Random keys at any size neither trap nor draw past the edge`() {
    var generator = SeededRandom(seed: 3)
    let keys =
      KeyTable.bindings.flatMap(\.keys) + [
        .left, .right, .backspace, .delete, .character("漢"), .tab,
      ]
    for columns in [1, 2, 3, 10, 80] {
      for rows in [1, 2, 3, 5, 8, 20] {
        var driver = ScreenDriver(
          columns: columns, rows: rows, recordings: ScreenDriver.parrots(60))
        driver.open(.paging([], next: 2), totals: totals)
        for step in 0..<200 / RandomCases.step {
          driver.press(keys[Int.random(in: 0..<keys.count, using: &generator)])
          if step % 15 == 14 { driver.open(.paging([], next: 2), totals: totals) }
          let frame = driver.screen.render()
          #expect(frame.lines.count == rows)
          #expect(
            frame.lines.allSatisfy {
              DisplayWidth.columns($0.spans.map(\.text).joined()) <= columns
            })
          if let cursor = frame.cursor { #expect(cursor.row < rows && cursor.column < columns) }
        }
      }
    }
  }
}
