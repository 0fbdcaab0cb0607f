import Chirper
import ChirperModel

/// The length of a sound, by which selections in it are cut.
struct SoundLength {
  /// The length in seconds.
  let seconds: Double
  /// Whether it is that of a file; catalogues round to seconds.
  private let isOfFile: Bool

  /// The length of the file, if it is not off by more than a second from that which the catalogue
  /// has: then it is a different one, or its length is an estimate. `nil` if neither is known.
  init?(_ header: AudioHeader?, sent: Double?) {
    let known = header.flatMap { header in
      sent.map { abs(header.duration - $0) <= 1 } ?? true ? header.duration : nil
    }
    guard let seconds = known ?? sent else { return nil }
    self.seconds = seconds
    isOfFile = known != nil
  }

  init?(_ header: AudioHeader?, details: RecordingDetails) {
    self.init(header, sent: details.audioSeconds)
  }

  /// The part of a stretch that is in the sound, because a selection that went on in the next file
  /// would select what is not meant; `nil` for a single moment, and if no part is in the sound.
  func part(of stretch: ClosedRange<Double>?) -> ClosedRange<Double>? {
    guard let stretch, stretch.lowerBound < stretch.upperBound,
      stretch.lowerBound < seconds + (isOfFile ? 0 : 1)
    else { return nil }
    let end = stretch.lowerBound < seconds ? min(stretch.upperBound, seconds) : stretch.upperBound
    return stretch.lowerBound...end
  }
}
