/// A country, or a territory with a code of its own.
package struct Country: Sendable {
  /// Two letters of ISO 3166-1: `GB`.
  package let code: String
  /// The three letters.
  package let longCode: String
  /// The English name first; then other names, those that catalogues send among them.
  package let names: [String]
  /// The name in xeno-canto's queries; `nil` if it is not known which of the names that is.
  package let nameInXenoCanto: String?
  /// The one of `Countries.areas` that it is in; `nil` for Antarctica.
  package let area: String?

  /// The code in the form in which texts are compared.
  var foldedCode: [UInt8] { Array(code.lowercased().utf8) }

  /// The names in the form in which texts are compared.
  package var foldedNames: [String] { names.map(Countries.folded) }
}

/// The countries of ISO 3166-1 and Kosovo, by their codes and names.
package enum Countries {
  /// The parts of the world that xeno-canto has. Which country is in which is not documented there;
  /// here they are the regions of the United Nations (M49): Russia is in Europe, Turkey in Asia,
  /// Oceania is called australia.
  package static let areas = ["africa", "america", "asia", "australia", "europe"]

  /// The country by a code or a whole name, in any case and without accents.
  package static func named(_ typed: String) -> Country? {
    withName(typed) ?? byCode[TextFolding.folded(typed).uppercased()]
  }

  /// The country by a whole name, in any case and without accents, also a name with its form of
  /// government: `Republic of Poland`.
  static func withName(_ text: String) -> Country? {
    if let index = byName[text] { return all[index] }
    let name = spelledOut(TextFolding.folded(text))
    if let index = byName[name] { return all[index] }
    guard let of = name.firstRange(of: " of "),
      let form = name[..<of.lowerBound].split(separator: " ").last, governments.contains(form)
    else { return nil }
    return byName[spelledOut(String(name[of.upperBound...]))].map { all[$0] }
  }

  /// The country that a catalogue's text means: a whole name, or a code in capital letters where
  /// names stand; but `NA` there is how tables write that a value is missing.
  package static func sent(_ text: String) -> Country? {
    withName(text) ?? (text == "NA" ? nil : byCode[text])
  }

  private static let governments: Set<Substring> = [
    "republic", "kingdom", "principality", "commonwealth", "union", "duchy", "sultanate",
  ]

  /// A folded name without `the` before it, and with `and` and `saint` written out.
  private static func spelledOut(_ name: String) -> String {
    var words = name.split(separator: " ").map { word in
      ["&": "and", "st": "saint", "st.": "saint"][word] ?? word
    }
    if words.first == "the" { words.removeFirst() }
    return words.joined(separator: " ").replacing("’", with: "'")
  }

  /// The country by a code, a whole name, or the beginning of a name that no other country shares.
  package static func beginning(_ typed: String) -> Country? {
    if let named = named(typed) { return named }
    let wanted = TextFolding.folded(typed)
    let begun = all.filter { country in
      wanted.utf8.count > 2 && country.foldedNames.contains { $0.hasPrefix(wanted) }
    }
    return begun.count == 1 ? begun[0] : nil
  }

  /// The English names that are spelled nearly as the text, the nearest ones alone; empty
  /// for a code, for a name, and for the beginning of a name.
  package static func names(near typed: String) -> [String] {
    let wanted = TextFolding.folded(typed)
    let isBeginning = all.contains { $0.foldedNames.contains { $0.hasPrefix(wanted) } }
    guard TagOperand(typed).sign == nil, named(typed) == nil, !isBeginning else { return [] }
    let near = NearestNames.to(wanted, among: all.map(\.names[0]))
    let distances = near.map { NearestNames.editDistance(wanted, TextFolding.folded($0)) }
    return zip(near, distances).filter { $0.1 == distances.min() }.map(\.0)
  }

  /// Whether a catalogue says with this text that the country is not known.
  package static func isUnknown(_ text: String) -> Bool {
    ["unknown", "unknown country", "unknown or invalid", "(unknown)"].contains(
      TextFolding.folded(text))
  }

  /// The code, if it is one of two letters.
  package static func code(sent code: String) -> String? { byCode[code]?.code == code ? code : nil }

  /// The country with that code of two letters, in any case.
  package static func withCode(_ code: String) -> Country? {
    byCode[code.uppercased()].flatMap { $0.code.utf8.count == code.utf8.count ? $0 : nil }
  }

  private static let byCode = Dictionary(
    uniqueKeysWithValues: all.flatMap { [($0.code, $0), ($0.longCode, $0)] })

  /// The indices in `all` by names as the table spells them, because every row of a list has one,
  /// and folded.
  private static let byName = {
    var indices: [String: Int] = [:]
    indices.reserveCapacity(4 * all.count)
    for (index, country) in all.enumerated() {
      for name in country.names {
        indices[name] = index
        indices[spelledOut(folded(name))] = index
      }
    }
    return indices
  }()

  /// Folds a name of the table: these are of ASCII, or folded already, because `TextFolding` takes
  /// milliseconds to begin with other letters.
  fileprivate static func folded(_ name: String) -> String { name.lowercased() }

  package static let all: [Country] = table.flatMap { area, entries in
    // In bytes: with characters, this takes five times as long.
    Array(entries.utf8).split(separator: UInt8(ascii: "|")).map { entry in
      func text(_ bytes: ArraySlice<UInt8>) -> String { String(decoding: bytes, as: UTF8.self) }
      let isMarked = { (name: ArraySlice<UInt8>) in name.first == UInt8(ascii: "*") }
      let spellings = entry.dropFirst(7).split(separator: UInt8(ascii: "/"))
      let names = spellings.map { text(isMarked($0) ? $0.dropFirst() : $0) }
      return Country(
        code: text(entry.prefix(2)), longCode: text(entry.dropFirst(3).prefix(3)), names: names,
        nameInXenoCanto: names.count == 1
          ? names[0] : spellings.firstIndex(where: isMarked).map { names[$0] }, area: area)
    }
  }

  /// Two and three letters of ISO 3166-1, a space after each, and the names. A `*` is before the
  /// name that xeno-canto is known to use where there are several.
  private static let table: [(area: String?, entries: String)] = [
    (
      "africa",
      """
      AO AGO Angola|BF BFA Burkina Faso|BI BDI Burundi|BJ BEN Benin|BW BWA Botswana|\
      CD COD Democratic Republic of the Congo/Congo (Democratic Republic)/DR Congo/\
      Congo, The Democratic Republic of the/DRC/Congo (Kinshasa)/Congo - Kinshasa/Democratic Republic of Congo|\
      CF CAF Central African Republic|\
      CG COG Republic of the Congo/Congo/Congo (Brazzaville)/Congo, Republic of the/Congo-Brazzaville/\
      Congo - Brazzaville|\
      CI CIV Ivory Coast/Cote d'Ivoire|CM CMR Cameroon|CV CPV Cape Verde/Cabo Verde|DJ DJI Djibouti|DZ DZA Algeria|\
      EG EGY Egypt|EH ESH Western Sahara|ER ERI *Eritrea/State of Eritrea|ET ETH Ethiopia|\
      GA GAB *Gabon/Gabonese Republic|GH GHA Ghana|GM GMB Gambia/The Gambia|GN GIN Guinea|GQ GNQ Equatorial Guinea|\
      GW GNB Guinea-Bissau|IO IOT British Indian Ocean Territory|KE KEN Kenya|KM COM Comoros|LR LBR Liberia|\
      LS LSO Lesotho|LY LBY Libya|MA MAR Morocco|MG MDG Madagascar|ML MLI Mali|MR MRT Mauritania|MU MUS Mauritius|\
      MW MWI Malawi|MZ MOZ Mozambique|NA NAM Namibia|NE NER Niger|NG NGA Nigeria|RE REU Reunion|\
      RW RWA *Rwanda/Rwandese Republic|SC SYC Seychelles|SD SDN Sudan|\
      SH SHN Saint Helena/Saint Helena, Ascension and Tristan da Cunha|SL SLE Sierra Leone|SN SEN Senegal|\
      SO SOM Somalia|SS SSD South Sudan|ST STP Sao Tome and Principe|SZ SWZ Eswatini/Swaziland|TD TCD Chad|\
      TF ATF *French Southern Territories/French Southern and Antarctic Lands|TG TGO *Togo/Togolese Republic|\
      TN TUN Tunisia|TZ TZA Tanzania/Tanzania, United Republic of/United Republic of Tanzania|UG UGA Uganda|\
      YT MYT Mayotte|ZA ZAF South Africa|ZM ZMB Zambia|ZW ZWE Zimbabwe
      """
    ),
    (
      "america",
      """
      AG ATG Antigua and Barbuda/Antigua & Barbuda|AI AIA Anguilla|AR ARG *Argentina/Argentine Republic|AW ABW Aruba|\
      BB BRB Barbados|BL BLM Saint Barthelemy|BM BMU Bermuda|\
      BO BOL Bolivia/Bolivia, Plurinational State of/Bolivia (Plurinational State of)/Plurinational State of Bolivia|\
      BQ BES Bonaire, Sint Eustatius and Saba/Bonaire/Caribbean Netherlands|BR BRA Brazil|BS BHS Bahamas/The Bahamas|\
      BV BVT Bouvet Island|BZ BLZ Belize|CA CAN Canada|CL CHL Chile|CO COL Colombia|CR CRI Costa Rica|CU CUB Cuba|\
      CW CUW Curacao|DM DMA Dominica|DO DOM Dominican Republic|EC ECU Ecuador|\
      FK FLK Falkland Islands/Falkland Islands (Malvinas)/Falklands|GD GRD Grenada|GF GUF French Guiana|\
      GL GRL Greenland|GP GLP Guadeloupe|\
      GS SGS South Georgia and the South Sandwich Islands/South Georgia/South Georgia and South Sandwich Islands|\
      GT GTM Guatemala|GY GUY Guyana|HN HND Honduras|HT HTI Haiti|JM JAM Jamaica|\
      KN KNA Saint Kitts and Nevis/St Kitts and Nevis|KY CYM Cayman Islands|LC LCA Saint Lucia/St Lucia|\
      MF MAF Saint Martin/Saint Martin (French part)|MQ MTQ Martinique|MS MSR Montserrat|\
      MX MEX *Mexico/United Mexican States|NI NIC Nicaragua|PA PAN Panama|PE PER Peru|\
      PM SPM Saint Pierre and Miquelon|PR PRI Puerto Rico|PY PRY Paraguay|SR SUR Suriname|SV SLV El Salvador|\
      SX SXM Sint Maarten/Sint Maarten (Dutch part)|TC TCA Turks and Caicos Islands|\
      TT TTO Trinidad and Tobago/Trinidad & Tobago|US USA *United States/United States of America/USA/U.S.A./U.S.|\
      UY URY Uruguay|VC VCT Saint Vincent and the Grenadines/Saint Vincent and Grenadines|\
      VE VEN Venezuela/Venezuela, Bolivarian Republic of/Venezuela (Bolivarian Republic of)|\
      VG VGB British Virgin Islands/Virgin Islands, British/Virgin Islands (British)|\
      VI VIR United States Virgin Islands/Virgin Islands, U.S./Virgin Islands (U.S.)/US Virgin Islands/\
      U.S. Virgin Islands/Virgin Islands of the United States
      """
    ),
    (
      "asia",
      """
      AE ARE United Arab Emirates/UAE/Emirates|AF AFG Afghanistan|AM ARM Armenia|AZ AZE Azerbaijan|BD BGD Bangladesh|\
      BH BHR Bahrain|BN BRN Brunei/Brunei Darussalam|BT BTN Bhutan|CN CHN China/People's Republic of China|\
      CY CYP Cyprus|GE GEO Georgia|\
      HK HKG *Hong Kong/Hong Kong SAR China/Hong Kong Special Administrative Region of China|ID IDN Indonesia|\
      IL ISR *Israel/State of Israel|IN IND India|IQ IRQ Iraq|\
      IR IRN Iran/Iran, Islamic Republic of/Iran (Islamic Republic of)|JO JOR Jordan|JP JPN Japan|\
      KG KGZ *Kyrgyzstan/Kyrgyz Republic|KH KHM Cambodia|\
      KP PRK North Korea/Korea, Democratic People's Republic of/Korea (Democratic People's Republic of)/\
      Democratic People's Republic of Korea/Korea, North|\
      KR KOR South Korea/Korea, Republic of/Republic of Korea/Korea, South|KW KWT *Kuwait/State of Kuwait|\
      KZ KAZ Kazakhstan|LA LAO Laos/Lao People's Democratic Republic/Lao PDR|LB LBN *Lebanon/Lebanese Republic|\
      LK LKA Sri Lanka|MM MMR Myanmar/Burma/Myanmar (Burma)|MN MNG Mongolia|\
      MO MAC Macao/Macau/Macao SAR China/Macao Special Administrative Region of China|MV MDV Maldives|MY MYS Malaysia|\
      NP NPL Nepal|OM OMN Oman|PH PHL Philippines|PK PAK Pakistan|\
      PS PSE Palestine/Palestine, State of/State of Palestine/Palestinian Territory/Palestinian Territories|\
      QA QAT *Qatar/State of Qatar|SA SAU Saudi Arabia|SG SGP Singapore|SY SYR Syria/Syrian Arab Republic|\
      TH THA Thailand|TJ TJK Tajikistan|TL TLS Timor-Leste/East Timor|TM TKM Turkmenistan|TR TUR *Turkey/Turkiye|\
      TW TWN Taiwan/Taiwan, Province of China/Chinese Taipei/Republic of China|UZ UZB Uzbekistan|\
      VN VNM Vietnam/Viet Nam|YE YEM Yemen
      """
    ),
    (
      "australia",
      """
      AS ASM American Samoa|AU AUS Australia|CC CCK Cocos Islands/Cocos (Keeling) Islands|CK COK Cook Islands|\
      CX CXR Christmas Island|FJ FJI Fiji|\
      FM FSM Micronesia/Micronesia, Federated States of/Micronesia (Federated States of)/\
      Federated States of Micronesia|\
      GU GUM Guam|HM HMD Heard Island and McDonald Islands|KI KIR Kiribati|MH MHL Marshall Islands|\
      MP MNP Northern Mariana Islands|NC NCL New Caledonia|NF NFK Norfolk Island|NR NRU Nauru|NU NIU Niue|\
      NZ NZL New Zealand|PF PYF French Polynesia|PG PNG *Papua New Guinea/Independent State of Papua New Guinea|\
      PN PCN Pitcairn Islands/Pitcairn|PW PLW Palau|SB SLB Solomon Islands|TK TKL Tokelau|TO TON Tonga|TV TUV Tuvalu|\
      UM UMI *United States Minor Outlying Islands/U.S. Outlying Islands|VU VUT Vanuatu|WF WLF Wallis and Futuna|\
      WS WSM *Samoa/Independent State of Samoa
      """
    ),
    (
      "europe",
      """
      AD AND Andorra|AL ALB Albania|AT AUT Austria|AX ALA Aland Islands|\
      BA BIH Bosnia and Herzegovina/Bosnia Herzegovina/Bosnia|BE BEL Belgium|BG BGR Bulgaria|BY BLR Belarus|\
      CH CHE *Switzerland/Swiss Confederation|CZ CZE Czechia/*Czech Republic|DE DEU Germany|DK DNK Denmark|\
      EE EST Estonia|ES ESP Spain|FI FIN Finland|FO FRO Faroe Islands/Faeroe Islands/Faroes|\
      FR FRA *France/French Republic|\
      GB GBR *United Kingdom/Great Britain/UK/United Kingdom of Great Britain and Northern Ireland/Britain/U.K./\
      England/Scotland/Wales/Northern Ireland|\
      GG GGY Guernsey|GI GIB Gibraltar|GR GRC *Greece/Hellenic Republic|HR HRV Croatia|HU HUN Hungary|\
      IE IRL Ireland/Republic of Ireland|IM IMN Isle of Man|IS ISL Iceland|IT ITA *Italy/Italian Republic|\
      JE JEY Jersey|LI LIE Liechtenstein|LT LTU Lithuania|LU LUX Luxembourg|LV LVA Latvia|MC MCO Monaco|\
      MD MDA Moldova/Moldova, Republic of/Moldova (Republic of)|ME MNE Montenegro|\
      MK MKD North Macedonia/Macedonia/FYROM|MT MLT Malta|NL NLD *Netherlands/Holland/Netherlands, Kingdom of the|\
      NO NOR Norway|PL POL Poland|PT PRT *Portugal/Portuguese Republic|RO ROU Romania|RS SRB Serbia|\
      RU RUS Russia/*Russian Federation|SE SWE Sweden|SI SVN Slovenia|SJ SJM Svalbard and Jan Mayen/Svalbard|\
      SK SVK Slovakia/Slovak Republic|SM SMR San Marino|UA UKR Ukraine|\
      VA VAT Vatican City/Holy See (Vatican City State)/Holy See/Vatican|XK XKX Kosovo
      """
    ),
    (
      nil,
      """
      AQ ATA Antarctica
      """
    ),
  ]
}
