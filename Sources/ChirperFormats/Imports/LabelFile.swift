import Chirper
import ChirperModel
import Foundation

/// A file of labels: a selection table of Raven, results of BirdNET as a table of either kind, or
/// labels of Audacity.
///
/// Raven's manual and BirdNET-Analyzer name the columns; Audacity has none, and writes the
/// frequencies of a label in a line of their own that begins with `\`.
package struct LabelFile {
  /// The name of the file, without its folder.
  package let name: String
  /// The author of the labels, if the file shows it: BirdNET.
  package private(set) var author: String?
  private var labels: [Label] = []
  private var refused: [Refused] = []

  /// A line that gives no label, and why.
  package struct Refused: Equatable, Sendable {
    package let line: Int
    package let reason: String
  }

  /// A label as the file has it.
  private struct Label {
    let line: Int
    /// A file name or path that names the recording.
    var recording: String?
    var annotation = RecordingDetails.Annotation()
    /// The names of the sound, the surest first.
    var names: [String] = []
    /// The number of the selection, and its view: Raven has one selection in several.
    var selection: String?
    var view: String?
  }

  /// - Parameters:
  ///   - path: the file as it was typed, for messages.
  ///   - pieces: opens the file, and returns a function that reads its next piece, empty at its end.
  /// - Throws: `UserFacingError` for a file that has no labels, and the errors of `pieces`.
  package init(_ path: String, _ pieces: () throws -> () throws -> [UInt8]) throws {
    name = (path as NSString).lastPathComponent
    var form = try DelimitedRows.Form(ofTable: pieces())
    form.headerLines = 0
    form.mayBeCut = false
    let tab = UInt8(ascii: "\t")
    if try pieces()().prefix(while: { $0 != form.lineEnd }).contains(tab) {
      form.separator = tab
      form.quote = nil
    }
    var rows = DelimitedRows(form, try pieces())
    var columns: Columns?
    while let result = try rows.row() {
      switch result {
      case .unreadable(let line, let reason):
        refused.append(Refused(line: line, reason: reason))
      case .row(let row):
        let cells = row.cells.map(TagOperand.trimmed)
        guard cells.contains(where: { !$0.isEmpty }) else { continue }
        if let columns {
          add(columns.label(cells, line: row.line))
        } else if let found = Columns(cells) {
          columns = found
        } else {
          addLine(of: cells, row.line)
        }
      }
    }
    // BirdNET writes an empty file if it heard nothing.
    guard !labels.isEmpty || columns != nil || refused.isEmpty else {
      throw UserFacingError(
        .usage, kind: "not-labels", subject: path, problem: "no labels can be read from this file",
        hint: "Name a selection table of Raven, results of BirdNET or labels of Audacity.")
    }
    // chirper's own tables have the name by which BirdNET-Analyzer pairs them.
    let isOwn = columns?.isOwn == true || name.hasSuffix(".BirdNET.selections.txt")
    let isBirdNET = columns?.isBirdNET == true || name.contains(Self.birdNET) && !isOwn
    author = isBirdNET ? Self.birdNET : nil
  }

  private static let birdNET = "BirdNET"

  private mutating func add(_ label: Label) {
    // BirdNET's word for a file in which it heard nothing.
    guard label.names.first != "nocall" else { return }
    guard label.annotation.startTime != nil, label.annotation.endTime != nil else {
      let reason = "it has no two times in seconds"
      return refused.append(Refused(line: label.line, reason: reason))
    }
    labels.append(label)
  }

  // MARK: Audacity

  /// Adds a line of Audacity's: beginning, end and text, and of BirdNET's the confidence; or the
  /// frequencies of the label before.
  private mutating func addLine(of cells: [String], _ line: Int) {
    func number(_ position: Int) -> Double? {
      cells.indices.contains(position) ? Columns.number(cells[position]) : nil
    }
    if cells[0] == "\\", let last = labels.indices.last {
      labels[last].annotation.lowFrequency = number(1).flatMap { $0 < 0 ? nil : $0 }
      labels[last].annotation.highFrequency = number(2).flatMap { $0 < 0 ? nil : $0 }
      return
    }
    var label = Label(line: line)
    label.annotation.startTime = number(0)
    label.annotation.endTime = number(1)
    // BirdNET-Analyzer 2.4 writes its labels with a comma: `Turdus merula, Common Blackbird`.
    label.names =
      cells.count > 2 ? [cells[2], cells[2].replacing(", ", with: "_", maxReplacements: 1)] : []
    label.annotation.confidence = number(3)
    add(label)
  }

  // MARK: Tables

  /// The positions of the columns of a table, by their headings.
  private struct Columns {
    private let headings: [String]
    /// Whether only BirdNET's results have these headings.
    let isBirdNET: Bool
    /// Whether chirper has exported the table.
    let isOwn: Bool

    /// `nil` for a row that is not the heading of a table of labels.
    init?(_ cells: [String]) {
      headings = cells.map { $0.lowercased() }
      isBirdNET = headings.contains("start (s)")
      isOwn = headings.contains("credit")
      guard isBirdNET || headings.contains("begin time (s)") else { return nil }
    }

    func label(_ cells: [String], line: Int) -> Label {
      func text(_ names: String...) -> String? {
        names.lazy.compactMap { name in
          headings.firstIndex(of: name).flatMap { cells.indices.contains($0) ? cells[$0] : nil }
        }.first { !$0.isEmpty }
      }
      var label = Label(line: line)
      let begin = text("begin time (s)", "start (s)").flatMap(Self.number)
      let end = text("end time (s)", "end (s)").flatMap(Self.number)
      // In a table of several files the beginning goes on from one to the next.
      let offset = text("file offset (s)").flatMap(Self.number)
      label.annotation.startTime = begin.map { offset ?? $0 }
      label.annotation.endTime = end.map { end in
        guard let begin, let offset else { return end }
        return ((offset + end - begin) * 1_000_000).rounded() / 1_000_000
      }
      label.annotation.lowFrequency = text("low freq (hz)").flatMap(Self.number)
      label.annotation.highFrequency = text("high freq (hz)").flatMap(Self.number)
      label.annotation.behavior =
        text("sound type")?.split(separator: ", ").map(String.init) ?? []
      label.annotation.confidence = text("confidence").flatMap(Self.number)
      let name = text("scientific name", "species")
      label.annotation.scientificName = name.flatMap {
        isOwn || ScientificName($0)?.species != nil || ScientificName.isOfNoTaxon($0) ? $0 : nil
      }
      label.names = [name, text("common name"), text("annotation"), text("species code")]
        .compactMap(\.self).filter { !isOwn || $0 != RavenWriter.unknown }
      label.recording = text("catalog number", "begin path", "begin file", "file")
      label.annotation.remarks = text("comments", "notes")
      label.selection = text("selection")
      label.view = text("view")
      return label
    }

    /// A number with a point or a comma; `nil` for any other text.
    static func number(_ text: String) -> Double? {
      Double(text.replacing(",", with: ".")).flatMap { $0.isFinite ? $0 : nil }
    }
  }

  // MARK: Recordings

  /// Stores the labels with their recordings.
  ///
  /// - Parameters:
  ///   - author: who made the labels.
  ///   - recording: the recording of those that neither their line nor the name of the file
  ///     assigns to one; `nil` without one.
  /// - Throws: `StoreError`, and other errors of the store's search.
  package func store(
    in repository: RecordingRepository, by author: String, onto recording: Recording?
  ) throws -> LabelReport {
    var refused = refused
    var found: [String: (labelled: Labelled?, count: Int)] = [:]
    var stored: [RecordingID: [RecordingDetails.Annotation]] = [:]
    // A program that hears nothing in a file that it has heard before writes no lines.
    if labels.isEmpty, refused.isEmpty,
      case let named = try repository.recordings(ofFiles: [name], orElse: recording),
      named.count == 1
    {
      stored[named[0].id] = []
    }
    let drawn = Set(
      labels.lazy.filter { $0.view?.hasPrefix("Spectrogram") == true }.map(\.selection))
    // Catalogues round to seconds, and BirdNET fills up its last window of three seconds.
    let tolerance = self.author == Self.birdNET ? 3.0 : 1
    for label in labels {
      // A selection in the waveform has no frequencies of its own.
      if label.view?.hasPrefix("Waveform") == true, drawn.contains(label.selection) { continue }
      let place = label.recording ?? name
      if found[place] == nil {
        let named = try repository.recordings(ofFiles: [place, name], orElse: recording)
        let labelled = try named.count == 1 ? Labelled(named[0], in: repository) : nil
        found[place] = (labelled, named.count)
      }
      guard let labelled = found[place]?.labelled else {
        let count = found[place]?.count ?? 0
        let named = count == 0 ? "no stored recording is" : "\(count) stored recordings are"
        let reason = "\(named) named in \(place.inQuotes)"
        refused.append(Refused(line: label.line, reason: reason))
        continue
      }
      if let reason = labelled.problem(of: label.annotation, tolerance) {
        refused.append(Refused(line: label.line, reason: reason))
        continue
      }
      var annotation = label.annotation
      labelled.setName(of: &annotation, label.names)
      annotation.identifiedBy = author
      annotation.labelFile = name
      stored[labelled.id, default: []].append(annotation)
    }
    var change = try repository.setLabels(stored, of: name, by: author)
    // One name, such as `Label Track.txt`, is that of a file for each recording.
    if recording != nil { change.others = 0 }
    return LabelReport(
      file: name, author: author, recordings: stored.count, change: change,
      refused: refused.sorted { $0.line < $1.line },
      lacksRecording: recording == nil && found.values.contains { $0.labelled == nil })
  }

  /// A recording, as far as its labels are compared with it.
  private struct Labelled {
    let id: RecordingID
    private let details: RecordingDetails
    /// The length of the sound; `nil` if it is not known.
    private let length: SoundLength?

    init(_ recording: Recording, in repository: RecordingRepository) throws {
      id = recording.id
      details = repository.details(of: recording)
      let file = try repository.audio.localFile(of: recording)
      length = SoundLength(file.flatMap { AudioHeader(path: $0.path) }, details: details)
    }

    /// The reason why it cannot have a label; `nil` if it can.
    ///
    /// - Parameter tolerance: the seconds by which a label may reach beyond the sound.
    func problem(of label: RecordingDetails.Annotation, _ tolerance: Double) -> String? {
      guard let start = label.startTime, let end = label.endTime else { return nil }
      if start < 0 { return "it begins before the sound" }
      if end < start { return "it ends before it begins" }
      let (low, high) = (label.lowFrequency ?? 0, label.highFrequency ?? .infinity)
      if low < 0 || high < low { return "its frequencies are not a range" }
      if let confidence = label.confidence, !(0...1).contains(confidence) {
        return "its confidence is not between 0 and 1"
      }
      guard let length, end > length.seconds + tolerance else { return nil }
      return "it ends at \(DecimalText.text(end)) s, and the sound has "
        + "\(DecimalText.text(length.seconds)) s"
    }

    /// Sets the species that the names show, if none is set. What is not a name is a remark, also
    /// what follows one after a comma: `Tawny Owl, juvenile`.
    func setName(of label: inout RecordingDetails.Annotation, _ names: [String]) {
      guard label.scientificName == nil else { return }
      label.scientificName = names.lazy.compactMap(species).first
      guard label.scientificName == nil, let text = names.first else { return }
      var rest = text
      if let comma = text.range(of: ", "), let found = species(String(text[..<comma.lowerBound])) {
        label.scientificName = found
        rest = String(text[comma.upperBound...])
      }
      label.remarks = label.remarks ?? rest
    }

    private func species(_ name: String) -> String? {
      if let labelled = ScientificName.ofLabel(name) { return labelled }
      // Words such as `Alarm call` are spelled as names of species are.
      if NameTable.species(named: name) != nil || name == details.scientificName { return name }
      return name == details.vernacularName
        ? details.scientificName : NameTable.species(englishName: name)?.scientificName
    }
  }
}

extension RecordingRepository {
  /// The stored recordings that the first of these names or paths of files can mean; the other one
  /// if none has a catalogue number. It is empty if the one with that number is not stored.
  fileprivate func recordings(ofFiles paths: [String], orElse other: Recording?) throws
    -> [Recording]
  {
    for path in paths {
      let found = try recordings(ofFile: path)
      if found.count > 1, let named = found.first(where: { $0.id == other?.id }) { return [named] }
      if !found.isEmpty { return found }
      let numbers = Self.words(path).filter { word in
        known.contains { $0.catalogueNumber(in: word) != nil }
      }
      if !numbers.isEmpty { return [] }
    }
    return other.map { [$0] } ?? []
  }

  private static func name(_ path: String) -> Substring {
    path.split { $0 == "/" || $0 == "\\" }.last ?? ""
  }

  /// The words of the name of a file that can be catalogue numbers.
  private static func words(_ path: String) -> [String] {
    name(path).split { !$0.isLetter && !$0.isNumber }.filter {
      $0.first?.isLetter == true && $0.last?.isNumber == true
    }.map(String.init)
  }

  /// The last number without letters in the name of a file that can be a catalogue number, or begins
  /// an id: `329926439-1980400`. Dates, times and most serial numbers have fewer than nine digits.
  private static func number(_ path: String) -> String? {
    name(path).split { !$0.isLetter && !$0.isNumber && $0 != "-" }.map { word in
      word.split(separator: "-").drop { $0.utf8.count < 9 || !$0.utf8.allSatisfy(\.isDigit) }
    }.last { !$0.isEmpty }?.joined(separator: "-")
  }

  /// The stored recordings that the name or path of a file can mean: by the catalogue number, or as
  /// chirper names files: `Eurasian Wren - song - XC123456 - A. Name.mp3`,
  /// `inaturalist-329926439-1980400.wav`.
  private func recordings(ofFile path: String) throws -> [Recording] {
    for word in Self.words(path) {
      if let found = try recording(typed: word) { return [found] }
    }
    let parts = path.split { $0 == "/" || $0 == "\\" }
    if let folder = parts.dropLast().last, let stem = parts.last?.split(separator: ".").first {
      let catalogue = CatalogueID(rawValue: String(folder))
      if let found = try recording(RecordingID(catalogue: catalogue, value: String(stem))) {
        return [found]
      }
    }
    return try Self.number(path).map { try recordings(typed: $0) } ?? []
  }
}

/// The result of importing a file of labels.
package struct LabelReport {
  fileprivate let file: String
  fileprivate let author: String
  /// Recordings that the file has labels for.
  fileprivate let recordings: Int
  fileprivate let change: LabelChange
  /// The lines that gave no label.
  package let refused: [LabelFile.Refused]
  /// Whether a line was refused because neither it nor the file names a stored recording.
  package let lacksRecording: Bool
  package var hasLabels: Bool { change.labels > 0 }

  /// The result in words: `a.txt: 12 labels by A. Name on 1 recording`, and the lines that were
  /// refused.
  package var lines: [String] {
    var line =
      "\(file): \(Plural.words(change.labels, "label")) by \(author) on "
      + Plural.words(recordings, "recording")
    if change.removed > 0 { line += ", in the place of \(change.removed) of before" }
    if change.recordings == 0, change.labels > 0 { line += ", as before" }
    if change.others > 0 {
      line +=
        ", and those of before stay on "
        + "\(Plural.words(change.others, "recording")) that it has none of now"
    }
    return [line] + FirstNames(refused.map { "line \($0.line): \($0.reason)" }).lines
  }

  package var json: JSONObject {
    [
      "file": file, "identifiedBy": author, "recordings": recordings, "labels": change.labels,
      "changedRecordings": change.recordings, "replaced": change.removed,
      "otherRecordings": change.others,
      "refused": refused.map { ["line": $0.line, "reason": $0.reason] as JSONObject },
    ]
  }
}
