import ChirperTestSupport
import Foundation
import Testing

/// The built program with a terminal of its own.
final class PseudoTerminal {
  private let master: Int32
  /// Kept open, so that the terminal's settings outlive the program.
  private let slave: Int32
  private let pid: pid_t
  private(set) var screen: VirtualScreen
  private(set) var raw: [UInt8] = []
  private var status: Int32?

  struct Failure: Error { let call: String }

  static let program = BuiltProgram.path

  init(
    program: String = PseudoTerminal.program, _ arguments: [String], environment: [String: String],
    directory: URL,
    columns: Int = 80, rows: Int = 24
  ) throws {
    let path: String
    (master, path) = try Self.opened()
    _ = fcntl(master, F_SETFD, FD_CLOEXEC)
    slave = open(path, O_RDWR | O_NOCTTY | O_CLOEXEC)
    guard slave >= 0 else { throw Failure(call: "open") }
    screen = VirtualScreen(columns: columns, rows: rows)
    var size = winsize(ws_row: UInt16(rows), ws_col: UInt16(columns), ws_xpixel: 0, ws_ypixel: 0)
    _ = ioctl(slave, UInt(TIOCSWINSZ), &size)
    pid = try Self.spawn(
      [program] + arguments, environment: environment, directory: directory, terminal: path)
  }

  deinit {
    if status == nil {
      kill(pid, SIGKILL)
      waitpid(pid, nil, 0)
    }
    close(master)
    close(slave)
  }

  /// A new pair: the master, and the path of the slave.
  private static func opened() throws -> (Int32, String) {
    #if canImport(Darwin)
    let master = posix_openpt(O_RDWR | O_NOCTTY)
    guard master >= 0, grantpt(master) == 0, unlockpt(master) == 0, let name = ptsname(master)
    else {
      throw Failure(call: "posix_openpt")
    }
    return (master, String(cString: name))
    #else
    // Swift's Glibc module does not show the functions of POSIX for this.
    let (unlock, number): (UInt, UInt) = (0x4004_5431, 0x8004_5430)
    let master = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
    var isLocked: Int32 = 0
    var terminal: Int32 = 0
    guard master >= 0, ioctl(master, unlock, &isLocked) == 0,
      ioctl(master, number, &terminal) == 0
    else {
      throw Failure(call: "/dev/ptmx")
    }
    return (master, "/dev/pts/\(terminal)")
    #endif
  }

  /// In a session of its own, so that the terminal becomes the one that controls it.
  private static func spawn(
    _ words: [String], environment: [String: String], directory: URL, terminal: String
  ) throws -> pid_t {
    #if canImport(Darwin)
    var actions: posix_spawn_file_actions_t?
    var attributes: posix_spawnattr_t?
    #else
    var actions = posix_spawn_file_actions_t()
    var attributes = posix_spawnattr_t()
    #endif
    posix_spawn_file_actions_init(&actions)
    posix_spawnattr_init(&attributes)
    defer {
      posix_spawn_file_actions_destroy(&actions)
      posix_spawnattr_destroy(&attributes)
    }
    posix_spawn_file_actions_addopen(&actions, 0, terminal, O_RDWR, 0)
    posix_spawn_file_actions_adddup2(&actions, 0, 1)
    posix_spawn_file_actions_adddup2(&actions, 0, 2)
    #if canImport(Darwin)
    let newSession = Int16(POSIX_SPAWN_SETSID)
    #else
    // As in spawn.h; Swift's Glibc module does not show it.
    let newSession: Int16 = 0x80
    #endif
    // The threads that run tests block signals, and so would the program. Whoever runs the tests in
    // the background, or with nohup, ignores some.
    var (blocked, acted) = (sigset_t(), sigset_t())
    sigemptyset(&blocked)
    sigemptyset(&acted)
    for number in [SIGINT, SIGHUP, SIGQUIT] { sigaddset(&acted, number) }
    posix_spawnattr_setsigmask(&attributes, &blocked)
    posix_spawnattr_setsigdefault(&attributes, &acted)
    posix_spawnattr_setflags(
      &attributes, newSession | Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))
    // Swift's Glibc module does not show the call that changes the directory; without cores a crash
    // leaves no file.
    let shell = ["/bin/sh", "-c", "cd \"$0\" && ulimit -c 0 && exec \"$@\""]
    var vector: [UnsafeMutablePointer<CChar>?] =
      (shell + [directory.path] + words).map { strdup($0) } + [nil]
    var variables: [UnsafeMutablePointer<CChar>?] =
      environment.map { strdup("\($0)=\($1)") } + [nil]
    defer { for text in vector + variables { free(text) } }
    var pid: pid_t = 0
    guard posix_spawn(&pid, shell[0], &actions, &attributes, &vector, &variables) == 0 else {
      throw Failure(call: "posix_spawn")
    }
    return pid
  }

  /// Every setting of the terminal, as `stty -a` would print them.
  var settings: [UInt8] {
    var settings = termios()
    tcgetattr(slave, &settings)
    return withUnsafeBytes(of: &settings) { Array($0) }
  }

  func type(_ text: String) {
    let bytes = Array(text.utf8)
    _ = bytes.withUnsafeBytes { write(master, $0.baseAddress, $0.count) }
  }

  func resize(columns: Int, rows: Int) {
    screen = VirtualScreen(columns: columns, rows: rows)
    screen.write(Array("\u{1B}[?1049h".utf8))
    var size = winsize(ws_row: UInt16(rows), ws_col: UInt16(columns), ws_xpixel: 0, ws_ypixel: 0)
    _ = ioctl(slave, UInt(TIOCSWINSZ), &size)
  }

  func send(_ number: Int32) { kill(pid, number) }

  /// Waits for the shell's prompt: text typed earlier could go to the program that is about to
  /// exit.
  func waitForPrompt() -> Bool {
    wait { screen in
      let end = String(decoding: raw.suffix(2), as: UTF8.self)
      return !screen.isAlternate && (end == "# " || end == "$ ")
    }
  }

  /// Waits until the screen meets the condition; `false` if it does not in time.
  func wait(seconds: Double = 120, until isWanted: (VirtualScreen) -> Bool) -> Bool {
    let end = ContinuousClock.now + .seconds(seconds)
    while !isWanted(screen) {
      if ContinuousClock.now > end { return false }
      read(waiting: 20)
    }
    return true
  }

  /// Waits until a text is on the screen; one that does not come is an issue, with what is there.
  func shows(_ text: String, seconds: Double = 120) -> Bool {
    if wait(seconds: seconds, until: { $0.text.contains(text) }) { return true }
    let lines = screen.text.split(separator: "\n").filter { !$0.allSatisfy(\.isWhitespace) }
    Issue.record("There is no \"\(text)\" on the screen: \(lines.joined(separator: " | "))")
    return false
  }

  /// The exit code, or 128 and the signal.
  func exitStatus(seconds: Double = 60) -> Int32? {
    let end = ContinuousClock.now + .seconds(seconds)
    while status == nil, ContinuousClock.now < end {
      read(waiting: 10)
      var word: Int32 = 0
      if waitpid(pid, &word, WNOHANG) == pid {
        status = word & 0x7F == 0 ? word >> 8 & 0xFF : 128 + word & 0x7F
      }
    }
    read(waiting: 10)
    return status
  }

  /// Everything that the program writes until it ends.
  func raw(untilExit seconds: Double) -> String {
    _ = exitStatus(seconds: seconds)
    return String(decoding: raw, as: UTF8.self)
  }

  private func read(waiting milliseconds: Int32) {
    var wanted = pollfd(fd: master, events: Int16(POLLIN), revents: 0)
    guard poll(&wanted, 1, milliseconds) > 0 else { return }
    var buffer = [UInt8](repeating: 0, count: 65_536)
    let count = Foundation.read(master, &buffer, buffer.count)
    guard count > 0 else { return }
    raw += buffer.prefix(count)
    screen.write(Array(buffer.prefix(count)))
  }
}
