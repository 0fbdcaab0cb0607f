import ChirperModel

/// The order of xeno-canto's lists: by species in taxonomic order, within a species by quality A to E and unrated last,
/// then by number, the latest first. It held without exception in 2,620 recorded rows of 2020 and 2025.
enum XenoCantoOrder {
  static let incrementalSync = IncrementalSync(
    // `since:` is the upload date. A query that has one already would be narrowed twice.
    narrowed: { sent, day in
      sent.lowercased().split(separator: " ").contains { $0.hasPrefix("since:") } ? nil : "\(sent) since:\(day)"
    },
    place: { recording in
      guard let genus = recording.text("gen"), let species = recording.text("sp"), let number = Int(recording.id.value),
        let quality = recording.text("q")
      else { return nil }
      let rank = qualities.firstIndex(of: quality) ?? qualities.count
      return ListPlace(group: "\(genus) \(species)", rank: [rank, -number])
    })

  private static let qualities = ["A", "B", "C", "D", "E"]
}
