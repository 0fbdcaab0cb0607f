import Chirper
import ChirperFormats
import Foundation

extension ImportSource {
  /// Refuses a file whose rows do not fit on the disk.
  ///
  /// - Parameter path: the file as it was typed.
  func checkRoom(for path: String) throws {
    let folder = try ProcessEnvironment.live.storeDirectory()
    let free = try? folder.resourceValues(forKeys: [.volumeAvailableCapacityKey])
      .volumeAvailableCapacity
    guard let free, Int64(free) < neededBytes else { return }
    throw UserFacingError(
      .inputOutput, kind: "disk-full", subject: path,
      problem: "its rows may need \(SizeText.words(neededBytes)), and the disk of "
        + "\(folder.path) has \(SizeText.words(free)) left",
      hint: "Make room, or set CHIRPER_DATA_DIR to a directory on a larger disk.")
  }
}
