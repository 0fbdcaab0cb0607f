import ChirperModel
import ChirperTestSupport
import Foundation
import Testing

/// What people type: names in any form, numbers, places, slips. Each row has what is typed, in
/// which catalogue and with what in the store, and then what is shown, what was requested and what
/// is stored.
struct TypedTextTests {
  struct Slip: Sendable, CustomTestStringConvertible {
    /// As in a shell, with `|` between the words.
    let typed: String
    /// What was fetched before, each with the words of a shell.
    var given: [String] = []
    /// Standard output and standard error have all of these.
    let shown: [String]
    var hidden: [String] = []
    /// What was asked, after what was given; `nil`: anything.
    var asked: [String]?
    /// The lists that are stored then, with their rows.
    var stored: [String]?
    var misses: [String]?
    var status: Int32 = 0
    var variables: [String: String] = [:]
    var testDescription: String { "\(typed) after \(given)" }
  }

  private static let everySpecies = ["gen:l", "gen:t", "gen:h", "gen:a"]

  static let names: [Slip] = [
    Slip(
      typed: "fetch|great tit", shown: ["great tit: 2 of 2 rows"], asked: [#"xc en:"great tit""#],
      stored: ["great tit 2"]),
    Slip(
      typed: "fetch|turdus",
      shown: ["no English name has this; tried as the genus Turdus\n", "turdus: 2 of 2 rows"],
      asked: [#"xc en:"turdus""#, "xc gen:turdus"], stored: ["turdus 2"], misses: []),
    Slip(
      typed: "fetch|Luscinia", shown: ["no English name has this; tried as the genus Luscinia\n"],
      asked: [#"xc en:"Luscinia""#, "xc gen:Luscinia"], stored: ["Luscinia 4"]),
    Slip(
      typed: "fetch|TURDUS MERULA", shown: ["asked as the species Turdus merula\n"],
      asked: [#"xc sp:"TURDUS MERULA""#], stored: ["TURDUS MERULA 2"]),
    Slip(
      typed: "fetch|turdus", given: ["fetch|turdus"], shown: ["xeno-canto: gen:turdus\n"],
      asked: ["xc gen:turdus"],
      stored: ["turdus 2"]),
    Slip(
      typed: "list|turdus", given: ["fetch|turdus"],
      shown: ["Common Blackbird", "2 recordings from xeno-canto"], asked: []),
    Slip(
      typed: "search|TURDUS", given: ["fetch|turdus"], shown: ["2 of 2 recordings found"], asked: []
    ),
    Slip(typed: "sync|turdus", given: ["fetch|turdus|--all"], shown: ["xeno-canto: gen:turdus\n"]),
    Slip(
      typed: "fetch|turdus|--scientific", shown: ["turdus: 2 of 2 rows"], asked: ["xc gen:turdus"],
      stored: ["turdus 2"]),
    Slip(
      typed: "fetch|great tit|--scientific", shown: ["nothing found"],
      asked: [#"xc sp:"great tit""#],
      stored: [],
      misses: ["great tit"]),
    Slip(
      typed: "fetch|turdus|--source|gbif",
      shown: ["Asked GBIF for taxonKey D20 (Turdus merula, genus)"],
      asked: ["gbif match turdus", "gbif taxonKey=D20"], stored: ["turdus 2"]),
    Slip(
      typed: "fetch|Great Tit|--source|gbif",
      shown: ["Asked GBIF for taxonKey C6 (Parus major, species)"],
      asked: [
        "gbif match Great Tit", "gbif names Great Tit", "gbif match gbif:6", "gbif taxonKey=C6",
      ], stored: ["Great Tit 2"]),
    Slip(
      typed: "fetch|great tit|--source|gbif|--scientific",
      shown: ["GBIF has no taxon named \"great tit\""],
      asked: ["gbif match great tit", "gbif backbone great tit"], stored: []),
    Slip(
      typed: "fetch|turdus merula|--source|inaturalist",
      shown: ["taxon_id 3 (Turdus merula, species)"],
      asked: ["inat names turdus merula", "inat taxon_id=3"], stored: ["turdus merula 2"]),
    Slip(
      typed: "fetch|common blackbird|--source|inaturalist|--scientific",
      shown: ["iNaturalist has no taxon named"],
      asked: ["inat names common blackbird"], stored: []),
    Slip(typed: "fetch|turdus|--source|sample", shown: ["turdus: "], asked: []),
    Slip(
      typed: "fetch|jack johnson|--source|itunes", shown: ["jack johnson: 1 row"],
      asked: ["itunes jack johnson"],
      stored: ["jack johnson 1"]),
    Slip(
      typed: "fetch|XC123456", shown: ["xeno-canto: nr:123456"], asked: ["xc nr:123456"],
      stored: ["XC123456 1"]),
    Slip(
      typed: "fetch|xc 123456", shown: ["xeno-canto: nr:123456"], asked: ["xc nr:123456"],
      stored: ["xc 123456 1"]),
    Slip(typed: "fetch|123456", shown: ["xeno-canto: nr:123456"], asked: ["xc nr:123456"]),
    Slip(
      typed: "fetch|https://xeno-canto.org/123456", shown: ["xeno-canto: nr:123456"],
      asked: ["xc nr:123456"]),
    Slip(
      typed: "fetch|https://xeno-canto.org/123456|--source|gbif", shown: [],
      asked: ["gbif catalogNumber=XC123456"]),
    Slip(
      typed: "fetch|https://www.inaturalist.org/observations/31", shown: ["iNaturalist: id=31"],
      asked: ["inat id=31"]),
    Slip(
      typed: "fetch|https://www.inaturalist.org/taxa/3-Turdus-merula",
      shown: ["iNaturalist: taxon_id=3", "2 of 2 rows"], asked: ["inat taxon_id=3"],
      stored: ["https://www.inaturalist.org/taxa/3-Turdus-merula 2"]),
    Slip(
      typed: "fetch|https://www.gbif.org/species/3", shown: ["GBIF: taxonKey=3&", "2 of 2 rows"],
      asked: ["gbif taxonKey=3"], stored: ["https://www.gbif.org/species/3 2"]),
    Slip(
      typed: "fetch|https://www.gbif.org/occurrence/search?taxonKey=C3",
      shown: ["GBIF: taxonKey=C3&", "2 of 2 rows"], asked: ["gbif taxonKey=C3"]),
    Slip(
      typed: "fetch|https://www.gbif.org/occurrence/31", shown: ["GBIF: gbifId=31"],
      asked: ["gbif gbifId=31"]),
    Slip(
      typed: "list|xc 123456", given: ["fetch|XC123456"], shown: ["1 recording from xeno-canto"],
      asked: []),
    Slip(
      typed: "search|xc 123456", given: ["fetch|luscinia"], shown: ["1 of 4 recordings found"],
      asked: []),
    Slip(
      typed: "search|https://xeno-canto.org/123456", given: ["fetch|luscinia"],
      shown: ["1 of 4 recordings found"], asked: []),
    Slip(
      typed: "play|https://xeno-canto.org/999",
      shown: ["No recording \"https://xeno-canto.org/999\" is stored", "chirper fetch nr:999"],
      asked: [], status: 66),
  ]

  static let misses: [Slip] = [
    Slip(
      typed: "fetch|nightngale", given: everySpecies.map { "fetch|\($0)" },
      shown: [
        "Did you mean Common Nightingale or Thrush Nightingale? Type: chirper fetch 'Common Nightingale'\n"
      ],
      hidden: ["chirper fetch nightngale"], asked: [#"xc en:"nightngale""#, "xc gen:nightngale"],
      stored: ["gen:a 2", "gen:h 2", "gen:l 4", "gen:t 2"], misses: ["nightngale"],
      variables: ["CHIRPER_NAME_SERVICE": "on"]),
    Slip(
      typed: "fetch|Common Nightingal|--source|inaturalist", given: ["fetch|gen:l"],
      shown: [
        "Did you mean Common Nightingale? Type: chirper fetch 'Common Nightingale' --source inaturalist\n"
      ]),
    Slip(
      typed: "fetch|Blyths red warbler", given: ["fetch|gen:a"],
      shown: [
        #"Did you mean Blyth's Reed Warbler? Type: chirper fetch 'Blyth'\''s Reed Warbler'"#
      ]),
    Slip(
      typed: "fetch|black bird", given: ["fetch|gen:t"],
      shown: ["Did you mean Common Blackbird? Type: chirper fetch 'Common Blackbird'\n"]),
    Slip(
      typed: "search|cnt:polnd", given: ["fetch|gen:t"],
      shown: ["Did you mean cnt:Poland? Type: chirper search cnt:Poland\n"], asked: []),
    Slip(
      typed: "search|cnt:polnd|--sort|-date", given: ["fetch|gen:t"],
      shown: ["Did you mean cnt:Poland?\n"], asked: []),
    Slip(
      typed: "search|cnt:polnd|--count", given: ["fetch|gen:t"],
      shown: ["0\n", "Did you mean cnt:Poland?"], asked: []),
    Slip(
      typed: "search|cnt:polnd|--json", given: ["fetch|gen:t"], shown: ["\"matched\":0"],
      hidden: ["Did you mean"], asked: []),
    Slip(
      typed: "export|--where|q:A cnt:polnd", given: ["fetch|gen:t"],
      shown: ["Did you mean cnt:Poland?\n"], asked: []),
    Slip(
      typed: "list|gen:t|--where|cnt:polnd", given: ["fetch|gen:t"],
      shown: ["0 of 2 rows", "Did you mean cnt:Poland?\n"], asked: []),
    Slip(
      typed: "list|gen:t|--where|cnt:poland", given: ["fetch|gen:t"], shown: ["1 of 2 rows"],
      hidden: ["Did you mean"], asked: []),
    Slip(
      typed: "stats|--by|species|--where|cnt:polnd", given: ["fetch|gen:t"],
      shown: ["0 recordings", "Did you mean cnt:Poland?\n"], asked: []),
    Slip(
      typed: "stats|gen:t|--by|species|--where|cnt:polnd", given: ["fetch|gen:t"],
      shown: ["Did you mean cnt:Poland?\n"], asked: []),
    Slip(
      typed: "news|--details|--where|cnt:polnd", given: ["fetch|gen:t"],
      shown: ["Did you mean cnt:Poland?\n"], asked: []),
    Slip(
      typed: "play|gen:t|--where|cnt:polnd|--save", given: ["fetch|gen:t"],
      shown: ["No such recording is stored", "Did you mean cnt:Poland?\n"], asked: [], status: 66),
    Slip(
      typed: "export|gen:t|--audio|folder|--where|cnt:polnd", given: ["fetch|gen:t"],
      shown: ["wrote 0 audio files", "Did you mean cnt:Poland?\n"], asked: []),
    Slip(
      typed: "search|turdus|--sort|rnak", given: ["fetch|gen:t"],
      shown: ["Unknown column \"rnak\"", "Did you mean rank"], asked: [], status: 64),
    Slip(
      typed: "list|gen:t|--sort|storde", given: ["fetch|gen:t"], shown: ["Did you mean stored?"],
      asked: [], status: 64),
    Slip(
      typed: "fetch|cnt:polnd|--source|gbif", shown: ["as in cnt:Poland or cnt:pl"], asked: [],
      status: 64),
    Slip(
      typed: "search|blackbirds, nightingale", given: ["fetch|gen:l"],
      shown: ["4 of 4 recordings found"], asked: []),
    Slip(
      typed: "search|commonnightin", given: ["fetch|gen:l"], shown: ["0 of 4 recordings found"],
      asked: []),
    Slip(
      typed: "search|blyths reed", given: ["fetch|gen:a"], shown: ["2 of 2 recordings found"],
      asked: []),
    Slip(
      typed: "search|123456", given: ["fetch|luscinia"], shown: ["1 of 4 recordings found"],
      asked: []),
    Slip(
      typed: "search|123456|--source|xeno-canto", given: ["fetch|luscinia"],
      shown: ["1 of 4 recordings found"], asked: []),
    Slip(
      typed: "search|nightngale", given: ["fetch|gen:l"],
      shown: ["Type: chirper search 'Common Nightingale'"], asked: []),
    Slip(
      typed: "list|turds", given: ["fetch|turdus"], shown: ["Did you mean \"turdus\"?"], asked: [],
      status: 66),
    Slip(
      typed: "fetch|Nachtigall",
      shown: [
        "Nachtigall is Luscinia megarhynchos, Common Nightingale, by GBIF's name service\n",
        "2 of 2 rows", "next: chirper list Nachtigall\n",
      ],
      hidden: ["Type:"],
      asked: [
        #"xc en:"Nachtigall""#, "xc gen:Nachtigall", "gbif names Nachtigall", "gbif match gbif:1",
        #"xc sp:"Luscinia megarhynchos""#,
      ], stored: ["Nachtigall 2"], misses: [],
      variables: ["CHIRPER_NAME_SERVICE": "on"]),
    Slip(
      typed: "fetch|Nachtigall", given: ["fetch|gen:l", #"fetch|sp:"luscinia megarhynchos""#],
      shown: [#"next: chirper list 'sp:"luscinia megarhynchos"'"#],
      stored: ["gen:l 4", #"sp:"luscinia megarhynchos" 2"#], misses: ["Nachtigall"],
      variables: ["CHIRPER_NAME_SERVICE": "on"]),
    Slip(
      typed: "list|rossignol philomèle", given: ["fetch|Rossignol philomèle"],
      shown: ["2 recordings from xeno-canto"], asked: [], variables: ["CHIRPER_NAME_SERVICE": "on"]),
    Slip(
      typed: "fetch|słowik|--source|inaturalist",
      shown: ["słowik is Luscinia megarhynchos"],
      asked: [
        "inat names słowik", "gbif names słowik", "gbif match gbif:1",
        "inat names Luscinia megarhynchos", "inat taxon_id=1",
      ],
      variables: ["CHIRPER_NAME_SERVICE": "on"]),
    Slip(
      typed: "fetch|Nachtigall|--no-name-service", shown: ["Nachtigall: nothing found"],
      hidden: ["Luscinia"],
      asked: [#"xc en:"Nachtigall""#, "xc gen:Nachtigall"],
      variables: ["CHIRPER_NAME_SERVICE": "on"]),
    Slip(
      typed: "fetch|Nachtigall", shown: ["Nachtigall: nothing found"], hidden: ["Luscinia"],
      asked: [#"xc en:"Nachtigall""#, "xc gen:Nachtigall"]),
    Slip(
      typed: "fetch|Nachtigall|--json", shown: [#""rows":2"#],
      variables: ["CHIRPER_NAME_SERVICE": "on"]),
    Slip(
      typed: "list|great tit", given: ["fetch|gen:p"],
      shown: [
        "2 stored recordings match. Type: chirper search 'great tit'\nTo fetch it: chirper fetch 'great tit'\n"
      ], asked: [],
      status: 66),
    Slip(
      typed: "list|grey", given: ["fetch|parrot|--source|sample|--all"],
      shown: ["stored recordings match. Type: chirper search grey"], asked: [], status: 66),
    // Made-up rows are not found by a search where real ones are stored.
    Slip(
      typed: "list|grey", given: ["fetch|parrot|--source|sample|--all", "fetch|gen:p"],
      shown: ["\"grey\" was never fetched"], hidden: ["Type: chirper search grey"], asked: [],
      status: 66),
    Slip(
      typed: "play|great tit", given: ["fetch|gen:p"], shown: ["2 stored recordings match"],
      asked: [], status: 66),
    Slip(
      typed: "list|nope", given: ["fetch|nope"],
      shown: ["0 recordings from xeno-canto, fetched "], asked: []),
    Slip(
      typed: "list|--empty", given: ["fetch|nope"], shown: ["nope\txeno-canto\t0 of 0"], asked: []),
    Slip(
      typed: "forget|--empty|--yes", given: ["fetch|nope", "fetch|turdus"],
      shown: ["removed: 1 query"], stored: ["turdus 2"],
      misses: []),
    Slip(
      typed: "sync", given: ["fetch|nope", "fetch|turdus"], shown: ["gen:turdus"], hidden: ["nope"]),
    Slip(
      typed: "---completion|list|--|positional@0|2|2|chirper|list|",
      given: ["fetch|nope", "fetch|turdus"], shown: ["turdus"],
      hidden: ["nope"]),
  ]

  /// Birds that are called something else in the store, or by the catalogue.
  static let birds: [Slip] = [
    Slip(
      typed: "fetch|curruca communis",
      shown: [
        "curruca communis is asked as Common Whitethroat, a name of the same species\n",
        "curruca communis: 2 of 2 rows",
      ],
      asked: [
        #"xc sp:"curruca communis""#, #"xc en:"curruca communis""#, #"xc en:"Common Whitethroat""#,
      ], stored: ["curruca communis 2"], misses: []),
    Slip(
      typed: "fetch|Curruca communis", given: ["fetch|curruca communis"],
      shown: [#"xeno-canto: en:"Common Whitethroat""#], hidden: ["is asked as"],
      asked: [#"xc en:"Common Whitethroat""#], stored: ["curruca communis 2"], misses: []),
    Slip(
      typed: "sync|curruca communis", given: ["fetch|curruca communis|--all"],
      shown: [#"xeno-canto: en:"Common Whitethroat""#], stored: ["curruca communis 2"]),
    Slip(
      typed: "forget|curruca communis|--yes", given: ["fetch|curruca communis"],
      shown: ["removed: 2 rows"], asked: [], stored: []),
    Slip(
      typed: "fetch|curruca communis|--source|inaturalist",
      shown: ["Asked iNaturalist for taxon_id 7 (Sylvia communis, species)"],
      asked: [
        "inat names curruca communis", "inat names Common Whitethroat", "inat taxon_id=7",
      ], stored: ["curruca communis 2"], misses: []),
    Slip(
      typed: "fetch|curruca communis|--source|gbif",
      shown: ["Asked GBIF for taxonKey C7 (Sylvia communis, species)"],
      stored: ["curruca communis 2"], misses: []),
    Slip(
      typed: "fetch|curruca communis|--json",
      shown: [#""asked":"curruca communis is asked as Common Whitethroat, a name of the same"#]),
    Slip(
      typed: "fetch|curruca communis|--scientific", shown: ["curruca communis: nothing found"],
      asked: [#"xc sp:"curruca communis""#], misses: ["curruca communis"]),
    Slip(
      typed: "fetch|coloeus monedula|--source|itunes", shown: ["1 row"],
      asked: ["itunes coloeus monedula"]),
    Slip(
      typed: "fetch|barn-swallow",
      shown: ["asked as Barn Swallow, a name", "barn-swallow: 2 of 2"],
      asked: [#"xc en:"barn-swallow""#, #"xc en:"Barn Swallow""#], stored: ["barn-swallow 2"]),
    Slip(
      typed: "fetch|Blyths reed warbler", shown: ["Blyths reed warbler: 2 of 2"],
      asked: [
        #"xc en:"Blyths reed warbler""#, #"xc sp:"Blyths reed" ssp:warbler"#,
        #"xc en:"Blyth's Reed Warbler""#,
      ]),
    Slip(
      typed: "list|Common White-throat", given: [#"fetch|sylvia communis"#],
      shown: [
        "Common White-throat: the list \"sylvia communis\" of xeno-canto\n", "Sylvia\tcommunis",
        "2 recordings from xeno-canto",
      ], asked: []),
    Slip(
      typed: "export|curruca communis",
      given: ["fetch|common whitethroat", "fetch|Sylvia communis|--source|inaturalist"],
      shown: [
        "the lists \"Sylvia communis\" of inaturalist and \"common whitethroat\" of xeno-canto\n",
        "Sylvia communis",
      ], asked: []),
    Slip(
      typed: "export|xeno-canto:curruca communis|--format|json",
      given: ["fetch|common whitethroat", "fetch|Sylvia communis|--source|inaturalist"],
      shown: ["\"query\":\"common whitethroat\""], hidden: ["the list", "inaturalist"], asked: []),
    Slip(
      typed: "stats|curruca communis|--by|species",
      given: ["fetch|common whitethroat", "fetch|gen:t"],
      shown: ["the list \"common whitethroat\" of xeno-canto\n", "Curruca communis\t2"], asked: []),
    Slip(
      typed: "sync|curruca communis", given: ["fetch|common whitethroat|--all", "fetch|gen:t"],
      shown: ["the list \"common whitethroat\" of xeno-canto\n", #"xeno-canto: en:"common whi"#],
      hidden: ["gen:t"]),
    Slip(
      typed: "play|curruca communis|--where|q:E|--save", given: ["fetch|common whitethroat"],
      shown: ["No such recording is stored"], hidden: ["was never fetched"], asked: [], status: 66),
    // A list of a part of the recordings is a different list.
    Slip(
      typed: "list|curruca communis", given: ["fetch|common whitethroat cnt:poland"],
      shown: ["\"curruca communis\" was never fetched"], asked: [], status: 66),
    Slip(
      typed: "list|curruca communis cnt:poland", given: ["fetch|common whitethroat cnt:poland"],
      shown: ["the list \"common whitethroat cnt:poland\" of xeno-canto"], asked: []),
    Slip(
      typed: "list|lesser whitethroat", given: ["fetch|common whitethroat"],
      shown: ["was never fetched"], asked: [], status: 66),
    // What deletes goes by the text alone.
    Slip(
      typed: "forget|curruca communis|--yes", given: ["fetch|common whitethroat"],
      shown: ["\"curruca communis\" was never fetched"], asked: [],
      stored: ["common whitethroat 2"], status: 66),
  ]

  static let places: [Slip] = [
    Slip(typed: "fetch|cnt:UK", shown: ["United Kingdom"], asked: [#"xc cnt:"United Kingdom""#]),
    Slip(typed: "fetch|cnt:USA", shown: [], asked: [#"xc cnt:"=United States""#]),
    Slip(typed: "fetch|cnt:Holland", shown: [], asked: ["xc cnt:Netherlands"]),
    Slip(typed: "fetch|cnt:Türkiye", shown: [], asked: ["xc cnt:Turkey"]),
    Slip(typed: "fetch|cnt:Czechia", shown: [], asked: [#"xc cnt:"Czech Republic""#]),
    Slip(typed: "fetch|cnt:\"Ivory Coast\"", shown: [], asked: [#"xc cnt:"Ivory Coast""#]),
    Slip(typed: "fetch|cnt:DE", shown: [], asked: ["xc cnt:Germany"]),
    Slip(typed: "fetch|cnt:DE|--source|gbif", shown: [], asked: ["gbif country=DE"]),
    Slip(
      typed: "search|cnt:UK", given: ["fetch|turdus"],
      shown: ["cnt:UK is taken as United Kingdom", "1 of 2"], asked: []),
    Slip(
      typed: "search|area:europe", given: ["fetch|turdus"], shown: ["2 of 2 recordings found"],
      asked: []),
  ]

  static let slips: [Slip] = [
    Slip(
      typed: "fetch|date:2019-05-01", shown: ["Did you mean year:2019 month:5?"], asked: [],
      status: 64),
    Slip(
      typed: "search|date:2019-05", given: ["fetch|turdus"], shown: ["2 of 2 recordings found"],
      asked: []),
    Slip(typed: "fetch|time:12:00", shown: ["xeno-canto: time:12:00"], hidden: ["type:"]),
    Slip(
      typed: "search|time:12", given: ["fetch|turdus"], shown: ["unknown tag \"time:\""],
      hidden: ["type:?", "type:\n"],
      status: 64),
    Slip(typed: "version", shown: [ProgramVersion.current], asked: []),
    Slip(typed: "help|search", shown: ["USAGE: chirper search"], asked: []),
    Slip(typed: "completions|bash", shown: ["complete"], asked: []),
    Slip(
      typed: "forget|nope", shown: ["\"nope\" was never fetched"], hidden: ["chirper fetch"],
      asked: [], status: 66),
    Slip(
      typed: "search|-q:A",
      shown: ["A search that begins with - goes after --", "chirper search -- -q:A"], status: 64),
    Slip(
      typed: "stats|parrot|gbif:robin", shown: ["\"parrot\" was never fetched."],
      hidden: ["Quote queries"], status: 66),
    Slip(
      typed: "list|say \"hi\"", shown: [#"error: 'say "hi"' was never fetched."#], asked: [],
      status: 66),
    Slip(
      typed: "list|--help", shown: StoredQuery.Completeness.meanings.map { "\($0.0): " }, asked: []),
    Slip(
      typed: "search|parus", given: ["fetch|gen:p", "fetch|great tit|--source|sample"],
      shown: ["2 of "], hidden: ["Sample"],
      asked: []),
    Slip(
      typed: "search|parus source:sample",
      given: ["fetch|gen:p", "fetch|great tit|--source|sample"], shown: ["Sample recordist"]),
    Slip(
      typed: "stats|--by|recordist", given: ["fetch|gen:p", "fetch|great tit|--source|sample"],
      shown: ["A. Recordist\t2"],
      hidden: ["Sample recordist"], asked: []),
  ]

  @Test(arguments: names + misses + birds + places + slips)
  func `each text is taken for what it means, asked for as often as said, and stored as said`(
    slip: Slip
  ) throws {
    let world = try FakeServices()
    try withProgram(world.variables.merging(slip.variables) { $1 }) { program in
      func run(_ typed: String) throws -> BuiltProgram.Result {
        try program.run(
          BuiltProgram.path,
          typed.split(separator: "|", omittingEmptySubsequences: false).map(String.init), input: "")
      }
      for line in slip.given { #expect(try run(line).status == 0, "\(line)") }
      let before = world.asked.count
      let result = try run(slip.typed)
      let text = result.output + result.error
      #expect(result.status == slip.status, "\(result)")
      for shown in slip.shown { #expect(text.contains(shown), "\(shown)\n\(text)") }
      for hidden in slip.hidden { #expect(!text.contains(hidden), "\(hidden)\n\(text)") }
      if let asked = slip.asked { #expect(Array(world.asked.dropFirst(before)) == asked) }
      func lists(_ flags: String...) throws -> [String] {
        let lines = try program.run(BuiltProgram.path, ["list"] + flags, input: "").output.split(
          separator: "\n"
        ).dropFirst()
        return lines.map { line in
          let cells = line.split(separator: "\t")
          return "\(cells[0]) \(cells[2].prefix { $0 != " " })"
        }.sorted()
      }
      if let stored = slip.stored { #expect(try lists() == stored) }
      if let misses = slip.misses { #expect(try lists("--empty") == misses.map { "\($0) 0" }) }
    }
  }

  @Test func `the table has the examples of sixty slips and more`() {
    #expect((Self.names + Self.misses + Self.places + Self.slips).count >= 60)
  }

  @Test func `the command and the server take typed searches for the same, and play the numbers`()
    throws
  {
    let world = try FakeServices()
    try withProgram(world.variables) { program in
      func run(_ words: String...) throws -> BuiltProgram.Result {
        try program.run(BuiltProgram.path, words, input: "")
      }
      #expect(try run("fetch", "XC123456").status == 0)
      try withServer(program) { (port: Int) throws in
        for (typed, means) in typedSearches {
          let counted = try run("stats", "--where", typed, "--by", "catalogue", "--json")
          let object =
            try? JSONSerialization.jsonObject(with: Data(counted.output.utf8)) as? [String: Any]
          let search = object?["search"] as? String
          #expect(
            search == (means == "an error" ? nil : "source:any \(means)"), "\(typed)")
          let query = typed.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
          let served = try #require(
            RawClient.answer("/api/chirper/stats?by=catalogue&q=\(query)", port: port)
          ).json
          // A parameter without a text asks for everything.
          let expected = typed.isEmpty ? "" : means == "an error" ? nil : means
          #expect(served["search"] as? String == expected, "\(typed)")
          if means.hasPrefix("nr:X") {
            let played = try run("play", typed, "--save")
            #expect(!played.error.contains("is stored"), "\(typed): \(played.error)")
          }
        }
        let both = try #require(
          RawClient.answer(
            "/api/chirper/stats?by=catalogue&q=XC123456&q=robin", port: port))
        #expect(both.json["search"] as? String == "nr:XC123456 robin")
      }
    }
  }

  /// The first load of a server, of that text in xeno-canto, once it has ended.
  private func load(_ text: String, _ program: BuiltProgram, _ port: Int) throws -> [String: Any] {
    let body = "{\"query\":\"\(text)\",\"source\":\"xeno-canto\"}"
    _ = try send("POST", "/api/chirper/loads", program, port, body: body)
    var load: [String: Any] = ["state": "running"]
    while load["state"] as? String == "running" {
      usleep(10_000)
      load = try #require(RawClient.answer("/api/chirper/loads/1", port: port)).json
    }
    return load
  }

  @Test(arguments: ["on", "off"])
  func `the server goes on with the taxon whose name words are, if it may ask`(setting: String)
    throws
  {
    let world = try FakeServices()
    let isOn = setting == "on"
    try withProgram(world.variables.merging(["CHIRPER_NAME_SERVICE": setting]) { $1 }) { program in
      try withServer(program) { (port: Int) throws in
        let load = try load("Nachtigall", program, port)
        #expect(load["rows"] as? Int == (isOn ? 2 : 0), "\(load)")
        #expect(load["suggestions"] as? [String] == [], "\(load)")
        let note = "Nachtigall is Luscinia megarhynchos, Common Nightingale, by GBIF's name service"
        #expect(load["notes"] as? [String] == (isOn ? [note] : nil), "\(load)")
      }
      #expect(world.asked.contains("gbif names Nachtigall") == isOn, "\(world.asked)")
      let lists = try program.run("list", "--json").output
      #expect(lists.contains(#""query":"Nachtigall""#) == isOn, "\(lists)")
      let misses = try program.run("list", "--empty").output
      #expect(misses.contains("Nachtigall") != isOn, "\(misses)")
    }
  }

  @Test func `the server's load is of the words again if the taxon they name has no rows`() throws {
    let world = try FakeServices()
    try withProgram(world.variables.merging(["CHIRPER_NAME_SERVICE": "on"]) { $1 }) { program in
      try withServer(program) { (port: Int) throws in
        let load = try load("Mandarinente", program, port)
        #expect(load["sent"] as? String == #"en:"Mandarinente""#, "\(load)")
      }
      #expect(world.asked.contains(#"xc sp:"Aix galericulata""#), "\(world.asked)")
    }
  }

  @Test func `a setting with a typo is a warning, once`() throws {
    let world = try FakeServices()
    try withProgram(world.variables) { program in
      try FileManager.default.createDirectory(
        atPath: program.path("c"), withIntermediateDirectories: true)
      try Data("playr = mpv\n".utf8).write(to: URL(filePath: program.path("c/config")))
      let result = try program.set("CHIRPER_CONFIG_DIR", program.path("c")).run("fetch", "turdus")
      #expect(result.status == 0, "\(result)")
      let warnings = result.error.split(separator: "\n").filter { $0.hasPrefix("warning: ") }
      #expect(warnings.count == 1 && warnings[0].hasSuffix("Did you mean player?"), "\(result)")
    }
  }
}

/// The four services over loopback with eight species, two or more recordings of each.
final class FakeServices: Sendable {
  private struct Species: Sendable {
    let name: String
    let english: String
    let others: [String]
    var hasRecords = true
    var genus: String { String(name.prefix { $0 != " " }) }
  }

  private static let species = [
    Species(
      name: "Luscinia megarhynchos", english: "Common Nightingale",
      others: ["Nachtigall", "Rossignol philomèle", "słowik"]),
    Species(name: "Luscinia luscinia", english: "Thrush Nightingale", others: ["Sprosser"]),
    Species(name: "Turdus merula", english: "Common Blackbird", others: ["Amsel"]),
    Species(name: "Hirundo rustica", english: "Barn Swallow", others: []),
    Species(name: "Acrocephalus dumetorum", english: "Blyth's Reed Warbler", others: []),
    Species(name: "Parus major", english: "Great Tit", others: ["Kohlmeise"]),
    // Of which the list of birds has Curruca communis, and Coloeus monedula, Western Jackdaw.
    Species(name: "Sylvia communis", english: "Common Whitethroat", others: []),
    Species(name: "Corvus monedula", english: "Eurasian Jackdaw", others: []),
    Species(
      name: "Aix galericulata", english: "Mandarin Duck", others: ["Mandarinente"],
      hasRecords: false),
  ]

  let server: ScriptedServer

  init() throws {
    server = try ScriptedServer { request in
      let query = { (name: String) in request.query(name) }
      switch request.path {
      case "/api/3/recordings":
        let found = Self.records.filter { Self.matches($0, query("query") ?? "") }
        return .json(
          200, FakeXenoCanto.body(found.map(\.xenoCanto), page: 1, pages: 1, total: found.count))
      case "/v1/species/match": return .json(200, #"{"matchType":"NONE"}"#)
      case "/v2/species/match":
        let name = query("scientificName") ?? query("scientificNameID") ?? ""
        return .json(200, Self.match(name))
      case "/v1/species/search": return .json(200, Self.usages(query("q") ?? ""))
      case "/v1/occurrence/search":
        let found = Self.records.filter { record in
          query("taxonKey").map {
            [Self.key(record.species), "\(record.species + 1)"].contains($0)
              || $0 == "D20" && record.species == 2
          } ?? true
            && query("gbifId").map { $0 == record.id } ?? true
            && query("country").map { $0 == "DE" } ?? true
            && query("catalogNumber").map { $0 == "XC\(record.id)" } ?? true
        }
        let body = found.map(\.gbif).joined(separator: ",")
        return .json(
          200,
          #"{"offset":0,"limit":300,"endOfRecords":true,"count":\#(found.count),"results":[\#(body)]}"#
        )
      case "/v1/taxa/autocomplete":
        let typed = (query("q") ?? "").lowercased()
        let found = Self.species.enumerated().filter {
          $1.name.lowercased() == typed || $1.english.lowercased() == typed
        }
        let taxa = found.map {
          #"{"id":\#($0 + 1),"name":"\#($1.name)","rank":"species","preferred_common_name":"\#($1.english)"}"#
        }
        return .json(
          200, #"{"total_results":\#(taxa.count),"results":[\#(taxa.joined(separator: ","))]}"#)
      case "/v1/observations":
        let found = Self.records.filter { record in
          query("taxon_id").map { $0 == "\(record.species + 1)" } ?? true
            && query("id").map { $0 == record.id } ?? true
        }.sorted { (Int($0.id) ?? 0) > (Int($1.id) ?? 0) }
        return .json(
          200,
          #"{"total_results":\#(found.count),"results":[\#(found.map(\.iNaturalist).joined(separator: ","))]}"#
        )
      default:
        return .json(
          200, #"{"resultCount":1,"results":[{"wrapperType":"track","trackId":1,"trackName":"x"}]}"#
        )
      }
    }
  }

  var variables: [String: String] {
    let names = ["XENO_CANTO", "GBIF", "INATURALIST", "ITUNES"].map {
      ("CHIRPER_\($0)_URL", server.url.absoluteString)
    }
    return Dictionary(uniqueKeysWithValues: names + [("XENO_CANTO_API_KEY", "k")])
  }

  /// The requests in short.
  var asked: [String] {
    server.requests.map { request in
      func value(_ name: String) -> String { request.query(name) ?? "" }
      let parameters = ["taxonKey", "gbifId", "catalogNumber", "country", "taxon_id", "id"]
      let parameter =
        parameters.first { request.query($0) != nil }.map { "\($0)=\(value($0))" } ?? ""
      return switch request.path {
      case "/api/3/recordings": "xc \(value("query"))"
      case "/v1/species/match": "gbif backbone \(value("name"))"
      case "/v2/species/match": "gbif match \(value("scientificName"))\(value("scientificNameID"))"
      case "/v1/species/search": "gbif names \(value("q"))"
      case "/v1/occurrence/search": "gbif \(parameter)"
      case "/v1/taxa/autocomplete": "inat names \(value("q"))"
      case "/v1/observations": "inat \(parameter)"
      default: "itunes \(value("term"))"
      }
    }
  }

  private struct Record: Sendable {
    let id: String
    let species: Int
    var taxon: Species { FakeServices.species[species] }

    var xenoCanto: String {
      let parts = taxon.name.split(separator: " ")
      let country = Int(id).map { $0 % 2 == 0 } ?? false ? "United Kingdom" : "Poland"
      return
        #"{"id":"\#(id)","gen":"\#(parts[0])","sp":"\#(parts[1])","en":"\#(taxon.english)","rec":"A. Recordist","#
        + #""cnt":"\#(country)","type":"song","q":"A","length":"0:30","date":"2019-05-01","uploaded":"2020-01-01"}"#
    }

    var gbif: String {
      #"{"key":\#(id),"gbifID":"\#(id)","scientificName":"\#(taxon.name)","species":"\#(taxon.name)","media":["#
        + #"{"type":"Sound","identifier":"https://xeno-canto.org/\#(id)/download"}]}"#
    }

    var iNaturalist: String {
      #"{"id":\#(id),"uri":"https://www.inaturalist.org/observations/\#(id)","taxon":{"id":\#(species + 1),"name":"\#(taxon.name)"},"#
        + #""sounds":[{"id":\#(id)1,"file_url":"https://static.inaturalist.org/sounds/\#(id).wav"}]}"#
    }
  }

  private static let records =
    species.indices.filter { species[$0].hasRecords }.flatMap { species in
      (1...2).map { Record(id: "\(species + 1)\($0)", species: species) }
    }
    .map { $0.id == "11" ? Record(id: "123456", species: 0) : $0 }

  private static func matches(_ record: Record, _ query: String) -> Bool {
    guard let colon = query.firstIndex(of: ":") else { return false }
    let (tag, raw) = (query[..<colon], query[colon...].dropFirst().lowercased())
    let value = raw.filter { $0 != "\"" }.split(separator: " ").filter { !$0.contains(":") }
      .joined(separator: " ")
    return switch tag {
    case "en": record.taxon.english.lowercased().contains(value)
    case "gen": record.taxon.genus.lowercased().hasPrefix(value)
    case "sp": record.taxon.name.lowercased() == value
    case "nr": record.id == value
    default: true
    }
  }

  private static func match(_ name: String) -> String {
    let typed = name.lowercased()
    func found(_ key: String, _ name: String, _ rank: String) -> String {
      let usage = #"{"key":"\#(key)","canonicalName":"\#(name)","rank":"\#(rank)"}"#
      return #"{"usage":\#(usage),"diagnostics":{"matchType":"EXACT"},"synonym":false}"#
    }
    let old = name.hasPrefix("gbif:") ? Int(name.dropFirst(5)) : nil
    if let index = old.map({ $0 - 1 })
      ?? species.firstIndex(where: { $0.name.lowercased() == typed }),
      species.indices.contains(index)
    {
      return found(key(index), species[index].name, "SPECIES")
    }
    if let genus = species.first(where: { $0.genus.lowercased() == typed }) {
      return found("D20", genus.name, "GENUS")
    }
    return #"{"diagnostics":{"matchType":"NONE","confidence":100},"synonym":false}"#
  }

  /// The key of a species in the Catalogue of Life; its place from 1 is the one in the backbone.
  private static func key(_ species: Int) -> String {
    "C\(species + 1)"
  }

  private static func usages(_ name: String) -> String {
    let typed = name.lowercased()
    let found = species.enumerated().filter { index, species in
      (species.others + [species.english]).contains { $0.lowercased() == typed }
    }.map { index, species in
      let names = [(species.english, "eng")] + species.others.map { ($0, "xxx") }
      let list = names.map { #"{"vernacularName":"\#($0.0)","language":"\#($0.1)"}"# }.joined(
        separator: ",")
      return
        #"{"key":\#(index + 1),"nubKey":\#(index + 1),"canonicalName":"\#(species.name)","rank":"SPECIES","#
        + #""vernacularNames":[\#(list)]}"#
    }
    return
      #"{"offset":0,"limit":300,"endOfRecords":true,"count":\#(found.count),"results":[\#(found.joined(separator: ","))]}"#
  }
}
