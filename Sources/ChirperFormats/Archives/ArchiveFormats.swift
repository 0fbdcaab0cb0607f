import Chirper
import ChirperModel

extension RecordFormat {
  /// A Darwin Core Archive.
  package static let dwca = RecordFormat("dwca", archive: { DarwinCoreArchiveWriter($0) })

  /// A Frictionless Data Package.
  package static let datapackage = RecordFormat("datapackage", archive: { DataPackageWriter($0) })
}

/// A format of several files in one zip file.
package protocol ArchiveWriter {
  init(_ options: DetailWriterOptions)

  /// Writes every entry.
  ///
  /// - Parameters:
  ///   - zip: an empty zip file, which the caller finishes.
  ///   - rows: writes all rows through a writer into the entry that has begun; each call reads them again, so that memory does
  ///     not depend on their number.
  func write(to zip: ZipWriter, rows: (_ writer: any DetailWriter) throws -> ExportSummary) throws -> ExportSummary
}

/// A Frictionless Data Package: the tidy columns as CSV, and the description that says what they mean.
struct DataPackageWriter: ArchiveWriter {
  private let options: DetailWriterOptions

  init(_ options: DetailWriterOptions) {
    self.options = options
  }

  func write(to zip: ZipWriter, rows: (_ writer: any DetailWriter) throws -> ExportSummary) throws -> ExportSummary {
    try zip.begin("recordings.csv")
    let summary = try rows(TidyDelimitedWriter(.csv, options))
    try zip.end()
    try zip.add("datapackage.json", description(summary))
    return summary
  }

  private func description(_ summary: ExportSummary) -> String {
    let provenance = options.provenance
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
    resource.add("schema", raw: TableSchema.json(of: options.columns))
    package.add("resources", [resource])
    return package.text + "\n"
  }
}

/// A Darwin Core Archive (https://dwc.tdwg.org/text/): the recordings as occurrences, their audio in the multimedia extension.
struct DarwinCoreArchiveWriter: ArchiveWriter {
  private let provenance: Provenance

  init(_ options: DetailWriterOptions) {
    provenance = options.provenance
  }

  func write(to zip: ZipWriter, rows: (_ writer: any DetailWriter) throws -> ExportSummary) throws -> ExportSummary {
    try zip.add("meta.xml", Self.meta)
    try zip.begin("occurrence.txt")
    let summary = try rows(ArchiveTableWriter(Self.occurrence))
    try zip.end()
    try zip.begin("multimedia.txt")
    _ = try rows(ArchiveTableWriter(Self.multimedia) { $0.details.audioURL != nil })
    try zip.end()
    // The last entry, because it says which licences there are.
    try zip.add("eml.xml", description(summary))
    return summary
  }

  private static let terms = "http://rs.tdwg.org/dwc/terms/"

  /// The tidy columns that are terms of occurrences; those of the sound are in the other table.
  private static let occurrence: [ArchiveTableWriter.Column] = {
    let key: @Sendable (DetailedRecording) -> String? = { $0.identifier }
    let ofSound = [DetailColumn.accessURI, .mediaDuration, .available].map(\.name)
    var columns: [ArchiveTableWriter.Column] = [("id", nil, key), ("occurrenceID", terms + "occurrenceID", key)]
    for column in TidyColumn.all where column.term != nil && !ofSound.contains(column.name) {
      // What a sound recording is if the catalogue does not say.
      let missing = column.name == DetailColumn.basisOfRecord.name ? "MachineObservation" : nil
      columns.append((column.name, column.term, { column.value(of: $0).text() ?? missing }))
    }
    return columns
  }()

  private static let multimedia: [ArchiveTableWriter.Column] = {
    func term(_ name: String) -> String { "http://purl.org/dc/terms/\(name)" }
    return [
      ("coreid", nil, { $0.identifier }), ("type", term("type"), { _ in "Sound" }),
      ("identifier", term("identifier"), { $0.details.audioURL }), ("references", term("references"), { $0.details.pageURL }),
      ("title", term("title"), { $0.title }),
      ("description", term("description"), { row in row.details.duration.map { "\(DecimalText.text($0)) s" } }),
      ("created", term("created"), { $0.details.eventDate?.description }),
      ("creator", term("creator"), { $0.details.recordedBy }),
      ("license", term("license"), { $0.details.licence?.url ?? $0.details.licence?.name }),
      ("rightsHolder", term("rightsHolder"), { $0.details.rightsHolder }), ("source", term("source"), { $0.details.credit }),
    ]
  }()

  private static let meta: String = {
    func fields(_ columns: [ArchiveTableWriter.Column]) -> String {
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

/// A table of a Darwin Core Archive: tab-separated, without quotes or escapes.
struct ArchiveTableWriter: DetailWriter {
  /// A name, the address of the term (`nil` for the key), and the value.
  typealias Column = (name: String, term: String?, value: @Sendable (DetailedRecording) -> String?)

  private let columns: [Column]
  private let isWritten: @Sendable (DetailedRecording) -> Bool

  init(_ columns: [Column], isWritten: @escaping @Sendable (DetailedRecording) -> Bool = { _ in true }) {
    self.columns = columns
    self.isWritten = isWritten
  }

  mutating func begin(_ out: inout [UInt8]) {
    out += "\(columns.map(\.name).joined(separator: "\t"))\n".utf8
  }

  mutating func append(_ row: DetailedRecording, to out: inout [UInt8]) -> Bool {
    guard isWritten(row) else { return false }
    for (index, column) in columns.enumerated() {
      if index > 0 { out.append(0x09) }
      // The format has no way to write a tab or a line end in a value: each becomes a space.
      for byte in (column.value(row) ?? "").utf8 { out.append(byte == 0x09 || byte == 0x0A || byte == 0x0D ? 0x20 : byte) }
    }
    out.append(0x0A)
    return true
  }

  mutating func end(_ out: inout [UInt8], _ summary: ExportSummary) {}
}
