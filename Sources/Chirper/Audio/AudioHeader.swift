#if Collection

import Foundation

/// The header of an audio file: WAVE, FLAC, MP3, and AAC in an MP4 file, which are the
/// kinds that catalogues serve.
package struct AudioHeader: Hashable, Sendable {
  /// The length in seconds; more than 0.
  package let duration: Double
  /// The sample rate in hertz.
  package let sampleRate: Int
  /// 2 for stereo.
  package let channels: Int

  /// Reads a file's header; `nil` if the file cannot be read, is of a different kind, or
  /// has impossible values.
  package init?(path: String) {
    guard let file = DownloadedAudioFile(path: path), let start = file.bytes(at: 0, 12) else {
      return nil
    }
    let found: AudioHeader? =
      if start.starts(with: "RIFF".utf8) {
        AudioHeader(wave: file)
      } else if start.starts(with: "fLaC".utf8) {
        AudioHeader(flac: file)
      } else if start.dropFirst(4).starts(with: "ftyp".utf8) {
        AudioHeader(mp4: file)
      } else {
        AudioHeader(mp3: file)
      }
    guard let found else { return nil }
    self = found
  }

  private init?(duration: Double, sampleRate: Int, channels: Int) {
    guard duration.isFinite, duration > 0, sampleRate > 0, channels > 0 else { return nil }
    self.duration = duration
    self.sampleRate = sampleRate
    self.channels = channels
  }

  /// Multimedia Programming Interface and Data Specifications 1.0: chunks with a name and a length,
  /// the least significant byte first.
  private init?(wave file: DownloadedAudioFile) {
    var at = 12
    var format = [UInt8]()
    while let head = file.bytes(at: at, 8) {
      let size = Int(head[4...].littleEndian)
      if head.starts(with: "fmt ".utf8) { format = file.bytes(at: at + 8, 16) ?? [] }
      if head.starts(with: "data".utf8), !format.isEmpty {
        // A recorder that lost power leaves a length that is too large, or none.
        let bytes = min(size == 0 ? .max : size, file.size - at - 8)
        self.init(
          duration: Double(bytes) / Double(format[8..<12].littleEndian),
          sampleRate: Int(format[4..<8].littleEndian),
          channels: Int(format[2..<4].littleEndian))
        return
      }
      at += 8 + size + size % 2
    }
    return nil
  }

  /// RFC 9639, section 8.2: 20 bits of sample rate, 3 of channels less one, 5 of depth, 36 of
  /// samples.
  private init?(flac file: DownloadedAudioFile) {
    guard let info = file.bytes(at: 18, 8) else { return nil }
    let bits = info.bigEndian
    let rate = Int(bits >> 44)
    self.init(
      duration: Double(bits & 0xF_FFFF_FFFF) / Double(rate), sampleRate: rate,
      channels: Int(bits >> 41 & 7) + 1)
  }

  /// ISO/IEC 14496-12: boxes with a length and a name. The sound is that of the first track with an
  /// `mp4a` entry.
  private init?(mp4 file: DownloadedAudioFile) {
    guard let movie = file.box(["moov"], in: 0..<file.size) else { return nil }
    for track in file.boxes("trak", in: movie) {
      guard let media = file.box(["mdia"], in: track),
        let head = file.box(["mdhd"], in: media)?.lowerBound,
        let isLong = file.bytes(at: head, 1).map({ $0 == [1] }),
        let scale = file.bytes(at: head + (isLong ? 20 : 12), 4)?.bigEndian,
        let length = file.bytes(at: head + (isLong ? 24 : 16), isLong ? 8 : 4)?.bigEndian,
        let entries = file.box(["minf", "stbl", "stsd"], in: media), entries.count > 8,
        let entry = file.box(["mp4a"], in: (entries.lowerBound + 8)..<entries.upperBound),
        let sound = file.bytes(at: entry.lowerBound, 28)
      else { continue }
      self.init(
        duration: Double(length) / Double(scale), sampleRate: Int(sound[24..<26].bigEndian),
        channels: Int(sound[16..<18].bigEndian))
      return
    }
    return nil
  }

  /// ISO/IEC 11172-3 and 13818-3, layer III. The `Xing` or `Info` header in the first frame has the
  /// number of frames; without one they are counted.
  private init?(mp3 file: DownloadedAudioFile) {
    var at = 0
    while let tag = file.bytes(at: at, 10), tag.starts(with: "ID3".utf8) {
      at += 10 + tag[6...].reduce(0) { $0 << 7 | Int($1 & 0x7F) }
    }
    func frame(at offset: Int) -> MP3Frame? { file.bytes(at: offset, 4).flatMap(MP3Frame.init) }
    // Between the tag and the first frame there may be zeros. Four bytes can look like a frame by
    // chance, two frames in a row cannot.
    at =
      (at..<(at + 4096)).first { start in
        frame(at: start).map { frame(at: start + $0.length) != nil } ?? false
      } ?? file.size
    guard let first = frame(at: at) else { return nil }
    var samples = 0
    let info = file.bytes(at: at + 4 + first.sideInformation, 12)
    if let info, info.starts(with: "Xing".utf8) || info.starts(with: "Info".utf8), info[7] & 1 == 1
    {
      samples = Int(info[8..<12].bigEndian) * first.samples
    } else {
      while let frame = frame(at: at) {
        samples += frame.samples
        at += frame.length
      }
    }
    self.init(
      duration: Double(samples) / Double(first.sampleRate), sampleRate: first.sampleRate,
      channels: first.isMono ? 1 : 2)
  }
}

/// The header of a frame of MPEG audio, layer III.
private struct MP3Frame {
  let sampleRate: Int
  let samples: Int
  let isMono: Bool
  /// The length of the frame in bytes.
  let length: Int
  /// The length of the side information in bytes; a `Xing` header comes after it.
  let sideInformation: Int

  /// The bit rates in kilobits a second, of version 1, and of versions 2 and 2.5.
  private static let bitRates = [32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320]
  private static let lowBitRates = [8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160]
  private static let sampleRates = [44_100, 48_000, 32_000]

  init?(_ bytes: [UInt8]) {
    let head = bytes.bigEndian
    let version = head >> 19 & 3
    let layer = head >> 17 & 3
    let rate = Int(head >> 12 & 15)
    let frequency = Int(head >> 10 & 3)
    guard head >> 21 == 0x7FF, version != 1, layer == 1, (1...14).contains(rate), frequency < 3
    else { return nil }
    let isFirst = version == 3
    isMono = head >> 6 & 3 == 3
    sampleRate = Self.sampleRates[frequency] / (isFirst ? 1 : version == 2 ? 2 : 4)
    samples = isFirst ? 1152 : 576
    let bitRate = 1000 * (isFirst ? Self.bitRates : Self.lowBitRates)[rate - 1]
    length = samples / 8 * bitRate / sampleRate + Int(head >> 9 & 1)
    sideInformation = isFirst ? (isMono ? 17 : 32) : (isMono ? 9 : 17)
  }
}

extension DownloadedAudioFile {
  /// The bytes at a position; `nil` if the file ends before their end.
  fileprivate func bytes(at offset: Int, _ count: Int) -> [UInt8]? {
    guard offset >= 0, count > 0, offset <= size - count else { return nil }
    let bytes = try? bytes(at: offset, upTo: count)
    return bytes?.count == count ? bytes : nil
  }

  /// The contents of the boxes of that name.
  fileprivate func boxes(_ name: String, in range: Range<Int>) -> [Range<Int>] {
    var at = range.lowerBound
    var found = [Range<Int>]()
    while at < range.upperBound, let head = bytes(at: at, 8) {
      var size = Int(head[..<4].bigEndian)
      var start = at + 8
      if size == 1, let long = bytes(at: start, 8) {
        size = Int(clamping: long.bigEndian)
        start = at + 16
      }
      if size == 0 { size = range.upperBound - at }
      let end = at.addingReportingOverflow(size).partialValue
      guard end >= start, end <= range.upperBound else { return found }
      if head[4...].elementsEqual(name.utf8) { found.append(start..<end) }
      at = end
    }
    return found
  }

  /// The contents of the first box on that path.
  fileprivate func box(_ path: [String], in range: Range<Int>) -> Range<Int>? {
    path.reduce(range as Range<Int>?) { range, name in range.flatMap { boxes(name, in: $0).first } }
  }
}

extension Collection<UInt8> {
  /// The bytes as one number, the most significant byte first.
  fileprivate var bigEndian: UInt64 { reduce(0) { $0 << 8 | UInt64($1) } }
  fileprivate var littleEndian: UInt64 { reversed().bigEndian }
}

#endif
