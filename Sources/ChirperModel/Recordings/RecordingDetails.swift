import Foundation

/// One recording in typed properties that are the same for every catalogue.
///
/// A catalogue computes them from the raw fields each time they are needed; they are never stored
/// in place of the raw fields. What a catalogue did not send, or sent in a form that cannot be
/// read, is `nil` or empty, never a guess. A property is named by its key path, also where rows are
/// sorted (`SortKey`) and counted. Its name in tables is a term of Darwin Core, Dublin Core or
/// Audiovisual Core, if there is one.
public struct RecordingDetails: Hashable, Sendable {
  /// The genus, specific and infraspecific epithet as one text: `Turdus merula`. If no more
  /// was determined, it is the genus, or the name of a group above it such as
  /// `Russulaceae`.
  public var scientificName: String?
  /// The names of the species that further taxonomies accept, if the catalogue sends them and they
  /// differ from `scientificName`.
  package var acceptedNames: [String] = []
  /// The species of the list of birds that other recordings in the store show it to be of, if that
  /// was looked up and its own names do not decide it.
  package var storedSpecies: BirdSpecies?
  /// The names of `species`, where these were looked up; the outer `nil` is that they were not.
  package var acceptedName: AcceptedName??
  /// The name in the language that rows are shown in, if one was chosen and an added list has it.
  package var shownName: String?
  /// The rank of the scientific name, in lower case: `species`, `genus`.
  public var taxonRank: String?
  /// The kingdom that the species is in: `Animalia`.
  public var kingdom: String?
  /// The phylum: `Chordata`.
  public var phylum: String?
  /// The class: `Aves`.
  public var taxonClass: String?
  /// The order: `Passeriformes`.
  public var order: String?
  /// The family: `Turdidae`.
  public var family: String?
  /// `Turdus` of `Turdus merula`.
  public var genus: String?
  /// `merula` of `Turdus merula`.
  public var specificEpithet: String?
  /// The subspecies: `merula` of `Turdus merula merula`.
  public var infraspecificEpithet: String?
  /// The English name, or the catalogue's text in its place (`Soundscape`); for music, the
  /// title.
  public var vernacularName: String?
  /// The catalogue's own group: `birds`, `frogs`; for music, the kind of work.
  public var group: String?
  /// The recordist; for music, the artist.
  public var recordedBy: String?
  /// An English country name, as the catalogue spells it.
  public var country: String?
  /// The country's two letters of ISO 3166-1, as sent. If none were sent, it is the code of
  /// `country`, if that is the whole name of a country or a code.
  public var countryCode: String?
  /// The place within the country; for music, the collection.
  public var locality: String?
  /// The place of the recording; `nil` if one of the two numbers is missing or out of
  /// range.
  public var coordinate: Coordinate?
  /// Metres around the coordinate within which the place lies.
  public var coordinateUncertaintyInMeters: Double?
  /// The details that the catalogue made less exact, or withheld, before it published the
  /// recording, in words, such as an obscured place.
  public var dataGeneralizations: String?
  /// The details that the publisher knows and did not publish, in words.
  public var informationWithheld: String?
  /// The doubts of the catalogue about its own record, in the order of `RecordingDetails.Issue`.
  public var issues: [Issue] = []
  /// Metres above sea level, negative below it.
  public var elevation: Double?
  /// The day of the recording, as precisely as it is known; for music, the day of its release.
  public var eventDate: PartialDate?
  /// The dates between which it was recorded, if the catalogue has only these; `eventDate` is then
  /// the month or the year that both are in.
  public var eventInterval: PartialDate.Interval?
  /// The local time of day at the place of the recording.
  public var eventTime: PartialDate.TimeOfDay?
  /// `song`, `alarm call`; in the catalogue's order.
  public var behavior: [String] = []
  /// `female`, `male`; in the catalogue's order.
  public var sex: [String] = []
  /// `adult`, `juvenile`; in the catalogue's order.
  public var lifeStage: [String] = []
  /// The catalogue's rating; `nil` if nobody has rated it.
  public var quality: Quality?
  /// The length in seconds; for music, of the whole track.
  package var seconds: Double?
  /// The audio file, if it is a part of the recording only; `nil` if it is all of it.
  public var preview: Preview?
  /// Hertz.
  public var sampleRate: Int?
  /// The way in which it was recorded: `field recording`, `in the hand`.
  public var samplingProtocol: String?
  /// The licence of the recording; `nil` if the catalogue does not say.
  public var licence: Licence?
  /// The holder of the rights, if the catalogue names one.
  public var rightsHolder: String?
  /// The recordist's remarks; may have several lines.
  public var occurrenceRemarks: String?
  /// English or scientific names, as the catalogue sent them.
  public var associatedTaxa: [String] = []
  /// The day on which the recording was added to the catalogue.
  public var available: PartialDate?
  // Texts, because most details of most rows are read for a table, a search or an export, and a URL
  // takes longer than all the others.
  /// `pageURL` as text.
  package var pageAddress: String?
  /// `accessURI` as text.
  package var audioAddress: String?
  /// `sonogramURL` as text.
  package var sonogramAddress: String?
  /// The number under which people cite the recording: `XC363793`.
  public var catalogNumber: String?
  /// The original of this recording in the catalogue that it was copied from; found by
  /// numbers only.
  public var alsoIn: RecordingID?
  /// The stretches of the recording that somebody marked, in the catalogue's order.
  public var annotations: [Annotation] = []
  /// The kind of evidence, in the catalogue's own word: `HUMAN_OBSERVATION`.
  public var basisOfRecord: String?
  /// The identifier that the publisher gave the occurrence; the sounds of one occurrence share it.
  public var occurrenceID: String?
  /// The dataset that the record comes from, by GBIF's key.
  public var datasetKey: String?
  /// The name of that dataset.
  public var datasetName: String?
  /// The identifier that its publisher gave the dataset, often a DOI:
  /// `https://doi.org/10.15468/qv0ksn`.
  public var datasetID: String?

  /// Whether the place was made less exact, or something was withheld.
  package var isObscured: Bool { dataGeneralizations != nil || informationWithheld != nil }

  /// Details without any value.
  public init() {}

  /// The scientific name of the species of the list of birds that it is; `nil` if its names do not
  /// decide that.
  public var acceptedNameUsage: String? { listedName?.scientific }

  /// The English name of that species in the list, or its name in the language that was chosen.
  public var acceptedVernacularName: String? { shownName ?? listedName?.english }

  /// The details that are known, in the order of tables, each with its standard name and as text:
  /// `decimalLatitude`, `52.23`.
  public var named: [(name: String, text: String)] {
    DetailColumn.allCases.compactMap { column in
      column.value(of: self).text(separator: ", ").map { (column.name, $0) }
    }
  }

  /// The length; for music, of the whole track.
  public var mediaDuration: Duration? {
    get { seconds.map { .seconds($0) } }
    set { seconds = newValue.map { $0 / .seconds(1) } }
  }

  /// The recording's page for people; absolute, HTTPS or HTTP. `nil` for the sample, whose
  /// recordings have no page. Its name in tables is `references`.
  public var pageURL: URL? {
    get { pageAddress.flatMap { URL(string: $0) } }
    set { pageAddress = newValue?.absoluteString }
  }

  /// The address of the audio file, absolute, HTTPS or HTTP; `nil` if the recording has
  /// none. The code that downloads it decides whether the host may be asked. It is `nil`
  /// for the sample, whose audio is made (`Catalogue.AudioRules.generated`).
  public var accessURI: URL? {
    get { audioAddress.flatMap { URL(string: $0) } }
    set { audioAddress = newValue?.absoluteString }
  }

  /// A picture of the sound; absolute, HTTPS or HTTP.
  public var sonogramURL: URL? {
    get { sonogramAddress.flatMap { URL(string: $0) } }
    set { sonogramAddress = newValue?.absoluteString }
  }

  /// A part of a recording.
  public struct Preview: Hashable, Sendable {
    /// The length in seconds.
    var seconds: Double?

    /// The length; `nil` if the catalogue does not say.
    public var duration: Duration? { seconds.map { .seconds($0) } }

    /// A part of that length; `nil` if the catalogue does not say.
    public init(duration: Duration?) { seconds = duration.map { $0 / .seconds(1) } }

    /// A part with a length in seconds.
    package init(seconds: Double?) { self.seconds = seconds }
  }

  /// The length of the audio file, or of the preview if the file is only a preview.
  public var audioDuration: Duration? { audioSeconds.map { .seconds($0) } }

  /// The length of the audio file, or of the preview, in seconds.
  package var audioSeconds: Double? { if let preview { preview.seconds } else { seconds } }

  /// The recordist, number and licence in one line, as catalogues ask for them: `A. Smith,
  /// XC363793, CC BY-NC-SA 4.0`.
  ///
  /// A missing licence is named, because then nothing is allowed. The line has no control
  /// characters, whatever was sent.
  public var credit: String {
    var line = ""
    func add(_ part: String?) {
      guard let part, let plain = PlainLine.text(part) else { return }
      if !line.isEmpty { line += ", " }
      line += plain
    }
    add(recordedBy)
    add(catalogNumber)
    add(licence?.name ?? "no licence given")
    return line.isEmpty ? "no licence given" : line
  }
}
