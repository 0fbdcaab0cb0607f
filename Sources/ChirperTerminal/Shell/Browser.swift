import Chirper
import ChirperModel
import Foundation

/// The table view in a terminal: the thin shell around `Screen` that reads keys, asks the repository and draws.
///
/// This module ends here: the command gives it a repository, what to open and how to export, and gets told how it ended.
package actor Browser {
  /// What the command brings.
  package struct Setup: Sendable {
    package var repository: RecordingRepository
    /// The list to open; without it the stored queries are shown.
    package var query: SearchQuery?
    /// The catalogue of searches that start from no list.
    package var catalogue: Catalogue
    package var player: Result<Player, Player.Missing>
    /// Writes the rows of a list to a file and says in one line what it did; cancelled, it leaves no file.
    package var export: @Sendable (_ path: String, _ query: SearchQuery, _ rows: ListReader) -> String
    package var environment: [String: String]
    package var dependencies: Dependencies

    package init(
      repository: RecordingRepository, query: SearchQuery?, catalogue: Catalogue,
      player: Result<Player, Player.Missing>,
      export: @escaping @Sendable (_ path: String, _ query: SearchQuery, _ rows: ListReader) -> String,
      environment: [String: String], dependencies: Dependencies = .live
    ) {
      self.repository = repository
      self.query = query
      self.catalogue = catalogue
      self.player = player
      self.export = export
      self.environment = environment
      self.dependencies = dependencies
    }
  }

  /// How it ended.
  package enum Exit: Equatable, Sendable {
    /// With what an export said that the user did not wait for.
    case quit(lastWords: String?)
    /// By that signal, Ctrl-C among them.
    case signal(Int32)
  }

  /// Standard input or output is no terminal.
  package struct NoTerminal: Error {}

  /// What the loop waits for. Events of a list have its id, those of a playback its number: what a list that was left
  /// still sends is ignored.
  enum Event: Sendable {
    case input(TerminalInput.Event)
    case screen(ScreenEvent)
    case list(OpenList.ID, ScreenEvent)
    case matches(OpenList.ID, OpenList.Matches)
    case playback(Int, ScreenEvent)
    case exported(String)
    case tick
  }

  let setup: Setup
  let shell: TerminalShell
  var screen: Screen
  var decoder = KeyDecoder()
  var exit: Exit?
  let events: AsyncStream<Event>
  let say: AsyncStream<Event>.Continuation

  /// `nil` while the stored queries are shown.
  var list: OpenList?
  /// Counts the lists that were opened.
  var listsOpened = 0
  /// Counts what was played.
  var playNumber = 0
  // Each runs beside the loop and is cancelled alone, which a task group cannot do.
  var playing: Task<Void, Never>?
  var exporting: Task<String, Never>?

  package init(_ setup: Setup) throws(NoTerminal) {
    let ability = Painter.ability(environment: setup.environment)
    guard let shell = TerminalShell(input: STDIN_FILENO, output: STDOUT_FILENO, ability: ability) else {
      throw NoTerminal()
    }
    self.setup = setup
    self.shell = shell
    screen = Screen(size: shell.size, now: setup.dependencies.now(), timeZone: .current)
    (events, say) = AsyncStream.makeStream()
  }

  /// Shows the screen until the user leaves or a signal comes; the terminal is as before when it returns.
  package func run() async -> Exit {
    let input = TerminalInput(terminal: STDIN_FILENO) { [say] in say.yield(.input($0)) }
    let clock = Task { [say, setup] in
      while (try? await setup.dependencies.sleep(.seconds(1))) != nil { say.yield(.tick) }
    }
    shell.enter()
    if let query = setup.query { open(query) } else { showQueries() }
    draw()
    for await event in events {
      take(event)
      if exit != nil { break }
      draw()
    }
    shell.leave()
    input.stop()
    clock.cancel()
    list?.cancel()
    playing?.cancel()
    // Neither the player nor half a file must outlive the screen; the rest ends by itself.
    await playing?.value
    guard case .quit = exit ?? .quit(lastWords: nil) else {
      exporting?.cancel()
      _ = await exporting?.value
      return exit ?? .quit(lastWords: nil)
    }
    return .quit(lastWords: await exporting?.value)
  }

  private func draw() {
    shell.draw(screen.render())
  }

  private func take(_ event: Event) {
    switch event {
    case .input(let event): take(event)
    case .screen(let event): send(event)
    case .list(let id, let event): if id == list?.id { take(ofList: event) }
    case .matches(let id, let matches): if id == list?.id { take(matches) }
    case .playback(let number, let event): if number == playNumber { send(event) }
    case .exported(let words):
      exporting = nil
      send(.notice(words))
    case .tick: send(.tick(setup.dependencies.now()))
    }
  }

  private func take(_ event: TerminalInput.Event) {
    switch event {
    case .bytes(let bytes): for key in decoder.feed(bytes) where exit == nil { send(.key(key)) }
    case .quiet: for key in decoder.flush() where exit == nil { send(.key(key)) }
    case .signal(SIGWINCH):
      // A terminal that got lower may have moved its lines.
      shell.forget()
      send(.resize(shell.size))
    case .signal(SIGTSTP): suspend()
    case .signal(SIGCONT): resume()
    case .signal(let number): exit = .signal(number)
    case .closed: exit = .signal(SIGHUP)
    }
  }

  /// Gives the event to the screen and does what it asks, until it asks no more.
  func send(_ event: ScreenEvent) {
    for action in screen.handle(event) { perform(action) }
  }

  func suspend() {
    shell.leave()
    signal(SIGTSTP, SIG_DFL)
    // To this thread, so that the program has stopped and gone on again when the call returns; the threads that run
    // tasks have their signals blocked, and a blocked one would stop nothing.
    var stop = sigset_t()
    var before = sigset_t()
    sigemptyset(&stop)
    sigaddset(&stop, SIGTSTP)
    pthread_sigmask(SIG_UNBLOCK, &stop, &before)
    raise(SIGTSTP)
    pthread_sigmask(SIG_SETMASK, &before, nil)
    // Gone on in the background (bg): the terminal is the shell's until fg gives it back.
    while shell.isOthers { raise(SIGSTOP) }
    TerminalInput.watch(SIGTSTP)
    resume()
  }

  private func resume() {
    if shell.isOthers { return suspend() }
    shell.enter()
    send(.resize(shell.size))
  }
}
