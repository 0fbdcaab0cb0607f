import Chirper
import ChirperModel
import EmbeddedServerFiles
import NIOHTTP1

/// The files that the server sends, as they were when the program was built. The files of
/// the page, except the document itself, are below a path with a hash of them all. A
/// browser keeps them for good, and asks for new ones after an update.
enum ServerFiles {
  /// Texts by the names of their files.
  private static let texts: [String: String] = {
    var texts: [String: String] = [:]
    while let file = chirper_server_file_at(texts.count) {
      texts[String(cString: file.pointee.name)] = String(cString: file.pointee.text)
    }
    return texts
  }()

  private static let hash: String = {
    let all = texts.keys.sorted().flatMap { name in
      Array("\(name)\u{0}\(texts[name] ?? "")\u{0}".utf8)
    }
    return String(StableHash.fnv1a(all), radix: 16)
  }()

  private static let document = "index.html"
  /// docs/openapi.json.
  static var openAPI: String { texts["openapi.json"] ?? "" }
  private static let types = ["js": "text/javascript", "css": "text/css"]

  /// The modules that `main.js` imports, and their imports.
  private static let modules: [String] = {
    var (modules, next) = (["main.js"], 0)
    while next < modules.count {
      for part in (texts[modules[next]] ?? "").split(separator: "from './").dropFirst() {
        let name = String(part.prefix { $0 != "'" })
        if !modules.contains(name) { modules.append(name) }
      }
      next += 1
    }
    return Array(modules.dropFirst())
  }()

  /// The document with the addresses of the other files. The browser asks for all modules at once:
  /// else it would learn of each when it has read the one that imports it.
  private static let home: [UInt8] = {
    let links = modules.map { "<link rel=\"modulepreload\" href=\"PREFIX/\($0)\">\n" }.joined()
    let text = (texts[document] ?? "").replacing("</head>", with: "\(links)</head>")
    return Array(text.replacing("PREFIX", with: "/page/\(hash)").utf8)
  }()

  /// The document, whatever the address: the page reads from the address what to show.
  static func answer() -> Answer {
    Answer(type: "text/html; charset=utf-8", body: .bytes(home))
  }

  /// Whether it is a number of a recording, as commands take it.
  static func isNumber(_ text: String) -> Bool {
    Catalogues.named(.xenoCanto)?.queryForID(text) != nil
  }

  /// A file of the page; `nil` if it does not exist, or if the hash is of a different
  /// version.
  static func answer(hash: String, name: String) -> Answer? {
    guard hash == Self.hash, name != document, let text = texts[name],
      let type = types[String(name.split(separator: ".").last ?? "")]
    else { return nil }
    return Answer(
      type: "\(type); charset=utf-8", body: .bytes(Array(text.utf8)),
      caching: "public, max-age=31536000, immutable")
  }
}
