import Foundation

/// A download of GBIF as a folder: a few records, each with sounds.
package struct GBIFDownload {
  package struct Record {
    package let key: Int
    package var values: [String: String] = ["countryCode": "PL", "species": "Turdus merula"]
    /// The names of its sounds.
    package var sounds: [String]

    package init(_ key: Int, sounds: [String]? = nil) {
      self.key = key
      self.sounds = sounds ?? ["XC\(key)-a.mp3"]
    }
  }

  package static let doi = "10.15468/dl.8k2qf5"
  package var records: [Record]
  /// Added to the lines of the records.
  package var lines: [String] = []
  private static let columns = ["countryCode", "species", "recordedBy", "locality", "issue"]

  package init(_ records: [Record]) { self.records = records }

  package var meta: String {
    let dwc = "http://rs.tdwg.org/dwc/terms/"
    let form =
      #"encoding="UTF-8" fieldsTerminatedBy="\t" linesTerminatedBy="\n" fieldsEnclosedBy="" ignoreHeaderLines="1""#
    let fields = Self.columns.enumerated().map {
      #"<field index="\#($0 + 1)" term="\#(dwc)\#($1)"/>"#
    }.joined()
    let media = ["type", "identifier", "description", "license"].enumerated().map {
      #"<field index="\#($0 + 1)" term="http://purl.org/dc/terms/\#($1)"/>"#
    }.joined()
    return """
      <archive xmlns="http://rs.tdwg.org/dwc/text/" metadata="metadata.xml">
      <core \(form) rowType="\(dwc)Occurrence"><files><location>occurrence.txt</location></files><id index="0"/>
      <field index="0" term="http://rs.gbif.org/terms/1.0/gbifID"/>\(fields)</core>
      <extension \(form) rowType="http://rs.gbif.org/terms/1.0/Multimedia"><files><location>multimedia.txt</location></files>
      <coreid index="0"/>\(media)</extension></archive>
      """
  }

  /// The content of each file by its name.
  package var files: [String: String] {
    let core = records.map { record in
      ([String(record.key)] + Self.columns.map { record.values[$0] ?? "" }).joined(separator: "\t")
    }
    // In a different order than the records.
    let media = records.reversed().flatMap { record in
      record.sounds.map {
        "\(record.key)\tSound\thttps://xeno-canto.org/sounds/\($0)\t9 s\thttp://creativecommons.org/licenses/by/4.0/"
      }
    }
    func text(_ heading: [String], _ lines: [String]) -> String {
      ([heading.joined(separator: "\t")] + lines).map { $0 + "\n" }.joined()
    }
    return [
      "meta.xml": meta,
      "occurrence.txt": text(["gbifID"] + Self.columns, core + lines),
      "multimedia.txt": text(
        ["gbifID", "type", "identifier", "description", "license"], media),
      "metadata.xml": """
      <eml packageId="\(Self.doi)"><dataset><alternateIdentifier>https://doi.org/\(Self.doi)</alternateIdentifier>
      <title>GBIF Occurrence Download</title><pubDate>2026-11-20</pubDate></dataset></eml>
      """,
      "citations.txt": "GBIF.org (20 November 2026) https://doi.org/\(Self.doi)\n",
      "rights.txt": "Dataset: x\n",
    ]
  }

  /// Writes the files into a folder, which is made.
  package func write(to folder: String) throws {
    try FileManager.default.createDirectory(
      atPath: folder, withIntermediateDirectories: true)
    for (name, text) in files {
      try text.write(toFile: "\(folder)/\(name)", atomically: true, encoding: .utf8)
    }
  }
}
