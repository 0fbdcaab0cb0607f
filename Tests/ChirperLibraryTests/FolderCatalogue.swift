import Chirper
import Foundation

/// The sounds of a folder on this machine, each with its notes in a file next to it: no network.
struct FolderCatalogue: PageFetcher {
  let folder: URL
  let catalogue: Catalogue

  init(_ folder: URL) {
    self.folder = folder
    var catalogue = Catalogue(id: "folder", name: "Folder")
    catalogue.minimumInterval = .zero
    catalogue.details = [
      .text(\.vernacularName, of: "bird"), .duration(\.mediaDuration, of: "seconds"),
      .integer(\.sampleRate, of: "device.rate"),
    ]
    catalogue.searchTags["bird"] = .detail(\.vernacularName)
    catalogue.searchTags["recorder"] = .field("device.recorder")
    catalogue.searchTags["khz"] = .number("device.khz")
    catalogue.searchTags["heard"] = .date("heard")
    catalogue.audio = .file { recording in folder.appending(path: "\(recording.id.value).wav") }
    self.catalogue = catalogue
  }

  func page(_ request: PageRequest) async throws(FetchError) -> RecordingPage {
    do {
      let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
      let notes = names.filter { $0.hasSuffix(".json") }
      let recordings = try notes.map { name in
        let text = try String(contentsOf: folder.appending(path: name), encoding: .utf8)
        return Recording(
          id: RecordingID(catalogue: catalogue.id, value: String(name.dropLast(5))),
          fields: try RecordingFields(json: text))
      }
      return RecordingPage(
        number: 1, recordings: recordings,
        totals: RecordingPage.Totals(recordings: recordings.count, pages: 1),
        next: nil)
    } catch {
      throw FetchError(error)
    }
  }
}
