import ArgumentParser
import Chirper
import ChirperFormats
import Foundation

/// The division of a data set into parts.
struct SplitOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Shares of the parts for training, validation and test: 80/10/10.", valueName: "shares"))
  var split: String?

  @Option(help: .rare("With --split: which of the possible divisions. (default: 1)"))
  var seed: Int?

  @Option(
    help: .rare(
      "With --split: keep together what is of one recordist, or of one place: place:25 is a grid of 25 km. (default: recordist)",
      valueName: "what"))
  var by: String?

  @Option(
    name: .customLong("hold-out"),
    help: .rare("With --split: the test part is country:PL, recordist:NAME or species:NAME."))
  var holdOut: String?

  @Option(
    name: .customLong("split-file"),
    help: .rare("A CSV file with the part of each recording, in columns id and split."),
    completion: .file())
  var splitFile: String?

  func check() throws(UserFacingError) {
    if split == nil,
      let option = [
        seed.map { _ in "--seed" }, by.map { _ in "--by" }, holdOut.map { _ in "--hold-out" },
      ].compactMap(\.self).first
    {
      throw .usage("\(option) needs --split", example: "--split 80/10/10 \(option) …")
    }
    if splitFile != nil, split != nil {
      throw .together(["--split", "--split-file"])
    }
  }

  /// The division that the options describe; `nil` if none was typed.
  ///
  /// - Parameter folder: the folder of the definition, in which the name of a file begins; empty
  ///   for the working directory.
  func definition(in folder: String) throws(UserFacingError) -> DataSetDefinition.Split? {
    var definition = DataSetDefinition.Split()
    if let splitFile {
      definition.file = Self.path(of: splitFile, from: folder)
      return definition
    }
    guard let split else { return nil }
    let typed = split.split(separator: "/", omittingEmptySubsequences: false)
    let shares = typed.compactMap { Double($0) }.filter { (0...100).contains($0) }
    guard (2...3).contains(typed.count), shares.count == typed.count else {
      throw .usage(
        "--split needs two or three shares",
        hint: "Type training/validation/test, as in 80/10/10, or training/test, as in 80/20.")
    }
    definition.shares = shares.count == 3 ? shares : [shares[0], 0, shares[1]]
    definition.seed = seed ?? definition.seed
    if let by, by != "recordist" {
      let parts = by.split(separator: ":", maxSplits: 1)
      let kilometres = parts.count == 2 ? Double(parts[1]) : 25
      guard parts.first == "place", let kilometres else {
        throw .usage("--by does not know \(by.inQuotes)", hint: "Type recordist or place:25.")
      }
      definition.grouping = .place(kilometres: kilometres)
    }
    if let holdOut {
      guard let known = DataSetDefinition.HoldOut(holdOut) else {
        throw .usage(
          "--hold-out does not know \(holdOut.inQuotes)",
          hint: "Type country:PL, recordist:NAME or species:NAME.")
      }
      definition.holdOut = known
    }
    return definition
  }

  private static func path(of file: String, from folder: String) -> String {
    guard !folder.isEmpty, !file.hasPrefix("/") else { return file }
    func parts(_ folder: URL) -> [Substring] {
      folder.resolvingSymlinksInPath().path.split(separator: "/")
    }
    let url = URL(filePath: file)
    let start = parts(URL(filePath: folder))
    let end = parts(url.deletingLastPathComponent())
    let shared = zip(start, end).prefix { $0 == $1 }.count
    let up = [Substring](repeating: "..", count: start.count - shared)
    return (up + end.dropFirst(shared) + [Substring(url.lastPathComponent)]).joined(separator: "/")
  }
}
