import ChirperModel
import ChirperStore
import Foundation

/// Stores recordings page by page without a network, and prints how long that took; for
/// `scripts/bench`, not for users.
///
///     ChirperBench DIRECTORY FILE COUNT [LISTS]
///
/// FILE has one recording per line, as the service would send it. After each tenth a line
/// shows how many are stored and how long a page took, in microseconds: reading its JSON,
/// storing it.
///
/// With LISTS they are in that number of lists, `gen:list1` and so on. Each tenth list has
/// GBIF's copies of recordings of the first; `gen:three` has the recordings of the first
/// three.
@main
enum ChirperBench {
  private static let pageSize = 500
  private static let catalogue = CatalogueID(rawValue: "xeno-canto")
  private static let copies = CatalogueID(rawValue: "gbif")

  static func main() throws {
    let arguments = CommandLine.arguments
    guard (4...5).contains(arguments.count), let count = Int(arguments[3]),
      let lists = Int(arguments.last ?? "")
    else {
      FileHandle.standardError.write(
        Data("usage: ChirperBench DIRECTORY FILE COUNT [LISTS]\n".utf8))
      exit(64)
    }
    let store = try RecordingStore.writable(
      in: URL(filePath: arguments[1], directoryHint: .isDirectory))
    let file = arguments[2]
    guard arguments.count == 5 else {
      return try add("grp:birds", count, of: FileLines(path: file), to: store)
    }
    let (lines, again) = try (FileLines(path: file), FileLines(path: file))
    for number in 1...lists where number % 10 != 0 {
      try add("gen:list\(number)", count / lists, of: lines, to: store)
    }
    let copied = try FileLines(path: file)
    for number in 1...lists where number % 10 == 0 {
      try add("list\(number)", count / lists, of: copied, isCopy: true, to: store)
    }
    try add("gen:three", 3 * count / lists, of: again, to: store)
  }

  /// Stores a list of the next recordings.
  private static func add(
    _ text: String, _ count: Int, of lines: FileLines, isCopy: Bool = false,
    to store: RecordingStore
  ) throws {
    let query = CatalogueQuery(
      catalogue: isCopy ? copies : catalogue, identity: text, pageSize: pageSize, typed: text,
      requestText: text)
    let pages = (count + pageSize - 1) / pageSize
    var stretch = Stretch()
    for number in 1...pages {
      let start = ContinuousClock.now
      let rows = try lines.next(min(pageSize, count - (number - 1) * pageSize)).map(
        isCopy ? copy : recording)
      let read = ContinuousClock.now
      let page = RecordingPage(
        number: number, recordings: rows,
        totals: RecordingPage.Totals(recordings: count, pages: pages),
        next: number < pages ? number + 1 : nil)
      _ = try store.store(page, of: query, startsWalk: number == 1, now: WallClock.now())
      stretch.add(reading: read - start, storing: ContinuousClock.now - read)
      if number % max(1, pages / 10) == 0 {
        print("\(number * pageSize)\t\(stretch.text)")
        stretch = Stretch()
      }
    }
    _ = try store.closeWalk(of: query, evenIfShifted: false, now: WallClock.now())
  }

  private static func recording(_ line: [UInt8]) throws -> Recording {
    let fields = try RecordingFields(json: String(decoding: line, as: UTF8.self))
    return Recording(
      id: RecordingID(catalogue: catalogue, value: fields["id"]?.text ?? ""), fields: fields)
  }

  /// The copy of a recording that GBIF has, in the fields by which chirper knows a copy.
  private static func copy(_ line: [UInt8]) throws -> Recording {
    let original = try recording(line)
    let id = original.id.value
    let fields = try RecordingFields(
      json: """
        {"key":"\(id)","datasetKey":"b1047888-ae52-4179-9dd5-5448ea342a24","catalogNumber":"XC\(id)","scientificName":\
        "\(original.fields["gen"]?.text ?? "") \(original.fields["sp"]?.text ?? "")","media":[{"type":"Sound","identifier":\
        "https://xeno-canto.org/\(id)/download","license":"http://creativecommons.org/licenses/by-nc-sa/4.0/"}]}
        """)
    return Recording(id: RecordingID(catalogue: copies, value: "\(id)-0"), fields: fields)
  }
}

/// The time that some pages took.
private struct Stretch {
  private var pages = 0
  private var reading = Duration.zero
  private var storing = Duration.zero

  mutating func add(reading: Duration, storing: Duration) {
    pages += 1
    self.reading += reading
    self.storing += storing
  }

  var text: String {
    [reading, storing].map { String(Int($0 / .microseconds(pages))) }.joined(separator: "\t")
  }
}

#if canImport(Musl) || canImport(Android)
private typealias File = OpaquePointer
#else
private typealias File = UnsafeMutablePointer<FILE>
#endif

/// The lines of a file, a few at a time.
private final class FileLines {
  private let file: File

  init(path: String) throws {
    guard let file = fopen(path, "r") else { throw CocoaError(.fileNoSuchFile) }
    self.file = file
  }

  deinit { fclose(file) }

  func next(_ count: Int) -> [[UInt8]] {
    var line: UnsafeMutablePointer<CChar>?
    var capacity = 0
    defer { free(line) }
    var lines: [[UInt8]] = []
    while lines.count < count, case let length = getline(&line, &capacity, file), length > 0,
      let line
    {
      lines.append(Array(UnsafeRawBufferPointer(start: line, count: length)))
    }
    return lines
  }
}
