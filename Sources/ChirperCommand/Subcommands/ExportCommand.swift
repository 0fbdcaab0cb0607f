import ArgumentParser
import ChirperFormats

struct ExportCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "export",
    abstract: "Write recordings to a file or a pipe.",
    discussion: """
      csv, tsv, json and jsonl have every field the service sent, as it was sent, or with --tidy typed columns with \
      standard names, which recordings of several catalogues always have. The other formats are made for maps, \
      annotation tools, references and data papers: man 7 chirper-formats. A file is written completely or not at all. --audio \
      copies the audio of the rows with names for people, next to a playlist, credits and a table; a deck for Anki \
      (.apkg) has it on cards. What is not kept is fetched, and the same command continues after an interruption.

        chirper export parrot > parrot.csv
        chirper export parrot -o parrot.csv --spreadsheet-safe
        chirper export parrot --tidy --columns scientificName,eventDate,license
        chirper export parrot --for commercial -o parrot.geojson
        chirper export parrot -o parrot.gpkg
        chirper export parrot -o parrot.zip
        chirper export parrot -o credits.html
        chirper export parrot --where cnt:brazil --sort -date -o brazil.csv
        chirper export parrot gbif:parrot --copies no -o parrots.csv
        chirper export -o may.csv --where 'q:A type:song month:5'
        chirper export wren --audio /media/card/wrens --where 'q:A type:song'
        chirper export -o trip.apkg --where 'q:A also:none' --per-species 5

      \(HelpText.choosingLine)
      """
  )

  @Argument(
    help: "Stored queries; without one, everything stored.", completion: ShellCompletion.queries)
  var queries: [String] = []

  @Option(
    help: "Copy the audio of the rows to this folder, or into this .zip file.",
    completion: .directory)
  var audio: String?

  @Option(
    name: .customLong("per-species"),
    help: "At most this many recordings of a species, the first in their order.")
  var perSpecies: Int?

  @Flag(
    help: .rare(
      "With --audio: delete the files there that chirper wrote and that are no longer chosen."
    )
  )
  var prune = false

  @Flag(
    help: .rare("The annotations of the rows as a table of their own: csv, tsv, json or jsonl.")
  )
  var annotations = false

  @Flag(
    name: .customLong("all-rows"),
    help: .rare(
      "With raven and audacity: also rows whose audio is not on this machine, if that of others is."
    )
  )
  var allRows = false

  @OptionGroup(title: HelpText.choosing, visibility: .rare) var rows: SelectionOptions
  @OptionGroup var columns: ColumnOptions
  @OptionGroup var output: OutputOptions

  func run() async throws {
    if prune, audio == nil {
      throw UserFacingError.usage(
        "--prune needs --audio",
        example: "chirper export parrot --audio parrots --prune")
    }
    if annotations {
      if audio != nil || allRows || columns.columns != nil || columns.tidy {
        throw UserFacingError.usage(
          "--annotations has columns of its own and no audio",
          hint: "Leave out --columns, --tidy, --audio and --all-rows.")
      }
      let format = try output.format(default: .csv)
      try format.check("--annotations", isForAll: RecordFormat.tidy.contains)
    }
    if let audio {
      return try await AudioExport(
        target: audio, prunes: prune, hasAllRows: allRows, perSpecies: perSpecies, rows: rows,
        columns: columns, output: output
      ).run(queries)
    }
    let content: SelectionWriter.Content = annotations ? .annotations : .recordings(all: allRows)
    let writer = SelectionWriter(
      command: "export", rows: rows, columns: columns, output: output, defaultFormat: .csv,
      needsAllRows: true, perSpecies: perSpecies, content: content)
    guard try output.format(default: .csv).holdsSounds else { return try writer.write(queries) }
    try await writer.writeWithSounds(queries)
  }
}
