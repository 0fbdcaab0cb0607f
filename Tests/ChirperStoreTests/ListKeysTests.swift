import Testing

@testable import ChirperStore

@Suite struct ListKeysTests {
  private static let lists: [[Int64]] = [
    [], [1], Array(1...1_000), (1...600).reversed(),
    [.max, .min, 0, -1, .max, 1 << 40, 127, 128, 64, 63],
    (0..<3_000).map { ($0 &* 2_654_435_761) % 1_000_003 },
  ]

  @Test func `compressed keys are read as they were`() {
    for list in Self.lists {
      let keys = ListKeys(list)
      #expect(keys.count == list.count)
      #expect(keys[0..<list.count] == list)
    }
  }

  @Test(arguments: [0..<1, 255..<258, 511..<900, 990..<5_000, 3_000..<3_001])
  func `any window of them can be read, clamped to the end`(window: Range<Int>) {
    let list = (0..<1_000).map { Int64($0 * 7 % 1_000) }
    #expect(ListKeys(list)[window] == Array(list[window.clamped(to: 0..<1_000)]))
  }
}
