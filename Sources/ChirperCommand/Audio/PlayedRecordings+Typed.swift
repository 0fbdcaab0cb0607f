import Chirper
import ChirperFormats
import ChirperModel

extension PlayedRecordings {
  /// The recordings with the ids that were typed, or the rows of the lists that were typed, or of
  /// everything stored.
  ///
  /// - Parameter ids: the ids of recordings, or stored lists, as they were typed.
  init(_ ids: [String], _ rows: SelectionOptions, in repository: RecordingRepository) throws {
    guard !ids.isEmpty || !rows.selectsEverything || rows.limit != nil else {
      throw UserFacingError.usage(
        "Missing the id of a recording, or a query", example: "chirper play XC535692")
    }
    if rows.areDefaults {
      do {
        // Before the first is played: a mistyped id should not end an evening halfway.
        let found = try ids.map { try rows.source.recording($0, in: repository) }
        self.init(count: found.count, isList: false, damage: nil) { found[$0] }
        return
      } catch let error as UserFacingError where error.status == .notFetched {
        guard try ids.allSatisfy({ try rows.source.isStored($0, in: repository) }) else {
          throw error
        }
      }
    }
    let selection = try rows.selection(ids).rows(
      in: rows.names.applied(to: repository), for: "play", Printer(isJSON: false, hasNotes: true))
    guard selection.count > 0 else {
      throw UserFacingError.notStored(
        hint: selection.report.spellingNotes.first ?? "chirper list shows the stored lists.")
    }
    selection.report.leftOutNotes.forEach { Console.line($0) }
    self.init(count: selection.count, isList: true, damage: selection.damage) { position in
      guard let recording = try selection.recording(position) else {
        throw StoreError(.recordingForgotten)
      }
      return recording
    }
  }
}

extension SourceOption {
  /// Whether the text names stored lists.
  fileprivate func isStored(_ query: String, in repository: RecordingRepository) throws -> Bool {
    guard let typed = try? TypedText(query, in: catalogue?.id) else { return false }
    return try !typed.stored(in: repository).isEmpty
      || !typed.listsOfSpecies(in: repository).isEmpty
  }

  /// The stored recording with the typed id.
  fileprivate func recording(
    _ id: String, in repository: RecordingRepository
  ) throws -> Recording {
    let only = try catalogue
    if let found = try repository.recording(typed: id, in: only) { return found }
    let query = (only.map { [$0] } ?? Catalogues.all).lazy.compactMap { known in
      known.idQuery(id).map { (text: $0, catalogue: known) }
    }.first
    // A key alone chooses the default catalogue.
    let other = query.flatMap {
      $0.catalogue.id == Catalogues.defaultCatalogue.id
        ? name : $0.catalogue.id.rawValue
    }
    throw UserFacingError.notStored(
      id,
      hint: query.map { "Type: \(CommandText.line("fetch", $0.text, source: other))" }
        ?? (try? TypedText(id, in: only?.id).matches(in: repository))?.line
        ?? "Fetch a query that finds it; chirper browse shows the id of each row.")
  }
}
