#if Collection

import ChirperModel

/// A sound of a record that can have several; each is a row with the whole record
/// (docs/decisions/0020).
protocol RecordSound {
  /// Distinguishes most sounds of a record; empty if nothing in it does.
  var suffix: String { get set }
  /// The address of the sound as sent; `nil` if none was.
  var address: String? { get }

  /// The sound in an item; `nil` if the item is not a sound.
  ///
  /// - Parameter isWhole: whether more is read than its suffix and its address.
  init?(_ item: RawValue, isWhole: Bool)
}

/// The sounds of records that are stored.
package struct StoredSounds: Sendable {
  /// The ids that are stored.
  let ids: Set<RecordingID>
  /// The stored row of an id.
  let row: @Sendable (RecordingID) -> Recording?

  package init(ids: Set<RecordingID>, row: @escaping @Sendable (RecordingID) -> Recording?) {
    self.ids = ids
    self.row = row
  }

  /// The sounds of a page that was just read: none is stored.
  static let nothing = StoredSounds(ids: []) { _ in nil }
}

/// A fetcher of records that can have several sounds, whose ids depend on what is stored.
package protocol SoundFetcher: PageFetcher {
  /// The ids of a page's records. Those of a record's sounds are its own, a hyphen, and a suffix.
  func records(of page: RecordingPage) -> [String]
  /// The page with the ids that are stored for the addresses of its sounds.
  func identified(_ page: RecordingPage, _ stored: StoredSounds) -> RecordingPage
}

extension RecordSound {
  /// The sounds of a list, in its order; one without a suffix is named by its position.
  ///
  /// - Parameter isWhole: whether more is read than suffixes and addresses.
  static func all(in list: RawValue, isWhole: Bool = true) -> [Self] {
    var sounds: [Self] = []
    list.forEachItem { item in
      guard var sound = Self(item, isWhole: isWhole) else { return }
      if sound.suffix.isEmpty { sound.suffix = "s\(sounds.count + 1)" }
      sounds.append(sound)
    }
    return sounds
  }

  static func one(of sounds: [Self], id: RecordingID) -> Self? {
    guard sounds.count > 1 else { return sounds.first }
    let suffix = id.value.split(separator: "-", maxSplits: 1).dropFirst().first ?? ""
    if let sound = sounds.first(where: { $0.suffix == suffix }) { return sound }
    let isLong = suffix.utf8.count == longSuffixLength
    return (isLong ? sounds.first { $0.longSuffix == suffix } : nil) ?? sounds.first
  }

  /// The suffix of a sound whose `suffix` a different sound of the record has: sixteen hexadecimal
  /// digits of a hash of the whole address without its scheme.
  private var longSuffix: String {
    guard let address else { return suffix }
    let text = Array(address.utf8)[...]
    let hash = StableHash.fnv1a(Array(text.afterScheme ?? text))
    return String(hexadecimal: hash, digits: longSuffixLength)
  }

  /// A row for each sound in that field of the records; a record without a sound is a row alone. A
  /// row's id is that of the record, a hyphen, and the sound's suffix.
  ///
  /// An address that comes twice is one sound. A sound beyond the limit is left out and counted:
  /// the fields of its record have it.
  static func rows(
    of records: [Recording], in field: String
  ) -> (rows: [Recording], leftOut: Int) {
    var rows: [Recording] = []
    var leftOut = 0
    for record in records {
      let found = Self.rows(of: record.id, record.fields, in: field, .nothing)
      rows += found.rows
      leftOut += found.leftOut
    }
    return (rows, leftOut)
  }

  /// The ids of the records of rows, each once.
  static func records(of rows: [Recording]) -> [String] { Array(Set(rows.map(recordID(of:)))) }

  /// The rows of the same records, with the ids that are stored for their addresses.
  static func identified(
    _ rows: [Recording], in field: String, _ stored: StoredSounds
  ) -> [Recording] {
    firstRows(of: rows).flatMap {
      let record = RecordingID(catalogue: $0.id.catalogue, value: recordID(of: $0))
      return Self.rows(of: record, $0.fields, in: field, stored).rows
    }
  }

  /// The first of the rows of each record; a record that comes twice has two.
  private static func firstRows(of rows: [Recording]) -> [Recording] {
    var record: String?
    var seen: Set<RecordingID> = []
    return rows.filter { row in
      if recordID(of: row) == record, seen.insert(row.id).inserted { return false }
      record = recordID(of: row)
      seen = [row.id]
      return true
    }
  }

  private static func recordID(of row: Recording) -> String {
    String(row.id.value.utf8.prefix { $0 != UInt8(ascii: "-") }) ?? row.id.value
  }

  private static func id(of record: RecordingID, _ suffix: String) -> RecordingID {
    RecordingID(catalogue: record.catalogue, value: "\(record.value)-\(suffix)")
  }

  private static func rows(
    of record: RecordingID, _ fields: RecordingFields, in field: String, _ stored: StoredSounds
  ) -> (rows: [Recording], leftOut: Int) {
    let all = fields[field]?.withRaw { Self.all(in: $0, isWhole: false) } ?? []
    // Nearly every record has one sound.
    if all.count == 1, stored.ids.isEmpty {
      return ([Recording(id: id(of: record, all[0].suffix), fields: fields)], 0)
    }
    var seen: Set<String> = []
    let sounds = all.filter { seen.insert("\($0.suffix) \($0.longSuffix)").inserted }
    guard !sounds.isEmpty else { return ([Recording(id: record, fields: fields)], 0) }
    let groups = Dictionary(grouping: sounds.indices) { sounds[$0].suffix }
    // Rows that may be stored already come first: only others may be beyond the limit.
    let named = groups.mapValues { owner(of: $0, sounds, record, in: field, stored) }
    let owners = sounds.indices.filter { named[sounds[$0].suffix] == $0 }
    let others = sounds.indices.filter { named[sounds[$0].suffix] != $0 }
    let limit = min(soundLimit, max(1, soundRowBytes / max(1, fields.bytes.count)))
    let chosen = (owners + others).prefix(limit).sorted()
    let rows = chosen.map { index in
      let sound = sounds[index]
      guard named[sound.suffix] == index else {
        return Recording(id: id(of: record, sound.longSuffix), fields: fields)
      }
      // The fields alone say which sound an id means: the first with its suffix.
      let first = groups[sound.suffix]?.first ?? index
      let own =
        first == index ? fields : moving(sound, before: sounds[first], in: field, of: fields)
      return Recording(id: id(of: record, sound.suffix), fields: own)
    }
    return (rows, sounds.count - chosen.count)
  }

  /// The index of the one of the sounds with a suffix that has the id of that suffix; `nil`
  /// if each has a different id that is stored.
  private static func owner(
    of group: [Int], _ sounds: [Self], _ record: RecordingID, in field: String,
    _ stored: StoredSounds
  ) -> Int? {
    let short = id(of: record, sounds[group[0]].suffix)
    if group.count > 1, stored.ids.contains(short), let row = stored.row(short),
      let known = row.fields[field]?.withRaw({ one(of: all(in: $0, isWhole: false), id: short) }),
      let same = group.first(where: { sounds[$0].longSuffix == known.longSuffix })
    {
      return same
    }
    return group.first { !stored.ids.contains(id(of: record, sounds[$0].longSuffix)) }
  }

  /// The fields with a sound moved before a different one.
  private static func moving(
    _ sound: Self, before other: Self, in field: String, of fields: RecordingFields
  ) -> RecordingFields {
    func position(of wanted: Self) -> Int? {
      fields[field]?.withRaw { list in
        var position = 0
        var found: Int?
        list.forEachItem { item in
          if found == nil, let sound = Self(item, isWhole: false),
            sound.longSuffix == wanted.longSuffix
          {
            found = position
          }
          position += 1
        }
        return found
      }
    }
    guard let from = position(of: sound), let to = position(of: other) else { return fields }
    return fields.moving(itemAt: from, to: to, of: field)
  }
}

extension ArraySlice<UInt8> {
  /// What comes after the first two slashes in a row; `nil` without them.
  var afterScheme: Self? {
    var isSlash = false
    for at in indices {
      let byte = self[at]
      if isSlash, byte == UInt8(ascii: "/") { return self[index(after: at)...] }
      isSlash = byte == UInt8(ascii: "/")
    }
    return nil
  }
}

private let longSuffixLength = 16

/// The most sounds of one record that become rows. Each row has the whole record, so 5,000
/// sounds in 250 kB would be 1.2 GB.
let soundLimit = 200

/// The most bytes that the rows of one record have together, if it has more than one row.
private let soundRowBytes = 8 << 20

#endif
