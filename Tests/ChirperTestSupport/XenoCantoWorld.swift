import ChirperModel
import Foundation
import Synchronization

/// A xeno-canto on loopback: made-up recordings in the service's shape and order, behind a real socket; its list may be
/// changed between requests.
package final class XenoCantoWorld: Sendable {
  package struct Row: Sendable, Equatable {
    package var number: Int
    package var species: String
    package var quality: String
    package var uploaded: String
    package var remark = ""

    package init(_ number: Int, _ species: String, quality: String = "A", uploaded: String = "2020-01-01") {
      self.number = number
      self.species = species
      self.quality = quality
      self.uploaded = uploaded
    }

    package var json: String {
      #"{"id":"\#(number)","gen":"Genus","sp":"\#(species)","en":"\#(species) bird","q":"\#(quality)","#
        + #""uploaded":"\#(uploaded)","rmk":\#(JSONText.quoted(remark))}"#
    }
  }

  private let shared: Shared
  package let server: ScriptedServer

  package init(_ rows: [Row]) throws {
    let shared = Shared(rows)
    self.shared = shared
    server = try ScriptedServer { shared.answer($0) }
  }

  /// The ids in the list's order.
  package var ids: [String] { shared.rows.withLock { $0.map { "\($0.number)" } } }

  /// Pages served so far, as sent.
  package var requests: [ScriptedServer.Request] { server.requests }

  /// What it answers, for a server that answers some requests otherwise.
  package func answer(_ request: ScriptedServer.Request) -> ScriptedAnswer { shared.answer(request) }

  /// Changes the list and puts it back in the service's order: species by name, quality, number descending.
  package func change(_ body: (inout [Row]) -> Void) {
    shared.rows.withLock { rows in
      body(&rows)
      rows = Shared.ordered(rows)
    }
  }

  private final class Shared: Sendable {
    let rows: Mutex<[Row]>

    init(_ rows: [Row]) {
      self.rows = Mutex(Self.ordered(rows))
    }

    static func ordered(_ rows: [Row]) -> [Row] {
      rows.sorted { ($0.species, $0.quality, -$0.number) < ($1.species, $1.quality, -$1.number) }
    }

    func answer(_ request: ScriptedServer.Request) -> ScriptedAnswer {
      let since = request.query("query")?.split(separator: " ").first { $0.hasPrefix("since:") }?.dropFirst(6)
      let found = rows.withLock { $0.filter { $0.uploaded >= since ?? "" } }
      let page = Int(request.query("page") ?? "") ?? 1
      let size = Int(request.query("per_page") ?? "") ?? 100
      let pages = max(1, (found.count + size - 1) / size)
      let window = found.dropFirst((page - 1) * size).prefix(size).map(\.json).joined(separator: ",")
      return .json(
        200,
        #"{"numRecordings":"\#(found.count)","numSpecies":"1","page":\#(page),"numPages":\#(pages),"recordings":[\#(window)]}"#)
    }
  }
}
