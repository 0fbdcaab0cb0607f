import ChirperModel
import Foundation

/// A made-up bird's call for a made-up recording: a few whistles whose shape follows from the id.
package struct Chirp: Sendable {
  static let sampleRate = 22_050
  private let whistles: [Whistle]

  private struct Whistle {
    /// In seconds.
    let length: Double
    let pause: Double
    /// In Hz, at both ends.
    let from: Double
    let to: Double
    /// Trills a second and how far they go, in Hz.
    let trill: Double
    let depth: Double
  }

  package init(of id: RecordingID) {
    // The same call for the same id on every machine.
    var random = SeededRandom(seed: StableHash.fnv1a(id.description.utf8))
    let base = Double(random.number(1800...4500))
    var whistles: [Whistle] = []
    for _ in 0..<random.number(3...7) {
      let from = base * Double(random.number(80...130)) / 100
      whistles.append(
        Whistle(
          length: Double(random.number(60...220)) / 1000, pause: Double(random.number(30...120)) / 1000, from: from,
          to: from * Double(random.number(70...150)) / 100, trill: Double(random.number(15...45)),
          depth: Double(random.number(0...300))))
    }
    self.whistles = whistles
  }

  /// A whole WAV file: 16 bits, one channel.
  package var wav: [UInt8] {
    let samples = samples
    var bytes: [UInt8] = []
    func append(_ number: some FixedWidthInteger) {
      for shift in stride(from: 0, to: number.bitWidth, by: 8) { bytes.append(UInt8(truncatingIfNeeded: number >> shift)) }
    }
    bytes += "RIFF".utf8
    append(UInt32(36 + samples.count * 2))
    bytes += "WAVEfmt ".utf8
    append(UInt32(16))
    append(UInt16(1))
    append(UInt16(1))
    append(UInt32(Self.sampleRate))
    append(UInt32(Self.sampleRate * 2))
    append(UInt16(2))
    append(UInt16(16))
    bytes += "data".utf8
    append(UInt32(samples.count * 2))
    for sample in samples { append(sample) }
    return bytes
  }

  private var samples: [Int16] {
    let rate = Double(Self.sampleRate)
    return whistles.flatMap { whistle -> [Int16] in
      var phase = 0.0
      let count = Int(whistle.length * rate)
      let sound = (0..<count).map { index -> Int16 in
        let at = Double(index) / Double(count)
        let time = Double(index) / rate
        let pitch = whistle.from + (whistle.to - whistle.from) * at + whistle.depth * sin(2 * .pi * whistle.trill * time)
        phase += 2 * .pi * pitch / rate
        // Soft at both ends, or each whistle would begin and end with a click.
        return Int16(12_000 * sin(phase) * sin(.pi * at))
      }
      return sound + Array(repeating: 0, count: Int(whistle.pause * rate))
    }
  }
}
