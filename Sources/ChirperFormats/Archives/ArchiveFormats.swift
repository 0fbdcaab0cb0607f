import Chirper
import ChirperModel

extension RecordFormat {
  /// A Darwin Core Archive.
  package static let dwca = RecordFormat("dwca", .archive { DarwinCoreArchiveWriter($0) })

  /// A Frictionless Data Package.
  package static let datapackage = RecordFormat("datapackage", .archive { DataPackageWriter($0) })
}

/// A format of several files in one zip file.
protocol ArchiveWriter {
  init(_ provenance: Provenance)

  /// Writes every entry.
  ///
  /// - Parameters:
  ///   - zip: an empty zip file, which the caller finishes.
  ///   - rows: writes all rows through a writer into the entry that has begun; each call reads them again, so that memory does
  ///     not depend on their number.
  func write(to zip: ZipWriter, rows: (_ writer: any RowWriter<DetailedRecording>) throws -> ExportSummary) throws
    -> ExportSummary
}

/// A Frictionless Data Package: the tidy columns as CSV, and the description that says what they mean.
struct DataPackageWriter: ArchiveWriter {
  private let provenance: Provenance

  init(_ provenance: Provenance) {
    self.provenance = provenance
  }

  func write(to zip: ZipWriter, rows: (_ writer: any RowWriter<DetailedRecording>) throws -> ExportSummary) throws
    -> ExportSummary
  {
    try zip.begin("recordings.csv")
    let summary = try rows(DelimitedWriter(ValueColumns(TidyColumn.all), CellEncoder(.csv)))
    try zip.end()
    try zip.add("datapackage.json", description(summary))
    return summary
  }

  private func description(_ summary: ExportSummary) -> String {
    var package = JSONObject()
    package.add("profile", "tabular-data-package")
    package.add("name", "recordings")
    package.add("title", "Sound recordings: \(provenance.title)")
    let licences = summary.licenceCounts.map { "\($0.name): \($0.count)" }.joined(separator: ", ")
    package.add(
      "description",
      (provenance.lines + ["Each recording has a licence of its own, in the column license. \(licences)"]).joined(separator: "\n")
    )
    package.add("created", Provenance.time(provenance.exportedAt))
    var source = JSONObject()
    source.add("title", provenance.catalogueName)
    if let address = provenance.catalogueURL { source.add("path", address) }
    package.add("sources", [source])
    var members = provenance.object
    members.add("upTo", summary.upTo)
    package.add("provenance", members)
    var resource = JSONObject()
    resource.add("profile", "tabular-data-resource")
    resource.add("name", "recordings")
    resource.add("path", "recordings.csv")
    resource.add("format", "csv")
    resource.add("mediatype", "text/csv")
    resource.add("encoding", "utf-8")
    resource.add("schema", raw: TableSchema.json())
    package.add("resources", [resource])
    return package.text + "\n"
  }
}

/// A Darwin Core Archive (https://dwc.tdwg.org/text/): the recordings as occurrences, their audio in the multimedia extension.
struct DarwinCoreArchiveWriter: ArchiveWriter {
  private let provenance: Provenance

  init(_ provenance: Provenance) {
    self.provenance = provenance
  }

  func write(to zip: ZipWriter, rows: (_ writer: any RowWriter<DetailedRecording>) throws -> ExportSummary) throws
    -> ExportSummary
  {
    try zip.add("meta.xml", Self.meta)
    try zip.begin("occurrence.txt")
    let summary = try rows(Self.writer(Self.occurrence))
    try zip.end()
    try zip.begin("multimedia.txt")
    _ = try rows(Self.writer(Self.multimedia) { $0.details.audioURL != nil })
    try zip.end()
    // The last entry, because it says which licences there are.
    try zip.add("eml.xml", description(summary))
    return summary
  }

  private static let terms = "http://rs.tdwg.org/dwc/terms/"

  /// A name, the address of the term (`nil` for the key), and the value.
  private typealias Column = (name: String, term: String?, value: @Sendable (DetailedRecording) -> ColumnValue)

  private static func writer(
    _ columns: [Column], isWritten: @escaping @Sendable (DetailedRecording) -> Bool = { _ in true }
  ) -> some RowWriter<DetailedRecording> {
    DelimitedWriter(
      ValueColumns(columns.map { ComputedColumn($0.name, $0.value) }), CellEncoder(.plain), isWritten: isWritten)
  }

  /// The tidy columns that are terms of occurrences; those of the sound are in the other table.
  private static let occurrence: [Column] = {
    let key: @Sendable (DetailedRecording) -> ColumnValue = { .text($0.identifier) }
    let ofSound = [DetailColumn.accessURI, .mediaDuration, .available].map(\.name)
    return [("id", nil, key), ("occurrenceID", terms + "occurrenceID", key)]
      + TidyColumn.all.filter { $0.term != nil && !ofSound.contains($0.name) }.map { column in
        // What a sound recording is if the catalogue does not say.
        let missing: ColumnValue = column.name == DetailColumn.basisOfRecord.name ? .text("MachineObservation") : .none
        return (
          column.name, column.term,
          { row in
            let value = column.value(of: row)
            return value == .none ? missing : value
          }
        )
      }
  }()

  private static let multimedia: [Column] = {
    func term(
      _ name: String, _ value: @escaping @Sendable (DetailedRecording) -> String?
    ) -> Column { (name, "http://purl.org/dc/terms/\(name)", { ColumnValue(value($0)) }) }
    return [
      ("coreid", nil, { .text($0.identifier) }), term("type") { _ in "Sound" }, term("identifier") { $0.details.audioURL },
      term("references") { $0.details.pageURL }, term("title") { $0.title },
      term("description") { row in row.details.duration.map { "\(DecimalText.text($0)) s" } },
      term("created") { $0.details.eventDate?.description }, term("creator") { $0.details.recordedBy },
      term("license") { $0.details.licence?.url ?? $0.details.licence?.name },
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
          <field default="WGS84" term="\(terms)geodeticDatum"/>
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
    func element(_ name: String, _ text: String) -> String { "<\(name)>\(XMLText.escaped(text))</\(name)>" }
    let paragraphs = provenance.lines.map { element("para", $0) }.joined()
    let catalogue = provenance.catalogueName
    let address = provenance.catalogueURL.map { element("onlineUrl", $0) } ?? ""
    let party = element("organizationName", catalogue) + address
    let licences = summary.licenceCounts.map { "\($0.name): \($0.count)" }.joined(separator: ", ")
    let rights =
      "Each recording has a licence of its own, in the column license of occurrence.txt, and is credited by its recordist and number."
      + (licences.isEmpty ? "" : " \(licences).")
    let citation =
      "\(catalogue) and its recordists: \(Plural.words(summary.written, "sound recording")), \(provenance.title), fetched "
      + "\(Provenance.day(provenance.fetchedAt))\(summary.upToText.map { ", \($0)" } ?? "")"
    return """
      <?xml version="1.0" encoding="UTF-8"?>
      <eml:eml xmlns:eml="https://eml.ecoinformatics.org/eml-2.2.0" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" \
      xsi:schemaLocation="https://eml.ecoinformatics.org/eml-2.2.0 https://eml.ecoinformatics.org/eml-2.2.0/eml.xsd" \
      packageId="\(packageID)" system="chirper" scope="system" xml:lang="en">
      <dataset>
      \(element("title", "Sound recordings: \(provenance.title)"))
      <creator>\(party)</creator>
      \(element("pubDate", Provenance.day(provenance.exportedAt)))
      \(element("language", "en"))
      <abstract>\(paragraphs)</abstract>
      <intellectualRights>\(element("para", rights))</intellectualRights>
      <contact>\(party)</contact>
      <methods><methodStep><description>\(paragraphs)</description></methodStep></methods>
      </dataset>
      <additionalMetadata><metadata><gbif>\(element("citation", citation))</gbif></metadata></additionalMetadata>
      </eml:eml>

      """
  }

  /// The same for the same list fetched at the same time.
  private var packageID: String {
    "chirper." + String(StableHash.fnv1a((provenance.title + Provenance.time(provenance.fetchedAt)).utf8), radix: 16)
  }
}
