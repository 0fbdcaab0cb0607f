import Chirper
import ChirperFormats
import ChirperModel
import ChirperTestSupport
import Foundation
import Testing

@testable import ChirperTerminal

@Suite struct ScreenTests {
  private let totals = Totals(recordings: 454, pages: 9)

  private func world(_ rows: Int = 50, columns: Int = 80, height: Int = 24) -> FakeWorld {
    var world = FakeWorld(columns: columns, rows: height, recordings: FakeWorld.parrots(rows))
    world.open(.paging([], next: 2), totals: totals)
    return world
  }

  private func selectedID(_ world: FakeWorld) -> String? { world.screen.table?.selected?.id.value }

  @Test func `The next page is requested once, when the last row is nearly visible`() {
    var world = world()
    #expect(world.takeActions().isEmpty)
    for _ in 0..<47 { world.press(.down) }
    #expect(world.takeActions() == [.loadPage(2)])
    world.press(.down, .up, .down, .end, .pageDown)
    #expect(world.takeActions().isEmpty)
  }

  @Test func `Appended rows do not move the selection, and pages are requested up to the end`() {
    var world = world()
    world.press(.end)
    #expect(world.takeActions() == [.loadPage(2)])
    world.send(.load(.requesting(page: 2, of: 9)))
    let before = selectedID(world)
    world.recordings += FakeWorld.parrots(50, from: 51)
    world.show(.paging([], next: 3), totals: totals)
    world.send(.load(nil))
    #expect(selectedID(world) == before)
    #expect(world.takeActions().isEmpty)
    world.press(.end)
    #expect(world.takeActions() == [.loadPage(3)])
    world.show(.populated([]), totals: totals, completeness: .complete)
    world.press(.end, .down)
    #expect(world.takeActions().isEmpty)
  }

  @Test func `A failed page is requested again only when the user refreshes`() {
    var world = world()
    world.press(.end)
    _ = world.takeActions()
    let error = SearchError.fetch(.offline(host: "xeno-canto.org"), catalogue: .xenoCanto, page: 2)
    world.show(.error(error, cached: []), totals: totals)
    world.press(.up, .end)
    #expect(world.takeActions().isEmpty)
    world.press(.character("r"))
    #expect(world.takeActions() == [.refresh])
  }

  @Test func `The selection stays on its recording when rows are inserted above it`() {
    var world = world()
    for _ in 0..<5 { world.press(.down) }
    let before = selectedID(world)
    let line = world.screen.render().cursor?.row
    world.recordings.insert(contentsOf: FakeWorld.parrots(3, from: 900), at: 0)
    world.show(.paging([], next: 2), totals: totals)
    #expect(selectedID(world) == before)
    #expect(world.screen.render().cursor?.row == line)
  }

  @Test func `With a hundred thousand rows only the rows near the visible ones are read`() {
    var small = world(100)
    var large = world(100_000)
    for key in [Key.pageDown, .end, .home, .character("G"), .pageUp, .down] {
      small.press(key)
      large.press(key)
    }
    #expect(large.largestRead <= 3 * 24)
    #expect(large.rowsRead <= small.rowsRead + 4 * 3 * 24)
    #expect(selectedID(large) == "\(1000 + 100_000 - 20 + 1)")
  }

  @Test func `Filtering shows only matching rows, without the network, and Esc shows the whole list`() {
    var world = world(150)
    world.press(.character("f"))
    world.type("kakapo")
    #expect(world.screen.table?.count == 25)
    world.press(.enter, .down, .end)
    let match = selectedID(world)
    world.press(.escape)
    #expect(world.screen.table?.count == 150)
    #expect(selectedID(world) == match)
    #expect(!world.takeActions().contains { if case .loadPage = $0 { true } else { false } })
  }

  @Test func `n and N go from match to match in the whole list`() {
    var world = world(150)
    world.press(.character("f"))
    world.type("kakapo")
    world.press(.escape)
    #expect(selectedID(world) == "1003")
    world.press(.character("n"))
    #expect(selectedID(world) == "1009")
    world.press(.character("N"), .character("N"))
    #expect(selectedID(world) == "1003")
    #expect(world.screen.notice?.text == "no match further up")
  }

  @Test func `Before the first matches every row is shown, and Esc leaves the filter at once`() {
    // The screen alone: nothing answers its actions.
    var screen = world(150).screen
    _ = screen.handle(.key(.character("f")))
    #expect(screen.handle(.key(.character("k"))).contains(.filter("k")))
    #expect(screen.table?.count == 150)
    #expect(screen.render().text.contains("searching for k · Esc shows all"))
    _ = screen.handle(.matches(FilterMatches(text: "kak", count: 3, isComplete: true)))
    #expect(screen.table?.count == 150)
    let actions = screen.handle(.key(.escape))
    #expect(!actions.contains { if case .findMatch = $0 { true } else { false } })
    #expect(screen.table?.appliedFilter == nil)
    #expect(screen.handle(.key(.character("n"))).contains(.findMatch(.after(0))))
  }

  @Test func `A late answer about a match moves nothing`() {
    var world = world(150)
    world.press(.character("f"))
    world.type("kakapo")
    world.press(.escape, .down)
    let before = selectedID(world)
    world.send(.match(.index(3), position: 40))
    #expect(selectedID(world) == before)
  }

  @Test func `A digit sorts by that column, a second time in reverse, and 0 restores the order`() {
    var world = world()
    world.press(.character("2"), .character("2"), .character("0"), .character("9"))
    #expect(
      world.takeActions() == [.sort(ListSort(field: "en")), .sort(ListSort(field: "en", descending: true)), .sort(nil)])
  }

  @Test(arguments: [80, 40, 30]) func `The column that the rows are sorted by is always shown with its whole heading`(
    columns: Int
  ) {
    var world = world(columns: columns)
    world.press(.character("6"))
    #expect(world.screen.render().text.contains("↑length"))
  }

  @Test func `A search is typed and started, or cancelled`() {
    var world = world()
    world.press(.character("/"), .control("u"))
    world.type("kea q")
    world.press(.backspace, .backspace, .enter, .character("/"), .escape)
    #expect(world.takeActions() == [.search("kea")])
  }

  @Test func `An invalid search stays in the prompt, below the reason`() {
    var world = world()
    world.press(.character("/"), .control("u"))
    world.type("q:X")
    world.press(.enter)
    #expect(world.takeActions() == [.search("q:X")])
    world.send(.invalidSearch("q:X", reason: "q:X is not A to E"))
    let lines = world.screen.render().text.split(separator: "\n", omittingEmptySubsequences: false).suffix(2)
    #expect(lines.map { $0.trimmingCharacters(in: .whitespaces) } == ["q:X is not A to E", "search: q:X"])
    world.press(.backspace, .character("A"), .enter)
    #expect(world.takeActions() == [.search("q:A")])
  }

  @Test func `Without matching rows nothing is selected`() {
    var world = world()
    world.press(.character("f"))
    world.type("no such row")
    world.press(.enter)
    _ = world.takeActions()
    #expect(world.screen.table?.selected == nil)
    world.press(.enter, .character("p"), .character("y"), .character("Y"), .character("o"), .character("e"))
    #expect(world.takeActions().isEmpty)
  }

  @Test func `Rows are not exported while the filter is still searching`() {
    var world = world()
    world.press(.character("f"))
    world.type("kea")
    world.press(.enter)
    _ = world.takeActions()
    world.send(.matches(FilterMatches(text: "kea", count: 1, isComplete: false)))
    world.press(.character("e"), .enter)
    #expect(world.takeActions().isEmpty)
    world.send(.matches(FilterMatches(text: "kea", count: 2, isComplete: true)))
    world.press(.character("e"), .enter)
    #expect(world.takeActions() == [.export(path: "en-parrot.csv", of: .matches)])
  }

  @Test func `A cell shows the detail of its field where that reads better, else the field as it was sent`() {
    let mapping = Catalogue.DetailsMapping(fields: [.duration: ["ms"], .eventDate: ["when"], .quality: ["q"]]) { recording in
      var details = RecordingDetails()
      details.duration = recording.text("ms").flatMap(Double.init).map { $0 / 1000 }
      details.eventDate = recording.text("when").flatMap { PartialDate($0) }
      details.quality = recording.text("q").flatMap(Quality.init)
      return details
    }
    let columns = ["ms", "when", "q", "rec"].map { Catalogue.TableColumn($0, $0) }
    let table = RecordingTable(FakeWorld.query, catalogue: FakeWorld.catalogue(tableColumns: columns, mapping: mapping))
    func cells(_ values: String...) -> [String] {
      table.cells(of: FakeWorld.recording(id: "1", Array(zip(columns.map(\.field), values))))
    }
    #expect(cells("225400", "2024-05-01T08:00:00Z", "A", "Ann") == ["3:45", "2024-05-01", "A", "Ann"])
    #expect(cells("3727000", "2024-05-00", "no score", "") == ["1:02:07", "2024-05", "no score", ""])
    #expect(cells("unknown", "0000-00-00") == ["unknown", "0000-00-00", "", ""])
  }

  @Test func `Copied text contains no control characters`() {
    var world = FakeWorld(
      columns: 80, rows: 24,
      recordings: [FakeWorld.recording(id: "1\n2", [("en", "Kea"), ("url", "https://example.org/1\ntouch x\n")])])
    world.open(.populated([]))
    world.press(.character("y"), .character("Y"))
    let copied = world.takeActions().compactMap { if case .copy(let text) = $0 { text } else { nil } }
    #expect(!copied.contains { $0.unicodeScalars.contains(where: JSONText.isControl) }, "\(copied)")
  }

  @Test func `Esc goes back from the detail to the list to the stored queries`() {
    var world = world()
    world.press(.enter, .escape)
    #expect(world.screen.table != nil)
    world.press(.escape)
    #expect(world.screen.table == nil)
    #expect(world.takeActions() == [.cancelLoad, .showQueries])
  }

  @Test func `p plays and stops, and the row and the bottom line show it`() throws {
    var world = world()
    let row = try #require(world.screen.table?.selected)
    world.press(.character("p"))
    #expect(world.takeActions() == [.play(row)])
    world.send(.playback(.playing(row.id)))
    #expect(world.screen.render().text.contains(">♪"))
    world.press(.character(" "))
    #expect(world.takeActions() == [.stopPlaying])
    world.send(.playback(.finished(row.id)))
    #expect(!world.screen.render().text.contains("♪"))
    #expect(world.screen.notice?.text == "finished playing 1001")
  }

  @Test func `Keys for copying, opening the page, exporting and leaving become actions`() throws {
    var world = world()
    let page = try #require(URL(string: "https://example.org/1001"))
    world.press(.character("y"), .character("Y"), .character("o"), .character("e"), .enter, .control("z"), .character("q"))
    #expect(
      world.takeActions() == [
        .copy("1001"), .copy("https://example.org/1001"), .openPage(page),
        .export(path: "en-parrot.csv", of: .list), .suspend, .quit,
      ])
  }

  @Test func `Any keys in any order at any size neither crash nor draw past the edge`() {
    var generator = SeededRandom(seed: 3)
    let keys = KeyTable.bindings.flatMap(\.keys) + [.left, .right, .backspace, .delete, .character("漢"), .tab]
    for columns in [1, 2, 3, 10, 80] {
      for rows in [1, 2, 3, 5, 8, 20] {
        var world = FakeWorld(columns: columns, rows: rows, recordings: FakeWorld.parrots(60))
        world.open(.paging([], next: 2), totals: totals)
        for step in 0..<45 {
          world.press(keys[Int.random(in: 0..<keys.count, using: &generator)])
          if step % 15 == 14 { world.open(.paging([], next: 2), totals: totals) }
          let frame = world.screen.render()
          #expect(frame.lines.count == rows)
          #expect(frame.lines.allSatisfy { DisplayWidth.columns($0.spans.map(\.text).joined()) <= columns })
          if let cursor = frame.cursor { #expect(cursor.row < rows && cursor.column < columns) }
        }
      }
    }
  }
}
