import Chirper
import ChirperModel
import ChirperStore
import ChirperTestSupport
import Foundation
import Testing

/// The real walk and the real store against a catalogue that shifts, fails and is cut off by seeded schedules.
///
/// `CHIRPER_SIMULATION_SEED` runs one seed and prints its schedule; `CHIRPER_SIMULATION_COUNT` runs that many.
@Suite struct WalkSimulationTests {
  private static let environment = ProcessInfo.processInfo.environment
  private static let schedules = environment["CHIRPER_SIMULATION_COUNT"].flatMap(Int.init) ?? 10_000
  private static let batch = 250

  static var batches: [Range<Int>] {
    if let seed = environment["CHIRPER_SIMULATION_SEED"].flatMap(Int.init) { return [seed..<(seed + 1)] }
    return stride(from: 0, to: schedules, by: batch).map { $0..<min($0 + batch, schedules) }
  }

  @Test(arguments: batches)
  func `a list keeps its rules under any schedule of shifts, faults and cuts`(seeds: Range<Int>) async throws {
    let store = try RecordingStore.inMemory()
    for seed in seeds {
      var schedule = Schedule(seed: UInt64(seed), store: store)
      let failures = try await schedule.run()
      if !failures.isEmpty || seeds.count == 1 {
        let text = (["seed \(seed), \(schedule.catalogue.kind)"] + schedule.log + failures).joined(separator: "\n  ")
        if failures.isEmpty { print(text) } else { Issue.record(Comment(rawValue: text)) }
      }
    }
  }
}
