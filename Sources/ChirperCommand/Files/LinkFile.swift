import ChirperModel
import Foundation

/// A page for a browser that leads to a link with a secret. Only its owner can read the file, while
/// every account of the machine can read the arguments of programs.
struct LinkFile {
  let path: String

  /// Writes the page to a new file in the folder for temporary files; `nil` if that is not
  /// possible.
  init?(_ link: String) {
    path =
      FileManager.default.temporaryDirectory.appending(path: "chirper-\(UUID().uuidString).html")
      .path
    let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    let address = link.replacing("&", with: "&amp;").replacing("\"", with: "&quot;").replacing(
      "<", with: "&lt;")
    let page = """
      <!doctype html><meta charset="utf-8"><meta name="referrer" content="no-referrer">
      <meta http-equiv="refresh" content="0;url=\(address)"><title>chirper</title><a href="\(address)">chirper</a>

      """
    guard Descriptor.write(Array(page.utf8), to: descriptor) == nil else {
      unlink(path)
      return nil
    }
  }

  func remove() { unlink(path) }
}
