import ChirperModel
import Testing

@testable import ChirperFormats

@Suite struct NameFileTests {
  private struct Read {
    var names: [String] = []
    var file: NameFile
  }

  private func read(
    _ bytes: [UInt8], piece size: Int = 7, name: String = "x.csv", language: String? = nil
  ) throws -> Read {
    func pieces() -> () -> [UInt8] {
      var rest = bytes[...]
      return {
        defer { rest = rest.dropFirst(size) }
        return Array(rest.prefix(size))
      }
    }
    var read = Read(file: try NameFile(name: name, language: language, pieces))
    try read.file.forEachName {
      read.names.append("\($0.scientific) \($0.language) \($0.text)")
    }
    return read
  }

  private func read(_ text: String, name: String = "x.csv", language: String? = nil) throws -> Read
  {
    try read(Array(text.utf8), name: name, language: language)
  }

  private static let names = [
    "sylvia communis de Dorngrasmücke", "sylvia communis fr Fauvette grisette",
    "turdus merula de Amsel", "turdus merula fr Merle noir",
  ]

  @Test(arguments: [",", ";", "\t"])
  func `cells are separated by what the first row has most of`(separator: String) throws {
    let text = """
      Seq,Order,IOC_15.1,German,French
      1,PASSERIFORMES,Sylvia communis,Dorngrasmücke,"Fauvette grisette"
      2,PASSERIFORMES,Turdus merula,Amsel,Merle noir

      """.replacing(",", with: separator)
    for end in ["\n", "\r\n", "\r"] {
      #expect(try read(text.replacing("\n", with: end)).names == Self.names)
    }
  }

  @Test func `every encoding that spreadsheets write is read`() throws {
    let text =
      "IOC,German,French\nSylvia communis,Dorngrasmücke,Fauvette grisette\n"
      + "Turdus merula,Amsel,Merle noir\n"
    let units = Array(("\u{FEFF}" + text).utf16)
    let encodings: [[UInt8]] = [
      Array(text.utf8), [0xEF, 0xBB, 0xBF] + text.utf8,
      units.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] },
      units.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] },
      text.unicodeScalars.map { UInt8($0.value) },
    ]
    for bytes in encodings {
      for size in 1...9 { #expect(try read(bytes, piece: size).names == Self.names) }
    }
    let quoted: [UInt8] = Array("IOC,French\nTurdus merula,l".utf8) + [0x92, 0x9C, 0x0A]
    #expect(try read(quoted).names == ["turdus merula fr l’œ"])
    let astral = Array("\u{FEFF}IOC,German\nTurdus merula,Amsel\u{1F426}\n".utf16)
    for size in 1...5 {
      let bytes = astral.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
      #expect(try read(bytes, piece: size).names == ["turdus merula de Amsel\u{1F426}"])
    }
  }

  @Test func `the column of scientific names is found by its names, else by its heading`() throws {
    #expect(try read("German,B\nAmsel,Turdus merula\n").names == ["turdus merula de Amsel"])
    #expect(
      try read("German,Scientific name\nErdkröte,Bufo bufo\n").names == ["bufo bufo de Erdkröte"])
    #expect(
      try read("Latin name,IOC,German\nSylvia communis,Curruca communis,Dorngrasmücke\n").names
        == ["curruca communis de Dorngrasmücke"])
  }

  @Test func `rows without a species are left out and counted`() throws {
    let read = try read(
      """
      Scientific name,German
      Turdus,Drosseln
      Turdus merula merula,Amsel (Europa)
      "Turdus merula Linnaeus, 1758",Amsel; Schwarzdrossel
      Turdus sp.,Drossel
      ,
      ,ohne Namen
      Turdus viscivorus,=1+1
      Turdus torquatus,Turdus torquatus
      Turdus pilaris,

      """)
    #expect(
      read.names == [
        "turdus merula de Amsel", "turdus merula de Schwarzdrossel", "turdus viscivorus de =1+1",
      ])
    #expect(read.file.leftOutRows == 4)
  }

  @Test func `names that are too long and unknown headings are said`() throws {
    let long = String(repeating: "x", count: NameFile.nameLimit + 1)
    let read = try read("IOC,German,Hessisch\nTurdus merula,,\(long)|Amschel\n")
    #expect(read.names == ["turdus merula hessisch Amschel"])
    #expect(read.file.leftOutNames == 1)
    #expect(read.file.unknown == ["hessisch": "Hessisch"])
  }

  @Test(arguments: [
    """
    scientific_name,locale,common_name
    Sylvia communis,de,Dorngrasmücke
    Turdus merula,pt_BR,melro-preto
    Turdus merula,gsw,Amsle
    Turdus merula,,Blackbird
    Turdus merula,of Hesse,Amschel
    """,
    """
    taxonID;scientificName;taxonRank;vernacularName;language
    1;Sylvia communis;species;Dorngrasmücke;German
    2;Turdus merula;species;melro-preto;PT-br
    2;Turdus merula;species;Amsle;gsw
    2;Turdus merula;species;Blackbird;
    2;Turdus merula;species;Amschel;of Hesse
    """,
    """
    Species,Name,ISO
    Sylvia communis,Dorngrasmücke,deu
    Turdus merula,melro-preto,por-BR

    Turdus,Drossel,de
    ,Vogel,de
    """,
  ])
  func `a row can be one name with its language`(text: String) throws {
    let read = try read(text)
    let names = [
      "sylvia communis de Dorngrasmücke", "turdus merula pt-BR melro-preto",
      "turdus merula gsw Amsle",
    ]
    #expect(read.names == Array(names.prefix(read.names.count)) && read.names.count > 1)
    #expect(read.file.leftOutRows == 2)
    #expect(read.file.unknown == (read.names.count == 3 ? ["gsw": "gsw"] : [:]))
  }

  @Test func `a column of one language alone is that of the names`() throws {
    let text = "scientificName,vernacularName,iso\nTurdus merula,Amsel,de\n"
    #expect(try read(text).names == ["turdus merula de Amsel"])
  }

  @Test(arguments: [
    ("labels_de.txt", nil, "de"), ("a/B_V2.4_Labels_pt_BR.txt", nil, "pt-BR"),
    ("Labels.txt", "de", "de"), ("labels_de.txt", "en", "en"),
  ])
  func `labels of BirdNET have the language of their file, or the typed one`(
    name: String, language: String?, code: String
  ) throws {
    let read = try read(
      "Sylvia communis_Dorngrasmücke\nEngine_Motor\n\nTurdus merula_Amsel\n", name: name,
      language: language)
    #expect(
      read.names == ["sylvia communis \(code) Dorngrasmücke", "turdus merula \(code) Amsel"])
    #expect(read.file.leftOutRows == 1)
  }

  @Test func `a typed language is that of the one column without a known one`() throws {
    let read = try read("IOC,Amsch\nTurdus merula,Amschel\n", language: "hessisch")
    #expect(read.names == ["turdus merula hessisch Amschel"] && read.file.unknown.isEmpty)
    let common = "Scientific name,Common name\nTurdus merula,Amsel\n"
    #expect(try self.read(common).names == ["turdus merula en Amsel"])
    #expect(try self.read(common, language: "de").names == ["turdus merula de Amsel"])
    #expect(throws: UserFacingError.self) {
      try self.read("IOC,German\nTurdus merula,Amsel\n", language: "fr")
    }
  }

  @Test(arguments: [
    ("", "it is empty"), ("\n\n", "it is empty"),
    ("German,French\nAmsel,Merle noir\n", "it has no column of scientific names"),
    ("Scientific name,German\n,\n", "it has only headings"),
    ("Turdus merula,Amsel\nTurdus pilaris,Wacholderdrossel\n", "its first row has no headings"),
    ("IOC,Order\nTurdus merula,x\n", "it has no column of names besides the scientific ones"),
    ("IOC,Hessisch\nTurdus merula,Amschel\n", "no heading is a language"),
    ("IOC,A,B\nTurdus merula,Amschel,Merle\n", "no heading is a language"),
    ("IOC,lang,A,B\nTurdus merula,de,Amsel,x\n", "it is not clear which column has the names"),
    ("Turdus merula_Amsel\n", "does not say their language"),
    ("IOC\nTurdus merula\n", "it has no column of names besides the scientific ones"),
    ("IOC,German\nTurdus merula,\"Amsel\n", "line 2: a quote in it is not closed"),
    ("PK\u{3}\u{4}\u{0}\n", "it is a spreadsheet's own file"),
  ])
  func `a file without names says why`(text: String, reason: String) throws {
    let error = #expect(throws: UserFacingError.self) { _ = try read(text) }
    #expect(error?.problem.contains(reason) == true, "\(String(describing: error))")
    #expect(error?.hint != nil)
  }
}
