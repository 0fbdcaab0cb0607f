import ChirperModel

/// The terms of the search index: what is asked (one byte), and the word or value.
///
/// Values have the letter that `DetailColumn` declares for their column.
struct SearchTermKey: Hashable {
  let rawValue: UInt8

  static let everything = SearchTermKey(rawValue: UInt8(ascii: "*"))
  /// The recordings of which the index knows nothing, because their catalogue is not one of chirper's.
  static let unknown = SearchTermKey(rawValue: UInt8(ascii: "?"))
  static let licence = SearchTermKey(rawValue: UInt8(ascii: "l"))
  static let source = SearchTermKey(rawValue: UInt8(ascii: "s"))
  static let word = SearchTermKey(rawValue: UInt8(ascii: "w"))

  /// The recordings with a value that is too long for a term of its own: only the recording itself can say what it is.
  var ofLongValues: [UInt8] { [rawValue & ~0x20] }

  func term(_ value: some Sequence<UInt8>) -> [UInt8] { [rawValue] + value }

  /// In bytes. Longer values are under `ofLongValues`.
  static let longestValue = 240
  /// In bytes. Of longer words only the beginning is in the index.
  static let longestWord = 64
  /// No byte of UTF-8 is greater, so terms with a beginning are below that beginning and this.
  static let end: UInt8 = 0xFF

  /// What the index stands for: the terms, the columns, and the details that they are computed from. Raise it whenever one of
  /// these gives another value for some recording; every store then writes its index again.
  static let version: Int64 = 4
}

/// A number or date of every recording, as the index keeps it.
package enum SearchIndexColumn: CaseIterable, Hashable, Sendable {
  /// `DetailColumn.number(of:)`: 32 bits of a date, 0 if it is unknown; 8 bits of a rating, 0 if there is none; else 64 bits of
  /// floating point, `nan` if it is unknown.
  case detail(DetailColumn)
  /// Runs of 64 bits, milliseconds, and 32 bits, how many recordings have this time.
  case storedAt

  package static let allCases = details.map(SearchIndexColumn.detail) + [.storedAt]

  static let details = DetailColumn.allCases.filter { $0.indexColumn != nil }

  /// `nil` for a column whose numbers are not in the index.
  package init?(_ column: DetailColumn) {
    guard column.indexColumn != nil else { return nil }
    self = .detail(column)
  }

  /// How its numbers are kept.
  var form: IndexedNumber {
    switch self {
    case .detail(let column): IndexedNumber(column)
    case .storedAt: .double
    }
  }

  /// Its number in the store.
  package var rawValue: Int {
    switch self {
    case .detail(let column): column.indexColumn ?? 0
    case .storedAt: 9
    }
  }
}

/// How the index keeps the numbers of a column.
enum IndexedNumber {
  case date, rating, double

  init(_ column: DetailColumn) {
    self =
      switch column.type {
      case .date: .date
      case .rating: .rating
      default: .double
      }
  }

  func append(_ number: Double?, to bytes: inout [UInt8]) {
    switch self {
    case .date: Self.append(Int32(number ?? 0), to: &bytes)
    case .rating: bytes.append(UInt8(number ?? 0))
    case .double: Self.append((number ?? .nan).bitPattern, to: &bytes)
    }
  }

  static func append(_ value: some FixedWidthInteger, to bytes: inout [UInt8]) {
    withUnsafeBytes(of: value.littleEndian) { bytes.append(contentsOf: $0) }
  }
}

extension Licence {
  /// The properties that searches ask for, as one value of the index.
  var indexed: [UInt8] { Array("\(spdx ?? "")\u{0}\(url ?? "")\u{0}\(name)".utf8) }
}

extension SearchLicence {
  /// Whether it contains the licence of that value.
  func contains(indexed value: UnsafeBufferPointer<UInt8>) -> Bool {
    let parts = value.split(separator: 0, maxSplits: 2, omittingEmptySubsequences: false).map {
      String(decoding: $0, as: UTF8.self)
    }
    guard parts.count == 3 else { return false }
    return contains(name: parts[2], spdx: parts[0].isEmpty ? nil : parts[0], url: parts[1].isEmpty ? nil : parts[1])
  }
}
