import Testing

@testable import ChirperStore

@Suite struct ListKeysTests {
  @Test(arguments: [0..<1, 255..<258, 511..<900, 990..<5_000, 3_000..<3_001])
  func `any window of keys can be read, clamped to the end`(window: Range<Int>) {
    let list = (0..<1_000).map { Int64($0 * 7 % 1_000) }
    #expect(ListKeys(list)[window] == Array(list[window.clamped(to: 0..<1_000)]))
  }
}
