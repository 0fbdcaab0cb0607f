import Chirper
import ChirperModel
import Foundation

#if !Collection
#error("ChirperFormats needs the trait Collection of the package chirper: traits: [\"Collection\"]")
#endif

/// A file that an app writes: some of the stored recordings, in a format.
///
/// The module has what people and programs read and write. Its surface for an app is this type and
/// `DataSet`; the front ends of this package also use the texts, tables and readers in its rooms.
///
///     var selection = Selection([query])
///     selection.purposes = [.commercial]
///     let export = Export(.geojson, of: selection)
///     let report = try await export.write(to: url, from: repository)
public struct Export: Sendable {
  /// The format of the file.
  public var format: RecordFormat
  /// The recordings that are written.
  public var selection: Selection
  /// The names of the columns, for a format that takes some (`RecordFormat.takesColumns`); `nil`
  /// for all.
  public var columns: [String]?
  /// Whether a table has the columns that are the same for every catalogue; otherwise, if all rows
  /// are of one catalogue, it has the fields as they were sent.
  public var writesTidyColumns = false
  /// Whether a format with selections of audio files (`raven`, `audacity`) has the rows whose audio
  /// is not downloaded, if that of other rows is.
  public var writesRowsWithoutAudio = false
  /// Whether text that a spreadsheet would run as a formula begins with `'`, and a table with a
  /// byte order mark.
  public var escapesFormulas = false

  /// An export.
  ///
  /// - Parameters:
  ///   - format: how the recordings are written.
  ///   - selection: the recordings that are written; without one, everything stored.
  public init(_ format: RecordFormat, of selection: Selection = Selection()) {
    self.format = format
    self.selection = selection
  }

  /// The result of an export.
  public struct Report: Hashable, Sendable {
    /// Recordings written.
    public let written: Int
    /// Recordings left out because they do not have what the format needs (`RecordFormat.needs`),
    /// or their audio is not downloaded (`writesRowsWithoutAudio`).
    public let leftOut: Int
    /// Recordings left out because of the purposes.
    public let notAllowed: Int
    /// Recordings written, by the short names of their licences; an empty name for those without
    /// one. Empty if the format has the fields as they were sent.
    public let licences: [String: Int]
  }

  /// Writes a file, which takes the place of an existing one once it is whole.
  ///
  /// - Parameters:
  ///   - file: the URL of the file.
  ///   - repository: the recordings are read from its store, in batches, on a thread of the
  ///     library.
  ///   - progress: called with the recordings written so far and all of them, on that thread.
  /// - Throws: `SelectionError`, `ExportError`, `StoreError`, `SearchExpressionError`, and `CancellationError` soon
  ///   after the task is cancelled. The file is as it was then.
  public func write(
    to file: URL, from repository: RecordingRepository,
    progress: @escaping @Sendable (_ done: Int, _ total: Int) -> Void = { _, _ in }
  ) async throws -> Report {
    try await ExportError.converting([file]) {
      let output = try AtomicFile(path: file.path)
      return try AtomicFile.committing([output]) { try write(output.sink, repository, progress) }
    }
  }

  /// Writes to an open file, from its current position, and does not close it. After an error,
  /// part of the file may be written.
  ///
  /// - Parameter progress: called after each batch with the rows written, and all rows.
  public func write(
    to handle: FileHandle, from repository: RecordingRepository,
    progress: @escaping @Sendable (_ done: Int, _ total: Int) -> Void = { _, _ in }
  ) async throws -> Report {
    try await ExportError.converting {
      try format.writing(to: ByteSink(handle.fileDescriptor, path: "file")) {
        try write($0, repository, progress)
      }
    }
  }

  /// The bytes of the file, for a small selection; the parameters are those of
  /// `write(to:from:progress:)`.
  public func data(from repository: RecordingRepository) async throws -> (
    data: Data, report: Report
  ) {
    try await ExportError.converting {
      let output = MemoryOutput()
      let report = try format.writing(to: output) { try write($0, repository) { _, _ in } }
      return (Data(output.buffer), report)
    }
  }

  private func write(
    _ output: any ByteOutput, _ repository: RecordingRepository,
    _ progress: @escaping @Sendable (Int, Int) -> Void
  ) throws -> Report {
    let rows = try repository.rows(of: selection)
    try rows.checkCatalogues()
    try rows.checkIsWhole(forExport: true)
    var options = WriteOptions(now: WallClock.now())
    if format.takesColumns, let columns, !columns.isEmpty {
      options.columns = columns.uniqued.joined(separator: ",")
    }
    options.columnSet = writesTidyColumns ? .tidy : .raw
    options.describesRows = true
    options.isSpreadsheetSafe = escapesFormulas
    options.hasAllRows = writesRowsWithoutAudio
    options.progress = { [count = rows.count] in progress($0, count) }
    let summary = try rows.write(format, options, to: output)
    return Report(
      written: summary.written, leftOut: summary.leftOut + summary.withoutAudio,
      notAllowed: rows.leftOutByPurpose, licences: summary.licences)
  }
}

extension RecordingCounts {
  /// The counts as a table. It has a column for each key and `recordings`. For months,
  /// weeks and hours it also has `stored` and `share`, the recordings' part of everything
  /// stored.
  ///
  /// - Parameters:
  ///   - format: `csv`, `tsv`, `json` or `jsonl`.
  ///   - search: the search that found the recordings; a JSON file names it.
  /// - Throws: `ExportError` for a different format.
  public func data(as format: RecordFormat, of search: SearchExpression? = nil) throws -> Data {
    guard RecordFormat.tidy.contains(format) else {
      throw ExportError.invalid(
        code: "usage", message: "Counts cannot be written as \(format.name).")
    }
    let output = MemoryOutput()
    let table = CountTable(
      self, search: search?.description ?? "", lists: [], offset: 0, limit: nil)
    try table.write(format, WriteOptions(now: WallClock.now()), to: output)
    return Data(output.buffer)
  }
}
