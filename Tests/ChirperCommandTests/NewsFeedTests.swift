import ChirperTestSupport
import Foundation
import Testing

#if canImport(FoundationXML)
import FoundationXML
#endif

/// The news as an Atom feed, of the command and of the server.
struct NewsFeedTests {
  /// Lists `parrot` and `owl` with the same recordings; a sync of `parrot` found 9 new in it, 1
  /// changed and 3 gone.
  private func withNews(_ body: (BuiltProgram) throws -> Void) throws {
    let catalogue = try FakeXenoCanto(["1", "2", "3"])
    try withProgram(catalogue.variables) { program in
      #expect(try program.run("fetch", "owl", "--all").status == 0)
      #expect(try program.run("fetch", "parrot", "--all").status == 0)
      catalogue.ids = ["9", "1", "2"]
      catalogue.change { records in
        for index in records.indices where records[index].id == "1" {
          records[index].remark = "A <song> & \"more\""
        }
      }
      #expect(try program.run("sync", "parrot").status == 0)
      try body(program)
    }
  }

  private func feed(_ text: String) throws -> (titles: [String], ids: [String], links: [String]) {
    let document = try XMLDocument(xmlString: text)
    let root = try #require(document.rootElement())
    #expect(root.name == "feed" && root.uri == "http://www.w3.org/2005/Atom", "\(text)")
    func texts(_ path: String) throws -> [String] {
      try root.nodes(forXPath: path).compactMap(\.stringValue)
    }
    // What RFC 4287 wants of a feed and of each entry.
    for name in ["title", "id", "updated", "author"] {
      #expect(try texts("./*[local-name()='\(name)']").count == 1, "\(name) of \(text)")
    }
    let entries = try root.nodes(forXPath: "./*[local-name()='entry']")
    for entry in entries {
      for name in ["title", "id", "updated", "content"] {
        #expect(try entry.nodes(forXPath: "./*[local-name()='\(name)']").count == 1, "\(entry)")
      }
    }
    return (
      try texts("./*[local-name()='entry']/*[local-name()='title']"),
      try texts("//*[local-name()='id']"),
      try texts("./*[local-name()='link'][@rel='self']/@href")
    )
  }

  @Test func `has an entry for each new, changed and gone recording, and stays the same`() throws {
    try withNews { program in
      let file = program.path("birds.atom")
      let written = try program.run("news", "-o", file)
      #expect(written.status == 0 && written.output == "", "\(written)")
      let text = try String(contentsOfFile: file, encoding: .utf8)
      let (titles, ids, links) = try feed(text)
      let kinds = titles.map { $0.prefix { $0 != "," } }.sorted()
      #expect(kinds == ["changed: XC1", "changed: XC1", "gone: XC3", "new: XC9"], "\(titles)")
      #expect(Set(ids).count == 5 && ids.allSatisfy { $0.hasPrefix("urn:uuid:") }, "\(ids)")
      #expect(links.isEmpty)
      #expect(text.contains("A &lt;song&gt; &amp; &quot;more&quot;"), "\(text)")
      #expect(try program.run("news", "--format", "atom").output == text)
      let refused = try program.run("news", "--format", "atom", "--json")
      #expect(refused.status == 64, "\(refused)")
      let nameless = try program.run("news", "-o", "")
      #expect(nameless.status == 64 && nameless.error.contains("-o birds.atom"), "\(nameless)")
    }
  }

  @Test func `of a list is served with its address, and a list that is not stored is not found`()
    throws
  {
    try withNews { program in
      try withServer(program) { (port: Int) throws in
        let all = try feed(send("GET", "/feed.atom", program, port).text)
        #expect(all.titles.count == 4)
        let target = "/feed.atom?list=xeno%2Dcanto%3Aparrot"
        let parrots = try send("GET", target, program, port)
        #expect(parrots.headers["content-type"] == "application/atom+xml")
        let own = try feed(parrots.text)
        #expect(own.links == ["http://127.0.0.1:\(port)\(target)"], "\(own)")
        #expect(own.titles.count == 3 && own.ids[0] != all.ids[0])
        let owls = try feed(send("GET", "/feed.atom?list=owl", program, port).text)
        #expect(owls.titles.count == 1 && owls.titles[0].hasPrefix("changed: XC1, "), "\(owls)")
        #expect(try send("GET", "/feed.atom?list=kea", program, port).status == 404)
      }
    }
  }
}
