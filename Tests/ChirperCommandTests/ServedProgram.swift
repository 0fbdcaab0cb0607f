import ChirperTestSupport
import Foundation
import Testing

/// Runs `chirper serve` over the lists of the program until `body` ends, then interrupts it, which
/// must end it without an error.
func withServer(_ program: BuiltProgram, _ options: String..., body: (Int) throws -> Void) throws {
  try withServer(of: program.start(arguments: ["serve", "--port", "0"] + options), body: body)
}

/// The same with a server that was started.
func withServer(of server: BuiltProgram.Running, body: (Int) throws -> Void) throws {
  var port: Int?
  while port == nil, server.process.isRunning {
    port = try server.output.split(separator: ":").last.flatMap { Int($0.prefix { $0.isNumber }) }
    if port == nil { usleep(20_000) }
  }
  defer { server.process.interrupt() }
  try body(try #require(port))
  server.process.interrupt()
  let result = try server.result()
  #expect(result.status == 0, "\(result)")
}

/// The answer to a request with the token of the program's servers.
func send(
  _ method: String, _ target: String, _ program: BuiltProgram, _ port: Int, body: String = ""
) throws -> RawClient.Answer {
  let client = try #require(RawClient(port: port))
  defer { client.close() }
  let lines = [
    "\(method) \(target) HTTP/1.1", "Host: 127.0.0.1:\(port)", "Connection: close",
    "X-API-Key: \(try program.token)", "Content-Length: \(body.utf8.count)", "", body,
  ]
  client.send(lines.joined(separator: "\r\n"))
  return try #require(RawClient.Answer(client.rest()))
}

extension BuiltProgram {
  /// The token of its servers that allows everything, after the first was started.
  var token: String { get throws { try word(in: "serve-token") } }

  /// The token of its servers that allows reading.
  var readerToken: String { get throws { try word(in: "serve-reader-token") } }

  private func word(in file: String) throws -> String {
    try String(contentsOf: URL(filePath: path(".local/share/chirper/\(file)")), encoding: .utf8)
      .trimmingCharacters(in: .whitespacesAndNewlines)
  }
}
