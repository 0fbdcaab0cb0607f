import ChirperModel
import Foundation

/// A made-up bird's call for a made-up recording: a few whistles whose shape follows from the id.
enum Chirp {
  static let sampleRate = 22_050

  /// A whole WAV file, as long as the recording is: 16 bits, one channel.
  static func wav(of id: RecordingID) -> [UInt8] {
    let sound = sound(of: id)
    var bytes: [UInt8] = []
    func append<Number: FixedWidthInteger>(_ numbers: Number...) {
      for number in numbers {
        for shift in stride(from: 0, to: Number.bitWidth, by: 8) {
          bytes.append(UInt8(truncatingIfNeeded: number >> shift))
        }
      }
    }
    bytes += "RIFF".utf8
    append(UInt32(36 + sound.count))
    bytes += "WAVEfmt ".utf8
    append(UInt32(16))
    append(UInt16(1), 1)
    append(UInt32(sampleRate), UInt32(sampleRate * 2))
    append(UInt16(2), 16)
    bytes += "data".utf8
    append(UInt32(sound.count))
    return bytes + sound
  }

  /// The bytes of a call that is repeated with rests, equal for one id on every machine.
  private static func sound(of id: RecordingID) -> [UInt8] {
    var random = SeededRandom(seed: StableHash.fnv1a(id.description))
    let call = call(&random).flatMap { sample in
      [UInt8(truncatingIfNeeded: sample), UInt8(truncatingIfNeeded: sample >> 8)]
    }
    let size = SampleWorld.seconds(of: id) * sampleRate * 2
    var bytes: [UInt8] = []
    bytes.reserveCapacity(size)
    while bytes.count + call.count <= size {
      bytes += call
      let rest = random.number(500...2500) * sampleRate / 1000
      bytes += Array(repeating: 0, count: rest * 2)
    }
    return bytes.prefix(size) + Array(repeating: 0, count: max(0, size - bytes.count))
  }

  /// The samples of one call, which takes less than three seconds.
  private static func call(_ random: inout SeededRandom) -> [Int16] {
    let rate = Double(sampleRate)
    let base = Double(random.number(1800...4500))
    return (0..<random.number(3...7)).flatMap { _ -> [Int16] in
      // The pitch at both ends in Hz; trills a second, and how far they go in Hz.
      let from = base * Double(random.number(80...130)) / 100
      let count = Int(Double(random.number(60...220)) / 1000 * rate)
      let pause = Int(Double(random.number(30...120)) / 1000 * rate)
      let to = from * Double(random.number(70...150)) / 100
      let trill = Double(random.number(15...45))
      let depth = Double(random.number(0...300))
      var phase = 0.0
      let sound = (0..<count).map { index -> Int16 in
        let at = Double(index) / Double(count)
        phase +=
          2 * .pi * (from + (to - from) * at + depth * sin(2 * .pi * trill * Double(index) / rate))
          / rate
        // Soft at both ends, or each whistle would begin and end with a click.
        return Int16(12_000 * sin(phase) * sin(.pi * at))
      }
      return sound + Array(repeating: 0, count: pause)
    }
  }
}
