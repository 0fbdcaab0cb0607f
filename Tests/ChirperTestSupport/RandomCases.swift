import Foundation

/// The share of its random or exhaustive cases that a test tries: one of so many. All in the deep
/// check (`CHIRPER_ALL_CASES`).
package enum RandomCases {
  package static let step =
    ProcessInfo.processInfo.environment["CHIRPER_ALL_CASES"] == nil ? 10 : 1
}
