import ChirperModel
import ChirperPlatform
import ChirperStore
import Foundation

/// Stores recordings page by page without a network, and prints how long that took; for `scripts/bench`, not for users.
///
///     ChirperBench DIRECTORY FILE COUNT
///
/// FILE has one recording per line, as the service would send it. After each tenth a line shows how many are stored
/// and how long a page took, in microseconds: reading its JSON, storing it.
@main
enum ChirperBench {
  private static let pageSize = 500
  private static let catalogue = CatalogueID(rawValue: "xeno-canto")

  static func main() throws {
    let arguments = CommandLine.arguments
    guard arguments.count == 4, let count = Int(arguments[3]), let lines = FileLines(path: arguments[2]) else {
      FileHandle.standardError.write(Data("usage: ChirperBench DIRECTORY FILE COUNT\n".utf8))
      exit(64)
    }
    let store = try RecordingStore.writable(in: URL(filePath: arguments[1], directoryHint: .isDirectory))
    let query = CatalogueQuery(
      catalogue: catalogue, text: "grp:birds", pageSize: pageSize, typed: "grp:birds", sent: "grp:birds")
    let pages = (count + pageSize - 1) / pageSize
    var stretch = Stretch()
    for number in 1...pages {
      let start = ContinuousClock.now
      let rows = try lines.next(min(pageSize, count - (number - 1) * pageSize)).map(recording)
      let read = ContinuousClock.now
      let page = RecordingPage(
        number: number, recordings: rows, totals: Totals(recordings: count, pages: pages),
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
    return Recording(id: RecordingID(catalogue: catalogue, value: fields["id"]?.text ?? ""), fields: fields)
  }
}

/// What some pages took.
private struct Stretch {
  private var pages = 0
  private var reading = Duration.zero
  private var storing = Duration.zero

  mutating func add(reading: Duration, storing: Duration) {
    pages += 1
    self.reading += reading
    self.storing += storing
  }

  var text: String { [reading, storing].map { String(Int($0 / .microseconds(pages))) }.joined(separator: "\t") }
}

#if canImport(Musl) || canImport(Android)
  private typealias File = OpaquePointer
#else
  private typealias File = UnsafeMutablePointer<FILE>
#endif

/// The lines of a file, a few at a time.
private final class FileLines {
  private let file: File

  init?(path: String) {
    guard let file = fopen(path, "r") else { return nil }
    self.file = file
  }

  deinit { fclose(file) }

  func next(_ count: Int) -> [[UInt8]] {
    var line: UnsafeMutablePointer<CChar>?
    var capacity = 0
    defer { free(line) }
    var lines: [[UInt8]] = []
    while lines.count < count, case let length = getline(&line, &capacity, file), length > 0, let line {
      lines.append(Array(UnsafeRawBufferPointer(start: line, count: length)))
    }
    return lines
  }
}
