/// The made-up recordings, the same on every machine: by species, then quality A to E, then number descending, which is
/// xeno-canto's order.
enum SampleWorld {
  /// Made at the first use, in a few milliseconds.
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
  // Good ones are commoner, as in the archive; "no score" comes last.
  private static let qualities = ["A", "A", "A", "B", "B", "B", "C", "C", "D", "E", "no score"]
}

extension SampleRecording {
  var rank: Int { ["A", "B", "C", "D", "E"].firstIndex(of: quality) ?? 5 }
}
