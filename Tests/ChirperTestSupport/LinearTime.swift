import Foundation

/// Whether work on an input takes time in proportion to its size.
package enum LinearTime {
  /// How many times longer the work takes with the input of twice the size, in processor time of
  /// this thread: the best of two runs, and of as many as 300 as long as the ratio is more than
  /// three. Whatever disturbs a run only makes it longer, so the best ones come close to what the
  /// work needs: work that takes four times as long is still seen.
  ///
  /// - Parameters:
  ///   - size: of the smaller input; large enough for a millisecond of work.
  ///   - input: makes an input of a size; its time does not count.
  ///   - work: what is measured.
  package static func ratioOfDoubling<Input>(
    _ size: Int, input: (Int) throws -> Input, _ work: (Input) throws -> Void
  ) rethrows -> Double {
    let (small, large) = (try input(size), try input(size * 2))
    // Less than a microsecond is no work at all.
    var (least, leastOfTwice) = (Double.infinity, Double.infinity)
    var ratio: Double { leastOfTwice / max(least, 1e-6) }
    var runs = 0
    while runs < 2 || (ratio > 3 && runs < 300) {
      least = min(least, try seconds { try work(small) })
      leastOfTwice = min(leastOfTwice, try seconds { try work(large) })
      runs += 1
    }
    return ratio
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
