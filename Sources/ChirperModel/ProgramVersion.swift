/// The version of the program and the library, and where they come from.
package enum ProgramVersion {
  package static let current = "1.0.0"
  /// The address of the project, which scripts read here too.
  package static let homepage = "https://github.com/chirper/chirper"
}
