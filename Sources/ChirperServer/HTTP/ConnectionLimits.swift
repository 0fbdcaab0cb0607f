import NIOCore
import NIOHTTP1

/// Counts the bytes that arrive on a connection before they are parsed, and throws them
/// away after a refusal, so that nothing in a refused body is read as the next request.
final class ByteMeter: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer

  private let limits: ConnectionLimits

  init(_ limits: ConnectionLimits) { self.limits = limits }

  func handlerAdded(context: ChannelHandlerContext) { limits.bytes = context }

  func handlerRemoved(context: ChannelHandlerContext) { limits.bytes = nil }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    guard !limits.isClosing else { return }
    limits.willParse(unwrapInboundIn(data).readableBytes)
    context.fireChannelRead(data)
  }
}

/// Holds each request of a connection to `ServerLimits`, and closes the connection beyond them.
final class ConnectionLimits: ChannelDuplexHandler {
  typealias InboundIn = HTTPServerRequestPart
  typealias OutboundIn = HTTPServerResponsePart

  /// Asks every connection to end after the answer that is under way.
  struct Stop: Sendable {}

  private enum Phase {
    case idle
    case head
    case body
    case answer
    /// The connection was refused; bytes that still arrive are thrown away.
    case closing
  }

  /// The position in the pipeline where bytes are written as they are. The handlers in between
  /// write an answer only to a request that was parsed.
  fileprivate var bytes: ChannelHandlerContext?
  private var phase = Phase.idle
  private var context: ChannelHandlerContext?
  private var deadline: Scheduled<Void>?
  private var headBytes = 0
  private var bodyBytes = 0
  private var unfinishedWrites = 0
  private var isStopping = false
  private let connections: OpenConnections

  init(_ connections: OpenConnections) { self.connections = connections }

  var isClosing: Bool { phase == .closing }

  func channelActive(context: ChannelHandlerContext) {
    self.context = context
    guard connections.add(context.channel) else { return refuse(Self.tooMany) }
    begin(.idle)
    context.fireChannelActive()
  }

  func channelInactive(context: ChannelHandlerContext) {
    deadline?.cancel()
    self.context = nil
    context.fireChannelInactive()
  }

  /// Called with the bytes of each read, before they are parsed.
  func willParse(_ count: Int) {
    if phase == .idle { begin(.head) }
    guard phase == .head else { return }
    // Bytes that came together with the end of the head may belong to the body; `channelRead`
    // counts the head alone.
    guard headBytes <= ServerLimits.headBytes else { return refuse(Self.longHead) }
    headBytes += count
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    guard phase != .closing else { return }
    switch unwrapInboundIn(data) {
    case .head(let head):
      if let refusal = Self.refusal(of: head) { return refuse(refusal) }
      begin(.body)
    case .body(let bytes):
      bodyBytes += bytes.readableBytes
      guard bodyBytes <= ServerLimits.bodyBytes else { return refuse(Self.longBody) }
    case .end:
      begin(.answer)
    }
    context.fireChannelRead(data)
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    switch error {
    case HTTPParserError.headerOverflow: refuse(Self.longHead)
    case is HTTPParserError: refuse(.text(.badRequest, "This is not a request of HTTP/1.1."))
    default: context.close(promise: nil)
    }
  }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    guard event is Stop else { return context.fireUserInboundEventTriggered(event) }
    isStopping = true
    if phase == .idle || phase == .head { context.close(promise: nil) }
  }

  func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    guard phase != .closing else {
      promise?.fail(ChannelError.ioOnClosedChannel)
      return
    }
    let isEnd = if case .end = unwrapOutboundIn(data) { true } else { false }
    let written = promise ?? context.eventLoop.makePromise()
    unfinishedWrites += 1
    if unfinishedWrites == 1 { closeAfter(ServerLimits.writeTime) }
    let limits = NIOLoopBound(self, eventLoop: context.eventLoop)
    written.futureResult.whenComplete { _ in limits.value.didWrite(isEnd: isEnd) }
    context.write(data, promise: written)
  }

  private func didWrite(isEnd: Bool) {
    unfinishedWrites -= 1
    guard phase != .closing, context != nil else { return }
    if unfinishedWrites > 0 {
      closeAfter(ServerLimits.writeTime)
    } else if isEnd {
      if isStopping { context?.close(promise: nil) } else { begin(.idle) }
    } else {
      deadline?.cancel()
    }
  }

  private func begin(_ phase: Phase) {
    self.phase = phase
    if let context { connections.note(context.channel, waits: phase == .idle || phase == .head) }
    switch phase {
    case .idle:
      headBytes = 0
      bodyBytes = 0
      closeAfter(ServerLimits.idleTime)
    case .head: closeAfter(ServerLimits.headTime)
    case .body: closeAfter(ServerLimits.bodyTime)
    case .answer, .closing: deadline?.cancel()
    }
  }

  private func closeAfter(_ time: TimeAmount) {
    deadline?.cancel()
    guard let context else { return }
    let channel = context.channel
    deadline = context.eventLoop.scheduleTask(in: time) { channel.close(promise: nil) }
  }

  /// Answers, sends no more, and closes when the client has had time to read that.
  private func refuse(_ answer: Answer) {
    guard let context, phase != .closing, case .bytes(let body) = answer.body else { return }
    phase = .closing
    let status = answer.status
    let lines = answer.allHeaders.map { "\($0.name): \($0.value)\r\n" }.joined()
    let head =
      "HTTP/1.1 \(status.code) \(status.reasonPhrase)\r\n" + lines
      + "Connection: close\r\n\r\n"
    let channel = context.channel
    let written = context.eventLoop.makePromise(of: Void.self)
    written.futureResult.whenComplete { _ in channel.close(mode: .output, promise: nil) }
    bytes?.writeAndFlush(NIOAny(ByteBuffer(bytes: Array(head.utf8) + body)), promise: written)
    closeAfter(ServerLimits.lingerTime)
  }

  private static let longHead = Answer.text(
    .requestHeaderFieldsTooLarge, "The request's headers are too long.")
  private static let longBody = Answer.error(
    .payloadTooLarge, kind: "body", problem: "The request's body is too long",
    hint: "A body has at most \(ServerLimits.bodyBytes) bytes.")
  private static let tooMany = Answer(
    status: .serviceUnavailable, type: "text/html; charset=utf-8",
    body: .bytes(Array(busyPage.utf8)), headers: [("Retry-After", "\(ServerLimits.retryAfter)")])
  /// A browser that asked for the page tries again by itself.
  private static let busyPage = """
    <!doctype html><meta http-equiv="refresh" content="\(ServerLimits.retryAfter)"><title>chirper</title>
    chirper is busy. Trying again…

    """

  /// The answer to a head that could be parsed and has a fault; `nil` if it is sound.
  private static func refusal(of head: HTTPRequestHead) -> Answer? {
    let size = head.headers.reduce(head.uri.utf8.count) {
      $0 + $1.name.utf8.count + $1.value.utf8.count + 4
    }
    guard size <= ServerLimits.headBytes else { return longHead }
    guard head.version == .http1_1 || head.version == .http1_0 else {
      return .text(.httpVersionNotSupported, "Only HTTP/1.1 is spoken here.")
    }
    guard head.headers["host"].count == 1 else {
      return .text(.badRequest, "A request needs one Host.")
    }
    guard Request.target(of: head).hasPrefix("/") else {
      return .text(.badRequest, "The address must be a path.")
    }
    if head.headers.contains(name: "transfer-encoding") || head.headers["content-length"].count > 1
    {
      return .error(
        .payloadTooLarge, kind: "body", problem: "A body needs one Content-Length",
        hint: "Send it without Transfer-Encoding.")
    }
    if let length = head.headers.first(name: "content-length"),
      (Int(length) ?? .max) > ServerLimits.bodyBytes
    {
      return longBody
    }
    return nil
  }
}
