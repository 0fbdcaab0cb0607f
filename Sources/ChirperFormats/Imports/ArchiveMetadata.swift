import ChirperModel

/// The DOI, title and date in the description of an archive, which is Ecological Metadata Language.
/// What cannot be read is missing: the rows do not need it.
struct ArchiveMetadata {
  private(set) var doi: String?
  private(set) var title: String?
  /// `2026-11-20`
  private(set) var date: String?
  /// The identifier of the archive, without its version; `nil` if it has none.
  private(set) var dataset: String?
  /// The program that wrote it.
  private(set) var system: String?

  init(_ bytes: [UInt8]) {
    var scanner = XMLScanner(bytes)
    var (path, texts): ([String], [String: String]) = ([], [:])
    while let event = try? scanner.next() {
      switch event {
      case .start(let name, let attributes):
        path.append(name)
        if name == "eml" {
          system = attributes["system"]
          texts["packageId"] = attributes["packageId"]
        }
        guard path.count < 100 else { return }
      case .end: _ = path.popLast()
      case .text(let text):
        let name = path.suffix(2).joined(separator: "/")
        if texts[name] == nil {
          texts[name] = text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        }
      }
    }
    dataset = texts["packageId"].map { id in
      // `UUID/v1.5`
      let parts = id.split(separator: "/")
      return parts.count > 1 && parts.last?.hasPrefix("v") == true
        ? parts.dropLast().joined(separator: "/") : id
    }
    title = texts["dataset/title"]
    date = (texts["dataset/pubDate"] ?? texts["gbif/dateStamp"]).flatMap { text in
      PartialDate(String(text.prefix(10)))?.description
    }
    doi =
      ["dataset/alternateIdentifier", "packageId", "gbif/citation"].lazy
      .compactMap { texts[$0].flatMap { DOI.first(in: $0) } }.first
  }
}

/// Digital object identifiers in texts.
enum DOI {
  /// The first one in a text, in lower case and without an address before it; `nil` if there is
  /// none.
  ///
  /// - Parameter beginning: of the identifier.
  static func first(in text: String, of beginning: String = "10.") -> String? {
    let bytes = Array(text.lowercased().utf8)
    let wanted = Array(beginning.utf8)
    guard bytes.count >= wanted.count else { return nil }
    func isOfNumber(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) || byte == 0x2E }
    for start in 0...(bytes.count - wanted.count)
    where (start == 0 || !isOfNumber(bytes[start - 1])) && bytes[start...].starts(with: wanted) {
      // No later start is in the number, so that a text is read twice at most.
      let number = bytes[start...].dropFirst(3).prefix(while: isOfNumber)
      guard number.count >= 4, bytes[number.endIndex...].first == UInt8(ascii: "/") else {
        continue
      }
      let suffix = bytes[(number.endIndex + 1)...].prefix {
        $0 > 0x20 && !"<>\"'()[]{},;".utf8.contains($0)
      }
      guard let last = suffix.lastIndex(where: { $0 != 0x2E }) else { continue }
      return String(decoding: bytes[start...last], as: UTF8.self)
    }
    return nil
  }
}
