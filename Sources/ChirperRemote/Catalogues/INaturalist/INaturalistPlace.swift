#if Collection

import ChirperModel

/// The name of a place, `place_guess`: `Białowieża, Podlaskie, PL`. The service sends no country,
/// but names that it makes itself end with one.
enum INaturalistPlace {
  /// The country at the end of a place's name, by its English name or its code.
  ///
  /// People type names, too, and end them with states: `San Diego, CA` is not in Canada, and
  /// `Athens, Georgia` not in the Caucasus. So a code counts only if the coordinate is where that
  /// country is, roughly, and `nil` is returned otherwise, and for every name that ends
  /// differently.
  static func country(of place: String, at coordinate: RecordingDetails.Coordinate?) -> Country? {
    guard let last = place.split(separator: ",").last else { return nil }
    let part = String(last.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
    guard let country = Countries.sent(part) else { return nil }
    let isCode = part == country.code || part == country.longCode
    guard isCode || country.code == "GE" else { return country }
    guard let coordinate, let box = boxes[country.code] ?? country.area.flatMap({ boxes[$0] })
    else {
      return nil
    }
    let isThere =
      box.latitudes.contains(coordinate.latitude) && box.longitudes.contains(coordinate.longitude)
    return isThere ? country : nil
  }

  private typealias Box = (latitudes: ClosedRange<Double>, longitudes: ClosedRange<Double>)

  /// Degrees around each of `Countries.areas`, and around the countries whose codes are
  /// also codes of states and provinces of America, Italy and Switzerland.
  private static let boxes: [String: Box] = [
    "africa": (-56...38, -26...73), "america": (-60...84, -180...(-11)),
    "asia": (-12...82, 25...180), "europe": (27...82, -32...180),
    "australia": (-56...29, -180...180),
    "AR": (-56...(-21), -74...(-53)), "CA": (42.1...84, -142...(-52)),
    "CO": (-5...14, -82...(-66)), "KY": (19...20, -82...(-79)), "MS": (16...17, -63...(-62)),
    "PA": (7...10, -84...(-77)), "PE": (-19...1, -82...(-68)), "PR": (17...19, -68...(-65)),
    "AL": (39...43, 19...22), "AT": (46...50, 9.4...18), "BA": (42...46, 15.5...20),
    "BE": (49...52, 2...7), "BG": (41...45, 22...29), "CH": (45.7...48, 5.9...10.6),
    "FR": (41...52, -6...10), "GR": (34...42, 19...30), "IM": (54...55, -5...(-4)),
    "IS": (63...67, -25...(-13)), "LI": (47...47.3, 9.4...9.7), "LT": (53...57, 20...27),
    "LU": (49...51, 5...7), "MC": (43.7...43.8, 7.3...7.5), "ME": (41...44, 18...21),
    "MT": (35...37, 14...15), "NO": (57...81, -10...35), "PT": (30...43, -32...(-6)),
    "RO": (43...49, 20...30), "SI": (45.3...47, 13.3...17), "SM": (43.8...44, 12.3...12.6),
    "TR": (35...43, 25...45), "VA": (41.8...42, 12.4...12.5),
  ]
}

#endif
