import Chirper
import ChirperModel
import Foundation

extension Settings {
  /// The lists that were not updated for longer than the settings allow.
  func due(
    _ lists: [StoredQuery], in repository: RecordingRepository, _ printer: Printer
  ) throws -> [StoredQuery] {
    let now = WallClock.now()
    let usual = try due ?? Age(option: "7d")
    var own: [CatalogueQuery: Age] = [:]
    for (text, age) in dueOfLists {
      let named = try TypedText(text).stored(in: repository)
      if named.isEmpty, !printer.isQuiet {
        Console.line("The setting due names a list that is not stored: \(text)")
      }
      for list in named { own[list.query] = age }
    }
    return lists.filter { list in
      // What the clock says is from the future is old.
      let oldest = (own[list.query] ?? usual).moment(before: now)
      return !(oldest...now).contains(list.syncedAt)
    }
  }
}
