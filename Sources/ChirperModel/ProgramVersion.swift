/// The version of the program and the library.
package enum ProgramVersion {
  package static let current = "0.1.0"
}
