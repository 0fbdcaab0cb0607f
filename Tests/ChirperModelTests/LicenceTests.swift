import Testing

@testable import ChirperModel

@Suite struct LicenceTests {
  /// A text, and the licence that it means: its name, whether it has an identifier of SPDX, and
  /// what it allows (`c`: commercial use, `d`: edited versions).
  private typealias Case = (text: String, name: String, hasSPDX: Bool, allows: String)

  private static let cases: [Case] = [
    ("//creativecommons.org/licenses/by/4.0/", "CC BY 4.0", true, "cd"),
    ("https://creativecommons.org/licenses/by-nc-sa/4.0/", "CC BY-NC-SA 4.0", true, "d"),
    ("http://creativecommons.org/licenses/by-nc-nd/2.5/", "CC BY-NC-ND 2.5", true, ""),
    ("HTTPS://WWW.CreativeCommons.org/licenses/BY-ND/3.0", "CC BY-ND 3.0", true, "c"),
    ("creativecommons.org/licenses/by-sa/2.0", "CC BY-SA 2.0", true, "cd"),
    ("https://creativecommons.org/licenses/by/2.1/", "CC BY 2.1", false, "cd"),
    ("https://creativecommons.org/licenses/by/4.0/deed", "CC BY 4.0", true, "cd"),
    ("https://creativecommons.org/licenses/by/4.0/deed.de", "CC BY 4.0", true, "cd"),
    ("https://creativecommons.org/licenses/by/4.0/deed.zh-hans", "CC BY 4.0", true, "cd"),
    ("https://creativecommons.org/licenses/by/4.0/legalcode", "CC BY 4.0", true, "cd"),
    ("https://creativecommons.org/licenses/by/4.0/legalcode.pt", "CC BY 4.0", true, "cd"),
    ("https://creativecommons.org/licenses/by/4.0/rdf", "CC BY 4.0", true, "cd"),
    ("https://creativecommons.org/licenses/by/4.0/#text", "CC BY 4.0", true, "cd"),
    ("https://creativecommons.org/licenses/by/4.0/?ref=x", "CC BY 4.0", true, "cd"),
    ("https://creativecommons.org/licenses/by/4.0.", "CC BY 4.0", true, "cd"),
    ("https://creativecommons.org/licenses/by/4.0/deed.", "CC BY 4.0", true, "cd"),
    ("Public Domain Mark 1.0", "Public Domain Mark 1.0", true, "cd"),
    ("https://creativecommons.org/licenses/by-sa/3.0/nl/", "CC BY-SA 3.0 NL", false, "cd"),
    ("https://creativecommons.org/licenses/by/3.0/nl/", "CC BY 3.0 NL", true, "cd"),
    ("https://creativecommons.org/licenses/by-sa/3.0/igo/", "CC BY-SA 3.0 IGO", true, "cd"),
    ("https://creativecommons.org/licenses/by-nc/3.0/igo/", "CC BY-NC 3.0 IGO", true, "d"),
    ("https://creativecommons.org/licenses/by-nc-sa/2.0/uk/", "CC BY-NC-SA 2.0 UK", true, "d"),
    ("https://creativecommons.org/licenses/by-sa/2.1/jp/", "CC BY-SA 2.1 JP", true, "cd"),
    ("https://creativecommons.org/licenses/by/3.0/au/deed.en", "CC BY 3.0 AU", true, "cd"),
    ("https://creativecommons.org/licenses/by/2.5/scotland/", "", false, ""),
    ("https://creativecommons.org/publicdomain/zero/1.0/", "CC0 1.0", true, "cd"),
    ("http://creativecommons.org/publicdomain/zero/1.0/legalcode", "CC0 1.0", true, "cd"),
    (
      "https://creativecommons.org/publicdomain/mark/1.0/deed.fr", "Public Domain Mark 1.0", true,
      "cd"
    ),
    ("CC BY 4.0", "CC BY 4.0", true, "cd"), ("CC-BY 4.0", "CC BY 4.0", true, "cd"),
    ("CC-BY 4.0 (Int)", "CC BY 4.0", true, "cd"), ("CC BY-NC 4.0 Intl", "CC BY-NC 4.0", true, "d"),
    ("CC-BY-4.0", "CC BY 4.0", true, "cd"), ("cc by 4.0", "CC BY 4.0", true, "cd"),
    ("CC BY-NC-SA 4.0", "CC BY-NC-SA 4.0", true, "d"), ("CC_BY_NC_4_0", "CC BY-NC 4.0", true, "d"),
    ("CC_BY_4_0", "CC BY 4.0", true, "cd"), ("CC0", "CC0 1.0", true, "cd"),
    ("CC0 4.0", "CC0 1.0", true, "cd"), ("CC0_1_0", "CC0 1.0", true, "cd"),
    ("CC0 1.0 Universal", "CC0 1.0", true, "cd"),
    ("CC-BY-SA-3.0-IGO", "CC BY-SA 3.0 IGO", true, "cd"),
    ("CC BY 3.0 NL", "CC BY 3.0 NL", true, "cd"), ("CC BY 3.0 Unported", "CC BY 3.0", true, "cd"),
    ("CC BY 2.0 Generic", "CC BY 2.0", true, "cd"),
    ("Creative Commons Attribution 4.0 International", "CC BY 4.0", true, "cd"),
    ("Creative Commons Attribution 4.0 International License", "CC BY 4.0", true, "cd"),
    (
      "Creative Commons Attribution-NonCommercial 4.0 International (CC BY-NC 4.0)", "CC BY-NC 4.0",
      true, "d"
    ),
    ("Attribution-NonCommercial-ShareAlike 4.0 International", "CC BY-NC-SA 4.0", true, "d"),
    ("Attribution-Non Commercial-No Derivatives 4.0", "CC BY-NC-ND 4.0", true, ""),
    ("Creative Commons Zero 1.0 Universal", "CC0 1.0", true, "cd"),
    ("Creative Commons CC BY-NC-ND 4.0", "CC BY-NC-ND 4.0", true, ""),
  ]

  @Test func `texts that can mean one licence only are that licence`() {
    for (text, name, hasSPDX, allows) in Self.cases where !name.isEmpty {
      guard let licence = RecordingDetails.Licence(creativeCommons: text) else {
        Issue.record("\(text) is not read")
        continue
      }
      #expect(licence.name == name, "\(text)")
      #expect((licence.spdx != nil) == hasSPDX, "\(text): \(licence.spdx ?? "-")")
      #expect(licence.allowsCommercialUse == allows.contains("c"), "\(text)")
      #expect(licence.allowsDerivatives == allows.contains("d"), "\(text)")
      // One name, one address, and each of them means the licence.
      #expect(
        RecordingDetails.Licence(creativeCommons: licence.address ?? "") == licence, "\(text)")
      #expect(
        RecordingDetails.Licence(creativeCommons: licence.spdx ?? licence.address ?? "") == licence,
        "\(text)")
      #expect(RecordingDetails.Licence(creativeCommons: name) == licence, "\(text)")
    }
  }

  @Test(
    arguments: [
      ("cc-by", "by"), ("CC BY-NC-SA", "by-nc-sa"), ("Creative Commons Attribution", "by"),
      ("Attribution-NoDerivs", "by-nd"), ("CC BY 4", nil),
      ("http://creativecommons.org/licenses/by-nc/", "by-nc"),
      ("//www.creativecommons.org/licenses/by", "by"), ("by", nil), ("CC", nil), ("CC0", nil),
      ("cc-by-fun", nil), ("not cc-by", nil), ("https://creativecommons.org/licenses/", nil),
      ("https://evil.example/creativecommons.org/licenses/by/", nil), ("CC BY or CC0", nil),
    ] as [(String, String?)])
  func `a licence without a version has a code, and allows nothing`(text: String, code: String?) {
    #expect(RecordingDetails.Licence.codeWithoutVersion(text) == code)
    let licence = RecordingDetails.Licence(creativeCommons: text)
    #expect(code == nil || licence == nil)
  }

  @Test(arguments: [
    "", " ", "CC", "CC BY", "CC-BY-NC", "by-nc 4.0", "CC BY 4", "CC BY 5.0", "CC NC 4.0",
    "CC SA 1.0",
    "CC BY-SA-NC 4.0", "CC BY-ND-SA 4.0", "CC BY 4.0 DE", "CC BY 4.0 or CC BY-SA 4.0",
    "CC BY 4.0 (CC BY-NC 4.0)", "not CC BY 4.0", "CC BY 4.0 with exceptions",
    "CC BY 4.0, all rights reserved",
    "Creative Commons", "Creative Commons Attribution", "Creative Commons BY", "Copyright CC",
    "All rights reserved", "all rights reserved (CC0)", "Public Domain", "PD", "CC 4.0",
    "CC BY-NC-SA",
    "Attribution", "Attribution: A. Example", "attribution 4.0 required", "℗ 2019 CC BY 4.0",
    "CC BY 4\u{660}0", "С\u{421} BY 4.0", "CC\u{200B}BY 4.0", "CC BY 4.0\u{0}", "C C BY 4.0",
    "https://creativecommons.org/licenses/by/4.0/nl/",
    "https://creativecommons.org/licenses/by/9.0/",
    "https://creativecommons.org/licenses/by/", "https://creativecommons.org/licenses/",
    "https://creativecommons.org/licenses/by-fun/4.0/",
    "https://creativecommons.org/licenses/nc/1.0/",
    "https://creativecommons.org/licenses/by/3.0/nl/extra/",
    "https://creativecommons.org/licenses/by/3.0/nl/be/",
    "https://creativecommons.org/licenses/by/3.0/n1/",
    "https://creativecommons.org/licenses/by/4.0/deedx",
    "https://creativecommons.org/licenses/by/4.0/legalcode.1",
    "https://creativecommons.org/publicdomain/zero/1.0/nl/",
    "https://creativecommons.org/publicdomain/zero/2.0/",
    "https://creativecommons.org.evil.example/licenses/by/4.0/",
    "https://evil.example/creativecommons.org/licenses/by/4.0/",
    "https://user@creativecommons.org/licenses/by/4.0/",
    "ftp://creativecommons.org/licenses/by/4.0/", "by-nc-sa", "//creativecommons.org/",
    "//creativecommons.org/publicdomain/by/4.0/", "//creativecommons.org/licenses/zero/1.0/",
    "https://creativecommons.org/terms", "//creativecommons.org//licenses//by//4.0\\", "=CC BY 4.0",
  ])
  func `other texts stay as they are, and allow nothing`(text: String) {
    let licence = RecordingDetails.Licence(creativeCommons: text)
    #expect(licence == nil, "\(licence?.name ?? "")")
    let other = RecordingDetails.Licence(other: text)
    #expect(!other.allowsCommercialUse && !other.allowsDerivatives && other.spdx == nil)
  }

  @Test func `a long text is read in time that does not depend on its length`() {
    #expect(
      RecordingDetails.Licence(creativeCommons: "CC BY " + String(repeating: "(", count: 1_000_000))
        == nil)
  }

  @Test(arguments: [
    ("BY-SA", ["by-sa/3.0/", "by-sa/3.0/nl/", "by-sa/4.0/"]), ("BY-SA 3.0", ["by-sa/3.0/"]),
    ("BY-SA 3.0 NL", ["by-sa/3.0/nl/"]), ("CC-BY-SA-3.0-NL", ["by-sa/3.0/nl/"]),
    ("BY-SA 4.0 NL", []),
  ])
  func `a search by a code finds every version and port, and one by a version that one`(
    text: String, found: [String]
  ) throws {
    let search = try #require(SearchLicence(text))
    let all = ["by/3.0/", "by-sa/3.0/", "by-sa/3.0/nl/", "by-sa/4.0/", "by-nc-sa/4.0/"]
    let matching = all.filter { path in
      let licence = RecordingDetails.Licence(
        creativeCommons: "https://creativecommons.org/licenses/" + path)
      return search.contains(name: licence?.name ?? "", address: licence?.address)
    }
    #expect(matching == found)
    // A text that only looks like the name of a licence is not one.
    #expect(!search.contains(name: "CC BY-SA 3.0", address: nil))
  }
}
