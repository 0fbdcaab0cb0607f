import ArgumentParser
import Chirper
import ChirperFormats
import ChirperModel
import Foundation

struct ForgetCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "forget",
    abstract: "Remove a list, and the recordings of no other.",
    discussion: """
      The audio of these recordings is removed too; labels that were imported stay, and are there again when the recordings are. Asks for confirmation on a terminal; scripts need --yes.

        chirper forget parrot
        chirper forget parrot --source itunes --yes
        chirper forget --empty
        chirper forget --labels XC46088.selections.txt
      """
  )

  @Argument(help: "A stored query.", completion: ShellCompletion.queries)
  var query: String?

  @Flag(help: "Remove the queries that never found anything.")
  var empty = false

  @Option(
    help: "Remove the labels of a file that was imported.", completion: ShellCompletion.labelFiles)
  var labels: String?

  @Option(name: .customLong("by"), help: "With --labels: only those that this author made.")
  var author: String?

  @Option(help: "With --labels: only those of this recording, such as XC46088.")
  var recording: String?

  @Flag(help: "Do not ask.")
  var yes = false

  @OptionGroup var source: SourceOption
  @OptionGroup var common: CommonOptions

  func run() throws {
    if let labels {
      guard query == nil, !empty else {
        throw UserFacingError.usage(
          "--labels removes the labels of a file alone", hint: "Type no query with it.")
      }
      return try forget(labels: (labels as NSString).lastPathComponent)
    }
    guard author == nil, recording == nil else {
      throw UserFacingError.usage(
        "--by and --recording go with --labels", hint: "Type: chirper forget --labels FILE")
    }
    guard (query == nil) == empty else {
      let problem =
        empty ? "--empty and a query cannot be used together" : "Missing query, or --empty"
      throw UserFacingError.usage(problem, hint: "Type: chirper forget parrot")
    }
    // Read first: a store that does not exist is not created to forget something in it.
    let stored = try Session.offline(.read)
    let found = try query.map { try lists($0, stored) } ?? source.chosen(of: stored.misses())
    let printer = common.printer
    guard !found.isEmpty else {
      printer.note("Every stored query has found something.")
      return try printer.print(Report(ForgetReport.report([], query: query).json))
    }
    guard try yes || agreed(found, stored) else { return Console.line("Nothing was removed.") }
    let repository = try Session.offline(.write)
    let forgotten = try found.compactMap { try repository.forget($0.query) }
    try printer.print(ForgetReport.report(forgotten, query: query))
  }

  private func forget(labels file: String) throws {
    let repository = try Session.offline(.read)
    let all = try repository.storedLabels(of: file)
    guard !all.isEmpty else {
      let files = try repository.labelled().files
      throw UserFacingError.usage(
        "No labels of \(file.inQuotes) are stored",
        hint: files.isEmpty
          ? "chirper import --labels stores labels."
          : "There are labels of \(FirstNames(files).phrase).")
    }
    func authors(_ labels: [StoredLabels]) -> String {
      FirstNames(Set(labels.map(\.author)).sorted()).phrase
    }
    let labels = try chosen(of: all, repository)
    guard !labels.isEmpty else {
      throw UserFacingError.usage(
        "No such labels of \(file.inQuotes) are stored",
        hint: "There are labels by \(authors(all)).")
    }
    let count = labels.reduce(0) { $0 + $1.count }
    let recordings = Set(labels.map(\.recording)).count
    let words =
      "\(Plural.words(count, "label")) by \(authors(labels)) of "
      + Plural.words(recordings, "recording")
    let options = [("--by", author), ("--recording", recording), ("--source", source.name)]
    let command = options.reduce("chirper forget --labels \(CommandText.quoted(file))") {
      line, option in option.1.map { "\(line) \(option.0) \(CommandText.quoted($0))" } ?? line
    }
    let isAgreed =
      try yes
      || agreed("\(command) --yes") {
        TerminalText.escaped("Remove \(words), from \(file.inQuotes)?")
      }
    guard isAgreed else { return Console.line("Nothing was removed.") }
    try Session.offline(.write).remove(labels, of: file)
    try common.printer.print(
      Report(["labels": count, "recordings": recordings], notes: ["removed: \(words)"]))
  }

  /// The labels that the options name.
  private func chosen(
    of labels: [StoredLabels], _ repository: RecordingRepository
  ) throws -> [StoredLabels] {
    let catalogue = try source.catalogue
    let id = try recording.map { try repository.stored($0, in: catalogue).id }
    return labels.filter { labels in
      (author ?? labels.author) == labels.author && (id ?? labels.recording) == labels.recording
        && (catalogue?.id ?? labels.recording.catalogue) == labels.recording.catalogue
    }
  }

  /// The lists that the query names, which must be of one catalogue. A miss goes with the
  /// list of its text.
  private func lists(_ query: String, _ repository: RecordingRepository) throws -> [StoredQuery] {
    try TypedText(query, in: source.catalogue?.id).listsToForget(in: repository) {
      "Type: \(CommandText.line("forget", query, source: $0))"
    }
  }

  private func agreed(_ found: [StoredQuery], _ repository: RecordingRepository) throws -> Bool {
    let command =
      query.map { CommandText.line("forget", $0, source: source.name, also: "--yes") }
      ?? "chirper forget --empty --yes"
    return try agreed(command) {
      let rows = found.reduce(0) { $0 + $1.count }
      let audio = try repository.audioUsage(onlyIn: found.map(\.query))
      let files = audio.bytes > 0 ? " and \(ForgetReport.words(audio.files, audio.bytes))" : ""
      return query.map {
        "Remove \(TerminalText.escaped($0.inQuotes)) with its \(Plural.words(rows, "row"))\(files)?"
      } ?? "Remove \(Plural.words(found.count, "query")) that never found anything?"
    }
  }

  /// Asks on a terminal.
  ///
  /// - Parameter command: the command that does not ask, for scripts.
  private func agreed(_ command: String, _ question: () throws -> String) throws -> Bool {
    guard TerminalDevice.isInput, TerminalDevice.isError else {
      throw UserFacingError.usage(
        "forget removes data and cannot ask here; nothing was removed", hint: "Type: \(command)")
    }
    let answer = TerminalDevice.ask("\(try question()) [y/N] ")
    return ["y", "yes"].contains(answer?.lowercased())
  }
}
