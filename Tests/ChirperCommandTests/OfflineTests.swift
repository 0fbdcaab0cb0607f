import ChirperTestSupport
import Foundation
import Testing

struct OfflineTests {
  /// Whether a process may run without a network on this machine.
  static let canUnshare: Bool = {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/unshare")
    process.arguments = ["-rn", "true"]
    process.standardError = FileHandle.nullDevice
    guard (try? process.run()) != nil else { return false }
    process.waitUntilExit()
    return process.terminationStatus == 0
  }()

  @Test(.enabled(if: canUnshare, "unshare -rn does not work here, so the network cannot be taken away"))
  func `list and export work without a network and with a key that cannot be read`() throws {
    try withParrots { program in
      // A directory in place of the key cannot be read by anyone, not even by root.
      try FileManager.default.createDirectory(
        atPath: program.path(".config/chirper/xeno-canto.key"), withIntermediateDirectories: true)
      for words in ["list", "list parrot", "export parrot", "doctor"] {
        let result = try program.shell("unshare -rn \"$chirper\" \(words)")
        #expect(result.status == 0, "\(words): \(result.error)")
        #expect(result.output.contains("sample"), "\(words)")
      }
    }
  }

  @Test(.enabled(if: canUnshare, "unshare -rn does not work here, so the network cannot be taken away"))
  func `a fetch without a network ends with 69 and points to what is stored`() throws {
    try withProgram(["XENO_CANTO_API_KEY": "k"]) { program in
      let result = try program.shell("unshare -rn \"$chirper\" fetch parrot")
      #expect(result.status == 69, "\(result.error)")
      #expect(result.error.contains("chirper list and chirper export work without a network."), "\(result.error)")
    }
  }
}
