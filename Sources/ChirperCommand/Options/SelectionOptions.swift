import ArgumentParser
import Chirper
import ChirperFormats
import ChirperModel
import Foundation

/// Which rows of a list, and in which order.
struct SelectionOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Only rows that are new, from within this time: 12h, 7d, 2w.", valueName: "age"),
    transform: Age.init(option:))
  var new: Age?

  @Option(
    help: ArgumentHelp("Only rows whose recordings changed within this time.", valueName: "age"),
    transform: Age.init(option:))
  var changed: Age?

  @Flag(help: "Only recordings that left a list upstream.")
  var gone = false

  @Option(
    name: .customLong("where"), parsing: .unconditionalSingleValue,
    help: ArgumentHelp(
      "Only rows that a search finds: 'q:A type:song' (docs/search.md). Repeat it for further conditions.",
      valueName: "search"),
    completion: ShellCompletion.searchTags)
  var conditions: [String] = []

  @Option(
    parsing: .unconditionalSingleValue,
    help: "Sort by a column instead of the catalogue's order; -COLUMN for descending. Repeat it for further keys.",
    completion: ShellCompletion.sortKeys)
  var sort: [String] = []

  @Option(parsing: .unconditional, help: "At most this many rows, up to 1000000000.")
  var limit: Int?

  @Option(parsing: .unconditional, help: "Skip this many rows, up to 1000000000. (default: 0)")
  var offset: Int?

  func part(now: Date) -> ListPart {
    if gone { return .gone }
    if let changed { return .changed(since: changed.moment(before: now)) }
    return new.map { .new(since: $0.moment(before: now)) } ?? .rows
  }

  /// Those of `--new`, `--changed` and `--gone` that were typed.
  var events: [String] {
    [new.map { _ in "--new" }, changed.map { _ in "--changed" }, gone ? "--gone" : nil].compactMap(\.self)
  }

  func check() throws(UserFacingError) {
    if events.count > 1 {
      throw UserFacingError.usage("\(UserFacingError.andList(events)) cannot be used together", hint: "Type one of them.")
    }
    try UserFacingError.check("--limit", limit, in: 0...1_000_000_000, example: 20)
    try UserFacingError.check("--offset", offset, in: 0...1_000_000_000, example: 20)
  }

  /// Whether nothing but some of the rows by their position is asked for.
  var areAll: Bool { conditions.isEmpty && sort.isEmpty && events.isEmpty }

  var expression: SearchExpression? {
    get throws(SearchExpressionError) { try SearchExpression(arguments: conditions) }
  }

  /// All that is asked for, as one search; `nil` for everything stored.
  func expression(_ source: SourceOption) throws -> SearchExpression? {
    var conditions = conditions
    if let name = source.name { conditions.append("source:\(try Session.catalogue(name, from: "--source").id)") }
    if gone { conditions.append("gone:yes") }
    if let changed { conditions.append("changed:\(changed.typed)") }
    if let new { conditions.append("new:\(new.typed)") }
    return try SearchExpression(arguments: conditions)
  }

  var order: [ListSort] {
    get throws(UserFacingError) {
      var order: [ListSort] = []
      for key in sort {
        let descending = key.hasPrefix("-")
        let field = descending ? String(key.dropFirst()) : key
        guard !field.isEmpty else {
          throw .usage("--sort needs a column", hint: "Type it as in: --sort date or --sort -date")
        }
        order.append(ListSort(field: field, descending: descending))
      }
      return order
    }
  }

  func searchOrder(_ names: ColumnNames<SearchColumn>) throws(UserFacingError) -> [SearchSort] {
    try order.map { key throws(UserFacingError) in SearchSort(try names.column(key.field), descending: key.descending) }
  }
}

extension SearchExpression {
  init(argument: String) throws(SearchExpressionError) {
    try self.init(argument, catalogues: Catalogues.all.map(\.id))
  }

  /// What satisfies all of them; `nil` without any.
  init?(arguments: [String]) throws(SearchExpressionError) {
    var all: SearchExpression?
    for argument in arguments {
      let expression = try SearchExpression(argument: argument)
      all = try all?.and(expression) ?? expression
    }
    guard let all else { return nil }
    self = all
  }
}
