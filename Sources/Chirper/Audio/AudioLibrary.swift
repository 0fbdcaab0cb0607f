import ChirperModel
import ChirperRemote
import ChirperStore
import Foundation

/// The audio next to the store, and the way to add more. Requests keep the catalogue's
/// rate limit and Retry-After, which all processes share through the store.
public struct AudioLibrary: Sendable {
  /// `audio` in the data directory.
  public let directory: URL
  private let store: RecordingStore
  private let dependencies: RecordingRepository.Dependencies
  private let catalogues: [Catalogue]
  private let fetcher: @Sendable (Catalogue) -> AudioFetcher
  private let pieceSize: Int
  private let whenChanged: @Sendable () -> Void

  /// - Parameters:
  ///   - pieceSize: bytes per request. Most recordings fit into one, which matters because each
  ///     waits for the rate limit.
  ///   - whenChanged: called after a file was stored or removed here.
  init(
    store: RecordingStore, directory: URL, catalogues: [Catalogue] = Catalogues.known,
    dependencies: RecordingRepository.Dependencies,
    pieceSize: Int = 4 << 20, whenChanged: @escaping @Sendable () -> Void = {},
    fetcher: @escaping @Sendable (Catalogue) -> AudioFetcher
  ) {
    self.catalogues = catalogues
    self.store = store
    self.directory = directory.appending(path: "audio", directoryHint: .isDirectory)
    self.dependencies = dependencies
    self.fetcher = fetcher
    self.pieceSize = pieceSize
    self.whenChanged = whenChanged
  }

  /// A local file with audio in it.
  public struct LocalFile: Hashable, Sendable {
    /// The address of the file. Its extension is its kind of audio.
    public let url: URL
    /// Whether the caller must delete the file.
    public let isTemporary: Bool
  }

  /// The amount of downloaded audio.
  public struct Usage: Hashable, Sendable {
    /// Complete files.
    public var files = 0
    /// The bytes of complete files and of incomplete ones.
    public var bytes: Int64 = 0
    /// Folders that this account may not read, whose files are not counted.
    package var unreadable = 0

    /// An amount of zero, to be filled for previews and tests.
    package init() {}

    fileprivate mutating func add(_ file: String, _ bytes: Int64) {
      self.bytes += bytes
      if AudioKind(rawValue: (file as NSString).pathExtension) != nil { files += 1 }
    }
  }

  /// The recording's audio as a local file, downloaded if it is not there yet.
  ///
  /// Cancel its task to end a download: no file is left, and a later call continues with the pieces
  /// that are on the disk, if the server allows that.
  ///
  /// - Parameters:
  ///   - recording: with the fields that name its audio.
  ///   - storesGenerated: whether audio that a catalogue makes on this machine is stored like audio
  ///     that was downloaded.
  ///   - progress: called as bytes arrive, with those that have arrived and with all; `nil` if the
  ///     server does not say how many. The first answer says it. Fewer bytes follow if the file has
  ///     changed on the server. It is called on any thread and must return soon, and not at all if
  ///     the file is there already.
  /// - Throws: `AudioError`; `StoreError.busy` for a row that is not read yet
  ///   (`Recording.isMissing`).
  public func file(
    of recording: Recording, storesGenerated: Bool = false,
    progress: @escaping @Sendable (_ done: Int, _ total: Int?) -> Void = { _, _ in }
  ) async throws(AudioError) -> LocalFile {
    try await file(
      of: recording, at: nil, storesGenerated: storesGenerated, progress: progress)
  }

  /// The audio of a recording, like `file(of:storesGenerated:progress:)`.
  ///
  /// - Parameter claim: the audio of a recording whose fields are not known.
  func file(
    of recording: Recording, at claim: AudioClaim?, storesGenerated: Bool,
    progress: @escaping @Sendable (_ done: Int, _ total: Int?) -> Void = { _, _ in }
  ) async throws(AudioError) -> LocalFile {
    guard !recording.isMissing else { throw .store(StoreError(.busy(path: store.path))) }
    if let file = try localFile(of: recording) { return LocalFile(url: file, isTemporary: false) }
    let catalogue = try catalogue(of: recording)
    if case .generated(let pathExtension, let make) = catalogue.audio {
      return try save(
        make(recording.id), of: recording.id, pathExtension, isStored: storesGenerated)
    }
    let fetcher = fetcher(catalogue)
    let address = try Self.address(of: recording, at: claim, fetcher)
    var name = ""
    if case .download(_, let field?, _) = catalogue.audio { name = recording.text(field) ?? "" }
    let named = AudioKind(fileExtension: (name as NSString).pathExtension)
    let file = try AudioFile(
      of: recording.id, fileExtension: named?.rawValue ?? address.pathExtension, in: directory)
    let pacer = RequestPacer(
      store: store, catalogue: catalogue.id, interval: fetcher.minimumInterval,
      dependencies: dependencies)
    let download = AudioDownload(
      address: address, file: file, fetcher: fetcher, pacer: pacer, pieceSize: pieceSize,
      sha256: claim?.sha256, progress: progress)
    let url = try await download.run()
    whenChanged()
    return LocalFile(url: url, isTemporary: false)
  }

  /// Throws if the recording has no audio that could be requested.
  func checkAddress(of recording: Recording, at claim: AudioClaim?) throws(AudioError) {
    let catalogue = try catalogue(of: recording)
    if case .generated = catalogue.audio { return }
    _ = try Self.address(of: recording, at: claim, fetcher(catalogue))
  }

  private func catalogue(of recording: Recording) throws(AudioError) -> Catalogue {
    guard let catalogue = catalogues.first(where: { $0.id == recording.id.catalogue }) else {
      throw .fetch(FetchError(.unknownCatalogue))
    }
    return catalogue
  }

  private static func address(
    of recording: Recording, at claim: AudioClaim?, _ fetcher: AudioFetcher
  ) throws(AudioError) -> URL {
    guard let claim else { return try fetcher.address(of: recording) }
    return try fetcher.checked(claim.address)
  }

  /// The file with the audio of a recording: one that is downloaded, or one of an app's own
  /// catalogue; `nil` if it is not there.
  package func localFile(of recording: Recording) throws(AudioError) -> URL? {
    if let file = try downloadedFile(of: recording.id) { return file }
    guard case .file(let locate)? = try? catalogue(of: recording).audio,
      let file = locate(recording), file.isFileURL,
      FileManager.default.fileExists(atPath: file.path)
    else { return nil }
    return file
  }

  /// Does what the `async` call of that name describes.
  package func downloadedFile(of id: RecordingID) throws(AudioError) -> URL? {
    try AudioFile(of: id, in: directory).downloadedFile
  }

  /// The small sonogram of a recording, which is kept beside its audio and removed with it.
  package func sonogram(of id: RecordingID) throws(AudioError) -> URL {
    try AudioFile.folder(of: id.catalogue, in: directory)
      .appending(path: AudioFile.sonogramName(of: id), directoryHint: .notDirectory)
  }

  /// The recordings that have a small sonogram. None is read where no audio is kept.
  package func withSonogram(
    _ recordings: @autoclosure () throws -> [RecordingID]
  ) rethrows -> [RecordingID] {
    guard AudioFile.openFolder(in: directory) != nil else { return [] }
    return try Dictionary(grouping: recordings(), by: \.catalogue).flatMap { catalogue, ids in
      let folder = (try? AudioFile.name(catalogue.rawValue)).flatMap {
        AudioFile.openFolder($0, in: directory)
      }
      return ids.filter { id in
        (try? AudioFile.sonogramName(of: id)).flatMap { folder?.size(of: $0) } != nil
      }
    }
  }

  /// Keeps a PNG as the small sonogram of a recording whose audio is kept.
  package func keepSonogram(_ png: [UInt8], of id: RecordingID) throws(AudioError) {
    let file = try sonogram(of: id)
    let folder = try AudioFile(of: id, in: directory).folder
    guard let code = folder.map({ $0.replace(file.lastPathComponent, with: png) }) ?? ENOENT
    else { return }
    throw .file(path: file.path, errno: code)
  }

  /// The media type of a downloaded file by its bytes, also if the file could not be renamed.
  package static func mediaType(of file: URL) -> String { mediaType(ofKind: kind(of: file)) }

  /// The kind of an audio file by its bytes, as the extension of such files; its own extension if
  /// it cannot be read.
  package static func kind(of file: URL) -> String {
    let named = AudioKind(fileExtension: file.pathExtension)
    return AudioFile.kind(ofFileAt: file.path, named: named)?.rawValue ?? file.pathExtension
  }

  /// SHA-256 and bytes of an audio file.
  ///
  /// - Parameter willRead: called before each piece.
  /// - Throws: `AudioError` if it cannot be read, and the errors of `willRead`: `CancellationError`
  ///   soon after the task is cancelled.
  package static func content(
    of file: URL, willRead: () throws -> Void = { try Task.checkCancellation() }
  ) throws -> (sha256: String, bytes: Int64) {
    func failed(_ number: Int32) -> AudioError { .file(path: file.path, errno: number) }
    guard let opened = DownloadedAudioFile(path: file.path) else { throw failed(errno) }
    var digest = SHA256()
    var at = 0
    while true {
      try willRead()
      let piece: [UInt8]
      do {
        piece = try opened.bytes(at: at, upTo: 1 << 20)
      } catch {
        throw failed((error as? POSIXError)?.code.rawValue ?? EIO)
      }
      if piece.isEmpty { return (digest.text(), Int64(at)) }
      digest.add(piece)
      at += piece.count
    }
  }

  /// The media type of a kind of audio by the extension of its files.
  package static func mediaType(ofKind kind: String) -> String {
    AudioKind(rawValue: kind)?.mediaType ?? "application/octet-stream"
  }

  /// The downloaded audio of all recordings of these catalogues.
  package func downloadedFiles(of catalogues: some Sequence<CatalogueID>) -> DownloadedAudio {
    DownloadedAudio(of: catalogues, in: directory)
  }

  /// Does what the `async` call of that name describes.
  package func usage() -> Usage {
    var usage = Usage()
    for (_, file, bytes) in files() { usage.add(file, bytes) }
    usage.unreadable = folders.count { _, folder in folder?.entries() == nil && errno == EACCES }
    return usage
  }

  /// The complete files by their names in `directory`, as `xeno-canto/535692.mp3`, and their sizes
  /// in bytes.
  package func downloadedFiles() -> [(name: String, bytes: Int64)] {
    files().compactMap { folderName, name, bytes in
      let folder =
        folderName == directory.lastPathComponent
        ? directory : directory.appending(path: folderName)
      let file = folder.appending(path: name, directoryHint: .notDirectory)
      guard let kind = AudioKind(rawValue: file.pathExtension),
        let path = AudioFile.settled(file.deletingPathExtension().path, kind)
      else { return nil }
      return (path.split(separator: "/").suffix(2).joined(separator: "/"), bytes)
    }.sorted { $0.0 < $1.0 }
  }

  /// The audio directory and the folders in it, by their names; `nil` for a folder that
  /// cannot be opened.
  private var folders: [(name: String, folder: OpenFolder?)] {
    guard let audio = AudioFile.openFolder(in: directory) else {
      return [(directory.lastPathComponent, nil)]
    }
    let inner = audio.entries()?.filter { [.directory, .link].contains($0.kind) }.map {
      ($0.name, audio.folder($0.name))
    }
    return [(directory.lastPathComponent, audio)] + (inner ?? [])
  }

  private func files() -> [(folder: String, name: String, bytes: Int64)] {
    folders.flatMap { folderName, folder in
      (folder?.entries() ?? []).compactMap { name, _ in
        name.hasPrefix(".") ? nil : folder?.size(of: name).map { (folderName, name, $0) }
      }
    }
  }

  /// The amount of downloaded audio of the recordings, without the targets of links.
  func usage(of recordings: [RecordingID]) -> Usage {
    files(of: recordings).reduce(into: Usage()) {
      if let bytes = $1.bytes { $0.add($1.name, bytes) }
    }
  }

  /// Does what the `async` call of that name describes.
  func remove(_ id: RecordingID) throws(AudioError) -> Bool {
    _ = try AudioFile.name(id.value)
    let (removed, links) = remove([id])
    if let left = files(of: [id]).first {
      let folder = try AudioFile.folder(of: id.catalogue, in: directory)
      throw .file(path: folder.appending(path: left.name).path, errno: errno == 0 ? EACCES : errno)
    }
    return removed.bytes > 0 || removed.files + links > 0
  }

  /// Removes the audio of the recordings, also incomplete files. In place of a link's
  /// target only the link is removed, because it can lead to any file in a folder that
  /// others may write to.
  ///
  /// - Returns: The amount removed, and the number of links. A file that cannot be removed
  ///   stays.
  func remove(_ recordings: [RecordingID]) -> (removed: Usage, links: Int) {
    defer { whenChanged() }
    return files(of: recordings).reduce(into: (Usage(), 0)) { sum, file in
      guard file.folder.remove(file.name) else { return }
      if let bytes = file.bytes { sum.0.add(file.name, bytes) } else { sum.1 += 1 }
    }
  }

  /// A version of the folders; it differs after every change. Two changes can have one
  /// time, so each call returns a different version until that time is two seconds ago.
  package var version: [Int] {
    let now = WallClock.now().timeIntervalSince1970
    return folders.flatMap { _, folder -> [Int] in
      guard let status = folder?.status else { return [0] }
      let (seconds, nanoseconds) = status.modified
      return [seconds, nanoseconds]
        + (abs(now - Double(seconds)) < 2 ? [.random(in: .min ... .max)] : [])
    }
  }

  /// Every file of these recordings with its bytes, of which a link has none; each folder is read
  /// once, because most recordings of a long list have no file.
  private func files(of recordings: [RecordingID]) -> [(
    folder: OpenFolder, name: String, bytes: Int64?
  )] {
    Dictionary(grouping: recordings, by: \.catalogue).flatMap {
      catalogue, ids -> [(OpenFolder, String, Int64?)] in
      guard let folderName = try? AudioFile.name(catalogue.rawValue),
        let folder = AudioFile.openFolder(folderName, in: directory), let entries = folder.entries()
      else { return [] }
      let names = Set(ids.compactMap { try? AudioFile.name($0.value) })
      // A name has no dot of its own, so everything from the first dot on is the kind.
      return entries.filter {
        [.file, .link].contains($0.kind) && names.contains(String($0.name.prefix { $0 != "." }))
      }
      .map { name, kind in (folder, name, kind == .link ? nil : folder.size(of: name) ?? 0) }
    }
  }

  /// The bytes of a downloaded file; `nil` if it does not exist, or is a link.
  static func size(of file: URL) -> Int64? { DownloadedAudioFile.size(path: file.path) }

  private func save(
    _ bytes: [UInt8], of id: RecordingID, _ pathExtension: String, isStored: Bool
  ) throws(AudioError) -> LocalFile {
    let named = AudioKind(fileExtension: pathExtension)
    let kind = AudioKind(mediaType: "", name: named) { offset, count in
      Array(bytes.dropFirst(offset).prefix(count))
    }
    guard isStored else {
      let name = "chirper-\(UUID().uuidString).\(pathExtension)"
      let file = FileManager.default.temporaryDirectory.appending(path: name)
      do {
        // In a directory that everyone can write to, never through a link that another user made.
        try Data(bytes).write(to: file, options: .withoutOverwriting)
      } catch {
        throw .file(path: file.path, errno: errno == 0 ? EIO : errno)
      }
      return LocalFile(url: file, isTemporary: true)
    }
    let file = try AudioFile(of: id, in: directory).url(kind)
    let folder = try AudioDownload.makeFolder(file.deletingLastPathComponent())
    try AudioSums(directory: directory).add(SHA256.text(SHA256.digest(bytes)), for: file)
    if let code = folder.replace(file.lastPathComponent, with: bytes) {
      throw .file(path: file.path, errno: code)
    }
    whenChanged()
    return LocalFile(url: file, isTemporary: false)
  }
}

/// An address that somebody says has the audio of a recording, and the hash of that audio. Only a
/// file with this hash is kept: the address can be that of a different recording.
package struct AudioClaim: Sendable {
  let address: String
  let sha256: String

  package init(address: String, sha256: String) { (self.address, self.sha256) = (address, sha256) }
}
