import Chirper
import ChirperFormats
import ChirperModel
import Foundation

/// One sound at a time.
extension Browser {
  func play(_ recording: Recording) {
    let player: Player
    switch setup.player {
    case .success(let found): player = found
    case .failure(let missing): return send(.playback(.failed(recording.id, missing.words)))
    }
    let before = playing
    before?.cancel()
    playNumber += 1
    send(.playback(.fetching(recording.id, received: 0, total: nil)))
    let (audio, say, number, id) = (setup.repository.audio, say, playNumber, recording.id)
    playing = Task {
      await before?.value
      guard !Task.isCancelled else { return }
      let source: AudioLibrary.LocalFile
      do throws(AudioError) {
        source = try await audio.file(of: recording) { received, total in
          say.yield(.playback(number, .playback(.fetching(id, received: received, total: total))))
        }
      } catch {
        let words = UserFacingError(error, id).problem
        say.yield(.playback(number, .playback(.failed(id, words))))
        return
      }
      guard !Task.isCancelled else {
        if source.isTemporary { unlink(source.url.path) }
        return
      }
      say.yield(.playback(number, .playback(.playing(id))))
      switch await PlayerRun.play(source, with: player) {
      case .ended: say.yield(.playback(number, .playback(.ended(id))))
      case .stopped: break
      case .failed(let reason): say.yield(.playback(number, .playback(.failed(id, reason))))
      }
    }
  }

  func stopPlaying() {
    playNumber += 1
    playing?.cancel()
    send(.playback(.silent))
  }
}
