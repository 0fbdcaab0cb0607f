import ChirperModel
import ChirperTestSupport
import Foundation
import Testing

@testable import Chirper
@testable import ChirperFormats

/// Definitions, locks, parts and the reasons of verification, without a store.
struct DataSetTests {
  // MARK: Definitions

  private func fault(_ text: String) -> String? {
    do {
      _ = try DataSetDefinition(Array(text.utf8), name: "a.dataset.json")
      return nil
    } catch {
      return error.message
    }
  }

  @Test func `labels that were imported contradict no line, and annotations do`() {
    let own = #"{"startTime":1,"identifiedBy":"A"}"#
    let label = #"{"startTime":2,"labelFile":"a.txt"}"#
    func isOfLabels(_ old: String?, _ new: String?) -> Bool {
      LockCheck.Change(column: .annotations, old: old, new: new).isOfLabels
    }
    #expect(isOfLabels("[\(own)]", "[\(own),\(label)]") && isOfLabels("[\(label)]", nil))
    #expect(!isOfLabels(nil, "[\(own)]") && !isOfLabels("[\(own)]", "[\(label)]"))
  }

  @Test func `a definition that is written is read as the same`() throws {
    var definition = DataSetDefinition()
    definition.title = "Wrens \"and\" more"
    definition.authors = ["Ada", "Ötzi"]
    var selection = Selection(where: ["q:A", "type:song"])
    selection.lists = [.typed("wren"), .typed("gbif:wren")]
    selection.catalogue = .gbif
    selection.purposes = [.precise(metres: 500)]
    selection.copies = .leftOut
    definition.selections = [selection, Selection()]
    definition.limits.perSpecies = 3
    definition.limits.recordings = 20
    definition.limits.first = ["quality", "-eventDate"]
    var split = DataSetDefinition.Split()
    (split.seed, split.grouping) = (7, .place(kilometres: 2.5))
    split.holdOut = DataSetDefinition.HoldOut("country:Poland")
    (definition.split, definition.layout, definition.names) = (split, .package, true)
    #expect(
      try DataSetDefinition(Array(definition.file.utf8), name: "a") == definition)
    #expect(split.holdOut?.value == "PL")
  }

  @Test(arguments: [
    ("{\n\"selections\":[{}],\n\"titel\":\"x\"}", "line 3: expected \"title\", not \"titel\"."),
    ("{\"selections\":[{\n\"where\":\"q:A\"}]}", "line 2: expected an array."),
    (
      "{\"selections\":[{\"for\":[\n\"profit\"]}]}",
      "line 1: expected \"commercial\", \"derivatives\" or \"precise:500\"."
    ),
    (
      "{\"selections\":[{}],\"limits\":{\"perSpecies\":0}}",
      "line 1: expected a whole number from 1 to 1000000."
    ),
    (
      "{\"selections\":[{}],\n\n\"split\":{\"train\":0}}",
      "line 3: expected shares that are above 0 together."
    ),
    (
      "{\"selections\":[]}",
      "line 1: expected \"selections\" with at least one selection; {} is everything stored."
    ),
    ("{\"selections\":[{}]", "line 1: the text ends too early."),
  ])
  func `a fault of a definition names its line`(text: String, message: String) {
    #expect(fault(text) == "a.dataset.json, \(message)")
  }

  @Test func `a definition has at most a hundred selections, and so has a lock`() throws {
    func text(_ count: Int) -> String {
      "{\"selections\":[\(Array(repeating: "{}", count: count).joined(separator: ","))]}"
    }
    #expect(fault(text(100)) == nil)
    #expect(fault(text(101)) == "a.dataset.json, line 1: expected at most 100 selections.")
    let lock = String(decoding: try Self.lock([Self.locked("1")]), as: UTF8.self)
    #expect(throws: UserFacingError.self) {
      _ = try Self.read(
        Array(lock.replacing(#""selections":[{}]"#, with: text(3000).dropFirst().dropLast()).utf8))
    }
    #expect(try Self.read(Array(lock.utf8)).count == 1 && lock.contains(#""selections":[{}]"#))
  }

  @Test(arguments: ["new:7d", "since:3", "changed:1d"])
  func `a search that depends on the day is refused`(condition: String) {
    var definition = DataSetDefinition()
    definition.selections = [Selection(where: [condition])]
    #expect(throws: UserFacingError.self) { try definition.checkSearches() }
    definition.selections[0].searches = ["since:2026-03-31 q:A"]
    #expect(throws: Never.self) { try definition.checkSearches() }
  }

  // MARK: Locks

  private static let catalogue = Catalogues.all.first { $0.id == .xenoCanto }

  /// A recording of xeno-canto, as it would be locked.
  static func recording(_ id: String, _ fields: [String: String] = [:]) -> Recording {
    var all = ["gen": "Turdus", "sp": "merula", "en": "Common Blackbird", "rec": "A. Smith"]
    all["lic"] = "//creativecommons.org/licenses/by/4.0/"
    all["id"] = id
    all.merge(fields) { $1 }
    let members = all.sorted { $0.key < $1.key }.map { "\($0.key.json):\($0.value.json)" }
    return Recording(
      id: RecordingID(catalogue: .xenoCanto, value: id),
      fields: RecordingFields(canonical: "{\(members.joined(separator: ","))}"))
  }

  private static func details(_ recording: Recording) -> RecordingDetails {
    catalogue?.details(of: recording) ?? RecordingDetails()
  }

  private static func locked(_ id: String, _ fields: [String: String] = [:]) throws
    -> LockedRecording
  {
    let recording = recording(id, fields)
    return try LockedRecording(recording, details(recording), volatile: [])
  }

  private static func lock(
    _ recordings: [LockedRecording], announced: Int? = nil, hasAudio: Bool = false
  ) throws -> [UInt8] {
    let header = LockHeader(
      DataSetDefinition(), recordings: announced ?? recordings.count, hasAudio: hasAudio,
      lists: [], catalogues: [catalogue].compactMap(\.self))
    var lock = Array(header.line.utf8)
    for recording in recordings { recording.append(to: &lock) }
    return lock
  }

  private static func read(_ bytes: [UInt8], pieces: Int = 1 << 16) throws -> [LockedRecording] {
    var at = 0
    let reader = try LockReader(name: "a.lock.jsonl") {
      defer { at = min(at + pieces, bytes.count) }
      return Array(bytes[at..<min(at + pieces, bytes.count)])
    }
    var all: [LockedRecording] = []
    while let next = try reader.next() { all.append(next) }
    return all
  }

  @Test func `a lock that is written is read as the same, in pieces of any size`() throws {
    var recordings = try ["1", "20", "3000"].map { id in
      try Self.locked(
        id, ["lat": "51.5", "lng": "-0.1", "type": "song, call", "date": "2020-05-17"])
    }
    for index in recordings.indices {
      recordings[index].audio = .init(
        sha256: String(repeating: "0a", count: 32), bytes: Int64(index), kind: "mp3")
      recordings[index].split = .test
    }
    let bytes = try Self.lock(recordings, hasAudio: true)
    for size in [1, 7, 100, 1 << 16] { #expect(try Self.read(bytes, pieces: size) == recordings) }
  }

  @Test func `a lock that was cut, doubled, reordered or is of a different version is refused`()
    throws
  {
    let lines = try ["1", "2", "10"].map { try Self.locked($0) }
    let whole = try Self.lock(lines)
    func message(_ bytes: [UInt8]) -> String {
      do {
        _ = try Self.read(bytes)
        return ""
      } catch let error as UserFacingError {
        return error.message
      } catch {
        return "\(error)"
      }
    }
    #expect(message(whole) == "")
    #expect(message(Array(whole.dropLast(5))).hasSuffix("this lock ends in the middle of a line."))
    #expect(
      message(try Self.lock(Array(lines.dropLast()), announced: 3))
        == "a.lock.jsonl, line 4: this lock cannot be used: it ends after 2 of 3 recordings.")
    #expect(
      message(try Self.lock([lines[0], lines[0], lines[2]])).hasSuffix("it has xeno-canto 1 twice.")
    )
    #expect(
      message(try Self.lock([lines[2], lines[0], lines[1]])).hasSuffix(
        "xeno-canto 1 is not in its place."))
    let newer = String(decoding: whole, as: UTF8.self)
      .replacing("\"chirperLock\":1", with: "\"chirperLock\":2")
    #expect(message(Array(newer.utf8)).contains("a lock of version 1, not 2"))
    #expect(message(Array("id,split\n".utf8)).contains("line 1: this lock cannot be used"))
    #expect(message([]).hasSuffix("it is empty."))
  }

  @Test(arguments: [CatalogueID.xenoCanto, .gbif, .iNaturalist, .itunes, .sample])
  func `a list is asked for by its identity, whatever else a lock says of it`(
    id: CatalogueID
  ) async throws {
    let repository = try RecordingRepository.inMemory()
    let catalogue = try #require(repository.catalogue(id))
    let typed = ["Parus major", "grey parrot"]
    let asked = try typed.flatMap { text in
      try [false, true].map { try catalogue.query(text, scientific: $0) }
    }
    func queries(_ query: CatalogueQuery, sent: String, identity: String?) throws -> (
      asked: [CatalogueQuery], others: Int
    ) {
      var list = query.requested(as: sent).object(in: nil)
      if let identity { list.add("identity", identity) }
      let lock = String(decoding: try Self.lock([Self.locked("1")]), as: UTF8.self)
      var rest = Array(lock.replacing(#""lists":[]"#, with: #""lists":[\#(list.text)]"#).utf8)
      let header = try LockReader(name: "a") {
        defer { rest = [] }
        return rest
      }.header
      let (asked, others) = try header.queries(in: repository)
      return (asked.map(\.query), others.count)
    }
    for query in asked {
      let honest = try queries(query, sent: query.requestText, identity: query.identity)
      #expect(honest.asked == [query] && honest.others == 0)
      #expect(honest.asked.map(\.requestText) == [query.requestText])
      let forged = try queries(query, sent: "everything", identity: query.identity).asked
      #expect(forged == [query] && forged.map(\.typed) == [query.typed])
      #expect(forged[0].requestText.lowercased() == query.requestText.lowercased())
      let unknown = try queries(query, sent: query.requestText, identity: nil)
      #expect(unknown.asked.isEmpty && unknown.others == 1)
    }
  }

  @Test func `locks are compared by their lines alone`() throws {
    let old = try Self.lock([Self.locked("1"), Self.locked("2"), Self.locked("3")])
    let new = try Self.lock([
      Self.locked("2", ["rec": "B. Other"]), Self.locked("3"), Self.locked("4"),
    ])
    var lines: [String] = []
    func reader(_ bytes: [UInt8]) throws -> LockReader {
      var rest = bytes
      return try LockReader(name: "a") {
        defer { rest = [] }
        return rest
      }
    }
    let differences = try LockDifferences(reader(old), reader(new)) { lines.append($0.text) }
    #expect(differences.text == "1 removed, 1 added, 1 changed, 1 the same")
    #expect(
      lines == [
        "- XC1 Turdus merula", "  XC2 Turdus merula: recordedBy", "+ XC4 Turdus merula",
      ])
  }

  // MARK: Reasons

  private func check(
    _ fields: [String: String], _ sound: LockCheck.Sound? = nil,
    before: [String: String] = [:]
  ) throws -> LockCheck {
    var locked = try Self.locked("1", before)
    locked.audio = .init(sha256: "a", bytes: 1, kind: "mp3")
    let now = Self.recording("1", fields)
    return LockCheck(locked, .stored(now, Self.details(now)), sound, volatile: [])
  }

  @Test func `each line has its reason`() throws {
    let by = "//creativecommons.org/licenses/by/4.0/"
    let other = LockedRecording.Audio(sha256: "b", bytes: 1, kind: "mp3")
    let own = LockedRecording.Audio(sha256: "a", bytes: 1, kind: "mp3")
    #expect(try check([:], .file(own)).reasons == [.same])
    #expect(try check([:], .file(other)).reasons == [.audio])
    #expect(try check([:], .absent(.audio)).reasons == [.audio])
    #expect(try check([:], .absent(.notAsked)).reasons == [.notAsked])
    #expect(try check(["rmk": "new"]).reasons == [.fields])
    #expect(
      try check(["rec": "B. Other"], .absent(.notReachable)).reasons == [.fields, .notReachable])
    #expect(
      try check(["rec": "B. Other"]).text
        == "XC1: fields changed: recordedBy A. Smith → B. Other")
    let stricter = try check(["lic": by.replacing("by/", with: "by-nc/")], .file(other))
    #expect(stricter.reasons == [.licence, .audio])
    #expect(stricter.isStricter)
    #expect(
      stricter.text
        == "XC1: licence changed (stricter), audio changed: licenseName CC BY 4.0 → CC BY-NC 4.0")
    let freer = try check(["lic": by], before: ["lic": by.replacing("by/", with: "by-nc-sa/")])
    #expect(freer.reasons == [.licence] && !freer.isStricter)
    // A bird of the list of names under another genus, and one that is a different bird.
    #expect(
      try check(
        ["gen": "Corvus", "sp": "monedula", "en": "Western Jackdaw"],
        before: ["gen": "Coloeus", "sp": "monedula", "en": "Western Jackdaw"]
      ).reasons == [.renamed])
    #expect(try check(["sp": "viscivorus", "en": "Mistle Thrush"]).reasons == [.differentSpecies])
    #expect(try check([:], .absent(.missing)).reasons == [.missing])
    #expect(try check([:], .file(.init(sha256: "a", bytes: 2, kind: "mp3"))).reasons == [.audio])
    #expect(try check([:], .file(.init(sha256: "a", bytes: 1, kind: "wav"))).reasons == [.audio])
    let locked = try Self.locked("1")
    for reason: LockCheck.Reason in [.withdrawn, .notReachable, .notAsked] {
      #expect(LockCheck(locked, .absent(reason), nil, volatile: []).reasons == [reason])
    }
  }

  /// A line with a different value of a member.
  private static func line(
    _ recording: LockedRecording, _ name: String, _ value: Any
  ) throws -> LockedRecording {
    var bytes: [UInt8] = []
    recording.append(to: &bytes)
    var object = try #require(
      try JSONSerialization.jsonObject(with: Data(bytes)) as? [String: Any])
    object[name] = value
    return try LockedRecording(line: Array(try JSONSerialization.data(withJSONObject: object)))
  }

  @Test(arguments: LockedRecording.columns, [false, true])
  func `a value that was edited in a line is named, whatever its hash says`(
    column: DetailColumn, hashIsKept: Bool
  ) throws {
    let recording = Self.recording("1")
    var forged = try Self.line(try Self.locked("1"), column.name, "forged")
    if !hashIsKept {
      forged = try Self.line(forged, "sha256", String(repeating: "0", count: 64))
    }
    func check(_ line: LockedRecording) -> LockCheck {
      LockCheck(line, .stored(recording, Self.details(recording)), nil, volatile: [])
    }
    #expect(check(forged).reason != .same)
    #expect(check(forged).changes.map(\.column) == [column])
    #expect(check(forged).isSameRecord == hashIsKept)
    // A record that has changed since can have grown, and its species can have a new name.
    let grows: Set<DetailColumn> = [
      .quality, .annotations, .alsoIn, .accessURI, .vernacularName, .taxonRank,
    ]
    #expect(check(forged).contradictsLine == (hashIsKept || !grows.contains(column)))
    // The hash of a record that was imported excuses no value that this one does not have.
    let imported = try Self.line(forged, "sha256", "d:" + String(repeating: "0", count: 64))
    #expect(check(imported).changes.map(\.column).contains(column))
  }

  @Test func `a renaming by the list of names alone keeps no line out of the folder`() throws {
    let recording = Self.recording("1", ["gen": "Curruca", "sp": "communis", "en": ""])
    let locked = try LockedRecording(recording, Self.details(recording), volatile: [])
    func check(_ accepted: String) throws -> LockCheck {
      LockCheck(
        try Self.line(locked, "acceptedNameUsage", accepted),
        .stored(recording, Self.details(recording)), nil, volatile: [])
    }
    #expect(try check("Sylvia communis").reasons == [.renamed])
    #expect(try !check("Sylvia communis").contradictsLine)
    #expect(try check("Corvus corax").reasons == [.differentSpecies])
    #expect(try check("Corvus corax").contradictsLine)
  }

  @Test(
    arguments: [
      ("bytes", 1 << 62), ("bytes", -1), ("kind", "exe"), ("kind", ""), ("kind", "../mp3"),
    ] as [(String, any Sendable)])
  func `a sound that cannot be one is refused`(member: String, value: any Sendable) throws {
    var recording = try Self.locked("1")
    recording.audio = .init(sha256: String(repeating: "0a", count: 32), bytes: 7, kind: "mp3")
    var audio: [String: any Sendable] = [
      "sha256": String(repeating: "0a", count: 32), "bytes": 7, "kind": "mp3",
    ]
    #expect(try Self.line(recording, "audio", audio) == recording)
    audio[member] = value
    #expect(throws: JSONFault.self) { try Self.line(recording, "audio", audio) }
  }

  @Test func `what is not one species is not counted as one`() throws {
    func species(_ name: String, _ rank: String?, _ accepted: String? = nil) -> String? {
      RecordingDetails.species(name, rank: rank, accepted: accepted)
    }
    #expect(species("Turdus merula", "species") == "Turdus merula")
    #expect(species("Rana temporaria parvipalmata", "subspecies") == "Rana temporaria")
    #expect(species("Sylvia communis", nil, "Curruca communis") == "Curruca communis")
    for (name, rank) in [
      ("Animalia", "kingdom"), ("Turdus", "genus"), ("Turdus", nil), ("Turdus sp.", nil),
      ("Turdus Linnaeus, 1758", "GENUS"), ("Empidonax difficilis", "complex"),
      ("Anas platyrhynchos × Anas acuta", "hybrid"), ("Anas platyrhynchos × Anas acuta", nil),
      ("Turdus merula / Turdus pilaris", nil),
    ] {
      #expect(species(name, rank) == nil, "\(name)")
    }
    #expect(species("Empidonax difficilis", "complex", "Empidonax difficilis") == nil)
  }

  // MARK: Parts

  /// Recordings by few recordists, some of them in sessions, some copies of others.
  private static func world(_ random: inout SeededRandom, count: Int) throws -> [LockedRecording] {
    try (1...count).map { number in
      var fields: [String: String] = [:]
      let person = Int.random(in: 0..<(count / 3), using: &random)
      fields["rec"] = random.chance(10) ? "" : "Person \(person)"
      fields["date"] = "2020-05-\(10 + Int.random(in: 0..<5, using: &random))"
      fields["lat"] = "\(50 + Double(Int.random(in: 0..<400, using: &random)) / 1000)"
      fields["lng"] = "\(10 + Double(Int.random(in: 0..<400, using: &random)) / 1000)"
      fields["sp"] = ["merula", "viscivorus", "pilaris"].randomElement(using: &random) ?? ""
      fields["en"] = ""
      fields["cnt"] = random.chance(5) ? "Poland" : "Germany"
      return try locked("\(number)", fields)
    }
  }

  @Test(arguments: 0..<UInt64(100 / RandomCases.step))
  func `no group is cut, whatever the recordings are`(seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    let recordings = try Self.world(&random, count: 300)
    var split = DataSetDefinition.Split()
    split.seed = Int(seed)
    let holdsOut = random.chance(30)
    if holdsOut { split.holdOut = DataSetDefinition.HoldOut("country:PL") }
    var groups = DataSetGroups(split.holdOut)
    for recording in recordings { groups.add(recording) }
    let parts = groups.parts(split)
    #expect(parts.parts.count == 300)
    let leaks = groups.leaks(parts.parts)
    #expect(leaks.isNone, "\(leaks) \(parts.lines)")
    if holdsOut {
      for (recording, part) in zip(recordings, parts.parts)
      where recording.text(.countryCode) == "PL" {
        #expect(part == .test)
      }
    }
    // Groups of one to a few rows can be balanced well.
    if !holdsOut {
      let train = parts.parts.count { $0 == .train }
      #expect((220...280).contains(train), "\(parts.lines)")
      #expect(Set(parts.parts).count == 3, "\(parts.lines)")
    }
    #expect(groups.parts(split).parts == parts.parts)
  }

  @Test(arguments: 0..<UInt64(50 / RandomCases.step))
  func `no cell of a grid and no session is in two parts`(seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    let recordings = try Self.world(&random, count: 300)
    var split = DataSetDefinition.Split()
    split.grouping = .place(kilometres: 2)
    var groups = DataSetGroups()
    for recording in recordings { groups.add(recording) }
    let parts = groups.parts(split).parts
    #expect(groups.leaks(parts).session == 0 && groups.leaks(parts).copy == 0)
    #expect(Set(parts).count == 3)
    var cells: [String: Set<DataSetPart>] = [:]
    for (recording, part) in zip(recordings, parts) {
      let coordinate = try #require(recording.coordinate)
      // Cells of the grid are 2 km high.
      let row = (coordinate.latitude / (2 / 111.195)).rounded(.down)
      let height = 2 / 111.195
      let column = (coordinate.longitude / (height / cos((row + 0.5) * height * .pi / 180)))
        .rounded(.down)
      cells["\(row) \(column)", default: []].insert(part)
    }
    #expect(cells.values.allSatisfy { $0.count == 1 })
  }

  @Test(arguments: [
    ("Ann Example", ["Ann Example"]), ("Ann Example | Bob Sample", ["Ann Example", "Bob Sample"]),
    ("Ann Example; Bob Sample;", ["Ann Example", "Bob Sample"]),
    ("Ann Example, Bob Sample", ["Ann Example", "Bob Sample"]),
    ("Ann Example&Bob Sample", ["Ann Example", "Bob Sample"]),
    ("Ann Example and Bob Sample", ["Ann Example", "Bob Sample"]),
    ("Ann, Bob AND Cy", ["Ann Bob", "Cy"]), ("Ann, Bob, Cy", ["Ann", "Bob", "Cy"]),
    ("Müller, H.", ["Müller H."]), ("Müller, H.; Schmidt, K. L.", ["Müller H.", "Schmidt K. L."]),
    ("Müller, H., Schmidt, KL", ["Müller H.", "Schmidt KL"]), ("Müller, Hans", ["Müller Hans"]),
    ("van der Berg, Jan", ["van der Berg Jan"]), ("John Smith, Jr.", ["John Smith Jr."]),
    ("Sandy Andover", ["Sandy Andover"]), ("", []), (" , ;and", []),
  ])
  func `a list of people is each of them, and a name with a comma is one person`(
    text: String, people: [String]
  ) {
    #expect(Recordists.people(in: text) == people)
  }

  @Test(arguments: ["Ann | Bob", "Ann; Bob", "Ann & Bob", "Bob and Ann", "Cy Third, Bob Two, Ann"])
  func `a joint recording is in the part of each of its people, or leaks`(joint: String) throws {
    var groups = DataSetGroups()
    for (index, recordist) in ["Ann", joint, "Bob", "Dan"].enumerated() {
      groups.add(try Self.locked("\(index)", ["rec": recordist]))
    }
    #expect(groups.leaks([.train, .test, .train, .train]).recordist == 1)
    #expect(groups.leaks([.test, .train, nil, .test]).recordist == 1)
    // The training part has no recording of Ann, though one of Bob, with whom she recorded.
    #expect(groups.leaks([.test, nil, .train, .test]).recordist == 0)
    let parts = groups.parts(DataSetDefinition.Split()).parts
    #expect(Set(parts[0...1]).count == 1)
    var heldOut = DataSetGroups(DataSetDefinition.HoldOut("recordist:ann"))
    heldOut.add(try Self.locked("1", ["rec": joint]))
    #expect(heldOut.parts(DataSetDefinition.Split()).parts == [.test])
  }

  @Test func `the percentage of a part is rounded`() throws {
    var groups = DataSetGroups(DataSetDefinition.HoldOut("recordist:Bob"))
    for (id, recordist) in [("1", "Ann"), ("2", "Ann"), ("3", "Bob")] {
      groups.add(try Self.locked(id, ["rec": recordist]))
    }
    #expect(
      groups.parts(DataSetDefinition.Split()).lines.first
        == "2 groups: train 2 (66.7 %), validation 0 (0 %), test 1 (33.3 %)")
  }

  @Test func `a session has each of its people`() throws {
    var groups = DataSetGroups()
    for (id, recordist) in [("1", "Ann Example & Bob Sample"), ("2", "Bob Sample"), ("3", "Cy")] {
      groups.add(
        try Self.locked(
          id, ["rec": recordist, "date": "2020-05-17", "lat": "51.5", "lng": "-0.1"]))
    }
    #expect(groups.leaks([.train, .test, .test]).session == 1)
  }

  @Test func `a hold-out that is of nobody, and ids of no recording, are said with their number`()
    throws
  {
    var groups = DataSetGroups(DataSetDefinition.HoldOut("recordist:Nobody"))
    groups.add(try Self.locked("1"))
    let lines = groups.parts(DataSetDefinition.Split()).lines
    #expect(lines.contains("0 recordings held out: none is of recordist:Nobody"), "\(lines)")
    let table = "id,split\r\n1,train\r\nXC2,test\r\n991,test\r\n"
    for text in [table, "\u{FEFF}\(table)", String(table.replacing(",", with: ";").dropLast())] {
      var parts = try Self.parts(text)
      let xenoCanto = { RecordingID(catalogue: .xenoCanto, value: $0) }
      #expect(parts.unusedLine == "3 ids of s.csv without a recording in the set: 1, 991, xc2")
      #expect(parts.part(of: xenoCanto("1"), "XC1") == .train)
      #expect(parts.part(of: xenoCanto("2"), "XC2") == .test)
      #expect(parts.part(of: xenoCanto("3"), "XC3") == nil)
      #expect(parts.unusedLine == "1 id of s.csv without a recording in the set: 991")
    }
  }

  private static func parts(_ text: String) throws -> DataSetParts {
    try DataSetParts(name: "s.csv") {
      var rest = Array(text.utf8)
      return {
        defer { rest = [] }
        return rest
      }
    }
  }

  @Test(
    arguments: [
      ("id;split;note\n1;train\n\n2;test;x;y\n", nil), ("split\tid\nvalidation\t1\n", nil),
      ("id,split\n1,train\n1,test\n", "row 3 gives 1 another part than a row before"),
      ("id,split\n1,trial\n", #"row 2 has an unknown part "trial""#),
      ("id,split\n\"1,train\n2,test\n", "row 2: a quote in it is not closed"),
      ("id,part\n1,train\n", "this file has no columns id and split"),
      ("", "this file has no columns id and split"),
    ] as [(String, String?)])
  func `a split is a table as spreadsheets save it`(_ text: String, _ problem: String?) throws {
    guard let problem else {
      var parts = try Self.parts(text)
      #expect(parts.part(of: RecordingID(catalogue: .xenoCanto, value: "1"), nil) != nil)
      return
    }
    let error = #expect(throws: UserFacingError.self) { try Self.parts(text) }
    #expect(error?.problem == problem)
  }

  @Test func `a genus is in no part as a species, and has no folder of its own`() throws {
    var groups = DataSetGroups()
    for id in 1...3 { groups.add(try Self.locked("\(id)", ["sp": "", "rec": "Person \(id)"])) }
    for id in 4...30 { groups.add(try Self.locked("\(id)", ["rec": "Person \(id)"])) }
    #expect(
      groups.aboveSpeciesLine
        == "3 recordings are above species: a genus, a group, a hybrid or without a name")
    let lines = groups.parts(DataSetDefinition.Split()).lines
    #expect(lines.count == 1 && lines[0].hasPrefix("30 groups: train "), "\(lines)")
    let header = LockHeader(
      DataSetDefinition(), recordings: 1, hasAudio: true, lists: [], catalogues: [])
    let names = DataSetNames(header)
    #expect(names.label(of: try Self.locked("1", ["sp": ""])) == "above species")
    #expect(names.label(of: try Self.locked("1", ["gen": "", "sp": ""])) == "unknown")
    #expect(names.label(of: try Self.locked("1")) == "Turdus merula")
    #expect(
      names.label(of: try Self.locked("1", ["gen": "Rana", "sp": "temporaria", "ssp": "alba"]))
        == "Rana temporaria")
  }

  @Test func `a random division leaks, and is said to`() throws {
    var random = SeededRandom(seed: 1)
    var groups = DataSetGroups()
    for recording in try Self.world(&random, count: 300) { groups.add(recording) }
    let parts = (0..<300).map { _ in random.chance(10) ? DataSetPart.test : .train }
    let leaks = groups.leaks(parts)
    #expect(leaks.recordist > leaks.others / 2, "\(leaks)")
    #expect(leaks.text.hasPrefix("leaks: the training part has the \(leaks.recordist) recordist"))
  }

  @Test func `a group of more than a tenth of a species is in the training part, and that is said`()
    throws
  {
    var groups = DataSetGroups()
    for number in 0..<100 {
      groups.add(
        try Self.locked("\(number)", ["rec": number < 30 ? "One" : "Person \(number)"]))
    }
    let parts = groups.parts(DataSetDefinition.Split())
    #expect(parts.parts.prefix(30).allSatisfy { $0 == .train })
    #expect(parts.parts.count { $0 == .test } == 10)
    #expect(
      parts.lines[1] == "1 group in the training part, with more than a tenth of a species")
  }

  @Test func `copies are in one part, also if their original is not there`() throws {
    let gbif = try #require(Catalogues.all.first { $0.id == .gbif })
    func copy(_ key: String) throws -> LockedRecording {
      let recording = Recording(
        id: RecordingID(catalogue: .gbif, value: key), fields: RecordingFields(canonical: "{}"))
      var details = gbif.details(of: recording)
      details.scientificName = "Turdus merula"
      details.recordedBy = "GBIF \(key)"
      details.alsoIn = RecordingID(catalogue: .xenoCanto, value: "7")
      return try LockedRecording(recording, details, volatile: [])
    }
    var groups = DataSetGroups()
    for recording in [try copy("1"), try copy("2"), try Self.locked("7")] { groups.add(recording) }
    #expect(groups.leaks([.train, .test, .validation]).copy == 2)
    #expect(Set(groups.parts(DataSetDefinition.Split()).parts).count == 1)
  }
}
