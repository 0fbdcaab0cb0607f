import Foundation

/// Whether work on an input takes time in proportion to its size.
package enum LinearTime {
  /// How many times longer the work takes with the input of twice the size, at least: the processor time of this thread, as the
  /// best of several runs, so that another process cannot make the ratio greater.
  ///
  /// - Parameters:
  ///   - size: of the smaller input; large enough for a millisecond of work.
  ///   - input: makes an input of a size; its time does not count.
  ///   - runs: of how many the best counts; one is enough to see that most work takes less than a limit.
  ///   - work: what is measured.
  package static func ratioOfDoubling<Input>(
    _ size: Int, runs: Int = 5, input: (Int) throws -> Input, _ work: (Input) throws -> Void
  ) rethrows -> Double {
    let (small, large) = (try input(size), try input(size * 2))
    var (least, leastOfTwice) = (Double.infinity, Double.infinity)
    for _ in 0..<runs {
      least = min(least, try seconds { try work(small) })
      leastOfTwice = min(leastOfTwice, try seconds { try work(large) })
    }
    // Less than a microsecond is no work at all.
    return leastOfTwice / max(least, 1e-6)
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
