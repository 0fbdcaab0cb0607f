import ChirperModel
import ChirperTestSupport
import ChirperTesting
import Foundation
import Testing

@testable import Chirper
@testable import ChirperFormats

/// Locks that are built and verified on machines with stores of their own, of a catalogue on
/// loopback.
struct DataSetEngineTests {
  private static let ids = (1...12).map { "\($0 * 37)" }

  /// A store, and a folder for locks and data sets.
  private struct Machine {
    let program: BuiltProgram
    let repository: RecordingRepository

    init(_ upstream: SoundCatalogue) throws {
      program = try BuiltProgram()
      repository = try RecordingRepository(
        directory: URL(filePath: program.path("store")),
        configuration: RemoteConfiguration(
          baseURLs: [.xenoCanto: upstream.catalogue.server.url], key: { _ in APIKey("k") }),
        dependencies: ManualClock().dependencies())
    }

    func fetch(verify: Bool = false) async throws {
      let query = try repository.query("kea", in: .xenoCanto)
      let report = await repository.fetch(query, FetchPlan(.all, verify: verify))
      #expect(report.failure == nil && report.stored?.next == nil)
    }

    func build(
      _ lock: String, _ name: String
    ) async throws -> (report: DataSet.BuildReport, files: [String: Data]) {
      let report = try await DataSet.build(
        URL(filePath: lock), to: URL(filePath: program.path(name)), from: repository)
      return (report, program.files(name))
    }

    /// The lines of the recordings that are not the same, and the sum.
    func verify(
      _ lock: String, in folder: String? = nil, asking: Bool = false
    ) async throws -> [String] {
      let asked = try await asking ? AskedLists(of: LockReader(lock).header, in: repository) : nil
      var lines: [String] = []
      let summary = try await LockVerification(
        of: lock, folder: folder, in: repository, asked: asked
      ).run { _, _ in
      } difference: {
        lines.append($0.text)
      }
      return lines + [summary.text]
    }
  }

  private func withMachine(
    _ upstream: SoundCatalogue, _ body: (Machine) async throws -> Void
  ) async throws {
    let machine = try Machine(upstream)
    defer { machine.program.remove() }
    try await body(machine)
  }

  /// A machine that has locked the list `kea`.
  private func withLock(
    _ upstream: SoundCatalogue, _ body: (Machine, String) async throws -> Void
  ) async throws {
    try await withMachine(upstream) { machine in
      try await machine.fetch()
      let definition = machine.program.path("keas.dataset.json")
      try Data(#"{"title":"Keas","selections":[{"lists":["kea"]}]}"#.utf8).write(
        to: URL(filePath: definition))
      let lock = machine.program.path("keas.lock.jsonl")
      let report = try await DataSet.lock(
        URL(filePath: definition), to: URL(filePath: lock), from: machine.repository)
      #expect(report.recordings == Self.ids.count)
      try await body(machine, lock)
    }
  }

  /// A copy of a lock in which the line of one id has changed members.
  private func edited(
    _ lock: String, _ id: String, _ change: (inout [String: Any]) -> Void
  ) throws -> String {
    let text = try String(contentsOfFile: lock, encoding: .utf8)
    let lines = try text.split(separator: "\n").map { line -> String in
      guard line.contains("\"id\":\"\(id)\""),
        var object = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
      else { return String(line) }
      change(&object)
      return String(decoding: try JSONSerialization.data(withJSONObject: object), as: UTF8.self)
    }
    let path = (lock as NSString).deletingLastPathComponent + "/forged.lock.jsonl"
    try Data((lines.joined(separator: "\n") + "\n").utf8).write(to: URL(filePath: path))
    return path
  }

  @Test(arguments: [
    ("recordedBy", "Eve"), ("licenseName", "CC0 1.0"), ("scientificName", "Corvus corax"),
    ("acceptedNameUsage", "Corvus corax"), ("eventDate", "1999-01-01"), ("locality", "Eve's wood"),
  ])
  func `a line that was edited verifies as what it is, and is not built`(
    column: String, value: String
  ) async throws {
    try await withLock(try SoundCatalogue(Self.ids)) { machine, lock in
      for (name, hash) in [("kept", nil), ("made up", String(repeating: "0", count: 64))] {
        let forged = try edited(lock, "111") { line in
          line[column] = value
          if let hash { line["sha256"] = hash }
        }
        let lines = try await machine.verify(forged)
        #expect(lines.count == 2 && lines[0].contains("\(column) \(value) → "), "\(lines)")
        let (report, files) = try await machine.build(forged, "forged \(name)")
        let said = report.lines(folder: "set")
        #expect(report.missing == 1 && said.contains { $0.contains("\(column) \(value) → ") })
        #expect(files.keys.count { $0.hasSuffix(".mp3") } == Self.ids.count - 1)
        for (file, data) in files {
          #expect(data.range(of: Data(value.utf8)) == nil, "\(file)")
        }
      }
      // The record that was locked is known, so what upstream changes keeps no line out.
      let honest = try await machine.build(lock, "honest").report
      #expect(honest.missing == 0)
    }
  }

  @Test func `a build compares with the record that was locked, also when it changed since`()
    async throws
  {
    let upstream = try SoundCatalogue(Self.ids)
    try await withLock(upstream) { machine, lock in
      upstream.change("37") { $0.licence = "//creativecommons.org/licenses/by-nc/4.0/" }
      try await machine.fetch(verify: true)
      let own = try await machine.build(lock, "set").report
      #expect(own.missing == 0)
      try await withMachine(upstream) { other in
        try await other.fetch()
        let report = try await other.build(lock, "set").report
        #expect(report.contradicted.map(\.reason) == [.licence])
        #expect(report.contradicted[0].text.hasPrefix("XC37: licence changed"))
        #expect(report.notCompared == 0 && report.missing == 1)
      }
    }
  }

  @Test func `no lock leaves a sound under the id of a different recording`() async throws {
    let upstream = try SoundCatalogue(Self.ids)
    try await withLock(upstream) { _, lock in
      let text = try String(contentsOfFile: lock, encoding: .utf8)
      let other = try #require(text.firstMatch(of: /"accessURI":"([^"]*\/74\/[^"]*)"/)).1
      let forged = try edited(lock, "37") {
        $0["accessURI"] = String(other).replacing("\\/", with: "/")
      }
      for isFetched in [false, true] {
        try await withMachine(upstream) { machine in
          if isFetched { try await machine.fetch() }
          let report = try await machine.build(forged, "forged").report
          #expect(report.missing == 1 && report.changed == (isFetched ? [] : ["XC37"]))
          let (honest, files) = try await machine.build(lock, "set")
          #expect(honest.missing == 0)
          #expect(
            files["Psittacus exemplaris/XC37.mp3"] == Data("ID3 and sound 37 old".utf8))
        }
      }
    }
  }

  @Test func `what a licence does not allow is left out, and what it forbids is said first`()
    async throws
  {
    let upstream = try SoundCatalogue(Self.ids)
    let licences = [
      "//creativecommons.org/licenses/by-nc/4.0/", "//creativecommons.org/licenses/by-nd/4.0/",
      "All rights reserved", "",
    ]
    for (id, licence) in zip(Self.ids, licences) { upstream.change(id) { $0.licence = licence } }
    try await withLock(upstream) { machine, lock in
      let (report, files) = try await machine.build(lock, "set")
      #expect(report.missing == 0)
      let start = "2 recordings left out, because the licence does not allow to pass them on: "
      #expect(report.lines(folder: "set")[0].hasPrefix(start), "\(report)")
      #expect(files.keys.count { $0.hasSuffix(".mp3") } == Self.ids.count - 2)
      for id in Self.ids[2...3] { #expect(!files.keys.contains { $0.hasSuffix("/XC\(id).mp3") }) }
      let left = "2 left out of the folder because of the licence"
      #expect(
        try await machine.verify(lock, in: machine.program.path("set"))
          == ["12 of 12 recordings are the same; " + left])
      #expect(
        try await machine.verify(lock, in: machine.program.path("nothing")).last
          == "2 of 12 recordings are the same; 10 missing, " + left)
      let readme = String(decoding: files["README.txt"] ?? Data(), as: UTF8.self)
      #expect(
        readme.hasPrefix(
          "NOT FOR COMMERCIAL USE: the licences of 1 of 10 recordings do not allow it.\n"),
        "\(readme)")
      #expect(readme.contains("The licences of 1 recording do not allow to publish changed"))
    }
  }

  @Test func `another machine finds out what became of each recording`() async throws {
    let upstream = try SoundCatalogue(Self.ids)
    try await withLock(upstream) { machine, lock in
      upstream.catalogue.change { $0.removeAll { ["37", "74"].contains($0.id) } }
      upstream.change("111") { $0.remark = "edited" }
      upstream.change("148") { $0.licence = "//creativecommons.org/licenses/by-nc/4.0/" }
      upstream.replaceAudio(of: "185")
      let expected = [
        "XC37: withdrawn", "XC74: withdrawn", "XC111: fields changed",
        "XC148: licence changed (stricter): licenseName CC BY 4.0 → CC BY-NC 4.0",
        "XC185: audio changed",
        "7 of 12 recordings are the same; 2 withdrawn, 1 licence changed (1 stricter), "
          + "1 audio changed, 1 fields changed",
      ]
      try await withMachine(upstream) { other in
        let found = try await other.verify(lock, asking: true)
        #expect(found == expected)
        // What it has stored since is enough to say the same without asking.
        let asked = upstream.catalogue.requests.count
        let stored = try await other.verify(lock)
        #expect(stored.count == 6)
        #expect(upstream.catalogue.requests.count == asked)
        let built = try await other.build(lock, "set").report
        #expect(built.changed == ["XC185"])
      }
      // The first machine still has the record that was locked, so it knows which field it is.
      let own = try await machine.verify(lock, asking: true)
      #expect(own.contains("XC111: fields changed: rmk"), "\(own)")
    }
  }
}
