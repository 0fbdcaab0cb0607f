import Chirper
import ChirperModel
import Foundation

/// What `doctor` finds out.
struct DoctorReport {
  private let environment: ProcessEnvironment
  private let dataDirectory: Result<URL, CommandError>
  private var diagnosis: Diagnosis?
  /// What is wrong with the store; `nil` where it is sound or not there yet.
  private(set) var explanation: UserFacingError?

  init(_ environment: ProcessEnvironment) {
    self.environment = environment
    dataDirectory = Result { () throws(CommandError) in try environment.dataDirectory() }
  }

  mutating func look() {
    do {
      let found = try RecordingRepository(directory: dataDirectory.get(), access: .read).diagnosis()
      diagnosis = found
      if !found.problems.isEmpty { throw CommandError.unsound(path: found.path, problems: found.problems.count) }
    } catch {
      explanation = UserFacingError(any: error) ?? UserFacingError(.failed, "other", "\(error)")
    }
  }

  /// Whether a repair may help: not for a database that is newer or not ours.
  var isDamaged: Bool {
    explanation.map { ["damaged", "input-output", "store"].contains($0.kind) } ?? false
  }

  func lines(now: Date) -> [String] {
    var lines = [
      "chirper      \(RootCommand.version)",
      "data         \((try? dataDirectory.get().path) ?? "no place: HOME is not set")",
      "config       \(environment.configDirectory?.path ?? "no place: HOME is not set")",
      "key          \(keyWords)",
    ]
    guard let found = diagnosis else { return lines + ["database     \(explanation?.message ?? "unknown")"] }
    lines.append("SQLite       \(found.sqliteVersion)")
    guard found.exists else { return lines + ["database     \(found.path), not there yet: the first fetch makes it"] }
    let access = found.isReadOnly ? ", can only be read" : ""
    lines.append("database     \(found.path), \(found.size) bytes\(access)")
    lines.append("schema       version \(found.schemaVersion)")
    lines.append("integrity    \(found.problems.isEmpty ? "sound" : "damaged")")
    lines += found.problems.prefix(20).map { "  \($0)" }
    let queries = found.queries == 1 ? "1 query" : "\(found.queries) queries"
    lines.append("stored       \(queries), \(Plural.words(found.recordings, "recording"))")
    for pacing in found.pacing {
      let last = pacing.lastRequestAt.map { "last request \(DurationText.ago($0, now: now))" } ?? "never asked"
      let pause = pacing.pausedUntil.flatMap { $0 > now ? $0 : nil }
        .map { ", not before \($0.formatted(.iso8601)) by its own wish" }
      lines.append("pacing       \(pacing.catalogue): \(last)\(pause ?? "")")
    }
    return lines
  }

  var json: JSONObject {
    var object = JSONObject()
    object.add("version", RootCommand.version)
    object.add("dataDirectory", try? dataDirectory.get().path)
    object.add("configDirectory", environment.configDirectory?.path)
    object.add("key", keyState.word)
    // A damaged database is told of too, though there is no diagnosis of it.
    let path = diagnosis?.path ?? (try? dataDirectory.get()).map { RecordingRepository.database(in: $0).path }
    object.add("database", path)
    object.add("exists", diagnosis?.exists ?? path.map { FileManager.default.fileExists(atPath: $0) } ?? false)
    object.add("readOnly", diagnosis?.isReadOnly ?? false)
    object.add("bytes", diagnosis?.size)
    object.add("schemaVersion", diagnosis?.schemaVersion)
    object.add("sqliteVersion", diagnosis?.sqliteVersion)
    object.add("problems", diagnosis?.problems ?? [])
    object.add("queries", diagnosis?.queries)
    object.add("recordings", diagnosis?.recordings)
    object.add(
      "pacing",
      (diagnosis?.pacing ?? []).map { pacing in
        var entry = JSONObject()
        entry.add("source", pacing.catalogue.rawValue)
        entry.add("lastRequestAt", pacing.lastRequestAt)
        entry.add("pausedUntil", pacing.pausedUntil)
        return entry
      })
    object.add("error", explanation?.json)
    return object
  }

  private var keyState: (word: String, explanation: UserFacingError?, place: KeyFile.Place?) {
    do throws(CommandError) {
      switch try KeyFile(environment).current()?.place {
      case .environment?: return ("environment", nil, .environment)
      case .file(let path)?: return ("file", nil, .file(path: path))
      case nil: return ("none", nil, nil)
      }
    } catch {
      return ("refused", UserFacingError(error), nil)
    }
  }

  private var keyWords: String {
    let state = keyState
    switch state.place {
    case .environment: return "set in \(KeyFile.variable)"
    case .file(let path): return "set in \(path)"
    case nil: return state.explanation?.message ?? "not set"
    }
  }
}
