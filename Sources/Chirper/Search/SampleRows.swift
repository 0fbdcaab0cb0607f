#if Collection

import ChirperModel
import ChirperRemote
import ChirperStore

/// Rows of the built-in catalogue, which are made up, never mix with real ones.
extension RecordingRepository {
  /// The lists without those of the built-in catalogue, if a real one has rows.
  package func withoutSample(_ lists: [StoredQuery]) -> [StoredQuery] {
    let real = lists.filter { $0.query.catalogue != Catalogues.defaultWithoutKey.id }
    return real.contains { $0.count > 0 } ? real : lists
  }

  /// The expression with `-source:sample`, if rows of a real catalogue are stored and it asks for
  /// no catalogue and no list.
  func withoutSample(_ expression: SearchExpression) throws -> SearchExpression {
    let sample = Catalogues.defaultWithoutKey.id
    guard !expression.terms.contains(where: { [.source, .list].contains($0.tag) }) else {
      return expression
    }
    let stored = try store.cataloguesWithRows()
    guard stored.contains(sample), stored.count > 1 else { return expression }
    return expression.and(.sources([sample], isNegated: true))
  }
}

#endif
