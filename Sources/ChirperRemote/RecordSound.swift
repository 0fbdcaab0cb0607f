import ChirperModel

/// A sound of a record that can have several; each is a row with the whole record (docs/decisions/0020).
protocol RecordSound {
  /// Distinguishes the sounds of a record; empty if nothing in it does.
  var suffix: String { get set }

  /// `nil` if the item is no sound.
  init?(_ item: RawValue)
}

extension RecordSound {
  /// The sounds of a list, in its order; one without a suffix is named by its place.
  static func all(in list: RawValue) -> [Self] {
    var sounds: [Self] = []
    list.forEachItem { item in
      guard var sound = Self(item) else { return }
      if sound.suffix.isEmpty { sound.suffix = "s\(sounds.count + 1)" }
      sounds.append(sound)
    }
    return sounds
  }

  static func one(of sounds: [Self], id: RecordingID) -> Self? {
    let suffix = id.value.split(separator: "-", maxSplits: 1).dropFirst().first ?? ""
    return sounds.first { $0.suffix == suffix } ?? sounds.first
  }

  /// A row for each sound in that field of the records; a record without a sound is a row alone. A row's id is that of the
  /// record, a hyphen, and the sound's suffix.
  ///
  /// A sound beyond the limit, or with the id of one before it, is left out and counted: the fields of its record have it.
  static func rows(of records: [Recording], in field: String) -> (rows: [Recording], leftOut: Int) {
    var rows: [Recording] = []
    var leftOut = 0
    for record in records {
      let suffixes = record[field]?.withRaw(all(in:)).map(\.suffix) ?? []
      var seen: Set<String> = []
      for suffix in suffixes where seen.count < soundLimit && seen.insert(suffix).inserted {
        let id = RecordingID(catalogue: record.id.catalogue, value: "\(record.id.value)-\(suffix)")
        rows.append(Recording(id: id, fields: record.fields))
      }
      if suffixes.isEmpty { rows.append(record) }
      leftOut += suffixes.count - seen.count
    }
    return (rows, leftOut)
  }
}

/// More sounds of one record become no rows, because each row has the whole record: 5,000 sounds in 250 kB would be 1.2 GB.
let soundLimit = 200
