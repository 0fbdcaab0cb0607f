import ChirperTestSupport
import Foundation
import Testing

/// What this system offers for making an unmodified program fail.
enum SystemFaults {
  /// Whether a command ends well, as a question to the system.
  static func works(_ executable: String, _ arguments: String...) -> Bool {
    let process = Process()
    process.executableURL = URL(filePath: executable)
    process.arguments = arguments
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    guard (try? process.run()) != nil else { return false }
    process.waitUntilExit()
    return process.terminationStatus == 0
  }

  static let strace = "/usr/bin/strace"
  static let hasStrace = works(strace, "-f", "-o", "/dev/null", "-e", "trace=write", "/bin/true")
  static let needsStrace: Comment = "strace is not installed or may not be used here, so no system call can be made to fail"

  static let canMount = works(
    "/usr/bin/unshare", "-rm", "/bin/sh", "-c", "mount -t tmpfs -o size=64k none /tmp && mount -o remount,ro /tmp")
  static let needsMount: Comment = "unshare -rm may not mount here, so no disk can be made small or read-only"

  static let hasFaketime = works("/usr/bin/faketime", "2020-01-01 00:00:00", "/bin/true")
  static let needsFaketime: Comment = "faketime is not installed, so the clock of the built program cannot be moved"

  static let hasOpenSSL = works("/usr/bin/openssl", "version")
  static let needsOpenSSL: Comment = "openssl is not installed, so there is no server with a certificate of its own"

  static let http2Server = "/usr/sbin/nghttpd"
  static let hasHTTP2Server = works(http2Server, "--version")
  static let needsHTTP2Server: Comment = "nghttpd is not installed, so there is no server that speaks HTTP/2"

  static let hasScript = works("/usr/bin/script", "-qec", "true", "/dev/null")
  static let needsScript: Comment = "script (util-linux) is not installed, so there is no terminal to run under"
}

/// One system call of a run that fails, or at which the program dies.
struct Injection: Sendable, CustomStringConvertible {
  /// What strace calls it: `signal=KILL`, `error=ENOSPC`.
  let fault: String
  let call: String
  /// The how-manieth of a thread.
  let number: Int
  /// Only calls on this file; any without.
  var file: String?

  var description: String { "\(fault) at \(call) \(number)" }

  /// Runs the program so; `touched`: whether the call came to be.
  func run(_ program: BuiltProgram, _ arguments: [String]) throws -> (ending: BuiltProgram.Ending, touched: Bool) {
    let log = program.path("strace-\(UUID().uuidString)")
    var words = [
      "-f", "-qq", "-o", log, "-e", "trace=\(call)", "-e", "signal=none",
      "-e", "inject=\(call):\(fault):when=\(number)",
    ]
    if let file { words += ["-P", file] }
    let ending = try program.run(SystemFaults.strace, words + [BuiltProgram.path] + arguments, input: "")
    let trace = String(decoding: (try? Data(contentsOf: URL(filePath: log))) ?? Data(), as: UTF8.self)
    return (ending, ending.status == 137 || trace.contains("INJECTED"))
  }

  /// Tries the fault at call 1, 2, 3 … of each of `calls`, two runs at a time, until a run completes untouched; gives
  /// how many were touched.
  static func atEvery(
    _ calls: [String], fault: String, upTo limit: Int = 400, _ body: @escaping @Sendable (Injection) throws -> Bool
  ) throws -> Int {
    var touched = 0
    for call in calls {
      var number = 1
      while number <= limit {
        let batch = Array(number..<(number + 4))
        let outcomes = Outcomes()
        DispatchQueue.concurrentPerform(iterations: batch.count) { index in
          outcomes.note(Result { try body(Injection(fault: fault, call: call, number: batch[index])) })
        }
        let met = try outcomes.all.map { try $0.get() }
        touched += met.count { $0 }
        if met.contains(false) { break }
        number += batch.count
      }
    }
    return touched
  }

  private final class Outcomes: @unchecked Sendable {  // Safe: the lock guards the one variable.
    private let lock = NSLock()
    private var results: [Result<Bool, any Error>] = []

    var all: [Result<Bool, any Error>] { lock.withLock { results } }

    func note(_ result: Result<Bool, any Error>) {
      lock.withLock { results.append(result) }
    }
  }
}
