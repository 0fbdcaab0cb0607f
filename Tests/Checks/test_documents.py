"""The documents about the code name what is there."""

import importlib.machinery
import importlib.util
import pathlib
import re

from program import remote_catalogues

ROOT = pathlib.Path(__file__).parents[2]
DOCUMENTS = [
    "CONTRIBUTING.md", "Sources/ARCHITECTURE.md", "Sources/BOUNDS.md", "Tests/PROMISES.md",
    "docs/catalogues.md", "docs/page.md", "scripts/PUBLISHING.md"]
FOLDERS = [".ci", "Examples", "Migrations", "Sources", "Tests", "container", "docs", "scripts"]
# What a tutorial or another project calls something.
OTHERS = {"FileManager", "UserDefaults"}


def paths():
    for folder in FOLDERS:
        for path in (ROOT / folder).rglob("*"):
            if not any(part.startswith(".build") for part in path.parts):
                yield path


def test_paths_and_symbols_of_documents():
    words, names = set(), set()
    for path in paths():
        names.add(path.name.split(".")[0])
        if path.is_file() and path.suffix != ".md":
            words.update(re.findall(r"\w+", path.read_text(encoding="utf-8", errors="ignore")))
    missing, found = [], 0
    for document in DOCUMENTS:
        text = (ROOT / document).read_text(encoding="utf-8")
        for code in re.findall(r"`([^`\n]+)`", text):
            named = re.findall(rf"^(?:{'|'.join(map(re.escape, FOLDERS))})/[\w./+-]+", code)
            missing += [f"{document}: {path}" for path in named if not (ROOT / path).exists()]
            symbols = {
                symbol
                for symbol in re.findall(r"\b[A-Z][a-z]+[A-Z]\w+", code)
                if symbol not in OTHERS}
            missing += [f"{document}: {symbol}" for symbol in sorted(symbols - words - names)]
            found += len(named) + len(symbols)
    assert not missing, missing
    assert found > 300, found


def test_links_lead_to_files_and_headings():
    def heading(line):
        return re.sub(r"[^\w -]", "", line.strip("# ").lower()).replace(" ", "-")

    documents = [path for path in [*ROOT.glob("*.md"), *paths()] if path.suffix == ".md"]
    wrong, found = [], 0
    for document in documents:
        for link in re.findall(r"\]\(([^)\s]+)\)", document.read_text(encoding="utf-8")):
            if "://" in link:
                continue
            name, _, anchor = link.partition("#")
            target = document.parent / name if name else document
            found += 1
            text = target.read_text(encoding="utf-8") if anchor and target.exists() else ""
            headings = {heading(line) for line in text.splitlines() if line.startswith("#")}
            if not target.exists() or anchor and anchor not in headings:
                wrong.append(f"{document.relative_to(ROOT)}: {link}")
    assert wrong == []
    assert found > 100, found


def test_the_script_for_real_services_checks_every_catalogue():
    loader = importlib.machinery.SourceFileLoader("check_live", str(ROOT / "scripts/check-live"))
    script = importlib.util.module_from_spec(importlib.util.spec_from_loader("check_live", loader))
    loader.exec_module(script)
    assert sorted(script.SERVICES) == sorted(remote_catalogues())
    for name in script.SERVICES:
        assert callable(getattr(script, name.replace("-", "_"))), name
