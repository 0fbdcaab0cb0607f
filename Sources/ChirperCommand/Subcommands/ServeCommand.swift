import ArgumentParser
import ChirperFormats
import ChirperModel
import ChirperServer
import ChirperTerminal
import Foundation

struct ServeCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "serve",
    abstract: "Show what is stored in a browser, and to programs.",
    discussion: """
      --open shows the page: rows, recordings with sound and sonogram, map and charts.

      Scripts written for xeno-canto's API find the same fields in the same shape at this machine's address, with any key. \
      Ctrl-C ends it. man 7 chirper-server has what is answered, and one line for each client that others wrote.

        chirper serve --open
        chirper serve --port 9000
        chirper serve --listen 0.0.0.0    for others, with a link that only reads
        curl 'http://127.0.0.1:8642/api/3/recordings?query=q:A'
      """
  )

  @Option(
    help: ArgumentHelp(
      "Listen on this port of this machine; 0 for any that is free.", valueName: "number"),
    transform: ServeCommand.port)
  var port = 8642

  @Option(
    help: ArgumentHelp(
      "Listen on this address of this machine, 0.0.0.0 for all: other machines can ask, with a token. (default: 127.0.0.1)",
      valueName: "address"))
  var listen: String?

  @Option(
    name: .customLong("allow-host"),
    help: .rare(
      "A name by which it is reached too, as that of a reverse proxy.", valueName: "name"))
  var allowHost: String?

  @Option(
    name: .customLong("allow-origin"),
    help: .rare(
      "Let pages of this origin ask it: https://page.example.", valueName: "origin"))
  var allowOrigin: String?

  @Flag(
    name: .customLong("public"),
    help: "With --listen: reading needs no token, for a network that you trust; changing does.")
  var isPublic = false

  @Flag(
    help: .rare("Lead programs to this server for audio that is kept; reading must need no token."))
  var ownAudio = false

  @Option(
    help: ArgumentHelp(
      "With --listen: whose link the QR code on the terminal is, in place of the class's.",
      valueName: "who"))
  var qr: LinkReader?

  @Flag(help: "Open its page in the browser.")
  var open = false

  @OptionGroup var names: NamesOption

  func run() async throws {
    let session = try Session()
    let repository = try names.applied(to: session.repositoryOrReadOnly())
    let defaultCatalogue = try session.catalogue(flag: nil).catalogue
    let dependencies = try CommandLog.dependencies()
    guard qr == nil || listen != nil else {
      throw UserFacingError.usage(
        "--qr shows a link for other machines, which reach this server only with --listen",
        hint: "Type: chirper serve --listen 0.0.0.0 --qr owner")
    }
    let access = try ServerAccess(
      address: listen, host: allowHost, origin: allowOrigin, isPublic: isPublic,
      offersAudio: ownAudio, showsCode: TerminalDevice.isError,
      directory: ProcessEnvironment.live.dataDirectory())
    ProcessLimits.allowManyFiles()
    let server = try await LocalServer(
      repository, access, port: port, defaultCatalogue: defaultCatalogue,
      hasKey: { session.hasKey($0) },
      dependencies: dependencies)
    SignalWatch.start([SIGINT, SIGTERM, SIGHUP]) { _ in server.stop() }
    describe(server, access)
    // Whoever sees the links needs no address that answers nobody without a token.
    let showsLinks = TerminalDevice.isError && TerminalDevice.isOutput && !access.isLoopback
    if !showsLinks { try ByteSink.printOut(server.url) }
    let file = open ? LinkFile(server.link(for: .owner)) : nil
    defer { file?.remove() }
    if open {
      let problem =
        file.map { WebBrowser.open($0.path) }
        ?? "no file can be written that leads the browser to the page"
      if let problem { Console.line(problem) }
    }
    try await server.run()
  }

  private func describe(_ server: LocalServer, _ access: ServerAccess) {
    let example = "Try: curl '\(server.url)api/3/recordings?query=q:A'"
    Console.line(access.isLoopback ? "Ctrl-C ends it. \(example)" : "Ctrl-C ends it.")
    if !access.isLoopback {
      Console.line("Not encrypted: others on this network can see the tokens and everything sent.")
      if let all = access.owner.file, let reading = access.reader.file {
        Console.line(
          "Programs send a token as key=, X-API-Key or Authorization: Bearer: "
            + "\(all.path) has the one for everything, \(reading.path) the one for reading.")
      }
    }
    // The tokens are for the eyes of who started it, and not for the log of a service.
    guard TerminalDevice.isError else { return }
    guard !access.isLoopback else {
      return Console.line("In a browser: \(server.link(for: .owner))")
    }
    Console.line("For you: \(server.link(for: .owner))")
    let link = server.link(for: .reader)
    if let code = QRCode(qr == .owner ? server.link(for: .owner) : link) {
      for line in code.terminalLines { Console.write(line + "\n") }
      Console.line(
        qr == .owner
          ? "The QR code is your link: whoever scans it may change everything."
          : "The QR code is the class's link. --qr owner shows yours.")
    }
    if let code = access.code {
      Console.line("To read aloud to a class: the code \(code.text) at \(server.url)")
    }
    Console.line("For a class, only to read:")
    Console.write("\u{1B}[1m\(link)\u{1B}[0m\n")
  }

  /// The person that a link to the page is for.
  enum LinkReader: String, ExpressibleByArgument, CaseIterable {
    case `class`, owner
  }

  private static func port(_ text: String) throws -> Int {
    guard text.utf8.allSatisfy({ $0.isDigit }), let port = UInt16(text) else {
      throw ValidationError("type a number from 0 to 65535")
    }
    return Int(port)
  }
}
