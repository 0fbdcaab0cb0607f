import ChirperModel
import Foundation

/// The names a recording's audio has in the audio directory: `xeno-canto/535692.mp3`.
struct AudioFile: Sendable {
  let url: URL
  /// What has arrived while it is not whole.
  var part: URL { url.appendingPathExtension("part") }
  /// What the server called the version that `part` is of.
  var validator: URL { url.appendingPathExtension("version") }

  init(of recording: Recording, address: URL?, in directory: URL) throws(AudioError) {
    let name = try Self.name(recording.id.value)
    url = directory.appending(path: try Self.name(recording.id.catalogue.rawValue), directoryHint: .isDirectory)
      .appending(path: name + "." + Self.pathExtension(recording, address), directoryHint: .notDirectory)
  }

  /// Letters, digits, `-` and `_` stand for themselves, every other byte as `%` and two digits: no id can leave the
  /// directory, and no two share a name.
  private static func name(_ id: String) throws(AudioError) -> String {
    var name = ""
    for byte in id.utf8 {
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
        name.unicodeScalars.append(Unicode.Scalar(byte))
      default:
        let hex = String(byte, radix: 16, uppercase: true)
        name += hex.count == 1 ? "%0\(hex)" : "%\(hex)"
      }
    }
    guard (1...120).contains(name.utf8.count) else { throw .badID }
    return name
  }

  /// From the file's name, else from the address; anything that is no known kind of audio is taken for MP3, which is
  /// what xeno-canto serves.
  private static func pathExtension(_ recording: Recording, _ address: URL?) -> String {
    let names = [recording.text("file-name") ?? "", address?.path ?? ""]
    let known = names.map { ($0 as NSString).pathExtension.lowercased() }.first(where: kinds.contains)
    return known ?? "mp3"
  }

  private static let kinds: Set = ["mp3", "wav", "m4a", "m4v", "mp4", "aac", "flac", "ogg", "oga", "opus", "aif", "aiff"]
}
