import Chirper
import Foundation

/// One file being played.
package enum PlayerRun {
  /// How it ended.
  package enum Outcome: Equatable, Sendable {
    case ended
    case stopped
    /// In words: the player failed or crashed.
    case failed(String)
  }

  /// Plays the file to its end; a cancelled task stops the player.
  package static func play(_ source: AudioLibrary.LocalFile, with player: Player) async -> Outcome {
    defer { if source.isTemporary { unlink(source.url.path) } }
    let process = Process()
    process.executableURL = URL(filePath: player.path)
    process.arguments = player.arguments(for: source.url)
    // It has nothing to say and nothing to read: the terminal is the screen's.
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    let (ends, continuation) = AsyncStream.makeStream(of: Void.self)
    process.terminationHandler = { _ in continuation.finish() }
    do {
      try withSignals { try process.run() }
    } catch {
      return .failed("\(player.name) could not be started")
    }
    let pid = process.processIdentifier
    await withTaskCancellationHandler {
      for await _ in ends {}
      // A cancelled task leaves the loop while the player still runs.
      if process.isRunning { await stop(process, pid) }
    } onCancel: {
      if process.isRunning { kill(pid, SIGTERM) }
    }
    if Task.isCancelled { return .stopped }
    switch (process.terminationReason, process.terminationStatus) {
    case (.exit, 0): return .ended
    case (.exit, let status): return .failed("\(player.name) gave up (\(status))")
    case (_, let signal): return .failed("\(player.name) crashed (signal \(signal))")
    }
  }

  /// A program starts with the signals blocked that the thread has blocked which starts it, and threads that run tasks
  /// have all: a player so started could not be told to end.
  private static func withSignals(_ start: () throws -> Void) rethrows {
    var none = sigset_t()
    var before = sigset_t()
    sigemptyset(&none)
    pthread_sigmask(SIG_SETMASK, &none, &before)
    defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
    try start()
  }

  private static func stop(_ process: Process, _ pid: Int32) async {
    for _ in 0..<20 where process.isRunning {
      // In a task that is cancelled every sleep ends at once, so the wait is in one that is not.
      await Task.detached { try? await Task.sleep(for: .milliseconds(25)) }.value
    }
    if process.isRunning { kill(pid, SIGKILL) }
    process.waitUntilExit()
  }
}
