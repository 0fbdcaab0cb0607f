#if canImport(SwiftUI)
import AVFoundation
import Chirper
import SwiftUI

/// A SwiftUI view of the screen.
struct SearchView: View {
  let repository: RecordingRepository
  let catalogue: CatalogueID
  @State var model: ListModel
  @State private var typed = ""
  /// The recording that is selected, also when rows move.
  @State private var selected: RecordingID?
  @State private var player: AVAudioPlayer?

  var body: some View {
    List(selection: $selected) {
      ForEach(model.window) { row in
        let details = model.rows[row].map(repository.details)
        HStack {
          Text(details?.vernacularName ?? row.id.description)
          Spacer()
          Button("Play", systemImage: "play") { play(model.rows[row]) }
        }
        .onAppear { model.rowAppeared(row) }
      }
      footer
    }
    .searchable(text: $typed)
    .onSubmit(of: .search) { model.search(typed, in: catalogue) }
    .task(id: typed) {
      // Another letter cancels the task. An empty field clears the list at once.
      if !typed.isEmpty {
        guard (try? await Task.sleep(for: .milliseconds(300))) != nil else { return }
      }
      model.search(typed, in: catalogue)
    }
    .refreshable { await model.refresh() }
  }

  @ViewBuilder private var footer: some View {
    if model.isLoading { ProgressView(model.load.message ?? "") }
    switch model.state {
    case nil, .loading, .populated: EmptyView()
    case .paging: Button("More") { model.loadNextPage() }.disabled(model.isLoading)
    case .empty: Text("Nothing found")
    case .error(let error, cached: _): Button(error.localizedDescription) { model.retry() }
    }
  }

  private func play(_ recording: Recording?) {
    guard let recording else { return }
    Task {
      let file = try await repository.audio.file(of: recording, storesGenerated: true)
      player = try AVAudioPlayer(contentsOf: file.url)
      player?.play()
    }
  }
}
#endif
