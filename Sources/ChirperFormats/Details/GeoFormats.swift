import ChirperModel

extension RecordFormat {
  /// Features with the tidy columns as properties.
  package static let geojson = RecordFormat(
    "geojson", fileExtension: "geojson", takesColumns: true, details: { GeoJSONWriter($0) })

  /// Waypoints.
  package static let gpx = RecordFormat("gpx", fileExtension: "gpx", needs: "coordinates", details: { GPXWriter($0) })
}

/// GeoJSON (RFC 7946): a feature per recording with the tidy columns as its properties. A recording without coordinates has
/// no geometry.
struct GeoJSONWriter: DetailWriter {
  private let provenance: Provenance
  private let properties: TidyObject

  let separator = ","

  init(_ options: DetailWriterOptions) {
    provenance = options.provenance
    properties = TidyObject(options.columns)
  }

  mutating func begin(_ out: inout [UInt8]) {
    out += "{\"type\":\"FeatureCollection\",\"features\":[".utf8
  }

  mutating func append(_ row: DetailedRecording, to out: inout [UInt8]) -> Bool {
    out += "\n{\"type\":\"Feature\",\"id\":".utf8
    TidyObject.append(row.identifier, to: &out)
    if let place = row.details.coordinate {
      let coordinates = "[\(DecimalText.text(place.longitude)),\(DecimalText.text(place.latitude))]"
      out += ",\"geometry\":{\"type\":\"Point\",\"coordinates\":\(coordinates)},\"properties\":".utf8
    } else {
      out += ",\"geometry\":null,\"properties\":".utf8
    }
    properties.append(row, to: &out)
    out.append(UInt8(ascii: "}"))
    return true
  }

  /// The provenance is a foreign member after the features, because it has the highest number among them.
  mutating func end(_ out: inout [UInt8], _ summary: ExportSummary) {
    var members = provenance.object
    members.add("upTo", summary.upTo)
    out += "\n],\"provenance\":\(members.text)}\n".utf8
  }
}

/// GPX 1.1: a waypoint per recording with coordinates. Its text is made one line each, because devices show it as it is.
struct GPXWriter: DetailWriter {
  private let provenance: Provenance

  init(_ options: DetailWriterOptions) {
    provenance = options.provenance
  }

  mutating func begin(_ out: inout [UInt8]) {
    out +=
      """
      <?xml version="1.0" encoding="UTF-8"?>
      <gpx version="1.1" creator="chirper \(ProgramVersion.current)" xmlns="http://www.topografix.com/GPX/1/1" \
      xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" \
      xsi:schemaLocation="http://www.topografix.com/GPX/1/1 http://www.topografix.com/GPX/1/1/gpx.xsd">
      <metadata>\(element("name", provenance.title))\(element("desc", provenance.lines.joined(separator: ". ")))\
      \(element("time", Provenance.time(provenance.fetchedAt)))</metadata>

      """.utf8
  }

  mutating func append(_ row: DetailedRecording, to out: inout [UInt8]) -> Bool {
    let details = row.details
    guard let place = details.coordinate else { return false }
    // The schema ends before 180, which is the same meridian as -180.
    let longitude = place.longitude == 180 ? -180 : place.longitude
    out += "<wpt lat=\"\(DecimalText.text(place.latitude))\" lon=\"\(DecimalText.text(longitude))\">".utf8
    func add(_ name: String, _ text: String) {
      out += "<".utf8
      out += name.utf8
      out += ">".utf8
      out += XMLText.escaped(text).utf8
      out += "</".utf8
      out += name.utf8
      out += ">".utf8
    }
    if let elevation = details.elevation { add("ele", DecimalText.text(elevation)) }
    add("name", "\(row.number) \(row.title)")
    if let remarks = details.remarks.flatMap(PlainLine.text) { add("cmt", remarks) }
    // A waypoint's time is in UTC; the local time of a recording is not, so it is part of the text.
    let date = details.eventDate.map { "\($0)" + (details.eventTime.map { " \($0)" } ?? "") }
    let parts = [row.soundTypes, date, details.locality.flatMap(PlainLine.text), details.country.flatMap(PlainLine.text)]
    add("desc", (parts.compactMap(\.self) + [details.credit]).joined(separator: "; "))
    add("src", provenance.catalogueName)
    if let page = details.pageURL { out += "<link href=\"\(XMLText.escaped(page))\"/>".utf8 }
    if let audio = details.audioURL { out += "<link href=\"\(XMLText.escaped(audio))\"><text>audio</text></link>".utf8 }
    if let group = details.group.flatMap(PlainLine.text) { add("type", group) }
    out += "</wpt>\n".utf8
    return true
  }

  mutating func end(_ out: inout [UInt8], _ summary: ExportSummary) {
    if let upTo = summary.upToText { out += "\(XMLText.comment(upTo))\n".utf8 }
    out += "</gpx>\n".utf8
  }

  private func element(_ name: String, _ text: String) -> String { "<\(name)>\(XMLText.escaped(text))</\(name)>" }
}
