import ChirperModel

/// The successive values of something that is read of the store: the stored queries, one
/// recording, downloaded audio, a search. `RecordingRepository.values(of:)` makes it.
///
/// Each `for await` gets the newest value first, and then one after each change; equal
/// values are not repeated. An observer that is slower than the changes gets the newest and
/// misses those before. The loop ends when its task is cancelled, and throws an error if
/// the value cannot be read. While a different process holds the store, it waits.
public struct ValueUpdates<Value: Equatable & Sendable>: AsyncSequence, Sendable {
  let repository: RecordingRepository
  let read: @Sendable (RecordingRepository) async throws -> Value

  /// A new observer.
  public func makeAsyncIterator() -> Iterator {
    Iterator(values: self, changes: repository.publisher.changesOfStore().makeAsyncIterator())
  }

  /// One observer; it is removed when it is released.
  public struct Iterator: AsyncIteratorProtocol {
    fileprivate let values: ValueUpdates
    fileprivate var changes: AsyncStream<Void>.Iterator
    fileprivate var version: [Int]?
    fileprivate var last: Value?

    /// Waits for the next value; `nil` after the last.
    public mutating func next(isolation actor: isolated (any Actor)?) async throws -> Value? {
      while await changes.next(isolation: actor) != nil {
        guard let (version, value) = try await values.value(ifOtherThan: version) else { continue }
        self.version = version
        guard value != last else { continue }
        last = value
        return value
      }
      return nil
    }
  }

  /// The value and the version of the store that it was read of, or of an earlier one;
  /// `nil` if the version has not changed, or if the value cannot be read now.
  private func value(ifOtherThan known: [Int]?) async throws -> (version: [Int], value: Value)? {
    do {
      let version = try await repository.perform {
        try $0.version() + $0.audio.version
      }
      return version == known ? nil : (version, try await read(repository))
    } catch let error as StoreError where error.isBusy {
      return nil
    } catch is CancellationError {
      return nil
    }
  }
}
