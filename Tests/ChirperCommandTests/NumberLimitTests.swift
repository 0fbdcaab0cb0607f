import ChirperTestSupport
import Testing

/// Numbers at the limits of their types and beyond, as requests can have them.
enum NumbersAtLimits {
  /// Without a sign.
  static let whole = [
    "9223372036854775806", "9223372036854775807", "9223372036854775808", "99999999999999999999",
  ]
  static let all =
    whole + [
      "18446744073709551615", "-9223372036854775808", "4294967296", "2147483648", "-1", "1e400",
      "nan", "1e-400",
    ]
}

/// Numbers from options, as great as they can be typed.
struct NumberLimitTests {
  @Test func `no option crashes a command with a number at or beyond the limits of its type`()
    throws
  {
    try withParrots { program in
      var count = 0
      // A server does not end; ServeTests has its ports.
      for (words, command) in try DumpedCommand.all() where words != ["serve"] {
        let needed = (command.arguments ?? []).filter { $0.kind == "positional" && !$0.isOptional }
          .map { _ in "parrot" }
        for flag in (command.arguments ?? []).filter({ $0.kind == "option" }).compactMap(\.flag) {
          count += 1
          for number in [
            "9223372036854775807", "9223372036854775806", "-9223372036854775808",
            "9223372036854775808", "-1", "0", "1e400",
            "9223372036854775807d", "100000w", "9223372036854775807/h",
          ] {
            // What a player would play is saved.
            let arguments = words + needed + [flag, number] + (words == ["play"] ? ["--save"] : [])
            let result = try program.run(BuiltProgram.path, arguments, input: "")
            #expect([0, 64, 66, 73, 74].contains(result.status), "\(arguments): \(result)")
            #expect(result.status == 0 || result.error.contains(" "), "\(arguments): \(result)")
          }
        }
      }
      #expect(count > 30)
    }
  }

  @Test(arguments: [
    (["list", "parrot", "--limit"], "1000000001", "--limit must be from 0 to 1000000000"),
    (["search", "parrot", "--offset"], "-1", "--offset must be from 0 to 1000000000"),
    (["fetch", "parrot", "--pages"], "1000001", "--pages must be from 1 to 1000000"),
    (["sync", "--within"], "100001d", "type a number up to 100000 and a unit"),
    (["fetch", "parrot", "--max-age"], "100001d", "type a number up to 100000 and a unit"),
    (["fetch", "parrot", "--max-rate"], "1001", "up to 1000 a second"),
    (["fetch", "year:>9223372036854775807", "--source"], "gbif", "\"year:\""),
  ])
  func `the error names the bound`(words: [String], number: String, error: String) throws {
    try withParrots { program in
      let result = try program.run(BuiltProgram.path, words + [number], input: "")
      #expect(result.status == 64 && result.error.contains(error), "\(result)")
    }
  }
}
