import Chirper
import Foundation
import Testing

/// A catalogue without a network, and one whose network is answered here.
@Suite struct FolderCatalogueTests {
  /// A folder with notes by name, and a sound for each but the last.
  private func folder(_ notes: KeyValuePairs<String, String>) throws -> URL {
    let folder = FileManager.default.temporaryDirectory.appending(
      path: "folder-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    for (name, text) in notes {
      try Data(text.utf8).write(to: folder.appending(path: "\(name).json"))
      guard name != notes.last?.key else { continue }
      try Data("RIFF".utf8).write(to: folder.appending(path: "\(name).wav"))
    }
    return folder
  }

  private static let notes: KeyValuePairs = [
    "1": #"{"bird":"Robin","seconds":12.5,"device":{"recorder":"Zoom F3"}}"#,
    "2": #"{"bird":"Wren","seconds":"1:05","device":{"recorder":["Sony","Zoom H5"]}}"#,
    "3": #"{"bird":"Robin","device":{}}"#,
  ]

  @Test func `a tag of one's own asks a field, with an index and without`() async throws {
    let folder = try folder(Self.notes)
    defer { try? FileManager.default.removeItem(at: folder) }
    let sounds = FolderCatalogue(folder)
    let other = NotebookCatalogue(id: "notebook", places: ["Zoom"])
    let repository = try RecordingRepository.inMemory(catalogues: [sounds, other])
    for catalogue in [sounds.catalogue, other.catalogue] {
      _ = await repository.fetch(try catalogue.query("all"), FetchPlan(.all))
    }
    func found(_ text: String) throws -> [String] {
      let results = try repository.search(
        try repository.searchExpression(text), sort: [SortKey(.id)])
      return try results.rows(0..<results.count).map(\.recording.id.value)
    }
    for isIndexed in [false, true] {
      if isIndexed { try await repository.updateSearchIndex(least: 1) }
      #expect(try found("recorder:zoom") == ["1", "2"], "indexed: \(isIndexed)")
      #expect(try found("recorder:f3,sony") == ["1", "2"])
      #expect(try found(#"recorder:"=zoom f3""#) == ["1"])
      #expect(try found("recorder:zoom robin") == ["1"])
      #expect(try found("recorder:zoom bird:robin") == ["1"])
      #expect(try found("source:folder -recorder:zoom") == ["3"])
      #expect(try found("recorder:any") == ["1", "2"])
      #expect(try found("recorder:none") == ["3"])
      #expect(try found("recorder:nikon").isEmpty)
    }
    let expression = try repository.searchExpression(#"-recorder:"zoom f3",sony robin"#)
    #expect(try repository.searchExpression(expression.description) == expression)
    #expect(throws: SearchExpressionError.self) { try repository.searchExpression("recorder:") }
  }

  @Test func `audio is a file of the folder, which stays where it is`() async throws {
    let folder = try folder(Self.notes)
    defer { try? FileManager.default.removeItem(at: folder) }
    let sounds = FolderCatalogue(folder)
    let repository = try RecordingRepository.inMemory(catalogues: [sounds])
    let query = try sounds.catalogue.query("all")
    _ = await repository.fetch(query, FetchPlan(.all))
    let rows = try repository.rows(of: query, in: 0..<9)
    let file = try await repository.audio.file(of: rows[0])
    #expect(file.url == folder.appending(path: "1.wav") && !file.isTemporary)
    await #expect(throws: AudioError.none) { try await repository.audio.file(of: rows[2]) }
    let report = try await repository.fetchAudio(of: query)
    #expect(report.alreadyDownloaded == 2 && report.new == 0 && report.without == 1)
    #expect(report.failed == 0 && report.error == nil)
    try await repository.audio.remove(rows[0].id)
    #expect(FileManager.default.fileExists(atPath: file.url.path))
  }

  @Test func `an error that is not of a network keeps its sentence`() async throws {
    struct Broken: LocalizedError {
      var errorDescription: String? { "The folder\nis gone." }
    }
    #expect(FetchError(Broken()) == .failed("The folder is gone."))
    #expect(FetchError(FetchError(.webPage)) == FetchError(.webPage))
    #expect(FetchError(CancellationError()) == .cancelled)
    let folder = try folder(["1": "{", "2": "{}"])
    defer { try? FileManager.default.removeItem(at: folder) }
    let damaged = FolderCatalogue(folder)
    let repository = try RecordingRepository.inMemory(catalogues: [damaged])
    let report = await repository.fetch(try damaged.catalogue.query("all"), FetchPlan(.all))
    let fault = FetchError.malformed("the text ends too early (byte 1)")
    #expect(report.failure == .fetch(fault, catalogue: "folder", page: 1))
    let missing = FolderCatalogue(folder.appending(path: "missing"))
    let other = try RecordingRepository.inMemory(catalogues: [missing])
    let failed = await other.fetch(try missing.catalogue.query("all"), FetchPlan(.all))
    guard case .fetch(let error, catalogue: "folder", page: 1)? = failed.failure,
      error.presentation.code == "fetch-failed"
    else {
      Issue.record("\(failed)")
      return
    }
    #expect(failed.requests == 1 && failed.failure?.title == "Not loaded")
  }

  @Test func `a folder that is not there is said in the system's sentence`() async throws {
    let missing = URL(filePath: "/missing/folder")
    do {
      _ = try FileManager.default.contentsOfDirectory(atPath: missing.path)
    } catch {
      #expect(FetchError(error) == .failed(error.localizedDescription))
    }
  }

  @Test(arguments: [401, 403])
  func `a status that rejects a key is about the key only if one was sent`(status: Int) async throws
  {
    var configuration = RemoteConfiguration()
    configuration.transport = { _, _, _ throws(FetchError) in
      CatalogueClient.Response(status: status, body: [])
    }
    var catalogue = Catalogue(id: "locked", name: "Locked")
    catalogue.service = Catalogue.Service("https://locked.example")
    let client = CatalogueClient(catalogue, configuration)
    let url = try client.url("/list")
    await #expect(throws: FetchError.refused(status: status, message: nil)) {
      try await client.get(url)
    }
    await #expect(throws: FetchError.keyRefused(status: status, message: nil)) {
      try await client.get(url, headers: ["Authorization": "a key"], hiding: APIKey("a key"))
    }
  }

  @Test func `a recording without fields is not one that is being read`() async throws {
    let recording = Recording(
      id: RecordingID(catalogue: .sample, value: "1"), fields: try RecordingFields(json: "{}"))
    #expect(!recording.isMissing)
  }

  @Test func `a catalogue is tested without a server`() async throws {
    var configuration = RemoteConfiguration()
    configuration.transport = { url, _, _ throws(FetchError) in
      guard url.query()?.contains("cursor=next") == true else {
        return CatalogueClient.Response(
          body: #"{"items":[{"identifier":"a"}],"total":2,"cursor":"next"}"#.utf8)
      }
      return CatalogueClient.Response(status: 503, headers: ["Retry-After": "7"], body: [])
    }
    let archive = ArchiveCatalogue(configuration)
    let query = try archive.catalogue.query("Birdsong")
    let first = try await archive.page(PageRequest(query: query, number: 1))
    #expect(first.recordings.map(\.id.value) == ["a"] && first.nextToken?.rawValue == "next")
    await #expect(throws: FetchError.serverBusy(status: 503, retryAfter: .seconds(7))) {
      try await archive.page(PageRequest(query: query, number: 2, token: first.nextToken))
    }
    // What is left of an answer is not an answer that broke off.
    configuration.transport = { _, _, _ in CatalogueClient.Response(body: "{".utf8) }
    await #expect(throws: FetchError.malformed("the text ends too early (byte 1)")) {
      try await ArchiveCatalogue(configuration).page(PageRequest(query: query, number: 1))
    }
    configuration.transport = { url, _, _ in
      CatalogueClient.Response(
        status: 302, headers: ["Location": "https://elsewhere.example/"], body: [])
    }
    await #expect(
      throws: FetchError(.redirectRefused("it leads to another host, elsewhere.example"))
    ) {
      try await ArchiveCatalogue(configuration).page(PageRequest(query: query, number: 1))
    }
    configuration.transport = { _, _, _ in
      CatalogueClient.Response(body: [UInt8](repeating: 0x20, count: 33 << 20))
    }
    await #expect(throws: FetchError(.tooLarge(limit: 32 << 20))) {
      try await ArchiveCatalogue(configuration).page(PageRequest(query: query, number: 1))
    }
  }

  @Test func `values are numbers, truth values and texts`() throws {
    let fields = try RecordingFields(
      json: #"{"a":1.50,"b":"-2","c":true,"d":false,"e":"true","f":1e3,"g":"1,5","h":null,"i":[1]}"#
    )
    #expect(
      ["a", "b", "c", "f", "g", "h", "i"].map { fields[$0]?.double }
        == [1.5, -2, nil, 1000, nil, nil, nil])
    #expect(["a", "c", "d", "e", "h"].map { fields[$0]?.bool } == [nil, true, false, nil, nil])
  }
}
