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

  private static func recording(
    of species: SampleSpecies, number: Int, _ random: inout SeededRandom
  ) -> SampleRecording {
    let year = random.number(2005...2024)
    // Ten places in each country, the same for every species.
    let country = random.element(species.countries)
    let placeNumber =
      Int(country.utf8.reduce(0) { $0 + UInt64($1) } % 90) * 10 + random.number(0...9)
    var fixed = SeededRandom(seed: UInt64(placeNumber))
    let (latitude, longitude) = (fixed.number(-60...70), fixed.number(-170...170))
    let type = random.element(types)
    let quality = random.element(qualities)
    let seconds = random.number(4...400)
    let (date, uploaded) = (day(year, &random), day(year + 1, &random))
    let background = random.number(1...3) == 1 ? background(of: species, &random) : nil
    let id = "sample:\(number)"
    // Whole degrees: a place nobody would take for a real one.
    let fields = [
      ("id", id), ("gen", species.genus), ("sp", species.epithet), ("ssp", ""), ("grp", "birds"),
      ("en", species.englishName),
      ("rec", "Sample recordist"), ("cnt", country), ("loc", "Sample place \(placeNumber)"),
      ("lat", "\(latitude).0"),
      ("lon", "\(longitude).0"), ("type", type), ("url", id), ("file", ""), ("lic", "sample"),
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
      number: number, species: species, country: country,
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

struct SampleRecording: Sendable {
  let number: Int
  let species: SampleSpecies
  let country: String
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
