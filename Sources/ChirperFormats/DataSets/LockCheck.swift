import Chirper
import ChirperModel
import Foundation

/// The comparison of a locked recording with what is known about it now.
public struct LockCheck: Sendable {
  /// The fate of a recording. Of several, the first counts.
  #if hasAttribute(nonexhaustive)
  @nonexhaustive
  #endif
  public enum Reason: String, CaseIterable, Sendable {
    /// The catalogue no longer has it.
    case withdrawn
    /// The recording is of a different species now, or was not named before.
    case differentSpecies
    /// The licence is a different one.
    case licence = "licenceChanged"
    /// The species has a different name.
    case renamed
    /// The file has other bytes, or is not there any more.
    case audio = "audioChanged"
    /// The folder does not have its file.
    case missing
    /// Other values are different.
    case fields = "fieldsChanged"
    /// The catalogue does not answer.
    case notReachable
    /// The catalogue would have to be asked.
    case notAsked
    /// The recording is as it was locked.
    case same

    /// The reason for people: `licence changed`.
    var words: String {
      switch self {
      case .differentSpecies: "different species"
      case .licence: "licence changed"
      case .audio: "audio changed"
      case .fields: "fields changed"
      case .notReachable: "not reachable"
      case .notAsked: "not asked"
      case .withdrawn, .renamed, .missing, .same: rawValue
      }
    }
  }

  /// The record as it is known now, or the reason why it is not.
  enum Present: Sendable {
    case stored(Recording, RecordingDetails)
    case absent(Reason)
  }

  /// The audio as it is known now, or the reason why it is not.
  enum Sound: Sendable {
    case file(LockedRecording.Audio)
    case absent(Reason)
  }

  /// A value that changed, as JSON; `nil` for no value.
  struct Change: Equatable, Sendable {
    let column: DetailColumn
    package let (old, new): (String?, String?)

    /// Whether only labels that were imported are different, which are not of the record.
    var isOfLabels: Bool {
      guard column == .annotations else { return false }
      let annotations = [old, new].map { [RecordingDetails.Annotation](json: $0 ?? "[]") }
      let ofCatalogue = annotations.map { all in all.filter { $0.labelFile == nil } }
      return annotations != ofCatalogue && ofCatalogue[0] == ofCatalogue[1]
    }
  }

  /// The recording.
  public let id: RecordingID
  /// Its catalogue number; `nil` if it has none.
  private let number: String?
  /// Its fate; at least one reason.
  public private(set) var reasons: [Reason] = []
  private(set) var changes: [Change] = []
  /// Whether the record is the one that was locked. What its line says otherwise was changed in the
  /// lock, or is read differently by this version of chirper.
  private(set) var isSameRecord = false
  /// Whether the licence allows less than before.
  private(set) var isStricter = false
  /// The raw fields that changed, where the store still has the record that was locked.
  var changedFields: [String] = []

  var reason: Reason { reasons[0] }

  private static let licenceColumns: Set<DetailColumn> = [.license, .licenseName]
  private static let nameColumns: Set<DetailColumn> = [
    .scientificName, .taxonRank, .vernacularName, .acceptedNameUsage,
  ]
  /// What people add to and correct in a record for years.
  private static let growingColumns: Set<DetailColumn> = [
    .quality, .annotations, .alsoIn, .accessURI,
  ]

  /// Whether the record says otherwise than its line. A new accepted name of the same species does
  /// not count, nor, if the record has changed since, other new names and what people add to it.
  var contradictsLine: Bool {
    var differing = Set(changes.map(\.column))
    if !isSameRecord { differing.subtract(Self.growingColumns) }
    if changes.contains(where: \.isOfLabels) { differing.remove(.annotations) }
    if reasons.contains(.renamed) {
      differing.subtract(isSameRecord ? [.acceptedNameUsage] : Self.nameColumns)
    }
    return !differing.isEmpty
  }

  /// - Parameters:
  ///   - volatile: the fields without which the lock's records were hashed.
  ///   - sound: `nil` if the lock has no audio.
  init(
    _ locked: LockedRecording, _ present: Present, _ sound: Sound?, volatile: Set<String>
  ) {
    id = locked.id
    number = locked.text(.catalogNumber)
    var found: Set<Reason> = []
    switch present {
    case .absent(let reason): found = [reason]
    case .stored(let recording, let details):
      compare(locked, recording, details, volatile, &found)
    }
    switch sound {
    case .file(let audio): if audio != locked.audio { found.insert(.audio) }
    case .absent(let reason): found.insert(reason)
    case nil: break
    }
    reasons = found.isEmpty ? [.same] : Reason.allCases.filter(found.contains)
  }

  private mutating func compare(
    _ locked: LockedRecording, _ recording: Recording, _ details: RecordingDetails,
    _ volatile: Set<String>, _ found: inout Set<Reason>
  ) {
    guard let now = try? LockedRecording(recording, details, volatile: volatile) else {
      found.insert(.fields)
      return
    }
    isSameRecord = now.sha256 == locked.sha256
    var columns = locked.changes(to: now)
    if locked.isOfDetails != now.isOfDetails {
      // A record that was imported has fewer details than one that was fetched.
      columns = columns.filter {
        (locked.isOfDetails ? locked : now).json($0) != nil || Self.licenceColumns.contains($0)
      }
      if columns.isEmpty { return }
    }
    if columns.isEmpty, isSameRecord { return }
    changes = columns.map { Change(column: $0, old: locked.json($0), new: now.json($0)) }
    var rest = Set(columns)
    if !rest.isDisjoint(with: Self.licenceColumns) {
      found.insert(.licence)
      isStricter = Self.isStricter(now.licence, than: locked.licence)
      rest.subtract(Self.licenceColumns)
    }
    if !rest.isDisjoint(with: Self.nameColumns) {
      let isRenamed =
        RecordingChanges.Change.Naming(from: locked.names, to: details) == .renamed
        && RecordingChanges.Change.Naming(from: locked.acceptedName, to: now.acceptedName)
          == .renamed
      found.insert(isRenamed ? .renamed : .differentSpecies)
      rest.subtract(Self.nameColumns)
    }
    if !rest.isEmpty || columns.isEmpty { found.insert(.fields) }
  }

  /// Whether a licence allows less, or asks for more, than an earlier one.
  static func isStricter(
    _ new: RecordingDetails.Licence?, than old: RecordingDetails.Licence?
  ) -> Bool {
    func conditions(_ licence: RecordingDetails.Licence?) -> Set<String> {
      guard let licence, licence.isOpen else { return ["BY", "NC", "ND", "SA", ""] }
      return Set(licence.name.split { " -".contains($0) }.map(String.init))
        .intersection(["BY", "NC", "ND", "SA"])
    }
    return !conditions(new).isSubset(of: conditions(old))
  }

  /// The changes, for people: `licence changed (stricter): CC BY 4.0 → CC BY-NC 4.0`.
  public var text: String {
    let words = reasons.map { $0 == .licence && isStricter ? "\($0.words) (stricter)" : $0.words }
    var line = "\(number ?? id.description): \(words.joined(separator: ", "))"
    let shown = changes.filter { change in
      // The name of a licence says what its address says.
      change.column != .license || !changes.contains { $0.column == .licenseName }
    }.map { change in
      let (old, new) = (Self.shown(change.old), Self.shown(change.new))
      return change.column.name + (old == new ? "" : " \(old) → \(new)")
    }
    if !shown.isEmpty {
      line += ": " + shown.joined(separator: "; ")
    } else if !changedFields.isEmpty {
      line += ": " + changedFields.joined(separator: ", ")
    }
    if isSameRecord, !changes.isEmpty { line += " (the record is the one that was locked)" }
    return line
  }

  private static func shown(_ json: String?) -> String {
    guard let json else { return "(none)" }
    let value = RecordingFields.Value(json: json)
    let list = value.list
    if list.first?.hasPrefix("{") == true { return "\(list.count)" }
    let text = list.count > 1 ? list.joined(separator: ", ") : list.first ?? value.text
    let plain = PlainLine.text(text) ?? ""
    return plain.count > 60 ? "\(plain.prefix(60))…" : plain
  }

  package var json: JSONObject {
    var object: JSONObject = [
      "catalogue": id.catalogue.rawValue, "id": id.value, "catalogNumber": number,
      "reasons": reasons.map(\.rawValue),
    ]
    if reasons.contains(.licence) { object.add("stricter", isStricter) }
    if isSameRecord, !changes.isEmpty { object.add("sameRecord", true) }
    let members = changes.map { change -> JSONObject in
      var json: JSONObject = ["column": change.column.name]
      json.add("old", raw: change.old ?? "null")
      json.add("new", raw: change.new ?? "null")
      return json
    }
    object.add(known: ["changes": members, "changedFields": changedFields])
    return object
  }
}

extension RecordingDetails.Licence {
  /// Whether it is a licence of Creative Commons, or gives up all rights: everyone may pass the
  /// recording on.
  var isOpen: Bool { address?.hasPrefix("https://creativecommons.org/") == true }
}

extension RecordingID {
  /// Whether everyone may pass the recording on: its licence allows that, or its catalogue is made
  /// up.
  func mayBePassedOn(under licence: RecordingDetails.Licence?) -> Bool {
    licence?.isOpen == true || Catalogues.named(catalogue)?.isBuiltIn == true
  }
}

/// The number of recordings by what became of them.
public struct LockSummary: Equatable, Sendable {
  private var counts: [LockCheck.Reason: Int] = [:]
  private var stricter = 0
  /// Recordings that a build leaves out because of their licences.
  var leftOut = 0

  init() {}

  mutating func add(_ check: LockCheck) {
    counts[check.reason, default: 0] += 1
    if check.isStricter { stricter += 1 }
  }

  /// The recordings with a fate.
  public subscript(_ reason: LockCheck.Reason) -> Int { counts[reason] ?? 0 }

  /// All recordings of the lock.
  public var total: Int { counts.values.reduce(0, +) }

  /// Whether each recording is the same as when it was locked.
  public var areSame: Bool { self[.same] == total }

  /// `8000 of 10000 recordings are the same; 1200 withdrawn, 100 licence changed (40 stricter)`.
  public var text: String {
    var others = LockCheck.Reason.allCases.filter { $0 != .same && self[$0] > 0 }.map { reason in
      "\(self[reason]) \(reason.words)"
        + (reason == .licence && stricter > 0 ? " (\(stricter) stricter)" : "")
    }
    if leftOut > 0 { others.append("\(leftOut) left out of the folder because of the licence") }
    let same =
      "\(self[.same]) of \(Plural.words(total, "recording")) \(Plural.are(self[.same])) the same"
    return others.isEmpty ? same : "\(same); \(others.joined(separator: ", "))"
  }

  package var json: JSONObject {
    var object: JSONObject = ["recordings": total]
    for reason in LockCheck.Reason.allCases { object.add(reason.rawValue, self[reason]) }
    object.add("stricter", stricter)
    object.add("leftOut", leftOut)
    return object
  }
}

/// The numbers of differences between two locks.
package struct LockDifferences: Equatable {
  /// A recording in one of them only, or in both with differences.
  package enum Line {
    case removed(LockedRecording)
    case added(LockedRecording)
    case changed(LockedRecording, LockedRecording)
  }

  private var (removed, added, changed, same) = (0, 0, 0, 0)

  /// Calls `body` with each difference, in the order of the locks.
  package init(
    _ old: LockReader, _ new: LockReader, _ body: (Line) throws -> Void
  ) throws {
    var left = try old.next()
    var right = try new.next()
    while left != nil || right != nil {
      try Task.checkCancellation()
      switch (left, right) {
      case (let one?, let other?) where one.id == other.id:
        if one == other {
          same += 1
        } else {
          changed += 1
          try body(.changed(one, other))
        }
        left = try old.next()
        right = try new.next()
      case (let one?, let other)
      where other.map({ LockedRecording.precedes(one.id, $0.id) }) ?? true:
        removed += 1
        try body(.removed(one))
        left = try old.next()
      case (_, let other?):
        added += 1
        try body(.added(other))
        right = try new.next()
      default: break
      }
    }
  }

  package var areSame: Bool { removed + added + changed == 0 }

  package var text: String {
    "\(removed) removed, \(added) added, \(changed) changed, \(same) the same"
  }

  package var json: JSONObject {
    ["removed": removed, "added": added, "changed": changed, "same": same]
  }
}

extension LockDifferences.Line {
  package var text: String {
    switch self {
    case .removed(let recording): "- \(recording.label)"
    case .added(let recording): "+ \(recording.label)"
    case .changed(let old, let new):
      "  \(new.label): \(Self.parts(old, new).joined(separator: ", "))"
    }
  }

  package var json: JSONObject {
    let (change, recording, parts): (String, LockedRecording, [String]) =
      switch self {
      case .removed(let recording): ("removed", recording, [])
      case .added(let recording): ("added", recording, [])
      case .changed(let old, let new): ("changed", new, Self.parts(old, new))
      }
    return [
      "change": change, "catalogue": recording.id.catalogue.rawValue, "id": recording.id.value,
      "catalogNumber": recording.text(.catalogNumber), "parts": parts,
    ]
  }

  private static func parts(_ old: LockedRecording, _ new: LockedRecording) -> [String] {
    var parts = old.changes(to: new).map(\.name)
    if parts.isEmpty, old.sha256 != new.sha256 { parts.append("further fields") }
    if old.audio != new.audio { parts.append("audio") }
    if old.split != new.split { parts.append("split") }
    return parts
  }
}

extension LockedRecording {
  /// The accepted name, else the species, as the rules about names take it.
  fileprivate var acceptedName: RecordingDetails {
    var details = RecordingDetails()
    details.scientificName = text(.acceptedNameUsage) ?? species
    return details
  }

  /// Number and species: `XC46088 Turdus merula`.
  package var label: String {
    [text(.catalogNumber) ?? id.description, text(.scientificName)].compactMap {
      $0.flatMap(PlainLine.text)
    }.joined(separator: " ")
  }
}
