import ChirperModel
import ChirperPlatform
import ChirperRemote
import ChirperStore
import Foundation

/// The audio kept beside the store, and how more is added to it. Requests keep the catalogue's rate limit and Retry-After, which
/// all processes share through the store.
public struct AudioLibrary: Sendable {
  /// `audio` in the data directory.
  public let directory: URL
  private let store: RecordingStore
  private let dependencies: Dependencies
  private let catalogues: [Catalogue]
  private let fetcher: @Sendable (Catalogue) -> AudioFetcher
  private let pieceSize: Int
  private let whenChanged: @Sendable () -> Void

  /// - Parameters:
  ///   - pieceSize: bytes per request. Most recordings fit into one, which matters because each waits for the rate limit.
  ///   - whenChanged: called after a file was kept or removed here.
  init(
    store: RecordingStore, directory: URL, catalogues: [Catalogue] = Catalogues.all, dependencies: Dependencies,
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
    /// Where the file is; its extension says which kind of audio it has.
    public let url: URL
    /// If `true`, the caller must delete the file.
    public let isTemporary: Bool

    package init(url: URL, isTemporary: Bool) {
      self.url = url
      self.isTemporary = isTemporary
    }
  }

  /// How much audio is kept.
  public struct Usage: Hashable, Codable, Sendable {
    /// Complete files.
    public var files = 0
    /// The bytes of complete files and of parts of others.
    public var bytes: Int64 = 0
    /// Folders that this account may not read, whose files are not counted.
    public var unreadable = 0

    /// Nothing, to be filled for previews and tests.
    public init() {}

    fileprivate mutating func add(_ file: URL, _ bytes: Int64) {
      self.bytes += bytes
      if AudioKind(rawValue: file.pathExtension) != nil { files += 1 }
    }
  }

  /// The recording's audio as a local file, fetched and kept where it is not kept yet.
  ///
  /// Cancel its task to end a download: no file is kept, and a later call continues with the pieces that are on the disk, if the
  /// server allows that.
  ///
  /// - Parameters:
  ///   - recording: with the fields that name its audio.
  ///   - keepsGenerated: whether audio that a catalogue makes on this machine is kept like audio that was downloaded.
  ///   - progress: called as bytes arrive, with those that have arrived and with all; `nil` if the server does not say how many. The
  ///     first answer says it. Fewer bytes follow if the file has changed on the server. It is called on any thread and must return
  ///     soon, and not at all if the file is kept already.
  /// - Throws: `AudioError`; `StoreError.busy` for a row that is not read yet (`Recording.isMissing`).
  public func file(
    of recording: Recording, keepsGenerated: Bool = false,
    progress: @escaping @Sendable (_ received: Int, _ total: Int?) -> Void = { _, _ in }
  ) async throws(AudioError) -> LocalFile {
    guard !recording.isMissing else { throw .store(.busy(path: store.path)) }
    if let kept = try kept(recording.id) { return LocalFile(url: kept, isTemporary: false) }
    guard let catalogue = catalogues.first(where: { $0.id == recording.id.catalogue }) else { throw .fetch(.unknownCatalogue) }
    if case .generated(let pathExtension, let make) = catalogue.audio {
      return try save(make(recording.id), of: recording.id, pathExtension, isKept: keepsGenerated)
    }
    let fetcher = fetcher(catalogue)
    let address = try fetcher.address(of: recording)
    var name = ""
    if case .download(_, let field?, _) = catalogue.audio { name = recording.text(field) ?? "" }
    let named = AudioKind(fileExtension: (name as NSString).pathExtension)
    let file = try AudioFile(
      of: recording.id, fileExtension: named?.rawValue ?? address.pathExtension, in: directory)
    let pacer = RequestPacer(
      store: store, catalogue: catalogue.id, interval: fetcher.minimumInterval, dependencies: dependencies)
    let download = AudioDownload(
      address: address, file: file, fetcher: fetcher, pacer: pacer, pieceSize: pieceSize, progress: progress)
    let url = try await download.run()
    whenChanged()
    return LocalFile(url: url, isTemporary: false)
  }

  /// Throws if there is no audio of that recording that could be requested.
  func checkAddress(of recording: Recording) throws(AudioError) {
    guard let catalogue = catalogues.first(where: { $0.id == recording.id.catalogue }) else { throw .fetch(.unknownCatalogue) }
    if case .generated = catalogue.audio { return }
    _ = try fetcher(catalogue).address(of: recording)
  }

  /// The complete audio file of a recording, under the name of its kind; `nil` if none is kept.
  public func kept(_ id: RecordingID) throws(AudioError) -> URL? {
    try AudioFile(of: id, in: directory).kept
  }

  /// The media type of a kept file: that of its bytes, also if the file could not be renamed.
  package static func mediaType(of file: URL) -> String {
    let named = AudioKind(fileExtension: file.pathExtension)
    let kind = AudioFile.kind(ofFileAt: file.path, named: named) ?? named
    return kind?.mediaType ?? "application/octet-stream"
  }

  /// The kept audio of all recordings of these catalogues.
  public func keptFiles(of catalogues: some Sequence<CatalogueID>) -> KeptAudio {
    KeptAudio(of: catalogues, in: directory)
  }

  /// How much is kept, by looking at every file.
  public func usage() -> Usage {
    var usage = Usage()
    for (file, bytes) in files() { usage.add(file, bytes) }
    usage.unreadable = folders.count { access($0.path, R_OK | X_OK) != 0 && errno == EACCES }
    return usage
  }

  /// The complete files by their names in `directory`, as `xeno-canto/535692.mp3`, and their sizes in bytes.
  package func keptFiles() -> [(name: String, bytes: Int64)] {
    files().compactMap { url, bytes in
      guard let kind = AudioKind(rawValue: url.pathExtension),
        let path = AudioFile.settled(url.deletingPathExtension().path, kind)
      else { return nil }
      return (path.split(separator: "/").suffix(2).joined(separator: "/"), bytes)
    }.sorted { $0.0 < $1.0 }
  }

  private var folders: [URL] { [directory] + Self.contents(of: directory) }

  private func files() -> [(url: URL, bytes: Int64)] {
    folders.flatMap { Self.contents(of: $0) }.filter { !$0.lastPathComponent.hasPrefix(".") }
      .compactMap { file in Self.size(of: file).map { (file, $0) } }
  }

  /// How much is kept of these recordings, without what links lead to.
  func usage(of recordings: [RecordingID]) -> Usage {
    files(of: recordings).reduce(into: Usage()) { if !$1.isLink { $0.add($1.url, $1.bytes) } }
  }

  /// Deletes the audio of a recording, also parts of it; `false` if there was none. A download of it that is under way fails:
  /// cancel it first.
  ///
  /// - Throws: `AudioError`, if a file cannot be deleted.
  @discardableResult
  public func remove(_ id: RecordingID) throws(AudioError) -> Bool {
    _ = try AudioFile.name(id.value)
    let (removed, links) = remove([id])
    if let left = files(of: [id]).first { throw .file(path: left.url.path, errno: errno == 0 ? EACCES : errno) }
    return removed.bytes > 0 || removed.files + links > 0
  }

  /// Removes the audio of these recordings, also parts of it. Of a link in its place only the link is removed: in a folder that
  /// others may write to, it can lead to any file.
  ///
  /// - Returns: what was removed, and the number of links; a file that cannot be removed stays.
  func remove(_ recordings: [RecordingID]) -> (removed: Usage, links: Int) {
    defer { whenChanged() }
    return files(of: recordings).reduce(into: (Usage(), 0)) { sum, file in
      guard unlink(file.url.path) == 0 else { return }
      if file.isLink { sum.1 += 1 } else { sum.0.add(file.url, file.bytes) }
    }
  }

  /// Numbers that are others after any change of the folders. Two changes can have the same time, so each call has others until
  /// that time is two seconds ago.
  var version: [Int] {
    let now = WallClock.now().timeIntervalSince1970
    return folders.flatMap { folder -> [Int] in
      var status = stat()
      guard stat(folder.path, &status) == 0 else { return [0] }
      #if canImport(Darwin)
        let time = status.st_mtimespec
      #else
        let time = status.st_mtim
      #endif
      return [Int(time.tv_sec), Int(time.tv_nsec)] + (abs(now - Double(time.tv_sec)) < 2 ? [.random(in: .min ... .max)] : [])
    }
  }

  /// Every file of these recordings; each folder is read once, because most recordings of a long list have no file.
  private func files(of recordings: [RecordingID]) -> [(url: URL, bytes: Int64, isLink: Bool)] {
    let names = Dictionary(grouping: recordings, by: \.catalogue).compactMap { catalogue, ids -> (URL, Set<String>)? in
      guard let folder = try? AudioFile.folder(of: catalogue, in: directory) else { return nil }
      return (folder, Set(ids.compactMap { try? AudioFile.name($0.value) }))
    }
    return names.flatMap { folder, names in
      // A name has no dot of its own, so everything from the first dot on is the kind.
      Self.contents(of: folder).filter { names.contains(String($0.lastPathComponent.prefix { $0 != "." })) }
        .compactMap { file in Self.size(of: file).map { (file, $0, file.resolvingSymlinksInPath() != file) } }
    }
  }

  /// What is in a folder, or in the one that a link in its place leads to.
  private static func contents(of folder: URL) -> [URL] {
    let folder = folder.resolvingSymlinksInPath()
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
    return names.map { folder.appending(path: $0) }
  }

  /// The bytes of a file, or of the one that a link leads to; `nil` if it is no regular file.
  static func size(of file: URL) -> Int64? { size(of: file.path) }

  static func size(of path: String) -> Int64? {
    var status = stat()
    guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
    return Int64(status.st_size)
  }

  private func save(
    _ bytes: [UInt8], of id: RecordingID, _ pathExtension: String, isKept: Bool
  ) throws(AudioError) -> LocalFile {
    let temporary = FileManager.default.temporaryDirectory.appending(path: "chirper-\(UUID().uuidString).\(pathExtension)")
    let named = AudioKind(fileExtension: pathExtension)
    let kind = AudioKind(mediaType: "", name: named) { offset, count in
      Array(bytes.dropFirst(offset).prefix(count))
    }
    let file = isKept ? try AudioFile(of: id, in: directory).url(kind) : temporary
    if isKept { try AudioDownload.makeFolder(file.deletingLastPathComponent()) }
    do {
      // In a directory that everyone can write to, never through a link that another user made.
      try Data(bytes).write(to: file, options: isKept ? .atomic : .withoutOverwriting)
      if isKept {
        SharedFolder(file.deletingLastPathComponent().path).setMode(ofNew: file.lastPathComponent)
        whenChanged()
      }
    } catch {
      throw .file(path: file.path, errno: errno == 0 ? EIO : errno)
    }
    return LocalFile(url: file, isTemporary: !isKept)
  }
}
