import Foundation

struct Style: Sendable {
  let isOn: Bool

  /// The style by the options: `--no-color` and `NO_COLOR` take precedence over
  /// `CLICOLOR_FORCE`, which takes precedence over the kind of the descriptor.
  init(noColor: Bool, variables: ProcessEnvironment, isTerminal: Bool) {
    if noColor || variables["NO_COLOR"] != nil {
      isOn = false
    } else if let force = variables["CLICOLOR_FORCE"], force != "0" {
      isOn = true
    } else {
      isOn = isTerminal && variables["TERM"] != "dumb"
    }
  }

  func bold(_ text: String) -> String { wrapped(text, "1") }
  func red(_ text: String) -> String { wrapped(text, "31") }

  private func wrapped(_ text: String, _ code: String) -> String {
    isOn ? "\u{1B}[\(code)m\(text)\u{1B}[0m" : text
  }
}
