import Chirper
import ChirperModel

extension RecordFormat {
  /// GeoJSON: features with the tidy columns as properties.
  public static let geojson = RecordFormat(
    name: "geojson", title: "GeoJSON: QGIS, Leaflet", mediaType: "application/geo+json",
    fileExtension: "geojson", choosesDetails: true,
    content: .details {
      GeoJSONWriter(provenance: $0, properties: ValueColumns($1.map(\.column), joinsLists: true))
    })

  /// Waypoints for maps and navigation devices.
  public static let gpx = RecordFormat(
    name: "gpx", title: "GPX: GPS devices", mediaType: "application/gpx+xml", fileExtension: "gpx",
    needs: "coordinates", { GPXWriter(provenance: $0) })
}

/// GeoJSON (RFC 7946): a feature per recording with the tidy columns as its properties. A recording
/// without coordinates has no geometry.
struct GeoJSONWriter: RowWriter {
  let provenance: Provenance
  let properties: ValueColumns<RecordingRow>

  var separator: String { "," }

  mutating func begin(_ out: inout [UInt8]) {
    out += "{\"type\":\"FeatureCollection\",\"features\":[".utf8
  }

  mutating func append(_ row: RecordingRow, to out: inout [UInt8]) -> Bool {
    out.append(utf8: "\n{\"type\":\"Feature\",\"id\":")
    JSONText.append(quoted: row.identifier, to: &out)
    out.append(utf8: ",\"geometry\":")
    if let coordinate = row.details.coordinate {
      out.append(utf8: "{\"type\":\"Point\",\"coordinates\":[")
      out.append(utf8: DecimalText.text(coordinate.longitude))
      out.append(utf8: ",")
      out.append(utf8: DecimalText.text(coordinate.latitude))
      out.append(utf8: "]}")
    } else {
      out.append(utf8: "null")
    }
    out.append(utf8: ",\"properties\":")
    properties.appendObject(row, to: &out)
    out.append(UInt8(ascii: "}"))
    return true
  }

  /// The provenance is a foreign member after the features, because it has the highest number among
  /// them.
  mutating func end(_ out: inout [UInt8], _ summary: ExportSummary) {
    var members = provenance.object
    members.add("upTo", summary.upTo)
    out += "\n],\"provenance\":\(members.text)}\n".utf8
  }
}

/// GPX 1.1: a waypoint per recording with coordinates. Its text is made one line each, because
/// devices show it as it is.
struct GPXWriter: RowWriter {
  let provenance: Provenance

  mutating func begin(_ out: inout [UInt8]) {
    out +=
      """
      <?xml version="1.0" encoding="UTF-8"?>
      <gpx version="1.1" creator="chirper \(ProgramVersion.current)" xmlns="http://www.topografix.com/GPX/1/1" \
      xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" \
      xsi:schemaLocation="http://www.topografix.com/GPX/1/1 http://www.topografix.com/GPX/1/1/gpx.xsd">
      <metadata>\(XMLText.element("name", provenance.title))\
      \(XMLText.element("desc", provenance.lines.joined(separator: ". ")))\
      \(XMLText.element("time", Provenance.time(provenance.fetchedAt)))</metadata>

      """.utf8
  }

  mutating func append(_ row: RecordingRow, to out: inout [UInt8]) -> Bool {
    let details = row.details
    guard let coordinate = details.coordinate else { return false }
    // The schema ends before 180, which is the same meridian as -180.
    let longitude = coordinate.longitude == 180 ? -180 : coordinate.longitude
    func add(_ opening: String, _ text: String?, _ closing: String) {
      guard let text else { return }
      out.append(utf8: opening)
      out.append(utf8: XMLText.escaped(text))
      out.append(utf8: closing)
    }
    add("<wpt lat=\"", DecimalText.text(coordinate.latitude), "\"")
    add(" lon=\"", DecimalText.text(longitude), "\">")
    add("<ele>", details.elevation.map(DecimalText.text), "</ele>")
    add("<name>", "\(row.number) \(row.title)", "</name>")
    add("<cmt>", details.occurrenceRemarks.flatMap(PlainLine.text), "</cmt>")
    // A waypoint's time is in UTC; the local time of a recording is not, so it is part of the text.
    let date = details.eventDate.map { date in
      details.eventTime.map { "\(date) \($0)" } ?? date.description
    }
    let uncertainty = details.coordinateUncertaintyInMeters.map {
      "place uncertain by \(DecimalText.text($0)) m"
    }
    let facts = [
      row.soundTypes, date, details.locality.flatMap(PlainLine.text),
      details.country.flatMap(PlainLine.text), uncertainty,
      details.dataGeneralizations.flatMap(PlainLine.text), details.credit,
    ]
    add("<desc>", facts.compactMap(\.self).joined(separator: "; "), "</desc>")
    add("<src>", provenance.name(of: row.recording.id.catalogue), "</src>")
    add("<link href=\"", details.pageAddress, "\"/>")
    add("<link href=\"", details.audioAddress, "\"><text>audio</text></link>")
    add("<type>", details.group.flatMap(PlainLine.text), "</type>")
    out += "</wpt>\n".utf8
    return true
  }

  mutating func end(_ out: inout [UInt8], _ summary: ExportSummary) {
    if let upTo = summary.upToText { out += "\(XMLText.comment(upTo))\n".utf8 }
    out += "</gpx>\n".utf8
  }
}
