import ChirperModel
import Testing

@testable import ChirperTerminal

/// The prompts at the bottom, pastes, and the question before something is forgotten.
@Suite struct PromptTests {
  private func driver() -> ScreenDriver {
    var driver = ScreenDriver(columns: 80, rows: 24, recordings: ScreenDriver.parrots(150))
    driver.open(
      .populated([]), totals: RecordingPage.Totals(recordings: 150, pages: 3),
      completeness: .complete)
    return driver
  }

  private func typed(_ driver: ScreenDriver) -> String? {
    if case .prompt(let prompt) = driver.screen.pane { prompt.editor.text } else { nil }
  }

  private func bottom(_ driver: ScreenDriver) -> String {
    String(
      driver.screen.render().text.split(separator: "\n", omittingEmptySubsequences: false).last
        ?? "")
  }

  @Test(arguments: [
    ([Key.character("k")], "k"), ([.paste("grey kea")], "grey kea"),
    ([.backspace, .character("k")], "k"), ([.delete], ""),
    ([.right, .character("s")], "parrots"), ([.left, .character("s")], "parrost"),
    ([.home, .character("a"), .character(" ")], "a parrot"), ([.control("u")], ""),
    ([.control("w"), .character("x")], "x"),
  ])
  func `A prompt opens with its text selected, and typing replaces it`(keys: [Key], text: String) {
    var editor = LineEditor("parrot", isSelected: true)
    #expect(editor.isSelected)
    for key in keys { editor.handle(key) }
    #expect(!editor.isSelected)
    #expect(editor.text == text)
  }

  @Test(arguments: [Character("/"), "s", "f"])
  func `Tab shows one completion after the other, and then what was typed`(key: Character) {
    var driver = driver()
    driver.press(.character(key))
    driver.press(.control("u"))
    driver.type("kea")
    _ = driver.takeActions()
    driver.press(.tab)
    #expect(driver.takeActions() == [.complete("kea")])
    driver.send(.completions(["kea parrot", "keas", "kea"]))
    #expect(typed(driver) == "kea parrot")
    for text in ["keas", "kea", "kea parrot"] {
      driver.press(.tab)
      #expect(typed(driver) == text)
    }
    #expect(!driver.takeActions().contains { if case .complete = $0 { true } else { false } })
    driver.type("s")
    driver.press(.tab)
    #expect(driver.takeActions().last == .complete("kea parrots"))
    // The answer for a text that is not there any more.
    driver.send(.completions(["keas", "kea"]))
    #expect(typed(driver) == "kea parrots")
  }

  @Test func `Every prompt opens that way, and Enter keeps the text`() {
    var driver = driver()
    driver.press(.character("/"))
    #expect(driver.screen.render().lines.last?.spans.map(\.style) == [.strong, .selected])
    driver.press(.enter, .character("e"), .enter, .character("e"))
    driver.type("kea.csv")
    driver.press(.enter)
    #expect(
      driver.takeActions() == [
        .search("parrot"), .export(path: "en-parrot.csv", of: .list),
        .export(path: "kea.csv", of: .list),
      ])
  }

  @Test func `A filter that was left is applied again by f and Enter`() {
    var driver = driver()
    driver.press(.character("f"))
    driver.type("kakapo")
    driver.press(.escape, .character("f"), .enter)
    #expect(driver.screen.table?.count == 25)
    driver.press(.character("f"))
    driver.type("kea")
    #expect(bottom(driver) == "filter: kea")
    #expect(driver.screen.table?.count == 25 && driver.screen.table?.filter?.text == "kea")
  }

  @Test func `In the search prompt, up and down show earlier searches and then what was typed`() {
    var driver = driver()
    for text in ["kea", "grey parrot", "kea"] {
      driver.press(.character("/"))
      driver.type(text)
      driver.press(.enter)
    }
    driver.press(.character("/"))
    driver.type("new")
    func shown(after key: Key) -> String {
      driver.press(key)
      return bottom(driver)
    }
    // The list that is open counts too, and each text is there once.
    let shownInOrder = [Key.up, .up, .up, .up, .down, .down, .down, .down].map(shown)
    #expect(
      shownInOrder == [
        "search: kea", "search: grey parrot", "search: parrot", "search: parrot",
        "search: grey parrot", "search: kea",
        "search: new", "search: new",
      ])
    driver.press(.up, .character("s"), .up, .down)
    #expect(bottom(driver) == "search: keas")
    _ = driver.takeActions()
    driver.press(.up, .enter)
    #expect(driver.takeActions() == [.search("kea")])
  }

  @Test func `Up in the prompt of a list shows the search before it`() {
    var driver = driver()
    driver.press(.character("/"))
    driver.type("kea")
    driver.press(.enter)
    driver.send(
      .opened(
        CatalogueQuery(
          catalogue: .xenoCanto, identity: "k", pageSize: 50, typed: "kea", requestText: "k"),
        ScreenDriver.catalogue))
    driver.press(.character("/"), .up)
    #expect(bottom(driver) == "search: parrot")
  }

  @Test func `A paste runs no key: it goes into a prompt, or a notice says where it could go`() {
    var driver = driver()
    driver.press(.paste("q"))
    #expect(driver.takeActions().isEmpty)
    #expect(bottom(driver) == "a paste needs a prompt: / and s search, f filters")
    driver.press(.enter, .paste("q"))
    #expect(driver.screen.pane != .none)
    driver.press(.escape, .character("f"), .paste("kakapo"))
    #expect(driver.screen.table?.count == 25)
    driver.press(.enter, .character("/"), .paste("grey"), .paste(" kea"), .enter)
    #expect(driver.takeActions().last == .search("grey kea"))
    var editor = LineEditor("a")
    editor.handle(.paste(String(repeating: "漢", count: 5000)))
    #expect(editor.text.utf8.count == 4096)
  }

  @Test func `D asks before it forgets a stored query, and only y does`() {
    var driver = driver()
    driver.press(.character("D"))
    #expect(bottom(driver) == "Esc goes to the stored queries, where D forgets one")
    driver.press(.escape)
    let stored = StoredQuery(
      query: ScreenDriver.query, count: 150, pagesStored: 3, totals: nil, next: nil,
      completeness: .complete,
      oldestFetchedAt: ScreenDriver.start, newestFetchedAt: ScreenDriver.start, skipped: 0)
    driver.send(.queries([]))
    driver.press(.character("D"))
    #expect(bottom(driver) == "nothing is stored to forget")
    driver.send(.queries([stored]))
    _ = driver.takeActions()
    for key in [Key.enter, .escape, .character("n"), .paste("y"), .character("D")] {
      driver.press(.character("D"), key)
      #expect(bottom(driver) == "parrot is kept")
    }
    #expect(driver.takeActions().isEmpty)
    driver.press(.character("D"))
    #expect(
      bottom(driver)
        == "forget parrot and its audio (xeno-canto, 150 rows)? y: yes, any other key: no")
    driver.press(.character("y"))
    #expect(driver.takeActions() == [.forget(ScreenDriver.query)])
  }

  @Test func `Ctrl-D and Ctrl-U move by half a screen`() {
    var driver = driver()
    driver.press(.control("d"))
    #expect(driver.screen.table?.cursor.selected == 10)
    #expect(driver.screen.render().cursor?.row == 2)
    driver.press(.control("d"), .control("u"))
    #expect(driver.screen.table?.cursor.selected == 10)
    driver.press(.control("u"), .control("u"))
    #expect(driver.screen.table?.cursor.selected == 0)
  }

  @Test func `A search that ended early says so instead of still searching`() {
    var screen = driver().screen
    _ = screen.handle(.key(.character("f")))
    _ = screen.handle(.key(.character("k")))
    _ = screen.handle(.matches(MatchCount(text: "k", count: 3), of: .matches))
    #expect(screen.render().text.contains("still searching"))
    _ = screen.handle(.searchFailed("another text", of: .matches, reason: "disk"))
    #expect(screen.render().text.contains("still searching"))
    _ = screen.handle(.searchFailed("k", of: .matches, reason: "the disk cannot be read"))
    #expect(
      screen.render().text.contains(
        "the search for k ended: the disk cannot be read · Esc shows all"))
    #expect(!screen.render().text.contains("still searching"))
  }
}
