import Chirper
import ChirperModel

extension RecordFormat {
  /// A Darwin Core Archive, for GBIF's tools and data papers: occurrences and their sounds.
  public static let dwca = RecordFormat(
    name: "dwca", title: "Darwin Core Archive", mediaType: "application/zip",
    fileExtension: "zip",
    content: .archive { rows, options, zip in
      let table = try rows.detailTable(TidyColumn.defaults.contents)
      let provenance = try rows.report.provenance(now: rows.date(options))
      return try DarwinCoreArchiveWriter(provenance: provenance).write(to: zip) {
        try table.writeRows(by: $0, options, to: zip)
      }
    })

  /// Writes all rows through a writer into the entry of a zip file that has begun; each call reads
  /// them again, so that memory does not depend on their number.
  typealias AllRows = (_ writer: any RowWriter<RecordingRow>) throws -> ExportSummary
}

/// A Darwin Core Archive (https://dwc.tdwg.org/text/): the recordings as occurrences, their audio
/// in the multimedia extension.
struct DarwinCoreArchiveWriter {
  let provenance: Provenance

  func write(to zip: ZipWriter, rows: RecordFormat.AllRows) throws -> ExportSummary {
    try zip.add("meta.xml", Self.meta)
    let summary = try zip.add("occurrence.txt") { _ in
      try rows(Self.writer(Self.occurrence))
    }
    _ = try zip.add("multimedia.txt") { _ in
      try rows(Self.writer(Self.multimedia) { $0.details.audioAddress != nil })
    }
    // The last entry, because it says which licences there are.
    try zip.add("eml.xml", description(summary))
    return summary
  }

  private static let terms = "http://rs.tdwg.org/dwc/terms/"

  /// A name, the address of the term (`nil` for the key), and the value.
  private typealias Column = (
    name: String, term: String?, value: @Sendable (RecordingRow) -> DetailColumn.Value
  )

  private static func writer(
    _ columns: [Column], isWritten: @escaping @Sendable (RecordingRow) -> Bool = { _ in true }
  ) -> some RowWriter<RecordingRow> {
    let values = ValueColumns<RecordingRow>(columns.map(\.name)) { row in
      columns.map { $0.value(row) }
    }
    return DelimitedWriter(columns: values, cells: CellEncoder(form: .plain), isWritten: isWritten)
  }

  /// The tidy columns that are terms of occurrences. The terms of the sound are in the
  /// table of audio.
  private static let occurrence: [Column] = {
    let key: @Sendable (RecordingRow) -> DetailColumn.Value = { .text($0.identifier) }
    let ofSound = [DetailColumn.accessURI, .mediaDuration, .available].map(\.name)
    let datum: Column = (
      "geodeticDatum", terms + "geodeticDatum",
      { $0.details.coordinate == nil ? .none : .text("WGS84") }
    )
    return [("id", nil, key), datum]
      + TidyColumn.all.filter { $0.term != nil && !ofSound.contains($0.name) }.map { column in
        (
          column.name, column.term,
          { row in
            switch (column.name, row.value(of: column.column)) {
            case (DetailColumn.occurrenceID.name, .none): key(row)
            // What a sound recording is if the catalogue does not say.
            case (DetailColumn.basisOfRecord.name, .none): .text("MachineObservation")
            case (_, let value): value
            }
          }
        )
      }
  }()

  private static let multimedia: [Column] = {
    func term(
      _ name: String, _ value: @escaping @Sendable (RecordingRow) -> String?
    ) -> Column { (name, "http://purl.org/dc/terms/\(name)", { DetailColumn.Value(value($0)) }) }
    return [
      ("coreid", nil, { .text($0.identifier) }), term("type") { _ in "Sound" },
      term("identifier") { $0.details.audioAddress },
      term("references") { $0.details.pageAddress }, term("title") { $0.title },
      term("description") { row in row.audioDuration.map { "\(DecimalText.text($0)) s" } },
      term("created") { $0.details.eventDate?.description },
      term("creator") { $0.details.recordedBy },
      term("license") { $0.details.licence?.address ?? $0.details.licence?.name },
      term("rightsHolder") { $0.details.rightsHolder }, term("source") { $0.details.credit },
    ]
  }()

  private static let meta: String = {
    func fields(_ columns: [Column]) -> String {
      columns.enumerated().compactMap { index, column in
        column.term.map { "    <field index=\"\(index)\" term=\"\($0)\"/>\n" }
      }.joined()
    }
    let table =
      "encoding=\"UTF-8\" fieldsTerminatedBy=\"\\t\" linesTerminatedBy=\"\\n\" fieldsEnclosedBy=\"\" ignoreHeaderLines=\"1\""
    return """
      <?xml version="1.0" encoding="UTF-8"?>
      <archive xmlns="http://rs.tdwg.org/dwc/text/" metadata="eml.xml">
        <core \(table) rowType="\(terms)Occurrence">
          <files><location>occurrence.txt</location></files>
          <id index="0"/>
      \(fields(occurrence))\
        </core>
        <extension \(table) rowType="http://rs.gbif.org/terms/1.0/Multimedia">
          <files><location>multimedia.txt</location></files>
          <coreid index="0"/>
      \(fields(multimedia))\
        </extension>
      </archive>

      """
  }()

  /// Ecological Metadata Language 2.2: licence, citation and the query.
  private func description(_ summary: ExportSummary) -> String {
    let paragraphs = provenance.lines.map { XMLText.element("para", $0) }.joined()
    func parties(_ name: String) -> String {
      provenance.sources.map { source in
        let address = source.url.map { XMLText.element("onlineUrl", $0) } ?? ""
        return "<\(name)>\(XMLText.element("organizationName", source.name))\(address)</\(name)>"
      }.joined(separator: "\n")
    }
    let rights =
      "Each recording has a licence of its own, in the column license of occurrence.txt, and is credited by its recordist and number."
      + (summary.written == 0 ? "" : " \(summary.licenceText).")
    let citation =
      "\(provenance.catalogueNames) and \(provenance.sources.count == 1 ? "its" : "their") recordists: "
      + "\(Plural.words(summary.written, "sound recording")), \(provenance.title), fetched "
      + "\(Provenance.day(provenance.fetchedAt))\(summary.upToText.map { ", \($0)" } ?? "")"
    return """
      <?xml version="1.0" encoding="UTF-8"?>
      <eml:eml xmlns:eml="https://eml.ecoinformatics.org/eml-2.2.0" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" \
      xsi:schemaLocation="https://eml.ecoinformatics.org/eml-2.2.0 https://eml.ecoinformatics.org/eml-2.2.0/eml.xsd" \
      packageId="\(packageID)" system="chirper" scope="system" xml:lang="en">
      <dataset>
      \(XMLText.element("title", "Sound recordings: \(provenance.title)"))
      \(parties("creator"))
      \(XMLText.element("pubDate", Provenance.day(provenance.exportedAt)))
      \(XMLText.element("language", "en"))
      <abstract>\(paragraphs)</abstract>
      <intellectualRights>\(XMLText.element("para", rights))</intellectualRights>
      \(parties("contact"))
      <methods><methodStep><description>\(paragraphs)</description></methodStep></methods>
      </dataset>
      <additionalMetadata><metadata><gbif>\(XMLText.element("citation", citation))</gbif></metadata></additionalMetadata>
      </eml:eml>

      """
  }

  /// An id that is equal for one list fetched at one time.
  private var packageID: String {
    "chirper."
      + String(
        StableHash.fnv1a(provenance.title + Provenance.time(provenance.fetchedAt)), radix: 16
      )
  }
}
