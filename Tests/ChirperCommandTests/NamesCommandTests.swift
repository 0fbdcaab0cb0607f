import ChirperTestSupport
import Foundation
import Testing

@testable import ChirperModel

struct NamesCommandTests {
  private func write(_ text: String, _ name: String, _ program: BuiltProgram) throws {
    try Data(text.utf8).write(to: URL(filePath: program.path(name)))
  }

  /// A file of every bird of the list, in 22 columns as a spreadsheet of IOC's has them.
  private static func everyBird() -> String {
    let languages = [
      "Afrikaans", "Arabic", "Catalan", "Chinese", "Chinese (Traditional)", "Croatian", "Czech",
      "Danish", "Dutch", "Estonian", "Finnish", "French", "German", "Greek", "Hebrew", "Hungarian",
      "Icelandic", "Italian", "Japanese", "Klingon",
    ]
    var lines = ["Seq.;Order;IOC_15.1;English;" + languages.joined(separator: ";")]
    for number in 0..<NameTable.count {
      let species = BirdSpecies(number: number)
      let cells = languages.map { $0 == "Greek" ? "" : "\($0) Ñame \(number)" }
      lines.append(
        "\(number);\(species.order);\(species.scientificName);\(species.englishName);"
          + cells.joined(separator: ";"))
    }
    return lines.joined(separator: "\r\n")
  }

  @Test func `a list of every bird in twenty languages is added, used and removed`() throws {
    try withProgram { program in
      try program.run("fetch", "parrot", "--source", "sample")
      try write(Self.everyBird(), "ioc.csv", program)
      let added = try program.run("names", "add", "ioc.csv")
      #expect(added.status == 0, "\(added)")
      #expect(added.error.contains("\"Klingon\" is not a known language; its code is klingon"))
      #expect(
        added.error.contains("added \(20 * NameTable.count) names of \(NameTable.count) species"))
      let list = try program.run("names", "list")
      #expect(list.output.hasPrefix("ioc: \(20 * NameTable.count) names"), "\(list)")
      #expect(list.output.contains("zh, zh-Hant"))
      let json = try program.run("names", "list", "--json").output
      let again = try program.run("names", "add", "ioc.csv")
      #expect(again.status == 64 && again.error.contains("--as"), "\(again)")
      #expect(try program.run("doctor").output.contains("in 1 list"))
      // A copy has them, and they can be read where nothing can be written.
      try FileManager.default.createDirectory(
        atPath: program.path("copy"), withIntermediateDirectories: true)
      try program.run("backup", program.path("copy/chirper.sqlite"))
      let copy = program.set("CHIRPER_DATA_DIR", program.path("copy"))
      #expect(try copy.run("names", "list", "--json").output == json)
      let removed = try program.run("names", "remove", "ioc")
      #expect(removed.status == 0 && removed.output.isEmpty, "\(removed)")
      #expect(try program.run("names", "list").output.isEmpty)
      #expect(try program.run("names", "remove", "ioc").status == 64)
      #expect(try copy.run("names", "list", "--json").output == json)
    }
  }

  @Test func `a search by a name of a list finds the bird, and says which`() throws {
    try withProgram { program in
      try program.run("fetch", "robin", "--source", "sample")
      let first = try program.run(
        "search", "source:sample", "--limit", "1", "--format", "jsonl", "--columns",
        "scientificName")
      let name = try #require(
        try JSONDecoder().decode([String: String].self, from: Data(first.output.utf8))[
          "scientificName"])
      let count = try program.run("search", "sp:\"\(name)\"", "--count").output
      try write("IOC,German\n\(name),Wundervogel\n", "a.csv", program)
      try program.run("names", "add", "a.csv", "--as", "wunder")
      let found = try program.run("search", "wundervogel", "--count")
      #expect(found.output == count)
      #expect(found.error.contains("also as \(name)"), "\(found)")
      #expect(
        try program.run("export", "robin", "--where", "en:Wundervogel", "--format", "csv").status
          == 0)
    }
  }

  @Test func `names are shown in the language of the option, the environment or the settings`()
    throws
  {
    try withProgram { program in
      try program.run("fetch", "robin", "--source", "sample")
      let none = try program.run("search", "source:sample", "--names", "de")
      #expect(none.status == 64 && none.error.contains("names add"), "\(none)")
      // English needs no list.
      let english = try program.run("stats", "robin", "--names", "en")
      #expect(english.output.contains("European Robin"), "\(english)")
      try write("IOC,German,French\nErithacus rubecula,Rotkehlchen,Rougegorge\n", "a.csv", program)
      try program.run("names", "add", "a.csv")
      let words = ["--format", "csv", "--columns", "acceptedVernacularName", "--limit", "1"]
      func shown(_ program: BuiltProgram, _ more: [String] = []) throws -> String {
        try program.run(
          BuiltProgram.path, ["search", "erithacus source:sample"] + words + more, input: ""
        ).output
      }
      #expect(try shown(program).contains("European Robin"))
      #expect(try shown(program, ["--names", "German"]).contains("Rotkehlchen"))
      let inFrench = program.set("CHIRPER_NAMES", "fr")
      #expect(try shown(inFrench).contains("Rougegorge"))
      #expect(try shown(inFrench, ["--names", "de"]).contains("Rotkehlchen"))
      let folder = program.path("settings")
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
      try write("player = x\nnames = de # mine\n", "settings/config", program)
      let settings = program.set("CHIRPER_CONFIG_DIR", folder)
      #expect(try shown(settings).contains("Rotkehlchen"))
      #expect(
        try settings.run("export", "robin", "--tidy").output.contains("Rotkehlchen"))
      #expect(try settings.run("stats", "--by", "species").output.contains("Rotkehlchen"))
      let unknown = try program.set("CHIRPER_NAMES", "it").run("list", "robin")
      #expect(unknown.status == 78, "\(unknown)")
      #expect(unknown.error.contains("There are: de, en, fr."), "\(unknown)")
      // What was sent stays as it is.
      #expect(try settings.run("export", "robin").output == program.run("export", "robin").output)
    }
  }

  @Test func `of several names in a cell the first is shown`() throws {
    try withProgram { program in
      try program.run("fetch", "robin", "--source", "sample")
      let names = "Rotkehlchen | Waldrötele | Kehlrötchen"
      try write("IOC,German\nErithacus rubecula,\(names)\n", "a.csv", program)
      try program.run("names", "add", "a.csv")
      let counts = try program.run("stats", "robin", "--names", "de").output
      #expect(counts.contains("\tRotkehlchen\n"), "\(counts)")
    }
  }

  @Test func `what has no names says what to do, and adds nothing`() throws {
    try withProgram { program in
      try write("German\nAmsel\n", "a.csv", program)
      try write("", "empty.csv", program)
      try write("IOC,German\nTurdus merula,\n", "none.csv", program)
      try write("IOC,German\nTurdus merula,\"Amsel\nTurdus pilaris,x\n", "quote.csv", program)
      for (file, status, words) in [
        ("a.csv", 64, "column of scientific names"), ("empty.csv", 64, "empty"),
        ("none.csv", 64, "it has none"), ("quote.csv", 64, "quote"), (".", 74, "regular file"),
        ("absent.csv", 74, "cannot be read"),
      ] {
        let result = try program.run("names", "add", file)
        #expect(result.status == status && result.error.contains(words), "\(file): \(result)")
      }
      #expect(try program.run("names", "add", "a.csv", "--as", " ").status == 64)
      #expect(try program.run("names", "list").output.isEmpty)
      try write("IOC,German\nTurdus merula,Amsel\n", "good.csv", program)
      try program.run("names", "add", "good.csv")
      let near = try program.run("names", "remove", "goo")
      #expect(near.status == 64 && near.error.contains("names remove good"), "\(near)")
    }
  }
}
