import Chirper
import ChirperFormats
import ChirperModel
import Foundation

/// The recordings of lists, or the results of a search: their rows by position, counts,
/// details and files.
struct SelectionsAPI: Sendable {
  /// The selection of a request.
  struct Selected: Sendable {
    let selection: Rows
    /// The version of the store when the selection was made.
    let version: [Int]
    let made = ContinuousClock.now
  }

  /// The parameters of requests that are answered from one selection.
  struct Asked: Hashable {
    let selection: Selection
    let names: String?
    let isReader: Bool
  }

  let repository: RecordingRepository
  let now: @Sendable () -> Date
  let cached = AnswerCache<Asked, Selected>()
  /// The coordinates of the selection that was shown on a map last.
  let mapped = Locked<(made: ContinuousClock.Instant, coordinates: [SIMD2<Float>])?>(nil)

  /// The part of the time, one in this number, that is spent at most on one selection while
  /// the store changes all the time.
  private static let share = 10

  // MARK: Answers

  /// The rows of the selection from `offset` on, `limit` of them, with its length and the
  /// version of the store.
  ///
  /// The size of a deck of them all is in it, too, with `deck=true`.
  ///
  /// With `soft=true` an error has the status 200. Browsers write each error of HTTP to
  /// their console, and half of what somebody types is not a search yet. That includes a text
  /// that ends with the beginning of a word, `type:so`.
  func rows(_ request: Request) throws -> Answer {
    let isSoft = try request.flag("soft")
    do {
      return try selectedRows(request, isTyped: isSoft)
    } catch {
      var answer = Answer.of(error)
      guard isSoft, (400..<500).contains(answer.status.code) else { throw error }
      answer.status = .ok
      return answer
    }
  }

  private func selectedRows(_ request: Request, isTyped: Bool) throws -> Answer {
    try cached.retryingIfForgotten {
      let cached = try select(request)
      if isTyped { try cached.selection.expression?.checkIsFinished() }
      let offset = try request.number("offset", in: 0...1_000_000_000) ?? 0
      let window = cached.selection.window(
        offset: offset, limit: try request.number("limit", in: 0...1000) ?? 60)
      var options = WriteOptions(now: now())
      options.columns = request["columns"]
      options.columnSet = .found
      options.findsWords = try request.flag("found-in")
      var object: JSONObject = [
        "version": Self.text(of: cached.version), "rows": cached.selection.count,
        "searched": cached.selection.searched,
        "offset": window.offset, "returned": window.count,
      ]
      object.add(known: ["inNoList": cached.selection.unlisted])
      object.add("copies", cached.selection.leftOutCopies)
      object.add(known: [
        "otherNames": cached.selection.otherNames,
        "damage": cached.selection.damage?.presentation.summary.sentence,
      ])
      if try request.flag("deck") {
        try request.needExclusiveAccess()
        let deck = try cached.selection.sizeOfDeck()
        object.add("deck", ["cards": deck.cards, "bytes": deck.bytes] as JSONObject)
      }
      let sonograms = try repository.audio.withSonogram(window.ids())
      object.add("sonograms", sonograms.map { "\($0.catalogue.rawValue)/\($0.value)" })
      object.add("recordings", raw: "[\(try Self.objects(window, options))]")
      return .json(object)
    }
  }

  /// Every value of one recording, and its fields as sent.
  func details(_ id: RecordingID, _ request: Request) throws -> Answer {
    try cached.retryingIfForgotten {
      let repository = try repository(for: request)
      var question = Selection()
      question.catalogue = id.catalogue
      question.recordings = [id]
      let selection = try repository.rows(of: question)
      guard selection.count > 0 else { throw UserFacingError.notStoredHere }
      var options = WriteOptions(now: now())
      options.columnSet = .found
      return .json(try Self.objects(selection, options))
    }
  }

  /// Counts by one key or two, as `chirper stats --json` has them.
  func stats(_ request: Request) throws -> Answer {
    try cached.retryingIfForgotten {
      guard let keys = CountKey.list(request["by"] ?? "") else {
        throw UserFacingError.usage(
          "by= needs one key, or two with a comma between them",
          hint: "The keys are \(CountKey.all.map(\.name).joined(separator: ", ")).")
      }
      let selection = try select(request).selection
      try request.needExclusiveAccess()
      let table = CountTable(
        try selection.counts(by: keys), search: selection.expression?.description ?? "",
        lists: selection.lists,
        unlisted: selection.unlisted,
        copies: selection.lists.isEmpty ? selection.leftOutCopies : nil,
        damage: selection.damage?.presentation.summary.sentence,
        offset: try request.number("offset", in: 0...1_000_000_000) ?? 0,
        limit: try request.number("limit", in: 0...10_000))
      let output = MemoryOutput()
      try table.write(.json, WriteOptions(now: now()), to: output)
      return Answer(body: .bytes(output.buffer))
    }
  }

  /// The selection as a file of any format, written while the client reads it.
  func export(_ request: Request) throws -> Answer {
    let form = try ExportForm(request)
    let format = form.format
    var selection = try select(request).selection
    if request["offset"] != nil || request["limit"] != nil {
      selection = selection.window(
        offset: try request.number("offset", in: 0...1_000_000_000) ?? 0,
        limit: try request.number("limit", in: 0...1_000_000_000))
    }
    // An error is an answer only before the first byte of the file.
    try selection.checkIsWhole(forExport: true)
    if format.holdsSounds {
      try request.needExclusiveAccess()
      try Self.checkFitsZip(selection.sizeOfDeck().bytes)
    }
    _ = try selection.names.columns(form.columns)
    return Answer(
      type: format.mediaType,
      body: .stream { [now, selection] send in
        try await ExportStream.send(to: send) { output in
          let options = form.options(now: now())
          if form.isOfAnnotations {
            _ = try selection.writeAnnotations(format, options, to: output)
            return try output.flush()
          }
          _ = try format.writing(to: output) { try selection.write(format, options, to: $0) }
        }
      },
      headers: [Self.disposition(selection, format.fileEnd)])
  }

  /// The version of the store, as clients get it.
  static func text(of version: [Int]) -> String { version.map(String.init).joined(separator: "-") }

  /// Recordings as objects of JSON with commas between them.
  private static func objects(_ selection: Rows, _ options: WriteOptions) throws -> String {
    let output = MemoryOutput()
    // A line for each; no line has a line feed within it.
    try selection.write(.jsonl, options, to: output)
    return String(
      decoding: output.buffer.dropLast().map { $0 == UInt8(ascii: "\n") ? UInt8(ascii: ",") : $0 },
      as: UTF8.self)
  }

  // MARK: Selections

  /// The selection of the parameters: the rows of lists, or everything stored; of these
  /// some recordings (`id`), or the recordings that may be used for a purpose (`for`).
  func select(_ request: Request) throws -> Selected {
    let selection = try request.selection(in: repository)
    let key = Asked(selection: selection, names: request["names"], isReader: request.isReader)
    let version = try repository.version()
    // Keeping a sound changes no row, so only selections by what is kept are made anew.
    let isByAudio = (selection.searches + selection.sort.map(\.name)).contains {
      $0.lowercased().contains("audio")
    }
    let state = version + (isByAudio ? repository.audio.version : [])
    return try cached.value(
      for: key, version: state,
      isFresh: { known, now in
        known.version == state || now - known.made < known.cost * Self.share
      }
    ) {
      // Half of what somebody types is not a search yet, and must not wait.
      for typed in selection.searches { _ = try repository.searchExpression(typed) }
      try request.needExclusiveAccess(searches: selection.lists.isEmpty)
      let rows = try repository(for: request).rows(of: selection, choosingLists: false)
      return Selected(selection: rows, version: version)
    }
  }

  /// The repository with names of animals in the language of the parameter `names`; without it, in
  /// that of the server, and with an empty one, as catalogues have them. For a reader it does not
  /// say where audio is kept.
  private func repository(for request: Request) throws -> RecordingRepository {
    var repository = repository
    repository.hidesAudioPaths = request.isReader
    guard let language = request["names"] else { return repository }
    guard !language.isEmpty else {
      repository.shownNames = nil
      return repository
    }
    if let shown = try repository.showing(namesIn: language) { return shown }
    throw UserFacingError.unknownLanguage(language, known: try repository.nameLanguages())
  }
}

/// The form of a file that a client asks for.
private struct ExportForm {
  let format: RecordFormat
  let columns: String?
  private let isTidy: Bool
  private let hasAllRows: Bool
  let isOfAnnotations: Bool

  init(_ request: Request) throws {
    let name = request["format"] ?? "csv"
    guard let format = RecordFormat.named(name), !format.isTable else {
      throw UserFacingError.usage(
        "Unknown format \(name.inQuotes)",
        hint: "The formats are \(RecordFormat.exported.map(\.name).joined(separator: ", ")).")
    }
    self.format = format
    columns = request["columns"]
    isTidy = try request.flag("tidy")
    hasAllRows = try request.flag("all-rows")
    isOfAnnotations = try request.flag("annotations")
    if columns != nil, !format.takesColumns {
      throw UserFacingError.usage(
        "\(format.name) has columns of its own", hint: "Leave columns= out.")
    }
    let hasTable = RecordFormat.tidy.contains(format)
    if isTidy, !hasTable {
      throw UserFacingError.usage(
        "\(format.name) has no raw fields, so tidy= cannot be used", hint: "Leave it out.")
    }
    if isOfAnnotations, columns != nil || isTidy || hasAllRows || !hasTable {
      let names = WordList.and(RecordFormat.tidy.map(\.name))
      throw UserFacingError.usage(
        "annotations= is for \(names), with columns of its own",
        hint: "Leave columns=, tidy= and all-rows= out.")
    }
  }

  func options(now: Date) -> WriteOptions {
    var options = WriteOptions(now: now)
    options.columns = columns
    options.columnSet = isTidy ? .tidy : .raw
    options.hasAllRows = hasAllRows
    return options
  }
}

extension Request {
  /// The question of the parameters: the rows of lists (`list`), or everything stored; of these some
  /// recordings (`id`), or the recordings that may be used for a purpose (`for`).
  func selection(in repository: RecordingRepository) throws -> Selection {
    var selection = Selection(where: all("q").filter { !$0.allSatisfy(\.isWhitespace) })
    selection.catalogue = try self["source"].map { try repository.catalogue(named: $0).id }
    selection.lists = all("list").map(ListName.typed)
    selection.sort = all("sort").map(SortKey.init(typed:))
    if self["distinct"] != nil { selection.copies = try flag("distinct") ? .leftOut : .kept }
    let uses = self["for"] ?? ""
    guard let purposes = uses.isEmpty ? [] : Selection.Purpose.list(uses) else {
      throw UserFacingError.usage(
        "for= does not take \(uses.inQuotes)",
        hint: "It takes \(Selection.Purpose.names.joined(separator: ", ")), each once, with commas."
      )
    }
    selection.purposes = purposes
    selection.recordings = try all("id").map { text throws(UserFacingError) in
      let parts = text.split(separator: ":", maxSplits: 1).map(String.init)
      guard parts.count == 2 else {
        throw .usage("id= needs a catalogue and an id", hint: "Send it as in: id=xeno-canto:1001")
      }
      return RecordingID(catalogue: CatalogueID(rawValue: parts[0]), value: parts[1])
    }
    return selection
  }
}

extension RecordingRepository {
  /// - Throws: `UserFacingError` for a name that none has.
  func catalogue(named name: String) throws(UserFacingError) -> Catalogue {
    if let catalogue = catalogue(CatalogueID(rawValue: name)) { return catalogue }
    throw .usage(
      "Unknown catalogue \(name.inQuotes)",
      hint: "The catalogues are \(catalogues.map(\.id.rawValue).joined(separator: ", ")).")
  }
}

extension UserFacingError {
  /// A recording that was asked for by its id and is not stored.
  static let notStoredHere = notStored(hint: "Fetch a list that has it.")
}
