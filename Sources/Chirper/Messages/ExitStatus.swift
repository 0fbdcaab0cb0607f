/// The classes of errors, with the exit codes of the program (docs/scripting.md). The numbers from
/// 64 to 78 are from BSD's sysexits.
package enum ExitStatus: Int32, CaseIterable, Sendable {
  case done = 0
  case failed = 1
  case partly = 3
  case usage = 64
  case damaged = 65
  case notFetched = 66
  case unreachable = 69
  case cannotCreate = 73
  case inputOutput = 74
  case tryLater = 75
  case notUnderstood = 76
  case key = 77
  case configuration = 78
  case interrupted = 130
  case terminated = 143
}
