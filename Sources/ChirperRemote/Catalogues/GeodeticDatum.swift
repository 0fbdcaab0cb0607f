#if Collection

/// The reference of coordinates, by the texts of `geodeticDatum` (https://dwc.tdwg.org/terms/).
enum GeodeticDatum {
  /// Whether coordinates in the datum that a text names are those of WGS 84, up to two metres.
  /// Where it is not known, GBIF takes them for such, too.
  static func isWGS84(_ text: String) -> Bool {
    let name = text.uppercased().filter { $0.isLetter || $0.isNumber }
    return name.isEmpty || same.contains { name.contains($0) } || unknown.contains(name)
  }

  private static let same = [
    "WGS84", "WGS1984", "GEODETICSYSTEM1984", "EPSG4326", "EPSG4979", "ETRS89", "EPSG4258", "NAD83",
    "EPSG4269", "GDA94", "EPSG4283", "GDA2020", "EPSG7844", "NZGD2000", "EPSG4167", "SIRGAS2000",
    "EPSG4674", "JGD2000", "EPSG4612", "JGD2011", "EPSG6668", "ITRF",
  ]
  private static let unknown: Set = ["UNKNOWN", "NOTRECORDED", "UNSPECIFIED", "NONE", "NA", "GPS"]
}

#endif
