import Chirper
import ChirperModel
import ChirperTerminal
import Foundation

/// What the commands that show and play recordings work with.
extension Session {
  /// The store for reading and, where it can be written, for asking catalogues too.
  func browsable() throws -> RecordingRepository {
    let directory = try environment.dataDirectory()
    do throws(StoreError) {
      return try RecordingRepository(directory: directory, access: .write, configuration: configuration)
    } catch .readOnly {
      return try RecordingRepository(directory: directory, access: .read, configuration: configuration)
    }
  }

  func audio() throws(CommandError) -> AudioLibrary {
    AudioLibrary(dataDirectory: try environment.dataDirectory(), configuration: configuration)
  }

  func player() -> Result<Player, Player.Missing> {
    do throws(Player.Missing) {
      return .success(
        try Player.find(configured: settings.player, environment: ProcessInfo.processInfo.environment))
    } catch {
      return .failure(error)
    }
  }

  /// Between two audio files: the catalogue's minimum interval at its own host, none where another is used in its place.
  func audioInterval(of catalogue: Catalogue) -> Duration {
    settings.baseURLs[catalogue.id] == nil ? catalogue.minimumInterval : .zero
  }
}
