import ChirperTestSupport
import Foundation
import Testing

/// What this system offers for making an unmodified program fail.
enum SystemFaults {
  /// Whether a command succeeds on this system.
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
  static let needsStrace: Comment =
    "strace is not installed or may not be used here, so no system call can be made to fail"

  static let canMount = works(
    "/usr/bin/unshare", "-rm", "/bin/sh", "-c",
    "mount -t tmpfs -o size=64k none /tmp && mount -o remount,ro /tmp")
  static let needsMount: Comment =
    "unshare -rm may not mount here, so no disk can be made small or read-only"

  static let hasFaketime = works("/usr/bin/faketime", "2020-01-01 00:00:00", "/bin/true")
  static let needsFaketime: Comment =
    "faketime is not installed, so the clock of the built program cannot be moved"

  static let hasOpenSSL = works("/usr/bin/openssl", "version")
  static let needsOpenSSL: Comment =
    "openssl is not installed, so there is no server with a certificate of its own"

  static let http2Server = "/usr/sbin/nghttpd"
  static let hasHTTP2Server = works(http2Server, "--version")
  static let needsHTTP2Server: Comment =
    "nghttpd is not installed, so there is no server that speaks HTTP/2"

  static let hasScript = works("/usr/bin/script", "-qec", "true", "/dev/null")
  static let needsScript: Comment =
    "script (util-linux) is not installed, so there is no terminal to run under"
}

/// A fault in one system call of a run: the call fails, or the program is killed at it.
struct Injection: Sendable, CustomStringConvertible {
  /// What strace calls it: `signal=KILL`, `error=ENOSPC`.
  let fault: String
  let call: String
  /// Which of a thread's calls, from 1.
  let number: Int
  /// Only calls on this file; any without.
  var file: String?

  var description: String { "\(fault) at \(call) \(number)" }

  /// Runs the program with the fault; `touched`: whether it made the call.
  func run(
    _ program: BuiltProgram, _ arguments: [String], executable: String = BuiltProgram.path
  ) throws -> (result: BuiltProgram.Result, touched: Bool) {
    let log = program.path("strace-\(UUID().uuidString)")
    var words = [
      "-f", "-qq", "-o", log, "-e", "trace=\(call)", "-e", "signal=none",
      "-e", "inject=\(call):\(fault):when=\(number)",
    ]
    if let file { words += ["-P", file] }
    let result = try program.run(SystemFaults.strace, words + [executable] + arguments, input: "")
    let trace = String(
      decoding: (try? Data(contentsOf: URL(filePath: log))) ?? Data(), as: UTF8.self)
    return (result, result.status == 137 || trace.contains("INJECTED"))
  }

  /// Which calls of a run are tried: each one with `CHIRPER_FAULT_STEP=1`, else one of so many, not
  /// the same ones in every run of the tests.
  static let step = max(
    1, ProcessInfo.processInfo.environment["CHIRPER_FAULT_STEP"].flatMap { Int($0) } ?? 5)

  /// Tries the fault at the calls 1, 2, 3 … of each of `calls`, or at some of them (`step`), a few
  /// runs at a time, until a run completes without it.
  ///
  /// - Parameter body: does a run and checks what it left; returns whether the run made the call.
  /// - Returns: how many such calls a run makes, as far as was seen.
  static func atEvery(
    _ calls: [String], fault: String, upTo limit: Int = 400,
    _ body: @escaping @Sendable (Injection) throws -> Bool
  ) throws -> Int {
    var made = 0
    for call in calls {
      var number = Int.random(in: 1...step)
      var last = 0
      while number <= limit {
        let batch = (0..<4).map { number + $0 * step }
        let outcomes = Outcomes()
        DispatchQueue.concurrentPerform(iterations: batch.count) { index in
          let number = batch[index]
          outcomes.note(
            number, Result { try body(Injection(fault: fault, call: call, number: number)) })
        }
        let results = try outcomes.all.map { try ($0.number, $0.result.get()) }
        last = max(last, results.filter(\.1).map(\.0).max() ?? 0)
        if results.contains(where: { !$0.1 }) { break }
        number += batch.count * step
      }
      made += last
    }
    return made
  }

  private final class Outcomes: @unchecked Sendable {  // Safe: the lock guards the one variable.
    private let lock = NSLock()
    private var results: [(number: Int, result: Result<Bool, any Error>)] = []

    var all: [(number: Int, result: Result<Bool, any Error>)] { lock.withLock { results } }

    func note(_ number: Int, _ result: Result<Bool, any Error>) {
      lock.withLock { results.append((number, result)) }
    }
  }
}
