import Chirper

extension DataSet {
  /// The result of a build.
  public struct BuildReport: Sendable {
    /// The audio that was kept or fetched for it.
    public internal(set) var audio = AudioLibrary.Report()
    /// Audio files in the folder.
    public internal(set) var files = 0
    /// The files of these that this build has written.
    public internal(set) var copied = 0
    /// Recordings left out because of their licences, by these.
    public internal(set) var licences: [String: Int] = [:]
    /// Numbers of recordings whose audio is not what was locked.
    public internal(set) var changed: [String] = []
    /// Recordings whose records say otherwise than their lines.
    public internal(set) var contradicted: [LockCheck] = []
    /// Recordings in the folder of which no record is stored.
    public internal(set) var notCompared = 0
    /// Annotations without a beginning and an end in their files.
    public internal(set) var annotationsWithoutTimes = 0
    /// Annotations above half the sample rate of their files.
    public internal(set) var annotationsAbove = 0
    /// Recordings whose audio could not be fetched.
    public internal(set) var absent = 0

    /// Recordings that are not in the folder and could be.
    public var missing: Int { changed.count + contradicted.count + absent }
  }
}

extension DataSet.BuildReport {
  package func lines(folder: String) -> [String] {
    var lines = audio.new + audio.failed > 0 ? audio.lines : []
    let left = licences.values.reduce(0, +)
    if left > 0 {
      let reasons = licences.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
        .map { "\($0.key): \($0.value)" }.joined(separator: ", ")
      lines.append(
        "\(Plural.words(left, "recording")) left out, because the licence does not allow to pass \(Plural.them(left)) on: \(reasons)"
      )
    }
    if !changed.isEmpty {
      lines.append("left out, with other audio than was locked: \(FirstNames(changed).text)")
    }
    if !contradicted.isEmpty {
      lines.append("left out, because their records say otherwise than the lock:")
      lines += FirstNames(contradicted.map(\.text)).lines
    }
    if absent > 0 {
      lines.append("\(Plural.words(absent, "recording")) left out, without audio")
    }
    lines += ExportSummary.annotationLines(
      withoutTimes: annotationsWithoutTimes, above: annotationsAbove)
    lines += [DataSetFolder.notCompared(notCompared, of: files)].compactMap(\.self)
    let there = files - copied
    let already = there > 0 ? ", \(there) of them there already" : ""
    return lines + ["\(Plural.words(files, "audio file")) in \(folder)\(already)"]
  }

  package func json(folder: String) -> JSONObject {
    let left = licences.sorted { $0.key < $1.key }.map { name, count -> JSONObject in
      ["licence": name, "recordings": count]
    }
    return [
      "folder": folder, "files": files, "copied": copied, "notAllowed": left, "changed": changed,
      "contradicted": contradicted.map(\.json), "notCompared": notCompared,
      "annotationsWithoutTimes": annotationsWithoutTimes, "annotationsAbove": annotationsAbove,
      "absent": absent, "audio": audio.json,
    ]
  }
}
