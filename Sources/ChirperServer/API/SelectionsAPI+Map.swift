import Chirper
import ChirperFormats
import ChirperModel
import Foundation

/// The coordinates of the recordings of a selection.
extension SelectionsAPI {
  /// The corners of a box in the south-west and in the north-east.
  private typealias Box = (low: SIMD2<Float>, high: SIMD2<Float>)

  /// Coordinates that are answered one by one; of more, how many are near each other.
  private static let mostPoints = 2000
  /// Cells along the longer side of the box.
  private static let mostCells: Float = 96

  /// The coordinates of the selection within `box`; without it, within the box that has them
  /// all.
  func map(_ request: Request) throws -> Answer {
    try cached.retryingIfForgotten {
      let cached = try select(request)
      if mapped.withLock(\.self)?.made != cached.made { try request.needExclusiveAccess() }
      let coordinates = try self.coordinates(of: cached)
      let located = coordinates.lazy.filter { !$0.x.isNaN }
      let bounds = located.reduce(
        (low: SIMD2<Float>(repeating: .infinity), high: SIMD2<Float>(repeating: -.infinity))
      ) { (pointwiseMin($0.low, $1), pointwiseMax($0.high, $1)) }
      let box = try request["box"].map(Self.box) ?? bounds
      let inside = coordinates.indices.lazy.filter { Self.contains(box, coordinates[$0]) }
      let corners = [bounds.low.x, bounds.low.y, bounds.high.x, bounds.high.y].map(Self.degrees)
      var object: JSONObject = [
        "version": Self.text(of: cached.version), "rows": cached.selection.count,
        "placed": located.count, "inside": inside.count,
        "bounds": located.isEmpty ? nil : corners,
      ]
      object.add(known: ["damage": cached.selection.damage?.presentation.summary.sentence])
      if inside.count > Self.mostPoints {
        object.add("cells", raw: Self.cells(coordinates, in: box))
      } else {
        let points = try cached.selection.rows(at: Array(inside)).compactMap(Self.point)
        object.add("points", raw: "[\(points.joined(separator: ","))]")
      }
      return .json(object)
    }
  }

  /// Read once for a map that is moved: of a million recordings it takes longer than everything
  /// else.
  private func coordinates(of cached: Selected) throws -> [SIMD2<Float>] {
    if let known = mapped.withLock(\.self), known.made == cached.made { return known.coordinates }
    let coordinates = try cached.selection.coordinates()
    mapped.withLock { $0 = (cached.made, coordinates) }
    return coordinates
  }

  private static func contains(_ box: Box, _ coordinate: SIMD2<Float>) -> Bool {
    coordinate.x >= box.low.x && coordinate.x <= box.high.x && coordinate.y >= box.low.y
      && coordinate.y <= box.high.y
  }

  /// South, west, north and east; a box does not go across the meridian of 180°.
  private static func box(_ text: String) throws(UserFacingError) -> Box {
    let sides = text.split(separator: ",", omittingEmptySubsequences: false).compactMap {
      Float($0)
    }
    guard sides.count == 4, sides[0] <= sides[2], sides[1] <= sides[3],
      abs(sides[0]) <= 90, abs(sides[2]) <= 90, abs(sides[1]) <= 180, abs(sides[3]) <= 180
    else {
      throw .usage(
        "box= needs south, west, north and east in degrees", hint: "Send it as in: box=51,12,53,18")
    }
    return (SIMD2(sides[0], sides[1]), SIMD2(sides[2], sides[3]))
  }

  /// The middle of the coordinates in each cell and their number. The size of a cell is a power
  /// of two in degrees, and its edges are multiples of that, so it stays where it is while
  /// the map is moved.
  private static func cells(_ coordinates: [SIMD2<Float>], in box: Box) -> String {
    let size = exp2(log2(max((box.high - box.low).max(), 1e-4) / mostCells).rounded(.up))
    let low = (box.low / size).rounded(.down)
    let across = Int((box.high.y / size).rounded(.down) - low.y) + 1
    let down = Int((box.high.x / size).rounded(.down) - low.x) + 1
    var counts = [Int](repeating: 0, count: across * down)
    var sums = [SIMD2<Double>](repeating: .zero, count: across * down)
    for coordinate in coordinates where contains(box, coordinate) {
      let cell = (coordinate / size).rounded(.down) - low
      let index = Int(cell.x) * across + Int(cell.y)
      counts[index] += 1
      sums[index] += SIMD2<Double>(coordinate)
    }
    let texts = counts.indices.filter { counts[$0] > 0 }.map { index in
      let middle = sums[index] / Double(counts[index])
      return "[\(degrees(Float(middle.x)).json),\(degrees(Float(middle.y)).json),\(counts[index])]"
    }
    return "[\(texts.joined(separator: ","))]"
  }

  /// Latitude, longitude, uncertainty in metres, whether it was made less exact, catalogue, id, and
  /// whether the catalogue doubts the coordinate.
  private static func point(_ row: RecordingRow) -> String? {
    guard let coordinate = row.details.coordinate else { return nil }
    let id = row.recording.id
    let uncertainty = row.details.coordinateUncertaintyInMeters.map(\.json) ?? "null"
    let isObscured = row.details.isObscured
    let isDoubtful = row.details.issues.contains(.coordinate)
    return
      "[\(coordinate.latitude.json),\(coordinate.longitude.json),\(uncertainty),\(isObscured),\(id.catalogue.rawValue.json),\(id.value.json),\(isDoubtful)]"
  }

  /// The number of degrees, rounded to a metre.
  private static func degrees(_ number: Float) -> Double { (Double(number) * 1e5).rounded() / 1e5 }

  // MARK: Names

  /// The typed text with names of animals at its end, if that is the beginning of any.
  func completions(_ request: Request) throws -> Answer {
    try request.needExclusiveAccess(searches: true)
    let text = request["q"] ?? ""
    let completions = text.count > 100 ? [] : try repository.completions(of: text)
    return .json(["completions": completions])
  }

  /// Names in the store that are spelled nearly as the words that found nothing; for a search with
  /// tags, the search with the country that was meant.
  func suggestions(_ request: Request) throws -> Answer {
    try request.needExclusiveAccess(searches: true)
    let text = request["q"] ?? ""
    var scanner = TagScanner(text)
    let names =
      text.count > 100
      ? []
      : scanner.tag() != nil ? SearchTag.corrections(of: text) : try repository.names(near: text)
    return .json(["suggestions": names])
  }
}
