import ChirperModel

/// What xeno-canto adds to the shared fields: its numbers, and the reasons for which it withholds audio.
enum XenoCantoDetails {
  static let mapping = Catalogue.DetailsMapping(
    fields: TagFields.sources.merging([.catalogNumber: ["id"], .dataGeneralizations: ["_meta"]]) { shared, _ in shared },
    details: details)

  static func details(of recording: Recording) -> RecordingDetails {
    let id = recording.id.value
    let isNumber = !id.isEmpty && id.utf8.allSatisfy { (0x30...0x39).contains($0) }
    return TagFields.details(of: recording, catalogueNumber: isNumber ? "XC" + id : nil)
  }

  /// `_meta.redacted_fields` names what is withheld and why: `{"file": "restricted_species"}`.
  static func withheldAudio(of recording: Recording) -> Catalogue.WithheldAudio? {
    guard recording.text("file") == nil else { return nil }
    guard let meta = recording["_meta"], !meta.isNull else {
      return recording["file"] == nil ? nil : Catalogue.WithheldAudio(reason: nil)
    }
    var reason: String?
    var reader = JSONReader(Array(meta.json.utf8))
    // Safe to ignore: a shape that is not known gives no reason.
    try? reader.object { name, reader throws(JSONFault) in
      guard name == "redacted_fields", reader.kind == .object else { return try reader.skipValue() }
      try reader.object { name, reader throws(JSONFault) in
        if name == "file", reader.kind == .string { reason = try reader.string() } else { try reader.skipValue() }
      }
    }
    return Catalogue.WithheldAudio(reason: reason)
  }
}
