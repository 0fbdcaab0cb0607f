import ChirperModel
import ChirperStore
import ChirperTestSupport
import Foundation
import Testing

@testable import Chirper

/// Reads the store that a run of the built program left, in this process.
struct StoreInspector {
  let directory: URL

  init(_ program: BuiltProgram) {
    directory = program.directory.appending(
      path: ".local/share/chirper", directoryHint: .isDirectory)
  }

  var file: String { directory.appending(path: RecordingStore.fileName).path }

  /// The ids of every stored list; records an issue if the file is damaged or a list breaks its
  /// rules.
  @discardableResult
  func check(_ what: String) throws -> [[String]] {
    let store = try RecordingStore.readable(in: directory)
    let diagnosis = try store.diagnosis(of: directory)
    #expect(diagnosis.problems == [], "\(what)")
    return try store.storedQueries().map { stored in
      let audit = try store.audit(of: stored.query)
      #expect(audit.problems == [], "\(what)")
      #expect(Set(audit.ids).count == audit.ids.count, "a row is in the list twice: \(what)")
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

/// Runs the body with a copy of the program's files, so that every attempt starts from the same
/// bytes.
func withCopy<T>(
  of program: BuiltProgram, _ variables: [String: String], _ body: (BuiltProgram) throws -> T
) throws -> T {
  let copy = try BuiltProgram(variables)
  defer { copy.remove() }
  let from = program.directory.appending(path: ".local")
  if FileManager.default.fileExists(atPath: from.path) {
    try FileManager.default.copyItem(at: from, to: copy.directory.appending(path: ".local"))
  }
  return try body(copy)
}

/// Runs every command with a store that cannot be used: those that open it end with that status and
/// sentence, and change nothing in it.
///
/// - Parameter hasOptions: whether they are run with all their options too.
func expectRefused(
  _ program: BuiltProgram, _ status: Int32, _ sentence: String, hasOptions: Bool = false
) throws {
  let file = URL(filePath: StoreInspector(program).file)
  // Reading a named pipe would wait.
  let isFile = try? file.resourceValues(forKeys: [.isRegularFileKey]).isRegularFile
  let before = isFile == true ? try Data(contentsOf: file) : nil
  try CommandForm.writeFiles(for: program)
  for form in try CommandForm.all(of: "sample")
  where hasOptions || form.isPlain || form.command == "doctor" {
    // Tests of their own have what a repair does.
    guard !form.words.contains("--repair") else { continue }
    let result = try program.run(BuiltProgram.path, form.words, input: "akeyofsomelength")
    #expect(result.status == (form.opensStore ? status : 0), "\(form): \(result)")
    #expect(
      !form.opensStore || result.error.replacing(#"\"#, with: "").contains(sentence),
      "\(form): \(result)")
  }
  if let before { #expect(try Data(contentsOf: file) == before) }
}
