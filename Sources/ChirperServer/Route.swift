import NIOHTTP1

/// Everything that is answered, by method and path; GET takes HEAD too.
enum Route: String, CaseIterable, Sendable {
  case home = "GET /"
  case openAPI = "GET /openapi.json"
  case health = "GET /healthz"
  case page = "GET /page/{hash}/{name}"
  case hasSession = "GET /session"
  case session = "POST /session"
  case events = "GET /events"
  case recordings = "GET /api/3/recordings"
  case recordingsOfVersion2 = "GET /api/2/recordings"
  case recordingPage = "GET /{id}"
  case speciesPage = "GET /species/{name}"
  case download = "GET /{id}/download"
  case catalogues = "GET /api/chirper/catalogues"
  case lists = "GET /api/chirper/lists"
  case forget = "DELETE /api/chirper/lists"
  case rows = "GET /api/chirper/rows"
  case details = "GET /api/chirper/recordings/{source}/{id}"
  case suggestions = "GET /api/chirper/suggestions"
  case completions = "GET /api/chirper/completions"
  case stats = "GET /api/chirper/stats"
  case map = "GET /api/chirper/map"
  case export = "GET /api/chirper/export"
  case feed = "GET /feed.atom"
  case state = "GET /api/chirper/state"
  case loads = "GET /api/chirper/loads"
  case startLoad = "POST /api/chirper/loads"
  case load = "GET /api/chirper/loads/{number}"
  case cancelLoad = "DELETE /api/chirper/loads/{number}"
  case audioFiles = "GET /api/chirper/audio"
  case audio = "GET /api/chirper/audio/{source}/{id}"
  case keepAudio = "POST /api/chirper/audio/{source}/{id}"
  case sonogram = "GET /api/chirper/sonograms/{source}/{id}"
  case keepSonogram = "PUT /api/chirper/sonograms/{source}/{id}"

  /// The least that a request needs to be answered.
  enum Need: Sendable {
    /// Nothing: by these a page gets its session, and whoever watches the server its health.
    case nothing
    case reading
    /// A server that may be read without a token: what asks by an address alone sends none.
    case readingWithoutToken
    /// The rights of whoever runs the server, because it changes something or costs requests to a
    /// service.
    case owner
  }

  var need: Need {
    switch self {
    case .home, .health, .page, .hasSession, .session, .recordingPage, .speciesPage: .nothing
    case .openAPI, .events, .recordings, .recordingsOfVersion2, .download, .catalogues, .lists,
      .rows, .details, .suggestions, .completions, .stats, .map, .export, .state, .loads, .load,
      .audioFiles, .audio, .sonogram:
      .reading
    case .feed: .readingWithoutToken
    case .forget, .startLoad, .cancelLoad, .keepAudio, .keepSonogram: .owner
    }
  }

  /// Whether it is the page, at any of its addresses.
  var isPage: Bool { [.home, .recordingPage, .speciesPage].contains(self) }

  private static let all = allCases.map { route in
    let words = route.rawValue.split(separator: " ").map(String.init)
    let path = words[1].split(separator: "/").map(String.init)
    return (
      route: route, method: HTTPMethod(rawValue: words[0]), path: path,
      names: path.count { $0.hasPrefix("{") }
    )
  }

  /// The route of a request with the parts of its path that have names. Without a route,
  /// the methods that the path takes; empty if the path does not exist.
  static func find(_ request: Request) -> (route: Route?, parts: [String], methods: [HTTPMethod]) {
    let fitting = all.filter { known in
      known.path.count == request.path.count
        && zip(known.path, request.path).allSatisfy { $0.hasPrefix("{") || $0 == $1 }
        && (known.route != .recordingPage || ServerFiles.isNumber(request.path[0]))
    }
    // `/events` is not the number of a recording.
    let here = fitting.filter { $0.names == fitting.map(\.names).min() }
    let method = request.method == .HEAD ? .GET : request.method
    guard let found = here.first(where: { $0.method == method }) else {
      return (nil, [], here.map(\.method))
    }
    return (found.route, zip(found.path, request.path).filter { $0.0.hasPrefix("{") }.map(\.1), [])
  }
}
