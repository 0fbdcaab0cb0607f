import Chirper

extension DataSet {
  /// The result of a lock.
  public struct LockReport: Sendable {
    /// Recordings of the lock.
    public internal(set) var recordings = 0
    /// The species that they are of.
    public internal(set) var species = 0
    /// Recordings left out by the limits.
    public internal(set) var beyondLimits = 0
    /// Recordings left out because the catalogue refuses their audio.
    public internal(set) var refused = 0
    /// The audio that was kept or fetched for it; `nil` for a lock without audio.
    public internal(set) var audio: AudioLibrary.Report?
    /// The sizes of the parts and their leaks, in sentences.
    public internal(set) var parts: [String] = []
    /// Further facts about the choice, in sentences.
    public internal(set) var notes: [String] = []
    /// Rows left out because of purposes, in sentences.
    var choices: [String] = []
  }
}

extension DataSet.LockReport {
  package func lines(file: String) -> [String] {
    var lines = choices
    if beyondLimits > 0 {
      lines.append("\(Plural.words(beyondLimits, "recording")) left out by the limits")
    }
    lines += (audio?.lines ?? []) + parts + notes
    let recordings = Plural.words(recordings, "recording")
    return lines + ["wrote \(recordings) of \(species) species to \(file)"]
  }

  package func json(file: String) -> JSONObject {
    var object: JSONObject = [
      "file": file, "recordings": recordings, "species": species, "beyondLimits": beyondLimits,
    ]
    object.add(known: ["audio": audio?.json])
    object.add(["split": parts, "notes": notes])
    return object
  }
}
