import ArgumentParser

/// How recordings are written.
enum RecordFormat: String, CaseIterable, ExpressibleByArgument {
  case table, csv, tsv, json, jsonl
}

/// How recordings are exported.
enum ExportFormat: String, CaseIterable, ExpressibleByArgument {
  case csv, tsv, json, jsonl

  /// The format that a file's name ends in; `nil` where it names none.
  init?(ending path: String) {
    guard let dot = path.lastIndex(of: ".") else { return nil }
    self.init(rawValue: path[path.index(after: dot)...].lowercased())
  }

  var recordFormat: RecordFormat {
    switch self {
    case .csv: .csv
    case .tsv: .tsv
    case .json: .json
    case .jsonl: .jsonl
    }
  }
}
