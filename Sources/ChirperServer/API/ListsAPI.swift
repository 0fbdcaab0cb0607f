import Chirper
import ChirperFormats
import ChirperModel
import Foundation

/// The stored lists, forgetting them, and the catalogues from which further lists can be
/// fetched.
struct ListsAPI: Sendable {
  let repository: RecordingRepository
  /// The catalogue of a list that names none.
  let defaultCatalogue: CatalogueID
  let hasKey: @Sendable (Catalogue) -> Bool
  let now: @Sendable () -> Date

  /// The lists as `chirper list --json` has them.
  func answer() throws -> Answer { Answer(body: .bytes(try bytes())) }

  /// The object `{"queries":[…]}`.
  func bytes() throws -> [UInt8] {
    let output = MemoryOutput()
    try StoredQueryTable(try repository.storedQueries(), in: repository).write(
      .json, WriteOptions(now: now()), to: output)
    return output.buffer
  }

  /// Every catalogue; whether it is the default one, and whether it cannot be asked because its key
  /// is missing. A reader can ask none.
  /// Besides, the languages of the names that were added, and the one that the server shows.
  func catalogues(_ request: Request) throws -> Answer {
    let all = (request.isReader ? [] : repository.catalogues).map { catalogue in
      [
        "source": catalogue.id.rawValue, "name": catalogue.name,
        "usual": catalogue.id == defaultCatalogue,
        "keyMissing": catalogue.keyHelpAddress != nil && !hasKey(catalogue),
        "keyFrom": catalogue.keyHelpAddress,
        "firstList": catalogue.firstList.map {
          ["query": $0.query, "action": $0.action, "effect": $0.effect] as JSONObject
        },
      ] as JSONObject
    }
    let object: JSONObject = [
      "catalogues": all, "nameLanguages": try repository.nameLanguages(),
      "names": repository.shownNames?.language,
    ]
    return .json(object)
  }

  /// What is new, changed and gone in the lists of the parameter `list`, else in all, as an Atom
  /// feed.
  ///
  /// - Parameter address: of this server, if it is known.
  func feed(_ request: Request, at address: String?) throws -> Answer {
    var named = Selection()
    named.lists = request.all("list").map(ListName.typed)
    let feed = try NewsFeed(
      of: repository.lists(of: named, choosing: false).stored,
      since: now().addingTimeInterval(-Double(NewsFeed.days) * 86_400), in: repository)
    let parameters = named.lists.map { "list=\(Answer.percentEncoded($0.text))" }
    let path = "/feed.atom" + (parameters.isEmpty ? "" : "?\(parameters.joined(separator: "&"))")
    let text = feed.text(at: address.map { $0 + path })
    return Answer(type: NewsFeed.mediaType, body: .bytes(Array(text.utf8)))
  }

  /// Removes the list of the parameter `query`, in the catalogue `source` if that is given, as
  /// `chirper forget --json`.
  func forget(_ request: Request) throws -> Answer {
    guard let text = request["query"] else {
      throw UserFacingError.usage(
        "query= is missing", hint: "Send it as in: ?query=parrot&source=xeno-canto")
    }
    let catalogue = try request["source"].map { try repository.catalogue(named: $0).id }
    let found = try TypedText(text, in: catalogue).listsToForget(in: repository) { _ in
      "Send one of them as source=."
    }
    let forgotten = try found.compactMap { try repository.forget($0.query) }
    return .json(ForgetReport.report(forgotten, query: text).json)
  }
}
