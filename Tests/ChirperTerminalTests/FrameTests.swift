import Chirper
import ChirperFormats
import ChirperModel
import Foundation
import Testing

@testable import ChirperTerminal

/// Every state as whole drawn frames, recorded in `Frames/` with `CHIRPER_RECORD=1`.
@Suite struct FrameTests {
  private static let sizes = [(10, 3), (80, 24), (200, 60)]
  private static let rows = ScreenDriver.parrots(150)
  private static let totals = RecordingPage.Totals(recordings: 454, pages: 9)
  private static let offline = LoadError.fetch(
    .offline(host: "xeno-canto.org"), catalogue: .xenoCanto, page: 1)

  @Test(arguments: Scene.allCases)
  func `Every state is drawn as recorded`(scene: Scene) throws {
    for (columns, rows) in Self.sizes {
      var driver = ScreenDriver(columns: columns, rows: rows, isFallback: scene.isFallback)
      scene.set(&driver)
      let frame = driver.screen.render()
      #expect(frame.lines.count == rows)
      for line in frame.lines {
        #expect(DisplayWidth.columns(line.spans.map(\.text).joined()) <= columns)
      }
      let cursor = frame.cursor.map { "\($0.row + 1):\($0.column + 1)" } ?? "none"
      let text = scene == .queriesWithoutKey ? Self.withoutCatalogues(frame.text) : frame.text
      let drawn = text + "\n-- cursor \(cursor)\n"
      try expect(drawn, inFile: "Frames/\(scene.rawValue) \(columns)x\(rows).txt")
    }
  }

  /// A screen with `{values}` for the catalogues that need no key, and without its empty lines, so
  /// that a new one changes no record.
  private static func withoutCatalogues(_ screen: String) -> String {
    var lines = screen.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    let start = "This needs no key: "
    guard let first = lines.firstIndex(where: { $0.hasPrefix(start) }) else { return screen }
    let note = UserFacingError.withoutKey ?? ""
    var end = first
    while end < lines.count, lines[first...end].joined(separator: " ") != note { end += 1 }
    guard end < lines.count else { return screen }
    lines.replaceSubrange(first...end, with: [start + "{values}"])
    return lines.filter { !$0.isEmpty }.joined(separator: "\n")
  }

  enum Scene: String, CaseIterable {
    /// Whether no key is set.
    var isFallback: Bool { [.firstScreen, .queriesWithoutKey, .sampleWithoutKey].contains(self) }

    case queries, noQueries, reading, notFetched, loading, paging, pagingScrolled, loadingMore,
      rateLimited, retrying
    case offline, offlineEmpty, keyMissing, empty, complete, verified, shifted, sorted, filtering,
      filtered
    case searchPrompt, exportPrompt, detail, help, playing, notice, hostile
    case sideways, question, firstScreen, queriesWithoutKey, sampleWithoutKey
    case storedSearch, storedSearchFault, storedSearchNothing, found, foundDetail

    func set(_ driver: inout ScreenDriver) {
      switch self {
      case .queries, .noQueries:
        driver.send(.queries(self == .queries ? Scene.stored : []))
        driver.press(.down)
      case .question:
        driver.send(.queries(Scene.stored))
        driver.press(.down, .character("D"))
      case .firstScreen: driver.send(.queries([]))
      case .queriesWithoutKey: driver.send(.queries(Scene.stored))
      case .sampleWithoutKey:
        driver.recordings = FrameTests.rows
        driver.open(
          .paging([], next: 4), totals: FrameTests.totals, catalogue: Catalogues.defaultWithoutKey)
      case .reading: driver.send(.opened(ScreenDriver.query, ScreenDriver.catalogue))
      case .notFetched: driver.open(nil)
      case .loading:
        driver.open(.loading)
        driver.show(.loading, load: .loading(.loading(page: 1, of: nil)))
      case .keyMissing:
        driver.open(.error(.fetch(.keyMissing, catalogue: .xenoCanto, page: nil), cached: []))
      case .offlineEmpty: driver.open(.error(FrameTests.offline, cached: []))
      case .empty:
        driver.open(
          .empty, totals: RecordingPage.Totals(recordings: 0, pages: 0), completeness: .complete)
      case .hostile:
        driver.recordings = Scene.hostileRows
        driver.open(
          .populated([]), totals: RecordingPage.Totals(recordings: 8, pages: 1),
          completeness: .complete)
      default: setRows(&driver)
      }
    }

    private func setRows(_ driver: inout ScreenDriver) {
      driver.recordings = FrameTests.rows
      driver.downloaded = [FrameTests.rows[1].id, FrameTests.rows[2].id]
      switch self {
      case .offline: driver.open(.error(FrameTests.offline, cached: []), totals: FrameTests.totals)
      case .complete:
        driver.open(
          .populated([]), totals: RecordingPage.Totals(recordings: 150, pages: 3),
          completeness: .complete)
      case .verified:
        driver.open(
          .populated([]), totals: RecordingPage.Totals(recordings: 150, pages: 3),
          completeness: .verified)
      case .shifted:
        driver.open(
          .populated([]), totals: FrameTests.totals, completeness: .shifted(rows: 150, total: 454))
      default:
        driver.open(
          .paging([], next: 4), totals: FrameTests.totals, completeness: .partial(pages: 3, of: 9))
      }
      switch self {
      case .pagingScrolled: driver.press(.pageDown, .down, .down)
      case .loadingMore: setLoad(.loading(page: 4, of: 9), &driver)
      case .rateLimited:
        setLoad(.waiting(until: ScreenDriver.start.addingTimeInterval(300), .retryAfter), &driver)
      case .retrying:
        let error = FetchError(.timedOut(host: "xeno-canto.org", phase: .idle))
        setLoad(
          .waiting(until: ScreenDriver.start.addingTimeInterval(8), .backoff(error, attempt: 3)),
          &driver)
      case .sorted: driver.press(.character("2"), .character("2"))
      case .filtering:
        driver.press(.character("f"))
        driver.type("macaw")
      case .filtered:
        driver.press(.character("f"))
        driver.type("kakapo")
        driver.press(.enter, .down)
      case .storedSearch:
        driver.press(.character("s"))
        driver.type("macaw q:A")
      case .storedSearchFault:
        driver.press(.character("s"))
        driver.type("macaw type:sonng")
      case .storedSearchNothing: driver.press(.character("s"))
      case .found, .foundDetail:
        driver.press(.character("s"))
        driver.type("type:song -kea")
        driver.press(.enter, .down)
        if self == .foundDetail { driver.press(.enter) }
      case .searchPrompt:
        driver.press(.character("/"), .control("u"))
        driver.type("grey 漢字")
        driver.press(.left)
      case .exportPrompt: driver.press(.character("e"))
      case .detail: driver.press(.down, .enter)
      case .help: driver.press(.character("?"))
      case .sideways:
        driver.press(.character("l"), .right, .character("l"), .character("l"), .character("l"))
      case .playing: driver.send(.playback(.playing(FrameTests.rows[1].id)))
      case .notice: driver.send(.notice("written to parrot.csv: 150 rows"))
      default: break
      }
    }

    private func setLoad(_ step: LoadState.Step, _ driver: inout ScreenDriver) {
      driver.show(
        .paging([], next: 4), totals: FrameTests.totals, completeness: .partial(pages: 3, of: 9),
        load: .loading(step))
    }

    private static var stored: [StoredQuery] {
      [("parrot", 150, 454), ("en:\"=Kea\" q:A", 12, 12), ("漢字 \u{1B}[2J", 3, 3)].enumerated().map {
        index, item in
        let at = ScreenDriver.start.addingTimeInterval(-Double(index) * 90_000)
        return StoredQuery(
          query: CatalogueQuery(
            catalogue: .xenoCanto, identity: item.0, pageSize: 50, typed: item.0,
            requestText: item.0),
          count: item.1,
          pagesStored: 3, totals: RecordingPage.Totals(recordings: item.2, pages: 9), next: nil,
          completeness: index == 0 ? .partial(pages: 3, of: 9) : .complete, oldestFetchedAt: at,
          newestFetchedAt: at, skipped: 0)
      }
    }

    private static var hostileRows: [Recording] {
      [
        "\u{1B}[2J\u{1B}[10;10Hmoved", "\u{9B}31mC1", "\u{202E}reversed", "a\rb\nc\td\u{0}e\u{7F}",
        "漢字漢字漢字漢字漢字漢字漢字漢字",
        "e" + String(repeating: "\u{301}", count: 200), "👩‍👩‍👧‍👦 ❤️ 🇩🇪 \u{200B}",
        "\u{1B}]0;title\u{7}\u{1B}P+q\u{1B}\\",
      ].enumerated().map {
        ScreenDriver.recording(id: "666\($0)", [("en", $1), ("cnt", "Brazil"), ("rec", $1)])
      }
    }
  }
}

/// Compares with a file next to the tests, or writes it.
func expect(_ text: String, inFile name: String, source: String = #filePath) throws {
  let file = URL(filePath: source).deletingLastPathComponent().appending(path: name)
  if ProcessInfo.processInfo.environment["CHIRPER_RECORD"] == "1" {
    try Data(text.utf8).write(to: file)
    return
  }
  let pinned = try String(decoding: Data(contentsOf: file), as: UTF8.self)
  #expect(text == pinned, "\(name) differs")
}
