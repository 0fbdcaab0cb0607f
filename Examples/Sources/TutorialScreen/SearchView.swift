#if canImport(SwiftUI)
  import Chirper
  import SwiftUI

  /// The same screen in SwiftUI.
  struct SearchView: View {
    let catalogue: Catalogue
    @State var model: ListModel
    @State private var typed = ""

    var body: some View {
      List {
        // Those of one moment: when a row is drawn, the list may be shorter.
        let rows = model.rows
        ForEach(rows.indices, id: \.self) { position in
          let recording = rows[position]
          Text(catalogue.details(of: recording).vernacularName ?? recording.id.description)
            .onAppear { model.rowAppeared(at: position) }
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
