// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "Examples",
  platforms: [.macOS(.v15), .iOS(.v18)],
  dependencies: [
    // An app depends on a version: .package(url: "https://github.com/chirper/chirper", from: "1.0.0", traits: [])
    // Without traits, what only the command needs is neither resolved nor built.
    .package(name: "chirper", path: "..", traits: [])
  ],
  targets: [
    .executableTarget(
      name: "TutorialScreen",
      dependencies: [.product(name: "Chirper", package: "chirper")],
      swiftSettings: [.treatAllWarnings(as: .error)]),
    // What scripts/bench measures of the library.
    .executableTarget(
      name: "LibraryBench",
      dependencies: [.product(name: "Chirper", package: "chirper")],
      swiftSettings: [.treatAllWarnings(as: .error)]),
  ]
)
