import Chirper
import ChirperModel
import Foundation

/// Counts of recordings by value, in the formats of `list`: a row for each value, or for
/// each pair of values. On a terminal a value has a bar, and two keys are rows and columns.
package struct CountTable {
  private let counts: RecordingCounts
  private let search: String
  private let lists: [StoredQuery]
  /// The number of recordings left out because they are in no list any more; `nil` for
  /// lists.
  private let unlisted: Int?
  /// Copies of the recordings that were left out; `nil` for lists.
  private let copies: Int?
  private let damage: String?
  private let hasShare: Bool
  private let offset: Int
  private let limit: Int?
  private var range: Range<Int> { counts.rows.indices.dropFirst(offset).prefix(limit ?? .max) }
  private var rows: ArraySlice<RecordingCounts.Row> { counts.rows[range] }

  /// - Parameters:
  ///   - search: that found the recordings, as it can be typed.
  ///   - lists: of the recordings; none if they are of everything stored.
  ///   - unlisted: how many recordings were left out, because they are in no list any more; `nil`
  ///     for lists.
  ///   - copies: how many copies of the recordings were left out; `nil` for lists.
  ///   - damage: why rows of the lists are missing, for JSON.
  ///   - isOfEverything: whether they are of everything stored, so that the share of it says
  ///     nothing.
  package init(
    _ counts: RecordingCounts, search: String, lists: [StoredQuery], unlisted: Int? = nil,
    copies: Int? = nil, damage: String? = nil, isOfEverything: Bool = false, offset: Int,
    limit: Int?
  ) {
    hasShare = !isOfEverything && counts.keys.contains(where: \.isSeason)
    self.counts = counts
    self.search = search
    self.lists = lists
    self.unlisted = unlisted
    self.copies = copies
    self.damage = damage
    self.offset = offset
    self.limit = limit
  }

  /// Rows that are written.
  package var count: Int { range.count }

  package func write(_ format: RecordFormat, _ options: WriteOptions, to output: any ByteOutput)
    throws
  {
    guard let width = format.isTable ? options.terminalWidth : nil else {
      return try writeRows(format, options, to: output)
    }
    let lines = counts.keys.count > 1 ? crossed : bars(in: width)
    let table = RowTable(
      count: lines.rows.count,
      read: { range, body in lines.rows[range].forEach(body) },
      columns: { _ in ValueColumns(lines.columns.map(\.heading), values: \.cells) },
      fitted: {
        FittedColumns(columns: lines.columns, defaultWidth: Self.widest) {
          $0.cells.map { $0.shown() }
        }
      })
    try table.write(format, options, to: output)
  }

  /// Writes the rows as they are: there can be many.
  private func writeRows(_ format: RecordFormat, _ options: WriteOptions, to output: any ByteOutput)
    throws
  {
    let keys = counts.keys.count
    let numbers = columns.count
    let names =
      columns.map(\.heading)
      + (counts.keys.contains(.species) ? ["names", DetailColumn.acceptedVernacularName.name] : [])
    let table = RowTable(
      count: count, isCopied: true,
      read: { [rows] positions, body in
        rows[positions.lowerBound + rows.startIndex..<positions.upperBound + rows.startIndex]
          .forEach(body)
      },
      columns: { [counts] format in
        ValueColumns(names) { row in
          names.indices.map { index in
            if index == numbers { return .list(counts.names(of: row)) }
            if index > numbers { return DetailColumn.Value(counts.shownName(of: row)) }
            if index >= keys { return row.number(index - keys, forPeople: format.isTable) }
            return index == 0 ? row.first.value : row.second?.value ?? .none
          }
        }
      }, frame: { JSONFrame(head: head, name: "counts") })
    try table.write(format, options, to: output)
  }

  private static let widest = 40

  private typealias Lines = (columns: [TextTable.Column], rows: [CountLine])

  private var keyColumns: [TextTable.Column] {
    counts.keys.map {
      TextTable.Column(
        heading: $0.name, alignRight: $0.range != nil && $0.isSeason || $0.name == "year")
    }
  }

  private var columns: [TextTable.Column] {
    keyColumns
      + (["recordings"] + (hasShare ? ["stored", "share"] : [])).map {
        .init(heading: $0, alignRight: true)
      }
  }

  /// The lines of the table with a bar for each value, and the scientific name after that for people.
  /// The value with the most recordings has the longest bar.
  private func bars(in width: Int) -> Lines {
    var columns = columns
    let numbers = columns.count - 1
    let hasNames = counts.keys == [.species]
    if hasNames { columns.insert(.init(heading: "scientific name"), at: 1) }
    var lines: Lines = (
      columns,
      rows.map { row in
        let names = hasNames ? [counts.shownName(of: row) == nil ? .none : row.first.value] : []
        return CountLine(
          cells: counts.valuesForPeople(of: row) + names
            + (0..<numbers).map { row.number($0, forPeople: true) })
      }
    )
    let most = rows.reduce(1) { max($0, $1.count) }
    let widths = lines.columns.indices.map { index in
      lines.rows.reduce(lines.columns[index].heading.count) {
        max($0, min(Self.widest, $1.cells[index].shown().count))
      } + 2
    }
    let room = max(8, width - widths.reduce(0, +))
    lines.columns.append(.init(heading: "", least: room))
    for (index, row) in rows.enumerated() {
      lines.rows[index].cells.append(
        .text(Self.bar(Double(row.count) / Double(most), columns: room)))
    }
    return lines
  }

  /// A bar of full and partial blocks, of at least one.
  package static func bar(_ part: Double, columns: Int) -> String {
    let eighths = Int((part * Double(columns * 8)).rounded())
    let rest = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"][eighths % 8]
    return String(repeating: "█", count: eighths / 8) + (eighths == 0 && part > 0 ? "▏" : rest)
  }

  /// A line for each value of the first key, a column for each of the second, and the sum. The
  /// window is one of lines, so each has all its pairs.
  private var crossed: Lines {
    let firsts = counts.rows.map(\.first.position).uniqued.dropFirst(offset)
    let shown = Set(firsts.prefix(limit ?? .max))
    var columns: [Int: DetailColumn.Value] = [:]
    var lines: [Int: (value: DetailColumn.Value, counts: [Int: Int])] = [:]
    for row in counts.rows where shown.contains(row.first.position) {
      guard let second = row.second else { continue }
      let values = counts.valuesForPeople(of: row)
      columns[second.position] = values[1]
      lines[row.first.position, default: (values[0], [:])].counts[second.position] = row.count
    }
    let positions = columns.keys.sorted()
    let headings = positions.map {
      TextTable.Column(heading: columns[$0]?.shown() ?? "", alignRight: true)
    }
    return (
      [keyColumns[0], .init(heading: "all", alignRight: true)] + headings,
      lines.sorted { $0.key < $1.key }.map { _, line in
        let cells = positions.map { DetailColumn.Value(line.counts[$0]) }
        return CountLine(cells: [line.value, .integer(line.counts.values.reduce(0, +))] + cells)
      }
    )
  }

  /// The members of a JSON file apart from the rows.
  private var head: JSONObject {
    var (missing, several): (JSONObject, JSONObject) = ([:], [:])
    for (index, key) in counts.keys.enumerated() {
      missing.add(key.name, counts.missing[index])
      several.add(key.name, counts.several[index])
    }
    var head: JSONObject = [
      "search": search, "origin": ListSnapshot.Source.store.rawValue,
      "by": counts.keys.map(\.name),
      "recordings": counts.total,
    ]
    head.add(known: ["inNoList": unlisted, "copies": copies, "damage": damage])
    head.add(["missing": missing, "several": several])
    if counts.keys.contains(.species) { head.add("aboveSpecies", counts.aboveSpecies) }
    head.add(["offset": range.lowerBound, "returned": count])
    return head
  }

  /// Notes about the recordings: how many were counted, without a value, and with several; and
  /// where the lists come from.
  package func notes(in repository: RecordingRepository, now: Date) -> [String] {
    var parts: [String] = []
    for (index, key) in counts.keys.enumerated() {
      parts.append(
        "\(counts.missing[index] == 0 ? "none" : String(counts.missing[index])) without \(key.name)"
      )
      if key == .species, counts.aboveSpecies > 0 {
        parts.append("\(counts.aboveSpecies) above species (a genus, a group or a hybrid)")
      }
      if counts.several[index] > 0 {
        parts.append("\(counts.several[index]) with several, which count in each")
      }
    }
    let origins = lists.map { $0.origin(in: repository.catalogue($0.query.catalogue), now: now) }
    return ["\(Plural.words(counts.total, "recording")): \(parts.joined(separator: ", "))"]
      + namesOfSpecies + origins
  }
}

extension CountTable {
  /// The names under which species of the rows are stored: `Coloeus monedula as Corvus monedula`.
  private var namesOfSpecies: [String] {
    let index = counts.keys.firstIndex(of: .species)
    var texts = [String]()
    var seen = Set<Int>()
    for row in rows {
      guard let value = index == 0 ? row.first : row.second, case let names = counts.names(of: row),
        !names.isEmpty, seen.insert(value.position).inserted
      else { continue }
      texts.append("\(value.value.shown()) as \(WordList.and(names))")
    }
    guard !texts.isEmpty else { return [] }
    return ["stored under different names: \(FirstNames(texts, limit: 5).text)"]
  }
}

private struct CountLine: TableRow {
  var cells: [DetailColumn.Value]
}

extension RecordingCounts.Row: TableRow {
  /// The number in a column after the keys: 0 recordings, 1 recordings stored in that
  /// season, 2 the share of the first in the second.
  fileprivate func number(_ index: Int, forPeople: Bool) -> DetailColumn.Value {
    switch index {
    case 0: return .integer(count)
    case 1: return DetailColumn.Value(stored)
    default:
      guard let stored, stored > 0 else { return .none }
      let share = Double(count) / Double(stored)
      return forPeople
        ? .text(String(format: "%.1f %%", share * 100))
        : .number((share * 10_000).rounded() / 10_000)
    }
  }
}
