import Chirper
import ChirperModel

extension RecordingDetails {
  /// A detail as a table shows it: as its text, but a length as `3:45`; `nil` if it is not known.
  func cell(of column: DetailColumn) -> String? {
    if case .number(_, .seconds) = column.type {
      return column.number(of: self).map { AgeText.length(seconds: $0) }
    }
    return text(of: column)
  }
}

extension RecordingDetails.Annotation {
  /// The annotation in one line: `0.5–1.5 s, 1–5 kHz: Turdus merula, song, male (A. Name)`.
  package var text: String {
    let place = [
      Self.range(startTime, endTime, unit: "s"),
      Self.range(lowFrequency.map { $0 / 1000 }, highFrequency.map { $0 / 1000 }, unit: "kHz"),
    ].compactMap(\.self).joined(separator: ", ")
    let heard = ([scientificName].compactMap(\.self) + behavior + sex + lifeStage)
      .joined(separator: ", ")
    let parts = [place, heard, remarks].compactMap(\.self).filter { !$0.isEmpty }
    let source = [identifiedBy, confidence.map(DecimalText.text)].compactMap(\.self)
    return parts.joined(separator: ": ")
      + (source.isEmpty ? "" : " (\(source.joined(separator: ", ")))")
  }

  /// A stretch in seconds: `0.5–1.5 s`.
  package static func text(_ stretch: ClosedRange<Double>) -> String {
    "\(DecimalText.text(stretch.lowerBound))–\(DecimalText.text(stretch.upperBound)) s"
  }

  /// `1–5 kHz`; `from 1 kHz` and `to 5 kHz` if one of the two is not known.
  private static func range(_ from: Double?, _ to: Double?, unit: String) -> String? {
    switch (from.map(DecimalText.text), to.map(DecimalText.text)) {
    case (let from?, let to?): "\(from)–\(to) \(unit)"
    case (let from?, nil): "from \(from) \(unit)"
    case (nil, let to?): "to \(to) \(unit)"
    case (nil, nil): nil
    }
  }
}

extension Catalogue {
  /// The annotations of a recording, read from their own fields alone. Its other fields may
  /// have megabytes.
  package func annotations(of recording: Recording) -> [RecordingDetails.Annotation] {
    let sent = mapping.fields(of: .annotations).compactMap { name in
      recording[name].map { "\(name.json):\($0.json)" }
    }
    let fields = RecordingFields(canonical: "{\(sent.joined(separator: ","))}")
    return details(of: recording.with(fields)).annotations
  }
}
