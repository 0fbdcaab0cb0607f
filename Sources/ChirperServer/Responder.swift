import Chirper
import ChirperFormats
import ChirperModel
import Foundation
import Logging
import NIOCore
import NIOHTTP1
import NIOPosix

/// Answers the requests of connections.
struct Responder: Sendable {
  /// The services that answer from one repository.
  private struct Services {
    let repository: RecordingRepository
    let recordings: RecordingsAPI
    let audio: AudioAPI
    let selections: SelectionsAPI
    let lists: ListsAPI
    let events: EventsAPI
    let loads: Loads
    /// The number of times that the store was opened again before.
    let openings: Int
  }

  private let access: ServerAccess
  private let services: Locked<Services>
  private let opened: @Sendable (RecordingRepository, _ previous: Services?) -> Services
  private let logger: Logger
  private let now: @Sendable () -> Date
  /// A thread on which one selection, or something computed from one, is made at a time,
  /// because each takes memory for every recording of the store. Selections with an order,
  /// which take longest, are not made on it and do not hold up the rest.
  private let selecting = QueueExecutor("chirper.selecting")
  private let sorting = QueueExecutor("chirper.sorting")
  /// The time at which a request had waited in vain for the database, which a different
  /// program has locked, and the error.
  private let locked = Locked<(at: ContinuousClock.Instant, error: StoreError)?>(nil)

  init(
    _ repository: RecordingRepository, _ access: ServerAccess, defaultCatalogue: Catalogue,
    hasKey: @escaping @Sendable (Catalogue) -> Bool,
    _ dependencies: RecordingRepository.Dependencies
  ) {
    self.access = access
    logger = dependencies.logger
    now = dependencies.now
    opened = { [now = dependencies.now] repository, previous in
      let lists = ListsAPI(
        repository: repository, defaultCatalogue: defaultCatalogue.id, hasKey: hasKey, now: now)
      let loads = Loads(
        repository, defaultCatalogue: defaultCatalogue, now: now, after: previous?.loads)
      return Services(
        repository: repository, recordings: RecordingsAPI(repository: repository),
        audio: AudioAPI(repository: repository),
        selections: SelectionsAPI(repository: repository, now: now), lists: lists,
        events: EventsAPI(repository: repository, loads: loads, lists: lists), loads: loads,
        openings: (previous?.openings ?? -1) + 1)
    }
    services = Locked(opened(repository, nil))
  }

  /// Ends every load, and returns when they have ended or the time is over.
  func stopLoads(within time: Duration) async {
    await services.withLock(\.loads).stop(within: time)
  }

  /// Answers the requests of a connection, one of those that are open.
  func serve(
    _ connection: NIOAsyncChannel<HTTPServerRequestPart, HTTPServerResponsePart>,
    among connections: OpenConnections
  ) async {
    do {
      try await connection.executeThenClose { requests, answers in
        var head = HTTPRequestHead?.none
        var body = [UInt8]()
        for try await part in requests {
          switch part {
          case .head(let next): (head, body) = (next, [])
          case .body(let bytes): body += bytes.readableBytesView
          case .end:
            guard let asked = head else { return }
            let today = Int(now().timeIntervalSince1970 / 86_400)
            let gate = Gate(access: access, local: connection.channel.localAddress, today: today)
            var request = Request(asked, body: body)
            request.session = gate.sessionCookie(of: request)
            request.remoteAddress = connection.channel.remoteAddress?.ipAddress
            let isOver =
              request.session.map { !connections.note(connection.channel, session: $0) } ?? false
            try await write(
              isOver ? Self.tooManyOfSession : await answer(request, gate), to: asked, answers)
            guard asked.isKeepAlive else { return }
          }
        }
      }
    } catch {
      logger.trace("connection ended", metadata: ["error": "\(error)"])
    }
  }

  private func answer(_ request: Request, _ gate: Gate) async -> Answer {
    var answer: Answer
    if let refusal = gate.refusal(of: request) {
      answer = refusal
    } else {
      var request = request
      request.isReader = gate.sender(of: request) == .reader
      if access.offersAudio { request.audioServer = gate.ownAddress(of: request) }
      do {
        answer = try await answered(request, gate)
      } catch {
        answer = .of(error)
        if answer.status == .internalServerError, !Task.isCancelled {
          logger.warning("not answered", metadata: ["error": "\(error)"])
        }
      }
    }
    if let origin = gate.allowedOrigin(of: request) {
      answer.headers += [
        ("Access-Control-Allow-Origin", origin), ("Access-Control-Expose-Headers", "*"),
        ("Vary", "Origin"),
      ]
    }
    logger.debug(
      "answered",
      metadata: [
        "method": "\(request.method)", "status": "\(answer.status.code)",
        "bytes": "\(answer.length ?? 0)",
      ])
    return answer
  }

  /// Answers from the store that is open; if a different file has taken its place, from that one.
  private func answered(_ request: Request, _ gate: Gate) async throws -> Answer {
    let services = services.withLock(\.self)
    do {
      return try await routed(request, gate, services)
    } catch let error as StoreError {
      guard case .replaced = error.reason else { throw error }
      return try await routed(request, gate, reopened(services))
    }
  }

  private func reopened(_ outdated: Services) async throws -> Services {
    let repository = try await outdated.repository.perform { try $0.reopened() }
    return services.withLock { services in
      // Unless a different request has done so meanwhile.
      if services.openings == outdated.openings {
        services = opened(repository, services)
        logger.notice("The database was replaced by a different file, which is used from now on.")
      }
      return services
    }
  }

  private func routed(
    _ request: Request, _ gate: Gate, _ services: Services
  ) async throws -> Answer {
    let (route, parts, methods) = Route.find(request)
    guard let route else {
      guard !methods.isEmpty else {
        guard request.path.starts(with: ["api", "chirper"]) else {
          return .text(.notFound, "Nothing is here.")
        }
        return .error(
          .notFound, kind: "not-there", problem: "Nothing is here",
          hint: "GET /openapi.json has every address.")
      }
      let names = methods.flatMap { $0 == .GET ? ["GET", "HEAD"] : [$0.rawValue] }
      return .error(
        .methodNotAllowed, kind: "method",
        problem: "This address does not take \(request.method.rawValue)",
        hint: "It takes \(WordList.and(names))."
      ).with(("Allow", names.joined(separator: ", ")))
    }
    return switch route {
    case .home, .speciesPage, .recordingPage:
      await page(request, gate, services).compressed(for: request)
    case .page:
      ServerFiles.answer(hash: parts[0], name: parts[1])?.compressed(for: request)
        ?? .text(.notFound, "Nothing is here.")
    case .hasSession: gate.accessOfPage(request)
    case .openAPI: Answer.json(ServerFiles.openAPI).compressed(for: request)
    case .session: gate.openSession(request, at: now(), logger)
    case .health:
      try await onPool(request) {
        _ = try services.repository.storedQueries()
        return .json(["status": "ok"])
      }
    case .events:
      try await onPool(request) {
        // Its errors could not be answered once the stream has begun.
        _ = try services.repository.version()
        return try services.events.answer(request)
      }
    // Many clients ask for these at once, and a few threads answer them.
    case .recordings:
      try await selected(request, services) { try services.recordings.answer($0, .three) }
    case .recordingsOfVersion2:
      try await selected(request, services) { try services.recordings.answer($0, .two) }
    case .download:
      try await onPool(request) { try services.audio.download(request, number: parts[0]) }
    case .audio:
      try await onPool(request) { try services.audio.answer(request, Self.id(parts)) }
    case .sonogram:
      try await onPool(request) { try services.audio.sonogram(request, Self.id(parts)) }
    case .keepSonogram:
      try await onPool(request) { try services.audio.keepSonogram(request, Self.id(parts)) }
    case .details:
      try await onPool(request) {
        try services.selections.details(Self.id(parts), request).compressed(for: request)
      }
    case .catalogues: try services.lists.catalogues(request)
    case .rows: try await selected(request, services, services.selections.rows)
    case .suggestions: try await selected(request, services, services.selections.suggestions)
    case .completions: try await selected(request, services, services.selections.completions)
    case .stats: try await selected(request, services, services.selections.stats)
    case .map: try await selected(request, services, services.selections.map)
    case .audioFiles:
      try await selected(request, services, services.selections.audioFiles)
    case .export: try await selected(request, services, services.selections.export)
    case .feed:
      try await onOwnThread(request, services) {
        try services.lists.feed(request, at: gate.ownAddress(of: request))
      }
    // These can take long, so each has a thread.
    case .lists: try await onOwnThread(request, services) { try services.lists.answer() }
    case .forget:
      try await onOwnThread(request, services) { try services.lists.forget(request) }
    case .startLoad:
      try await onOwnThread(request, services) { try services.loads.start(request) }
    case .keepAudio:
      try await onOwnThread(request, services) {
        try services.loads.keepAudio(of: Self.id(parts))
      }
    case .state:
      try await onOwnThread(request, services) { try services.events.polled(request) }
    case .loads: services.loads.list(request)
    case .load: try services.loads.state(of: parts[0], request)
    case .cancelLoad: try services.loads.cancel(parts[0])
    }
  }

  /// The document, with the answers that the page would ask for next, as far as they can be had at
  /// once.
  private func page(_ request: Request, _ gate: Gate, _ services: Services) async -> Answer {
    let session = gate.accessOfPage(request, isForDocument: true)
    var answers = [("/session", session)]
    if gate.mayRead(request), !request.isOfOtherSite {
      let plain = request.with([])
      let catalogues = try? services.lists.catalogues(plain)
      answers += catalogues.map { [("/api/chirper/catalogues", $0)] } ?? []
      let state = await soon { try await onPool(plain) { try services.events.polled(plain) } }
      answers += state.map { [("/api/chirper/state", $0)] } ?? []
      if let asked = PageStart.rows(request) {
        // While they are sorted, or the index is written, the page shows itself and waits.
        let rows = await soon {
          try await selected(asked, services, services.selections.rows)
        }
        answers += rows.map { [(PageStart.address(of: asked), $0)] } ?? []
      }
    }
    var answer = ServerFiles.answer(beginningWith: PageStart.block(answers))
    answer.headers += session.headers
    return answer
  }

  /// What `work` returns; `nil` if it fails or takes longer than a person notices. It goes on then,
  /// and what it found is cached.
  private func soon(_ work: @escaping @Sendable () async throws -> Answer) async -> Answer? {
    await withCheckedContinuation { continuation in
      let isOver = Locked(false)
      let end = { @Sendable (answer: Answer?) in
        let isFirst = isOver.withLock { over in
          defer { over = true }
          return !over
        }
        if isFirst { continuation.resume(returning: answer) }
      }
      Task { end(try? await work()) }
      Task {
        try? await Task.sleep(for: .milliseconds(300))
        end(nil)
      }
    }
  }

  /// Answers at once if the result is known, and otherwise with exclusive access, and the search
  /// index written. Requests that need the index wait for it together.
  private func selected(
    _ request: Request, _ services: Services, _ body: @escaping @Sendable (Request) throws -> Answer
  ) async throws -> Answer {
    do {
      return try await onPool(request) { try body(request).compressed(for: request) }
    } catch let need as NeedsExclusiveAccess {
      if need.searches { try await services.repository.updateSearchIndex() }
      var request = request
      request.hasExclusiveAccess = true
      let isSorted = request.all("sort").contains {
        ![SortKey.rank, SortKey.stored].contains($0)
      }
      let isLong = isSorted || request["distinct"] != nil
      return try await withTaskExecutorPreference(isLong ? sorting : selecting) { [request] in
        // Texts that were sorted.
        defer { if isLong { ServerMemory.trimAllocator() } }
        return try waitingOnce(request) { try body(request).compressed(for: request) }
      }
    }
  }

  private func onPool(
    _ request: Request, _ body: @escaping @Sendable () throws -> Answer
  ) async throws -> Answer {
    try await NIOThreadPool.singleton.runIfActive { try waitingOnce(request, body) }
  }

  private func onOwnThread(
    _ request: Request, _ services: Services, _ body: @Sendable () throws -> Answer
  ) async throws -> Answer {
    try await services.repository.perform { _ in
      try waitingOnce(request) { try body().compressed(for: request) }
    }
  }

  /// Calls `body`, unless a request has waited in vain for the database since this one
  /// arrived. It would wait once more for that lock.
  private func waitingOnce(_ request: Request, _ body: () throws -> Answer) throws -> Answer {
    if let locked = locked.withLock(\.self), locked.at > request.arrived { throw locked.error }
    do {
      return try SharedWait.$current.withValue(SharedWait(), operation: body)
    } catch let error as StoreError {
      if error.isBusy { locked.withLock { $0 = (.now, error) } }
      throw error
    }
  }

  private static let tooManyOfSession = Answer.text(
    .serviceUnavailable, "Too many requests of this browser are open."
  ).with(("Retry-After", "\(ServerLimits.retryAfter)"))

  private static func id(_ parts: [String]) -> RecordingID {
    RecordingID(catalogue: CatalogueID(rawValue: parts[0]), value: parts[1])
  }

  private static func head(
    of answer: Answer, to request: HTTPRequestHead, hasBody: Bool
  ) -> HTTPResponseHead {
    let isStream = answer.length == nil
    // A client of HTTP/1.0 cannot read pieces of unknown number, and gets them until the connection
    // is closed.
    var head = HTTPResponseHead(
      version: isStream ? request.version : .http1_1, status: answer.status,
      headers: answer.allHeaders)
    if isStream, hasBody, request.version == .http1_1 {
      head.headers.add(name: "Transfer-Encoding", value: "chunked")
    }
    if !request.isKeepAlive { head.headers.add(name: "Connection", value: "close") }
    return head
  }

  private func write(
    _ answer: Answer, to request: HTTPRequestHead,
    _ writer: NIOAsyncChannelOutboundWriter<HTTPServerResponsePart>
  ) async throws {
    let hasBody = request.method != .HEAD && answer.status.mayHaveResponseBody
    try await writer.write(.head(Self.head(of: answer, to: request, hasBody: hasBody)))
    if hasBody {
      switch answer.body {
      case .bytes(let bytes):
        for start in stride(from: 0, to: bytes.count, by: Self.pieceSize) {
          try await writer.write(
            .body(.byteBuffer(ByteBuffer(bytes: bytes[start...].prefix(Self.pieceSize)))))
        }
      case .file(let file, let range):
        for start in stride(from: range.lowerBound, to: range.upperBound, by: Self.readSize) {
          let end = min(range.upperBound, start + Self.readSize)
          let pieces = try await NIOThreadPool.singleton.runIfActive {
            try stride(from: start, to: end, by: Self.pieceSize).map {
              HTTPServerResponsePart.body(
                .byteBuffer(try Self.bytes($0..<min(end, $0 + Self.pieceSize), of: file)))
            }
          }
          try await writer.write(contentsOf: pieces)
        }
      case .stream(let produce):
        try await produce { try await writer.write(.body(.byteBuffer($0))) }
      }
    }
    try await writer.write(.end(nil))
  }

  /// A part of a file.
  ///
  /// - Throws: `ChannelError.inputClosed` if the file has become shorter: the client then sees that
  ///   bytes are missing.
  private static func bytes(_ range: Range<Int>, of file: DownloadedAudioFile) throws -> ByteBuffer
  {
    let bytes = try file.bytes(at: range.lowerBound, upTo: range.count)
    guard bytes.count == range.count else { throw ChannelError.inputClosed }
    return ByteBuffer(bytes: bytes)
  }

  /// The size of a piece, less than the size from which memory goes back to the system each
  /// time that it is freed (`ServerMemory`).
  private static let pieceSize = 1 << 16
  /// The bytes of a file that are read at a time. Two threads read and send them and wait
  /// for each other.
  private static let readSize = 8 * pieceSize
}
