import ChirperModel
import Foundation

/// The SHA-256 of complete audio files, stored when each was completed, so that a change on the
/// disk is noticed.
///
/// They are in `.sha256` in the audio directory, a line a file as `sha256sum` writes and checks it:
/// `HASH  xeno-canto/535692.mp3`. Of several lines for one file the last counts, and those of files
/// that are not there any more do not.
package struct AudioSums {
  private static let name = ".sha256"
  /// A longer file is not read.
  private static let sizeLimit = 256 << 20
  /// `audio` in the data directory.
  let directory: URL

  package init(directory: URL) { self.directory = directory }

  /// The name of a file in the audio directory.
  package static func name(of file: URL) -> String {
    "\(file.deletingLastPathComponent().lastPathComponent)/\(file.lastPathComponent)"
  }

  /// Adds the line of a file that is about to get its name.
  func add(_ sha256: String, for file: URL) throws(AudioError) {
    guard let descriptor = AudioFile.openFolder(in: directory)?.openOrCreate(Self.name),
      descriptor >= 0
    else { throw failed }
    defer { close(descriptor) }
    // A line is added in one call, so that those of other processes stay whole.
    let name = Self.name(of: file)
    guard fcntl(descriptor, F_SETFL, O_APPEND) == 0 else { throw failed }
    if let code = Descriptor.write(Array("\(sha256)  \(name)\n".utf8), to: descriptor) {
      throw .file(path: path, errno: code)
    }
  }

  /// The hashes by the names of their files in the audio directory.
  package func read() throws(AudioError) -> [String: String] {
    guard let folder = AudioFile.openFolder(in: directory), folder.status(of: Self.name) != nil
    else { return [:] }
    let descriptor = folder.open(Self.name)
    guard descriptor >= 0 else { throw failed }
    defer { close(descriptor) }
    guard (folder.size(of: Self.name) ?? 0) <= Self.sizeLimit else {
      throw .file(path: path, errno: EFBIG)
    }
    let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: false)
    guard let bytes = try? file.read(upToCount: Self.sizeLimit) ?? Data() else { throw failed }
    var sums: [String: String] = [:]
    for line in bytes.split(separator: UInt8(ascii: "\n")) {
      let hash = line.prefix(64)
      guard hash.count == 64, line.dropFirst(64).starts(with: "  ".utf8) else { continue }
      sums[String(decoding: line.dropFirst(66), as: UTF8.self)] = String(
        decoding: hash, as: UTF8.self)
    }
    return sums
  }

  private var path: String { directory.appending(path: Self.name).path }

  private var failed: AudioError { .file(path: path, errno: errno == 0 ? EIO : errno) }
}

/// The complete audio files, compared with the SHA-256 that each had when it was completed.
package struct AudioComparison: Hashable, Sendable {
  /// One of several parts of about equal size: 3 of 10. The name of a file decides which part it is
  /// in, so that ten calls look at all files, also if some come and go in between.
  package struct Part: Hashable, Sendable {
    /// The number of the part, from 1 on.
    let number: Int
    let count: Int

    /// - Returns: `nil` for numbers that are not those of a part.
    package init?(_ number: Int, of count: Int) {
      guard (1...1000).contains(count), (1...count).contains(number) else { return nil }
      self.number = number
      self.count = count
    }

    fileprivate func contains(_ name: String) -> Bool {
      let bits = SHA256.digest(Array(name.utf8)).prefix(4).reduce(0) { $0 << 8 | Int($1) }
      return bits % count == number - 1
    }
  }

  /// Files that were looked at.
  package fileprivate(set) var files = 0
  /// Files with the bytes that were completed.
  package fileprivate(set) var same = 0
  /// Files without a stored hash: completed before hashes were stored, or by others.
  package fileprivate(set) var unknown = 0
  /// The names of files with other bytes, as `xeno-canto/535692.mp3`.
  package fileprivate(set) var changed: [String] = []
  /// The names of files that cannot be read.
  package fileprivate(set) var unreadable: [String] = []
}

extension AudioLibrary {
  /// Compares complete files with the SHA-256 that each had when it was completed.
  ///
  /// - Parameter progress: called before each file, with those before it and all.
  /// - Throws: `AudioError` if the hashes cannot be read, and `CancellationError` soon after the task
  ///   is cancelled.
  package func comparison(
    of part: AudioComparison.Part?, progress: (_ done: Int, _ total: Int) -> Void
  ) throws -> AudioComparison {
    let sums = try AudioSums(directory: directory).read()
    let names = downloadedFiles().map(\.name).filter { part?.contains($0) ?? true }
    var found = AudioComparison()
    for name in names {
      progress(found.files, names.count)
      found.files += 1
      guard let sum = sums[name] else {
        found.unknown += 1
        continue
      }
      do {
        let file = directory.appending(path: name, directoryHint: .notDirectory)
        if try Self.content(of: file).sha256 == sum {
          found.same += 1
        } else {
          found.changed.append(name)
        }
      } catch is AudioError {
        found.unreadable.append(name)
      }
    }
    return found
  }
}
