import ArgumentParser
import Chirper
import ChirperFormats
import ChirperPlatform
import ChirperServer
import Foundation

struct ServeCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "serve",
    abstract: "Answer other programs as xeno-canto does, from what is stored; works offline.",
    discussion: """
      Scripts written for xeno-canto's API find the same fields in the same shape at this machine's address, with any key. \
      Ctrl-C ends it. docs/serve.md has what is answered, and one line for each client that others wrote.

        chirper serve
        chirper serve --port 9000
        curl 'http://127.0.0.1:8642/api/3/recordings?query=q:A'
      """
  )

  @Option(
    help: ArgumentHelp("Listen on this port of this machine; 0 for any that is free.", valueName: "number"),
    transform: ServeCommand.port)
  var port = 8642

  func run() async throws {
    let repository = try Session().repositoryOrReadOnly()
    let dependencies = try CommandLog.dependencies(.live)
    let server = try await LocalServer(repository, port: port, logger: dependencies.logger)
    SignalWatch.start([SIGINT, SIGTERM, SIGHUP]) { _ in server.stop() }
    Console.line("Ctrl-C ends it. Try: curl 'http://127.0.0.1:\(server.port)/api/3/recordings?query=q:A'")
    try ByteSink.printOut("http://127.0.0.1:\(server.port)/")
    try await server.run()
  }

  private static func port(_ text: String) throws -> Int {
    guard text.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let port = UInt16(text) else {
      throw ValidationError("type a number from 0 to 65535")
    }
    return Int(port)
  }
}
