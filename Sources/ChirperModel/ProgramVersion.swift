/// The version of the program and the library, and where they come from.
package enum ProgramVersion {
  package static let current = "1.0.0"
  /// The address of the project, which scripts read here too.
  package static let homepage = "https://github.com/chirper/chirper"
  /// Whom a citation names, which scripts read here too.
  static let developers = "The chirper developers"
  /// The program as a work cites it.
  package static let citation = "\(developers): chirper, version \(current). \(homepage)"
}
