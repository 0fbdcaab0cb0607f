import ChirperModel
import Foundation
import Testing

@testable import ChirperStore

@Suite struct PacingTests {
  private let now = Date(timeIntervalSince1970: 1_780_000_000)

  @Test func `requests are one interval apart, whichever process reserves them`() throws {
    let store = try RecordingStore.inMemory()
    let slots = try (0..<3).map { _ in
      try store.reserveRequest(to: .xenoCanto, interval: .seconds(1), now: now)
    }
    #expect(slots == [.at(now), .at(now + 1), .at(now + 2)])
    #expect(try store.reserveRequest(to: .itunes, interval: .seconds(3), now: now) == .at(now))
    #expect(
      try store.reserveRequest(to: .xenoCanto, interval: .seconds(1), now: now + 60)
        == .at(now + 60))
  }

  @Test func `the longest pause counts for every request, and it is at most a day`() throws {
    let store = try RecordingStore.inMemory()
    try store.pause(.xenoCanto, for: .seconds(90), now: now)
    try store.pause(.xenoCanto, for: .seconds(30), now: now)
    let slot = try store.reserveRequest(to: .xenoCanto, interval: .zero, now: now)
    #expect(slot == .paused(until: now + 90))
    #expect(
      try store.reserveRequest(to: .xenoCanto, interval: .zero, now: now + 91) == .at(now + 91))
    try store.pause(.xenoCanto, for: .seconds(9_000_000), now: now)
    #expect(try store.pacing().first?.pausedUntil == now + 86_400)
  }

  @Test func `a clock that was set back does not delay requests`() throws {
    let store = try RecordingStore.inMemory()
    _ = try store.reserveRequest(to: .xenoCanto, interval: .seconds(1), now: now)
    try store.pause(.xenoCanto, for: .seconds(60), now: now)
    let earlier = now - 400 * 86_400
    #expect(
      try store.reserveRequest(to: .xenoCanto, interval: .seconds(1), now: earlier) == .at(earlier))
  }

  @Test func `a pause stored by a clock that was ahead is replaced by the next one`() throws {
    let store = try RecordingStore.inMemory()
    try store.pause(.xenoCanto, for: .seconds(60), now: now + 400 * 86_400)
    try store.pause(.xenoCanto, for: .seconds(30), now: now)
    #expect(
      try store.reserveRequest(to: .xenoCanto, interval: .zero, now: now)
        == .paused(until: now + 30))
    #expect(
      try store.reserveRequest(to: .xenoCanto, interval: .seconds(1), now: now)
        == .paused(until: now + 30))
  }
}
