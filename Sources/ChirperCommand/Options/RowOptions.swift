import ArgumentParser
import Chirper
import ChirperModel

/// Which rows of a list, and in which order.
struct RowOptions: ParsableArguments {
  @Option(help: "Only rows with this text in a column of the table, the place, the remarks or the background.")
  var filter: String?

  @Option(parsing: .unconditional, help: "Sort by a field instead of the catalogue's order; -FIELD for descending.")
  var sort: String?

  var order: ListSort? {
    get throws(CommandError) {
      guard let sort else { return nil }
      let descending = sort.hasPrefix("-")
      let field = descending ? String(sort.dropFirst()) : sort
      guard !field.isEmpty else {
        throw .usage("--sort needs a column", hint: "Type it as in: --sort date or --sort -date")
      }
      return ListSort(field: field, descending: descending)
    }
  }
}
