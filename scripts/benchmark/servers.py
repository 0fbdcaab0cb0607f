"""Servers of the cases of scripts/bench, and how fast they answer."""
import collections
import getpass
import os
import socket
import statistics
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request

CATALOGUE = os.path.join(os.path.dirname(__file__), "catalogue.py")


class Server:
    """The generated catalogue on loopback, in a separate process."""

    def __init__(self, path, count):
        self.process = subprocess.Popen(
            [sys.executable, CATALOGUE, "serve", path, str(count)], stdout=subprocess.PIPE,
            text=True)
        self.address = self.process.stdout.readline().strip()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()


class Process:
    """A program that runs until the block ends."""

    def __init__(self, command, environment=None):
        self.process = subprocess.Popen(
            command, env={**os.environ, **(environment or {})}, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, text=True)

    def address(self):
        """The first that it prints, without a path."""
        for line in self.process.stdout:
            if "http://" in line:
                # What it prints later is not read by anything else.
                threading.Thread(target=self.process.stdout.read, daemon=True).start()
                return "http://" + line.split("http://")[1].split()[0].split("/")[0]
        raise RuntimeError("no address was printed")

    def peak(self):
        """Megabytes."""
        with open(f"/proc/{self.process.pid}/status") as status:
            return next(int(line.split()[1]) for line in status if line.startswith("VmHWM")) / 1024

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait()


class Nginx(Process):
    """nginx as it is installed, with the files of a folder."""

    def __init__(self, directory, folder):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        settings = os.path.join(directory, "nginx.conf")
        # The workers may read the folder only as who runs this.
        user = f"user {getpass.getuser()};" if os.getuid() == 0 else ""
        with open(settings, "w") as file:
            server = f"server {{ listen 127.0.0.1:{port}; root {folder}; }}"
            file.write(
                f"{user} daemon off; pid {directory}/nginx.pid; error_log stderr; events {{}} "
                f"http {{ access_log off; sendfile on; {server} }}")
        super().__init__(["nginx", "-p", directory, "-c", settings])
        self.url = f"http://127.0.0.1:{port}"

    def __enter__(self):
        while True:
            try:
                urllib.request.urlopen(self.url)
            except urllib.error.HTTPError:
                return self.url
            except OSError:
                time.sleep(0.05)


class Asked(collections.namedtuple("Asked", "rate p99 longest failed")):
    """What wrk reports, run by run."""

    @classmethod
    def of(cls, runs):
        return cls(*zip(*runs))

    def median(self, name):
        return statistics.median(getattr(self, name))


def wrk(ours, rival, connections, seconds):
    """Two servers one after the other."""
    return wrk_once(ours, connections, seconds), wrk_once(rival, connections, seconds)


def wrk_once(address, connections, seconds):
    # Once before, so that neither reads its files from the disk while it is measured.
    urllib.request.urlopen(address).read()
    out = subprocess.run(
        [
            "wrk", "-t", str(min(2, connections)), "-c", str(connections), "-d", f"{seconds}s",
            "--timeout", "30s", "--latency", address],
        check=True, capture_output=True, text=True).stdout
    fields = {line.split()[0]: line.split() for line in reversed(out.splitlines()) if line.split()}
    failed = sum(int(line.split()[-1]) for line in out.splitlines() if "Non-2xx" in line)
    failed += sum(
        int(part.split()[-1])
        for line in out.splitlines()
        if "Socket errors" in line
        for part in line.split(":")[1].split(","))
    rate = float(fields["Requests/sec:"][1])
    return rate, duration(fields["99%"][1]), duration(fields["Latency"][3]), failed


def duration(text):
    for unit, factor in (("us", 1e-6), ("ms", 1e-3), ("s", 1), ("m", 60)):
        if text.endswith(unit):
            return float(text[:-len(unit)]) * factor
    raise ValueError(text)
