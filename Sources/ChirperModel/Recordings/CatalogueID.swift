/// The name of a catalogue in the store, in JSON and for `--source` of the command: each folder of
/// a catalogue declares its own.
public struct CatalogueID: RawRepresentable, Hashable, Codable, Sendable, CustomStringConvertible,
  ExpressibleByStringLiteral
{
  /// Lower case ASCII letters, digits and hyphens: `xeno-canto`.
  public let rawValue: String

  /// An id by its name, which may be of a catalogue that is not known here.
  public init(rawValue: String) {
    self.rawValue = rawValue
  }

  /// An id by its name, as it is written in code.
  public init(stringLiteral name: String) {
    self.init(rawValue: name)
  }

  /// The raw value.
  public var description: String { rawValue }
}
