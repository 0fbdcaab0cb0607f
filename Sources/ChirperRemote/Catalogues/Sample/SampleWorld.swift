import ChirperModel

/// The made-up recordings, the same on every machine, in xeno-canto's order: by species, quality
/// and descending number.
enum SampleWorld {
  /// Made at the first use, which takes a few milliseconds.
  static let recordings: [SampleRecording] = {
    var random = SeededRandom(seed: 2_026)
    let counts = SampleSpecies.all.map { _ in random.number(20...80) }
    var numbers = Array(1...counts.reduce(0, +))
    for index in numbers.indices.reversed() { numbers.swapAt(index, random.number(0...index)) }
    return zip(SampleSpecies.all, counts).flatMap { species, count in
      (0..<count).map { _ in recording(of: species, number: numbers.removeLast(), &random) }
        .sorted { ($0.rank, $1.number) < ($1.rank, $0.number) }
    }
  }()

  /// The details of each, in the same order; made at the first use, too.
  static let details = recordings.map { Sample.catalogue.details(of: $0.recording) }

  /// The lengths of sounds: a megabyte on average.
  private static let secondsOfSound = 4...40

  /// The seconds of the sound of a recording; the fewest for an id that is not in the sample.
  static func seconds(of id: RecordingID) -> Int {
    recordings.first { $0.recording.id == id }?.seconds ?? secondsOfSound.lowerBound
  }

  private static func recording(
    of species: SampleSpecies, number: Int, _ random: inout SeededRandom
  ) -> SampleRecording {
    let year = random.number(2005...2024)
    // Ten places in each country, the same for every species.
    let country = random.element(species.countries)
    let placeNumber =
      Int(country.utf8.reduce(0) { $0 + UInt64($1) } % 90) * 10 + random.number(0...9)
    var fixed = SeededRandom(seed: UInt64(placeNumber))
    let place = SamplePlace.place(in: country, &fixed)
    let type = random.element(types)
    let quality = random.element(qualities)
    let seconds = random.number(secondsOfSound)
    let date = day(year, &random)
    let uploaded = day(year + 1, &random)
    let background = random.number(1...3) == 1 ? background(of: species, &random) : nil
    let id = "sample:\(number)"
    let fields = [
      ("id", id), ("gen", species.genus), ("sp", species.epithet), ("ssp", ""), ("grp", "birds"),
      ("en", species.englishName),
      ("rec", "Sample recordist"), ("cnt", country), ("loc", "Sample place \(placeNumber)"),
      ("lat", place.latitude), ("lon", place.longitude), ("type", type), ("url", id), ("file", ""),
      ("lic", "sample"),
      ("q", quality?.rawValue ?? "no score"),
      ("length", "\(seconds / 60):\(DecimalText.padded(seconds % 60, digits: 2))"),
      ("date", date), ("uploaded", uploaded),
    ]
    let members =
      fields.map { "\(JSONText.quoted($0)):\(JSONText.quoted($1))" } + [
        "\"also\":[\(background.map { JSONText.quoted($0) } ?? "")]",
        #""rmk":"Made up by chirper; not a recording.""#,
      ]
    return SampleRecording(
      number: number, species: species, country: country, seconds: seconds,
      rank: quality.flatMap(RecordingDetails.Quality.allCases.firstIndex)
        ?? RecordingDetails.Quality.allCases.count,
      recording: Recording(
        id: RecordingID(catalogue: .sample, value: id),
        fields: RecordingFields(canonical: "{\(members.joined(separator: ","))}")))
  }

  private static func background(of species: SampleSpecies, _ random: inout SeededRandom) -> String?
  {
    let other = random.element(SampleSpecies.all)
    return other.englishName == species.englishName ? nil : other.name
  }

  private static func day(_ year: Int, _ random: inout SeededRandom) -> String {
    "\(year)-"
      + [random.number(1...12), random.number(1...28)].map { DecimalText.padded($0, digits: 2) }
      .joined(separator: "-")
  }

  private static let types = [
    "song", "call", "song", "call", "alarm call", "flight call", "begging call", "call, song",
  ]
  // Good ones are commoner, as in the archive.
  private static let qualities: [RecordingDetails.Quality?] = [
    .a, .a, .a, .b, .b, .b, .c, .c, .d, .e, nil,
  ]
}

/// Where the recordings of a country are: in a part of it, which has no coast or border.
enum SamplePlace {
  /// A place in that part as degrees with one decimal.
  static func place(in country: String, _ random: inout SeededRandom) -> (
    latitude: String, longitude: String
  ) {
    guard let part = parts[country] else { return ("", "") }
    func degrees(_ range: ClosedRange<Int>) -> String {
      let tenths = random.number(range)
      return "\(tenths < 0 ? "-" : "")\(abs(tenths) / 10).\(abs(tenths) % 10)"
    }
    return (degrees(part.latitude), degrees(part.longitude))
  }

  /// The parts of the countries, in tenths of degrees.
  private static let parts: [String: (latitude: ClosedRange<Int>, longitude: ClosedRange<Int>)] = [
    "Argentina": (-360...(-280), -660...(-610)), "Australia": (-300...(-220), 1200...1450),
    "Bolivia": (-180...(-140), -660...(-610)), "Botswana": (-240...(-200), 220...260),
    "Brazil": (-180...(-50), -550...(-420)), "Cameroon": (40...70, 105...135),
    "Chile": (-365...(-342), -718...(-712)), "Colombia": (20...60, -750...(-705)),
    "Costa Rica": (98...106, -845...(-839)), "Denmark": (553...568, 88...94),
    "Finland": (610...640, 240...280), "France": (450...485, 0...50),
    "Gabon": (-15...8, 105...130), "Gambia": (134...135, -159...(-152)),
    "Germany": (495...525, 80...115), "Ghana": (60...100, -22...(-3)),
    "Guyana": (20...60, -595...(-580)), "India": (150...250, 760...800),
    "Indonesia": (-20...5, 1115...1150), "Ireland": (524...538, -88...(-70)),
    "Italy": (435...455, 106...119), "Kenya": (-10...20, 360...390),
    "Latvia": (565...573, 245...270), "Lithuania": (546...560, 230...250),
    "Mexico": (200...270, -1040...(-1000)), "Netherlands": (516...522, 50...60),
    "New Zealand": (-455...(-440), 1685...1700), "Norway": (600...620, 80...110),
    "Panama": (84...87, -824...(-812)), "Papua New Guinea": (-70...(-52), 1420...1455),
    "Peru": (-130...(-50), -760...(-730)), "Poland": (505...535, 160...220),
    "Puerto Rico": (181...184, -670...(-660)), "Senegal": (140...150, -160...(-130)),
    "South Africa": (-320...(-280), 220...260), "Spain": (380...420, -50...(-10)),
    "Suriname": (35...50, -565...(-550)), "Sweden": (575...600, 135...160),
    "United Kingdom": (515...535, -25...(-5)), "Zambia": (-160...(-135), 240...280),
  ]
}

struct SampleRecording: Sendable {
  let number: Int
  let species: SampleSpecies
  let country: String
  /// The length of its sound.
  let seconds: Int
  /// The position within its species: quality A to E, then recordings without a rating.
  let rank: Int
  let recording: Recording
}

/// SplitMix64: the same numbers from the same seed on every machine and in every version, unlike
/// the system's.
struct SeededRandom {
  private var state: UInt64

  init(seed: UInt64) {
    state = seed
  }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }

  mutating func number(_ range: ClosedRange<Int>) -> Int {
    range.lowerBound + Int(next() % UInt64(range.count))
  }

  mutating func element<Element>(_ array: [Element]) -> Element {
    array[number(0...(array.count - 1))]
  }
}
