import Chirper
import ChirperFormats
import ChirperModel
import Foundation

/// The table view in a terminal: the thin shell around `Screen` that reads keys, asks the
/// repository and draws.
///
/// This is the module's surface, with `Player` and `WebBrowser`. The command passes in a repository, the query to open
/// and a function that exports, and gets back how the user left.
package actor Browser {
  /// A thread of its own, so that keys are handled however busy the other threads are.
  private let executor = QueueExecutor("chirper.browse")
  package nonisolated var unownedExecutor: UnownedSerialExecutor {
    executor.asUnownedSerialExecutor()
  }

  /// Writes rows of the repository to a file, and returns one line about the result; when cancelled
  /// it leaves no file.
  package typealias Export =
    @Sendable (_ repository: RecordingRepository, _ path: String, _ selection: Selection) -> String

  /// The way in which the user left.
  package enum Exit: Equatable, Sendable {
    /// The key `q`; the message is the result of an export that was still running.
    case quit(message: String?)
    /// A signal; Ctrl-C is `SIGINT`.
    case signal(Int32)
  }

  /// Standard input or standard output is not a terminal.
  package struct NoTerminal: Error {}

  enum Event: Sendable {
    case input(TerminalInput.Event)
    /// The result of a task; ignored if it is late.
    case answer(LatestTask.Turn, @Sendable (isolated Browser) -> Void)
    /// An export has ended, with its result in one line.
    case exported(String)
    case tick
  }

  private(set) var repository: RecordingRepository
  /// The catalogue of searches while no list is open.
  var catalogue: Catalogue
  /// Whether no key is set for the default catalogue.
  private let hasNoKey: Bool
  let player: Result<Player, UserFacingError>
  let export: Export
  let environment: [String: String]
  let dependencies = RecordingRepository.Dependencies.live
  let terminal: TerminalSession
  var screen: Screen
  var decoder = KeyDecoder()
  var exit: Exit?
  /// The signal that ends the program, once it has arrived. It is handled before keys and
  /// events that wait.
  private let endingSignal = Locked<Int32?>(nil)
  let events: AsyncStream<Event>
  let eventSink: AsyncStream<Event>.Continuation

  /// The list that is open; `nil` while the stored queries are shown.
  var list: BrowsedList?
  var stored = StoredSearch()
  /// Reads of the visible rows while a search is typed.
  var rowReads = LatestTask(on: QueueExecutor("chirper.search"))
  var playing = LatestTask()
  var counting = LatestTask(on: QueueExecutor("chirper.counting"))
  var completing = LatestTask(on: QueueExecutor("chirper.completing"))
  var exporting: Task<String, Never>?

  /// Takes standard input and standard output; the terminal changes only in `run`.
  ///
  /// - Parameters:
  ///   - catalogue: the catalogue of searches while no list is open.
  ///   - isFallback: whether that is the built-in one because no key is set.
  ///   - environment: for `TERM`, `NO_COLOR`, and `PATH` to find other programs.
  ///   - export: a function that exports the rows shown.
  package init(
    _ repository: RecordingRepository, catalogue: Catalogue, isFallback: Bool,
    player: Result<Player, UserFacingError>,
    environment: [String: String], export: @escaping Export
  ) throws(NoTerminal) {
    guard let terminal = TerminalSession(ability: Painter.ability(environment: environment)) else {
      throw NoTerminal()
    }
    self.repository = repository
    self.catalogue = catalogue
    self.player = player
    hasNoKey = isFallback
    self.environment = environment
    self.export = export
    self.terminal = terminal
    screen = Screen(
      size: terminal.size, now: dependencies.now(), timeZone: .current, isFallback: isFallback)
    screen.names = repository.shownNames
    (events, eventSink) = AsyncStream.makeStream()
  }

  /// Shows the screen until the user leaves or a signal arrives, and restores the terminal before
  /// it returns.
  ///
  /// - Parameter query: the list to open; without it the stored queries are shown.
  package func run(_ query: CatalogueQuery?) async -> Exit {
    let input = TerminalInput { [eventSink, endingSignal] event in
      if case .signal(let number) = event, TerminalInput.endingSignals.contains(number) {
        endingSignal.withLock { $0 = number }
      }
      eventSink.yield(.input(event))
    }
    let clock = Task { [eventSink, dependencies] in
      while (try? await dependencies.sleep(.seconds(1))) != nil { eventSink.yield(.tick) }
    }
    terminal.enter()
    if let query { open(query) } else { showQueries() }
    draw()
    for await event in events {
      if !isEnding() { handle(event) }
      if exit != nil { break }
      draw()
    }
    terminal.leave()
    input.stop()
    clock.cancel()
    list?.cancel()
    stored.running.cancel()
    counting.cancel()
    completing.cancel()
    playing.cancel()
    // The player must not outlive the screen, nor half a file; everything else ends by itself.
    await playing.end()
    guard case .quit = exit ?? .quit(message: nil) else {
      exporting?.cancel()
      _ = await exporting?.value
      return exit ?? .quit(message: nil)
    }
    return .quit(message: await exporting?.value)
  }

  private func draw() {
    terminal.draw(screen.render())
  }

  private func handle(_ event: Event) {
    switch event {
    case .input(let event): handle(event)
    case .answer(let turn, let show): if turn.isLatest { show(self) }
    case .exported(let message):
      exporting = nil
      send(.notice(message))
    case .tick:
      reopenIfReplaced()
      send(.tick(dependencies.now()))
    }
  }

  /// Goes on with the file that has taken the place of the database, if one has: as a repair or a
  /// restored backup does.
  private func reopenIfReplaced() {
    guard repository.isReplaced else { return }
    do throws(StoreError) {
      repository = try repository.reopened()
    } catch {
      return send(.notice(UserFacingError(error).problem))
    }
    screen.names = repository.shownNames
    rowReads.cancel()
    counting.cancel()
    completing.cancel()
    let wanted = stored.wanted
    showQueries()
    if let query = list?.query {
      open(query)
    } else if let wanted {
      searchStored(wanted.search, wanted.sort)
    }
    send(.notice("the database was replaced by a different file, which is shown from now on"))
  }

  /// Whether the user leaves, or a signal has arrived that ends the program.
  private func isEnding() -> Bool {
    if exit == nil, let number = endingSignal.withLock({ $0 }) { exit = .signal(number) }
    return exit != nil
  }

  private func handle(_ event: TerminalInput.Event) {
    switch event {
    case .bytes(let bytes):
      // So that a key forgets, or exports, what is in the new file.
      reopenIfReplaced()
      for key in decoder.feed(bytes) where !isEnding() { send(.key(key)) }
    case .pause: for key in decoder.flush() where !isEnding() { send(.key(key)) }
    case .signal(SIGWINCH):
      // A terminal that lost lines may have moved the others.
      terminal.invalidate()
      send(.resize(terminal.size))
    case .signal(SIGTSTP): suspend()
    case .signal(SIGCONT): resume()
    case .signal(let number): exit = .signal(number)
    case .closed: exit = .signal(SIGHUP)
    }
  }

  /// Passes the event to the screen and performs the actions it returns.
  func send(_ event: ScreenEvent) {
    for action in screen.handle(event) { perform(action) }
  }

  /// Chooses the catalogue after the present one, of those that can be asked.
  func nextCatalogue() {
    let all = repository.catalogues.filter { !hasNoKey || $0.keyHelpAddress == nil }
    let now = list?.query.catalogue ?? catalogue.id
    guard let first = all.first else { return }
    catalogue = all.firstIndex { $0.id == now }.map { all[($0 + 1) % all.count] } ?? first
    if let typed = list?.query.typed { search(typed, in: catalogue) }
    send(.catalogue(catalogue))
  }

  func suspend() {
    terminal.leave()
    signal(SIGTSTP, SIG_DFL)
    // Sent to this thread, so that the program has stopped and was continued when the call returns.
    // Threads that run tasks have their signals blocked, and a blocked signal would not stop
    // anything.
    var stop = sigset_t()
    var before = sigset_t()
    sigemptyset(&stop)
    sigaddset(&stop, SIGTSTP)
    pthread_sigmask(SIG_UNBLOCK, &stop, &before)
    raise(SIGTSTP)
    pthread_sigmask(SIG_SETMASK, &before, nil)
    // After `bg` the shell keeps the terminal until `fg`.
    while terminal.belongsToAnotherJob { raise(SIGSTOP) }
    SignalWatch.watch(SIGTSTP)
    resume()
  }

  private func resume() {
    if terminal.belongsToAnotherJob { return suspend() }
    terminal.enter()
    send(.resize(terminal.size))
  }
}
