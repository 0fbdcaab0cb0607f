"""The public symbols of the products, as the compiler describes them.

scripts/api and scripts/docs read them; they are extracted once for each build.
"""

import json
import subprocess
import sys
from pathlib import Path

MODULES = [
    "Chirper", "ChirperModel", "ChirperRemote", "ChirperStore", "ChirperFormats", "ChirperTesting",
]


def output(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def graphs() -> list[Path]:
    """Returns the files of all modules, and of their extensions of each other's types."""
    build = Path(output("swift", "build", "--show-bin-path").strip())
    modules = [build / f"Modules/{name}.swiftmodule" for name in MODULES]
    missing = [path.stem for path in modules if not path.exists()]
    if missing:
        sys.exit(f"Not built: {', '.join(missing)}. Build first: swift build")
    folder = build / "public-symbols"
    stamp = folder / "extracted"
    # If only comments have changed, the compiler writes only the documentation of a module.
    newest = max(
        file.stat().st_mtime for path in modules for file in (path, path.with_suffix(".swiftdoc")))
    if not stamp.exists() or stamp.stat().st_mtime < newest:
        extract(build, folder)
        stamp.touch()
    return sorted(folder.glob("*.symbols.json"))


def extract(build: Path, folder: Path):
    target = json.loads(output("swift", "-print-target-info"))["target"]["triple"]
    # Of the C targets and the system libraries that the modules import.
    clang = ["CurlLibrary", "EmbeddedMigrations", "EmbeddedNames"]
    maps = [build / f"{name}.build/module.modulemap" for name in clang]
    maps += Path("Sources").glob("*/module.modulemap")
    maps += build.parent.parent.glob("checkouts/GRDB.swift/Sources/*/module.modulemap")
    folder.mkdir(exist_ok=True)
    for path in folder.iterdir():
        path.unlink()
    for module in MODULES:
        command = [
            "swift", "symbolgraph-extract", "-module-name", module, "-target", target,
            "-I", str(build / "Modules"), "-minimum-access-level", "public",
            "-skip-synthesized-members", "-output-dir", str(folder),
        ]
        for path in maps:
            command += ["-Xcc", f"-fmodule-map-file={path}"]
        run = subprocess.run(command, capture_output=True, text=True)
        if run.returncode:
            sys.exit(f"{module}: {run.stderr}")
