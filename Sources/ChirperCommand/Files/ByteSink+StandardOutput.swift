import ChirperFormats
import Foundation

extension ByteSink {
  static func standardOutput() -> ByteSink { ByteSink(STDOUT_FILENO, path: "standard output") }

  static func printOut(_ text: String) throws {
    let sink = standardOutput()
    try sink.line(text)
    try sink.flush()
  }
}
