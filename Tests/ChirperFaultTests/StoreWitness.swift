import ChirperModel
import ChirperStore
import ChirperTestSupport
import Foundation
import Testing

@testable import Chirper

/// Looks at the store that a run of the built program left behind, with the real store and not with the program.
struct StoreWitness {
  let directory: URL

  init(_ program: BuiltProgram) {
    directory = program.directory.appending(path: ".local/share/chirper", directoryHint: .isDirectory)
  }

  var file: String { directory.appending(path: RecordingStore.fileName).path }

  /// The ids of every stored list; records an issue where the file is not sound or a rule of a list is broken.
  @discardableResult
  func check(_ what: String) throws -> [[String]] {
    let store = try RecordingStore.readable(in: directory)
    let diagnosis = try store.diagnosis(of: directory)
    #expect(diagnosis.problems == [], "\(what)")
    return try store.storedQueries().map { stored in
      let audit = try store.audit(of: stored.query)
      #expect(audit.problems == [], "\(what)")
      #expect(Set(audit.ids).count == audit.ids.count, "a row stands twice: \(what)")
      if case .complete = stored.completeness {
        #expect(audit.ids.count + stored.skipped == stored.totals?.recordings, "\(what)")
      }
      return audit.ids
    }
  }

  /// The one stored query.
  func stored() throws -> StoredQuery? {
    try RecordingStore.readable(in: directory).storedQueries().first
  }
}

/// A copy of a program's world, so that every try begins from the same bytes.
func withCopy<T>(of program: BuiltProgram, _ variables: [String: String], _ body: (BuiltProgram) throws -> T) throws -> T {
  let copy = try BuiltProgram(variables)
  defer { copy.remove() }
  let from = program.directory.appending(path: ".local")
  if FileManager.default.fileExists(atPath: from.path) {
    try FileManager.default.copyItem(at: from, to: copy.directory.appending(path: ".local"))
  }
  return try body(copy)
}
