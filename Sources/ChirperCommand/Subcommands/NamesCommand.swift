import ArgumentParser

struct NamesCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "names",
    abstract: "Add names of animals in other languages.",
    discussion: """
      A list is a CSV file with a row for each species: its scientific name, and a column for each language. Headings are \
      languages (German, Deutsch or de). IOC's multilingual list is such a file if a spreadsheet saves it as CSV. The names \
      are kept in the database.

        chirper names add ioc.csv
        chirper names add birds-of-hessen.csv --as hessen
        chirper names list
        chirper names remove hessen
      """,
    subcommands: [Add.self, List.self, Remove.self]
  )
}
