import Testing

@testable import ChirperModel

@Suite struct ScientificNameTests {
  @Test(
    arguments: [
      ("Turdus", "Turdus", nil, nil), ("Turdus Linnaeus, 1758", "Turdus", nil, nil),
      ("Turdus merula", "Turdus", "merula", nil),
      ("Turdus merula Linnaeus, 1758", "Turdus", "merula", nil),
      ("Turdus  merula (L., 1758)", "Turdus", "merula", nil),
      ("Turdus (Merula) merula", "Turdus", "merula", nil),
      ("Buteo buteo vulpinus (Gloger, 1833)", "Buteo", "buteo", "vulpinus"),
      ("Rana temporaria subsp. honnorati Héron-Royer, 1881", "Rana", "temporaria", "honnorati"),
      ("Aratinga solstitialis de Geer, 1766", "Aratinga", "solstitialis", nil),
      ("Pica pica Smith and Jones in Müller & al., 1900", "Pica", "pica", nil),
      ("Sylvia novae-zelandiae", "Sylvia", "novae-zelandiae", nil),
    ] as [(String, String, String?, String?)])
  func `the parts of a name are those before its author`(
    _ text: String, _ genus: String, _ species: String?, _ subspecies: String?
  ) throws {
    let name = try #require(ScientificName(text))
    #expect(name.genus == genus && name.specificEpithet == species)
    #expect(name.infraspecificEpithet == subspecies)
  }

  @Test(arguments: [
    "Anas platyrhynchos × Anas acuta", "Anas platyrhynchos x acuta", "×Festulolium",
    "Anas ×hybrida",
    "Larus argentatus/fuscus", "Turdus merula / Turdus pilaris", "Turdus cf. merula", "Turdus sp.",
    "Turdus aff merula", "Turdus merula agg.", "Turdus merula sensu lato", "Turdus merula s.l.",
    "Turdus merula?", "Turdus merula or pilaris", "Empidonax alnorum complex", "Parus nr. major",
  ])
  func `a hybrid, a group and a name with a qualifier are the name of no taxon`(_ text: String) {
    #expect(ScientificName.isOfNoTaxon(text) && ScientificName(text) == nil)
  }

  @Test(arguments: [
    "", "turdus merula", "BOLD:AAA1234", "Turdus merula, Turdus pilaris", "common blackbird",
    "Turdus merula Turdus pilaris", "Turdus merula [merula Group]", "T. merula",
    "Turdus merula merula aterrimus",
  ])
  func `what is not spelled as one name has no parts`(_ text: String) {
    #expect(ScientificName(text) == nil)
  }
}

@Suite struct MediaKindTests {
  @Test(
    arguments: [
      ("audio/mpeg", "StillImage", nil), ("audio/x-wav", nil, nil), ("MP3", nil, nil),
      (nil, "Sound Recording", nil), (nil, "audio", nil), ("Sound", "audio/mpeg", nil),
      (nil, "http://purl.org/dc/dcmitype/Sound", nil), ("application/octet-stream", "Sound", nil),
      (nil, nil, "https://m.example/1.MP3"), (nil, nil, "https://m.example/1.wav?x=1#t"),
      ("", "", "1.flac"), ("text/html", "PhysicalObject", "https://m.example/1.ogg"),
      (".wav", "StillImage", nil),
    ] as [(String?, String?, String?)])
  func `a sound is known by its format, else its type, else its ending`(
    _ format: String?, _ type: String?, _ address: String?
  ) {
    #expect(MediaKind.isSound(format: format, type: type, address: address))
  }

  @Test(
    arguments: [
      ("image/jpeg", "Sound", "https://m.example/1.mp3"),
      (nil, "StillImage", "https://m.example/1.mp3"),
      ("video/mp4", nil, nil), (nil, "MovingImage", nil), (nil, nil, "https://m.example/1.jpg"),
      (nil, nil, "https://m.example/mp3"), (nil, nil, nil), (nil, nil, "https://wav.example/"),
    ] as [(String?, String?, String?)])
  func `what its format, else its type, else its ending does not say to be a sound is none`(
    _ format: String?, _ type: String?, _ address: String?
  ) {
    #expect(!MediaKind.isSound(format: format, type: type, address: address))
  }

  @Test(
    arguments: [
      ("Turdus merula_Common Blackbird", "Turdus merula"), ("Strix aluco_Waldkauz", "Strix aluco"),
      ("Turdus_Thrushes", nil), ("Turdus merula", nil),
      ("turdus merula_x", nil), ("q:A_x", nil), ("Wren ann_sp:merula", nil), ("_", nil), ("", nil),
    ] as [(String, String?)])
  func `a label of BirdNET has the scientific name before the other`(text: String, name: String?) {
    #expect(ScientificName.ofLabel(text) == name)
  }
}
