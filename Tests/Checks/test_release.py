"""What scripts/release-parts says of a release: how to cite it, Homebrew's formula, and whether it
may be published."""

import hashlib
import importlib.machinery
import importlib.util
import json
import shutil
import subprocess
import sys

import pytest
from program import ROOT

PARTS = ROOT / "scripts/release-parts"
PLATFORMS = {("linux", "intel"): "x86_64-linux-gnu", ("linux", "arm"): "aarch64-linux-gnu",
             ("macos", "intel"): "macos-arm64-x86_64", ("macos", "arm"): "macos-arm64-x86_64"}


def parts(*words):
    return subprocess.run(
        [sys.executable, PARTS, *map(str, words)], capture_output=True, text=True, check=False)


def fact(name):
    return parts("fact", name).stdout.strip()


def test_the_recorded_citation_is_that_of_this_version(tmp_path):
    assert parts("citation", tmp_path).returncode == 0
    for name in ("CITATION.cff", "codemeta.json"):
        recorded = (ROOT / name).read_text(encoding="utf-8")
        wanted = (tmp_path / name).read_text(encoding="utf-8")
        assert recorded == wanted, f"type: scripts/release-parts citation . ({name})"
    codemeta = json.loads((ROOT / "codemeta.json").read_text(encoding="utf-8"))
    assert (codemeta["version"], codemeta.get("datePublished", "")) == (
        fact("version"), fact("date"))


def test_the_citation_file_has_what_citation_file_format_1_2_requires():
    yaml = pytest.importorskip("yaml")
    cff = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert cff.keys() >= {"cff-version", "message", "title", "authors"}
    assert cff["cff-version"] == "1.2.0"
    assert all(
        isinstance(cff[name], str)
        for name in ("message", "title", "version", "abstract", "license"))
    assert cff["version"] == fact("version")


# As much of Homebrew as a formula needs, for one system and processor.
HOMEBREW = """
require "ostruct"
OS_NAME, CPU = ARGV[1], ARGV[2]
module OS; def self.linux? = OS_NAME == "linux"; end
class Formula
  def self.facts = @facts ||= { "depends_on" => [] }
  %w[desc homepage license version url sha256].each do |name|
    define_singleton_method(name) { |value = nil| value ? facts[name] = value : facts[name] }
  end
  def self.depends_on(what) = facts["depends_on"] << what.to_s
  def self.on_linux = (yield if OS_NAME == "linux")
  def self.on_macos = (yield if OS_NAME == "macos")
  def self.on_intel = (yield if CPU == "intel")
  def self.on_arm = (yield if CPU == "arm")
  def self.test(&block) = define_method(:run_test, &block)
  def version = self.class.version
  def bin = "/bin"
  def shell_output(command) = command == "/bin/chirper --version" ? version + "\\n" : raise(command)
  def assert_equal(one, other) = one == other || raise("#{one} #{other}")
  def prefix = OpenStruct.new
end
load ARGV[0]
formula = Chirper.new
formula.run_test
require "json"
puts JSON.generate(Chirper.facts.merge("caveats" => formula.caveats))
"""


@pytest.mark.skipif(not shutil.which("ruby"), reason="there is no ruby")
@pytest.mark.parametrize("platforms", [
    ["x86_64-linux-gnu"],
    ["aarch64-linux-gnu", "macos-arm64-x86_64", "x86_64-linux-gnu"],
], ids=len)
def test_the_formula_has_every_archive_that_exists(tmp_path, platforms):
    for platform in platforms:
        (tmp_path / f"chirper-1.2.3-{platform}.tar.gz").write_text(platform)
    formula, homebrew = tmp_path / "chirper.rb", tmp_path / "homebrew.rb"
    formula.write_text(parts("formula", "1.2.3", tmp_path).stdout)
    homebrew.write_text(HOMEBREW)
    for (system, processor), platform in PLATFORMS.items():
        result = subprocess.run(
            ["ruby", "-w", homebrew, formula, system, processor], capture_output=True, text=True,
            check=False)
        assert (result.returncode, result.stderr) == (0, "")
        found = json.loads(result.stdout)
        assert found["version"] == "1.2.3" and found["homepage"] == fact("homepage")
        if platform not in platforms:
            assert "url" not in found, found
            assert found["depends_on"] == ["linux", "{:arch=>:x86_64}"]
            continue
        name = f"chirper-1.2.3-{platform}.tar.gz"
        assert found["url"] == f"{fact('homepage')}/releases/download/v1.2.3/{name}"
        assert found["sha256"] == hashlib.sha256(platform.encode()).hexdigest()
        assert ("libsqlite3-0" in (found["caveats"] or "")) == (system == "linux")


def test_without_an_archive_there_is_no_formula(tmp_path):
    result = parts("formula", "1.2.3", tmp_path)
    assert result.returncode == 1 and "has no archive of chirper 1.2.3" in result.stderr


def test_publishing_names_what_is_refused():
    text = (ROOT / "scripts/PUBLISHING.md").read_text(encoding="utf-8")
    for line in parts("publishable").stderr.splitlines():
        assert line.split()[0] in text, line
    for name in ("release --publish", "check-release", "check-live", "release-parts citation"):
        assert f"scripts/{name}" in text, name


def test_placeholders_are_not_published():
    loader = importlib.machinery.SourceFileLoader("release_parts", str(PARTS))
    spec = importlib.util.spec_from_loader("release_parts", loader)
    script = importlib.util.module_from_spec(spec)
    loader.exec_module(script)
    script.HOME = "https://github.com/chirper/chirper"
    script.MAIL = "noreply@chirper.invalid"
    script.DATED = None
    with pytest.raises(SystemExit) as refused:
        script.publishable()
    named = [line.split()[0] for line in str(refused.value).splitlines()]
    assert named == ["ProgramVersion.homepage", "MAIL", "CHANGELOG.md"]
    script.HOME = "https://example.org/chirper"
    script.MAIL = "person@example.org"
    script.DATED = True
    script.publishable()
