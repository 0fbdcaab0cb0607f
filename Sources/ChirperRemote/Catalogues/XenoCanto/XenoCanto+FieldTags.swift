#if Collection

import ChirperModel

extension XenoCanto {
  /// The tags of the service, and of version 2 of its API, that no search tag of chirper's has:
  /// which field of a record answers them.
  static let fieldTags: [String: FieldTag] = [
    "auto": .field(["auto"], .oneOf(["yes", "no"])),
    "seen": .field(["animal-seen", "bird-seen"], .oneOf(["yes", "no"])),
    "playback": .field(["playback-used"], .oneOf(["yes", "no"])),
    "temp": .field(["temp"], .number),
    "smp": .field(["smp"], .number),
    "regnr": .field(["regnr"], .text),
    "dvc": .field(["dvc"], .text),
    "mic": .field(["mic"], .text),
    "time": .field(["time"], .text),
    "uploaded": .field(["uploaded"], .text),
    // A record has the free texts among the types.
    "othertype": .field(
      ["type"],
      .parts(
        besides: Set(
          SearchVocabulary.soundTypes + SearchVocabulary.sexes + SearchVocabulary.lifeStages))),
    "colyear": .unanswered,
    "colmonth": .unanswered,
    "id?": .unanswered,
    "len_lt": .compared(.len, .below),
    "len_gt": .compared(.len, .above),
    "q_lt": .compared(.q, .below),
    "q_gt": .compared(.q, .above),
  ]
}

#endif
