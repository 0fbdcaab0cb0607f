import ArgumentParser
import ChirperRemote

/// Flags of every command that has more than one thing to say.
struct CommonOptions: ParsableArguments {
  @Flag(help: "Write one JSON object to standard output, and an error as one to standard error.")
  var json = false

  @Flag(name: .customLong("no-color"), help: "Never colour anything (as with NO_COLOR).")
  var noColor = false

  /// For what stands on standard error.
  var style: Style { Style(noColor: noColor, variables: .live, isTerminal: TerminalDevice.isError) }
}

/// The catalogue to ask or to look in.
struct SourceOption: ParsableArguments {
  @Option(
    name: .customLong("source"), help: "The catalogue: xeno-canto, itunes or sample.",
    completion: .list(Catalogues.all.map(\.id.rawValue)))
  var name: String?
}
