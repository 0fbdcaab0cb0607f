extension RecordingDetails {
  /// A stretch of a recording that somebody marked, with its frequencies, the sound in it,
  /// and its author: an annotation of the catalogue, or a label of a file that was imported.
  ///
  /// A value that was not sent, or was sent in a form that cannot be read, is `nil` or empty.
  /// Two times or two frequencies that exclude each other, such as an end before the
  /// beginning, are both `nil`.
  public struct Annotation: Hashable, Sendable {
    /// The catalogue's own id.
    public var id: String?
    /// The beginning of the stretch, in seconds from the start of the recording.
    public var startTime: Double?
    /// The end of the stretch, in seconds from the start of the recording.
    public var endTime: Double?
    /// The lowest frequency in hertz.
    public var lowFrequency: Double?
    /// The highest frequency in hertz.
    public var highFrequency: Double?
    /// The name of the species that is heard.
    public var scientificName: String?
    /// `song`, `alarm call`; in the catalogue's order.
    public var behavior: [String] = []
    /// `female`, `male`; in the catalogue's order.
    public var sex: [String] = []
    /// `adult`, `juvenile`; in the catalogue's order.
    public var lifeStage: [String] = []
    /// The annotator.
    public var identifiedBy: String?
    /// The annotator's remarks; may have several lines.
    public var remarks: String?
    /// The licence of the annotation; `nil` if the catalogue does not say.
    public var licence: Licence?
    /// The certainty of a program about the species, from 0 to 1; `nil` if it is not known.
    public var confidence: Double?
    /// The name of the file of labels that it was imported from; `nil` for an annotation of the
    /// catalogue.
    public var labelFile: String?

    /// An annotation without any value.
    package init() {}

    /// The beginning and end in seconds; `nil` if one of the two is not known.
    package var stretch: ClosedRange<Double>? {
      guard let startTime, let endTime, startTime <= endTime else { return nil }
      return startTime...endTime
    }

    /// An object with every column of `AnnotationColumn`.
    var json: String {
      let members = AnnotationColumn.allCases.map { column in
        "\(JSONText.quoted(column.rawValue)):\(column.value(of: self).annotationJSON)"
      }
      return "{\(members.joined(separator: ","))}"
    }
  }
}

/// A column of annotations, under the standard name of its values.
///
/// Names are terms of Audiovisual Core (https://ac.tdwg.org), Darwin Core and Dublin Core
/// if they have one. The order of the cases is that of the table.
package enum AnnotationColumn: String, CaseIterable, Sendable {
  case annotationID, startTime, endTime, freqLow, freqHigh, scientificName, behavior, sex, lifeStage
  case identifiedBy, comments, license, licenseName, confidence, labelFile

  package func value(of annotation: RecordingDetails.Annotation) -> DetailColumn.Value {
    switch self {
    case .annotationID: .init(annotation.id)
    case .startTime: .init(annotation.startTime)
    case .endTime: .init(annotation.endTime)
    case .freqLow: .init(annotation.lowFrequency)
    case .freqHigh: .init(annotation.highFrequency)
    case .scientificName: .init(annotation.scientificName)
    case .behavior: .init(annotation.behavior)
    case .sex: .init(annotation.sex)
    case .lifeStage: .init(annotation.lifeStage)
    case .identifiedBy: .init(annotation.identifiedBy)
    case .comments: .init(annotation.remarks)
    case .license: .init(annotation.licence?.address)
    case .licenseName: .init(annotation.licence?.name)
    case .confidence: .init(annotation.confidence)
    case .labelFile: .init(annotation.labelFile)
    }
  }
}

extension DetailColumn.Value {
  /// The value in the JSON of an annotation, which has texts, lists of texts and numbers only.
  fileprivate var annotationJSON: String {
    switch self {
    case .none: "null"
    case .list(let texts): "[\(texts.map(JSONText.quoted).joined(separator: ","))]"
    case .number: text() ?? "null"
    default: JSONText.quoted(text() ?? "")
    }
  }
}

extension [RecordingDetails.Annotation] {
  /// The annotations as an array of objects in JSON.
  package var json: String { "[\(map(\.json).joined(separator: ","))]" }

  /// The annotations as an array of objects; no value for an empty array.
  var columnValue: DetailColumn.Value {
    isEmpty ? .none : .field(RecordingFields.Value(json: json))
  }

  /// Each text that annotations have, once and in their order.
  func texts(_ texts: (RecordingDetails.Annotation) -> [String]) -> DetailColumn.Value {
    .list(flatMap(texts).uniqued)
  }
}
