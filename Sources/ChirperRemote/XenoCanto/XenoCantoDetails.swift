import ChirperModel

/// What xeno-canto adds to the shared fields: its numbers, and the reasons for which it withholds audio.
enum XenoCantoDetails {
  static let mapping = Catalogue.DetailsMapping(
    fields: TagFields.sources,
    details: { TagFields.details(of: $0, catalogueNumber: $0.id.value.isDigits ? "XC\($0.id.value)" : nil) })

  static func withheldAudio(of recording: Recording) -> Catalogue.WithheldAudio? {
    guard recording.text("file") == nil else { return nil }
    guard let meta = recording["_meta"], !meta.isNull else {
      return recording["file"] == nil ? nil : Catalogue.WithheldAudio(reason: nil)
    }
    return Catalogue.WithheldAudio(reason: meta.withRaw { TagFields.reason(forWithholding: ["file"], $0) })
  }
}
