/// The frequencies of a selection in hertz. Raven refuses a table with one above half the sample
/// rate of its file.
struct SelectedFrequencies {
  let (low, high): (Double, Double)

  /// The frequencies as far as the file has them; `nil` if it has none of them. A selection without
  /// frequencies has all of the file, of which most catalogues' have 48 kHz.
  init?(low: Double?, high: Double?, _ sampleRate: Int?) {
    let highest = sampleRate.map { Double($0) / 2 } ?? max(24_000, low ?? 0, high ?? 0)
    guard low ?? 0 < highest || sampleRate == nil else { return nil }
    self.low = low ?? 0
    self.high = min(high ?? highest, highest)
  }
}
