import Chirper
import ChirperFormats
import ChirperModel
import Foundation

struct DoctorReport: Sendable {
  private let environment = ProcessEnvironment.live
  private let dataDirectory = try? ProcessEnvironment.live.dataDirectory()
  private var diagnosis: Diagnosis?
  private var nameLists: [NameList] = []
  private var labelled = (recordings: 0, files: [String]())
  private var audio = AudioLibrary.Usage()
  /// The kept audio compared with its hashes; `nil` if it was not compared.
  private var comparison: AudioComparison?
  private var library: AudioLibrary?
  private var lists: [StoredQuery] = []
  /// The problem of the store; `nil` if it is sound or does not exist yet.
  private var storeError: UserFacingError?
  /// The problem of the settings, which every command that asks a catalogue reports.
  private var settingsError: UserFacingError?
  /// The warnings about names that are not settings.
  private(set) var warnings: [String] = []

  /// The problem that ends the command; `nil` if nothing is wrong.
  var error: UserFacingError? { storeError ?? settingsError }

  init() {
    do throws(UserFacingError) {
      let settings = try Settings(environment)
      warnings = settings.warnings
      if let source = settings.source { _ = try Session.catalogue(source.name, from: source.from) }
    } catch {
      settingsError = error
    }
    do {
      let repository = try RecordingRepository(
        directory: environment.storeDirectory(), access: .read)
      library = repository.audio
      audio = repository.audio.usage()
      lists = (try? repository.storedQueries()) ?? []
      nameLists = try repository.nameLists()
      labelled = try repository.labelled()
      let found = try repository.diagnosis()
      diagnosis = found
      if !found.problems.isEmpty {
        throw StoreError(
          .damaged(
            path: found.path, detail: Plural.words(found.problems.count, "problem")))
      }
    } catch {
      storeError = .of(error)
    }
  }

  /// Compares the kept audio with the hashes that were stored with it.
  ///
  /// - Parameter progress: called before each file, with those before it and all.
  mutating func compareAudio(
    _ part: AudioComparison.Part?, _ progress: (Int, Int) -> Void
  ) throws {
    guard let library else { return }
    do {
      let found = try library.comparison(of: part, progress: progress)
      comparison = found
      let bad = found.changed.count + found.unreadable.count
      guard bad > 0, storeError == nil else { return }
      storeError = UserFacingError(
        .damaged, kind: "audio-damaged",
        problem:
          "\(Plural.words(bad, "audio file")) of \(found.files) \(Plural.are(bad)) not as completed",
        hint: "Remove these files from \(library.directory.path); fetch --audio fetches them again."
      )
    } catch let error as AudioError {
      throw UserFacingError(error)
    }
  }

  /// Whether a repair may help: not for a database that is newer or not ours.
  var isDamaged: Bool {
    error.map { ["damaged", "input-output", "store"].contains($0.kind) } ?? false
  }

  /// Whether at most the search index is damaged.
  var areRecordingsSound: Bool { diagnosis?.areRecordingsSound ?? false }

  func lines(now: Date) -> [String] {
    var lines = [
      "chirper      \(ProgramVersion.current)",
      "data         \(dataDirectory?.path ?? "none: HOME is not set")",
      "config       \(environment.configDirectory?.path ?? "none: HOME is not set")",
      "key          \(key.text)",
      "proxy        \(ProxySettings.live.summary ?? "none")",
    ]
    guard let found = diagnosis else {
      return lines + ["database     \(error?.message ?? "unknown")"]
    }
    lines.append("SQLite       \(found.sqliteVersion)")
    guard found.exists else {
      return lines + ["database     \(found.path), missing: the first fetch creates it"]
    }
    let access = found.isReadOnly ? "; read-only" : ""
    lines.append("database     \(found.path), \(SizeText.words(found.size))\(access)")
    if let sharing {
      lines.append("directory    \(sharing.text)")
      lines += sharing.problems.map { "  \($0)" }
    }
    return lines + contents(of: found, now: now)
  }

  /// The lines for the report of a bug, for anybody to read: no key, no query, no path, no
  /// address and no name.
  func anonymousLines(now: Date) -> [String] {
    let variables = environment.namesRead
    var lines = [
      "chirper      \(ProgramVersion.current)",
      "system       \(ProcessInfo.processInfo.operatingSystemVersionString), \(Self.machine)",
      "processors   \(ProcessInfo.processInfo.activeProcessorCount)",
      "terminal     \(TerminalDevice.isError ? "\(TerminalDevice.width(of: STDERR_FILENO)) columns" : "none")",
      "variables    \(variables.isEmpty ? "none" : variables.joined(separator: " "))",
      "settings     \(hasSettings ? "a file" : "none")",
      "key          \(key.word)",
      "proxy        \(ProxySettings.live.summary == nil ? "none" : "set")",
    ]
    if let error { lines.append("error        \(error.kind), exit code \(error.status.rawValue)") }
    guard let found = diagnosis else { return lines }
    lines.append("SQLite       \(found.sqliteVersion)")
    guard found.exists else { return lines + ["database     missing"] }
    let free = try? dataDirectory?.resourceValues(forKeys: [.volumeAvailableCapacityKey])
      .volumeAvailableCapacity
    lines += [
      "database     \(SizeText.words(found.size))\(found.isReadOnly ? ", read-only" : "")",
      "directory    \(sharing.map { "mode \($0.mode)" } ?? "unknown"), \(free.map { "\(SizeText.words($0)) free" } ?? "free space unknown")",
    ]
    lines += lists.map { list in
      let pages = Plural.words(list.pagesStored, "page")
      return
        "list         \(list.query.catalogue): \(Plural.words(list.count, "row")), \(pages), \(list.completeness.word), "
        + "fetched \(AgeText.ago(list.oldestFetchedAt, now: now))"
    }
    return lines + contents(of: found, now: now)
  }

  /// The content of the store and whether it is sound, without a name or a path.
  private func contents(of found: Diagnosis, now: Date) -> [String] {
    var lines = [
      "schema       version \(found.schemaVersion)",
      "integrity    \(found.problems.isEmpty ? "sound" : "damaged")",
    ]
    lines += FirstNames(found.problems).lines.map { "  \($0)" }
    lines.append(
      "stored       \(Plural.words(found.queries, "query")), \(Plural.words(found.recordings, "recording"))"
    )
    if !nameLists.isEmpty {
      let names = nameLists.reduce(0) { $0 + $1.names }
      lines.append(
        "names        \(Plural.words(names, "name")) in \(Plural.words(nameLists.count, "list"))"
      )
    }
    if labelled.recordings > 0 {
      let files = Plural.words(labelled.files.count, "file")
      lines.append(
        "labels       of \(Plural.words(labelled.recordings, "recording")), from \(files)")
    }
    let unreadable =
      audio.unreadable > 0 ? "; \(Plural.words(audio.unreadable, "folder")) cannot be read" : ""
    lines.append(
      "audio        \(Plural.words(audio.files, "file")), \(SizeText.words(audio.bytes))\(unreadable)"
    )
    if let comparison { lines += comparison.lines }
    for pacing in found.pacing {
      let last =
        pacing.lastRequestAt.map { "last request \(AgeText.ago($0, now: now))" }
        ?? "no request was paced"
      let pause = pacing.pausedUntil.flatMap { $0 > now ? $0 : nil }
        .map { ", not before \($0.formatted(.iso8601)) as its Retry-After asks" }
      lines.append("pacing       \(pacing.catalogue): \(last)\(pause ?? "")")
    }
    return lines
  }

  var json: JSONObject {
    // A damaged database is named too, though it has no diagnosis.
    let path = diagnosis?.path ?? dataDirectory.map { RecordingRepository.database(in: $0).path }
    let exists =
      diagnosis?.exists ?? path.map { FileManager.default.fileExists(atPath: $0) } ?? false
    var audioMembers: JSONObject = [
      "files": audio.files, "bytes": audio.bytes, "unreadableFolders": audio.unreadable,
    ]
    audioMembers.add(known: ["compared": comparison?.json])
    let pacing: [JSONObject] = (diagnosis?.pacing ?? []).map { pacing in
      [
        "source": pacing.catalogue.rawValue, "lastRequestAt": pacing.lastRequestAt,
        "pausedUntil": pacing.pausedUntil,
      ]
    }
    return [
      "version": ProgramVersion.current, "dataDirectory": dataDirectory?.path,
      "configDirectory": environment.configDirectory?.path, "key": key.word,
      "proxy": ProxySettings.live.summary,
      "database": path, "exists": exists, "readOnly": diagnosis?.isReadOnly ?? false,
      "bytes": diagnosis?.size,
      "mode": sharing?.mode, "group": sharing?.group, "schemaVersion": diagnosis?.schemaVersion,
      "sqliteVersion": diagnosis?.sqliteVersion, "problems": diagnosis?.problems ?? [],
      "queries": diagnosis?.queries,
      "recordings": diagnosis?.recordings, "nameLists": diagnosis.map { _ in nameLists.count },
      "labelled": diagnosis.map { _ in labelled.recordings },
      "audio": audioMembers, "pacing": pacing,
      "error": error?.json,
    ]
  }

  private var hasSettings: Bool {
    environment.configDirectory.map {
      FileManager.default.fileExists(atPath: $0.appending(path: "config").path)
    } ?? false
  }

  private static var machine: String {
    #if arch(x86_64)
    "x86_64"
    #elseif arch(arm64)
    "aarch64"
    #else
    "another processor"
    #endif
  }

  private var sharing: DirectoryAccess? {
    dataDirectory.flatMap {
      DirectoryAccess($0, database: RecordingRepository.database(in: $0))
    }
  }

  /// The origin of the key, in a word for `--json`, and as a text.
  private var key: (word: String, text: String) {
    do throws(UserFacingError) {
      guard let current = try KeyFile.current() else { return ("none", "not set") }
      let named = current.source == .sharedFile ? ", which \(KeyFile.fileVariable) names" : ""
      return (current.source.rawValue, "set in \(current.path ?? KeyFile.variable)\(named)")
    } catch {
      return ("refused", error.message)
    }
  }
}

extension AudioComparison {
  fileprivate var lines: [String] {
    var counts = ["\(same) as completed"]
    if unknown > 0 { counts.append("\(unknown) without a stored hash") }
    if !changed.isEmpty { counts.append("\(changed.count) changed") }
    if !unreadable.isEmpty { counts.append("\(unreadable.count) unreadable") }
    let bad = changed.map { "changed: \($0)" } + unreadable.map { "unreadable: \($0)" }
    return ["compared     \(Plural.words(files, "file")): \(counts.joined(separator: ", "))"]
      + FirstNames(bad).lines.map { "  \($0)" }
  }

  fileprivate var json: JSONObject {
    [
      "files": files, "same": same, "unknown": unknown, "changed": changed,
      "unreadable": unreadable,
    ]
  }
}
