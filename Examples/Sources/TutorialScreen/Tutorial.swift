import Chirper
import Foundation

/// Uses the screen as a person would, and prints what it shows. `scripts/examples` compares that with `expected.txt`.
@main struct Tutorial {
  @MainActor static func main() async throws {
    let directory = FileManager.default.temporaryDirectory.appending(
      path: "chirper-example-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: directory) }
    // The sample is a catalogue of chirper's; the other one is made here, so that it can be slow and fail.
    let ferry = PreviewCatalogue(id: "ferry", titles: (1...50).map { "Gull \($0)" })
    let repository = try RecordingRepository(directory: directory, catalogues: [ferry])

    print("Search")
    let parrots = SearchScreen(repository, searching: .sample)
    parrots.search("parrot")
    print("  \(parrots.footer)")
    await until { parrots.count == 50 && !parrots.isLoading }
    await show(parrots, rows: 0..<2)

    print("Endless scrolling")
    for (position, count) in [(10, 50), (49, 100), (99, 150)] {
      await until { parrots.window.count > position }
      parrots.rowAppeared(parrots.window[position])
      await until { parrots.count == count && !parrots.isLoading }
      print("  row \(position + 1): \(parrots.footer)")
    }

    print("Empty")
    parrots.search("dodo")
    await until { parrots.footer == "Nothing found" }
    await show(parrots)

    print("A text that cannot be searched for")
    parrots.search("parrot, \u{202E}reversed")
    await show(parrots)

    print("Play")
    parrots.search("parrot")
    await until { parrots.window.count == 150 && parrots.text(of: parrots.window[0]) != "" }
    guard let parrot = parrots.recording(of: parrots.window[0]) else { return }
    let (file, credit) = try await parrots.play(parrot)
    let size = try Data(contentsOf: file).count
    print("  \(credit), a \(file.pathExtension) file\(size > 1000 ? "" : " that is too short")")
    let again = try await parrots.play(parrot)
    print("  the second time \(again.file == file ? "the same file" : "another file")")

    print("Error and retry")
    ferry.failure = .malformed("it is not JSON")
    let gulls = SearchScreen(repository, searching: ferry.catalogue.id)
    gulls.search("gull")
    await until { gulls.hasFailed }
    await show(gulls)
    ferry.failure = nil
    gulls.retry()
    await until { gulls.count == 20 && !gulls.isLoading }
    await show(gulls, rows: 0..<1)
    ferry.failure = .malformed("it is not JSON")
    gulls.rowAppeared(gulls.window[19])
    await until { gulls.hasFailed }
    await show(gulls)

    print("Typing")
    let typed = ferry.requests.count
    ferry.failure = nil
    for text in ["gull 1", "gull 11"] { gulls.isTyping(text) }
    await until { gulls.count == 1 && !gulls.isLoading }
    print("  \(ferry.requests.count - typed) request")
    await show(gulls, rows: 0..<1)

    print("A new search cancels the old one")
    ferry.failure = nil
    ferry.delay = .seconds(3600)
    gulls.search("gull 3")
    let requests = ferry.requests.count
    await until { ferry.requests.count > requests }
    ferry.delay = .zero
    gulls.search("gull 4")
    await until { gulls.count == 11 && !gulls.isLoading }
    await show(gulls, rows: 0..<1)

    print("Offline start")
    ferry.failure = .unreachable(host: "ferry.invalid", detail: "there is no network")
    // As after a new start of the app: a repository and a screen that share nothing with the first but the directory.
    let later = SearchScreen(
      try RecordingRepository(directory: directory, catalogues: [ferry]),
      searching: ferry.catalogue.id
    )
    later.search("Gull")
    await until { later.count > 0 && later.text(of: later.window[0]) != "" }
    print("  at once: \(later.count) rows, the first is \(later.text(of: later.window[0]))")
    await until { later.hasFailed }
    await show(later)
  }

  /// Waits for what the screen shows; `scripts/examples` ends an example that waits too long.
  @MainActor private static func until(_ condition: () -> Bool) async {
    while !condition() { try? await Task.sleep(for: .milliseconds(5)) }
  }

  /// Prints rows once they are read.
  @MainActor private static func show(_ screen: SearchScreen, rows: Range<Int> = 0..<0) async {
    await until { screen.window[rows].allSatisfy { screen.text(of: $0) != "" } }
    for row in screen.window[rows] { print("  \(screen.text(of: row))") }
    print("  \(screen.footer)")
  }
}
