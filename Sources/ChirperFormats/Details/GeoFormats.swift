import ChirperModel

extension RecordFormat {
  /// Features with the tidy columns as properties.
  package static let geojson = RecordFormat(
    "geojson", fileExtension: "geojson", takesColumns: true, .details { GeoJSONWriter($0, $1) })

  /// Waypoints.
  package static let gpx = RecordFormat("gpx", fileExtension: "gpx", needs: "coordinates", { GPXWriter($0) })
}

/// GeoJSON (RFC 7946): a feature per recording with the tidy columns as its properties. A recording without coordinates has
/// no geometry.
struct GeoJSONWriter: RowWriter {
  private let provenance: Provenance
  private let properties: ValueColumns<TidyColumn>

  let separator = ","

  init(_ provenance: Provenance, _ columns: [TidyColumn]) {
    self.provenance = provenance
    properties = ValueColumns(columns, joinsLists: true)
  }

  mutating func begin(_ out: inout [UInt8]) {
    out += "{\"type\":\"FeatureCollection\",\"features\":[".utf8
  }

  mutating func append(_ row: DetailedRecording, to out: inout [UInt8]) -> Bool {
    out += "\n{\"type\":\"Feature\",\"id\":".utf8
    JSONText.append(quoted: row.identifier, to: &out)
    if let place = row.details.coordinate {
      out += ",\"geometry\":{\"type\":\"Point\",\"coordinates\":[".utf8
      out += DecimalText.text(place.longitude).utf8
      out.append(UInt8(ascii: ","))
      out += DecimalText.text(place.latitude).utf8
      out += "]},\"properties\":".utf8
    } else {
      out += ",\"geometry\":null,\"properties\":".utf8
    }
    properties.appendObject(row, to: &out)
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
struct GPXWriter: RowWriter {
  private let provenance: Provenance

  init(_ provenance: Provenance) {
    self.provenance = provenance
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
    /// Writes the texts, with a separator between them, between what opens and what closes them.
    func add(_ opening: String, _ texts: [String?], separator: String = " ", _ closing: String) {
      out += opening.utf8
      var isFirst = true
      for case let text? in texts {
        if !isFirst { out += separator.utf8 }
        isFirst = false
        XMLText.append(escaped: text, to: &out)
      }
      out += closing.utf8
    }
    add("<wpt lat=\"", [DecimalText.text(place.latitude)], "\"")
    add(" lon=\"", [DecimalText.text(longitude)], "\">")
    if let elevation = details.elevation { add("<ele>", [DecimalText.text(elevation)], "</ele>") }
    add("<name>", [row.number, row.title], "</name>")
    if let remarks = details.remarks.flatMap(PlainLine.text) { add("<cmt>", [remarks], "</cmt>") }
    // A waypoint's time is in UTC; the local time of a recording is not, so it is part of the text.
    let date = details.eventDate.map { date in details.eventTime.map { "\(date) \($0)" } ?? date.description }
    let region = [details.locality, details.country].map { $0.flatMap(PlainLine.text) }
    add("<desc>", [row.soundTypes, date] + region + [details.credit], separator: "; ", "</desc>")
    add("<src>", [provenance.catalogueName], "</src>")
    if let page = details.pageURL { add("<link href=\"", [page], "\"/>") }
    if let audio = details.audioURL { add("<link href=\"", [audio], "\"><text>audio</text></link>") }
    if let group = details.group.flatMap(PlainLine.text) { add("<type>", [group], "</type>") }
    out += "</wpt>\n".utf8
    return true
  }

  mutating func end(_ out: inout [UInt8], _ summary: ExportSummary) {
    if let upTo = summary.upToText { out += "\(XMLText.comment(upTo))\n".utf8 }
    out += "</gpx>\n".utf8
  }

  private func element(_ name: String, _ text: String) -> String { "<\(name)>\(XMLText.escaped(text))</\(name)>" }
}
