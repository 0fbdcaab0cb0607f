import Chirper
import ChirperModel

/// The columns of a table of recordings in a terminal, and the text of each cell as people read it:
/// a length as `3:45`, a date without its time, the short name of a licence, and otherwise the
/// field as the catalogue sent it.
package struct TableCells: Sendable {
  package let columns: [Catalogue.TableColumn]
  private let catalogue: Catalogue?
  /// The details by column: the detail that its field holds, if the detail reads better
  /// than the field.
  private let details: [DetailColumn?]
  /// The details by column for a record of details alone, which has no raw fields.
  private let importedDetails: [DetailColumn?]
  private let names: ShownNames?

  /// - Parameters:
  ///   - catalogue: `nil` if the program does not know it.
  ///   - names: the names in the language that was chosen.
  package init(
    _ columns: [Catalogue.TableColumn], in catalogue: Catalogue?, names: ShownNames? = nil
  ) {
    self.columns = columns
    self.catalogue = catalogue
    self.names = names
    details = columns.map { column in
      if let detail = column.detail { return detail }
      let detail = column.showsID ? nil : catalogue?.mapping.detail(ofField: column.field)
      return detail.flatMap { Self.readable.contains($0) ? $0 : nil }
    }
    importedDetails = zip(columns, details).map { column, detail in
      let isID = column.showsID || column.field == "id"
      return detail ?? (isID ? nil : catalogue?.mapping.detail(inPlaceOf: column.field))
    }
  }

  private static let readable: Set<DetailColumn> = [
    .mediaDuration, .eventDate, .quality, .licenseName,
  ]

  /// The columns of recordings of any catalogue, that a search of everything stored found or that are
  /// in several lists; each is named as its `RecordingColumn` is. `texts(of:)` gives the cells.
  package static let found = TableCells(
    [
      .init(.vernacularName, "Name", rank: 1, leastWidth: 14),
      .init(.behavior, "Type", rank: 2, leastWidth: 6),
      .init(.quality, "Q", rank: 3),
      .init(.mediaDuration, "Length", alignRight: true, rank: 4),
      .init(.country, "Country", rank: 5, leastWidth: 7),
      .init(RecordingColumn.catalogue.name, "Source", rank: 6),
      .init(.eventDate, "Date", rank: 7),
      .init(RecordingColumn.id.name, "ID", alignRight: true, rank: 8, showsID: true),
      .init(.recordedBy, "Recordist"), .init(.locality, "Place"),
      .init(.scientificName, "Scientific name"),
      .init(RecordingColumn.lists.name, "Lists"), .init(RecordingColumn.audio.name, "Audio"),
      .init(.licenseName, "Licence"),
    ], in: nil)

  /// The text of each column, raw, cut to the widest that a column can be. A recording without a
  /// name for people has its scientific name there.
  package func texts(of row: RecordingRow) -> [String] {
    columns.map { column in
      guard let shown = RecordingColumn.all.first(where: { $0.name == column.field }) else {
        return ""
      }
      let details = row.details
      let text =
        column.detail == .vernacularName
        ? details.nameForPeople ?? details.scientificName ?? "" : row.text(of: shown)
      return CellText.beginning(of: text)
    }
  }

  /// The text of each column, raw, cut to the widest that a column can be, and the details without
  /// those from fields that are too long for one line.
  package func row(of recording: Recording) -> (texts: [String], details: RecordingDetails?) {
    let short = recording.withoutLongFields
    var known = catalogue?.details(of: short)
    // A name that cannot be read now is not an error of the row.
    if let details = known { known?.shownName = try? names?.name(of: details) }
    func sent(_ field: String) -> String {
      // A field that is long itself is the only reason to read a long recording again.
      short.text(field) ?? (short == recording ? nil : recording.text(field)) ?? ""
    }
    let isOfDetails = recording.fields.importedForm == .details
    let details = isOfDetails ? importedDetails : details
    let texts = columns.indices.map { index in
      let column = columns[index]
      let detail = details[index]
      if let name = known?.shownName, self.details(ofColumn: index) == [.vernacularName] {
        return CellText.beginning(of: name)
      }
      let showsID = column.showsID || isOfDetails && column.field == "id"
      let text = showsID ? recording.id.value : column.detail == nil ? sent(column.field) : ""
      return CellText.beginning(of: detail.flatMap { Self.text($0, known, sent: text) } ?? text)
    }
    return (texts, known)
  }

  private static func text(_ detail: DetailColumn, _ known: RecordingDetails?, sent: String)
    -> String?
  {
    switch detail {
    // `no score` would make the narrowest column one of the widest.
    case .quality: known?.quality?.rawValue ?? (sent.utf8.count > 1 ? "-" : nil)
    case .vernacularName: known?.cell(of: detail) ?? known?.nameForPeople
    default: known?.cell(of: detail)
    }
  }

  /// The room that the column needs in a terminal.
  ///
  /// - Parameter wanted: cells for all its values and its heading.
  package func need(ofColumn index: Int, wanted: Int) -> ColumnFit.Need {
    let column = columns[index]
    return ColumnFit.Need(wanted, least: column.leastWidth, isEssential: column.rank != nil)
  }

  package func details(ofColumn index: Int) -> [DetailColumn] {
    if let detail = columns[index].detail { return [detail] }
    return catalogue?.mapping.details(from: columns[index].field) ?? []
  }

  package func shortening(ofColumn index: Int) -> CellText.Shortening {
    details[index] == .licenseName ? .licence : .end
  }
}

extension Recording {
  /// The recording without the fields that are too long for one line, for details that are
  /// shown in one line. Computing the details of a recording with megabytes of remarks
  /// would delay the screen.
  package var withoutLongFields: Recording {
    let limit = 65_536
    guard fields.bytes.count > limit else { return self }
    var members: [String] = []
    fields.forEach { key, value in
      guard value.count <= limit else { return }
      members.append(
        "\"\(String(decoding: key, as: UTF8.self))\":\(String(decoding: value, as: UTF8.self))")
    }
    return with(RecordingFields(canonical: "{\(members.joined(separator: ","))}"))
  }
}
