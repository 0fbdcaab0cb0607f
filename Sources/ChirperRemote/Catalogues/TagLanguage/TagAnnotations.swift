import ChirperModel

/// The field `annotation-set`, which xeno-canto sends since March 2026: `[]` for a recording
/// without annotations, else an object with them. Numbers are texts.
enum TagAnnotations {
  private static let setFields = NameScan(["annotations", "set_license"])
  private static let fields = NameScan([
    "annotation_id", "annotator", "start_time", "end_time", "frequency_low", "frequency_high",
    "scientific_name", "sound_type", "sex", "life_stage", "annotation_remarks",
  ])

  /// The annotations of a set, or of each set of an array. What is not an object, or says nothing,
  /// is left out.
  static func read(_ value: RawValue) -> [RecordingDetails.Annotation] {
    guard !value.isObject else { return annotations(ofSet: value) }
    var annotations: [RecordingDetails.Annotation] = []
    value.forEachItem { annotations += Self.annotations(ofSet: $0) }
    return annotations
  }

  private static func annotations(ofSet set: RawValue) -> [RecordingDetails.Annotation] {
    var annotations = [RecordingDetails.Annotation]()
    var licence = RecordingDetails.Licence?.none
    setFields.forEach(in: set) { index, value in
      if index == 0 {
        value.forEachItem { annotations += annotation($0).map { [$0] } ?? [] }
      } else {
        licence = TagFields.licence(value)
      }
    }
    if let licence { for index in annotations.indices { annotations[index].licence = licence } }
    return annotations
  }

  private static func annotation(_ value: RawValue) -> RecordingDetails.Annotation? {
    var annotation = RecordingDetails.Annotation()
    fields.forEach(in: value) { index, value in
      switch index {
      case 0: annotation.id = value.text
      case 1: annotation.identifiedBy = TagFields.known(value)
      case 2: annotation.startTime = measure(value)
      case 3: annotation.endTime = measure(value)
      case 4: annotation.lowFrequency = measure(value)
      case 5: annotation.highFrequency = measure(value)
      case 6: annotation.scientificName = TagFields.known(value)
      case 7: annotation.behavior = TagFields.terms(value)
      case 8: annotation.sex = TagFields.terms(value)
      case 9: annotation.lifeStage = TagFields.terms(value)
      default: annotation.remarks = TagFields.known(value)
      }
    }
    if let start = annotation.startTime, let end = annotation.endTime, end < start {
      annotation.startTime = nil
      annotation.endTime = nil
    }
    if let low = annotation.lowFrequency, let high = annotation.highFrequency, high < low {
      annotation.lowFrequency = nil
      annotation.highFrequency = nil
    }
    var empty = RecordingDetails.Annotation()
    empty.id = annotation.id
    return annotation == empty ? nil : annotation
  }

  /// Seconds or hertz.
  private static func measure(_ value: RawValue) -> Double? {
    value.decimal.flatMap { (0...1e9).contains($0) ? $0 : nil }
  }
}
