import ChirperStore
import ChirperTestSupport
import Foundation
import Testing

/// A disk that is full, fails or is read-only.
@Suite(.serialized)
struct FailingDiskTests {
  private static let ids = (1...8).map { "\($0)" }

  @Test(
    .enabled(if: SystemFaults.hasStrace, SystemFaults.needsStrace),
    arguments: [("error=ENOSPC", ["pwrite64"]), ("error=EIO", ["pwrite64", "fdatasync,fsync"])])
  func `a write that fails ends with 74 and the path, and what was stored is readable`(
    fault: String, calls: [String]
  ) throws {
    let catalogue = try FakeXenoCanto(Self.ids)
    try withProgram(catalogue.variables) { empty in
      let tried = try Injection.atEvery(calls, fault: fault) { injection in
        try withCopy(of: empty, catalogue.variables) { program in
          let (result, touched) = try injection.run(program, ["fetch", "parrot", "--all"])
          let inspector = StoreInspector(program)
          // SQLite ignores errors in syncing a directory, and in a journal that it no longer needs.
          #expect(result.status == 74 || result.status == 0, "\(injection): \(result)")
          if result.status == 74 {
            #expect(result.error.contains(inspector.file), "\(injection): \(result.error)")
          }
          let shown = try inspector.check("\(injection)").first ?? []
          #expect(Self.ids.starts(with: shown), "\(injection)")
          #expect(try program.run("fetch", "parrot", "--all").status == 0, "\(injection)")
          #expect(try inspector.check("\(injection)") == [Self.ids], "\(injection)")
          return touched
        }
      }
      print("calls that failed with \(fault): \(tried)")
      #expect(tried >= 10)
    }
  }

  @Test(
    .enabled(if: SystemFaults.hasStrace, SystemFaults.needsStrace),
    arguments: ["error=ENOSPC", "error=EIO"])
  func `forget on a failing disk leaves the list whole or removes it whole`(fault: String) throws {
    let catalogue = try FakeXenoCanto((1...10).map { "\($0)" }, rowsPerPage: 20, size: 3000)
    try withProgram(catalogue.variables) { full in
      #expect(try full.run("fetch", "parrot", "--all").status == 0)
      catalogue.ids = (11...50).map { "\($0)" }
      #expect(try full.run("fetch", "finch", "--all").status == 0)
      let tried = try Injection.atEvery(["pwrite64", "fdatasync,fsync", "ftruncate"], fault: fault)
      { injection in
        try withCopy(of: full, catalogue.variables) { program in
          let (result, touched) = try injection.run(program, ["forget", "finch", "--yes"])
          let lists = try StoreInspector(program).check("\(injection)").map(\.count).sorted()
          // An error after the list is gone only keeps space from being given back.
          #expect(
            result.status == 0 ? lists == [10] : result.status == 74 && lists == [10, 40],
            "\(injection): \(result)")
          return touched
        }
      }
      print("calls of forget that failed with \(fault): \(tried)")
      #expect(tried >= 10)
    }
  }

  @Test(
    .enabled(if: SystemFaults.hasStrace, SystemFaults.needsStrace),
    arguments: ["error=ENOSPC", "error=EIO"])
  func `names are added whole or not at all on a failing disk`(fault: String) throws {
    try withParrots { full in
      let file = full.path("names.csv")
      let rows = (0..<200).map { "Turdus \(String(repeating: "b", count: 3 + $0)),name \($0)\n" }
      try Data(("Scientific name,German\n" + rows.joined()).utf8).write(to: URL(filePath: file))
      let tried = try Injection.atEvery(["pwrite64", "fdatasync,fsync"], fault: fault) {
        injection in
        try withCopy(of: full, [:]) { program in
          let (result, touched) = try injection.run(program, ["names", "add", file])
          let list = try program.run("names", "list").output
          let isWhole = list.hasPrefix("names: 200 names of 200 species")
          #expect(
            result.status == 0 ? isWhole : result.status == 74 && list.isEmpty,
            "\(injection): \(result), \(list)")
          _ = try StoreInspector(program).check("\(injection)")
          return touched
        }
      }
      #expect(tried >= 3)
    }
  }

  @Test(.enabled(if: SystemFaults.canMount, SystemFaults.needsMount))
  func `a full disk keeps what was stored, and the fetch continues once there is room`() throws {
    let catalogue = try FakeXenoCanto((1...60).map { "\($0)" }, rowsPerPage: 10, size: 4000)
    try withProgram(catalogue.variables) { program in
      let result = try program.shell(
        """
        export CHIRPER_DATA_DIR="$HOME/small"
        mkdir "$CHIRPER_DATA_DIR"
        unshare -rm --propagation private sh -c '
          mount -t tmpfs -o size=288k none "$CHIRPER_DATA_DIR"
          "$chirper" fetch parrot --all; echo "fetch $?"
          "$chirper" list parrot --json > list; echo "list $?"
          "$chirper" doctor > doctor; echo "doctor $?"
          head -c 1m /dev/zero > "$CHIRPER_DATA_DIR/rest" 2> /dev/null
          "$chirper" export parrot -o "$CHIRPER_DATA_DIR/out.csv"; echo "export $?"
          rm "$CHIRPER_DATA_DIR/rest"
          ls -A "$CHIRPER_DATA_DIR"
          mount -o remount,size=4m "$CHIRPER_DATA_DIR"
          "$chirper" fetch parrot --all; echo "fetch $?"
          "$chirper" list parrot --json > all; echo "list $?"
        '
        """)
      #expect(
        result.output
          == "fetch 74\nlist 0\ndoctor 0\nexport 74\nchirper.sqlite\nlocks\nfetch 0\nlist 0\n",
        "\(result)")
      #expect(result.error.contains("\(program.path("small/chirper.sqlite")): the disk is full"))
      let some = try Self.rows(program.path("list"))
      #expect((1..<60).contains(some))
      #expect(try Self.rows(program.path("all")) == 60)
    }
  }

  @Test(.enabled(if: SystemFaults.canMount, SystemFaults.needsMount))
  func `a backup to a full disk names its own file`() throws {
    try withParrots { program in
      let result = try program.shell(
        """
        mkdir "$HOME/card"
        unshare -rm --propagation private sh -c '
          mount -t tmpfs -o size=64k none "$HOME/card"
          "$chirper" backup "$HOME/card/b.sqlite"
        '
        """)
      let full = "\(program.path("card/b.sqlite")): the disk is full"
      #expect(result.status == 74 && result.error.contains(full), "\(result)")
    }
  }

  @Test(
    .enabled(if: SystemFaults.hasStrace, SystemFaults.needsStrace),
    arguments: [
      "write:error=ENOSPC", "write:error=EIO", "fsync:error=EIO",
      "rename,renameat,renameat2:error=EIO", "write:signal=KILL",
    ])
  func `an export that cannot be written leaves no half-written file under its name`(fault: String)
    throws
  {
    try withParrots { program in
      let target = program.path("out.csv")
      let call = String(fault.prefix { $0 != ":" })
      let what = String(fault.drop { $0 != ":" }.dropFirst())
      // The first write may be of the C library's own (dispatch wakes its threads so); only the
      // file's count.
      var met = 0
      for number in 1...3 {
        try Data("before".utf8).write(to: URL(filePath: target))
        let injection = Injection(fault: what, call: call, number: number)
        let (result, touched) = try injection.run(program, ["export", "parrot", "-o", "out.csv"])
        if touched { met += 1 }
        let text = String(decoding: try Data(contentsOf: URL(filePath: target)), as: UTF8.self)
        if result.status == 0 {
          #expect(readCSV(text)?.count == 151, "\(injection)")
        } else {
          // A program killed while it reports success has already moved the whole file to its
          // place.
          let isWhole = result.status == 137 && readCSV(text)?.count == 151
          #expect(touched && (text == "before" || isWhole), "\(injection): \(result)")
          #expect(
            result.status == 74 || result.status == 73 || result.status == 137,
            "\(injection): \(result)")
        }
      }
      #expect(met > 0, "the export makes no such call")
    }
  }

  @Test func `a limit on file sizes is an I/O error that leaves no half-written file`() throws {
    try withParrots { program in
      for blocks in [1, 8, 24] {
        let result = try program.shell("ulimit -f \(blocks); \"$chirper\" export parrot -o out.csv")
        #expect(
          result.status == 74 && result.error.contains("out.csv: writing failed: File too large."),
          "\(result)")
      }
      #expect(
        try FileManager.default.contentsOfDirectory(atPath: program.directory.path).filter {
          $0.contains("out.csv")
        } == [])
      let fetch = try program.shell(
        "ulimit -f 300; \"$chirper\" fetch parrot --source sample --per-page 50 --all")
      #expect(fetch.status == 74 && fetch.error.contains(StoreInspector(program).file), "\(fetch)")
      #expect(try (150..<715).contains(StoreInspector(program).check("limited").first?.count ?? 0))
    }
    let sound = Array("ID3".utf8) + [UInt8](repeating: 0, count: 100_000)
    let catalogue = try FakeXenoCanto(records: [FakeXenoCanto.Record("1", file: "/1/download")]) {
      request, _ in
      request.path == "/1/download" ? .bytes(200, sound) : nil
    }
    try withProgram(catalogue.variables) { program in
      #expect(try program.run("fetch", "parrot", "--all").status == 0)
      let play = try program.shell("ulimit -f 150; \"$chirper\" play 1 --save")
      #expect(
        play.status == 74 && play.error.contains("1.mp3.part: writing failed: File too large."),
        "\(play)")
      let folder = StoreInspector(program).directory.appending(path: "audio/xeno-canto")
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == [])
    }
  }

  @Test(.enabled(if: SystemFaults.hasStrace, SystemFaults.needsStrace))
  func `the next export removes the parts of killed ones, and no other file`() throws {
    try withParrots { program in
      let injection = Injection(fault: "signal=KILL", call: "fsync", number: 1)
      #expect(
        try injection.run(program, ["export", "parrot", "-o", "out.csv"]).result.status == 137)
      let files = {
        try FileManager.default.contentsOfDirectory(atPath: program.directory.path).filter {
          $0.contains("out.csv")
        }
      }
      #expect(try files().count == 1)
      #expect(try files()[0].hasPrefix(".out.csv.chirper-") && files()[0].hasSuffix(".part"))
      // Of other programs, of another target, and one that a running process holds.
      let others = [
        ".out.csv.part", ".out.csv.1234567890.part", ".out.csv.chirper-.part",
        ".out.csv.chirper-ABCDEF00.part",
        "..out.csv.chirper-00000001.part", ".out.csv.chirper-0000000f.part",
      ]
      for name in others { try Data("x".utf8).write(to: URL(filePath: program.path(name))) }
      let held = open(program.path(others[5]), O_RDONLY)
      defer { close(held) }
      #expect(flock(held, LOCK_EX) == 0)
      #expect(try program.run("export", "parrot", "-o", "out.csv").status == 0)
      #expect(try Set(files()) == Set(others + ["out.csv"]))
      flock(held, LOCK_UN)
      #expect(try program.run("export", "parrot", "-o", "out.csv").status == 0)
      #expect(try Set(files()) == Set(others.dropLast() + ["out.csv"]))
    }
  }

  @Test(arguments: [
    "export parrot", "export parrot --format jsonl", "list parrot", "list", "doctor",
  ])
  func `standard output on a full disk ends with 74`(words: String) throws {
    try withParrots { program in
      let result = try program.shell("\"$chirper\" \(words) > /dev/full")
      #expect(result.status == 74, "\(result)")
      #expect(result.error.contains("No space left on device"), "\(result)")
    }
  }

  @Test(.enabled(if: SystemFaults.canMount, SystemFaults.needsMount))
  func `list and export work on a read-only disk, and commands that write explain why they cannot`()
    throws
  {
    try withParrots(["XENO_CANTO_API_KEY": "k"]) { program in
      let result = try program.shell(
        """
        cd "$HOME/.local/share/chirper"
        unshare -rm --propagation private sh -c '
          mount --bind . . && mount -o remount,bind,ro . && cd "$PWD"
          "$chirper" list > "$HOME/list"; echo "list $?"
          "$chirper" list parrot > "$HOME/rows"; echo "rows $?"
          "$chirper" export parrot > "$HOME/csv"; echo "export $?"
          "$chirper" search "parrot -q:E" > "$HOME/found"; echo "search $?"
          "$chirper" doctor > "$HOME/doctor"; echo "doctor $?"
          "$chirper" fetch parrot --source sample --all; echo "fetch $?"
          "$chirper" sync; echo "sync $?"
          "$chirper" forget parrot --yes; echo "forget $?"
          "$chirper" names list; echo "names $?"
          printf "IOC,German\\nTurdus merula,Amsel\\n" > "$HOME/a.csv"
          "$chirper" names add "$HOME/a.csv"; echo "add $?"
          "$chirper" doctor --repair > /dev/null; echo "repair $?"
        '
        """)
      #expect(
        result.output
          == "list 0\nrows 0\nexport 0\nsearch 0\ndoctor 0\nfetch 74\nsync 74\nforget 74\nnames 0\nadd 74\nrepair 0\n",
        "\(result)")
      #expect(
        result.error.components(separatedBy: "the database is read-only, so nothing can be stored.")
          .count == 5, "\(result.error)"
      )
      let csv = String(
        decoding: try Data(contentsOf: URL(filePath: program.path("csv"))), as: UTF8.self)
      #expect(readCSV(csv)?.count == 151)
      #expect(
        try String(contentsOfFile: program.path("doctor"), encoding: .utf8).contains("read-only"))
    }
  }

  private static func rows(_ file: String) throws -> Int {
    let object =
      try JSONSerialization.jsonObject(with: Data(contentsOf: URL(filePath: file)))
      as? [String: Any]
    return (object?["recordings"] as? [Any])?.count ?? -1
  }
}
