import Chirper
import ChirperModel

extension RecordingRow: TableRow {
  func describe(in summary: inout ExportSummary) {
    summary.add(details, of: recording.id.catalogue)
    summary.countAnnotations(self)
  }

  /// The name that identifies it among all catalogues: `xeno-canto:535692`. The sample's ids begin
  /// with its name already.
  var identifier: String {
    let id = recording.id
    let prefix = id.catalogue.rawValue + ":"
    return id.value.hasPrefix(prefix) ? id.value : prefix + id.value
  }

  /// The number that people cite, else the catalogue's id; one line.
  var number: String { PlainLine.text(details.catalogNumber ?? recording.id.value) ?? identifier }

  /// `Great Reed Warbler (Acrocephalus arundinaceus)`, or the one of the two names that is known,
  /// else the number; one line.
  var title: String {
    let name = details.vernacularName.flatMap(PlainLine.text)
    let scientific = details.scientificName.flatMap(PlainLine.text)
    if let name, let scientific, name != scientific { return name + " (" + scientific + ")" }
    return name ?? scientific ?? number
  }

  /// The length of the audio in seconds, as the catalogue sends it, else as the downloaded file
  /// has it.
  var audioDuration: Double? { details.audioSeconds ?? audioHeader?.duration }

  /// The sample rate of the audio in hertz, as the catalogue sends it, else as the downloaded
  /// file has it.
  var sampleRate: Int? { details.sampleRate ?? audioHeader?.sampleRate }

  /// The header of the downloaded file; `nil` if the audio is not downloaded or its header cannot
  /// be read.
  var audioHeader: AudioHeader? { audioPath.flatMap(AudioHeader.init(path:)) }

  /// The types of sound in one line: `song, alarm call`; `nil` if none is known.
  var soundTypes: String? { PlainLine.text(details.behavior.joined(separator: ", ")) }
}
