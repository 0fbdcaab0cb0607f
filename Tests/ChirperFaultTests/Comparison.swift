import ChirperModel
import Testing

/// Holds a repaired database against every row that plain SELECTs read out of the damaged one.
struct Comparison {
  let damaged: RawDatabase
  let repaired: RawDatabase
  let what: String

  private typealias Value = RawDatabase.Value

  func check() {
    let recordings = checkRecordings()
    let queries = checkQueries()
    let pages = Set(repaired.table("page").map { Array($0[0...1]) })
    for row in damaged.table("page") where queries.contains(row[0]) {
      guard let number = row[1].int, (1..<1 << 40).contains(number), let walk = row[2].int, walk > 0
      else { continue }
      #expect(pages.contains(Array(row[0...1])), "page \(row) is missing; \(what)")
    }
    let catalogues = Dictionary(
      repaired.table("recording").map { ($0[0], $0[1]) }, uniquingKeysWith: { first, _ in first })
    let owners = Dictionary(
      repaired.table("query").map { ($0[0], $0[1]) }, uniquingKeysWith: { first, _ in first })
    let entries = Set(repaired.table("entry").map { [$0[0], $0[3]] })
    for row in damaged.table("entry")
    where queries.contains(row[0]) && recordings.contains(row[3])
      && catalogues[row[3]] == owners[row[0]]
    {
      guard let page = row[1].int, page > 0 else { continue }
      #expect(entries.contains([row[0], row[3]]), "row \(row) is missing; \(what)")
    }
    let departures = Set(repaired.table("departure").map { Array($0[0...1]) })
    for row in damaged.table("departure")
    where queries.contains(row[1]) && recordings.contains(row[0]) {
      #expect(departures.contains(Array(row[0...1])), "departure \(row) is missing; \(what)")
    }
  }

  /// Gives the keys of the recordings in the repaired database.
  private func checkRecordings() -> Set<Value> {
    var fields: [Value: String] = [:]
    var ids: Set<[Value]> = []
    for row in repaired.table("recording") {
      fields[row[0]] = row[3].text
      ids.insert(Array(row[1...2]))
    }
    for row in damaged.table("recording") {
      guard let id = row[2].text, !id.isEmpty, let text = row[3].text, row[1].int != nil else {
        continue
      }
      // Two rows that the damage gave one key or one id cannot both be kept.
      #expect(
        fields[row[0]] != nil || ids.contains(Array(row[1...2])),
        "recording \(id) is missing; \(what)")
      guard let kept = fields[row[0]], ids.contains(Array(row[1...2])) else { continue }
      let canonical = (try? RecordingFields(json: text))?.json
      if let canonical {
        // Of two rows with one key the first counts.
        #expect(kept == canonical || isTwice(row[0]), "recording \(id) is not as it was; \(what)")
      } else {
        #expect(
          kept.hasPrefix(#"{"id":"#) && kept.contains("unreadable") || isTwice(row[0]), "\(what)")
      }
    }
    return Set(fields.keys)
  }

  private func isTwice(_ key: Value) -> Bool {
    damaged.table("recording").count { $0[0] == key } > 1
  }

  private func checkQueries() -> Set<Value> {
    let rows = repaired.table("query")
    let words = Set(rows.map { Array($0[1...3]) })
    for row in damaged.table("query") {
      guard let text = row[2].text, !text.isEmpty, row[1].int != nil, let size = row[3].int,
        (1..<1 << 40).contains(size)
      else {
        continue
      }
      #expect(
        words.contains(Array(row[1...3])) || rows.contains { $0[0] == row[0] },
        "query \(row) is missing; \(what)")
    }
    return Set(rows.map { $0[0] })
  }
}
