import Synchronization

/// A catalogue with audio that everyone may pass on, of which some can be replaced.
package final class SoundCatalogue: Sendable {
  package let catalogue: FakeXenoCanto
  private let replaced: Replaced

  private final class Replaced: Sendable {
    let ids = Mutex<Set<String>>([])
  }

  /// - Parameter soundSize: the bytes of a sound beyond its text.
  package init(_ ids: [String], soundSize: Int = 0) throws {
    let records = ids.map { id in
      var record = FakeXenoCanto.Record(id, file: "/\(id)/download")
      record.licence = "//creativecommons.org/licenses/by/4.0/"
      return record
    }
    let replaced = Replaced()
    self.replaced = replaced
    catalogue = try FakeXenoCanto(records: records) { request, _ in
      guard request.path.hasSuffix("/download") else { return nil }
      let id = String(request.path.split(separator: "/")[0])
      let version = replaced.ids.withLock { $0.contains(id) } ? "new" : "old"
      return .bytes(
        200,
        Array("ID3 and sound \(id) \(version)".utf8) + [UInt8](repeating: 0, count: soundSize),
        headers: ["Content-Type": "audio/mpeg"])
    }
  }

  package func replaceAudio(of id: String) { _ = replaced.ids.withLock { $0.insert(id) } }

  package func change(_ id: String, _ body: (inout FakeXenoCanto.Record) -> Void) {
    catalogue.change { records in
      for index in records.indices where records[index].id == id { body(&records[index]) }
    }
  }
}
