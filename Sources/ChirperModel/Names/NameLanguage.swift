#if Collection

/// The languages by which columns of names are known, and their codes.
package enum NameLanguage {
  /// The code of the language that a heading names: `de` for `German`, `Deutsch`, `de`, `deu` and
  /// `DE`; `zh-Hant` for `Chinese (Traditional)`. `isKnown` is false for any other text, whose
  /// letters and digits are the code. The code is `nil` if it has none, or it is a heading of
  /// something else than names.
  package static func code(ofHeading heading: String) -> (code: String?, isKnown: Bool) {
    let words = TextFolding.folded(heading).split { !$0.isLetter && !$0.isNumber }.map(String.init)
    let text = words.joined(separator: " ")
    if others.contains(text) { return (nil, true) }
    if let code = codes[text] { return (code, true) }
    // A language with its script or country: `Chinese (Traditional)`, `pt_BR`, `de-AT`.
    for count in (1..<max(1, words.count)).reversed() {
      let name = words.prefix(count)
      let rest = words.dropFirst(count)
      guard let code = codes[name.joined(separator: " ")] else { continue }
      let variant = rest.joined(separator: " ")
      if ["name", "names"].contains(variant) { return (code, true) }
      let isCountry = variant.utf8.count == 2
      let ending =
        variants[variant] ?? (isCountry ? variant.uppercased() : rest.joined(separator: "-"))
      return ("\(code)-\(ending)", isCountry || variants[variant] != nil)
    }
    let code = words.joined(separator: "-")
    return (code.isEmpty ? nil : code, false)
  }

  /// Whether a heading says that its column has scientific names.
  package static func isOfScientificNames(_ heading: String) -> Bool {
    let text = TextFolding.foldedLetters(heading)
    return [
      "scientific", "latin", "binomi", "wissensch", "scientifi", "cientific", "ioc", "avilist",
    ]
    .contains { text.contains($0) } || ["species", "taxon", "sciname", "name"].contains(text)
  }

  /// Headings of columns that do not have names.
  private static let others: Set<String> = [
    "class", "order", "family", "subfamily", "genus", "rank", "phylum", "kingdom", "author",
    "authority", "code", "status", "remarks", "notes", "range", "iucn", "extinct", "ssp",
    "subspecies", "group",
  ]

  private static let variants = [
    "traditional": "Hant", "simplified": "Hans", "hant": "Hant", "hans": "Hans", "latin": "Latn",
    "latn": "Latn", "cyrillic": "Cyrl", "cyrl": "Cyrl", "brazil": "BR", "brazilian": "BR",
    "portugal": "PT", "portuguese": "PT", "european": "PT", "taiwan": "TW", "uk": "GB",
    "traditional chinese": "Hant", "us": "US",
  ]

  /// The code of a language by each of its names, folded.
  private static let codes: [String: String] = {
    var codes: [String: String] = [:]
    for line in table.split(separator: "\n") {
      let names = line.split(separator: ",")
      for name in names { codes[TextFolding.folded(String(name))] = String(names[0]) }
    }
    return codes
  }()

  /// The code of ISO 639-1, or else of 639-3; further codes; the name in English, and
  /// in the language itself.
  private static let table = """
    af,afr,Afrikaans
    ar,ara,Arabic,العربية
    az,aze,Azerbaijani
    be,bel,Belarusian,Беларуская
    bg,bul,Bulgarian,Български
    br,bre,Breton,Brezhoneg
    bs,bos,Bosnian,Bosanski
    ca,cat,Catalan,Català
    cs,ces,cze,Czech,Čeština,Česky
    cy,cym,wel,Welsh,Cymraeg
    da,dan,Danish,Dansk
    de,deu,ger,German,Deutsch
    el,ell,gre,Greek,Ελληνικά
    en,eng,English,English name,Common name,Vernacular name
    eo,epo,Esperanto
    es,spa,Spanish,Español,Castellano
    et,est,Estonian,Eesti
    eu,eus,baq,Basque,Euskara
    fa,fas,per,Persian,Farsi,فارسی
    fi,fin,Finnish,Suomi
    fo,fao,Faroese,Føroyskt
    fr,fra,fre,French,Français
    fy,fry,Frisian,West Frisian,Frysk
    ga,gle,Irish,Gaeilge
    gd,gla,Scottish Gaelic,Gàidhlig
    gl,glg,Galician,Galego
    gv,glv,Manx
    he,heb,Hebrew,עברית
    hi,hin,Hindi,हिन्दी
    hr,hrv,Croatian,Hrvatski
    hu,hun,Hungarian,Magyar
    hy,hye,arm,Armenian,Հայերեն
    id,ind,Indonesian,Bahasa Indonesia
    is,isl,ice,Icelandic,Íslenska
    it,ita,Italian,Italiano
    ja,jpn,Japanese,日本語
    ka,kat,geo,Georgian,ქართული
    kk,kaz,Kazakh,Қазақ
    ko,kor,Korean,한국어
    lb,ltz,Luxembourgish,Lëtzebuergesch
    lt,lit,Lithuanian,Lietuvių
    lv,lav,Latvian,Latviešu
    mi,mri,mao,Maori,Te reo Māori
    mk,mkd,mac,Macedonian,Македонски
    ml,mal,Malayalam,മലയാളം
    mn,mon,Mongolian,Монгол
    ms,msa,may,Malay,Bahasa Melayu
    mt,mlt,Maltese,Malti
    nb,nob,no,nor,Norwegian,Norwegian Bokmål,Norsk,Bokmål
    nl,nld,dut,Dutch,Nederlands
    nn,nno,Norwegian Nynorsk,Nynorsk
    oc,oci,Occitan
    pl,pol,Polish,Polski
    pt,por,Portuguese,Português
    rm,roh,Romansh,Rumantsch
    ro,ron,rum,Romanian,Română
    ru,rus,Russian,Русский
    sa,san,Sanskrit
    se,sme,Northern Sami,Davvisámegiella
    sk,slk,slo,Slovak,Slovenčina,Slovensky
    sl,slv,Slovenian,Slovene,Slovenščina
    sq,sqi,alb,Albanian,Shqip
    sr,srp,Serbian,Српски
    sv,swe,Swedish,Svenska
    sw,swa,Swahili,Kiswahili
    ta,tam,Tamil,தமிழ்
    te,tel,Telugu
    th,tha,Thai,ไทย
    tr,tur,Turkish,Türkçe
    uk,ukr,Ukrainian,Українська
    vi,vie,Vietnamese,Tiếng Việt
    zh,zho,chi,Chinese,中文
    zh-Hans,Simplified Chinese,简体中文
    zh-Hant,Traditional Chinese,繁體中文
    zu,zul,Zulu
    """
}

#endif
