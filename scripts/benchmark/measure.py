"""Runs programs and measures their time and memory; pairs run alternately, so that disturbances
affect both."""
import collections
import os
import shutil
import statistics
import sys
import time

Run = collections.namedtuple("Run", "wall cpu megabytes status")


def run(command, environment=None):
    """Runs a command with its output in /dev/null; memory is the peak of the process."""
    null = os.open(os.devnull, os.O_RDWR)
    start = time.perf_counter()
    pid = os.posix_spawnp(
        command[0], command, {**os.environ, **(environment or {})},
        file_actions=[(os.POSIX_SPAWN_DUP2, null, descriptor) for descriptor in (0, 1, 2)])
    _, status, usage = os.wait4(pid, 0)
    wall = time.perf_counter() - start
    os.close(null)
    return Run(
        wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024,
        os.waitstatus_to_exitcode(status))


class Pair:
    """Two programs that do the same, run alternately."""

    def __init__(self, ours, rival, rounds, before=lambda: None):
        self.ours, self.rival = [], []
        for turn in range(rounds):
            for runs, job in [(self.ours, ours), (self.rival, rival)][
                    :: 1 if turn % 2 == 0 else -1]:
                before()
                result = job()
                assert result.status == 0, "a program failed"
                runs.append(result)

    def median(self, side, what):
        return statistics.median(getattr(run, what) for run in getattr(self, side))

    def ratios(self, what):
        return sorted(
            getattr(a, what) / max(getattr(b, what), 1e-6) for a, b in zip(self.ours, self.rival))


def clean(directory):
    shutil.rmtree(directory, ignore_errors=True)
    os.makedirs(directory, mode=0o700)


def seconds(value):
    return f"{value * 1000:.1f} ms" if value < 1 else f"{value:.2f} s"


def report(text):
    print(text, file=sys.stderr, flush=True)
