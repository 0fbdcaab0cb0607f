import ChirperModel
import Foundation
import Testing

@testable import Chirper
@testable import ChirperFormats

/// Counts on a terminal: bars, and two keys as rows and columns.
struct CountTableTests {
  private func shown(_ keys: [String], _ rows: [RecordingCounts.Row], limit: Int? = nil) throws
    -> [String]
  {
    let keys = keys.compactMap { name in CountKey.all.first { $0.name == name } }
    let counts = RecordingCounts(
      keys: keys, rows: rows, total: 150, missing: [12, 0], several: [3, 0])
    let repository = RecordingRepository(store: try .inMemory(), dependencies: .live) { _ in nil }
    let table = CountTable(counts, search: "robin", lists: [], offset: 0, limit: limit)
    var options = WriteOptions(now: Date(timeIntervalSince1970: 0))
    options.terminalWidth = 60
    let output = Memory()
    try table.write(.table, options, to: output)
    let notes = table.notes(in: repository, now: options.now)
    return String(decoding: output.written, as: UTF8.self).split(separator: "\n").map(String.init)
      + notes
  }

  @Test func `the longest bar ends at the width, and a share is next to a month`() throws {
    let rows = [(1, 100, 400), (2, 25, 100), (3, 0, 0), (4, 1, 1)].map {
      RecordingCounts.Row(
        count: $1, stored: $2, first: .init(value: .integer($0), position: $0), second: nil)
    }
    let lines = try shown(["month"], rows)
    #expect(lines[0] == "month  recordings  stored    share")
    #expect(
      lines[1] == "    1         100     400   25.0 %  " + String(repeating: "█", count: 24),
      "\(lines)")
    #expect(lines[2] == "    2          25     100   25.0 %  " + String(repeating: "█", count: 6))
    #expect(lines[3] == "    3           0       0")
    #expect(lines[4] == "    4           1       1  100.0 %  ▎")
    #expect(lines.last == "150 recordings: 12 without month, 3 with several, which count in each")
  }

  @Test func `two keys are rows and columns with the sum`() throws {
    let rows = [("Wren", 0, 1, 0, 7), ("Wren", 0, 5, 1, 2), ("Robin", 1, 5, 1, 3)].map {
      RecordingCounts.Row(
        count: $4, stored: nil, first: .init(value: .text($0), position: $1),
        second: .init(value: .integer($2), position: $3))
    }
    let lines = try shown(["species", "year"], rows)
    #expect(lines.dropLast() == ["species  all  1  5", "Wren       9  7  2", "Robin      3     3"])
    // A limit is one of lines.
    let first = try shown(["species", "year"], rows, limit: 1)
    #expect(first.dropLast() == ["species  all  1  5", "Wren       9  7  2"])
    #expect(
      lines.last
        == "150 recordings: 12 without species, 3 with several, which count in each, none without year"
    )
  }
}
