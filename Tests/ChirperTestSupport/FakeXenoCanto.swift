import ChirperModel
import Foundation
import Synchronization

/// xeno-canto on loopback: made-up recordings in the service's shape, behind a real socket. The
/// list may be changed between two requests, and any request may be answered with something else.
///
///     let catalogue = try FakeXenoCanto(["1", "2", "3"])
///     try withProgram(catalogue.variables) { program in … }
package final class FakeXenoCanto: Sendable {
  /// One recording as the service sends it.
  package struct Record: Sendable, Equatable {
    package let id: String
    package var species: String
    package var quality: String
    /// A day, as in 2020-01-31.
    package var uploaded: String
    package var remark = ""
    /// The address of the audio; one that begins with a slash is on this server.
    package var file: String?
    /// The address of the licence; not sent where it is `nil`.
    package var licence: String?
    /// The annotation set as JSON; not sent where it is `nil`.
    package var annotationSet: String?

    package init(
      _ id: String, species: String = "exemplaris", quality: String = "A",
      uploaded: String = "2020-01-01", file: String? = nil
    ) {
      self.id = id
      self.species = species
      self.quality = quality
      self.uploaded = uploaded
      self.file = file
    }

    package init(
      _ number: Int, _ species: String, quality: String = "A", uploaded: String = "2020-01-01"
    ) {
      self.init("\(number)", species: species, quality: quality, uploaded: uploaded)
    }

    /// The catalogue number.
    package var number: Int { Int(id) ?? 0 }

    fileprivate func json(host: String) -> String {
      let address = file.map { $0.hasPrefix("/") ? "http://\(host)\($0)" : $0 }
      var members: [(String, String?)] = [
        ("id", id), ("gen", "Psittacus"), ("sp", species), ("en", "Sample parrot \(id)"),
        ("rec", "Sample recordist"),
        ("cnt", "Gabon"), ("type", "call"), ("q", quality), ("length", "0:30"),
        ("date", "2024-05-01"),
        ("uploaded", uploaded), ("file", address), ("rmk", remark),
      ]
      if let licence { members.append(("lic", licence)) }
      let set = annotationSet.map { ",\"annotation-set\":\($0)" } ?? ""
      let texts = members.map { "\"\($0)\":\($1.map(JSONText.quoted) ?? "null")" }
      return "{\(texts.joined(separator: ","))\(set)}"
    }
  }

  /// Answers a request instead of the list, where it returns something.
  package typealias Override =
    @Sendable (_ request: ScriptedServer.Request, _ page: Int) -> ScriptedAnswer?

  package let server: ScriptedServer
  private let list: List
  private let rowsPerPage: Int?

  /// Recordings in the service's order, whatever order they are given in: by species, then quality,
  /// newest first.
  ///
  /// - Parameter rowsPerPage: `nil`: as many as the request asks for, 100 where it does not say.
  package convenience init(
    records: [Record], rowsPerPage: Int? = nil, answer: @escaping Override = { _, _ in nil }
  ) throws {
    try self.init(List(records, isOrdered: true), rowsPerPage, delay: .zero, answer)
  }

  /// Recordings with these ids in this order, few to a page, so that a run has few writes.
  ///
  /// - Parameters:
  ///   - size: length of each remark, in bytes.
  ///   - delay: how long each page takes.
  package convenience init(
    _ ids: [String], rowsPerPage: Int = 3, size: Int = 60, delay: Duration = .zero,
    answer: @escaping Override = { _, _ in nil }
  ) throws {
    try self.init(
      List(ids.map { Self.record($0, size) }, isOrdered: false, size: size), rowsPerPage,
      delay: delay, answer)
  }

  private init(_ list: List, _ rowsPerPage: Int?, delay: Duration, _ override: @escaping Override)
    throws
  {
    self.list = list
    self.rowsPerPage = rowsPerPage
    server = try ScriptedServer { request in
      let page = request.query("page").flatMap { Int($0) } ?? 1
      if let answer = override(request, page) { return answer }
      let answer = list.answer(request, page, rowsPerPage)
      return delay == .zero ? answer : ScriptedAnswer([.pause(delay)] + answer.steps)
    }
  }

  /// What a program needs to ask this server.
  package var variables: [String: String] {
    ["CHIRPER_XENO_CANTO_URL": server.url.absoluteString, "XENO_CANTO_API_KEY": "k"]
  }

  /// The ids in the order of the list; new ones become recordings like the first ones.
  package var ids: [String] {
    get { list.records.withLock { $0.map(\.id) } }
    set { list.replace(newValue) }
  }

  /// Changes the list; one made of records is put back into the service's order.
  package func change(_ body: (inout [Record]) -> Void) { list.change(body) }

  /// Every request so far.
  package var requests: [ScriptedServer.Request] { server.requests }

  /// The number of each page asked for so far.
  package var pagesAsked: [Int] { requests.compactMap { $0.query("page").flatMap { Int($0) } } }

  /// What the list answers, for a server that answers some requests otherwise.
  package func answer(_ request: ScriptedServer.Request) -> ScriptedAnswer {
    list.answer(request, request.query("page").flatMap { Int($0) } ?? 1, rowsPerPage)
  }

  /// One page of so many, with these records as JSON.
  package static func body(_ records: [String], page: Int, pages: Int, total: Int) -> String {
    #"{"numRecordings":"\#(total)","numSpecies":"1","page":\#(page),"numPages":\#(pages),"#
      + #""recordings":[\#(records.joined(separator: ","))]}"#
  }

  /// One record as JSON, with a remark of so many bytes.
  package static func record(_ id: String, size: Int) -> String { record(id, size).json(host: "") }

  private static func record(_ id: String, _ size: Int) -> Record {
    var record = Record(id)
    record.remark = String(repeating: "x", count: size)
    return record
  }

  private final class List: Sendable {
    let records: Mutex<[Record]>
    private let isOrdered: Bool
    private let size: Int

    init(_ records: [Record], isOrdered: Bool, size: Int = 0) {
      self.isOrdered = isOrdered
      self.size = size
      self.records = Mutex(isOrdered ? Self.ordered(records) : records)
    }

    func change(_ body: (inout [Record]) -> Void) {
      records.withLock { records in
        body(&records)
        if isOrdered { records = Self.ordered(records) }
      }
    }

    func replace(_ ids: [String]) {
      change { records in
        let known = Dictionary(records.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
        records = ids.map { known[$0] ?? FakeXenoCanto.record($0, size) }
      }
    }

    private static func ordered(_ records: [Record]) -> [Record] {
      records.sorted { ($0.species, $0.quality, -$0.number) < ($1.species, $1.quality, -$1.number) }
    }

    func answer(_ request: ScriptedServer.Request, _ page: Int, _ rowsPerPage: Int?)
      -> ScriptedAnswer
    {
      let since = request.query("query")?.split(separator: " ").first { $0.hasPrefix("since:") }?
        .dropFirst(6)
      let found = records.withLock { $0.filter { $0.uploaded >= since ?? "" } }
      let size = rowsPerPage ?? request.query("per_page").flatMap { Int($0) } ?? 100
      let window = found.dropFirst((page - 1) * size).prefix(size).map {
        $0.json(host: request.headers["host"] ?? "")
      }
      return .json(
        200,
        FakeXenoCanto.body(
          window, page: page, pages: max(1, (found.count + size - 1) / size), total: found.count))
    }
  }
}
