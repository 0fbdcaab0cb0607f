extension RecordingDetails {
  /// A position on Earth in degrees, WGS 84.
  public struct Coordinate: Hashable, Sendable {
    /// -90 to 90, north is positive.
    public let latitude: Double
    /// -180 to 180, east is positive.
    public let longitude: Double

    /// A coordinate; `nil` if a number is out of range. Services were seen to send a latitude of
    /// 91.5.
    public init?(latitude: Double, longitude: Double) {
      guard (-90...90).contains(latitude), (-180...180).contains(longitude) else { return nil }
      self.latitude = latitude
      self.longitude = longitude
    }
  }
}
