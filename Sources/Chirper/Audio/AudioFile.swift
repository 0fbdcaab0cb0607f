import ChirperModel
import ChirperPlatform
import Foundation

/// The names a recording's audio has in the audio directory: `xeno-canto/535692.mp3`.
struct AudioFile: Sendable {
  let url: URL
  /// What has arrived while the file is not complete.
  var part: URL { url.appendingPathExtension("part") }
  /// The server's name for the version that `part` belongs to.
  var validator: URL { url.appendingPathExtension("version") }

  var folder: SharedFolder { SharedFolder(url.deletingLastPathComponent().path) }

  /// - Parameters:
  ///   - pathExtension: of a known kind of audio; everything else becomes `mp3`, which is what xeno-canto serves.
  init(of id: RecordingID, pathExtension: String, in directory: URL) throws(AudioError) {
    let kind = Self.kinds.contains(pathExtension.lowercased()) ? pathExtension.lowercased() : "mp3"
    url = try Self.folder(of: id.catalogue, in: directory)
      .appending(path: try Self.name(id.value) + "." + kind, directoryHint: .notDirectory)
  }

  /// The complete file of a recording, of whatever kind; `nil` if none is kept.
  static func kept(_ id: RecordingID, in directory: URL) throws(AudioError) -> URL? {
    let base = try folder(of: id.catalogue, in: directory)
      .appending(path: try name(id.value), directoryHint: .notDirectory)
    return kinds.lazy.map { base.appendingPathExtension($0) }.first { FileManager.default.fileExists(atPath: $0.path) }
  }

  static func folder(of catalogue: CatalogueID, in directory: URL) throws(AudioError) -> URL {
    directory.appending(path: try name(catalogue.rawValue), directoryHint: .isDirectory)
  }

  /// Letters, digits, `-` and `_` are kept, every other byte becomes `%` and two digits: no id can leave the directory,
  /// and no two share a name.
  static func name(_ id: String) throws(AudioError) -> String {
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

  static let kinds = ["mp3", "wav", "m4a", "m4v", "mp4", "aac", "flac", "ogg", "oga", "opus", "aif", "aiff"]
}
