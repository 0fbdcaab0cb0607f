import Foundation

/// Whether work on an input takes time in proportion to its size.
///
/// No test judges time: what uses this is a benchmark, which `scripts/bench --cases linear` runs.
package enum LinearTime {
  /// Whether `scripts/bench` runs the tests.
  package static let isMeasured = ProcessInfo.processInfo.environment["CHIRPER_BENCH"] != nil

  /// How many times longer the work takes with four times the input, if that is more than eight
  /// times: between proportion, which is four, and the square of the size, which is sixteen.
  ///
  /// Both inputs are read one after the other, so whatever else runs on the machine makes both
  /// times longer. The answer is the median of such pairs: of three, and of as many as a hundred
  /// as long as it is more than eight.
  ///
  /// - Parameters:
  ///   - size: half of it is the smaller input's, twice as much the larger one's.
  ///   - input: makes an input of a size; its time does not count.
  ///   - work: what is measured, in processor time of this thread.
  package static func excess<Input>(
    _ size: Int, input: (Int) throws -> Input, _ work: (Input) throws -> Void
  ) rethrows -> Double? {
    let (small, large) = (try input(size / 2), try input(size * 2))
    var ratios: [Double] = []
    while ratios.count < 99 {
      // A clock says nothing about less than a microsecond.
      let seconds = max(try seconds { try work(small) }, 1e-6)
      ratios.append(try Self.seconds { try work(large) } / seconds)
      if ratios.count >= 3, median(ratios) <= 8 { return nil }
    }
    return median(ratios)
  }

  private static func median(_ values: [Double]) -> Double {
    values.sorted()[values.count / 2]
  }

  private static func seconds(_ work: () throws -> Void) rethrows -> Double {
    let start = now()
    try work()
    return now() - start
  }

  private static func now() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }
}
