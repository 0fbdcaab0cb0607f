import ChirperTestSupport
import Foundation
import Testing

/// Queries with tags that the service has and chirper does not know yet, and with plain words
/// beside tags.
struct UnknownTagTests {
  private static let warning = #"chirper does not know the tag "foo:", so it is sent as typed"#

  @Test func `a tag that is not known is sent, said, stored and synced`() throws {
    let catalogue = try FakeXenoCanto(["1", "2"])
    try withProgram(catalogue.variables) { program in
      let fetch = try program.run("fetch", #"foo:"A b" q:A"#, "--all")
      #expect(fetch.status == 0 && fetch.error.contains(Self.warning), "\(fetch)")
      #expect(catalogue.server.requests.last?.target.contains("foo") == true)
      #expect(try program.run("list", #"q:a FOO:"a b""#).output.split(separator: "\n").count == 3)
      #expect(try program.run("list").output.contains(#"foo:"A b" q:A"#))
      let sync = try program.run("sync", #"foo:"A b" q:A"#)
      #expect(sync.status == 0 && sync.error.contains(Self.warning), "\(sync)")
      let json = try program.run("fetch", "foo:x", "--json")
      #expect(json.output.contains(#""notes":["chirper does not know the tag"#) && json.error == "")
      #expect(try program.run("fetch", "foo:x", "--quiet").error == "")
      let search = try program.run("search", "foo:x")
      #expect(search.status == 64 && search.error.contains(#"unknown tag "foo:""#), "\(search)")
      let others = try program.run("fetch", "foo:x", "--source", "gbif")
      #expect(others.status == 64 && others.error.contains(#"Unknown tag "foo:""#), "\(others)")
    }
  }

  @Test func `a slip is refused with its suggestion, and an equals sign sends it`() throws {
    let catalogue = try FakeXenoCanto(["1", "2"])
    try withProgram(catalogue.variables) { program in
      let slip = try program.run("fetch", "qq:A")
      #expect(
        slip.status == 64
          && slip.error.hasSuffix("Did you mean q:? To send it as it is, type: '=qq:A'\n"))
      #expect(catalogue.server.requests.isEmpty)
      let exact = try program.run("fetch", "=qq:A")
      #expect(exact.status == 0 && exact.error.contains("xeno-canto: qq:A\n"), "\(exact)")
      for typed in ["=qq:A", "qq:A"] {
        #expect(try program.run("list", typed).output.split(separator: "\n").count == 3, "\(typed)")
      }
      let offered = try program.run(
        "---completion", "list", "--", "positional@0", "2", "1", "chirper", "list", "=")
      #expect(offered.output.contains("qq:A"), "\(offered)")
      #expect(try program.run("sync", "=qq:A").status == 0)
    }
  }

  @Test func `strict refuses every tag that is not known`() throws {
    let catalogue = try FakeXenoCanto(["1"])
    try withProgram(catalogue.variables) { program in
      for typed in ["foo:x", "q:A foo:x", "=qq:A"] {
        let fetch = try program.run("fetch", typed, "--strict")
        #expect(fetch.status == 64 && fetch.error.contains("Unknown tag"), "\(fetch)")
      }
      try "parrot\nfoo:x\n".write(
        to: program.directory.appending(path: "trip.txt"), atomically: true, encoding: .utf8)
      let trip = try program.run("fetch", "--from", "trip.txt", "--strict")
      #expect(trip.status == 64 && trip.error.contains(#"line 2: Unknown tag "foo:""#), "\(trip)")
      #expect(catalogue.server.requests.isEmpty)
      #expect(try program.run("fetch", "ann_sp:merula q:A", "--strict").status == 0)
    }
  }

  @Test func `all of a list is refused if the service may have ignored the tag`() throws {
    let page = { @Sendable (total: Int) in
      """
      {"numRecordings":"\(total)","numSpecies":"1","page":1,"numPages":21,"recordings":\
      [{"id":"1","gen":"Psittacus","sp":"exemplaris","en":"Sample parrot","q":"A"}]}
      """
    }
    let catalogue = try FakeXenoCanto(records: []) { request, number in
      number == 1 ? .json(200, page(request.target.contains("many") ? 10_001 : 10_000)) : nil
    }
    try withProgram(catalogue.variables) { program in
      let all = try program.run("fetch", "foo:many", "--all")
      #expect(all.status == 1 && all.error.contains("announces 10001 recordings"), "\(all)")
      #expect(catalogue.server.requests.count == 1)
      let pages = try program.run("fetch", "foo:many", "--pages", "1")
      #expect(pages.status == 0, "\(pages)")
      let fewer = try program.run("fetch", "foo:few", "--all", "--json")
      #expect(!fewer.output.contains("unknown-tag"), "\(fewer)")
      #expect(catalogue.server.requests.count > 2)
      #expect(
        !(try program.run("fetch", "rmk:many", "--all", "--json")).output.contains("unknown-tag"))
    }
  }

  @Test func `a load of the server warns, refuses and stops as the command does`() throws {
    let many = #"{"numRecordings":"10001","numSpecies":"1","page":1,"numPages":21,"recordings":[]}"#
    let catalogue = try FakeXenoCanto(records: []) { request, _ in
      request.target.contains("many") ? .json(200, many) : nil
    }
    try withProgram(catalogue.variables) { program in
      try withServer(program) { (port: Int) throws in
        func load(_ members: String) throws -> RawClient.Answer {
          let body = #"{"source":"xeno-canto",\#(members)}"#
          return try send("POST", "/api/chirper/loads", program, port, body: body)
        }
        for members in [#""query":"foo:x""#, #""query":"=qq:A""#, #""query":"foo:x","all":true"#] {
          let refused = try load(#"\#(members),"strict":true"#)
          #expect(refused.status == 400 && refused.text.contains("Unknown tag"), "\(refused)")
        }
        let wrong = try load(#""query":"foo:x","strict":"yes""#)
        #expect(wrong.status == 400 && wrong.text.contains(#"\"strict\" must be true or false"#))
        #expect(catalogue.server.requests.isEmpty)
        #expect(try load(#""query":"parrot","strict":true"#).status == 202)
        let started = try load(#""query":"foo:many","all":true"#)
        #expect(started.status == 202 && started.text.contains(#""notes":["chirper does not know"#))
        let number = try #require(started.json["load"] as? Int)
        var state = started
        while state.json["state"] as? String == "running" {
          usleep(20_000)
          state = try #require(RawClient.answer("/api/chirper/loads/\(number)", port: port))
        }
        let error = state.json["error"] as? [String: Any]
        #expect(error?["kind"] as? String == "unknown-tag", "\(state.text)")
        let asked = catalogue.server.requests.filter { $0.target.contains("many") }
        #expect(asked.count == 1, "\(asked)")
      }
    }
  }

  @Test func `serve says the same, and a whole list answers its query`() throws {
    let catalogue = try FakeXenoCanto(["1", "2"])
    try withProgram(catalogue.variables) { program in
      #expect(try program.run("fetch", "foo:x q:A", "--all").status == 0)
      try withServer(program) { (port: Int) throws in
        func rows(_ query: String) throws -> RawClient.Answer {
          let text = query.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
          return try #require(RawClient.answer("/api/3/recordings?query=\(text)&key=k", port: port))
        }
        for query in ["foo:x q:A", "q:a  FOO:X"] {
          let list = try rows(query)
          #expect(list.json["numRecordings"] as? String == "2", "\(query): \(list.text)")
        }
        let other = try rows("foo:y")
        #expect(
          other.status == 400 && other.text.contains("No stored record says what"), "\(other.text)")
        #expect(try rows("foo:x q:A parrot").status == 400)
        #expect(try rows("qq:A").status == 400)
      }
    }
  }

  @Test func `a country that finds nothing is suggested as it is spelled`() throws {
    let catalogue = try FakeXenoCanto(records: [])
    try withProgram(catalogue.variables) { program in
      let fetch = try program.run("fetch", "q:A cnt:polnd")
      let line = "Did you mean q:A cnt:Poland? Type: chirper fetch 'q:A cnt:Poland'\n"
      #expect(fetch.status == 0 && fetch.error.contains(line), "\(fetch)")
      #expect(!(try program.run("fetch", "cnt:poland")).error.contains("Did you mean"))
    }
  }

  @Test func `words beside tags are sent as a name, and the answer says so`() throws {
    let catalogue = try FakeXenoCanto(["1", "2"])
    try withProgram(catalogue.variables) { program in
      let fetch = try program.run("fetch", "parrot q:A type:call")
      let sent = #"en:"parrot" q:A type:call"#
      #expect(fetch.error.contains("\"parrot\" is taken as an English name: \(sent)\n"), "\(fetch)")
      #expect(try program.run("list", sent).output.split(separator: "\n").count == 3)
      let json = try program.run("fetch", "parrot q:A type:call", "--json")
      #expect(json.output.contains(#""notes":["\"parrot\" is taken as an English name"#), "\(json)")
      let two = try program.run("fetch", "en:parrot grey")
      #expect(two.status == 64 && two.error.contains(#"Type: 'en:"parrot grey"'"#), "\(two)")
    }
  }
}
