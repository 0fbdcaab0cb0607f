import ArgumentParser
import Chirper
import ChirperFormats
import ChirperModel
import Foundation

struct ImportCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "import",
    abstract: "Store a file as a list, such as a GBIF download.",
    discussion: """
      GBIF refuses lists of more than 100,000 records and asks for downloads instead. Ask https://www.gbif.org for one, with \
      the filter Media type: Audio, as a Darwin Core archive, and import its zip file, or the folder that it was unpacked into. \
      Each sound is a row, with the id that GBIF's service gives it.

      The list is named after the DOI of the download. No sync asks for it; a newer download is imported under the same name \
      and shows what is new, changed and gone. Records that were fetched stay as GBIF sent them.

      A CSV file that the Macaulay Library exports is imported, too, without sounds, and an archive of any other publisher whose rows are occurrences with sounds. What chirper export writes with --format dwca, or with --tidy as jsonl or csv, is imported with the details that the file has, and jsonl without --tidy with --source. A recording that is stored as its catalogue sent it stays so.

      With --labels the files are Raven's selection tables, BirdNET's results or Audacity's labels. They become annotations of \
      stored recordings, beside those of the catalogue: of the one whose number is in the table, or in the name of the file. \
      The same file again changes nothing, and a changed one takes the place of the earlier one. chirper forget --labels FILE \
      removes them.

        chirper import 0012345-260901.zip
        chirper import 0012345-260901.zip --as owls
        chirper import owls.jsonl --as owls
        chirper import records.jsonl --source gbif
        chirper list 10.15468/dl.8k2qf5
        chirper import --labels XC46088.selections.txt --by "A. Name"
        chirper import --labels results/*.BirdNET.results.csv
      """
  )

  @Argument(help: "A file, or a folder.", completion: .file())
  var files: [String]

  @Option(
    name: .customLong("as"), help: "The name of the list. (default: its DOI, title or file name)")
  var name: String?

  @Flag(help: "Import labels of stored recordings.")
  var labels = false

  @Option(
    name: .customLong("by"), help: "With --labels: who made them. (default: BirdNET, if it did)")
  var author: String?

  @Option(help: "With --labels: the recording that they are of, such as XC46088.")
  var recording: String?

  @OptionGroup var sender: SourceOption

  @Flag(help: "Print errors only, for cron.")
  var quiet = false

  @OptionGroup var common: CommonOptions

  func run() async throws {
    let name = try name.map { try CatalogueQuery.cleaned($0) }
    if name != nil, files.count > 1 {
      throw UserFacingError.usage(
        "--as names one list, and \(files.count) files were given", hint: "Import one file with it."
      )
    }
    guard labels || author == nil && recording == nil else {
      throw UserFacingError.usage(
        "--by and --recording go with --labels", hint: "Type: chirper import --labels FILE")
    }
    let sender = try sender.catalogue
    let repository = try Session.offline(.write)
    let printer = common.printer(isQuiet: quiet)
    guard !labels else { return try importLabels(sender, repository, printer) }
    var objects: [JSONObject] = []
    var unreadable = 0
    var failed: [UserFacingError] = []
    var lists: Set<String> = []
    for path in files {
      do {
        let source = try ImportFile.source(path, catalogues: repository.known, sender: sender)
        try source.checkRoom(for: path)
        let list = try name ?? CatalogueQuery.cleaned(PlainLine.text(source.listName) ?? "import")
        guard (try? TypedText(list))?.text == list else {
          throw Self.badName("\(list.inQuotes) begins with the name of a catalogue", path)
        }
        guard !lists.contains(list.lowercased()) else {
          throw Self.badName("\(path): an earlier file has the name \(list.inQuotes)", path)
        }
        let report = try await imported(source, list, path, repository, printer)
        lists.insert(list.lowercased())
        unreadable += report.claim.unreadable
        printer.notes(report.lines(in: repository))
        objects.append(report.object(path, in: repository))
      } catch {
        failed.append(try skipped(error, printer))
      }
    }
    if !objects.isEmpty { try printer.print(Report(["files": objects])) }
    guard unreadable > 0 || !failed.isEmpty else { return }
    let problems = [(unreadable, "row", "read"), (failed.count, "file", "imported")]
    throw UserFacingError(
      objects.isEmpty ? failed[0].status : .partly, kind: failed.first?.kind ?? "unreadable-rows",
      problem: problems.filter { $0.0 > 0 }
        .map { "\(Plural.words($0.0, $0.1)) could not be \($0.2)" }.joined(separator: " and "),
      hint: hint(
        after: failed,
        unreadable > 0 && !printer.isJSON ? "chirper list --json has their lines." : nil,
        objects.isEmpty ? nil : "What could be read is stored.", printer: printer))
  }

  /// Prints the error of one of several files, after which the others are read, too; throws any
  /// other error.
  private func skipped(_ error: any Error, _ printer: Printer) throws -> UserFacingError {
    guard files.count > 1, let known = error as? UserFacingError,
      known.status != .interrupted, known.status != .terminated
    else { throw error }
    printer.problem(known.message)
    return known
  }

  /// The hint of an error that ends the command after others, which JSON does not have before.
  private func hint(
    after failed: [UserFacingError], _ texts: String?..., printer: Printer
  ) -> String? {
    let messages: [String?] = printer.isJSON ? failed.map { $0.message } : []
    return (messages + texts).joinedTexts()
  }

  private func importLabels(
    _ catalogue: Catalogue?, _ repository: RecordingRepository, _ printer: Printer
  ) throws {
    guard name == nil else {
      throw UserFacingError.usage(
        "--as names a list, and labels are of recordings", hint: "Leave out --as.")
    }
    let recording = try recording.map { try repository.stored($0, in: catalogue) }
    var names: Set<String> = []
    for name in files.map({ ($0 as NSString).lastPathComponent })
    where !names.insert(name).inserted {
      throw UserFacingError.usage(
        "two of the files are called \(name), and labels are kept by the name of their file",
        hint: "Give each file a name of its own.")
    }
    var reports: [LabelReport] = []
    var failed: [UserFacingError] = []
    for path in files {
      do {
        let report = try report(ofLabels: path, in: repository, onto: recording)
        printer.notes(report.lines)
        reports.append(report)
      } catch {
        failed.append(try skipped(error, printer))
      }
    }
    try printer.print(Report(["labels": reports.map(\.json)]))
    let refused = reports.reduce(0) { $0 + $1.refused.count }
    guard refused + failed.count == 0 else {
      throw UserFacingError(
        .partly, kind: "labels-refused",
        problem: [(refused, "line"), (failed.count, "file")].filter { $0.0 > 0 }
          .map { Plural.words($0.0, $0.1) }.joined(separator: " and ") + " gave no label",
        hint: hint(
          after: failed,
          reports.contains { $0.hasLabels }
            ? "All other labels are stored."
            : reports.contains { $0.lacksRecording }
              ? "--recording names the recording of a file that does not name it." : nil,
          printer: printer))
    }
  }

  private func report(
    ofLabels path: String, in repository: RecordingRepository, onto recording: Recording?
  ) throws -> LabelReport {
    let file = try LabelFile(path) { try ReadableFile(path).pieces() }
    let typed = author.flatMap(PlainLine.text)?.trimmingCharacters(in: .whitespaces)
    guard let author = author == nil ? file.author : typed, !author.isEmpty else {
      throw UserFacingError.usage(
        "\(path) does not say who made its labels",
        hint: "Type the name, as in: --by \"A. Name\"")
    }
    return try file.store(in: repository, by: author, onto: recording)
  }

  private func imported(
    _ source: any ImportSource, _ list: String, _ path: String, _ repository: RecordingRepository,
    _ printer: Printer
  ) async throws -> ImportReport {
    let clock = ContinuousClock()
    let start = clock.now
    do {
      return try await printer.showingProgress { line in
        try await repository.importRows(of: source, named: list) { holder in
          line.show { "\(path): \(holder ?? "another chirper process") is importing the same list" }
        } progress: { bytes in
          let parts = Double(bytes) / Double(max(1, source.size))
          line.show {
            let left = (clock.now - start) * ((1 - parts) / max(parts, 0.001))
            let time = parts > 0.02 ? ", \(AgeText.words(left)) left" : ""
            return "\(path): \(Int(100 * parts)) %\(time)"
          }
        }
      }
    } catch ImportFailure.noSounds(let claim, let advice) {
      throw UserFacingError.noSounds(path, claim, advice)
    } catch ImportFailure.nameIsTaken(let catalogue) {
      throw Self.badName("\(list.inQuotes) names a list that was fetched from \(catalogue)", path)
    }
  }

  private static func badName(_ problem: String, _ path: String) -> UserFacingError {
    let again = CommandText.line("import", path, also: "--as NAME")
    return .usage(problem, hint: "Choose a different name: \(again)")
  }
}

extension RecordingRepository {
  /// The stored recording that `--recording` names.
  func stored(_ typed: String, in catalogue: Catalogue?) throws -> Recording {
    let found = try recordings(typed: typed, in: catalogue)
    guard let first = found.first else {
      throw UserFacingError.notStored(typed, hint: "Fetch a list that has it.")
    }
    guard found.count == 1 else {
      throw UserFacingError.usage(
        "\(found.count) stored recordings have the number \(typed)",
        hint: "Type the id of one: \(FirstNames(found.map(\.id.value)).text)")
    }
    return first
  }
}
