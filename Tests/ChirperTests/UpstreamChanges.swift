import ChirperModel
import ChirperTestSupport
import Synchronization

/// What happens upstream between requests, by chance.
final class UpstreamChanges: Sendable {
  private struct State {
    var random: SeededRandom
    var fresh: Int
    var hasBegun = false
    var wasEmpty = false
    var log: [String] = []
    var tally = Tally()
  }

  private let state: Mutex<State>
  private let change: Schedule.Change
  private let kind: ModelCatalogue.Kind
  /// Whether the list changes before the first request of a command only.
  private let isCalm: Bool
  /// Whether every answer names one that follows.
  let isEndless: Bool
  /// Whether an answer may be that of an empty list; never two in a row, and never the first of a
  /// command.
  private let hasHiccups: Bool

  init(
    random: SeededRandom, change: Schedule.Change, kind: ModelCatalogue.Kind, isCalm: Bool,
    isEndless: Bool, hasHiccups: Bool
  ) {
    var random = random
    (self.isEndless, self.hasHiccups) = (isEndless, hasHiccups)
    self.change = change
    self.kind = kind
    self.isCalm = isCalm
    state = Mutex(State(random: random, fresh: Int(random.next() % 1_000_000) * 100))
  }

  var log: [String] { state.withLock { $0.log } }
  var tally: Tally { state.withLock { $0.tally } }

  func act(_ upstream: inout ModelCatalogue.Upstream, _ page: Int) -> FetchError? {
    state.withLock { state in
      let chance = isCalm ? state.hasBegun ? 0 : 50 : 18
      let isEmpty = hasHiccups && state.hasBegun && !state.wasEmpty && state.random.chance(8)
      state.hasBegun = true
      while state.random.chance(chance) {
        let before = upstream.rows
        switch kind {
        case .uploads: changeUploads(&upstream, &state)
        case .updates: changeUpdates(&upstream, &state)
        default: change(&upstream.rows, &state)
        }
        if upstream.rows != before { state.tally.changes += 1 }
      }
      let error: FetchError? =
        state.random.chance(6)
        ? .serverBusy(status: 503, retryAfter: nil)
        : state.random.chance(2) ? .malformed("cut") : nil
      if error != nil { state.tally.failedAnswers += 1 }
      // An answer that fails is asked for again, and is none between two empty ones.
      state.wasEmpty = isEmpty || state.wasEmpty && error != nil
      upstream.fault = isEndless ? .endless : isEmpty ? .empty : nil
      if isEmpty, error == nil { state.tally.emptyAnswers += 1 }
      let fault = error.map { " fails: \($0)" } ?? upstream.fault.map { " is \($0)" } ?? ""
      state.log.append("page \(page) of \(upstream.rows.map { $0.id + $0.text })\(fault)")
      return error
    }
  }

  private func change(_ rows: inout [ModelCatalogue.Row], _ state: inout State) {
    let kind =
      switch change {
      case .onlyGrows: 0
      case .onlyShrinks: 1
      case .onlyEdits: 3
      case .anything: Int.random(in: 0...3, using: &state.random)
      }
    switch kind {
    case 0:
      state.fresh += 1
      // Where pages follow ids, the letter decides the place.
      let letter = ["a", "n", "r", "z"].randomElement(using: &state.random) ?? "n"
      rows.insert(
        .init("\(letter)\(state.fresh)"), at: Int.random(in: 0...rows.count, using: &state.random))
    case 1 where !rows.isEmpty:
      rows.remove(at: Int.random(in: 0..<rows.count, using: &state.random))
    case 2 where !rows.isEmpty:
      let row = rows.remove(at: Int.random(in: 0..<rows.count, using: &state.random))
      rows.insert(row, at: Int.random(in: 0...rows.count, using: &state.random))
    case 3 where !rows.isEmpty:
      rows[Int.random(in: 0..<rows.count, using: &state.random)].text += "x"
    default: break
    }
  }
}

extension UpstreamChanges {
  /// What happens to a list of xeno-canto: uploads, old recordings that are identified as something
  /// else or rated again, edits and removals.
  private func changeUploads(_ upstream: inout ModelCatalogue.Upstream, _ state: inout State) {
    state.fresh += 1
    let highest = upstream.rows.compactMap { Int($0.id) }.max() ?? 0
    let index = upstream.rows.indices.randomElement(using: &state.random)
    let kinds =
      switch change {
      case .onlyGrows: 0...2
      case .onlyShrinks: 3...3
      case .onlyEdits: 7...7
      case .anything: 0...7
      }
    switch (Int.random(in: kinds, using: &state.random), index) {
    case (0, _), (1, _):
      if state.random.chance(30) { upstream.day += 1 }
      upstream.rows.append(.random(id: "\(highest + 1)", day: upstream.day, &state.random))
    case (2, _):
      // An old recording enters the list.
      let id = "\(state.fresh % 1000)"
      guard !upstream.rows.contains(where: { $0.id == id }) else { return }
      upstream.rows.append(
        .random(id: id, day: Int.random(in: 0...upstream.day, using: &state.random), &state.random))
    case (3, let index?): upstream.rows.remove(at: index)
    case (4, let index?), (5, let index?):
      upstream.rows[index].quality = Int.random(in: 0...2, using: &state.random)
    case (6, let index?):
      upstream.rows[index].group =
        ModelCatalogue.Row.groups.randomElement(using: &state.random) ?? ""
    case (7, let index?): upstream.rows[index].text += "x"
    default: break
    }
  }
}

extension UpstreamChanges {
  /// What happens to a list of iNaturalist: observations, older ones that enter because they were
  /// identified, edits and removals.
  private func changeUpdates(_ upstream: inout ModelCatalogue.Upstream, _ state: inout State) {
    upstream.day += 1
    let now = upstream.day
    let kinds =
      switch change {
      case .onlyGrows: 0...2
      case .onlyShrinks: 3...3
      case .onlyEdits: 4...5
      case .anything: 0...5
      }
    switch (
      Int.random(in: kinds, using: &state.random),
      upstream.rows.indices.randomElement(using: &state.random)
    ) {
    case (0, _), (1, _): upstream.rows.append(.init("\(now)", uploaded: now))
    case (2, _):
      let id = "\(Int.random(in: 1...now, using: &state.random))"
      guard !upstream.rows.contains(where: { $0.id == id }) else { return }
      upstream.rows.append(.init(id, uploaded: now))
    case (3, let index?): upstream.rows.remove(at: index)
    case (4, let index?), (5, let index?):
      upstream.rows[index].text += "x"
      upstream.rows[index].uploaded = now
    default: break
    }
  }
}

extension ModelCatalogue.Row {
  static let groups = ["alba", "alpina", "minor"]

  /// A recording of any group and quality.
  static func random(id: String, day: Int, _ random: inout SeededRandom) -> Self {
    Self(
      id, group: groups.randomElement(using: &random) ?? "",
      quality: Int.random(in: 0...2, using: &random), uploaded: day)
  }
}
