import ChirperModel
import ChirperRemote
import Foundation

/// The names that a recording's audio has in the audio directory: `xeno-canto/535692.mp3`.
///
/// The extension of a complete file is the kind of its bytes. A file that is named otherwise is
/// renamed when it is used.
struct AudioFile: Sendable {
  /// The path without an extension.
  private let stem: String
  /// `audio` in the data directory.
  let directory: URL
  /// The kind that the recording's fields say, which is in the name of a part.
  let expected: AudioKind
  /// The bytes that have arrived while the file is not complete.
  var part: URL { url(expected).appendingPathExtension("part") }
  /// The server's name for the version that `part` belongs to.
  var validator: URL { url(expected).appendingPathExtension("version") }

  /// The name of the small picture of a sound, beside which it is and with which it goes.
  static func sonogramName(of id: RecordingID) throws(AudioError) -> String {
    try name(id.value) + ".sonogram.png"
  }

  /// Opens the folder that it is in.
  var folder: OpenFolder? {
    let folder = part.deletingLastPathComponent()
    return Self.openFolder(
      folder.lastPathComponent, in: folder.deletingLastPathComponent())
  }

  /// Opens a folder of the audio directory, as that of a catalogue; without a name the audio
  /// directory. No link in their places is followed that a different account made.
  static func openFolder(_ name: String? = nil, in directory: URL) -> OpenFolder? {
    let data = OpenFolder(directory.deletingLastPathComponent().path)
    let audio = data?.folder(directory.lastPathComponent)
    return name.map { audio?.folder($0) } ?? audio
  }

  /// - Parameter fileExtension: the extension of a known kind of audio; everything else
  ///   becomes `mp3`, the kind that xeno-canto serves.
  init(
    of id: RecordingID, fileExtension: String = "", in directory: URL
  ) throws(AudioError) {
    self.directory = directory
    expected = AudioKind(fileExtension: fileExtension) ?? .mp3
    stem = try Self.folder(of: id.catalogue, in: directory)
      .appending(path: try Self.name(id.value), directoryHint: .notDirectory).path
  }

  /// The complete file if it is of that kind.
  func url(_ kind: AudioKind) -> URL {
    URL(filePath: "\(stem).\(kind.rawValue)", directoryHint: .notDirectory)
  }

  /// The complete file, under the name of its kind; `nil` if it is not complete.
  var downloadedFile: URL? {
    Self.downloadedPath(stem).map { URL(filePath: $0, directoryHint: .notDirectory) }
  }

  /// The complete file at a path without its extension, under the name of its kind; `nil`
  /// if it does not exist.
  static func downloadedPath(_ stem: String) -> String? {
    for kind in AudioKind.allCases {
      let path = "\(stem).\(kind.rawValue)"
      if DownloadedAudioFile.size(path: path) != nil, let file = settled(stem, kind) { return file }
    }
    return nil
  }

  /// Gives a complete file the name of its kind. The name stays where files cannot be
  /// renamed. A link in the place of a file is not one.
  ///
  /// - Parameter kind: the kind that its name says.
  /// - Returns: Its path; `nil` if the file does not exist, perhaps because it was renamed
  ///   meanwhile.
  static func settled(_ stem: String, _ kind: AudioKind) -> String? {
    let path = "\(stem).\(kind.rawValue)"
    guard let found = Self.kind(ofFileAt: path, named: kind) else {
      return DownloadedAudioFile.size(path: path).map { _ in path }
    }
    guard found != kind else { return path }
    let right = "\(stem).\(found.rawValue)"
    // A file that has the right name already is as complete as this one.
    if DownloadedAudioFile.size(path: right) != nil { return right }
    if DownloadedAudioFile.rename(path, to: right) { return right }
    return errno == ENOENT ? nil : path
  }

  /// The kind of a file by its bytes, else the one that its name says; `nil` if it cannot be read
  /// as downloaded audio.
  static func kind(ofFileAt path: String, named kind: AudioKind?) -> AudioKind? {
    guard let file = DownloadedAudioFile(path: path) else { return nil }
    return AudioKind(mediaType: "", name: kind) { (try? file.bytes(at: $0, upTo: $1)) ?? [] }
  }

  static func folder(of catalogue: CatalogueID, in directory: URL) throws(AudioError) -> URL {
    directory.appending(path: try name(catalogue.rawValue), directoryHint: .isDirectory)
  }

  /// Letters, digits, `-` and `_` are kept, every other byte becomes `%` and two digits: no id can
  /// leave the directory, and no two share a name.
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
}
