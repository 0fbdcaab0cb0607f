import ChirperModel
import ChirperRemote
import Foundation

/// The files of the downloaded audio of many recordings. The folders are read once; looking for
/// the file of each row of a long list would take a dozen system calls a row.
package struct DownloadedAudio: Hashable, Sendable {
  private var folders: [CatalogueID: Folder] = [:]

  private struct Folder: Hashable {
    let path: String
    /// The kinds of complete files by their names without the extension.
    let kinds: [String: AudioKind]
  }

  /// Whether no file was there when the folders were read.
  var isEmpty: Bool { folders.values.allSatisfy(\.kinds.isEmpty) }

  /// The recording's complete audio file, under the name of its kind; `nil` if none was there when
  /// the folders were read, or if it was removed since. This looks at the file.
  package subscript(id: RecordingID) -> URL? {
    path(of: id).map { URL(fileURLWithPath: $0, isDirectory: false) }
  }

  /// The path of that file.
  func path(of id: RecordingID) -> String? {
    guard let (stem, kind) = file(of: id) else { return nil }
    return AudioFile.settled(stem, kind) ?? AudioFile.downloadedPath(stem)
  }

  /// Whether a file was there when the folders were read.
  func contains(_ id: RecordingID) -> Bool { file(of: id) != nil }

  private func file(of id: RecordingID) -> (stem: String, kind: AudioKind)? {
    guard let folder = folders[id.catalogue], let name = try? AudioFile.name(id.value) else {
      return nil
    }
    return folder.kinds[name].map { ("\(folder.path)/\(name)", $0) }
  }

  init(of catalogues: some Sequence<CatalogueID>, in directory: URL) {
    // The names from the audio directory on stay as they are, so that each is checked when a file
    // is opened.
    let data = directory.deletingLastPathComponent().path as NSString
    let audio = data.standardizingPath + "/" + directory.lastPathComponent
    for catalogue in catalogues {
      // A folder that is missing holds nothing.
      guard let folder = try? AudioFile.name(catalogue.rawValue),
        let entries = AudioFile.openFolder(folder, in: directory)?.entries()
      else { continue }
      var kinds: [String: AudioKind] = [:]
      for entry in entries where entry.kind == .file {
        let name = entry.name as NSString
        guard let kind = AudioKind(rawValue: name.pathExtension) else { continue }
        kinds[name.deletingPathExtension] = kind
      }
      if !kinds.isEmpty { folders[catalogue] = Folder(path: "\(audio)/\(folder)", kinds: kinds) }
    }
  }
}
