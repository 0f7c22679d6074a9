"""The storm for half an hour at 70 % of the server's capacity: nothing may fail, mix, be lost or keep growing.

Run as `python -m benchmarks.soak [SECONDS]`; 1,800 by default and at least 60, and about three minutes more.

- Load: for a minute the clients search in a closed loop, under the same writers and kills; the answers per second are
  the capacity. From then on requests are due at 70 % of it, evenly spaced; latency counts from when a request was due.
  Other work on the machine changes capacity, so every five minutes it is measured again, for 20 s.
- Kills: one every 20 s, in turn a publish, a second server on the same data directory, and a promote or rollback. The
  second server gets an eighth of the searches, from a client of its own, and is started again at once. A search that
  its death broke counts as down, but only between the kill and the moment when `/readyz` answers 200 again; at any
  other time it has failed.
- Memory: private memory (RssAnon) of the first server, which lives through it all, every 5 s. Growth is the median of
  the last sixth of the time against the median of the second sixth; the first sixth is its warm-up. Mapped files
  (RssFile), open files and threads are measured apart.
- Disk: generations and allocated bytes of the data directory, before the load once retention has removed a generation,
  and after the last publish. Free pages of the catalog are counted apart: an interrupted build leaves some, which the
  next ones fill. SQLite writes its log to the database before both.

It exits with 1 after a failed, mixed, short or lost answer, a problem of a command, growth of 5 % or more, more
generations than before, or 5 % more bytes.
"""

import os
import re
import signal
import sqlite3
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from http.client import HTTPException
from itertools import cycle
from pathlib import Path
from statistics import median
from time import monotonic, sleep

from tests.chain import free_port

from assay.contracts import retrieval_layer
from assay.validation.running.latency import LATE_MS, percentiles
from benchmarks.storm import Storm, blow, report

SHARE_OF_CAPACITY = 0.7
SHARE_OF_SECOND_SERVER = 1 / 8
CAPACITY_SECONDS = 60.0
CAPACITY_AGAIN_SECONDS = 20.0
CAPACITY_EVERY = 300.0
KILL_EVERY = 20.0
SAMPLE_EVERY = 5.0
MOST_GROWTH = 0.05
_PAUSE_SECONDS = 0.05
_LOOK_AGAIN_SECONDS = 0.3
PARTS = 6
"""The first of these parts of the time is the warm-up; the second and the last are compared."""


@dataclass(frozen=True, slots=True)
class Footprint:
    """Private memory and mapped files of a process, in MB; its open files and threads. at: monotonic seconds."""

    at: float
    private: float
    mapped: float
    files: int
    threads: int


def footprint(pid: int) -> Footprint:
    """Read a process's footprint from /proc."""
    found = dict(re.findall(r"(RssAnon|RssFile|Threads):\s+(\d+)", Path(f"/proc/{pid}/status").read_text("utf-8")))
    private, mapped, threads = (int(found[name]) for name in ("RssAnon", "RssFile", "Threads"))
    files = sum(1 for _ in Path(f"/proc/{pid}/fd").iterdir())
    return Footprint(monotonic(), private / 1024, mapped / 1024, files, threads)


@dataclass(frozen=True, slots=True)
class Disk:
    """Generations in the catalog, indexes in the store, and allocated bytes of the data directory.

    free: bytes of the catalog's free pages, which `size` includes.
    """

    generations: int
    indexes: int
    size: int
    free: int

    @property
    def used(self) -> int:
        """Bytes that are in use."""
        return self.size - self.free

    def is_back(self, start: "Disk") -> bool:
        """Whether there are no more generations and indexes than at the start, and hardly more bytes in use."""
        few = self.generations <= start.generations and self.indexes <= start.indexes
        return few and self.used < start.used * (1 + MOST_GROWTH)


def medians(samples: Sequence[Footprint], name: str) -> list[float]:
    """The median of a field in each part of the time."""
    first = samples[0].at
    length = (samples[-1].at - first) / PARTS
    parts: list[list[float]] = [[] for _ in range(PARTS)]
    for one in samples:
        parts[min(int((one.at - first) / length), PARTS - 1)].append(getattr(one, name))
    return [median(part) for part in parts]


@dataclass(slots=True)
class Pace:
    """Arrivals at one server. Before the rate is known, each request is due when a client is free.

    rate: requests per second; 0 while capacity is measured.
    milliseconds: from due to answered, of each request of the open loop.
    late: requests that were sent more than LATE_MS after they were due.
    """

    rate: float = 0.0
    milliseconds: list[float] = field(default_factory=list)
    late: int = 0
    started: float = 0.0
    turns: int = 0
    lock: threading.Lock = field(default_factory=threading.Lock)

    def next(self) -> tuple[int, float | None]:
        """The next turn and the moment when it is due; None in the closed loop."""
        with self.lock:
            turn, self.turns = self.turns, self.turns + 1
            return turn, self.started + turn / self.rate if self.rate else None

    def set(self, rate: float) -> None:
        """Begin the open loop, or the closed one at a rate of 0."""
        with self.lock:
            self.rate, self.started, self.turns = rate, monotonic(), 0


class Soak(Storm):
    """A storm at a rate, with a second server that is killed, and with measurements."""

    def __init__(self, work: Path) -> None:
        super().__init__(work, kill_share=0.0)
        self.second_port = free_port()
        self.second: subprocess.Popen[bytes] | None = None
        self.pid = 0
        self.paces = {self.port: Pace(), self.second_port: Pace()}
        self.capacities: list[float] = []
        self.down = self.kills = 0
        self.outages: list[tuple[float, float]] = []
        self.samples: list[Footprint] = []

    def tasks(self) -> list[Callable[[], None]]:
        """The storm's, and the measurement of capacity, the kills and the samples of memory."""
        return [*super().tasks(), self.measuring, self.killing]

    # --- the load --------------------------------------------------------------------------------------------------

    def client(self, number: int) -> None:
        """Take the next turn, wait until it is due, and search; until the end. Client 0 uses the second server."""
        port = self.port if number else self.second_port
        pace = self.paces[port]
        while not self.ended.is_set():
            turn, due = pace.next()
            if due is not None and self.ended.wait(max(due - monotonic(), 0.0)):
                return
            sent = monotonic()
            self.search(turn, port)
            if due is not None:
                with pace.lock:
                    pace.milliseconds.append(1000 * (monotonic() - due))
                    pace.late += 1000 * (sent - due) > LATE_MS

    def note_failure(self, shape: str, error: Exception, port: int, started: float) -> None:
        """Count a search as down if the second server's death broke it, else as failed."""
        broken = isinstance(error, ConnectionError | HTTPException)
        if broken and port == self.second_port and is_within(self.outages, started, monotonic()):
            self.down += 1
            sleep(_PAUSE_SECONDS)  # otherwise the closed loop would only meet a server that is down
        else:
            super().note_failure(shape, error, port, started)

    def measuring(self) -> None:
        """Measure capacity and set the rate, again and again; in between, read the first server's footprint."""
        seconds = CAPACITY_SECONDS
        while not self.ended.is_set():
            self.measure_capacity(seconds)
            seconds, again = CAPACITY_AGAIN_SECONDS, monotonic() + CAPACITY_EVERY - CAPACITY_AGAIN_SECONDS
            while monotonic() < again and not self.ended.wait(SAMPLE_EVERY):
                self.samples.append(footprint(self.pid))

    def measure_capacity(self, seconds: float) -> None:
        """Search in the closed loop for some seconds, then at SHARE_OF_CAPACITY of what was answered."""
        for pace in self.paces.values():
            pace.set(0.0)
        before, started = self._answered(), monotonic()
        if self.ended.wait(seconds):
            return
        self.capacities.append((self._answered() - before) / (monotonic() - started))
        rate = SHARE_OF_CAPACITY * self.capacities[-1]
        self.paces[self.port].set(rate * (1 - SHARE_OF_SECOND_SERVER))
        self.paces[self.second_port].set(rate * SHARE_OF_SECOND_SERVER)

    def _answered(self) -> int:
        with self.record.lock:
            return self.record.answers.total()

    # --- the kills -------------------------------------------------------------------------------------------------

    def killing(self) -> None:
        """Kill something every KILL_EVERY seconds."""
        due = monotonic()
        for victim in cycle(("publish", "server", "release")):
            due += KILL_EVERY
            if self.ended.wait(max(due - monotonic(), 0.0)):
                return
            if victim == "server":
                self.restart_second()
            else:
                self.kill_command(victim)
            self.kills += 1

    def kill_command(self, name: str) -> None:
        """Kill the current publish or release, or the next one if none runs."""
        while not self.ended.is_set():
            process = self.running.get(name)
            if process is not None and process.poll() is None:
                self.killed.add(process)
                process.kill()
                return
            sleep(_LOOK_AGAIN_SECONDS)

    def restart_second(self) -> None:
        """Kill the second server, and start it again."""
        assert self.second is not None
        self.outages.append((monotonic(), float("inf")))
        self.second.send_signal(signal.SIGKILL)
        self.second.wait()
        try:
            self.second = self.start_server(self.second_port)
        except RuntimeError as error:
            self.record.problems.append(str(error))
        self.outages[-1] = (self.outages[-1][0], monotonic())

    # --- the disk --------------------------------------------------------------------------------------------------

    def fill(self) -> None:
        """Publish until retention has removed a generation."""
        with self.opened() as assay:
            keep = assay.settings.release.keep
        for _ in range(keep):
            self.publish(kill=False)

    def disk(self) -> Disk:
        """What the data directory holds."""
        with self.opened() as assay:
            generations, indexes = len(list(assay.generations())), len(assay.parts.store.generations())
            catalog = assay.settings.data_dir / "catalog.sqlite"
        with closing(sqlite3.connect(catalog, timeout=30)) as connection:
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            page, free = (
                connection.execute(f"PRAGMA {name}").fetchone()[0] for name in ("page_size", "freelist_count")
            )
        files = [path for path in (self.work / "data").rglob("*") if path.is_file()]
        return Disk(generations, indexes, sum(512 * path.stat().st_blocks for path in files), page * free)


def is_within(outages: Sequence[tuple[float, float]], started: float, ended: float) -> bool:
    """Whether a request from start to end overlaps an outage."""
    return any(started <= to and ended >= since for since, to in outages)


def main(seconds: float = 1_800.0) -> int:
    """Print the results; return 1 if anything failed, was mixed, was lost or grew."""
    with tempfile.TemporaryDirectory(prefix="assay-soak-") as work:
        soak = Soak(Path(work))
        os.environ["ASSAY_DATA_DIR"] = str(Path(work) / "data")
        try:
            with soak.serving() as server:
                soak.pid = server.pid
                soak.second = soak.start_server(soak.second_port)
                soak.fill()
                before = soak.disk()
                blow(soak, CAPACITY_SECONDS + seconds)
                soak.settle()
                after = soak.disk()
        finally:
            if soak.second is not None:
                soak.second.kill()
                soak.second.wait()
            retrieval_layer.close()
            del os.environ["ASSAY_DATA_DIR"]
    faults = report(soak.record, seconds)
    return int(bool(faults | report_soak(soak, before, after)))


def report_soak(soak: Soak, before: Disk, after: Disk) -> int:
    """Print load, outages, memory and disk; return 1 if memory or disk grew."""
    capacities = ", ".join(f"{capacity:.0f}" for capacity in soak.capacities)
    print(f"  capacity every {CAPACITY_EVERY / 60:.0f} minutes: {capacities} searches/s; from due to answered:")
    for name, pace in zip(("first", "second"), soak.paces.values(), strict=True):
        found = percentiles(pace.milliseconds)
        print(
            f"    {name} server: p50 {found.p50_ms:.1f}  p95 {found.p95_ms:.1f}  "
            f"p99 {found.p99_ms:.1f} ms; {pace.late:,} of {found.samples:,} sent more than {LATE_MS:.0f} ms late"
        )
    seconds = [to - since for since, to in soak.outages] or [0.0]
    print(
        f"  kills: {soak.kills}, {len(soak.outages)} of them of the second server, ready again after "
        f"{median(seconds):.1f} s (at most {max(seconds):.1f}); {soak.down} searches met it down"
    )
    grown = report_memory(soak.samples)
    print(
        f"  disk: {before.generations} to {after.generations} generations, {before.indexes} to {after.indexes} "
        f"indexes, {before.used / 2**20:.2f} to {after.used / 2**20:.2f} MB in use "
        f"({after.used / before.used - 1:+.1%}), "
        f"{before.free / 2**20:.2f} to {after.free / 2**20:.2f} MB of free pages"
    )
    return int(grown or not after.is_back(before))


def report_memory(samples: Sequence[Footprint]) -> bool:
    """Print the medians of each part of the time; return whether private memory grew too much."""
    for name, unit in (("private", "MB of private memory"), ("mapped", "MB of mapped files")):
        parts = medians(samples, name)
        listed = ", ".join(f"{part:.1f}" for part in parts)
        print(f"  {unit}: {listed}; from second to last {parts[-1] / parts[1] - 1:+.1%}")
    for name in ("files", "threads"):
        print(f"  {name}: {', '.join(f'{part:.0f}' for part in medians(samples, name))}")
    private = medians(samples, "private")
    return private[-1] >= private[1] * (1 + MOST_GROWTH)


if __name__ == "__main__":
    sys.exit(main(float(sys.argv[1]) if len(sys.argv) > 1 else 1_800.0))
