import ChirperTestSupport
import Foundation
import Testing

@testable import ChirperStore

@Suite struct LockHolderTests {
  private static let locks = """
    1: FLOCK  ADVISORY  WRITE 101 fe:00:17 0 EOF
    2: POSIX  ADVISORY  READ 102 fe:00:18 1073741826 1073742335
    3: POSIX  ADVISORY  WRITE 103 fe:00:18 1073741825 1073741825
    3: -> POSIX  ADVISORY  WRITE 104 fe:00:19 1073741824 1073741824
    4: FLOCK  ADVISORY  WRITE 105 103:0a:19 0 EOF
    5: FLOCK  ADVISORY  WRITE 0 fe:00:20 0 EOF
    odd line
    6: POSIX  ADVISORY  READ 106 fe:00:21 0 EOF
    """

  @Test(
    arguments: [
      (0xFE, 0, 17, 101), (0xFE, 0, 18, 103), (0xFE, 0, 19, nil), (0x103, 10, 19, 105),
      (0xFE, 0, 20, nil), (0xFE, 0, 21, 106),
      (0xFE, 1, 17, nil),
    ] as [(UInt64, UInt64, UInt64, Int32?)])
  func `the process that has locked a file is found in the system's list`(
    major: UInt64, minor: UInt64, inode: UInt64, process: Int32?
  ) {
    #expect(LockHolder.process(in: Self.locks, major: major, minor: minor, inode: inode) == process)
    let writer = process == 106 ? nil : process
    #expect(
      LockHolder.process(
        in: Self.locks, major: major, minor: minor, inode: inode, onlyWriters: true) == writer)
  }

  private static let lockingProgram = "/usr/bin/flock"

  @Test(
    .enabled(
      if: FileManager.default.isExecutableFile(atPath: lockingProgram)
        && FileManager.default.fileExists(atPath: "/proc/locks")))
  func `another process is named without its arguments, and this one is not`() throws {
    let file = FileManager.default.temporaryDirectory.appendingPathComponent(
      "chirper-lock-\(UUID().uuidString)"
    ).path
    let own = open(file, O_CREAT | O_RDWR, 0o600)
    defer { unlink(file) }
    #expect(flock(own, LOCK_EX) == 0)
    #expect(LockHolder.description(ofLockOn: file) == nil)
    close(own)
    let child = Process()
    child.executableURL = URL(fileURLWithPath: Self.lockingProgram)
    child.arguments = [file, "sleep", "60"]
    try child.run()
    // And what it started: Foundation starts each process in its own group.
    defer { kill(-child.processIdentifier, SIGKILL) }
    try waitUntil { LockHolder.description(ofLockOn: file) != nil }
    #expect(LockHolder.description(ofLockOn: file) == "process \(child.processIdentifier) (flock)")
  }
}
