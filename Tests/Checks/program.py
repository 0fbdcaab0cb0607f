"""The built program, what it says that it has, and stores and servers of it. Everything that a
check starts ends with it."""

import contextlib
import decimal
import functools
import json
import os
import pathlib
import signal
import subprocess
import tempfile
import urllib.request
from urllib.parse import urlsplit

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = os.environ.get("CHIRPER", str(ROOT / ".build/debug/chirper"))
# A background shell ignores it, and so would the servers that are started here.
signal.signal(signal.SIGINT, signal.default_int_handler)


# What the program has: the lists of commands, catalogues and formats are written nowhere else.


@functools.cache
def commands():
    """Each command by the words that name it, as the parser describes it."""
    dump = json.loads(
        subprocess.run(
            [PROGRAM, "--experimental-dump-help"], check=True, capture_output=True).stdout)

    def below(command, *words):
        yield " ".join(words), command
        for one in command.get("subcommands", []):
            yield from below(one, *words, one["commandName"])

    return dict(below(dump["command"]))


def values(command, option):
    """The values that an option accepts."""
    [found] = [
        one
        for one in commands()[command]["arguments"]
        if (one.get("preferredName") or {}).get("name") == option]
    return found["completionKind"]["list"]["values"]


def catalogues():
    return values("fetch", "source")


def remote_catalogues():
    """The catalogues that are asked over the network: all but the built-in sample."""
    return [name for name in catalogues() if name != "sample"]


def formats():
    return values("export", "format")


class Chirper:
    """The program with a store of its own. All catalogues are at `address`; without one they cannot
    be reached, and no key is known."""

    def __init__(self, home, address=None):
        self.home, self.data = home, home / "data"
        self.environment = {
            "PATH": os.environ["PATH"], "LANG": "C.UTF-8", "HOME": str(home),
            "CHIRPER_DATA_DIR": str(self.data), "CHIRPER_CONFIG_DIR": str(home / "config"),
        }
        self.reach(address)
        self.port, self.server = 0, None

    @property
    def database(self):
        return self.data / "chirper.sqlite"

    def reach(self, address):
        """From now on all catalogues are there."""
        for name in catalogues():
            variable = f"CHIRPER_{name.upper().replace('-', '_')}_URL"
            self.environment[variable] = address or "http://127.0.0.1:9"
        if address:
            self.environment["XENO_CANTO_API_KEY"] = "anykey1"

    def call(self, *words):
        return subprocess.run(
            [PROGRAM, *map(str, words)], env=self.environment, capture_output=True, check=False)

    def run(self, *words):
        result = self.call(*words)
        assert result.returncode == 0, (words, result.stderr.decode())
        return result.stdout

    def json(self, command, *words):
        return json.loads(self.run(command, "--json", *words))

    def rows(self, command, *words):
        # Numbers as they are written, so that limits are compared exactly.
        return [
            json.loads(line, parse_float=decimal.Decimal)
            for line in self.run(command, "--format", "jsonl", *words).splitlines()]

    def serve(self, *options, terminal=subprocess.DEVNULL):
        """Starts the server, on the port that it had before. What it says goes to `terminal`."""
        self.server = subprocess.Popen(
            [PROGRAM, "serve", "--port", str(self.port), *options], env=self.environment,
            stdout=subprocess.PIPE, stderr=terminal, text=True)
        self.address = self.server.stdout.readline().strip().split("#")[0]
        self.port = urlsplit(self.address).port
        self.token = (self.data / "serve-token").read_text().strip()
        self.reader_token = (self.data / "serve-reader-token").read_text().strip()

    def stop(self):
        self.server.send_signal(signal.SIGINT)
        assert self.server.wait(120) == 0, "how the server ended"

    def get(self, path):
        return json.load(urllib.request.urlopen(self.address + path.lstrip("/"), timeout=30))


@contextlib.contextmanager
def store(address=None):
    """The program with an empty store, in a folder that is removed afterwards."""
    with tempfile.TemporaryDirectory() as home:
        chirper = Chirper(pathlib.Path(home), address)
        try:
            yield chirper
        finally:
            if chirper.server and chirper.server.poll() is None:
                chirper.stop()
