import Chirper
import ChirperModel
import ChirperStore
import ChirperTestSupport
import Foundation
import Testing

/// The real walk and the real store against a catalogue that changes, fails and is cut off by
/// seeded schedules.
///
/// Two of three schedules are the same in every run, the others are new; their first seed is
/// printed. `CHIRPER_SIMULATION_COUNT` sets how many run; `CHIRPER_SIMULATION_SEED` runs one and
/// prints its schedule.
@Suite struct WalkSimulationTests {
  private static let environment = ProcessInfo.processInfo.environment
  /// Schedules that share a store, one after the other.
  private static let batch = 10
  private static let concurrentBatches = 16

  @Test func `a list keeps its rules under any schedule of shifts, faults and cuts`() async throws {
    if let seed = Self.environment["CHIRPER_SIMULATION_SEED"].flatMap(UInt64.init) {
      _ = try await Self.run([seed], prints: true)
      return
    }
    let count = UInt64(Self.environment["CHIRPER_SIMULATION_COUNT"].flatMap(Int.init) ?? 600)
    let firstNew = UInt64.random(in: 1_000_000..<1_000_000_000_000)
    let new = count / 3
    print("simulation: seeds 0..<\(count - new) and \(firstNew)..<\(firstNew + new)")
    let seeds = Array(0..<count - new) + Array(firstNew..<firstNew + new)
    let batches = stride(from: 0, to: seeds.count, by: Self.batch)
      .map { Array(seeds[$0..<min($0 + Self.batch, seeds.count)]) }
    let tally = try await withThrowingTaskGroup(of: Tally.self) { group in
      var tally = Tally()
      for (index, batch) in batches.enumerated() {
        // Each batch has a store in memory, so only a few run at once.
        if index >= Self.concurrentBatches, let finished = try await group.next() {
          tally += finished
        }
        group.addTask { try await Self.run(batch) }
      }
      for try await finished in group { tally += finished }
      return tally
    }
    print(
      "simulation: "
        + Tally.names.map { "\(tally[keyPath: $0.path]) \($0.name)" }.joined(separator: ", "))
    // Fewer prove nothing. Each is about half of what 10,000 schedules give.
    guard count >= 200 else { return }
    for (path, perHundred) in Self.leastPerHundred {
      let name = Tally.names.first { $0.path == path }?.name ?? ""
      #expect(tally[keyPath: path] > Int(count) * perHundred / 100, "\(name)")
    }
  }

  private static let leastPerHundred: [(WritableKeyPath<Tally, Int> & Sendable, Int)] = [
    (\.changes, 200), (\.failedAnswers, 45), (\.emptyAnswers, 20), (\.endless, 5),
    (\.verifiedEdits, 2), (\.cuts, 12),
    (\.resumed, 12), (\.restarts, 60), (\.secondPasses, 8),
    (\.gone, 18), (\.saidTotals, 5), (\.falls, 1), (\.believedFalls, 1),
    (\.partial, 35), (\.complete, 35), (\.verified, 20), (\.shifted, 8), (\.duplicates, 8),
    (\.incremental, 15), (\.refreshes, 15), (\.tooDeep, 1), (\.converged, 20),
  ]

  private static func run(_ seeds: [UInt64], prints: Bool = false) async throws -> Tally {
    let store = try RecordingStore.inMemory()
    var tally = Tally()
    for seed in seeds {
      var schedule = Schedule(seed: seed, store: store)
      let failures = try await schedule.run()
      tally += schedule.tally
      if !failures.isEmpty || prints {
        let text = (["seed \(seed), \(schedule.catalogue.kind)"] + schedule.log + failures).joined(
          separator: "\n  ")
        if failures.isEmpty { print(text) } else { Issue.record(Comment(rawValue: text)) }
      }
    }
    return tally
  }
}
