import Chirper
import ChirperFormats
import ChirperModel

/// Shows or writes a selection: the work of `list`, `search` and `export`, which differ in
/// their defaults.
struct SelectionWriter {
  /// The command as it is typed, for messages.
  let command: String
  let rows: SelectionOptions
  let columns: ColumnOptions
  let output: OutputOptions
  /// The format without `--format` and a file.
  let defaultFormat: RecordFormat
  var columnSet = WriteOptions.ColumnSet.raw
  /// Whether only the number of recordings is printed.
  var counts = false
  /// Whether nothing is written if a list does not have all its rows, even to a screen.
  var needsAllRows = false
  /// Whether standard error gets the list of several catalogues that was taken.
  var showsList = false
  /// The most rows of a species.
  var perSpecies: Int?
  var content = Content.recordings()

  /// The part of the rows that is written.
  enum Content: Equatable {
    /// - Parameter all: whether a format with selections of audio files has the rows without a file
    ///   too.
    case recordings(all: Bool = false)
    case annotations
  }

  /// - Parameters:
  ///   - queries: the lists that were typed; empty for everything stored.
  ///   - search: the search of everything stored, besides the conditions of `--where`.
  func write(_ queries: [String], search: String? = nil) throws {
    let format = try output.format(default: defaultFormat)
    let selection = try selected(queries, search, format, in: Session.offline(.read))
    try writeAndReport(selection, queries, search, format)
    try selection.checkIsWhole()
  }

  /// Writes a format that has the sounds of rows: fetches those that are not here, and writes what
  /// is here then.
  func writeWithSounds(_ queries: [String]) async throws {
    let format = try output.format(default: defaultFormat)
    let selection = try selected(queries, nil, format, in: Session().repositoryOrReadOnly())
    let audio = try await output.common.printer.showingProgress { line in
      try await selection.fetchSoundsOfDeck { done, count in
        line.show { "audio \(done) of \(count)" }
      }
    }
    try writeAndReport(selection, queries, nil, format, audio)
    try selection.checkIsWhole()
    try audio.checkIsComplete()
  }

  private func selected(
    _ queries: [String], _ search: String?, _ format: RecordFormat,
    in repository: @autoclosure () throws -> RecordingRepository
  ) throws -> Rows {
    try rows.check()
    try UserFacingError.check("--per-species", perSpecies, in: 1...1_000_000, example: 5)
    try output.target.check(format)
    try columns.check(format, output)
    var question = try rows.selection(queries, search: search)
    if counts { question.limit = 0 }
    let isRanked = format.isTable && output.file == nil && TerminalDevice.isOutput
    if isRanked, question.sort.isEmpty { question.sort = [SortKey(typed: SortKey.rank)] }
    let selection = try question.rows(
      in: rows.names.applied(to: repository()), for: command, shows: showsList,
      perSpecies: perSpecies, forDeck: format == .anki, output.target.printer(for: format))
    // An export, or a file, has all rows or is not written. A screen shows the rows that can be
    // read, and the command ends with the error.
    if needsAllRows || output.file != nil {
      try selection.checkIsWhole(forExport: true)
    }
    return selection
  }

  private func writeAndReport(
    _ selection: Rows, _ queries: [String], _ search: String?, _ format: RecordFormat,
    _ audio: AudioLibrary.Report? = nil
  ) throws {
    let printer = output.target.printer(for: format)
    if counts {
      return try printer.print(
        Report(
          selection.report.counts, answer: ["\(selection.chosen)"],
          notes: selection.report.leftOutNotes + suggestions(selection, search)))
    }
    var options = try output.target.writeOptions
    options.columns = columns.columns
    options.columnSet = columns.tidy || content == .annotations ? .tidy : columnSet
    options.hasAllRows = content == .recordings(all: true)
    let file = output.file
    options.describesRows = columns.provenance != nil || printer.isJSON
    let noun = queries.isEmpty ? "recording" : "row"
    // Rows on the same terminal are progress enough.
    let progress =
      file == nil && TerminalDevice.isOutput
      ? ProgressLine(isShown: false) : printer.progress()
    let name = queries.first ?? search ?? command
    let total = Plural.words(selection.count, noun)
    options.progress = { rows in progress.show { "\(name): writing, \(rows) of \(total)" } }
    defer { progress.close() }
    let summary = try writeFiles(selection, format, options, audio, progress)
    progress.close()
    if printer.isJSON, let file {
      var json = try selection.report.json(
        file: file, format, summary, now: selection.date(options))
      if let audio { json.add("audio", audio.json) }
      return try printer.print(Report(json))
    }
    guard printer.hasNotes else { return }
    printer.notes(audio?.lines ?? [])
    printer.notes(notes(on: selection, summary, format, noun))
    printer.notes(selection.report.notes(format, options))
    printer.notes(suggestions(selection, search))
  }

  /// What was left out, and what was written.
  private func notes(
    on selection: Rows, _ summary: ExportSummary, _ format: RecordFormat, _ noun: String
  ) -> [String] {
    var notes = selection.report.choiceNotes
    if summary.leftOut > 0, let needs = format.needs {
      notes.append("\(Plural.words(summary.leftOut, "row")) left out, without \(needs)")
    }
    notes += summary.soundLines(format) + [summary.markLine].compactMap(\.self)
    let writtenNoun = content == .annotations ? "annotation" : noun
    if let file = output.file {
      notes.append(Plural.written(summary.written, writtenNoun, to: file))
    } else if content == .annotations {
      let written = Plural.words(summary.written, writtenNoun)
      notes.append("\(written) of \(Plural.words(selection.count, noun))")
    }
    return notes
  }

  /// What was probably meant by words that find nothing.
  private func suggestions(_ selection: Rows, _ search: String?) -> [String] {
    guard selection.matched == 0 else { return [] }
    let lists = selection.lists
    let missed =
      lists.isEmpty ? search : lists.count == 1 && lists[0].isMiss ? lists[0].query.typed : nil
    if let missed, rows.selectsEverything {
      let near = NameSuggestions(near: (try? selection.repository.names(near: missed)) ?? [])
      return [near.text(for: missed) { CommandText.line("search", $0) }].compactMap(\.self)
    }
    return selection.report.spellingNotes
  }

  private func writeFiles(
    _ selection: Rows, _ format: RecordFormat, _ options: WriteOptions,
    _ audio: AudioLibrary.Report?, _ progress: ProgressLine
  ) throws -> ExportSummary {
    if let file = output.file { try format.check(file: file) }
    let files = try AtomicFile.all([output.file, columns.provenance].compactMap(\.self))
    // As in the list of paths: the rows' own file first, the provenance last.
    let sink = output.file == nil ? ByteSink.standardOutput() : files[0].sink
    return try AtomicFile.writing(files, showing: progress) {
      let summary =
        content == .annotations
        ? try selection.writeAnnotations(format, options, to: sink)
        : try selection.write(format, options, to: sink)
      // An earlier file is worth more than an empty one.
      if summary.written == 0 { try audio?.checkIsComplete() }
      if columns.provenance != nil, let file = files.last {
        try selection.writeProvenance(format, summary, options, to: file.sink)
      }
      return summary
    }
  }
}
