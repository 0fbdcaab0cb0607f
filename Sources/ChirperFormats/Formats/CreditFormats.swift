import Chirper
import ChirperModel

/// The form of a list of credits; its raw value is the end of a file's name that selects it.
public enum CreditsForm: String, Sendable, CaseIterable {
  /// Lines of text.
  case text = "txt"
  /// A list in Markdown.
  case markdown = "md"
  /// A page.
  case html
  /// References for a bibliography.
  case bibtex = "bib"
}

extension RecordFormat {
  /// A list of credits, as text.
  public static let credits = credits(.text)

  /// A list of credits.
  public static func credits(_ form: CreditsForm) -> RecordFormat {
    let (title, mediaType, list): (String, String, CreditsWriter.Form?) =
      switch form {
      case .text: ("as text", "text/plain; charset=utf-8", .text)
      case .markdown: ("Markdown", "text/markdown; charset=utf-8", .markdown)
      // A browser would show a page in the name of the server.
      case .html: ("HTML", "application/octet-stream", .html)
      case .bibtex: ("BibTeX", "application/x-bibtex", nil)
      }
    // No extension selects text: selection tables and labels are text, too.
    let fileExtension = form == .text ? nil : form.rawValue
    return RecordFormat(
      name: "credits", title: "Credits, \(title)", mediaType: mediaType,
      fileExtension: fileExtension
    ) { provenance in
      guard let list else { return BibTeXWriter(provenance: provenance) }
      return CreditsWriter(form: list, provenance: provenance)
    }
  }
}

struct BibTeXWriter: RowWriter {
  let provenance: Provenance

  mutating func begin(_ out: inout [UInt8]) {
    for line in provenance.lines { out += comment(line).utf8 }
  }

  mutating func append(_ row: RecordingRow, to out: inout [UInt8]) -> Bool {
    let details = row.details
    out += "\n@misc{\(Self.key(row))".utf8
    func add(_ name: String, _ value: String) {
      for part in [",\n  ", name, " = {", value, "}"] { out.append(utf8: part) }
    }
    if let recordist = details.recordedBy.flatMap(PlainLine.text) {
      add("author", Self.name(recordist))
    }
    let type = row.soundTypes.map { ", " + $0 } ?? ""
    add("title", "{" + Self.escaped(row.title + type) + "}")
    if let date = details.eventDate {
      add("year", String(date.year))
      add("date", date.description)
    }
    let place = [details.locality, details.country].compactMap { $0.flatMap(PlainLine.text) }
      .joined(separator: ", ")
    if !place.isEmpty { add("address", Self.escaped(place)) }
    add(
      "howpublished",
      Self.escaped(
        "Sound recording, " + provenance.name(of: row.recording.id.catalogue) + ", " + row.number))
    if let page = details.pageAddress { add("url", Self.address(page)) }
    add("urldate", provenance.fetchedOn(of: row.recording.id.catalogue))
    let licence = details.licence.flatMap { PlainLine.text($0.name) } ?? "no licence given"
    add("note", Self.escaped(licence))
    out += "\n}\n".utf8
    return true
  }

  mutating func end(_ out: inout [UInt8], _ summary: ExportSummary) {
    for dataset in summary.sortedDatasets {
      out +=
        "\n@misc{dataset:\(Self.key(dataset.key)),\n  title = {{\(Self.escaped(dataset.title))}},"
        .utf8
      if let doi = dataset.doi { out += "\n  doi = {\(Self.address(doi))},".utf8 }
      if let address = dataset.address { out += "\n  url = {\(Self.address(address))},".utf8 }
      out += "\n  urldate = {\(Provenance.day(provenance.fetchedAt))},".utf8
      out +=
        "\n  howpublished = {Dataset, GBIF},\n  note = {\(Plural.words(dataset.count, "recording"))}\n}\n"
        .utf8
    }
    if let upTo = summary.upToText { out += "\n\(comment(upTo))".utf8 }
  }

  /// Text between entries is a comment; an `@` would begin an entry.
  private func comment(_ text: String) -> String { "% \(text.replacing("@", with: "(at)"))\n" }

  /// `XC535692` where the number contains the id, else catalogue and id: several sounds can have
  /// one catalogue number.
  private static func key(_ row: RecordingRow) -> String {
    if let number = row.details.catalogNumber, number.hasSuffix(row.recording.id.value),
      number.utf8.allSatisfy(isKeyByte)
    {
      return number
    }
    return key(row.identifier)
  }

  private static func key(_ text: String) -> String {
    text.utf8.map { byte in
      // Always two digits, so that no two ids have one key.
      isKeyByte(byte)
        ? String(Unicode.Scalar(byte)) : (byte < 0x10 ? "+0" : "+") + String(byte, radix: 16)
    }.joined()
  }

  private static func isKeyByte(_ byte: UInt8) -> Bool {
    switch Unicode.Scalar(byte) {
    case "a"..."z", "A"..."Z", "0"..."9", ":", ".", "-", "_": true
    default: false
    }
  }

  /// A plain name is left to BibTeX, which splits it into first and last name; everything else is
  /// kept as it is.
  private static func name(_ name: String) -> String {
    let words = name.unicodeScalars.split(separator: " ")
    let isPlain =
      (2...4).contains(words.count)
      && words.allSatisfy { word in
        // What BibTeX reads as the end of a name.
        let isKeyword =
          [3, 6].contains(word.count) && ["and", "others"].contains(String(word).lowercased())
        return !isKeyword && word.allSatisfy(isPartOfName)
      }
    return isPlain ? escaped(name) : "{\(escaped(name))}"
  }

  private static func isPartOfName(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar {
    case "a"..."z", "A"..."Z", ".", "-", "'": true
    case "\u{80}"...: scalar.properties.isAlphabetic
    default: false
    }
  }

  /// The text without braces and without commands of TeX, so braces are always balanced.
  private static func escaped(_ text: String) -> String {
    text.escaped { scalar in
      switch scalar {
      case "\\": "\\textbackslash{}"
      case "{": "\\textbraceleft{}"
      case "}": "\\textbraceright{}"
      case "^": "\\textasciicircum{}"
      case "~": "\\textasciitilde{}"
      case "&", "%", "$", "#", "_": "\\\(scalar)"
      default: nil
      }
    }
  }

  /// Addresses are read as they are, but for braces and backslashes, which no address has
  /// unencoded.
  private static func address(_ address: String) -> String {
    address.escaped {
      "\\{}".unicodeScalars.contains($0) ? "%\(String($0.value, radix: 16, uppercase: true))" : nil
    }
  }
}

/// A list of credits for people: a line per recording with its title, recordist, number and
/// licence.
struct CreditsWriter: RowWriter {
  enum Form { case text, markdown, html }

  let form: Form
  let provenance: Provenance

  mutating func begin(_ out: inout [UInt8]) {
    let title = "Sound recordings: \(provenance.title)"
    switch form {
    case .text: out += "\(title)\n\n".utf8
    case .markdown: out += "# \(Self.markdown(title))\n\n".utf8
    case .html:
      out +=
        """
        <!DOCTYPE html>
        <html lang="en">
        <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <title>\(XMLText.escaped(title))</title>
        </head>
        <body>
        <h1>\(XMLText.escaped(title))</h1>
        <ul>

        """.utf8
    }
  }

  mutating func append(_ row: RecordingRow, to out: inout [UInt8]) -> Bool {
    let details = row.details
    let page = details.pageAddress
    let licence = details.licence?.address
    switch form {
    case .text:
      out += "\(row.title): \(details.credit)\n".utf8
      for address in [page, licence].compactMap(\.self) { out += "    \(address)\n".utf8 }
    case .markdown:
      let title = Self.markdown(row.title)
      out +=
        "- \(page.map { "[\(title)](\(Self.markdownAddress($0)))" } ?? title): \(Self.markdown(details.credit))"
        .utf8
      if let licence { out += " ([licence](\(Self.markdownAddress(licence))))".utf8 }
      out += "\n".utf8
    case .html:
      let title = "<bdi>\(XMLText.escaped(row.title))</bdi>"
      out += "<li>\(page.map { "<a href=\"\(XMLText.escaped($0))\">\(title)</a>" } ?? title): ".utf8
      out += "\(row.creditHTML)</li>\n".utf8
    }
    return true
  }

  mutating func end(_ out: inout [UInt8], _ summary: ExportSummary) {
    let datasets = summary.sortedDatasets.map { dataset in
      "Dataset: \(dataset.title)\(dataset.address.map { " (\($0))" } ?? ""), \(Plural.words(dataset.count, "recording"))"
    }
    let lines =
      (summary.written > 0 ? ["Licences: \(summary.licenceText)"] : []) + datasets
      + provenance.lines
      + (summary.upToText.map { ["Range: \($0)"] } ?? [])
    switch form {
    case .text: out += "\n\(lines.joined(separator: "\n"))\n".utf8
    case .markdown:
      out += "\n## About this list\n\n\(lines.map { "- \(Self.markdown($0))\n" }.joined())".utf8
    case .html:
      let items = lines.map { "<li>\(XMLText.escaped($0))</li>\n" }.joined()
      out += "</ul>\n<h2>About this list</h2>\n<ul>\n\(items)</ul>\n</body>\n</html>\n".utf8
    }
  }

  /// One line in which nothing is markup: neither of Markdown nor of the HTML that Markdown may
  /// contain.
  private static func markdown(_ text: String) -> String {
    // At the beginning of an item these, after digits or alone, would begin a list in it.
    let digits = text.unicodeScalars.prefix { ("0"..."9").contains($0) }
    let isList =
      text.unicodeScalars[digits.endIndex...].first.map { "-+.".unicodeScalars.contains($0) }
      ?? false
    let start = isList ? digits + "\\".unicodeScalars : digits
    return String(start)
      + String(text.unicodeScalars[digits.endIndex...]).escaped { scalar in
        switch scalar {
        case "&": "&amp;"
        case "<": "&lt;"
        case ">": "&gt;"
        case "\\", "`", "*", "_", "{", "}", "[", "]", "(", ")", "#", "!", "|", "~", "$", "@":
          "\\\(scalar)"
        default: nil
        }
      }
  }

  /// An address in parentheses.
  private static func markdownAddress(_ address: String) -> String {
    address.escaped { scalar in
      switch scalar {
      case "(", ")", "\\": "%\(String(scalar.value, radix: 16, uppercase: true))"
      case "&": "&amp;"
      case "_", "*": "\\\(scalar)"
      default: nil
      }
    }
  }
}

extension RecordingRow {
  /// The credit, and a link to the text of the licence, as HTML.
  var creditHTML: String {
    let credit = "<bdi>\(XMLText.escaped(details.credit))</bdi>"
    guard let licence = details.licence?.address else { return credit }
    return credit + " (<a href=\"\(XMLText.escaped(licence))\">licence</a>)"
  }
}
