import ChirperTestSupport
import Foundation
import GRDBSQLite
import Synchronization
import Testing

/// Several processes that use one store, and signals to a fetch.
@Suite(.serialized)
struct ConcurrentProcessTests {
  @Test
  func `eight processes that fetch one query request each page about once and store no row twice`()
    throws
  {
    let ids = (1...45).map { "\($0)" }
    let isHeld = Atomic(true)
    let catalogue = try FakeXenoCanto(ids, rowsPerPage: 5) { _, _ in
      // Until the seven others wait: one that started later would read the list again.
      while isHeld.load(ordering: .relaxed) { usleep(5000) }
      return nil
    }
    try withProgram(catalogue.variables) { program in
      defer { isHeld.store(false, ordering: .relaxed) }
      let runs = try (1...8).map { _ in try program.start(arguments: ["fetch", "parrot", "--all"]) }
      try waitUntil {
        try runs.count(where: { try $0.error.contains("is fetching the same query") }) >= 7
      }
      isHeld.store(false, ordering: .relaxed)
      for result in try runs.map({ try $0.result() }) {
        #expect(result.status == 0, "\(result)")
        #expect(!result.error.contains("error"), "\(result)")
      }
      #expect(catalogue.server.requests.count <= 9 + 2)
      #expect(try StoreInspector(program).check("eight") == [ids])
      #expect(try StoreInspector(program).stored()?.completeness == .complete)
    }
  }

  @Test func `eight processes that fetch eight queries never find the database locked`() throws {
    let catalogue = try FakeXenoCanto((1...40).map { "\($0)" }, rowsPerPage: 4)
    try withProgram(catalogue.variables) { program in
      let runs = try (1...8).map {
        try program.start(arguments: ["fetch", "parrot \($0)", "--all"])
      }
      for result in try runs.map({ try $0.result() }) { #expect(result.status == 0, "\(result)") }
      #expect(
        try StoreInspector(program).check("eight queries").map(\.count)
          == Array(repeating: 40, count: 8))
    }
  }

  @Test
  func
    `a database that another process keeps locked ends commands with 75 and the name of that process`()
    throws
  {
    try withParrots { program in
      // This process holds the lock, so its number is what the program must print.
      var connection: OpaquePointer?
      #expect(
        sqlite3_open_v2(StoreInspector(program).file, &connection, SQLITE_OPEN_READWRITE, nil)
          == SQLITE_OK)
      defer { sqlite3_close_v2(connection) }
      #expect(sqlite3_exec(connection, "BEGIN EXCLUSIVE", nil, nil, nil) == SQLITE_OK)
      let result = try program.run("list")
      #expect(result.status == 75, "\(result)")
      #if os(Linux)
      #expect(result.error.contains("chirper.sqlite: process \(getpid()) ("), "\(result)")
      #expect(
        result.error.contains(") has locked the database.\nWait until process \(getpid()) ("),
        "\(result)")
      #endif
      #expect(sqlite3_exec(connection, "ROLLBACK", nil, nil, nil) == SQLITE_OK)
      #expect(try program.run("list").status == 0)
    }
  }

  @Test func `requests of a server wait for a locked database together, and then get 503`() throws {
    try withParrots { program in
      let server = try program.start(arguments: ["serve", "--port", "0"])
      defer { server.process.interrupt() }
      var port: Int?
      try waitUntil {
        port = try server.output.split(separator: ":").last.flatMap {
          Int($0.prefix { $0.isNumber })
        }
        return port != nil
      }
      let listening = try #require(port)
      #expect(RawClient.answer("/api/chirper/rows?q=grp:birds", port: listening)?.status == 200)
      var connection: OpaquePointer?
      #expect(
        sqlite3_open_v2(StoreInspector(program).file, &connection, SQLITE_OPEN_READWRITE, nil)
          == SQLITE_OK)
      defer { sqlite3_close_v2(connection) }
      #expect(sqlite3_exec(connection, "BEGIN EXCLUSIVE", nil, nil, nil) == SQLITE_OK)
      let targets = [
        "/api/3/recordings?query=q:A", "/api/chirper/lists", "/api/chirper/rows?q=q:B",
        "/api/chirper/stats?by=month",
        "/api/chirper/recordings/sample/sample:1", "/api/chirper/rows?list=parrot",
        "/api/chirper/map", "/api/chirper/rows?q=q:C",
      ]
      let file = program.path(".local/share/chirper/serve-token")
      let token = try String(contentsOfFile: file, encoding: .utf8)
      let key = ["X-API-Key: \(token.trimmingCharacters(in: .whitespacesAndNewlines))"]
      func expectToWaitTogether(_ method: String, _ targets: [String]) throws {
        let times = Mutex<[Duration]>([])
        let faults = Mutex<[String]>([])
        for target in targets {
          Thread {
            let start = ContinuousClock.now
            let answer = RawClient.answer(target, port: listening, method: method, headers: key)
            if answer?.status != 503 || answer?.headers["retry-after"] == nil
              || answer?.text.contains("has locked") != true
            {
              faults.withLock { $0.append("\(target): \(answer?.text ?? "nothing")") }
            }
            times.withLock { $0.append(ContinuousClock.now - start) }
          }.start()
        }
        try waitUntil { times.withLock { $0.count } == targets.count }
        #expect(faults.withLock { $0 } == [])
        // One after the other the last would wait as long as all together.
        let all = times.withLock { $0 }.sorted()
        #expect(all[all.count - 1] < all[0] * 2, "\(method): \(all)")
        #expect(sqlite3_exec(connection, "ROLLBACK", nil, nil, nil) == SQLITE_OK)
      }
      try expectToWaitTogether("GET", targets)
      // A program that writes lets others read, so only what writes waits for it.
      #expect(sqlite3_exec(connection, "BEGIN IMMEDIATE", nil, nil, nil) == SQLITE_OK)
      let list = "/api/chirper/lists?query=parrot"
      try expectToWaitTogether("DELETE", [String](repeating: list, count: 4))
      for target in targets {
        #expect(RawClient.answer(target, port: listening)?.status != 503, "\(target)")
      }
    }
  }

  @Test func `a fetch says which process it waits for`() throws {
    let catalogue = try FakeXenoCanto(["1", "2"]) { _, _ in .silent }
    try withProgram(catalogue.variables) { program in
      let first = try program.start(arguments: ["fetch", "parrot", "--all"])
      try waitUntil { !catalogue.requests.isEmpty }
      let second = try program.start(arguments: ["fetch", "parrot", "--all"])
      try waitUntil { try second.error.contains("is fetching the same query") }
      kill(second.process.processIdentifier, SIGINT)
      let result = try second.result()
      #expect(result.status == 130, "\(result)")
      #if os(Linux)
      let holder =
        "process \(first.process.processIdentifier) (chirper fetch parrot --all) is fetching the same query"
      #expect(result.error.contains(holder), "\(result)")
      #endif
      kill(first.process.processIdentifier, SIGKILL)
      _ = try first.result()
    }
  }

  @Test func `a reader that waits for its own output does not block a fetch`() throws {
    let catalogue = try FakeXenoCanto((1...400).map { "\($0)" }, rowsPerPage: 200, size: 2000)
    try withProgram(catalogue.variables) { program in
      #expect(try program.run("fetch", "parrot", "--all").status == 0)
      // The output is far more than a pipe holds, so the export waits in the middle of its rows.
      let reader = try program.set("chirper", BuiltProgram.path).start(
        "/bin/sh",
        arguments: [
          "-c",
          "\"$chirper\" export parrot --format jsonl | { head -c 1000 > begun; exec sleep 30; }",
        ])
      defer { kill(reader.process.processIdentifier, SIGTERM) }
      try waitUntil { (try? Data(contentsOf: URL(filePath: program.path("begun"))).count) == 1000 }
      catalogue.ids = (0...400).map { "\($0)" }
      let fetch = try program.run("fetch", "parrot", "--all")
      #expect(fetch.status == 0, "\(fetch)")
      #expect(reader.process.isRunning)
      #expect(try StoreInspector(program).check("beside a reader").first?.count == 401)
    }
  }

  @Test(arguments: [(SIGINT, 130), (SIGTERM, 143)] as [(Int32, Int32)])
  func `a signal ends a fetch that waits, and keeps every page that arrived`(
    signal: Int32, status: Int32
  ) throws {
    let ids = (1...12).map { "\($0)" }
    let catalogue = try FakeXenoCanto(ids) { _, page in page > 2 ? .silent : nil }
    try withProgram(catalogue.variables) { program in
      let run = try program.start(arguments: ["fetch", "parrot", "--all"])
      try waitUntil { catalogue.server.requests.count >= 3 }
      let start = ContinuousClock.now
      kill(run.process.processIdentifier, signal)
      let result = try run.result()
      // Without the signal it would wait 30 seconds for the answer.
      #expect(ContinuousClock.now - start < .seconds(20))
      #expect(result.status == status, "\(result)")
      #expect(
        result.error.hasSuffix("What arrived is stored; the same command continues from there.\n"),
        "\(result)")
      #expect(try StoreInspector(program).check("signal") == [Array(ids.prefix(6))])
      let list = try program.run("list", "parrot")
      #expect(list.status == 0 && list.output.split(separator: "\n").count == 7, "\(list)")
    }
  }

  @Test(arguments: [(SIGINT, 130), (SIGTERM, 143), (SIGHUP, 143)] as [(Int32, Int32)])
  func `a signal ends a sync in any of its lists`(signal: Int32, status: Int32) throws {
    let isStuck = Atomic(false)
    let catalogue = try FakeXenoCanto(["1", "2"]) { request, _ in
      isStuck.load(ordering: .relaxed) && request.target.contains("macaw") ? .silent : nil
    }
    try withProgram(catalogue.variables) { program in
      for query in ["parrot", "macaw", "kea"] {
        #expect(try program.run("fetch", query, "--all").status == 0)
      }
      isStuck.store(true, ordering: .relaxed)
      let before = catalogue.requests.count
      let run = try program.start(arguments: ["sync"])
      // The list before was updated in the same process, by a piece of work that a signal could
      // have ended.
      try waitUntil {
        catalogue.requests.dropFirst(before).contains(where: { $0.target.contains("macaw") })
      }
      kill(run.process.processIdentifier, signal)
      let result = try run.result()
      #expect(result.status == (status), "\(result)")
      #expect(!catalogue.requests.dropFirst(before).contains { $0.target.contains("kea") })
      #expect(try program.run("list", "parrot").status == 0)
    }
  }

  @Test(arguments: [(SIGINT, 130), (SIGTERM, 143)] as [(Int32, Int32)])
  func `a signal ends the audio of a fetch, and what is stored stays`(signal: Int32, status: Int32)
    throws
  {
    let catalogue = try FakeXenoCanto(records: [FakeXenoCanto.Record("1", file: "/1/download")]) {
      request, _ in
      request.path == "/1/download" ? .silent : nil
    }
    try withProgram(catalogue.variables) { program in
      let run = try program.start(arguments: ["fetch", "parrot", "--all", "--audio"])
      try waitUntil { catalogue.requests.contains(where: { $0.path == "/1/download" }) }
      kill(run.process.processIdentifier, signal)
      #expect(try run.result().status == status)
      #expect(try program.run("list", "parrot").output.split(separator: "\n").count == 2)
    }
  }

  @Test func `a second signal ends the program at once`() throws {
    let catalogue = try FakeXenoCanto(["1"]) { _, _ in .silent }
    try withProgram(catalogue.variables) { program in
      let run = try program.start(arguments: ["fetch", "parrot"])
      try waitUntil { !catalogue.requests.isEmpty }
      kill(run.process.processIdentifier, SIGINT)
      kill(run.process.processIdentifier, SIGTERM)
      #expect([130, 143].contains(try run.result().status))
    }
  }

  @Test func `an interrupted fetch continues after its last page`() throws {
    let ids = (1...12).map { "\($0)" }
    let stuck = try FakeXenoCanto(ids) { _, page in page > 2 ? .silent : nil }
    let sound = try FakeXenoCanto(ids)
    try withProgram(stuck.variables) { program in
      let run = try program.start(arguments: ["fetch", "parrot", "--all"])
      // Page 3 is requested while page 2 is stored.
      try waitUntil {
        let list = try? program.run("list", "parrot")
        return stuck.server.requests.count >= 3 && list?.output.split(separator: "\n").count == 7
      }
      kill(run.process.processIdentifier, SIGKILL)
      #expect(try run.result().status == 137)
      let again = try program.set("CHIRPER_XENO_CANTO_URL", sound.server.url.absoluteString).run(
        "fetch", "parrot", "--all")
      #expect(again.status == 0, "\(again)")
      #expect(sound.server.requests.map { $0.query("page") } == ["3", "4"])
      #expect(try StoreInspector(program).check("gone on") == [ids])
    }
  }
}
