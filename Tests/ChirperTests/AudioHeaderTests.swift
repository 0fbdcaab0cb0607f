import Foundation
import Testing

@testable import Chirper

/// Files are written by hand, byte by byte, after the standards that `AudioHeader` names.
@Suite struct `The header of an audio file` {
  private static func header(_ bytes: [UInt8]) throws -> AudioHeader? {
    let file = FileManager.default.temporaryDirectory.appending(
      path: "chirper-\(UUID().uuidString).bin")
    try Data(bytes).write(to: file)
    defer { try? FileManager.default.removeItem(at: file) }
    return AudioHeader(path: file.path)
  }

  private static func big(_ number: Int, _ count: Int) -> [UInt8] {
    (0..<count).reversed().map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
  }

  private static func little(_ number: Int, _ count: Int) -> [UInt8] {
    big(number, count).reversed()
  }

  /// 2.5 seconds of stereo at 48,000 Hz with 16 bits, after a chunk of an odd length.
  private static func wave(data length: Int = 480_000) -> [UInt8] {
    let format =
      little(1, 2) + little(2, 2) + little(48_000, 4) + little(192_000, 4) + little(4, 2)
      + little(16, 2)
    let chunks = [
      Array("LIST".utf8), little(3, 4), Array("abc\0".utf8), Array("fmt ".utf8), little(16, 4),
      format,
    ]
    return Array("RIFF\0\0\0\0WAVE".utf8) + chunks.joined() + Array("data".utf8) + little(length, 4)
      + [UInt8](repeating: 0, count: 480_000)
  }

  private static func box(_ name: String, _ contents: [UInt8]...) -> [UInt8] {
    let contents = Array(contents.joined())
    return big(contents.count + 8, 4) + Array(name.utf8) + contents
  }

  /// A video track, then 3.25 seconds of mono at 44,100 Hz; the movie box comes after the sound.
  private static let mp4: [UInt8] = {
    let sound =
      [UInt8](repeating: 0, count: 16) + big(1, 2) + big(16, 2) + big(0, 4) + big(44_100, 2)
      + big(0, 2)
    let other = box("stsd", big(0, 4), big(1, 4), box("avc1", [UInt8](repeating: 0, count: 70)))
    func track(_ version: UInt8, _ times: [UInt8], _ description: [UInt8]) -> [UInt8] {
      let head = box("mdhd", [version, 0, 0, 0], times, big(0, 4))
      return box(
        "trak", box("tkhd", big(0, 84)), box("mdia", head, box("minf", box("stbl", description))))
    }
    let description = box("stsd", big(0, 4), big(1, 4), box("mp4a", sound, box("esds", big(0, 20))))
    let times = big(0, 16) + big(44_100, 4) + big(143_325, 8)
    return box("ftyp", Array("M4A ".utf8), big(0, 4)) + box("mdat", big(7, 300))
      + box(
        "moov", box("mvhd", big(0, 100)), track(0, big(0, 8) + big(25, 4) + big(99, 4), other),
        track(1, times, description))
  }()

  /// Frames of version 1, layer III, 128 kbit/s, 44,100 Hz, mono: 417 bytes each.
  private static func mp3(frames: Int, named info: [UInt8] = []) -> [UInt8] {
    var frame: [UInt8] = [0xFF, 0xFB, 0x90, 0xC0] + [UInt8](repeating: 0, count: 413)
    let others = Array(repeatElement(frame, count: frames - 1).joined())
    frame.replaceSubrange(21..<(21 + info.count), with: info)
    return frame + others
  }

  @Test func `of WAVE has the length of what is there`() throws {
    let header = try #require(try Self.header(Self.wave()))
    #expect(header.duration == 2.5 && header.sampleRate == 48_000 && header.channels == 2)
    // As recorders write it that lost power.
    for length in [0, 0xFFFF_FFFF] {
      #expect(try Self.header(Self.wave(data: length))?.duration == 2.5)
    }
  }

  @Test func `of FLAC is its stream information`() throws {
    // 96,000 Hz, 2 channels, 24 bits, 120,000 samples.
    let info = 96_000 << 44 | 1 << 41 | 23 << 36 | 120_000
    let header = try #require(
      try Self.header(Array("fLaC".utf8) + Self.big(34, 4) + Self.big(0, 10) + Self.big(info, 8)))
    #expect(header.duration == 1.25 && header.sampleRate == 96_000 && header.channels == 2)
  }

  @Test func `of MP4 is that of the first track with sound`() throws {
    let header = try #require(try Self.header(Self.mp4))
    #expect(header.duration == 3.25 && header.sampleRate == 44_100 && header.channels == 1)
  }

  @Test func `of MP3 has the number of frames, or they are counted`() throws {
    let constant = try #require(try Self.header(Self.mp3(frames: 40)))
    #expect(
      constant.duration == 40 * 1152 / 44_100.0 && constant.sampleRate == 44_100
        && constant.channels == 1)
    let tag = Array("ID3".utf8) + [4, 0, 0, 0, 0, 1, 2] + [UInt8](repeating: 0, count: 130 + 100)
    let varying = Self.mp3(frames: 3, named: Array("Xing".utf8) + Self.big(1, 4) + Self.big(500, 4))
    #expect(try Self.header(tag + varying)?.duration == 500 * 1152 / 44_100.0)
  }

  @Test func `is none of other files, and of none is anything untrue`() throws {
    let texts = [
      "", "RIFF", "RIFF\0\0\0\0WAVEfmt ", "fLaC", "OggS and more of it", "\0\0\0\u{18}ftypM4A ",
      "ID3\u{4}\0\0\0\0\0\0", "text",
    ]
    for text in texts {
      #expect(try Self.header(Array(text.utf8)) == nil)
    }
    #expect(AudioHeader(path: "/nowhere/at.all") == nil)
    let pipe = FileManager.default.temporaryDirectory.appending(
      path: "chirper-\(UUID().uuidString).wav"
    ).path
    #expect(mkfifo(pipe, 0o600) == 0)
    defer { unlink(pipe) }
    // Nobody writes into it.
    #expect(
      AudioHeader(path: pipe) == nil && AudioHeader(path: "/dev/zero") == nil
        && AudioHeader(path: "/dev") == nil)
    var random = SystemRandomNumberGenerator()
    for file in [Self.wave(), Self.mp4, Self.mp3(frames: 5), Array("fLaC".utf8) + Self.big(0, 40)] {
      for _ in 0..<100 {
        var damaged = Array(file.prefix(2_000).prefix(Int.random(in: 0...2_000, using: &random)))
        for _ in 0..<3 where !damaged.isEmpty {
          damaged[Int.random(in: 0..<damaged.count, using: &random)] = [0, 1, 0x7F, 0x80, 0xFF]
            .randomElement(using: &random)!
        }
        if let header = try Self.header(damaged) {
          #expect(header.duration > 0 && header.duration.isFinite && header.sampleRate > 0)
        }
      }
    }
  }
}
