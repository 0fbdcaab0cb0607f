extension RecordingDetails {
  /// A detail as one text: numbers in their unit, several values with commas; `nil` where it is not known.
  package func text(of name: DetailName) -> String? {
    func list(_ values: [String]) -> String? { values.isEmpty ? nil : values.joined(separator: ", ") }
    func number(_ value: Double?) -> String? { value.map { Int(exactly: $0).map { "\($0)" } ?? "\($0)" } }
    return switch name {
    case .scientificName: scientificName
    case .genus: genus
    case .specificEpithet: specificEpithet
    case .infraspecificEpithet: infraspecificEpithet
    case .vernacularName: vernacularName
    case .group: group
    case .recordedBy: recordedBy
    case .country: country
    case .locality: locality
    case .coordinate: coordinate.map { "\($0.latitude), \($0.longitude)" }
    case .coordinateUncertainty: number(coordinateUncertainty)
    case .dataGeneralizations: dataGeneralizations
    case .elevation: number(elevation)
    case .eventDate: eventDate?.description
    case .eventTime: eventTime?.description
    case .soundType: list(soundType)
    case .sex: list(sex)
    case .lifeStage: list(lifeStage)
    case .quality: quality?.rawValue
    case .duration: number(duration)
    case .sampleRate: sampleRate.map { "\($0)" }
    case .samplingProtocol: samplingProtocol
    case .licence: licence?.name
    case .rightsHolder: rightsHolder
    case .remarks: remarks
    case .backgroundSpecies: list(backgroundSpecies)
    case .uploaded: uploaded?.description
    case .pageURL: pageURL
    case .audioURL: audioURL
    case .sonogramURL: sonogramURL
    case .catalogueNumber: catalogueNumber
    case .alsoIn: alsoIn?.description
    }
  }
}
