import ChirperModel
import Foundation

/// The audio kept in the data directory, and how more comes into it.
package struct AudioLibrary: Sendable {
  /// `audio` in the data directory.
  package let directory: URL
  private let configuration: RemoteConfiguration
  private let transport: any HTTPTransport

  package init(
    dataDirectory: URL, configuration: RemoteConfiguration, transport: any HTTPTransport = URLSessionTransport()
  ) {
    directory = dataDirectory.appending(path: "audio", directoryHint: .isDirectory)
    self.configuration = configuration
    self.transport = transport
  }

  /// The recording's audio as a local file, fetched and kept where it is not there yet.
  ///
  /// - Parameters:
  ///   - isKept: whether the sample's chirp, which can be made again at any time, is kept like real audio.
  ///   - progress: bytes received, of all where that is known.
  package func file(
    of recording: Recording, in catalogue: Catalogue, isKept: Bool = false,
    progress: @escaping @Sendable (_ received: Int, _ total: Int?) -> Void = { _, _ in }
  ) async throws(AudioError) -> AudioSource {
    if let kept = try kept(recording, in: catalogue) { return AudioSource(url: kept, isTemporary: false) }
    if case .made(_, let make) = catalogue.audio { return try made(make(recording.id), recording, isKept: isKept) }
    let address = try AudioAddress(of: recording, in: catalogue, configuration)
    let file = try AudioFile(of: recording, address: address.url, in: directory)
    let download = AudioDownload(address: address, file: file, transport: transport, progress: progress)
    try await download.run()
    return AudioSource(url: file.url, isTemporary: false)
  }

  /// The audio that is already there; `nil` where none is.
  package func kept(_ recording: Recording, in catalogue: Catalogue) throws(AudioError) -> URL? {
    let address = catalogue.details(of: recording).audioURL.flatMap { URL(string: $0) }
    let file = try AudioFile(of: recording, address: address, in: directory)
    return FileManager.default.fileExists(atPath: file.url.path) ? file.url : nil
  }

  private func made(_ bytes: [UInt8], _ recording: Recording, isKept: Bool) throws(AudioError) -> AudioSource {
    let kept = try AudioFile(of: recording, address: URL(filePath: "chirp.wav"), in: directory).url
    let made = FileManager.default.temporaryDirectory.appending(path: "chirp-\(UUID().uuidString).wav")
    let file = isKept ? kept : made
    do {
      if isKept { try AudioDownload.makeDirectory(file.deletingLastPathComponent()) }
      // In a place for everyone never through a link that another user laid.
      try Data(bytes).write(to: file, options: isKept ? .atomic : .withoutOverwriting)
    } catch let error as AudioError {
      throw error
    } catch {
      throw .file(path: file.path, errno: errno == 0 ? EIO : errno)
    }
    return AudioSource(url: file, isTemporary: !isKept)
  }
}

/// A local file with audio in it.
package struct AudioSource: Hashable, Sendable {
  package let url: URL
  /// Whoever plays it removes it.
  package let isTemporary: Bool
}
