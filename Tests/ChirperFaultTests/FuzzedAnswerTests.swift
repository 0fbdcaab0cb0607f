import ChirperModel
import ChirperTestSupport
import Foundation
import Testing

@testable import ChirperRemote

/// Heads and framings from seeds, over real sockets and through the transport of this system.
///
/// `CHIRPER_FUZZED_ANSWERS` is how many, `CHIRPER_FUZZ_SEED` where the seeds begin; without it they
/// are fresh and printed.
struct FuzzedAnswerTests {
  private static let environment = ProcessInfo.processInfo.environment
  private static let count = environment["CHIRPER_FUZZED_ANSWERS"].flatMap { Int($0) } ?? 500
  private static let firstSeed =
    environment["CHIRPER_FUZZ_SEED"].flatMap { UInt64($0) } ?? UInt64.random(in: 0...1 << 48)
  private static let key = "c4n4rykey0123456789"
  /// What every answer would say were it left alone; the second record repeats the key.
  private static let rows = [
    #"{"id":"1","en":"Grey Parrot"}"#, #"{"id":"2","rmk":"\#(key)"}"#, #"{"id":"3","loc":"Łódź"}"#,
  ]
  private static let fields = [
    #"{"id":"1","en":"Grey Parrot"}"#, #"{"id":"2","rmk":"***"}"#, #"{"id":"3","loc":"Łódź"}"#,
  ]

  @Test
  func
    `whatever an answer looks like, it is a whole page or a typed error, and the key is in neither`()
    async throws
  {
    print("fuzzed answers: \(Self.count), CHIRPER_FUZZ_SEED=\(Self.firstSeed)")
    let server = try ScriptedServer { request in
      let page = request.query("page").flatMap { UInt64($0) } ?? 0
      let body = FakeXenoCanto.body(Self.rows, page: Int(page), pages: 1_000_000, total: 3_000_000)
      var fuzzer = AnswerFuzzer(seed: Self.firstSeed &+ page, key: Self.key)
      return fuzzer.answer(around: Array(body.utf8))
    }
    var configuration = RemoteConfiguration(
      baseURLs: [.xenoCanto: server.url], key: { _ in APIKey(Self.key) })
    configuration.limits.firstByte = .milliseconds(400)
    configuration.limits.idle = .milliseconds(300)
    configuration.limits.redirects = 1
    let fetcher = XenoCantoFetcher(client: CatalogueClient(XenoCanto.catalogue, configuration))
    let query = try XenoCanto.catalogue.query("parrot")
    let outcomes = await withTaskGroup(of: [String: Int].self) { group in
      for lane in 0..<8 {
        group.addTask {
          var outcomes: [String: Int] = [:]
          for page in stride(from: 1 + lane, through: Self.count, by: 8) {
            outcomes[await Self.outcome(of: page, fetcher, query), default: 0] += 1
          }
          return outcomes
        }
      }
      return await group.reduce(into: [String: Int]()) { $0.merge($1, uniquingKeysWith: +) }
    }
    print(
      "fuzzed answers:",
      outcomes.sorted { $0.value > $1.value }.map { "\($0.key) \($0.value)" }.joined(
        separator: ", "))
    #expect(outcomes.values.reduce(0, +) == Self.count)
    // A search that meets only one kind of answer finds nothing.
    #expect(outcomes.count > 4 && outcomes["page", default: 0] > Self.count / 10, "\(outcomes)")
  }

  /// The kind of outcome, as a word.
  private static func outcome(of number: Int, _ fetcher: XenoCantoFetcher, _ query: CatalogueQuery)
    async -> String
  {
    do throws(FetchError) {
      let page = try await fetcher.page(number, of: query)
      let read = page.recordings.map(\.fields.json)
      #expect(
        read == fields && page.redactions == 1, "seed \(firstSeed &+ UInt64(number)): \(read)")
      return "page"
    } catch {
      let text = "\(error)"
      #expect(
        text.range(of: key, options: .caseInsensitive) == nil,
        "seed \(firstSeed &+ UInt64(number)): \(text)")
      return String(text.prefix { $0 != "(" })
    }
  }
}
