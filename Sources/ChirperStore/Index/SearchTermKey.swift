import ChirperModel

/// The terms of the search index: what is asked (one byte), and the word or value.
enum SearchTermKey: UInt8 {
  case everything = 0x2A  // *
  /// The recordings of which the index knows nothing, because their catalogue is not one of chirper's.
  case unknown = 0x3F  // ?
  case lifeStage = 0x61  // a
  case background = 0x62
  case country = 0x63
  case epithet = 0x65
  case genus = 0x67
  case licence = 0x6C
  case method = 0x6D
  case scientificName = 0x6E
  case locality = 0x6F
  case recordist = 0x70
  case group = 0x72
  case source = 0x73
  case soundType = 0x74
  case subspecies = 0x75
  case englishName = 0x76
  case word = 0x77
  case sex = 0x78

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
  static let version: Int64 = 2
}

/// A number or date of every recording, as the index keeps it.
package enum SearchIndexColumn: Int, CaseIterable, Sendable {
  /// 64-bit floating point; `nan` where it is unknown. `number` is the digits of the catalogue number.
  case duration = 1
  case number, latitude, longitude, elevation
  /// 32 bits (`PartialDate.packed`); 0 where it is unknown.
  case eventDate, uploaded
  /// 8 bits: 1 for A to 5 for E; 0 where it is unknown.
  case quality
  /// Runs of 64 bits, milliseconds, and 32 bits, how many recordings have this time.
  case storedAt
}

extension PartialDate {
  /// A number with the same order; unknown parts are 0.
  package var packed: Int32 { Int32(year << 9 | (month ?? 0) << 5 | (day ?? 0)) }
}

extension Quality {
  /// From 1 for A to 5 for E.
  package var rank: UInt8 { (rawValue.utf8.first ?? 0x40) - 0x40 }
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
