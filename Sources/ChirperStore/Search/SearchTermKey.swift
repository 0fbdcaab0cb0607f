#if Collection

import ChirperModel

/// The terms of the search index: the question (one byte), and the word or value.
///
/// Values have the letter that `DetailColumn` declares for their column.
struct SearchTermKey: Hashable {
  let rawValue: UInt8

  static let everything = SearchTermKey(rawValue: UInt8(ascii: "*"))
  /// The recordings whose details do not come from a catalogue of chirper's (`OwnMapping`).
  static let mapping = SearchTermKey(rawValue: UInt8(ascii: "@"))
  /// The recordings whose date is an interval: only the recording itself can say which days it has.
  static let interval = SearchTermKey(rawValue: UInt8(ascii: "d"))
  /// The family of the recording (`RecordedNames.family`).
  static let family = SearchTermKey(rawValue: UInt8(ascii: "{"))
  static let licence = SearchTermKey(rawValue: UInt8(ascii: "l"))
  /// The recordings that are copies, by their originals (`RecordingDetails.alsoIn`).
  static let original = SearchTermKey(rawValue: UInt8(ascii: "y"))
  /// The recordings with annotations.
  static let annotated = SearchTermKey(rawValue: UInt8(ascii: "q"))
  static let source = SearchTermKey(rawValue: UInt8(ascii: "s"))
  /// The scientific names that are not in the list of birds (`NameTable`): older names, and those of
  /// other animals. Each is the stem of the epithet, genus and epithet (`Binomial`), and those of the
  /// species that the names of the recording mean (`RecordedNames`), empty if they decide nothing;
  /// between them are zeros.
  static let unlistedName = SearchTermKey(rawValue: UInt8(ascii: "~"))
  /// The text in place of the species if the rest of the store decides
  /// (`RecordedNames.speciesInFamily`).
  static let maybeSpecies = "?"
  /// The words of the texts in which bare words are searched. Each ends with the rank of its column
  /// (`WordRank`) in one byte, which is less than any of a word, so that the terms of a word follow
  /// each other.
  static let word = SearchTermKey(rawValue: UInt8(ascii: "w"))
  /// A part of the last byte of a word that is in no text: several words of one are it together.
  static let joined: UInt8 = 0x10
  /// The greatest last byte of a word.
  static let lastOfWord = joined | UInt8(WordRank.remarks.rawValue)

  /// The recordings with a value that is too long for a term of its own; they must be read
  /// for it.
  var ofLongValues: SearchTermKey { SearchTermKey(rawValue: rawValue & ~0x20) }

  /// The recordings with a value that is not spelled in the default way
  /// (`DetailColumn.defaultSpelling`).
  var ofOtherSpellings: SearchTermKey { SearchTermKey(rawValue: rawValue | 0x80) }

  func term(_ value: some Sequence<UInt8>) -> [UInt8] { [rawValue] + value }

  /// The longest value in bytes. Longer values are under `ofLongValues`.
  static let longestValue = 240
  /// The longest word in bytes. Only the beginning of a longer word is in the index.
  static let longestWord = 64
  /// A byte greater than any byte of UTF-8. Terms with a beginning lie between it and the
  /// beginning followed by this byte.
  static let end: UInt8 = 0xFF

  /// The version of the terms, the columns, and the details and list of birds that they are computed
  /// from. Raise it whenever one of these gives a different value for some recording; every store
  /// then writes its index again.
  static let version: Int64 = 20
}

extension DetailColumn {
  /// The key of the terms of its values; `nil` if these have none.
  var termKey: SearchTermKey? { indexKey.map(SearchTermKey.init) }
}

/// The details by which the index knows the recordings of a catalogue that is not
/// chirper's, or takes the place of one of chirper's. It decides about a recording only for
/// a program that has the catalogue with this version.
struct OwnMapping: Hashable, Sendable {
  /// The catalogue, then a zero and the version. Without a version the index decides nothing.
  let term: [UInt8]
  let isIndexed: Bool

  /// - Parameter version: of `Catalogue.DetailsMapping`; `nil` if the index must not decide.
  init(_ catalogue: CatalogueID, version: Int?) {
    let versioned = version.map { SearchTermKey.mapping.term("\(catalogue)\0\($0)".utf8) }
    isIndexed = versioned.map { $0.count <= SearchTermKey.longestValue } ?? false
    let plain = SearchTermKey.mapping.term(
      catalogue.rawValue.utf8.prefix(SearchTermKey.longestValue))
    term = isIndexed ? versioned ?? plain : plain
  }
}

/// A number or date of every recording of a segment (`DetailColumn.number(of:)`), one after the
/// other.
struct SearchIndexColumn {
  /// The number of the mapping in the store.
  let number: UInt8

  /// Every column with the detail in it, in the order of their names.
  static let all = DetailColumn.allCases.compactMap { detail in
    SearchIndexColumn(detail).map { (column: $0, detail: detail) }
  }
  .sorted { $0.column.number < $1.column.number }

  /// The column of the index with a detail's numbers; `nil` if they are not in the index.
  init?(_ column: DetailColumn) {
    guard let number = column.indexColumn else { return nil }
    self.number = UInt8(number)
  }

  var name: [UInt8] { [0, number] }

  /// The numbers as bytes, after a byte with the width of each. The width is one, two or
  /// four bytes if all numbers are whole and fit; the greatest value then stands for `nan`,
  /// a missing number. Else the numbers have eight bytes and are stored as they are.
  static func bytes(of numbers: [Double]) -> [UInt8] {
    let greatest = numbers.reduce(0.0) {
      max($0, $1.isNaN ? 0 : $1 >= 0 && $1 == $1.rounded() ? $1 : .infinity)
    }
    let width = [1, 2, 4].first { greatest < Double(UInt64(1) << UInt64(8 * $0) - 1) } ?? 8
    var bytes = [UInt8(width)]
    bytes.reserveCapacity(1 + width * numbers.count)
    for number in numbers {
      let bits = width == 8 ? number.bitPattern : number.isNaN ? .max : UInt64(number)
      for byte in 0..<width { bytes.append(UInt8(truncatingIfNeeded: bits >> UInt64(8 * byte))) }
    }
    return bytes
  }

  /// The number of the recording in that row; `nan` if it is unknown.
  @inline(__always)
  static func number(_ bytes: Span<UInt8>, _ row: Int) -> Double {
    guard !bytes.isEmpty, 1 + (row + 1) * Int(bytes[0]) <= bytes.count else { return .nan }
    switch bytes[0] {
    case 1: return double(bytes[1 + row])
    case 2:
      return double(
        UInt16(
          littleEndian: bytes.bytes.unsafeLoadUnaligned(
            fromByteOffset: 1 + row * 2, as: UInt16.self)))
    case 4:
      return double(
        UInt32(
          littleEndian: bytes.bytes.unsafeLoadUnaligned(
            fromByteOffset: 1 + row * 4, as: UInt32.self)))
    case 8:
      return Double(
        bitPattern: UInt64(
          littleEndian: bytes.bytes.unsafeLoadUnaligned(
            fromByteOffset: 1 + row * 8, as: UInt64.self)))
    default: return .nan
    }
  }

  @inline(__always)
  private static func double<Number: FixedWidthInteger>(_ number: Number) -> Double {
    number == .max ? .nan : Double(number)
  }
}

extension RecordingDetails.Licence {
  /// The properties that searches ask for, as one value of the index.
  var indexed: [UInt8] { Array("\(address ?? "")\u{0}\(name)".utf8) }
}

extension SearchLicence {
  func contains(indexed value: some Sequence<UInt8>) -> Bool {
    let parts = value.split(separator: 0, maxSplits: 1, omittingEmptySubsequences: false).map {
      String(decoding: $0, as: UTF8.self)
    }
    guard parts.count == 2 else { return false }
    return contains(name: parts[1], address: parts[0].isEmpty ? nil : parts[0])
  }
}

#endif
