import Chirper
import ChirperModel
import Foundation

extension RecordFormat {
  /// A deck for Anki: a card for each recording whose sound is downloaded and may be passed on.
  public static let anki = RecordFormat(
    name: "anki", title: "Deck for Anki", mediaType: "application/x-apkg", fileExtension: "apkg",
    needs: "open licence", holdsSounds: true,
    content: .archive { try AnkiDeck($0).write(to: $2, $1) })
}

extension Rows {
  /// Fetches the sounds for a deck that are not downloaded, one after the other. If the task is
  /// cancelled, it ends early without an error.
  package func fetchSoundsOfDeck(
    _ progress: (_ done: Int, _ total: Int) -> Void
  ) async throws -> AudioLibrary.Report {
    var run = AudioRun(repository.audio)
    for position in 0..<count {
      guard !Task.isCancelled else { break }
      progress(position + 1, count)
      for row in try rows(at: [position]) where row.id.mayBePassedOn(under: row.details.licence) {
        _ = await run.file(of: row.recording)
      }
    }
    return run.report
  }

  /// The cards of a deck, and the bytes of its sounds and pictures.
  package func sizeOfDeck() throws -> (cards: Int, bytes: Int) {
    var bytes = 0
    let summary = try AnkiDeck(self).forEachCard { _, sound, sonogram in
      bytes += sound.size + (sonogram?.size ?? 0)
    }
    return (summary.written, bytes)
  }
}

/// A package for Anki (decision 0050): a zip file of an SQLite database with notes and cards, of
/// files named 0, 1 and so on, and of the names that fields have for these.
///
/// Anki recognises a note by its `guid`, a note type by its id, a deck by its name, and a file by
/// its name. None of these ever changes for a recording, so that a later package brings a note up
/// to date, and its card keeps what the learner did.
struct AnkiDeck {
  private let rows: Rows
  /// The time at which the names that rows show were added; `nil` if they are the catalogues' own.
  private let namesSince: Date?

  init(_ rows: Rows) throws {
    self.rows = rows
    let language = rows.repository.shownNames?.language
    namesSince = try rows.repository.nameLists().filter { list in
      list.languages.contains { $0.code == language }
    }.map(\.addedAt).max()
  }

  func write(to zip: ZipWriter, _ options: WriteOptions) throws -> ExportSummary {
    let date = try rows.date(options)
    let database = try TemporaryDatabase()
    let collection = try TableFile(
      path: database.path, opening: Self.tables + ["BEGIN"], insertion: Self.insertion,
      point: { _ in [] })
    database.fileIsOpen()
    // Anki shows the id of a note as the time at which it was made.
    let firstID = Int(date.milliseconds)
    var cards = 0
    var names: [String] = []
    func add(_ media: DownloadedAudioFile, as name: String) throws {
      try zip.add(String(names.count), isCompressed: false) { try AudioFolder.copy(media, to: $0) }
      names.append(name)
    }
    let summary = try forEachCard { row, sound, sonogram in
      let guid = Self.guid(of: row)
      let file = "chirper-\(guid).\((sound.path as NSString).pathExtension)"
      let picture = sonogram.map { _ in "chirper-\(guid).png" }
      try add(sound, as: file)
      if let sonogram, let picture { try add(sonogram, as: picture) }
      cards += 1
      let fields = Self.fields(of: row, sound: file, sonogram: picture)
      let values: [DetailColumn.Value] = [
        .integer(firstID + cards), .text(guid), .integer(changed(row, sonogram)),
        .text(fields.joined(separator: "\u{1F}")), .text(Self.name(of: row)),
      ]
      var note: [UInt8] = []
      for value in values { TableFile.append(value, to: &note) }
      try collection.insert(note)
      options.progress(cards)
    }
    let facts = try rows.report.provenance(now: date).lines + ["Licences: \(summary.licenceText)"]
    let deck = deck(facts)
    try collection.finish { _ in
      [(Self.cards, [.integer(firstID)]), (Self.collection, [.text(Self.model), .text(deck)])]
    }
    try zip.add("collection.anki2") { try database.copy(to: $0) }
    var media: JSONObject = [:]
    for (number, name) in names.enumerated() { media.add(String(number), name) }
    try zip.add("media", media.text)
    return summary
  }

  // MARK: Cards

  /// Calls `body` with each row that has a card, with its sound, and with its sonogram if one is
  /// kept.
  ///
  /// - Returns: the rows with a card, and those left out.
  func forEachCard(
    _ body: (RecordingRow, DownloadedAudioFile, DownloadedAudioFile?) throws -> Void
  ) throws -> ExportSummary {
    var summary = ExportSummary()
    try rows.forEach(with: [.details, .audio]) { row in
      guard row.id.mayBePassedOn(under: row.details.licence) else {
        return summary.add(row, wasWritten: false)
      }
      guard let sound = row.audioPath.flatMap(DownloadedAudioFile.init(path:)) else {
        return summary.withoutAudio += 1
      }
      let sonogram = try? rows.repository.audio.sonogram(of: row.id)
      try body(row, sound, (sonogram?.path).flatMap(DownloadedAudioFile.init(path:)))
      summary.add(row, wasWritten: true)
    }
    return summary
  }

  /// The name of a recording's note in every package.
  private static func guid(of row: RecordingRow) -> String {
    String(SHA256.text(SHA256.digest(Array(row.identifier.utf8))).prefix(20))
  }

  /// The time of a note's last change, in seconds since 1970.
  ///
  /// Anki replaces the fields of a note that it has if the one of the package is later, also if
  /// they are equal, and otherwise leaves them. So this is the latest time at which a field can
  /// have changed. A change in the second in which the recording was stored is later than that.
  private func changed(_ row: RecordingRow, _ sonogram: DownloadedAudioFile?) -> Int {
    func after(_ date: Date) -> Int { Int(date.timeIntervalSince1970.rounded(.up)) }
    var times = [0, Int(row.firstSeenAt.timeIntervalSince1970.rounded(.down))]
    if row.fieldsSince > row.firstSeenAt { times.append(after(row.fieldsSince)) }
    if row.details.shownName != nil, let namesSince { times.append(after(namesSince)) }
    if let sonogram { times.append(sonogram.modified.seconds + 1) }
    return times.max() ?? 0
  }

  /// The name in the language that rows are shown in; one line.
  private static func name(of row: RecordingRow) -> String {
    let names = [row.details.shownName, row.details.vernacularName, row.details.scientificName]
    return names.lazy.compactMap { $0.flatMap(PlainLine.text) }.first ?? row.number
  }

  /// HTML without the commands in brackets that Anki reads in fields: `[sound:…]` plays a file,
  /// `[latex]` runs a program.
  private static func escaped(_ html: String) -> String { html.replacing("[", with: "&#91;") }

  private static func fields(of row: RecordingRow, sound: String, sonogram: String?) -> [String] {
    let details = row.details
    func text(_ text: String?) -> String {
      text.flatMap(PlainLine.text).map { escaped("<bdi>\(XMLText.escaped($0))</bdi>") } ?? ""
    }
    let month = details.eventDate.map { String($0.description.prefix("2024-05".count)) }
    let place = [details.locality, details.country, month].compactMap(\.self)
    let page = details.pageAddress.map { ", <a href=\"\(XMLText.escaped($0))\">page</a>" }
    return [
      "[sound:\(sound)]", text(name(of: row)), text(details.scientificName), text(row.soundTypes),
      text(place.joined(separator: ", ")), sonogram.map { "<img src=\"\($0)\">" } ?? "",
      escaped(row.creditHTML + (page ?? "")),
    ]
  }

  // MARK: The collection

  /// The id of the note type. Packages with a different one, or with different fields, would make
  /// new notes of recordings that a learner has.
  private static let modelID = 1_764_500_000_001
  private static let deckID = 1_764_500_000_002

  private static let fieldNames = [
    "Sound", "Name", "Scientific name", "Kind of sound", "Place and month", "Sonogram", "Credit",
  ]

  /// The note type. Only what Anki needs is in it.
  private static let model: String = {
    let fields = fieldNames.map { name -> JSONObject in
      ["name": name, "sticky": false, "rtl": false, "font": "Arial", "size": 20]
    }
    let answer = fieldNames.dropFirst().map { "{{#\($0)}}<p>{{\($0)}}</p>{{/\($0)}}" }.joined()
    // MathJax reads formulas in texts, apart from those of these classes.
    let template: JSONObject = [
      "name": "Sound", "qfmt": "{{Sound}}",
      "afmt":
        "{{FrontSide}}<hr id=answer><div class=\"mathjax_ignore tex2jax_ignore\">\(answer)</div>",
    ]
    let css = ".card { font: 20px sans-serif; text-align: center } p:last-child { font-size: 14px }"
    let model: JSONObject = [
      "id": modelID, "name": "chirper", "type": 0, "mod": 0, "usn": -1, "sortf": 1, "did": nil,
      "tmpls": [template], "flds": fields, "css": css,
    ]
    return ([String(modelID): model] as JSONObject).text
  }()

  /// The deck, whose description says what is in it. Of one list it has the name of that, below
  /// the deck of all.
  private func deck(_ facts: [String]) -> String {
    let list = rows.lists.count == 1 ? PlainLine.text(rows.lists[0].query.typed) : nil
    let name = ["chirper", list?.replacing("::", with: ":")].compactMap(\.self)
    let none = [0, 0]
    let deck: JSONObject = [
      "id": Self.deckID, "name": name.joined(separator: "::"), "mod": 0, "usn": -1,
      "desc": facts.map(XMLText.escaped).joined(separator: "<br>"), "collapsed": false, "dyn": 0,
      "conf": 1, "newToday": none, "revToday": none, "lrnToday": none, "timeToday": none,
    ]
    return ([String(Self.deckID): deck] as JSONObject).text
  }

  /// The tables of Anki's schema 11.
  private static let tables = [
    """
    CREATE TABLE col (id integer primary key, crt integer not null, mod integer not null,
      scm integer not null, ver integer not null, dty integer not null, usn integer not null,
      ls integer not null, conf text not null, models text not null, decks text not null,
      dconf text not null, tags text not null)
    """,
    """
    CREATE TABLE notes (id integer primary key, guid text not null, mid integer not null,
      mod integer not null, usn integer not null, tags text not null, flds text not null,
      sfld integer not null, csum integer not null, flags integer not null, data text not null)
    """,
    """
    CREATE TABLE cards (id integer primary key, nid integer not null, did integer not null,
      ord integer not null, mod integer not null, usn integer not null, type integer not null,
      queue integer not null, due integer not null, ivl integer not null, factor integer not null,
      reps integer not null, lapses integer not null, left integer not null, odue integer not null,
      odid integer not null, flags integer not null, data text not null)
    """,
    """
    CREATE TABLE revlog (id integer primary key, cid integer not null, usn integer not null,
      ease integer not null, ivl integer not null, lastIvl integer not null,
      factor integer not null, time integer not null, type integer not null)
    """,
    "CREATE TABLE graves (usn integer not null, oid integer not null, type integer not null)",
  ]

  /// A note: id, guid, time of its last change, fields and the text that it is sorted by.
  private static let insertion =
    "INSERT INTO notes VALUES (?, ?, \(modelID), ?, -1, '', ?, ?, 0, 0, '')"

  /// A new card of each note, in the order of the rows. The parameter is the id before the first.
  private static let cards = """
    INSERT INTO cards SELECT id, id, \(deckID), 0, mod, -1, 0, 0, id - ?, 0, 0, 0, 0, 0, 0, 0, 0, ''
    FROM notes
    """

  private static let collection =
    "INSERT INTO col VALUES (1, 0, 0, 0, 11, 0, 0, 0, '{}', ?, ?, '{}', '{}')"
}
