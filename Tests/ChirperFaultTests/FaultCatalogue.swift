import ChirperModel
import ChirperTestSupport
import Foundation
import Synchronization

/// A xeno-canto on loopback with few rows a page, so that a run has few writes.
final class FaultCatalogue: Sendable {
  let server: ScriptedServer
  private let list: UpstreamList

  private final class UpstreamList: Sendable {
    let ids: Mutex<[String]>

    init(_ ids: [String]) {
      self.ids = Mutex(ids)
    }
  }

  /// - Parameter answer: what to do with a request for a page instead, where it gives something.
  init(
    _ ids: [String], rowsPerPage: Int = 3, size: Int = 60,
    answer: @escaping @Sendable (ScriptedServer.Request, Int) -> ScriptedAnswer? = { _, _ in nil }
  ) throws {
    let list = UpstreamList(ids)
    self.list = list
    server = try ScriptedServer { request in
      let page = request.query("page").flatMap { Int($0) } ?? 1
      if let answer = answer(request, page) { return answer }
      return .json(200, Self.body(list.ids.withLock { $0 }, page: page, rowsPerPage: rowsPerPage, size: size))
    }
  }

  var ids: [String] {
    get { list.ids.withLock { $0 } }
    set { list.ids.withLock { $0 = newValue } }
  }

  /// What a program needs to ask this server.
  var variables: [String: String] {
    ["CHIRPER_XENO_CANTO_URL": server.url.absoluteString, "XENO_CANTO_API_KEY": "k"]
  }

  static func body(_ ids: [String], page: Int, rowsPerPage: Int, size: Int = 60) -> String {
    let start = min(ids.count, (page - 1) * rowsPerPage)
    let rows = ids[start..<min(ids.count, start + rowsPerPage)].map { record($0, size: size) }
    return body(rows, page: page, pages: max(1, (ids.count + rowsPerPage - 1) / rowsPerPage), total: ids.count)
  }

  static func body(_ rows: [String], page: Int, pages: Int, total: Int) -> String {
    """
    {"numRecordings":"\(total)","numSpecies":"1","page":\(page),"numPages":\(pages),\
    "recordings":[\(rows.joined(separator: ","))]}
    """
  }

  static func record(_ id: String, size: Int) -> String {
    #"{"id":"\#(id)","gen":"Psittacus","sp":"erithacus","en":"Grey Parrot","rmk":"\#(String(repeating: "x", count: size))"}"#
  }
}
