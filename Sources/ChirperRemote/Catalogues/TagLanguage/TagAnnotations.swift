import ChirperModel

/// The field `annotation-set`, which xeno-canto sends since March 2026: `[]` for a recording
/// without annotations, else an object with them. Numbers are texts.
enum TagAnnotations {
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
    set.forEachMember { name, value in
      switch name {
      case "annotations": value.forEachItem { annotations += annotation($0).map { [$0] } ?? [] }
      case "set_license": licence = TagFields.licence(value)
      default: break
      }
    }
    if let licence { for index in annotations.indices { annotations[index].licence = licence } }
    return annotations
  }

  private static func annotation(_ value: RawValue) -> RecordingDetails.Annotation? {
    var annotation = RecordingDetails.Annotation()
    value.forEachMember { name, value in
      switch name {
      case "annotation_id": annotation.id = value.text
      case "annotator": annotation.identifiedBy = TagFields.known(value)
      case "start_time": annotation.startTime = measure(value)
      case "end_time": annotation.endTime = measure(value)
      case "frequency_low": annotation.lowFrequency = measure(value)
      case "frequency_high": annotation.highFrequency = measure(value)
      case "scientific_name": annotation.scientificName = TagFields.known(value)
      case "sound_type": annotation.behavior = TagFields.terms(value)
      case "sex": annotation.sex = TagFields.terms(value)
      case "life_stage": annotation.lifeStage = TagFields.terms(value)
      case "annotation_remarks": annotation.remarks = TagFields.known(value)
      default: break
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
