import ChirperModel

extension XenoCanto {
  /// The tags of the service, and of version 2 of its API, that no search tag of chirper's has:
  /// which field of a record answers them.
  static let fieldTags: [String: FieldTag] = [
    "auto": FieldTag(["auto"], .oneOf(["yes", "no"])),
    "seen": FieldTag(["animal-seen", "bird-seen"], .oneOf(["yes", "no"])),
    "playback": FieldTag(["playback-used"], .oneOf(["yes", "no"])),
    "temp": FieldTag(["temp"], .number),
    "smp": FieldTag(["smp"], .number),
    "regnr": FieldTag(["regnr"], .text),
    "dvc": FieldTag(["dvc"], .text),
    "mic": FieldTag(["mic"], .text),
    "time": FieldTag(["time"], .text),
    "uploaded": FieldTag(["uploaded"], .text),
    // A record has the free texts among the types.
    "othertype": FieldTag(
      ["type"],
      .part(
        besides: Set(
          SearchVocabulary.soundTypes + SearchVocabulary.sexes + SearchVocabulary.lifeStages))),
    "colyear": FieldTag([], .unknown),
    "colmonth": FieldTag([], .unknown),
    "id?": FieldTag([], .unknown),
    "len_lt": FieldTag([], .comparison(tag: "len", sign: .below)),
    "len_gt": FieldTag([], .comparison(tag: "len", sign: .above)),
    "q_lt": FieldTag([], .comparison(tag: "q", sign: .below)),
    "q_gt": FieldTag([], .comparison(tag: "q", sign: .above)),
  ]
}
