import ChirperFormats

/// The output of a command: its answer on standard output, and everything else on standard error.
struct Printer: Sendable {
  /// Whether the answer is one JSON object.
  let isJSON: Bool
  /// Whether neither notes nor progress are shown.
  var isQuiet = false
  /// Whether lines are printed that say what was done.
  var hasNotes: Bool

  /// The progress of work, on a terminal.
  ///
  /// - Parameter delay: the time before it is shown, so that quick work has none.
  func progress(after delay: Duration = .milliseconds(500)) -> ProgressLine {
    ProgressLine(isShown: TerminalDevice.canRewriteError && !isQuiet, after: delay)
  }

  /// Runs work that a signal ends, and shows its progress once it has taken half a second.
  ///
  /// - Parameter changesNothing: whether the work only reads, so that nothing of it is left.
  func showingProgress<Value: Sendable>(
    changesNothing: Bool = false, _ work: @escaping @Sendable (ProgressLine) async throws -> Value
  ) async throws -> Value {
    let line = progress()
    return try await SignalHandling.interruptible(changesNothing: changesNothing) {
      defer { line.close() }
      return try await work(line)
    }
  }

  /// Prints a line that says what was done.
  func note(_ line: String?) {
    if hasNotes, let line { Console.line(line) }
  }

  func notes(_ lines: [String]) {
    for line in lines { note(line) }
  }

  /// Prints a line about a failure, also if only errors are printed.
  func problem(_ line: String) {
    if !isJSON { Console.line(line) }
  }

  /// Prints the object, or the lines.
  func print(_ report: Report) throws {
    guard !isJSON else { return try ByteSink.printOut(report.json.text) }
    for line in report.answer { try ByteSink.printOut(TerminalText.escaped(line)) }
    notes(report.notes)
  }

  /// Prints lines as they come, or one object with all of them.
  ///
  /// - Parameter member: the name that they have in the object.
  func lines(_ member: String) -> PrintedLines { PrintedLines(isJSON: isJSON, member: member) }
}

/// Lines on standard output, or one JSON object with all of them.
struct PrintedLines {
  private let sink = ByteSink.standardOutput()
  private let isJSON: Bool
  private var isFirst = true

  fileprivate init(isJSON: Bool, member: String) {
    self.isJSON = isJSON
    if isJSON { sink.buffer += "{\"\(member)\":[".utf8 }
  }

  mutating func add(_ text: String, _ json: JSONObject) throws {
    if isJSON {
      sink.buffer += "\(isFirst ? "" : ",")\n\(json.text)".utf8
      isFirst = false
      try sink.writeIfFull()
    } else {
      try sink.line(TerminalText.escaped(text))
    }
  }

  /// Ends the object with further members, or the lines with a last one.
  func end(_ members: JSONObject, line: String? = nil) throws {
    if isJSON {
      try sink.line("\n],\(members.text.dropFirst())")
    } else if let line {
      try sink.line(TerminalText.escaped(line))
    }
    try sink.flush()
  }
}
