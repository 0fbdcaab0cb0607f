#if Collection

import ChirperModel
import ChirperStore

/// The values of sort keys as the search index has them.
struct IndexedOrder {
  /// The values of each key.
  private(set) var values: [IndexedValues] = []
  /// The positions of rows, ascending, that must be read to be ordered.
  private(set) var unknown: [Int] = []

  /// - Parameters:
  ///   - keys: all of which the index has.
  ///   - read: the values in the columns of all keys, one after the other.
  ///   - names: the language of names; `nil` for English.
  init(
    _ keys: [SortKey.Resolved], _ read: [IndexedValues], count: Int, _ names: ShownNames?
  ) throws(StoreError) {
    var read = read[...]
    var unknown: Set<Int> = []
    for key in keys {
      guard let first = read.popFirst() else { return }
      guard key.indexed?.count == 2, let second = read.popFirst() else {
        values.append(first)
        continue
      }
      var order = NameOrder(names: names)
      for position in 0..<count {
        let isKnown = try order.append(
          own: first.text(at: position), scientific: second.text(at: position))
        if !isKnown { unknown.insert(position) }
      }
      values.append(order.values)
    }
    self.unknown = unknown.sorted()
  }
}

/// The names for people of rows, as their English and scientific names decide them.
private struct NameOrder {
  let names: ShownNames?
  var texts: [String] = []
  var positions: [Int32] = []
  var numbers: [String: Int32] = [:]
  /// Names by scientific names; `nil` for one that is not in the list of birds.
  var species: [String: (chosen: String?, english: String)?] = [:]

  var values: IndexedValues { .texts(texts, positions: positions) }

  /// Appends the name of a row; `false` if the two texts do not decide it.
  mutating func append(own: String?, scientific: String?) throws(StoreError) -> Bool {
    var species: (chosen: String?, english: String)?
    if let scientific, names != nil || own == nil { species = try self.species(named: scientific) }
    let name = species?.chosen ?? own ?? species?.english
    let isKnown = species != nil || names == nil && own != nil
    positions.append(isKnown ? name.map { number(of: $0) } ?? -1 : -1)
    return isKnown
  }

  private mutating func number(of name: String) -> Int32 {
    if let number = numbers[name] { return number }
    texts.append(name)
    numbers[name] = Int32(texts.count - 1)
    return Int32(texts.count - 1)
  }

  private mutating func species(
    named scientific: String
  ) throws(StoreError) -> (chosen: String?, english: String)? {
    if let known = species[scientific] { return known }
    let listed = NameTable.species(named: scientific)
    let chosen = try listed.flatMap { species throws(StoreError) in
      try names?.name(ofSpecies: species.scientificName)
    }
    let found = listed.map {
      (chosen: chosen.map(TextFolding.folded), english: TextFolding.folded($0.englishName))
    }
    species[scientific] = .some(found)
    return found
  }
}

#endif
