import ChirperTestSupport

/// One way to damage a file, chosen by a seed.
struct Damage: CustomStringConvertible {
  private(set) var description = ""
  private var random: SeededRandom

  init(seed: UInt64) {
    random = SeededRandom(seed: seed)
  }

  mutating func apply(to bytes: inout [UInt8]) {
    switch Int.random(in: 0..<10, using: &random) {
    case 0...2:
      let count = Int.random(in: 1...8, using: &random)
      description = "\(count) flipped bytes"
      for _ in 0..<count { flip(&bytes, in: 0..<bytes.count) }
    case 3...4:
      // A page begins with its kind, the number of its cells and their offsets.
      let count = Int.random(in: 1...4, using: &random)
      description = "\(count) flipped bytes at the start of pages"
      for _ in 0..<count {
        let page = Int.random(in: 0..<(bytes.count / 4096), using: &random) * 4096
        flip(&bytes, in: page..<(page + 40))
      }
    case 5:
      let count = Int.random(in: 100...2000, using: &random)
      description = "\(count) flipped bytes"
      for _ in 0..<count { flip(&bytes, in: 0..<bytes.count) }
    case 6...7:
      let keeping = Int.random(in: 0..<bytes.count, using: &random)
      description = "cut to \(keeping) bytes"
      bytes.removeLast(bytes.count - keeping)
    case 8:
      let count = Int.random(in: 1...4, using: &random)
      description = "\(count) pages of zeros"
      for _ in 0..<count { fill(&bytes) { _ in 0 } }
    default:
      description = "a page overwritten with another"
      let from = Int.random(in: 0..<(bytes.count / 4096), using: &random) * 4096
      let page = Array(bytes[from..<(from + 4096)])
      fill(&bytes) { page[$0] }
    }
  }

  private mutating func flip(_ bytes: inout [UInt8], in range: Range<Int>) {
    bytes[Int.random(in: range, using: &random)] ^= UInt8.random(in: 1...255, using: &random)
  }

  private mutating func fill(_ bytes: inout [UInt8], _ byte: (Int) -> UInt8) {
    let page = Int.random(in: 0..<(bytes.count / 4096), using: &random) * 4096
    for index in 0..<4096 { bytes[page + index] = byte(index) }
  }
}
