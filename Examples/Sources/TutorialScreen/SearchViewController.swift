#if canImport(UIKit) && !os(watchOS)
  import Chirper
  import UIKit

  /// The same list in UIKit, with a diffable data source.
  final class SearchViewController: UITableViewController {
    private let pager: Pager
    private var observation: Task<Void, Never>?
    private lazy var dataSource = UITableViewDiffableDataSource<Int, RecordingID>(tableView: tableView) { table, path, id in
      let cell = table.dequeueReusableCell(withIdentifier: "recording", for: path)
      cell.textLabel?.text = id.value
      return cell
    }

    init(_ pager: Pager) {
      self.pager = pager
      super.init(style: .plain)
    }

    @available(*, unavailable) required init?(coder: NSCoder) { nil }

    deinit { observation?.cancel() }

    override func viewDidLoad() {
      super.viewDidLoad()
      tableView.register(UITableViewCell.self, forCellReuseIdentifier: "recording")
      let snapshots = pager.snapshots
      observation = Task { [weak self] in
        for await snapshot in snapshots {
          guard let self, let ids = try? snapshot.rows.ids() else { return }
          var shown = NSDiffableDataSourceSnapshot<Int, RecordingID>()
          shown.appendSections([0])
          shown.appendItems(ids)
          await dataSource.apply(shown)
        }
      }
      Task { [pager] in await pager.start() }
    }

    override func tableView(_ table: UITableView, willDisplay cell: UITableViewCell, forRowAt path: IndexPath) {
      guard path.row >= dataSource.snapshot().numberOfItems - 20 else { return }
      Task { [pager] in await pager.loadNextPage() }
    }
  }
#endif
