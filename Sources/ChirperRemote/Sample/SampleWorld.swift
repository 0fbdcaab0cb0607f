import ChirperModel

/// The made-up recordings, the same on every machine: by species, then quality A to E, then number descending, as
/// xeno-canto orders its lists.
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
    let place = Int(country.utf8.reduce(0) { $0 + UInt64($1) } % 90) * 10 + random.number(0...9)
    var fixed = SeededRandom(seed: UInt64(place))
    return SampleRecording(
      number: number, species: species, country: country, place: place, latitude: fixed.number(-60...70),
      longitude: fixed.number(-170...170), type: random.element(types), quality: random.element(qualities),
      seconds: random.number(4...400), date: day(year, &random), uploaded: day(year + 1, &random),
      background: random.number(1...3) == 1 ? background(of: species, &random) : nil)
  }

  private static func background(of species: SampleSpecies, _ random: inout SeededRandom) -> String? {
    let other = random.element(SampleSpecies.all)
    return other.englishName == species.englishName ? nil : "\(other.genus) \(other.epithet)"
  }

  private static func day(_ year: Int, _ random: inout SeededRandom) -> String {
    "\(year)-" + [random.number(1...12), random.number(1...28)].map { $0 < 10 ? "0\($0)" : "\($0)" }.joined(separator: "-")
  }

  private static let types = ["song", "call", "song", "call", "alarm call", "flight call", "begging call", "call, song"]
  // Good ones are commoner, as in the archive.
  private static let qualities: [Quality?] = [.a, .a, .a, .b, .b, .b, .c, .c, .d, .e, nil]
}

/// One made-up recording; its JSON is written when a page asks for it.
struct SampleRecording: Sendable {
  let number: Int
  let species: SampleSpecies
  let country: String
  let place: Int
  let latitude: Int
  let longitude: Int
  let type: String
  /// `nil` if nobody rated it.
  let quality: Quality?
  let seconds: Int
  let date: String
  let uploaded: String
  let background: String?

  /// Its place within its species: A to E, then what nobody rated.
  var rank: Int { quality.flatMap { Quality.allCases.firstIndex(of: $0) } ?? Quality.allCases.count }
  /// `1:05`.
  var length: String { "\(seconds / 60):\(seconds % 60 < 10 ? "0" : "")\(seconds % 60)" }
  var placeName: String { "Sample place \(place)" }
  static let recordist = "Sample recordist"
  static let remarks = "Made up by chirper; not a recording."
  static let licence = "sample"

  var recording: Recording {
    let id = "sample:\(number)"
    let fields: [(String, String)] = [
      ("id", id), ("gen", species.genus), ("sp", species.epithet), ("ssp", ""), ("grp", "birds"), ("en", species.englishName),
      ("rec", Self.recordist), ("cnt", country), ("loc", placeName), ("lat", degrees(latitude)), ("lon", degrees(longitude)),
      ("type", type), ("url", id), ("file", ""), ("lic", Self.licence), ("q", quality?.rawValue ?? "no score"),
      ("length", length), ("date", date),
      ("uploaded", uploaded),
    ]
    let members =
      fields.map { "\(JSONText.quoted($0)):\(JSONText.quoted($1))" } + [
        "\"also\":[\(background.map { JSONText.quoted($0) } ?? "")]", "\"rmk\":\(JSONText.quoted(Self.remarks))",
      ]
    return Recording(
      id: RecordingID(catalogue: .sample, value: id),
      fields: RecordingFields(canonical: "{\(members.joined(separator: ","))}"))
  }

  /// Whole degrees: a place nobody would take for a real one.
  private func degrees(_ value: Int) -> String { "\(value).0" }
}

/// SplitMix64: the same numbers from the same seed on every machine and in every version, unlike the system's.
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
