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

  /// The sound that the recording is.
  static func one(of sounds: [Self], id: RecordingID) -> Self? {
    let suffix = id.value.split(separator: "-", maxSplits: 1).dropFirst().first ?? ""
    return sounds.first { $0.suffix == suffix } ?? sounds.first
  }

  /// A row for each sound in that field of a record; the record alone if it has no sound. A row's id is that of the record, a
  /// hyphen, and the sound's suffix.
  static func rows(of record: Recording, in field: String) -> [Recording] {
    var seen: Set<String> = []
    let rows = (record[field]?.withRaw(all(in:)) ?? []).filter { seen.insert($0.suffix).inserted }.map { sound in
      Recording(
        id: RecordingID(catalogue: record.id.catalogue, value: "\(record.id.value)-\(sound.suffix)"), fields: record.fields)
    }
    return rows.isEmpty ? [record] : rows
  }
}
