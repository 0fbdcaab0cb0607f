import Chirper
import ChirperModel
import EmbeddedServerFiles
import NIOHTTP1

/// The files that the server sends, as they were when the program was built, and a module of the
/// program's tables. The files of the page, except the document itself, are below a path with a
/// hash of them all. A browser keeps them for good, and asks for new ones after an update.
enum ServerFiles {
  /// Texts by the names of their files.
  private static let texts: [String: String] = {
    var texts = ["tables.js": PageTables.module]
    for index in 0... {
      guard let file = chirper_server_file_at(index) else { break }
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
  private static let types = [
    "js": "text/javascript", "css": "text/css", "json": "application/json",
  ]

  /// The module that begins the page; it is sent with all that it imports.
  private static let main = "main.js"

  /// The page's script: `main.js` and the modules that it imports, so that one request brings them
  /// all. Each module becomes a function that is called once and returns what it exports.
  private static let script: String = {
    var script = ""
    var joined: Set<String> = []
    func join(_ name: String) {
      guard joined.insert(name).inserted else { return }
      var lines: [String] = []
      var exports: [Substring] = []
      for line in (texts[name] ?? "").split(separator: "\n", omittingEmptySubsequences: false) {
        if line.hasPrefix("import { "),
          let module = line.split(separator: " from './").dropFirst().last
        {
          let file = String(module.prefix { $0 != "'" })
          join(file)
          let names = line.dropFirst("import ".count).prefix { $0 != "}" }
          lines.append("const \(names.replacing(" as ", with: ": "))} = \(variable(file))")
        } else if line.hasPrefix("export ") {
          let declaration = line.dropFirst("export ".count)
          let words = declaration.split { !$0.isLetter && !$0.isNumber && $0 != "_" }
          exports += words.drop { ["async", "class", "const", "function"].contains($0) }.prefix(1)
          lines.append(String(declaration))
        } else {
          lines.append(String(line))
        }
      }
      let body = lines.joined(separator: "\n")
      script +=
        "const \(variable(name)) = (() => {\n\(body)\nreturn { \(exports.joined(separator: ", ")) }\n})()\n"
    }
    join(main)
    return script
  }()

  /// The name of a module in the script; none of theirs begins with `$`.
  private static func variable(_ file: String) -> String {
    "$\(file.prefix { $0 != "." }.filter(\.isLetter))"
  }

  /// The document with the addresses of the other files, before and after what it begins with.
  private static let home = (texts[document] ?? "").replacing("PREFIX", with: "/page/\(hash)")
    .split(separator: "START", maxSplits: 1).map { Array($0.utf8) }

  /// The document, whatever the address: the page reads from the address what to show.
  ///
  /// - Parameter start: the answers that it brings (`PageStart`).
  static func answer(beginningWith start: String) -> Answer {
    Answer(
      type: "text/html; charset=utf-8", body: .bytes(Array(home.joined(separator: start.utf8))))
  }

  /// Whether it is a number of a recording, as commands take it.
  static func isNumber(_ text: String) -> Bool {
    Catalogues.named(.xenoCanto)?.idQuery(text) != nil
  }

  /// A file of the page; `nil` if it does not exist, or if the hash is of a different
  /// version.
  static func answer(hash: String, name: String) -> Answer? {
    guard hash == Self.hash, name != document, let text = texts[name],
      let type = types[String(name.split(separator: ".").last ?? "")]
    else { return nil }
    return Answer(
      type: "\(type); charset=utf-8",
      body: .bytes(Array((name == main ? script : text).utf8)),
      caching: "public, max-age=31536000, immutable")
  }
}
