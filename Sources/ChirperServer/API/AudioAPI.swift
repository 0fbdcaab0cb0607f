import Chirper
import ChirperFormats
import ChirperModel
import Foundation
import NIOHTTP1

/// Downloaded audio, whole or in parts.
struct AudioAPI: Sendable {
  let repository: RecordingRepository

  /// The audio like `https://xeno-canto.org/ID/download`, with a file name for people.
  ///
  /// - Parameter number: the number as people type it: digits, with or without `XC`.
  func download(_ request: Request, number: String) throws -> Answer {
    // The sample takes the place of xeno-canto for those who have nothing else.
    let ids = [CatalogueID.xenoCanto, Catalogues.defaultWithoutKey.id].flatMap {
      repository.catalogue($0)?.ids(for: number) ?? []
    }
    for id in ids {
      guard let file = try downloadedFile(of: id), let answer = answer(request, file) else {
        continue
      }
      let row = try repository.recording(id).map {
        RecordingRow(recording: $0, details: repository.details(of: $0))
      }
      let name =
        row.map { "\(AudioFolder.name(of: $0)).\(file.pathExtension)" } ?? file.lastPathComponent
      return answer.with(Answer.disposition(name))
    }
    return .text(.notFound, "No audio of this recording is kept.")
  }

  /// The audio by the id of a recording, for a page.
  func answer(_ request: Request, _ id: RecordingID) throws -> Answer {
    if let file = try downloadedFile(of: id), let answer = answer(request, file) { return answer }
    throw Self.notKept(
      hint: request.isReader
        ? "Only whoever runs chirper may fetch it."
        : "POST to the same address fetches and keeps it.")
  }

  private static func notKept(hint: String) -> UserFacingError {
    UserFacingError(
      .notFetched, kind: "audio-not-kept", problem: "No audio of this recording is kept", hint: hint
    )
  }

  // MARK: Small sonograms

  /// The small picture of a sound, for its row.
  func sonogram(_ request: Request, _ id: RecordingID) throws -> Answer {
    if let file = try? repository.audio.sonogram(of: id),
      let answer = answer(request, file, type: "image/png")
    {
      return answer
    }
    throw UserFacingError(
      .notFetched, kind: "no-sonogram", problem: "This recording has no small sonogram",
      hint: "The page of whoever runs chirper draws one where audio is kept.")
  }

  /// Keeps such a picture, which the owner's page draws: only a browser decodes every kind of sound.
  func keepSonogram(_ request: Request, _ id: RecordingID) throws -> Answer {
    guard SmallSonogram.isOne(request.body) else {
      throw UserFacingError.usage(
        "The body cannot be a small sonogram",
        hint: "One is a PNG of \(SmallSonogram.width) by \(SmallSonogram.height) pixels"
          + " and at most \(SmallSonogram.mostBytes) bytes.")
    }
    guard let recording = try repository.recording(id) else { throw UserFacingError.notStoredHere }
    guard try downloadedFile(of: id) != nil else {
      throw Self.notKept(hint: "A sonogram is kept beside its sound. Fetch that first.")
    }
    guard repository.details(of: recording).mediaDuration ?? .zero <= SmallSonogram.longest else {
      throw UserFacingError.usage(
        "The sound is longer than 15 minutes", hint: "Such sounds have no small sonogram.")
    }
    do {
      try repository.audio.keepSonogram(request.body, of: id)
    } catch {
      throw UserFacingError(error, id)
    }
    return Answer(status: .noContent)
  }

  private func downloadedFile(of id: RecordingID) throws(UserFacingError) -> URL? {
    do {
      return try repository.audio.downloadedFile(of: id)
    } catch .badID {
      return nil
    } catch {
      throw UserFacingError(error, id)
    }
  }

  private func answer(_ request: Request, _ file: URL, type: String? = nil) -> Answer? {
    guard let open = DownloadedAudioFile(path: file.path) else { return nil }
    let size = open.size
    let time = open.modified
    let numbers = [size, time.seconds, time.nanoseconds].map { String($0, radix: 16) }
    let tag = "\"\(numbers.joined(separator: "-"))\""
    var answer = Answer(
      type: type ?? AudioLibrary.mediaType(of: file), body: .file(open, 0..<size),
      headers: [("Accept-Ranges", "bytes"), ("ETag", tag)])
    if request.hasAnswer(tagged: tag) {
      answer.status = .notModified
      answer.body = .bytes([])
      return answer
    }
    let isSame = request.headers.first(name: "if-range").map { $0 == tag } ?? true
    guard isSame, let asked = request.headers.first(name: "range"),
      let range = Self.range(asked, of: size)
    else { return answer }
    guard let range else {
      return Answer.text(.rangeNotSatisfiable, "The file has \(size) bytes.")
        .with(("Content-Range", "bytes */\(size)"))
    }
    answer.status = .partialContent
    answer.body = .file(open, range)
    let bounds = "\(range.lowerBound)-\(range.upperBound - 1)"
    return answer.with(("Content-Range", "bytes \(bounds)/\(size)"))
  }

  /// The range of a header such as `bytes=0-1`, `bytes=5-` or `bytes=-5`. `nil` if the
  /// whole file is to be sent, because the header has several ranges or something else. An
  /// empty optional if no byte of the file is in the range. Numbers of any length are read.
  private static func range(_ header: String, of size: Int) -> Range<Int>?? {
    guard header.hasPrefix("bytes=") else { return nil }
    let parts = header.dropFirst(6).split(separator: "-", omittingEmptySubsequences: false)
    guard parts.count == 2, parts.allSatisfy({ $0.utf8.allSatisfy { (0x30...0x39).contains($0) } })
    else { return nil }
    // No file has as many bytes as the greatest number.
    let numbers = parts.map { $0.isEmpty ? nil : Int($0) ?? .max }
    switch (numbers[0], numbers[1]) {
    case (nil, let count?):
      return .some(count > 0 && size > 0 ? (size - min(count, size))..<size : nil)
    case (let first?, nil): return .some(first < size ? first..<size : nil)
    case (let first?, let last?) where first <= last:
      return .some(first < size ? first..<(min(last, size - 1) + 1) : nil)
    default: return nil
    }
  }
}

/// The picture of the first seconds of a sound that rows show.
enum SmallSonogram {
  static let width: UInt32 = 160
  static let height: UInt32 = 36
  static let mostBytes = 8_192
  /// The longest sound that a page decodes: a quarter of an hour takes 170 MB.
  static let longest = Duration.seconds(900)

  /// The sizes, for the page that draws one.
  static let json: JSONObject = [
    "width": Int(width), "height": Int(height), "mostBytes": mostBytes,
  ]

  /// Whether bytes are one, by their length and by the first and the last chunk of a PNG.
  static func isOne(_ bytes: [UInt8]) -> Bool {
    func bigEndian(_ number: UInt32) -> [UInt8] {
      [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: number >> $0) }
    }
    let header = bigEndian(13) + Array("IHDR".utf8) + bigEndian(width) + bigEndian(height)
    let end = bigEndian(0) + Array("IEND".utf8) + bigEndian(0xAE42_6082)
    let start = [0x89] + Array("PNG\r\n\u{1A}\n".utf8) + header
    return bytes.count <= mostBytes && bytes.starts(with: start)
      && bytes.suffix(12).elementsEqual(end)
  }
}
