/// A kind of audio file. Its name is the extension of a downloaded file.
package enum AudioKind: String, CaseIterable, Sendable {
  case mp3, wav, m4a, m4v, mp4, aac, flac, ogg, oga, opus, aif, aiff, caf, wv, mka, webm

  /// The media type that the file is served with.
  package var mediaType: String {
    Self.mediaTypes.first { $0.kinds.contains(self) }?.names[0] ?? "application/octet-stream"
  }

  /// The kinds of each media type, first the one that servers mean by it, and its names, first the
  /// one that files are served with. Of a kind with two rows, the first says how it is served.
  private static let mediaTypes: [(kinds: [AudioKind], names: [String])] = [
    ([.mp3], ["audio/mpeg", "audio/mp3", "audio/x-mp3", "audio/mpeg3", "audio/x-mpeg"]),
    ([.wav], ["audio/wav", "audio/x-wav", "audio/wave", "audio/vnd.wave", "audio/x-pn-wav"]),
    ([.m4a], ["audio/mp4", "audio/m4a", "audio/x-m4a"]),
    ([.mp4, .m4v], ["video/mp4"]),
    ([.m4v], ["video/x-m4v"]),
    ([.aac], ["audio/aac", "audio/x-aac", "audio/aacp"]),
    ([.flac], ["audio/flac", "audio/x-flac"]),
    ([.ogg, .oga, .opus], ["audio/ogg", "application/ogg", "audio/x-ogg", "audio/vorbis"]),
    ([.opus], ["audio/opus"]),
    ([.aif, .aiff], ["audio/aiff", "audio/x-aiff"]),
    ([.caf], ["audio/x-caf"]),
    ([.wv], ["audio/x-wavpack"]),
    ([.mka], ["audio/x-matroska", "audio/matroska"]),
    ([.webm], ["audio/webm", "video/webm"]),
  ]

  /// Reads the extension of a file name, in any case; `nil` for an extension that is not in the
  /// list.
  package init?(fileExtension: String) { self.init(rawValue: fileExtension.lowercased()) }

  /// Decides by the bytes of a file. Where they leave a choice or are unknown, the media type
  /// decides, then the name.
  ///
  /// - Parameters:
  ///   - mediaType: as a server sent it, in lower case and without parameters; empty if unknown.
  ///   - name: the kind that the file's name says; `nil` if it says none.
  ///   - read: the bytes of the file at an offset, fewer at its end.
  package init(
    mediaType: String, name: AudioKind?, read: (_ offset: Int, _ count: Int) -> [UInt8]
  ) {
    var start = read(0, Self.startSize)
    var offset = 0
    var tags = 0
    // An ID3 tag stands before MP3, and before FLAC and AAC that some programs wrote.
    while start.count >= 10, start.starts(with: "ID3".utf8), tags < Self.tagLimit {
      offset += 10 + start[6..<10].reduce(0) { $0 << 7 | Int($1 & 0x7F) }
      start = read(offset, Self.startSize)
      tags += 1
    }
    var choice = Self.kinds(of: start)
    if choice.isEmpty, tags > 0 { choice = [.mp3] }
    let hints = [Self(mediaType: mediaType), name].compactMap(\.self)
    self = hints.first { choice.isEmpty || choice.contains($0) } ?? choice.first ?? .mp3
  }

  /// The bytes of a file that its kind is read from.
  static let startSize = 64
  private static let tagLimit = 8

  /// The kinds that a file with these first bytes can have, the likeliest first; empty if
  /// the bytes are unknown. Bytes after an ID3 tag are not looked at.
  static func kinds(of start: some Collection<UInt8>) -> [AudioKind] {
    func has(_ text: String, at offset: Int = 0) -> Bool {
      start.dropFirst(offset).starts(with: text.utf8)
    }
    if has("ID3") { return [.mp3, .aac, .flac] }
    if has("RIFF") || has("RF64") || has("RIFX") { return has("WAVE", at: 8) ? [.wav] : [] }
    if has("fLaC") { return [.flac] }
    if has("OggS") { return has("OpusHead", at: 28) ? [.opus, .ogg, .oga] : [.ogg, .oga] }
    if has("ftyp", at: 4) {
      if has("M4A", at: 8) || has("M4B", at: 8) { return [.m4a] }
      return has("M4V", at: 8) ? [.m4v, .mp4] : [.m4a, .m4v, .mp4]
    }
    if has("FORM") { return has("AIFF", at: 8) || has("AIFC", at: 8) ? [.aif, .aiff] : [] }
    if has("caff") { return [.caf] }
    if has("wvpk") { return [.wv] }
    // Matroska and WebM.
    if start.starts(with: [0x1A, 0x45, 0xDF, 0xA3]) { return [.mka, .webm] }
    return frame(Array(start.prefix(4))).map { [$0] } ?? []
  }

  /// The kind that begins with the header of a frame: MPEG audio of layer II or III, or AAC in
  /// ADTS.
  private static func frame(_ bytes: [UInt8]) -> AudioKind? {
    guard bytes.count == 4, bytes[0] == 0xFF else { return nil }
    if bytes[1] & 0xF6 == 0xF0 { return .aac }
    let version = bytes[1] >> 3 & 3
    let layer = bytes[1] >> 1 & 3
    let isFrame =
      bytes[1] & 0xE0 == 0xE0 && version != 1 && (layer == 1 || layer == 2)
      && bytes[2] >> 4 != 15 && bytes[2] >> 2 & 3 != 3
    return isFrame ? .mp3 : nil
  }

  /// The kind that a server means; `nil` for a type of downloads in general, and for an unknown
  /// one.
  private init?(mediaType: String) {
    guard let kinds = Self.mediaTypes.first(where: { $0.names.contains(mediaType) })?.kinds else {
      return nil
    }
    self = kinds[0]
  }
}
