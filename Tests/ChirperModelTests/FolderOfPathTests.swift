import ChirperModel
import Testing

@Suite struct FolderOfPathTests {
  @Test(arguments: [
    ("/a/b", "/a"), ("/b", "/"), ("b", ""), ("é", ""), ("a/b", "a"), ("a/b/", "a"), ("x/", ""),
    ("/", "/"), ("//", "/"), ("", ""),
    ("/a//b", "/a"), ("/a/\u{301}b", "/a"), (".", ""), ("./y", "."),
  ])
  func `the folder of a path is what is before its last name`(path: String, folder: String) {
    #expect(path.folderOfPath == folder)
  }
}
