import ChirperModel
import ChirperStore
import ChirperTestSupport
import Foundation
import Testing

@testable import Chirper

/// The clock jumps.
struct ClockTests {
  @Test(.enabled(if: SystemFaults.hasFaketime, SystemFaults.needsFaketime))
  func `no command prints a negative age`() throws {
    let catalogue = try FakeXenoCanto(["1", "2"])
    try withProgram(catalogue.variables) { program in
      #expect(try program.run("fetch", "parrot", "--all").status == 0)
      func at(_ year: Int, _ words: String) throws -> BuiltProgram.Result {
        try program.shell("faketime '\(year)-01-01 00:00:00' \"$chirper\" \(words)")
      }
      for words in ["list", "list parrot", "export parrot", "doctor"] {
        for year in [1990, 2020, 2090] {
          let result = try at(year, words)
          #expect(result.status == 0, "\(words) in \(year): \(result)")
          #expect(
            (result.output + result.error).firstMatch(
              of: /-[0-9]+ (second|minute|hour|day|week|month|year)/) == nil)
        }
      }
      #expect(try at(2020, "list parrot").error.contains("in the future (clock?)"))
      #expect(try at(2090, "list parrot").error.firstMatch(of: /fetched [0-9]+ years ago/) != nil)
    }
  }

  /// Not under faketime, which gives timers of the steady clock a date: a program that waits under
  /// it may wait for ever.
  @Test func `a page from the future is requested again by a fetch, and its list is due`() throws {
    let catalogue = try FakeXenoCanto(["1", "2"])
    try withProgram(catalogue.variables) { program in
      let first = try program.run("fetch", "parrot", "--all")
      #expect(first.status == 0, "\(first)")
      // Younger than a week by its date.
      #expect(try program.run("fetch", "parrot", "--all", "--max-age", "7d").status == 0)
      #expect(catalogue.server.requests.count == 1)
      let years = "6 * 365 * 86400 * 1000"
      RawDatabase.execute(
        """
        UPDATE page SET fetched_at = fetched_at + \(years);
        UPDATE catalogue SET last_request_at = last_request_at + \(years);
        """, in: program.path(".local/share/chirper/chirper.sqlite"))
      #expect(try program.run("sync", "--due").error.hasPrefix("1 of 1 list due"))
      #expect(catalogue.server.requests.count == 2)
      #expect(try program.run("sync", "--due").error == "0 of 1 list due\n")
      RawDatabase.execute(
        "UPDATE page SET fetched_at = fetched_at + \(years)",
        in: program.path(".local/share/chirper/chirper.sqlite"))
      #expect(try program.run("fetch", "parrot", "--all", "--max-age", "7d").status == 0)
      #expect(catalogue.server.requests.count == 3)
    }
  }

  @Test func `a page from the future counts as old`() async throws {
    let (clock, model) = (ManualClock(), ModelCatalogue(rows: ["1", "2"]))
    let repository = RecordingRepository(store: try .inMemory(), dependencies: clock.dependencies())
    { _ in model }
    let query = model.query("all", pageSize: 3)
    _ = await repository.fetch(query, FetchPlan(.all))
    _ = await repository.fetch(query, FetchPlan(.all, maxAge: .seconds(3600)))
    #expect(model.now.requests.count == 1)
    clock.advance(by: .seconds(-86_400))
    _ = await repository.fetch(query, FetchPlan(.all, maxAge: .seconds(3600)))
    #expect(model.now.requests.count == 2)
  }

  @Test(arguments: [-400, -1, 1, 400])
  func `the rate limit works after the clock jumped by days`(days: Int) throws {
    let store = try RecordingStore.inMemory()
    let start = Date(timeIntervalSince1970: 1_780_000_000)
    for _ in 1...3 {
      _ = try store.reserveRequest(to: .xenoCanto, interval: .seconds(1), now: start)
    }
    try store.pause(.xenoCanto, for: .seconds(40), now: start)
    let later = start.addingTimeInterval(Double(days) * 86_400)
    var expected = later
    for _ in 1...3 {
      switch try store.reserveRequest(to: .xenoCanto, interval: .seconds(1), now: later) {
      case .at(let moment):
        #expect(moment == expected, "\(days)")
        expected += 1
      case .paused(let until): Issue.record("\(days): paused until \(until)")
      }
    }
  }

  @Test func `a pause is kept after the clock jumped by hours`() throws {
    let store = try RecordingStore.inMemory()
    let start = Date(timeIntervalSince1970: 1_780_000_000)
    try store.pause(.xenoCanto, for: .seconds(40), now: start)
    let slot = try store.reserveRequest(
      to: .xenoCanto, interval: .seconds(1), now: start.addingTimeInterval(-3600))
    #expect(slot == .paused(until: start.addingTimeInterval(40)))
  }

  @Test func `a clock that jumps back does not make a fetch wait longer`() async throws {
    let (clock, model) = (ManualClock(), ModelCatalogue(rows: (1...6).map { "\($0)" }))
    model.beforeEachAnswer { _, _ in
      clock.advance(by: .seconds(-20 * 3600))
      return nil
    }
    let repository = RecordingRepository(store: try .inMemory(), dependencies: clock.dependencies())
    { _ in model }
    let report = await repository.fetch(
      model.query("all", pageSize: 3), FetchPlan(.all, interval: .seconds(1)))
    #expect(report.failure == nil && report.pagesFetched == 2)
    #expect(clock.slept.reduce(.zero, +) <= .seconds(64), "\(clock.slept)")
  }
}
