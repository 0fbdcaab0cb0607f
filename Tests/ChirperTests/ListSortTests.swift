import ChirperModel
import Testing

@testable import Chirper

struct ListSortTests {
  @Test(arguments: [
    ["\"0:59\"", "\"9:15\"", "\"10:31\"", "\"1:02:07\"", "\"A:10\"", "\"no score\"", "\"\""],
    ["\"-8.6\"", "0", "\"51.15\"", "1e3", "\"?\"", "\"about 12\"", "null"],
    ["\"2016-05-16\"", "\"2016-05-17\"", "\"2019-05-01\""],
    ["\"12:34:56:78\"", "\"12:3x\"", "\"a\"", "\"B\"", "\"c\""],
  ])
  func `numbers and lengths sort by value, then come texts, then empty fields`(inOrder: [String]) {
    let values = inOrder.map { SortValue(FieldValue(json: $0)) }
    for (index, value) in values.enumerated() {
      for other in values[(index + 1)...] { #expect(value < other && !(other < value), "\(value), \(other)") }
    }
    #expect(SortValue(nil) == SortValue(FieldValue(json: "null")))
  }
}
