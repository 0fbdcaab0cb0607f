/// English country names and their codes of ISO 3166-1.
package enum CountryCodes {
  /// The code of a country by its English name, the beginning of one that no other shares, or the code itself.
  package static func code(of typed: String) -> String? {
    let wanted = TextFolding.folded(typed)
    if wanted.utf8.count == 2, let code = all.first(where: { $0.code.lowercased() == wanted })?.code { return code }
    if let exact = byName[wanted] { return exact }
    let begun = all.filter { country in
      wanted.utf8.count > 2 && country.names.contains { TextFolding.folded($0).hasPrefix(wanted) }
    }
    return begun.count == 1 ? begun[0].code : nil
  }

  /// The code of a country by its whole English name, as catalogues spell it; `nil` if no country is called that.
  package static func code(ofName name: String) -> String? { byName[name] ?? byName[TextFolding.folded(name)] }

  /// The code, if it is one.
  package static func code(sent code: String) -> String? { codes.contains(code) ? code : nil }

  private static let codes = Set(all.map(\.code))

  /// By names as the table spells them, because every row of a list has one, and folded.
  private static let byName = Dictionary(
    all.flatMap { country in (country.names + country.names.map(TextFolding.folded)).map { ($0, country.code) } },
    uniquingKeysWith: { first, _ in first })

  private static let all: [(code: String, names: [String])] = table.split(separator: "|").map { entry in
    let names = entry.trimmingPrefix(while: \.isWhitespace)
    return (String(names.prefix(2)), names.dropFirst(3).split(separator: "/").map(String.init))
  }

  /// A code, a space and the names, with xeno-canto's spelling among them where it differs.
  private static let table = """
    AD Andorra|AE United Arab Emirates|AF Afghanistan|AG Antigua and Barbuda|AI Anguilla|AL Albania|AM Armenia|AO Angola|
    AQ Antarctica|AR Argentina|AS American Samoa|AT Austria|AU Australia|AW Aruba|AX Aland Islands|AZ Azerbaijan|
    BA Bosnia and Herzegovina/Bosnia Herzegovina|BB Barbados|BD Bangladesh|BE Belgium|BF Burkina Faso|BG Bulgaria|BH Bahrain|
    BI Burundi|BJ Benin|BL Saint Barthelemy|BM Bermuda|BN Brunei/Brunei Darussalam|BO Bolivia|
    BQ Bonaire, Sint Eustatius and Saba/Bonaire|BR Brazil|BS Bahamas|BT Bhutan|BV Bouvet Island|BW Botswana|BY Belarus|
    BZ Belize|CA Canada|CC Cocos Islands|CD Democratic Republic of the Congo/Congo (Democratic Republic)/DR Congo|
    CF Central African Republic|CG Republic of the Congo/Congo/Congo (Brazzaville)|CH Switzerland|CI Ivory Coast/Cote d'Ivoire|
    CK Cook Islands|CL Chile|CM Cameroon|CN China|CO Colombia|CR Costa Rica|CU Cuba|CV Cape Verde/Cabo Verde|CW Curacao|
    CX Christmas Island|CY Cyprus|CZ Czechia/Czech Republic|DE Germany|DJ Djibouti|DK Denmark|DM Dominica|
    DO Dominican Republic|DZ Algeria|EC Ecuador|EE Estonia|EG Egypt|EH Western Sahara|ER Eritrea|ES Spain|ET Ethiopia|
    FI Finland|FJ Fiji|FK Falkland Islands|FM Micronesia|FO Faroe Islands|FR France|GA Gabon|
    GB United Kingdom/Great Britain/UK|GD Grenada|GE Georgia|GF French Guiana|GG Guernsey|GH Ghana|GI Gibraltar|GL Greenland|
    GM Gambia|GN Guinea|GP Guadeloupe|GQ Equatorial Guinea|GR Greece|GS South Georgia and the South Sandwich Islands|
    GT Guatemala|GU Guam|GW Guinea-Bissau|GY Guyana|HK Hong Kong|HM Heard Island and McDonald Islands|HN Honduras|HR Croatia|
    HT Haiti|HU Hungary|ID Indonesia|IE Ireland|IL Israel|IM Isle of Man|IN India|IO British Indian Ocean Territory|IQ Iraq|
    IR Iran|IS Iceland|IT Italy|JE Jersey|JM Jamaica|JO Jordan|JP Japan|KE Kenya|KG Kyrgyzstan|KH Cambodia|KI Kiribati|
    KM Comoros|KN Saint Kitts and Nevis|KP North Korea|KR South Korea|KW Kuwait|KY Cayman Islands|KZ Kazakhstan|LA Laos|
    LB Lebanon|LC Saint Lucia|LI Liechtenstein|LK Sri Lanka|LR Liberia|LS Lesotho|LT Lithuania|LU Luxembourg|LV Latvia|
    LY Libya|MA Morocco|MC Monaco|MD Moldova|ME Montenegro|MF Saint Martin|MG Madagascar|MH Marshall Islands|
    MK North Macedonia/Macedonia|ML Mali|MM Myanmar/Burma|MN Mongolia|MO Macao/Macau|MP Northern Mariana Islands|MQ Martinique|
    MR Mauritania|MS Montserrat|MT Malta|MU Mauritius|MV Maldives|MW Malawi|MX Mexico|MY Malaysia|MZ Mozambique|NA Namibia|
    NC New Caledonia|NE Niger|NF Norfolk Island|NG Nigeria|NI Nicaragua|NL Netherlands|NO Norway|NP Nepal|NR Nauru|NU Niue|
    NZ New Zealand|OM Oman|PA Panama|PE Peru|PF French Polynesia|PG Papua New Guinea|PH Philippines|PK Pakistan|PL Poland|
    PM Saint Pierre and Miquelon|PN Pitcairn Islands/Pitcairn|PR Puerto Rico|PS Palestine|PT Portugal|PW Palau|PY Paraguay|
    QA Qatar|RE Reunion|RO Romania|RS Serbia|RU Russia/Russian Federation|RW Rwanda|SA Saudi Arabia|SB Solomon Islands|
    SC Seychelles|SD Sudan|SE Sweden|SG Singapore|SH Saint Helena|SI Slovenia|SJ Svalbard and Jan Mayen/Svalbard|SK Slovakia|
    SL Sierra Leone|SM San Marino|SN Senegal|SO Somalia|SR Suriname|SS South Sudan|ST Sao Tome and Principe|SV El Salvador|
    SX Sint Maarten|SY Syria|SZ Eswatini/Swaziland|TC Turks and Caicos Islands|TD Chad|TF French Southern Territories|TG Togo|
    TH Thailand|TJ Tajikistan|TK Tokelau|TL Timor-Leste/East Timor|TM Turkmenistan|TN Tunisia|TO Tonga|TR Turkey/Turkiye|
    TT Trinidad and Tobago|TV Tuvalu|TW Taiwan|TZ Tanzania|UA Ukraine|UG Uganda|UM United States Minor Outlying Islands|
    US United States/United States of America/USA|UY Uruguay|UZ Uzbekistan|VA Vatican City|VC Saint Vincent and the Grenadines|
    VE Venezuela|VG British Virgin Islands|VI United States Virgin Islands|VN Vietnam/Viet Nam|VU Vanuatu|
    WF Wallis and Futuna|WS Samoa|XK Kosovo|YE Yemen|YT Mayotte|ZA South Africa|ZM Zambia|ZW Zimbabwe
    """
}
