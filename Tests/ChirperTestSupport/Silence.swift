import Foundation

/// The bytes of a WAVE file of silence: mono, with a byte a sample.
public func silence(seconds: Int, sampleRate: UInt32 = 8000) -> [UInt8] {
  func bytes(_ number: UInt32) -> [UInt8] { withUnsafeBytes(of: number.littleEndian) { Array($0) } }
  let samples = [UInt8](repeating: 0x80, count: seconds * Int(sampleRate))
  return Array("RIFF\0\0\0\0WAVEfmt \u{10}\0\0\0\u{1}\0\u{1}\0".utf8) + bytes(sampleRate)
    + bytes(sampleRate) + [1, 0, 8, 0] + Array("data".utf8) + bytes(UInt32(samples.count)) + samples
}

/// Calls `body` with the path of a file of silence.
public func withSilence<Value>(
  seconds: Int, sampleRate: UInt32 = 8000, _ body: (String) throws -> Value
) throws -> Value {
  let file = FileManager.default.temporaryDirectory.appending(
    path: "chirper-\(UUID().uuidString).wav")
  defer { try? FileManager.default.removeItem(at: file) }
  try Data(silence(seconds: seconds, sampleRate: sampleRate)).write(to: file)
  return try body(file.path)
}
