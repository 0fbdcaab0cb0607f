#if Collection

/// The kind of an item of a record's media.
package enum MediaKind {
  /// Whether an item is a sound. Its format decides, else its type, else the ending of its address.
  ///
  /// Archives have `Sound`, `Sound Recording`, `audio` and addresses of terms as types, `mp3` as a
  /// format, the type in the column of the format and the other way round, and `StillImage` as the
  /// type of every item.
  package static func isSound(format: String?, type: String?, address: String?) -> Bool {
    // As GBIF's service sends it.
    if type == "Sound", format == nil || format == "audio/mpeg" { return true }
    return [format, type].lazy.compactMap { $0.flatMap(isSound) }.first ?? endsAsSound(address)
  }

  /// Whether a format or a type is that of sounds; `nil` if it says nothing about it.
  private static func isSound(_ text: String) -> Bool? {
    let text = text.lowercased()
    func has(_ words: [String]) -> Bool { words.contains { text.contains($0) } }
    if has(["audio", "sound"]) || endings.contains(text[...].dropDot) { return true }
    return has(["image", "video", "photo"]) ? false : nil
  }

  private static func endsAsSound(_ address: String?) -> Bool {
    let file = (address ?? "").lowercased().prefix { !"?#".contains($0) }
    return file.lastIndex(of: ".").map { endings.contains(file[$0...].dropDot) } ?? false
  }

  private static let endings: Set<Substring> = [
    "aac", "aif", "aiff", "amr", "au", "flac", "m4a", "mp2", "mp3", "oga", "ogg", "opus", "wav",
    "wave", "wma",
  ]
}

extension Substring {
  /// The text without a dot before it.
  fileprivate var dropDot: Substring { first == "." ? dropFirst() : self }
}

#endif
