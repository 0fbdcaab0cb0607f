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

      \(HelpText.choosingLine)
      """
  )

  @Argument(
    help: "The recordings' ids, as list and browse show them, or stored queries.",
    completion: ShellCompletion.queries)
  var ids: [String] = []

  @Flag(help: "Fetch and keep the audio and print the path of each file; play nothing.")
  var save = false

  @OptionGroup(title: HelpText.choosing, visibility: .rare) var rows: SelectionOptions

  func run() async throws {
    try rows.check()
    let session = try Session()
    let repository = try session.repositoryOrReadOnly()
    let recordings = try recordings(in: repository)
    let player = save ? nil : try self.player(session)
    try await recordings.play(with: player, in: repository)
  }

  /// The recordings with the ids that were typed, or the rows of the lists that were typed, or of
  /// everything stored.
  private func recordings(in repository: RecordingRepository) throws -> PlayedRecordings {
    guard !ids.isEmpty || !rows.selectsEverything || rows.limit != nil else {
      throw UserFacingError.usage(
        "Missing the id of a recording, or a query", hint: "Type it as in: chirper play XC535692")
    }
    if rows.areDefaults {
      do {
        // Before the first is played: a mistyped id should not end an evening halfway.
        let found = try ids.map { try recording($0, repository) }
        return PlayedRecordings(count: found.count, isList: false, damage: nil) { found[$0] }
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
    return PlayedRecordings(count: selection.count, isList: true, damage: selection.damage) {
      position in
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
}
