import Chirper
import ChirperFormats
import ChirperModel
import Foundation

/// The body of a request for a load.
private struct RequestedLoad: Decodable {
  enum CodingKeys: CodingKey, CaseIterable {
    case query, source, pages, all, sync, scientific, strict, perPage
  }

  let query: String
  let source: String?
  let pages: Double?
  let all: Bool?
  let sync: Bool?
  let scientific: Bool?
  let strict: Bool?
  let perPage: Double?

  /// The pages to load.
  var plan: FetchPlan {
    get throws {
      let pages = try Self.number("pages", pages, upTo: 1_000_000)
      guard [pages != nil, all ?? false, sync ?? false].count(where: { $0 }) <= 1 else {
        throw UserFacingError.usage(
          "\"pages\", \"all\" and \"sync\" cannot be sent together", hint: "Send one of them.")
      }
      return FetchPlan(all ?? false ? .all : .pages(pages ?? 1))
    }
  }

  static func number(_ name: String, _ sent: Double?, upTo limit: Int) throws -> Int? {
    guard let sent else { return nil }
    guard let number = Int(exactly: sent), (1...limit).contains(number) else {
      throw UserFacingError.usage(
        "\(name.inQuotes) must be a number from 1 to \(limit)", hint: "Send a different one.")
    }
    return number
  }

  /// Reads the body, an object of JSON; an empty one has no member.
  static func of(_ request: Request) throws -> Self {
    let json = Data(request.body.isEmpty ? Array("{}".utf8) : request.body)
    let example = "Send it as in: {\"query\":\"parrot\",\"pages\":3}"
    guard let sent = try? JSONDecoder().decode([String: AnyValue].self, from: json) else {
      throw UserFacingError.usage("The body is not a JSON object", hint: example)
    }
    let known = CodingKeys.allCases.map(\.stringValue)
    if let name = sent.keys.sorted().first(where: { !known.contains($0) }) {
      throw UserFacingError.usage(
        "Unknown member \(name.inQuotes)", hint: "The members are \(known.joined(separator: ", "))."
      )
    }
    do {
      return try JSONDecoder().decode(Self.self, from: json)
    } catch let error as DecodingError {
      throw UserFacingError.usage(problem(error), hint: example)
    }
  }

  private static func problem(_ error: DecodingError) -> String {
    switch error {
    case .keyNotFound(let name, _): return "\(name.stringValue.inQuotes) is missing"
    case .typeMismatch(let type, let context), .valueNotFound(let type, let context):
      let name = context.codingPath.first?.stringValue ?? ""
      let wanted =
        type == Bool.self ? "true or false" : type == String.self ? "a text" : "a number"
      return "\(name.inQuotes) must be \(wanted)"
    default: return "A value of the body cannot be read"
    }
  }
}

private struct AnyValue: Decodable {
  init(from decoder: any Decoder) {}
}

/// The requests to catalogues that run for the server's clients, and the results of the
/// latest loads.
final class Loads: Sendable {
  fileprivate struct Load {
    enum Kind: String { case fetch, sync, audio }
    enum State: String { case running, done, failed, cancelled }

    let number: Int
    let kind: Kind
    /// The list; of audio none.
    var query: CatalogueQuery?
    /// The recording whose audio is fetched.
    var recording: RecordingID?
    var state = State.running
    /// The page that was requested last, and how many there are; of audio the bytes.
    var done: Int?
    var total: Int?
    /// The reason why the next request is not made yet, and the time until which it waits.
    var waiting: (reason: LoadState.WaitReason, until: Date?)?
    var report: FetchReport?
    var error: UserFacingError?
    /// Names to try, if nothing was found.
    var suggestions: [String] = []
    /// The meaning of words that are the name of a taxon, which is fetched for them.
    var meaning: String?
    var task: Task<Void, Never>?
  }

  private struct State {
    var loads: [Load] = []
    var last = 0
    /// A number that differs after each change.
    var changes = 0
  }

  private let repository: RecordingRepository
  private let now: @Sendable () -> Date
  /// The catalogue of a new query, if its text names none.
  private let defaultCatalogue: Catalogue
  private let state: Locked<State>

  /// Loads at a time.
  private static let runningAtMost = 8
  /// The number of ended loads that are remembered; older ones are removed.
  private static let rememberedLoads = 20

  /// - Parameter previous: of the same server before the store was opened again; its loads stay
  ///   known.
  init(
    _ repository: RecordingRepository, defaultCatalogue: Catalogue,
    now: @escaping @Sendable () -> Date,
    after previous: Loads?
  ) {
    self.repository = repository
    self.defaultCatalogue = defaultCatalogue
    self.now = now
    state = previous?.state ?? Locked(State())
  }

  /// A number that differs after each change of a load.
  var changes: Int { state.withLock(\.changes) }

  /// The loads that are known, the latest last, as an array of JSON. A reader sees those that run:
  /// errors and suggestions are for whoever started a load.
  func json(forReader isReader: Bool) -> String {
    let loads = state.withLock(\.loads).filter { !isReader || $0.state == .running }
    return "[" + loads.map { json($0).text }.joined(separator: ",") + "]"
  }

  // MARK: Answers

  func list(_ request: Request) -> Answer {
    .json("{\"loads\":\(json(forReader: request.isReader))}")
  }

  func state(of number: String, _ request: Request) throws -> Answer {
    let load = try load(number)
    guard !request.isReader || load.state == .running else { throw UserFacingError.noLoad }
    return .json(json(load))
  }

  /// Ends a load; pages that arrived are stored.
  func cancel(_ number: String) throws -> Answer {
    let load = try load(number)
    load.task?.cancel()
    return .json(json(load), load.state == .running ? .accepted : .ok)
  }

  /// Fetches or syncs a list, as the members of the body say; one that is being loaded is not
  /// loaded twice.
  func start(_ request: Request) throws -> Answer {
    let body = try RequestedLoad.of(request)
    let plan = try body.plan
    let isSync = body.sync ?? false
    let (query, list) = try list(of: body, isSync: isSync)
    if let running = running(where: { $0.query == query }) { return .json(json(running)) }
    return try begin(isSync ? .sync : .fetch) {
      $0.query = query
    } run: { [repository, self] number in
      let observe = { @Sendable [self] (event: FetchEvent) in
        change(number) { $0.add(event, now: self.now()) }
      }
      var report =
        if let list { await repository.sync(list, observe: observe) } else {
          await repository.fetch(query, plan, observe: observe)
        }
      var names = NameSuggestions()
      if report.foundNothing {
        names = await repository.suggestions(for: query.typed, after: query)
        if let meant = repository.meant(by: query, names) {
          change(number) {
            $0.query = meant.query
            $0.meaning = meant.taxon.meaning(of: query.typed)
          }
          report = await repository.fetch(meant.query, plan, observe: observe)
          // The taxon's list can be stored under a different text, or have no rows.
          let kept = await repository.keepOnce(query, meaning: meant.query, report)
          change(number) { $0.query = kept }
          names = NameSuggestions()
        }
      }
      change(number) { load in
        load.suggestions = names.near + names.taxa.map(\.name)
        load.end(report)
      }
    }
  }

  /// The query to load, and the list to update.
  private func list(
    of body: RequestedLoad, isSync: Bool
  ) throws -> (query: CatalogueQuery, list: StoredQuery?) {
    let pageSize = try RequestedLoad.number("perPage", body.perPage, upTo: 10_000)
    let named = try body.source.map { try repository.catalogue(named: $0) }
    let typed = try TypedText(body.query, scientific: body.scientific ?? false, in: named?.id)
    let stored = try isSync ? typed.lists(in: repository) : typed.stored(in: repository)
    let real = stored.first {
      $0.count > 0 && repository.catalogue($0.query.catalogue)?.service != nil
    }
    let catalogue =
      (typed.catalogue ?? real?.query.catalogue).flatMap(repository.catalogue) ?? defaultCatalogue
    let list = isSync ? stored.first : nil
    let query =
      try list?.query ?? typed.query(in: catalogue, pageSize: pageSize, stored: stored)
    if body.strict ?? false {
      try repository.catalogue(query.catalogue)?.checkTagsAreKnown(in: query)
    }
    return (query, list)
  }

  /// Keeps the audio of a stored recording.
  func keepAudio(of id: RecordingID) throws -> Answer {
    guard let recording = try repository.recording(id) else { throw UserFacingError.notStoredHere }
    do {
      if let file = try repository.audio.downloadedFile(of: id) {
        let bytes = DownloadedAudioFile(path: file.path)?.size
        return .json(["kept": true, "bytes": bytes])
      }
    } catch {
      throw UserFacingError(error, id)
    }
    if let running = running(where: { $0.recording == id }) { return .json(json(running)) }
    return try begin(.audio) {
      $0.recording = id
    } run: { [repository, self] number in
      do throws(AudioError) {
        _ = try await repository.audio.file(of: recording, storesGenerated: true) {
          [self] received, total in
          change(number) { ($0.done, $0.total) = (received, total) }
        }
        change(number) { $0.state = .done }
      } catch {
        change(number) { load in
          if case .fetch(.cancelled) = error {
            load.state = .cancelled
          } else {
            load.fail(UserFacingError(error, id))
          }
        }
      }
    }
  }

  /// Cancels every load, and returns when they have ended or the time is over.
  func stop(within time: Duration) async {
    let tasks = state.withLock { $0.loads.compactMap(\.task) }
    for task in tasks { task.cancel() }
    let end = ContinuousClock.now + time
    while state.withLock({ $0.loads.contains { $0.state == .running } }), ContinuousClock.now < end
    {
      try? await Task.sleep(for: .milliseconds(10))
    }
  }

  // MARK: State

  private func load(_ text: String) throws(UserFacingError) -> Load {
    if let number = Int(text), let load = state.withLock({ $0.loads.first { $0.number == number } })
    {
      return load
    }
    throw .noLoad
  }

  private func running(where isWanted: (Load) -> Bool) -> Load? {
    state.withLock { $0.loads.first { $0.state == .running && isWanted($0) } }
  }

  private func begin(
    _ kind: Load.Kind, _ describe: (inout Load) -> Void,
    run: @escaping @Sendable (_ number: Int) async -> Void
  ) throws -> Answer {
    let load = try state.withLock { state in
      guard state.loads.count(where: { $0.state == .running }) < Self.runningAtMost else {
        throw UserFacingError(
          .tryLater, kind: "too-many-loads", problem: "\(Self.runningAtMost) loads are running",
          hint: "Wait until one has ended, or cancel one."
        )
      }
      state.last += 1
      state.changes += 1
      var load = Load(number: state.last, kind: kind)
      describe(&load)
      let number = state.last
      load.task = Task { await run(number) }
      state.loads.append(load)
      let ended = state.loads.filter { $0.state != .running }
      let old = Set(ended.dropLast(Self.rememberedLoads).map(\.number))
      state.loads.removeAll { old.contains($0.number) }
      return load
    }
    return .json(json(load), .accepted)
  }

  private func change(_ number: Int, _ body: (inout Load) -> Void) {
    state.withLock { state in
      guard let index = state.loads.firstIndex(where: { $0.number == number }) else { return }
      state.changes += 1
      body(&state.loads[index])
    }
  }

  private func json(_ load: Load) -> JSONObject {
    var object: JSONObject = [
      "load": load.number, "kind": load.kind.rawValue, "state": load.state.rawValue,
    ]
    if let query = load.query {
      let catalogue = repository.catalogue(query.catalogue)
      object.add(query.object(in: catalogue))
      let notes = query.notes(in: catalogue) + [load.meaning].compactMap(\.self)
      object.add(known: ["notes": notes])
    }
    if let id = load.recording {
      object.add(["source": id.catalogue.rawValue, "id": id.value])
    }
    object.add(load.kind == .audio ? "received" : "page", load.done)
    object.add(load.kind == .audio ? "bytes" : "pages", load.total)
    object.add(["waiting": load.waiting?.reason.word, "until": load.waiting?.until])
    if let report = load.report {
      object.add([
        "new": report.new, "changed": report.changed, "gone": report.gone,
        "requests": report.requests, "rows": report.stored?.count ?? 0,
        "suggestions": load.suggestions,
      ])
    }
    object.add("error", load.error?.served)
    return object
  }
}

extension Loads.Load {
  fileprivate mutating func add(_ event: FetchEvent, now: Date) {
    waiting = nil
    switch event {
    case .requesting(let page, let of): (done, total) = (page, of ?? total)
    case .page(let number, let stored):
      done = number
      total = stored.totals?.exact?.pages ?? total
    case .waiting(_, .otherProcess(let holder)): waiting = (.otherProcess(holder: holder), nil)
    case .waiting(let time, let reason):
      waiting = (reason, now.addingTimeInterval(time / .seconds(1)))
    case .asking(let other): query = other
    case .stored, .lookedUp, .closed, .startingOver, .verifying, .failed: break
    }
  }

  fileprivate mutating func end(_ report: FetchReport) {
    self.report = report
    waiting = nil
    if report.failure == .cancelled {
      state = .cancelled
    } else if let failure = report.failure {
      fail(UserFacingError(failure))
    } else if let page = report.failedPages.first, let query {
      fail(UserFacingError(page.error, catalogue: query.catalogue, page: page.number))
    } else {
      state = .done
    }
  }

  fileprivate mutating func fail(_ error: UserFacingError) {
    state = .failed
    self.error = error
  }
}

extension UserFacingError {
  fileprivate static let noLoad = UserFacingError(
    .notFetched, kind: "no-load", problem: "No load has this number",
    hint: "GET /api/chirper/loads lists them.")
}

extension LoadState.WaitReason {
  /// A word for programs.
  fileprivate var word: String {
    switch self {
    case .rateLimit: "rate-limit"
    case .retryAfter: "retry-after"
    case .backoff: "after-error"
    case .otherProcess: "other-process"
    }
  }
}
