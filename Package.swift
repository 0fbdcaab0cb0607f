// swift-tools-version: 6.2
import PackageDescription

/// Settings of every target: warnings are errors. Swift 6 mode comes with the tools version.
let strict: [SwiftSetting] = [.treatAllWarnings(as: .error)]

/// What the library logs goes to the logger that an app, or the command, gives it.
let logging: Target.Dependency = .product(
  name: "Logging", package: "swift-log", condition: .when(traits: ["Logging"]))

/// What Apple's App Store asks of a library; of the store and the catalogues, that of `Chirper` says it.
let privacyManifest: Resource = .copy("PrivacyInfo.xcprivacy")

/// The program alone needs it: an app without the trait neither resolves nor builds it.
func ofCommand(_ product: String, _ package: String) -> Target.Dependency {
  .product(name: product, package: package, condition: .when(traits: ["Command"]))
}

let package = Package(
  name: "chirper",
  platforms: [.macOS(.v15), .iOS(.v18)],
  products: [
    .library(name: "Chirper", targets: ["Chirper"]),
    // Exports. A product of its own, because it needs zlib.
    .library(name: "ChirperFormats", targets: ["ChirperFormats"]),
    // For the tests of an app: a clock, and a catalogue that answers when a test lets it.
    .library(name: "ChirperTesting", targets: ["ChirperTesting"]),
    .executable(name: "chirper", targets: ["ChirperCommand"]),
  ],
  traits: [
    .trait(
      name: "Collection",
      description:
        "What the screen of a list does not need: further catalogues, imports, searches and counts of everything stored, names, repair. ChirperFormats needs it."
    ),
    .trait(name: "Logging", description: "The library logs to a logger of swift-log."),
    .trait(
      name: "Command",
      description: "The program chirper: its argument parser and its local server.",
      enabledTraits: ["Collection", "Logging"]
    ),
    .default(enabledTraits: ["Command"]),
  ],
  dependencies: [
    .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.0"),
    .package(url: "https://github.com/apple/swift-log", from: "1.16.0"),
    .package(url: "https://github.com/apple/swift-nio", from: "2.101.0"),
  ],
  targets: [
    // The list of the names of birds (scripts/names), embedded as the migrations are.
    .target(name: "EmbeddedNames", exclude: ["Lists"]),
    // Values, and in the folder System the lock, the threads and the files that every other target needs.
    .target(name: "ChirperModel", dependencies: ["EmbeddedNames"], swiftSettings: strict),
    // The numbered SQL of the folder Migrations: a C target, because C can embed files (docs/decisions/0017).
    .target(name: "EmbeddedMigrations"),
    // The database; the only target with GRDB.
    .target(
      name: "ChirperStore",
      dependencies: [
        "ChirperModel", "EmbeddedMigrations",
        .product(name: "GRDB", package: "GRDB.swift"),
        .product(name: "GRDBSQLite", package: "GRDB.swift"),
      ],
      swiftSettings: strict
    ),
    // libcurl, loaded at the first request; in C, because Swift cannot call its variadic functions.
    .target(name: "CurlLibrary"),
    // The catalogues and HTTP; the only place with libcurl and URLSession.
    .target(
      name: "ChirperRemote",
      dependencies: [
        "ChirperModel", logging,
        .target(name: "CurlLibrary", condition: .when(platforms: [.linux, .android])),
      ],
      swiftSettings: strict
    ),
    // The library: repository, pager, walk, audio.
    .target(
      name: "Chirper",
      dependencies: ["ChirperModel", "ChirperStore", "ChirperRemote", logging],
      resources: [privacyManifest],
      swiftSettings: strict
    ),
    // What the tests of an app need, and ours; separate, so that no app ships it.
    .target(
      name: "ChirperTesting", dependencies: ["ChirperModel", "Chirper"], swiftSettings: strict),
    // zlib for zip files; only ChirperFormats needs it, so an app that uses the library does not (docs/decisions/0022).
    .systemLibrary(name: "ZLibrary", providers: [.apt(["zlib1g-dev"]), .brew(["zlib"])]),
    // What people and programs read: formats, tables, texts. Separate from the command because every front end needs it.
    .target(
      name: "ChirperFormats",
      dependencies: ["ChirperModel", "Chirper", "ZLibrary"],
      resources: [privacyManifest], swiftSettings: strict),
    // The table view in the terminal.
    .target(
      name: "ChirperTerminal",
      dependencies: ["ChirperModel", "Chirper", "ChirperFormats"],
      swiftSettings: strict),
    // docs/openapi.json and the files of Sources/ChirperServer/Page/Files, embedded as the migrations are.
    .target(name: "EmbeddedServerFiles"),
    // How glibc allocates memory.
    .systemLibrary(name: "MallocLibrary"),
    // The local server; the only target with SwiftNIO.
    .target(
      name: "ChirperServer",
      dependencies: [
        "ChirperModel", "Chirper", "ChirperFormats", "EmbeddedServerFiles",
        logging,
        .target(name: "MallocLibrary", condition: .when(platforms: [.linux])),
        ofCommand("NIOCore", "swift-nio"), ofCommand("NIOPosix", "swift-nio"),
        ofCommand("NIOHTTP1", "swift-nio"),
      ],
      exclude: ["Page/Files"],
      swiftSettings: strict
    ),
    // The command. It is not named like its product, because Sources/Chirper and Sources/chirper collide on a Mac's disk.
    .executableTarget(
      name: "ChirperCommand",
      dependencies: [
        "ChirperModel", "Chirper", "ChirperFormats", "ChirperTerminal",
        "ChirperServer", logging,
        ofCommand("ArgumentParser", "swift-argument-parser"),
      ],
      swiftSettings: strict
    ),
    // Stores recordings for scripts/bench; not a product.
    .executableTarget(
      name: "ChirperBench", dependencies: ["ChirperModel", "ChirperStore"],
      swiftSettings: strict),
    // Fakes for our own tests: a catalogue whose list changes, a scripted server on loopback.
    .target(
      name: "ChirperTestSupport",
      dependencies: [
        "ChirperModel", "ChirperStore", "ChirperRemote", "Chirper",
        "ChirperTesting",
      ],
      path: "Tests/ChirperTestSupport",
      swiftSettings: strict
    ),
    .testTarget(
      name: "ChirperModelTests", dependencies: ["ChirperModel", "ChirperTestSupport"],
      swiftSettings: strict),
    .testTarget(
      name: "ChirperStoreTests",
      dependencies: [
        "ChirperModel", "ChirperStore", "ChirperTestSupport",
        .product(name: "GRDB", package: "GRDB.swift"),
      ],
      swiftSettings: strict
    ),
    .testTarget(
      name: "ChirperRemoteTests",
      dependencies: ["ChirperModel", "ChirperRemote", "ChirperTestSupport"],
      swiftSettings: strict
    ),
    .testTarget(
      name: "ChirperTests",
      dependencies: [
        "ChirperModel", "ChirperStore", "ChirperRemote", "Chirper",
        "ChirperTestSupport", logging,
      ],
      swiftSettings: strict
    ),
    // The library as an app sees it: imports only the products, and nothing of them with @testable.
    .testTarget(
      name: "ChirperLibraryTests", dependencies: ["Chirper", "ChirperFormats", "ChirperTesting"],
      swiftSettings: strict),
    .testTarget(
      name: "ChirperFormatsTests",
      dependencies: ["ChirperModel", "Chirper", "ChirperFormats", "ChirperTestSupport"],
      swiftSettings: strict
    ),
    // The built program, and the parts of the command without I/O.
    .testTarget(
      name: "ChirperCommandTests",
      dependencies: [
        "ChirperCommand", "ChirperModel", "ChirperRemote", "Chirper",
        "ChirperFormats", "ChirperServer",
        "ChirperTestSupport", logging,
      ],
      exclude: ["HelpScreens"],
      swiftSettings: strict
    ),
    // Opens a store with migrations made for a test, in a process that the test kills; not a product.
    .executableTarget(
      name: "MigrationProbe", dependencies: ["ChirperStore"], path: "Tests/MigrationProbe",
      swiftSettings: strict),
    // The promises of Tests/PROMISES.md: the built program and the store under faults. Separate because it takes longest.
    .testTarget(
      name: "ChirperFaultTests",
      dependencies: [
        "ChirperModel", "ChirperStore", "ChirperRemote", "Chirper", "ChirperTestSupport",
        "ChirperCommand",
        "MigrationProbe", .product(name: "GRDBSQLite", package: "GRDB.swift"),
      ],
      swiftSettings: strict
    ),
    // The table in the terminal: frames, keys, and the built program in a pseudo-terminal.
    .testTarget(
      name: "ChirperTerminalTests",
      dependencies: [
        "ChirperModel", "Chirper", "ChirperRemote", "ChirperFormats",
        "ChirperTerminal", "ChirperTestSupport",
      ],
      exclude: ["Frames"],
      swiftSettings: strict
    ),
  ]
)
