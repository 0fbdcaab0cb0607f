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

  /// - Parameter pathExtension: of a known kind of audio; everything else becomes `mp3`, which is what xeno-canto serves.
  init(of id: RecordingID, pathExtension: String, in directory: URL) throws(AudioError) {
    let kind = Self.kinds.contains(pathExtension.lowercased()) ? pathExtension.lowercased() : "mp3"
    url = try Self.folder(of: id.catalogue, in: directory)
      .appending(path: try Self.name(id.value) + "." + kind, directoryHint: .notDirectory)
  }

  static func folder(of catalogue: CatalogueID, in directory: URL) throws(AudioError) -> URL {
    directory.appending(path: try name(catalogue.rawValue), directoryHint: .isDirectory)
  }

  /// Letters, digits, `-` and `_` are kept, every other byte becomes `%` and two digits: no id can leave the directory,
  /// and no two share a name.
  static func name(_ id: String) throws(AudioError) -> String {
    var name = ""
    for byte in id.utf8 {
      let character = Character(Unicode.Scalar(byte))
      if character.isASCII, character.isLetter || character.isNumber || "-_".contains(character) {
        name.append(character)
      } else {
        name += (byte < 16 ? "%0" : "%") + String(byte, radix: 16, uppercase: true)
      }
    }
    guard (1...120).contains(name.utf8.count) else { throw .badID }
    return name
  }

  static let kinds = ["mp3", "wav", "m4a", "m4v", "mp4", "aac", "flac", "ogg", "oga", "opus", "aif", "aiff"]
}
