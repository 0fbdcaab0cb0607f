// Unsafe memory: the names are read where they are in the program.

import EmbeddedNames

/// The list of the species of birds that is in the program, and where a name is in it. Nothing but
/// the families is kept in memory. `scripts/names` writes the list, and says how it is laid out.
package enum NameTable {
  /// The name of the list with its year.
  package static var title: String { String(cString: chirper_names().title) }

  /// The sentence that credits the list, as its licence asks.
  package static var credit: String {
    let identifier = title.lowercased().replacing(" ", with: ".")
    return "Names of birds: \(title), AviList Core Team, https://doi.org/10.2173/\(identifier), "
      + "CC BY 4.0 (https://creativecommons.org/licenses/by/4.0/)."
  }

  /// The number of species.
  static var count: Int { number(0) }

  /// The bytes of the list.
  static var bytes: UnsafeBufferPointer<UInt8> {
    let list = chirper_names()
    return UnsafeBufferPointer(start: list.bytes, count: list.count)
  }

  // MARK: Look-ups

  /// The species with that scientific name, genus and epithet, whatever its case, accents and
  /// hyphens.
  package static func species(named scientificName: String) -> BirdSpecies? {
    let wanted = TextFolding.folded(scientificName.utf8).filter { $0 != UInt8(ascii: "-") }
    let place = firstPlace(in: .scientific, from: wanted)
    guard place < count, entry(.scientific, place).name == wanted else { return nil }
    return BirdSpecies(number: place)
  }

  /// The species with that English name, whatever its case, accents, hyphens and apostrophes; gray
  /// is grey.
  package static func species(englishName: String) -> BirdSpecies? {
    let wanted = letters(of: englishName.utf8)
    guard !wanted.isEmpty else { return nil }
    let place = firstPlace(in: .english, from: wanted)
    guard place < count, case let found = entry(.english, place), found.name == wanted else {
      return nil
    }
    return BirdSpecies(number: found.further)
  }

  /// The species of a genus; empty if no species has it.
  package static func species(ofGenus genus: String) -> [BirdSpecies] {
    let beginning = TextFolding.folded(genus.utf8) + [UInt8(ascii: " ")]
    var place = firstPlace(in: .scientific, from: beginning)
    var found: [BirdSpecies] = []
    while place < count, entry(.scientific, place).name.starts(with: beginning) {
      found.append(BirdSpecies(number: place))
      place += 1
    }
    return found
  }

  /// The species whose epithet has that stem.
  static func species(withStem stem: [UInt8]) -> [BirdSpecies] {
    let stems = part(7)
    func listed(_ index: Int) -> BirdSpecies {
      BirdSpecies(number: number(stems + 2 * index, width: 2))
    }
    var index = (0..<count).firstPosition { !listed($0).stem.lexicographicallyPrecedes(stem) }
    var found: [BirdSpecies] = []
    while index < count, case let species = listed(index), species.stem == stem {
      found.append(species)
      index += 1
    }
    return found
  }

  #if Collection
  /// The scientific and English names that begin with a text, whatever its case, accents, hyphens and
  /// apostrophes, each kind in its order; at most `limit` of each.
  package static func names(beginningWith text: String, limit: Int) -> [String] {
    let beginning = NameBeginning(text)
    return [(Names.scientific, TextFolding.folded(text.utf8)), (.english, letters(of: text))]
      .flatMap { names, key -> [String] in
        var found: [String] = []
        var place = firstPlace(in: names, from: key)
        while !key.isEmpty, found.count < limit, place < count,
          case let name = self.text(names, place).name, names.key(name).starts(with: key)
        {
          let name = String(decoding: name, as: UTF8.self)
          if beginning.isBeginning(of: name) { found.append(name) }
          place += 1
        }
        return found
      }
  }
  #endif

  // MARK: Keys

  /// The letters of a name, to compare English names.
  static func letters(of name: String) -> [UInt8] { letters(of: name.utf8) }

  /// The letters and digits of a name without accents, with gray as grey.
  static func letters(of name: some Sequence<UInt8>) -> [UInt8] {
    var letters: [UInt8] = []
    for byte in TextFolding.folded(name) where isLetter(byte) {
      if byte == UInt8(ascii: "y"), letters.suffix(3).elementsEqual("gra".utf8) {
        letters[letters.count - 1] = UInt8(ascii: "e")
      }
      letters.append(byte)
    }
    return letters
  }

  private static func isLetter(_ byte: UInt8) -> Bool {
    byte > 0x60 && byte < 0x7B || byte > 0x2F && byte < 0x3A
  }

  /// An epithet without its ending of gender and number: `melanocephal` of *melanocephala* and
  /// *melanocephalus*.
  static func stem(of epithet: some Sequence<UInt8>) -> [UInt8] {
    let letters = letters(of: epithet)
    if letters.suffix(2).elementsEqual("er".utf8) {
      return letters.dropLast(2) + [UInt8(ascii: "r")]
    }
    for ending in endings where letters.suffix(ending.count).elementsEqual(ending) {
      if letters.count - ending.count >= 3 { return letters.dropLast(ending.count) }
    }
    return letters
  }

  /// The part of a stem that each epithet with it has as it stands: `nig` of *niger* and *nigra*,
  /// whose stem is `nigr`.
  package static func commonPart(ofStem stem: [UInt8]) -> [UInt8] {
    stem.last == UInt8(ascii: "r") ? Array(stem.dropLast()) : stem
  }

  /// Written so in `scripts/names` too.
  private static let endings = [
    "orum", "arum", "us", "um", "is", "es", "os", "on", "or", "ae", "ii", "a", "e", "i", "x",
  ].map { Array($0.utf8) }

  // MARK: Layout

  fileprivate enum Names: Int {
    case scientific = 2
    case english = 4

    /// The bytes of the number that follows a name.
    var width: Int { self == .scientific ? 1 : 2 }

    func key(_ name: [UInt8]) -> [UInt8] {
      self == .scientific ? TextFolding.folded(name) : letters(of: name)
    }

    /// Whether a name is before those with that key.
    func isBefore(_ key: [UInt8], _ name: some Collection<UInt8>) -> Bool {
      // A scientific name has letters and a space, which has the bit of small letters.
      self == .scientific
        ? name.lazy.map { $0 | 0x20 }.lexicographicallyPrecedes(key)
        : letters(of: name).lexicographicallyPrecedes(key)
    }
  }

  private static let blockSize = 16

  private static func number(_ offset: Int, width: Int = 4) -> Int {
    (0..<width).reduce(0) { $0 | Int(bytes[offset + $1]) << (8 * $1) }
  }

  /// The position where a part begins, from 1.
  private static func part(_ index: Int) -> Int { number(4 * index) }

  /// The first place with this key or a greater one.
  private static func firstPlace(in names: Names, from key: [UInt8]) -> Int {
    let blocks = (count + blockSize - 1) / blockSize
    let bytes = bytes
    let starts = part(names.rawValue)
    let first = part(names.rawValue + 1)
    // The first name of a block is whole.
    let next = (0..<blocks).firstPosition { block in
      let name = first + number(starts + 4 * block)
      return !names.isBefore(key, bytes[(name + 2)..<(name + 2 + Int(bytes[name + 1]))])
    }
    let end = min(next * blockSize, count)
    guard next > 0 else { return 0 }
    var place = (next - 1) * blockSize
    _ = text(of: names, inBlock: next - 1, through: end - 1) { name in
      guard names.isBefore(key, name) else { return false }
      place += 1
      return true
    }
    return place
  }

  /// The key at a place, and the number that follows the name.
  private static func entry(_ names: Names, _ place: Int) -> (name: [UInt8], further: Int) {
    let (name, further) = text(names, place)
    return (names.key(name), further)
  }

  fileprivate static func text(_ names: Names, _ place: Int) -> (name: [UInt8], further: Int) {
    text(of: names, inBlock: place / blockSize, through: place) { _ in true }
  }

  /// The name at a place, and the number that follows it, or the first of its block for which
  /// `goesOn` is false.
  private static func text(
    of names: Names, inBlock block: Int, through last: Int, while goesOn: ([UInt8]) -> Bool
  ) -> (name: [UInt8], further: Int) {
    let bytes = bytes
    var at = part(names.rawValue + 1) + number(part(names.rawValue) + 4 * block)
    var name: [UInt8] = []
    var further = 0
    for _ in (block * blockSize)...last {
      let end = at + 2 + Int(bytes[at + 1])
      name.removeSubrange(Int(bytes[at])...)
      name += bytes[(at + 2)..<end]
      at = end + names.width
      further = number(end, width: names.width)
      guard goesOn(name) else { break }
    }
    return (name, further)
  }

  fileprivate static func englishName(_ number: Int) -> String {
    let place = Self.number(part(6) + 2 * number, width: 2)
    return String(decoding: text(.english, place).name, as: UTF8.self)
  }

  /// The families, each with its order.
  static let families: [(name: String, order: String)] =
    bytes[part(1)..<part(2)].split(separator: UInt8(ascii: "\n")).map { line in
      let words = line.split(separator: UInt8(ascii: " ")).map {
        String(decoding: $0, as: UTF8.self)
      }
      return (words[0], words[1])
    }

  #if Collection
  /// The families that are spelled nearly as the text; empty if one begins with it.
  static func families(near typed: String) -> [String] {
    guard let text = SearchText(value: typed, .prefix),
      !families.contains(where: { text.matches($0.name) })
    else { return [] }
    return NearestNames.to(TextFolding.folded(typed), among: families.map(\.name))
  }
  #endif
}

/// A species of the list (`NameTable`).
package struct BirdSpecies: Hashable, Sendable {
  /// The place of the species by scientific name.
  package let number: Int

  /// Genus and epithet.
  package var scientificName: String {
    String(decoding: NameTable.text(.scientific, number).name, as: UTF8.self)
  }

  package var englishName: String { NameTable.englishName(number) }

  package var family: String { NameTable.families[familyNumber].name }

  var order: String { NameTable.families[familyNumber].order }

  /// The number of the family; the same for all species of it.
  var familyNumber: Int { NameTable.text(.scientific, number).further }

  /// The stem of its epithet.
  package var stem: [UInt8] {
    let name = NameTable.text(.scientific, number).name
    return NameTable.stem(of: name.drop { $0 != UInt8(ascii: " ") })
  }
}
