#if canImport(UIKit) && !os(watchOS)
import Chirper
import UIKit

/// A UIKit controller of the list.
final class SearchViewController: UITableViewController {
  private let pager: Pager
  private var rows: RecordingList = []
  private var observation: Task<Void, Never>?

  init(_ pager: Pager) {
    self.pager = pager
    super.init(style: .plain)
  }

  @available(*, unavailable) required init?(coder: NSCoder) { nil }

  deinit {
    observation?.cancel()
    Task { [pager] in await pager.cancel() }
  }

  override func viewDidLoad() {
    super.viewDidLoad()
    tableView.register(UITableViewCell.self, forCellReuseIdentifier: "recording")
    let snapshots = pager.snapshots
    observation = Task { [weak self] in
      for await snapshot in snapshots { self?.show(snapshot) }
    }
    Task { [pager] in await pager.start() }
  }

  private func show(_ snapshot: ListSnapshot) {
    guard snapshot.rows != rows else { return }
    rows = snapshot.rows
    tableView.reloadData()
  }

  override func tableView(_ table: UITableView, numberOfRowsInSection section: Int) -> Int {
    rows.count
  }

  override func tableView(_ table: UITableView, cellForRowAt path: IndexPath) -> UITableViewCell {
    let cell = table.dequeueReusableCell(withIdentifier: "recording", for: path)
    let recording = rows[path.row]
    // While another process writes, some rows follow in another snapshot.
    cell.textLabel?.text = recording.isMissing ? "…" : recording.id.value
    return cell
  }

  override func tableView(
    _ table: UITableView, willDisplay cell: UITableViewCell, forRowAt path: IndexPath
  ) {
    pager.rowAppeared(at: path.row)
  }
}
#endif
