import Chirper
import ChirperFormats
import ChirperModel
import Synchronization
import Testing

@testable import ChirperTerminal

/// The pane with every field of a recording.
@Suite struct PaneTextTests {
  private final class Counter: Sendable {
    let bytes = Mutex(0)
  }

  private func pane(_ remarks: String, _ counter: Counter = Counter()) -> PaneText {
    let recording = ScreenDriver.recording(
      id: "7", [("en", "Kea"), ("rmk", remarks), ("url", "//example.org/7")])
    var pane = PaneText(recording: recording, catalogue: ScreenDriver.catalogue)
    pane.wrap = { raw, columns in
      counter.bytes.withLock { $0 += raw.utf8.count }
      return CellText.wrapped(raw, columns: columns)
    }
    return pane
  }

  @Test func `annotations are lines with their times, and come before the fields as sent`() throws {
    let set = #"""
      {"annotations":[{"start_time":"0.5","end_time":"1.5","frequency_low":"1000","frequency_high":"5000",
      "scientific_name":"Turdus merula","sound_type":"song","sex":"male","annotator":"A. Name"},
      {"start_time":"9","end_time":"1","annotation_remarks":"unclear"}]}
      """#
    let fields = try RecordingFields(json: #"{"id":"7","en":"Kea","annotation-set":\#(set)}"#)
    let recording = Recording(id: RecordingID(catalogue: .xenoCanto, value: "7"), fields: fields)
    let pane = PaneText(recording: recording, catalogue: Catalogues.defaultCatalogue)
    let lines = text(pane.lines(from: PaneText.Position(), height: 9, columns: 120))
    let times = "0.5–1.5 s, 1–5 kHz: Turdus merula, song, male (A. Name)"
    #expect(lines.contains { $0.hasPrefix("annotation ") && $0.hasSuffix(" \(times)") }, "\(lines)")
    #expect(lines.contains { $0.hasPrefix("annotation ") && $0.hasSuffix(" unclear") }, "\(lines)")
  }

  private func text(_ lines: [Line]) -> [String] { lines.map { $0.spans.map(\.text).joined() } }

  @Test func `Of a field of ten megabytes only what is near the visible lines is wrapped`() {
    let counter = Counter()
    let words = (0..<1_250_000).map { _ in "abcdefg " }.joined()
    let pane = pane(words, counter)
    let (height, columns) = (23, 80)
    var top = PaneText.Position()
    #expect(text(pane.lines(from: top, height: height, columns: columns))[0] == "Kea")
    for step in [1, 11, 23, 23, -1, -23] {
      top = pane.position(top, movedBy: step, height: height, columns: columns)
      _ = pane.lines(from: top, height: height, columns: columns)
    }
    top = pane.lastTop(height: height, columns: columns)
    let last = text(pane.lines(from: top, height: height, columns: columns))
    #expect(last.count == height && last.last?.hasSuffix(" //example.org/7") == true)
    #expect(pane.position(top, movedBy: 100, height: height, columns: columns) == top)
    top = pane.position(top, movedBy: -30, height: height, columns: columns)
    #expect(pane.lines(from: top, height: height, columns: columns).count == height)
    let wrapped = counter.bytes.withLock { $0 }
    #expect(wrapped < 60 * PaneText.pieceSize, "\(wrapped) bytes were wrapped")
  }

  @Test(arguments: ["words", "wide", "no space", "lines", "escapes", "short", "empty"])
  func `Scrolling by any steps shows each line once, in order, and nothing is lost`(kind: String) {
    let remarks =
      switch kind {
      case "words": String(repeating: "word and ", count: 150)
      case "wide": String(repeating: "漢字", count: 200)
      case "no space": String(repeating: "x", count: 5000)
      case "lines": (0..<200).map { "line \($0)" }.joined(separator: "\r\n")
      // Without a space, and with escapes of two and of six bytes at every place.
      case "escapes": String(repeating: "\\\"\u{1}a\\\\\"\u{2}bc\"", count: 200)
      case "short": "short"
      default: ""
      }
    let pane = pane(remarks)
    let columns = 40
    var all: [String] = []
    var top = PaneText.Position()
    while true {
      all += text(pane.lines(from: top, height: 1, columns: columns))
      let next = pane.position(top, movedBy: 1, height: 1, columns: columns)
      if next == top { break }
      #expect(pane.position(next, movedBy: -1, height: 1, columns: columns) == top)
      top = next
    }
    #expect(text(pane.lines(from: PaneText.Position(), height: 1_000_000, columns: columns)) == all)
    for step in [7, 100] {
      let far = pane.position(PaneText.Position(), movedBy: step, height: 1, columns: columns)
      #expect(
        text(pane.lines(from: far, height: 1, columns: columns)) == [all[min(step, all.count - 1)]])
    }
    func letters(_ text: some Sequence<Character>) -> String {
      String(text.filter { !$0.isWhitespace })
    }
    let shown = letters(remarks).replacing(/[\u{1}\u{2}]/, with: "\u{FFFD}")
    #expect(letters(all.joined()).contains("Remarks" + shown))
  }

  @Test func `A pane keeps its place when the terminal changes its size`() {
    var driver = ScreenDriver(columns: 80, rows: 24)
    driver.recordings = [
      ScreenDriver.recording(id: "7", [("rmk", String(repeating: "word ", count: 50_000))])
    ]
    driver.open(.populated([]))
    driver.press(.enter, .end)
    for (columns, rows) in [(10, 3), (1, 1), (200, 60), (80, 24)] {
      driver.send(.resize(TerminalSize(columns: columns, rows: rows)))
      let frame = driver.screen.render()
      #expect(frame.lines.count == rows)
      #expect(
        frame.lines.allSatisfy { DisplayWidth.columns($0.spans.map(\.text).joined()) <= columns })
    }
    driver.press(.home)
    #expect(driver.screen.render().text.hasPrefix("7\n"))
    driver.press(.end)
    #expect(!driver.screen.render().text.contains("for more"))
    driver.press(.up)
    #expect(driver.screen.render().text.contains("j for more"))
  }

  @Test func `p plays from the pane, which shows what is being played`() {
    var driver = ScreenDriver(columns: 80, rows: 24, recordings: ScreenDriver.parrots(3))
    driver.open(.populated([]))
    driver.press(.down, .enter, .character("p"))
    #expect(driver.takeActions() == [.play(driver.recordings[1])])
    driver.send(.playback(.downloading(driver.recordings[1].id, received: 1, total: 4)))
    #expect(
      driver.screen.render().text.hasSuffix(
        "downloading the audio of 1002: 25% · p stops · Esc goes back"))
    driver.send(.playback(.playing(driver.recordings[1].id)))
    #expect(driver.screen.render().text.hasSuffix("♪ playing 1002 · p stops · Esc goes back"))
    driver.press(.character(" "))
    #expect(driver.takeActions() == [.stopPlaying])
  }

  /// A recording with an annotation for each pair of times; one without times has a type only.
  private func annotated(_ times: [(Int, Int)?]) throws -> Recording {
    let annotations = times.map { times in
      guard let (start, end) = times else { return #"{"sound_type":"call"}"# }
      return #"{"start_time":"\#(start)","end_time":"\#(end)"}"#
    }
    let set = #"{"annotations":[\#(annotations.joined(separator: ","))]}"#
    let fields = try RecordingFields(json: #"{"id":"7","en":"Kea","annotation-set":\#(set)}"#)
    return Recording(id: RecordingID(catalogue: .xenoCanto, value: "7"), fields: fields)
  }

  private func driver(_ recording: Recording) -> ScreenDriver {
    var driver = ScreenDriver(columns: 80, rows: 10, recordings: [recording])
    driver.open(.populated([]), catalogue: Catalogues.defaultCatalogue)
    driver.press(.enter)
    return driver
  }

  @Test func `n and N choose an annotation with times, and p plays only its seconds`() throws {
    let recording = try annotated([(0, 1), nil, (3, 4)])
    var driver = driver(recording)
    var text: String { driver.screen.render().text }
    #expect(text.hasSuffix("p plays · n chooses an annotation · Esc goes back"))
    driver.press(.character("n"), .character("n"))
    #expect(text.contains("annotation > 3–4 s"), "\(text)")
    #expect(text.contains("annotation   call"), "\(text)")
    #expect(text.hasSuffix("p plays the annotation · n and N choose · Esc goes back"))
    driver.press(.character("p"))
    #expect(driver.takeActions() == [.play(recording, part: 3...4)])
    driver.send(.playback(.playing(recording.id, part: 3...4)))
    #expect(text.hasSuffix("♪ playing 3–4 s of 7 · p stops · Esc goes back"))
    driver.press(.character("p"))
    #expect(driver.takeActions() == [.stopPlaying])
    driver.send(.playback(.finished(recording.id)))
    driver.press(.character("n"))
    #expect(text.hasSuffix("no annotation further down"))
    driver.press(.character("N"), .character("N"), .character("N"), .character("p"))
    #expect(driver.takeActions() == [.play(recording)])
    #expect(!text.contains(">"))
    // From the table the whole recording is played.
    driver.press(.character("n"), .escape, .character("p"))
    #expect(driver.takeActions() == [.play(recording)])
  }

  @Test func `the chosen annotation stays in sight, also when the row is read again`() throws {
    let times = (0..<100).map { ($0, $0 + 1) }
    var driver = driver(try annotated(times))
    var chosen: [Substring] {
      driver.screen.render().text.split(separator: "\n").filter { $0.contains(" > ") }
    }
    for index in 0..<100 {
      driver.press(.character("n"))
      #expect(chosen.count == 1 && chosen[0].hasSuffix("> \(index)–\(index + 1) s"), "\(chosen)")
    }
    for index in (0..<99).reversed() {
      driver.press(.character("N"))
      #expect(chosen.count == 1 && chosen[0].hasSuffix("> \(index)–\(index + 1) s"), "\(chosen)")
    }
    driver.press(.character("n"))
    driver.send(.rows(0..<1, [try annotated(times + [nil])], downloaded: [], new: []))
    #expect(chosen.count == 1 && chosen[0].hasSuffix("> 1–2 s"), "\(chosen)")
    driver.send(.rows(0..<1, [try annotated([nil])], downloaded: [], new: []))
    #expect(chosen.isEmpty)
    driver.press(.character("n"))
    #expect(driver.screen.render().text.hasSuffix("no annotation of this recording has times"))
  }
}
