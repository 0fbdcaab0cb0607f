import ArgumentParser

/// How recordings are written.
enum RecordFormat: String, CaseIterable, ExpressibleByArgument {
  case table, csv, tsv, json, jsonl
}

/// How recordings are exported.
enum ExportFormat: String, CaseIterable, ExpressibleByArgument {
  case csv, tsv, json, jsonl

  var recordFormat: RecordFormat {
    switch self {
    case .csv: .csv
    case .tsv: .tsv
    case .json: .json
    case .jsonl: .jsonl
    }
  }
}
