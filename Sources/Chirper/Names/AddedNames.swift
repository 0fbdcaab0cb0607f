#if Collection

import ChirperModel
import ChirperStore

extension RecordingRepository {
  /// The lists of names that were added, by name.
  package func nameLists() throws(StoreError) -> [NameList] { try store.nameLists() }

  /// Adds a list of names, whole or not at all.
  ///
  /// - Parameters:
  ///   - name: the name of the list.
  ///   - file: the name of the file that it comes from.
  ///   - names: calls its argument with each name, in the order of the file.
  /// - Returns: The list; `nil` if there is a list of that name already, and nothing was added.
  /// - Throws: `StoreError`, and the errors of `names`.
  package func addNames(
    _ name: String, from file: String, names: (_ add: (AddedName) throws -> Void) throws -> Void
  ) throws -> NameList? {
    try store.add(
      NameList(name: name, file: file, addedAt: dependencies.now()), names: names)
  }

  /// Removes a list of names; `false` without a list of that name.
  package func removeNames(_ list: String) throws(StoreError) -> Bool {
    try store.removeNames(list)
  }
}

#endif
