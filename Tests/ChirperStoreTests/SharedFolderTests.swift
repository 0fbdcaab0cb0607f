import ChirperModel
import Foundation
import Testing

@testable import ChirperStore

struct SharedFolderTests {
  private func mode(_ path: String) -> mode_t? {
    var status = stat()
    return stat(path, &status) == 0 ? status.st_mode & 0o7777 : nil
  }

  private func withFolder(_ mode: mode_t, _ body: (String) throws -> Void) throws {
    let folder = FileManager.default.temporaryDirectory.appending(
      path: "chirper-folder-\(UUID().uuidString)"
    ).path
    mkdir(folder, 0o700)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    try #require(chmod(folder, mode) == 0)
    try body(folder)
  }

  @Test(
    arguments: [
      (0o2775, 0o664, 0o2775), (0o2770, 0o660, 0o2770), (0o775, 0o664, 0o775),
      (0o777, 0o664, 0o775),
      (0o700, 0o600, 0o700), (0o755, 0o600, 0o700), (0o1777, 0o600, 0o700),
    ] as [(mode_t, mode_t, mode_t)])
  func `a new file and a new folder are as open as a group's folder, else their owner's alone`(
    folder: mode_t, file: mode_t, inner: mode_t
  ) throws {
    try withFolder(folder) { path in
      let shared = try #require(OpenFolder(path))
      let descriptor = shared.openOrCreate("file")
      #expect(descriptor >= 0)
      close(descriptor)
      #expect(mode(path + "/file") == file)
      #expect(shared.makeFolder("inner"))
      #expect(mode(path + "/inner") == inner)
      #expect(shared.makeFolder("inner"))
    }
  }

  @Test func `a database, its locks and its journal are as open as the group's folder`() throws {
    try withFolder(0o2775) { path in
      let store = try RecordingStore.writable(in: URL(filePath: path))
      #expect(mode(store.path) == 0o664)
      let query = CatalogueQuery(
        catalogue: .sample, identity: "q", pageSize: 2, typed: "Q", requestText: "q")
      let lock = try WalkLock.acquire(
        query, in: store)
      #expect(lock != nil)
      #expect(mode(path + "/locks") == 0o2775)
      let names = try FileManager.default.contentsOfDirectory(atPath: path + "/locks")
      #expect(names.count == 1 && mode(path + "/locks/" + names[0]) == 0o664)
      try store.write { db in
        try db.execute(sql: "CREATE TABLE probe (x)")
        #expect(mode(store.path + "-journal") == 0o664)
        try db.execute(sql: "DROP TABLE probe")
      }
    }
  }

  @Test func `a file that leads nowhere is not created`() throws {
    try withFolder(0o700) { path in
      symlink(path + "/missing", path + "/link")
      let folder = try #require(OpenFolder(path))
      #expect(folder.openOrCreate("link") < 0)
      #expect(mode(path + "/missing") == nil)
    }
  }
}
