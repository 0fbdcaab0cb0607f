#if canImport(SwiftUI)
  import Chirper
  import SwiftUI

  /// The same screen in SwiftUI.
  struct SearchView: View {
    let catalogue: Catalogue
    @State var model: ListModel
    @State private var typed = ""
    /// The recording that is selected, also when rows move.
    @State private var selected: RecordingID?

    var body: some View {
      List(selection: $selected) {
        ForEach(model.window) { row in
          let name = model.rows[row].flatMap { catalogue.details(of: $0).vernacularName }
          Text(name ?? row.id.description)
            .onAppear { model.rowAppeared(row) }
        }
        footer
      }
      .searchable(text: $typed)
      .task(id: typed) {
        // Another letter cancels the task.
        guard (try? await Task.sleep(for: .milliseconds(300))) != nil,
          let query = try? catalogue.query(typed)
        else { return }
        model.search(query)
      }
      .refreshable { await model.refresh() }
    }

    @ViewBuilder private var footer: some View {
      switch model.state {
      case nil, .populated: EmptyView()
      case .loading, .paging: ProgressView()
      case .empty: Text("Nothing found")
      case .error(let error, cached: _): Button(error.localizedDescription) { model.retry() }
      }
    }
  }
#endif
