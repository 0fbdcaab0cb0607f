import ArgumentParser
import Chirper
import ChirperFormats
import ChirperModel
import ChirperTerminal
import Foundation

struct PlayCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "play",
    abstract: "Play stored recordings with an installed audio player.",
    discussion: """
      The audio is fetched once and kept, so that it plays without a network the next time. Several recordings are played one \
      after the other; give ids or stored lists, or choose from everything with --where. Players are mpv, ffplay, play (sox) and afplay, the first that is installed, or the one that the \
      settings name.

        chirper play 535692
        chirper play XC535692 XC119000
        chirper play XC535692 --save
        chirper play parrot --limit 5
        chirper play --where 'q:A type:song audio:yes' --sort -date
        chirper play sample:17
      """
  )

  @Argument(
    help: "The recordings' ids, as list and browse show them, or stored queries.",
    completion: ShellCompletion.queries)
  var ids: [String] = []

  @Flag(help: "Fetch and keep the audio and print the path of each file; play nothing.")
  var save = false

  @OptionGroup var rows: SelectionOptions

  func run() async throws {
    try rows.check()
    let session = try Session()
    let repository = try session.repositoryOrReadOnly()
    let rows = try recordings(in: repository)
    let player = save ? nil : try self.player(session)
    do {
      try await play(rows, player, repository)
    } catch {
      // What could not be played is the last word.
      if let damage = rows.damage { Console.line(UserFacingError(damage).message) }
      throw error
    }
    if let damage = rows.damage { throw damage }
  }

  private func play(
    _ rows: Rows, _ player: Player?, _ repository: RecordingRepository
  ) async throws {
    let count = rows.count
    let isList = rows.isList
    var (errors, inARow): ([UserFacingError], Int) = ([], 0)
    for position in 0..<count {
      guard let error = try await play(rows.at(position), player, repository) else {
        inARow = 0
        continue
      }
      errors.append(error)
      inARow += 1
      if isList, inARow == Self.mostFailures, position + 1 < count {
        Console.line(error.message)
        let done = save ? "saved" : "played"
        throw UserFacingError(
          errors.count == position + 1 ? error.status : .partly, kind: "not-played",
          problem: "\(inARow) recordings after each other could not be \(done), so the other "
            + "\(count - position - 1) were not tried",
          hint: error.hint)
      }
      // The error of a single recording is printed at the end.
      if count > 1 { Console.line(error.message) }
    }
    guard let first = errors.first else { return }
    guard count > 1 else { throw first }
    let all = errors.count == count && errors.allSatisfy { $0.status == first.status }
    throw UserFacingError(
      all ? first.status : .partly, kind: "not-played",
      problem: "\(errors.count) of \(count) recordings could not be \(save ? "saved" : "played")",
      hint: first.hint)
  }

  /// The number of recordings of a list that fail after each other until playing ends,
  /// because the rest would fail too.
  private static let mostFailures = 3

  /// The recordings to be played.
  private struct Rows {
    let count: Int
    /// Whether they are rows of lists, or of everything stored.
    let isList: Bool
    /// The error because of which rows of the lists are missing; `nil` if none is.
    let damage: StoreError?
    /// Returns the recording at that position.
    let at: (Int) throws -> Recording
  }

  /// The recordings with the ids that were typed, or the rows of the lists that were typed, or of
  /// everything stored.
  private func recordings(in repository: RecordingRepository) throws -> Rows {
    guard !ids.isEmpty || !rows.selectsEverything || rows.limit != nil else {
      throw UserFacingError.usage(
        "Missing the id of a recording, or a query", hint: "Type it as in: chirper play XC535692")
    }
    if rows.areDefaults {
      do {
        // Before the first is played: a mistyped id should not end an evening halfway.
        let found = try ids.map { try recording($0, repository) }
        return Rows(count: found.count, isList: false, damage: nil) { found[$0] }
      } catch let error as UserFacingError where error.status == .notFetched {
        guard try ids.allSatisfy({ try isStored($0, repository) }) else { throw error }
      }
    }
    let selection = try rows.selection(ids).rows(
      in: rows.names.applied(to: repository), for: "play", Printer(isJSON: false, hasNotes: true))
    guard selection.count > 0 else {
      throw UserFacingError.notStored(
        hint: selection.report.spellingNotes.first ?? "chirper list shows the stored lists.")
    }
    selection.report.leftOutNotes.forEach { Console.line($0) }
    return Rows(count: selection.count, isList: true, damage: selection.damage) { position in
      guard let recording = try selection.recording(position) else {
        throw StoreError.recordingForgotten
      }
      return recording
    }
  }

  private func isStored(_ query: String, _ repository: RecordingRepository) throws -> Bool {
    guard let typed = try? TypedText(query, in: rows.source.catalogue?.id) else { return false }
    return try !typed.stored(in: repository).isEmpty
      || !typed.listsOfSpecies(in: repository).isEmpty
  }

  /// Plays a recording. Returns its error; other recordings may still be played.
  private func play(
    _ recording: Recording, _ player: Player?, _ repository: RecordingRepository
  ) async throws -> UserFacingError? {
    let storesGenerated = save
    let line = ProgressLine(isShown: TerminalDevice.canRewriteError)
    defer { line.close() }
    let (outcome, signal) = await SignalHandling.cancelling {
      () -> Result<(path: String, played: Player.Outcome?), AudioError> in
      do throws(AudioError) {
        let file = try await repository.audio.file(of: recording, storesGenerated: storesGenerated)
        {
          received, total in
          line.show { Self.progress(recording.id, received, total) }
        }
        line.close()
        guard let player else { return .success((file.url.path, nil)) }
        Console.line(
          "\(Self.title(recording, repository.details(of: recording))) · playing with \(player.name) · Ctrl-C stops"
        )
        return .success((file.url.path, await player.play(file)))
      } catch {
        return .failure(error)
      }
    }
    if let signal {
      // Ctrl-C is the announced way to stop the player, so it is not an error.
      if signal == SIGINT, case .success((_, _?)) = outcome {
        throw ExitCode(ExitStatus.interrupted.rawValue)
      }
      throw UserFacingError.interrupted(terminated: signal != SIGINT)
    }
    switch outcome {
    case .success((let path, nil)): try ByteSink.printOut(path)
    case .success((_, .failed(let reason)?)):
      return UserFacingError(.failed, kind: "player-failed", problem: reason)
    case .success: break
    case .failure(let error): return UserFacingError(error, recording.id)
    }
    return nil
  }

  private func recording(_ id: String, _ repository: RecordingRepository) throws -> Recording {
    let only = try rows.source.catalogue
    if let found = try repository.recording(typed: id, in: only) { return found }
    let query = (only.map { [$0] } ?? Catalogues.all).lazy.compactMap { known in
      known.queryForID(id).map { (text: $0, catalogue: known) }
    }.first
    // A key alone chooses the default catalogue.
    let other = query.flatMap {
      $0.catalogue.id == Catalogues.defaultCatalogue.id
        ? rows.source.name : $0.catalogue.id.rawValue
    }
    throw UserFacingError.notStored(
      id,
      hint: query.map { "Type: \(CommandText.line("fetch", $0.text, source: other))" }
        ?? (try? TypedText(id, in: only?.id).matches(in: repository))?.line
        ?? "Fetch a query that finds it; chirper browse shows the id of each row.")
  }

  private func player(_ session: Session) throws -> Player {
    let typed = ids.map { CommandText.quoted($0) }.joined(separator: " ")
    let hint =
      rows.areDefaults
      ? "Or type: chirper play \(typed) --save"
      : "Or type --save with it, for the paths of the files."
    return try session.player().mapError { $0.with(hint: hint) }.get()
  }

  /// `535692: 1.2 MB of 3.4 MB`.
  private static func progress(_ id: RecordingID, _ received: Int, _ total: Int?) -> String {
    guard received > 0 else { return "\(id.value): requesting the audio" }
    return
      "\(id.value): \(SizeText.words(received))\(total.map { " of \(SizeText.words($0))" } ?? "")"
  }

  private static func title(_ recording: Recording, _ details: RecordingDetails) -> String {
    ([recording.id.value] + [details.vernacularName, details.recordedBy].compactMap(\.self)).joined(
      separator: " · ")
  }
}
