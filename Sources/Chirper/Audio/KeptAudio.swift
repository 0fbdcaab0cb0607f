import ChirperModel
import Foundation

/// Where the kept audio of many recordings is.
///
/// The folders are read once: to look for the file of each row of a long list would take a dozen system calls a row.
public struct KeptAudio: Sendable {
  private struct Folder: Sendable {
    let path: String
    /// The extensions of complete files, by their names without it.
    var kinds: [String: String] = [:]
  }

  private var folders: [CatalogueID: Folder] = [:]

  /// The path of a recording's complete audio file; `nil` if none was kept when the folders were read.
  public subscript(id: RecordingID) -> String? {
    guard let folder = folders[id.catalogue], !folder.kinds.isEmpty, let name = try? AudioFile.name(id.value),
      let kind = folder.kinds[name]
    else {
      return nil
    }
    return "\(folder.path)/\(name).\(kind)"
  }

  init(of catalogues: some Sequence<CatalogueID>, in directory: URL) {
    for catalogue in catalogues {
      guard let url = try? AudioFile.folder(of: catalogue, in: directory) else { continue }
      // A folder that is missing holds nothing.
      guard let names = try? FileManager.default.contentsOfDirectory(atPath: url.path) else { continue }
      var folder = Folder(path: (url.path as NSString).standardizingPath)
      for name in names {
        let name = name as NSString
        if AudioFile.kinds.contains(name.pathExtension) { folder.kinds[name.deletingPathExtension] = name.pathExtension }
      }
      if !folder.kinds.isEmpty { folders[catalogue] = folder }
    }
  }
}

extension AudioLibrary {
  /// The kept audio of all recordings of these catalogues.
  public func keptFiles(of catalogues: some Sequence<CatalogueID>) -> KeptAudio {
    KeptAudio(of: catalogues, in: directory)
  }
}
