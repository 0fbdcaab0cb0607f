/// Typed texts, each with the search that it means to the library, the command, the server and the
/// table in the terminal.
package let typedSearches: [(typed: String, means: String)] = [
  ("XC123456", "nr:XC123456"),
  ("xc123456", "nr:XC123456"),
  ("xc 123456", "nr:XC123456"),
  (" XC123456 ", "nr:XC123456"),
  ("https://xeno-canto.org/123456", "nr:XC123456"),
  ("xeno-canto.org/123456", "nr:XC123456"),
  ("123456", "123456"),
  ("nr:123456", "nr:123456"),
  ("robin XC123456", "robin XC123456"),
  ("robin", "robin"),
  ("common blackbird q:A", "common blackbird q:A"),
  ("\"common blackbird\" -type:call", "\"common blackbird\" -type:call"),
  ("genus:turdus", "an error"),
  ("source:nowhere", "an error"),
  ("", "an error"),
]
