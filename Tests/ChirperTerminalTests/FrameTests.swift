import Chirper
import ChirperFormats
import ChirperModel
import Foundation
import Testing

@testable import ChirperTerminal

/// The whole frame of every state, compared with the files in `Frames/`; `CHIRPER_RECORD=1` writes the files.
@Suite struct FrameTests {
  private static let sizes = [(10, 3), (80, 24), (200, 60)]
  private static let rows = FakeWorld.parrots(150)
  private static let totals = Totals(recordings: 454, pages: 9)
  private static let offline = SearchError.fetch(.offline(host: "xeno-canto.org"), catalogue: .xenoCanto, page: 1)

  @Test(arguments: Scene.allCases)
  func `The frame of every state is as recorded`(scene: Scene) throws {
    for (columns, rows) in Self.sizes {
      var world = FakeWorld(columns: columns, rows: rows)
      scene.set(&world)
      let frame = world.screen.render()
      #expect(frame.lines.count == rows)
      for line in frame.lines { #expect(DisplayWidth.columns(line.spans.map(\.text).joined()) <= columns) }
      let cursor = frame.cursor.map { "\($0.row + 1):\($0.column + 1)" } ?? "none"
      let text = frame.text + "\n-- cursor \(cursor)\n"
      try expect(text, inFile: "Frames/\(scene.rawValue) \(columns)x\(rows).txt")
    }
  }

  enum Scene: String, CaseIterable {
    case queries, noQueries, reading, notFetched, loading, paging, pagingScrolled, loadingMore, rateLimited, retrying
    case offline, offlineEmpty, keyMissing, empty, complete, verified, shifted, sorted, filtering, filtered
    case searchPrompt, exportPrompt, detail, help, playing, notice, hostile

    func set(_ world: inout FakeWorld) {
      switch self {
      case .queries, .noQueries:
        world.send(.queries(self == .queries ? Scene.stored : []))
        world.press(.down)
      case .reading: world.send(.opened(FakeWorld.query, FakeWorld.catalogue))
      case .notFetched: world.open(nil)
      case .loading:
        world.open(.loading)
        world.send(.load(.requesting(page: 1, of: nil)))
      case .keyMissing: world.open(.error(.fetch(.keyMissing, catalogue: .xenoCanto, page: nil), cached: []))
      case .offlineEmpty: world.open(.error(FrameTests.offline, cached: []))
      case .empty: world.open(.empty, totals: Totals(recordings: 0, pages: 0), completeness: .complete)
      case .hostile:
        world.recordings = Scene.hostileRows
        world.open(.populated([]), totals: Totals(recordings: 8, pages: 1), completeness: .complete)
      default: setRows(&world)
      }
    }

    private func setRows(_ world: inout FakeWorld) {
      world.recordings = FrameTests.rows
      switch self {
      case .offline: world.open(.error(FrameTests.offline, cached: []), totals: FrameTests.totals)
      case .complete: world.open(.populated([]), totals: Totals(recordings: 150, pages: 3), completeness: .complete)
      case .verified: world.open(.populated([]), totals: Totals(recordings: 150, pages: 3), completeness: .verified)
      case .shifted: world.open(.populated([]), totals: FrameTests.totals, completeness: .shifted(rows: 150, total: 454))
      default: world.open(.paging([], next: 4), totals: FrameTests.totals, completeness: .partial(pages: 3, of: 9))
      }
      switch self {
      case .pagingScrolled: world.press(.pageDown, .down, .down)
      case .loadingMore: world.send(.load(.requesting(page: 4, of: 9)))
      case .rateLimited: world.send(.load(.waiting(FakeWorld.start.addingTimeInterval(300), .retryAfter)))
      case .retrying:
        let error = FetchError.timedOut(host: "xeno-canto.org", phase: .idle)
        world.send(.load(.waiting(FakeWorld.start.addingTimeInterval(8), .backoff(error, attempt: 3))))
      case .sorted: world.press(.character("2"), .character("2"))
      case .filtering:
        world.press(.character("f"))
        world.type("macaw")
      case .filtered:
        world.press(.character("f"))
        world.type("kakapo")
        world.press(.enter, .down)
      case .searchPrompt:
        world.press(.character("/"), .control("u"))
        world.type("grey 漢字")
        world.press(.left)
      case .exportPrompt: world.press(.character("e"))
      case .detail: world.press(.down, .enter)
      case .help: world.press(.character("?"))
      case .playing: world.send(.playback(.playing(FrameTests.rows[1].id)))
      case .notice: world.send(.notice("written to parrot.csv: 150 rows"))
      default: break
      }
    }

    private static var stored: [StoredQuery] {
      [("parrot", 150, 454), ("en:\"=Kea\" q:A", 12, 12), ("漢字 \u{1B}[2J", 3, 3)].enumerated().map { index, item in
        let at = FakeWorld.start.addingTimeInterval(-Double(index) * 90_000)
        return StoredQuery(
          query: SearchQuery(catalogue: .xenoCanto, text: item.0, pageSize: 50, typed: item.0, sent: item.0), count: item.1,
          pagesStored: 3, totals: Totals(recordings: item.2, pages: 9), next: nil,
          completeness: index == 0 ? .partial(pages: 3, of: 9) : .complete, oldestFetchedAt: at, newestFetchedAt: at, skipped: 0)
      }
    }

    private static var hostileRows: [Recording] {
      [
        "\u{1B}[2J\u{1B}[10;10Hmoved", "\u{9B}31mC1", "\u{202E}reversed", "a\rb\nc\td\u{0}e\u{7F}", "漢字漢字漢字漢字漢字漢字漢字漢字",
        "e" + String(repeating: "\u{301}", count: 200), "👩‍👩‍👧‍👦 ❤️ 🇩🇪 \u{200B}", "\u{1B}]0;title\u{7}\u{1B}P+q\u{1B}\\",
      ].enumerated().map { FakeWorld.recording(id: "666\($0)", [("en", $1), ("cnt", "Brazil"), ("rec", $1)]) }
    }
  }
}

/// Compares the text with a file beside the tests, or writes the file.
func expect(_ text: String, inFile name: String, source: String = #filePath) throws {
  let file = URL(filePath: source).deletingLastPathComponent().appending(path: name)
  if ProcessInfo.processInfo.environment["CHIRPER_RECORD"] == "1" {
    try Data(text.utf8).write(to: file)
    return
  }
  let pinned = try String(decoding: Data(contentsOf: file), as: UTF8.self)
  #expect(text == pinned, "\(name) differs")
}
