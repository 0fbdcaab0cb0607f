import Chirper
import ChirperModel

extension AudioLibrary.Report {
  /// `audio: 1 new, 4 already kept, 0 without audio; 5 files, 3.4 MB`.
  package var summary: String {
    let parts =
      ["\(new) new", "\(alreadyDownloaded) already kept", "\(without) without audio"]
      + (notKept > 0 ? ["\(notKept) not kept at the server"] : [])
      + (failed > 0 ? ["\(failed) failed"] : [])
    let files = new + alreadyDownloaded
    let all = files > 0 ? "; \(Plural.words(files, "file")), \(SizeText.words(bytes))" : ""
    return "audio: \(parts.joined(separator: ", "))\(all)"
  }

  /// The summary, and which recordings are missing.
  package var lines: [String] {
    [summary]
      + (missing.isEmpty ? [] : ["audio missing: \(FirstNames(missing.map(\.value)).text)"])
  }

  package var json: JSONObject {
    var object: JSONObject = [
      "new": new, "kept": alreadyDownloaded, "without": without, "failed": failed,
      "files": new + alreadyDownloaded,
      "bytes": bytes,
    ]
    if notKept > 0 { object.add("notKept", notKept) }
    object.add(known: ["missing": missing.map(\.value)])
    return object
  }
}
