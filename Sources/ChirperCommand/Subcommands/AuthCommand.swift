import ArgumentParser
import Chirper
import ChirperFormats
import Foundation

struct AuthCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "auth",
    abstract: "Store, check or remove the \(KeyFile.catalogue.name) key.",
    discussion: """
      A free key comes with a \(KeyFile.catalogue.name) account: \(KeyFile.catalogue.keyHelpAddress ?? ""). It is never an argument, because \
      arguments are visible in process lists, and it is never printed. \(KeyFile.variable) overrides the \
      stored key; \(KeyFile.fileVariable) names a file with a group's key (mode 640).

        chirper auth set
        pass show \(KeyFile.catalogue.id) | chirper auth set
        chirper auth status
        chirper auth clear
      """,
    subcommands: [Set.self, Status.self, Clear.self]
  )

  // All commands have names here: to derive one from the name of a type costs every start a
  // millisecond.
  struct Set: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "set",
      abstract: "Store the key, read from standard input or typed without echo.")

    @OptionGroup var common: CommonOptions

    func run() throws {
      let text: String
      if TerminalDevice.isInput {
        text = TerminalDevice.askSecretly("\(KeyFile.catalogue.name) key (not shown): ") ?? ""
      } else {
        text = String(decoding: FileHandle.standardInput.readData(ofLength: 8192), as: UTF8.self)
      }
      let key = text.trimmingCharacters(in: .whitespacesAndNewlines)
      guard !key.isEmpty else {
        throw UserFacingError.usage(
          "No key was given",
          hint: "Copy it from \(KeyFile.catalogue.keyHelpAddress ?? "") and type: chirper auth set")
      }
      try common.report("set", path: KeyFile.store(key), "The key is stored in")
    }
  }

  struct Status: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "status", abstract: "Show where the key comes from, never the key.")

    @OptionGroup var common: CommonOptions

    func run() throws {
      guard let current = try KeyFile.current() else {
        let help = KeyFile.catalogue.keyHelpAddress.map(UserFacingError.howToGetAKey)
        return try common.report(
          "none", path: nil, ["No key is set.", help].compactMap(\.self).joined(separator: " "))
      }
      let sentence = "The key comes from"
      try common.report(
        current.source.rawValue, path: current.path,
        current.path == nil ? "\(sentence) \(KeyFile.variable)." : sentence)
    }
  }

  struct Clear: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "clear", abstract: "Remove the stored key.")

    @OptionGroup var common: CommonOptions

    func run() throws {
      if let path = try KeyFile.clear() {
        try common.report("cleared", path: path, "The key is removed from")
      } else {
        try common.report("none", path: nil, "No key is stored.")
      }
    }
  }
}

extension CommonOptions {
  fileprivate func report(_ value: String, path: String?, _ sentence: String) throws {
    try printer.print(
      Report(
        ["key": value, "path": path], answer: [path.map { "\(sentence) \($0)." } ?? sentence]))
  }
}
