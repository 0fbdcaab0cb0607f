import Chirper
import ChirperModel
import Foundation

/// The first line of a lock: what the data set was made of, and when.
package struct LockHeader: Sendable {
  /// The version of the lines and of the header.
  static let format = 1

  let definition: DataSetDefinition
  let recordings: Int
  /// The recordings that the selections found, each once; `nil` if the lock does not say.
  let found: Int?
  /// How many of these the limits left out.
  let beyondLimits: Int
  /// Whether each line has its audio.
  let hasAudio: Bool
  /// The lists that the recordings were in, as JSON objects with claims and dates.
  let lists: [RecordingFields]
  /// The citations of the lists that were imported, with the texts of their files.
  let citations: [RecordingFields]
  /// The fields without which records were hashed, by catalogue.
  let volatile: [CatalogueID: Set<String>]
  /// The time of the newest page of the lists, UTC; empty without lists.
  let fetchedAt: String
  /// The version of the program, and the title of the list of names.
  package let (program, names): (String, String)

  /// The header of a new lock.
  init(
    _ definition: DataSetDefinition, recordings: Int, found: Int? = nil, beyondLimits: Int = 0,
    hasAudio: Bool, lists: [StoredQuery], citations: [JSONObject] = [], catalogues: [Catalogue]
  ) {
    self.found = found
    self.beyondLimits = beyondLimits
    self.citations = citations.map { RecordingFields(canonical: $0.text) }
    self.definition = definition
    self.recordings = recordings
    self.hasAudio = hasAudio
    self.lists = lists.sorted {
      ($0.query.catalogue.rawValue, $0.query.identity, $0.query.pageSize)
        < ($1.query.catalogue.rawValue, $1.query.identity, $1.query.pageSize)
    }.map { list in
      var object = list.query.object(in: nil)
      object.add("identity", list.query.identity)
      object.add(list.object)
      return RecordingFields(canonical: object.text)
    }
    volatile = Dictionary(catalogues.map { ($0.id, $0.volatileFields) }) { first, _ in first }
    fetchedAt = lists.map(\.newestFetchedAt).max()?.formatted(.iso8601) ?? ""
    program = ProgramVersion.current
    names = NameTable.title
  }

  var line: String {
    var hidden: JSONObject = [:]
    for (id, fields) in volatile.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
      hidden.add(id.rawValue, fields.sorted())
    }
    var header: JSONObject = [
      "chirperLock": Self.format, "recordings": recordings, "audio": hasAudio,
      "fetchedAt": fetchedAt,
    ]
    if let found { header.add(["found": found, "beyondLimits": beyondLimits]) }
    header.add(["definition": definition.json, "lists": lists])
    header.add(known: ["citations": citations])
    header.add(["program": program, "names": names, "volatileFields": hidden])
    return header.text + "\n"
  }

  fileprivate init(line: [UInt8]) throws(JSONFault) {
    let notLock = JSONFault(reason: .unexpected("\"chirperLock\":\(Self.format)"), offset: 0)
    var reader = JSONReader(line)
    guard reader.kind == .object else { throw notLock }
    var members = [String: RecordingFields.Value]()
    var definition = DataSetDefinition?.none
    try reader.object { name, reader throws(JSONFault) in
      // The version decides whether the other members can be read.
      if name == "definition", members["chirperLock"]?.integer == Self.format {
        definition = try DataSetDefinition(&reader)
      } else {
        members[name] = try reader.value()
      }
    }
    try reader.end()
    if let version = members["chirperLock"]?.integer, version != Self.format {
      throw JSONFault(
        reason: .unexpected("a lock of version \(Self.format), not \(version)"), offset: 0)
    }
    guard let definition, let recordings = members["recordings"]?.integer, recordings >= 0,
      let hasAudio = members["audio"]?.bool, let hidden = members["volatileFields"]?.object
    else { throw notLock }
    self.definition = definition
    self.recordings = recordings
    self.hasAudio = hasAudio
    found = members["found"]?.integer.flatMap { (recordings...(1 << 40)).contains($0) ? $0 : nil }
    beyondLimits = min(
      max(0, members["beyondLimits"]?.integer ?? 0), (found ?? recordings) - recordings)
    lists = members["lists"]?.objects.compactMap(\.self) ?? []
    citations = members["citations"]?.objects.compactMap(\.self) ?? []
    volatile = Dictionary(
      hidden.names.map { (CatalogueID(rawValue: $0), Set(hidden[$0]?.list ?? [])) }
    ) { first, _ in first }
    fetchedAt = members["fetchedAt"]?.text ?? ""
    program = members["program"]?.text ?? ""
    names = members["names"]?.text ?? ""
  }
}

/// Reads a lock, a line at a time.
package final class LockReader {
  package let header: LockHeader
  /// The file's name, for messages.
  let name: String
  /// Lines read, the header not counted.
  private(set) var count = 0
  private let read: () throws -> [UInt8]
  private var (buffer, at) = ([UInt8](), 0)
  private var lastID: RecordingID?
  private var digest = SHA256()

  /// No recording has more bytes in a line.
  private static let lineLimit = 1 << 26

  package convenience init(_ path: String) throws {
    guard !path.hasSuffix(DataSet.definitionEnd) else {
      throw UserFacingError.usage(
        "\(path) is a definition, and not its lock",
        hint: "Name the lock: \(CommandText.quoted(DataSet.lockPath(of: path)))")
    }
    try self.init(name: path, read: ReadableFile(path).pieces())
  }

  /// - Parameter read: returns the next piece of the file, empty at its end.
  init(name: String, read: @escaping () throws -> [UInt8]) throws {
    self.name = name
    self.read = read
    var buffer = [UInt8]()
    guard let line = try Self.line(of: &buffer, from: 0, read, name) else {
      throw Self.fault(name, 1, "it is empty")
    }
    do throws(JSONFault) {
      header = try LockHeader(line: Array(buffer[line]))
    } catch {
      throw Self.fault(name, 1, error.description)
    }
    self.buffer = buffer
    at = line.upperBound + 1
  }

  /// The next recording; `nil` after the last.
  ///
  /// - Throws: `UserFacingError` for a file that was cut or changed, and the errors of `read`.
  package func next() throws -> LockedRecording? {
    if at > 1 << 20 {
      buffer.removeFirst(at)
      at = 0
    }
    let number = count + 2
    guard let line = try Self.line(of: &buffer, from: at, read, name) else {
      guard count == header.recordings else {
        throw Self.fault(
          name, number, "it ends after \(count) of \(Plural.words(header.recordings, "recording"))")
      }
      return nil
    }
    let bytes = Array(buffer[line])
    let recording: LockedRecording
    do throws(JSONFault) {
      recording = try LockedRecording(line: bytes)
    } catch {
      throw Self.fault(name, number, error.description)
    }
    if let lastID {
      if lastID == recording.id { throw Self.fault(name, number, "it has \(lastID) twice") }
      guard LockedRecording.precedes(lastID, recording.id) else {
        throw Self.fault(name, number, "\(recording.id) is not in its place")
      }
    }
    guard count < header.recordings else {
      throw Self.fault(
        name, number, "it has more than \(Plural.words(header.recordings, "recording"))")
    }
    guard (recording.audio != nil) == header.hasAudio else {
      throw Self.fault(name, number, "its first line says otherwise about audio")
    }
    digest.add(bytes + [0x0A])
    lastID = recording.id
    at = line.upperBound + 1
    count += 1
    return recording
  }

  /// SHA-256 of the lines read.
  var sha256: String { digest.text() }

  /// The next line without its end; `nil` at the end of the file.
  private static func line(
    of buffer: inout [UInt8], from start: Int, _ read: () throws -> [UInt8], _ name: String
  ) throws -> Range<Int>? {
    var searched = start
    while true {
      if let end = buffer[searched...].firstIndex(of: 0x0A) { return start..<end }
      searched = buffer.count
      let piece = try read()
      guard !piece.isEmpty else {
        guard searched == start else {
          throw fault(name, "this lock ends in the middle of a line")
        }
        return nil
      }
      buffer += piece
      guard buffer.count - start <= lineLimit else {
        throw fault(name, "this is not a lock: a line has more than \(lineLimit) bytes")
      }
    }
  }

  private static func fault(_ name: String, _ line: Int, _ problem: String) -> UserFacingError {
    fault("\(name), line \(line)", "this lock cannot be used: \(problem)")
  }

  private static func fault(_ subject: String, _ problem: String) -> UserFacingError {
    UserFacingError(
      .damaged, kind: "bad-lock", subject: subject, problem: problem,
      hint: "Get the file again, or make it with: chirper dataset lock")
  }
}
