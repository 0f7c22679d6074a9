"""One and two workers: throughput, memory, promotions under load, and what happens beyond capacity. Linux only.

Run as `python -m benchmarks.workers [DATA_DIR]`; without an index, one of 50,000 chunks is built first.

- Throughput: 32 connections ask in a closed loop; one and two workers in turn, ROUNDS times. The generator is a process
  with one loop over raw sockets; its CPU time is stated, as is that of everything else on the machine. Where others are
  busy, compare the CPU time of an answer: with two workers it should be that with one.
- Memory: private, and proportional set size (PSS), in which a page that n processes share counts 1/n for each.
- Overload: requests are due at 0.5, 1, 2 and 4 times the capacity of two workers, evenly spaced, whatever comes back.
  Latency counts from when a request was due. Each has one connection of a pool.
- Promotions: two generations of a small index, of which every passage names its own, are promoted in turn. An answer is
  mixed if a passage is not of the generation that it names.
"""

import json
import os
import re
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from statistics import median
from time import monotonic, sleep
from typing import Any

from assay.app import Assay
from assay.settings import load_settings
from benchmarks.http_load import _port_of
from benchmarks.request_loop import Outcome
from benchmarks.serving import queries_from, write_corpus
from benchmarks.shared import shared_folder

CONNECTIONS = 32
ROUNDS = 3
SECONDS = 10.0
PROMOTION_SECONDS = 20.0
_TICKS = os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True, slots=True)
class Server:
    """A running server. pid: of the parent, or of the only process."""

    port: int
    pid: int

    def pids(self) -> list[int]:
        """The processes that answer."""
        children = Path(f"/proc/{self.pid}/task/{self.pid}/children").read_text("ascii").split()
        return [int(one) for one in children] or [self.pid]


@contextmanager
def serving(data_dir: Path, workers: int) -> Iterator[Server]:
    """A server over an index."""
    command = [sys.executable, "-m", "assay", "serve", "--port", "0", "--data-dir", str(data_dir)]
    if workers > 1:
        command += ["--workers", str(workers)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as server:
        try:
            yield Server(_port_of(server), server.pid)
        finally:
            server.terminate()


def cpu_seconds(pids: Sequence[int]) -> float:
    """CPU time of processes so far."""
    fields = [Path(f"/proc/{pid}/stat").read_text("ascii").rpartition(")")[2].split() for pid in pids]
    return sum(int(one[11]) + int(one[12]) for one in fields) / _TICKS


def machine_seconds() -> float:
    """Busy CPU time of the machine so far."""
    times = [int(one) for one in Path("/proc/stat").read_text("ascii").split("\n", 1)[0].split()[1:9]]
    return (sum(times) - times[3] - times[4]) / _TICKS


def memory(pid: int) -> dict[str, float]:
    """Private memory and PSS of a process, in MB."""
    found = dict(re.findall(r"(\w+):\s+(\d+) kB", Path(f"/proc/{pid}/smaps_rollup").read_text("ascii")))
    private = int(found["Private_Clean"]) + int(found["Private_Dirty"])
    return {"private": private / 1024, "PSS": int(found["Pss"]) / 1024, "RSS": int(found["Rss"]) / 1024}


def load(server: Server, requests: Sequence[str], seconds: float, rate: float | None, connections: int) -> Outcome:
    """Ask from a process of its own. rate: requests a second; None for a closed loop."""
    task = {
        "port": server.port,
        "requests": list(requests),
        "seconds": seconds,
        "rate": rate,
        "connections": connections,
    }
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.request_loop"],
        input=json.dumps(task),
        capture_output=True,
        text=True,
        check=True,
    )
    return Outcome(**json.loads(done.stdout))


def request(query: str) -> str:
    """The bytes of a search, as text."""
    body = json.dumps({"query": query[:400], "top_k": 10})
    head = "POST /v1/search HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
    return f"{head}Content-Length: {len(body)}\r\n\r\n{body}"


def measure(server: Server, requests: Sequence[str], rate: float | None = None, connections: int = CONNECTIONS) -> Any:  # noqa: ANN401
    """Load a server, and print what came of it. Returns the outcome and the CPU milliseconds of an answer."""
    pids = server.pids()
    before, busy_before = cpu_seconds(pids), machine_seconds()
    outcome = load(server, requests, SECONDS, rate, connections)
    used, busy = cpu_seconds(pids) - before, machine_seconds() - busy_before
    others = busy - used - outcome.cpu
    answered = outcome.statuses.get("200", 0)
    print(
        f"  {answered / outcome.elapsed:6.0f} answers/s, latency p50 {outcome.p50:.0f}, p99 {outcome.p99:.0f} ms, "
        f"statuses {outcome.statuses}, 503 without Retry-After {outcome.unhinted}, failed {outcome.failed}; "
        f"cores used: server {used / outcome.elapsed:.2f}, generator {outcome.cpu / outcome.elapsed:.2f}, "
        f"others {others / outcome.elapsed:.2f}; {1000 * used / max(answered, 1):.2f} ms CPU an answer",
        flush=True,
    )
    return outcome, answered / outcome.elapsed


def throughput(data_dir: Path, requests: Sequence[str]) -> float:
    """Answers a second of one and two workers in turn. Returns the median with two."""
    rates: dict[int, list[float]] = {1: [], 2: []}
    for _ in range(ROUNDS):
        for workers, found in rates.items():
            with serving(data_dir, workers) as server:
                load(server, requests[:200], 2.0, None, CONNECTIONS)
                print(f"{workers} worker(s), closed loop, load {os.getloadavg()[0]:.1f}:")
                found.append(measure(server, requests)[1])
                for pid in dict.fromkeys([server.pid, *server.pids()]):
                    name = "parent" if pid not in server.pids() else "worker"
                    print(f"  memory of {name}: {', '.join(f'{k} {v:.0f} MB' for k, v in memory(pid).items())}")
    one, two = median(rates[1]), median(rates[2])
    print(f"two workers against one: {two:.0f} / {one:.0f} answers/s = {two / one:.2f}")
    return two


def overload(data_dir: Path, requests: Sequence[str], capacity: float) -> None:
    """Ask at multiples of the capacity."""
    with serving(data_dir, 2) as server:
        load(server, requests[:200], 2.0, None, CONNECTIONS)
        for factor in (0.5, 1, 2, 4):
            print(f"due at {factor} times the capacity, {factor * capacity:.0f}/s, load {os.getloadavg()[0]:.1f}:")
            measure(server, requests, factor * capacity, 1_500)
            sleep(3.0)


def promotions(work: Path) -> int:
    """Promote two generations in turn while 16 connections ask. Returns the failed and mixed answers."""
    pages = work / "pages"
    pages.mkdir()
    source = {"path": pages, "base_url": "https://docs.example", "name": "manual", "convention": "plain"}
    gate = {"max_unreachable": 1.0, "max_page_fall": 1.0}
    settings = load_settings(None, {"data_dir": work / "small", "sources": [source], "gate": gate})
    with Assay.open(settings) as assay:
        generations = []
        for edition in ("first", "second"):
            for number in range(300):
                text = f"# Part {number}\n\nThe {edition} edition on part {number}: switch the robot off before work.\n"
                (pages / f"part-{number}.md").write_text(text, "utf-8")
            promoted = assay.publish().promoted
            assert promoted is not None
            generations.append(promoted.id)
        editions = dict(zip(generations, ("first", "second"), strict=True))
        with serving(work / "small", 2) as server:
            command = [sys.executable, "-m", "benchmarks.request_loop"]
            task = {
                "port": server.port,
                "requests": [request(f"switch off part {n}") for n in range(300)],
                "seconds": PROMOTION_SECONDS,
                "rate": None,
                "connections": 16,
                "editions": editions,
            }
            with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as generator:
                assert generator.stdin is not None
                generator.stdin.write(json.dumps(task))
                generator.stdin.close()
                moments = _promote_in_turn(assay, generations)
                assert generator.stdout is not None
                outcome = Outcome(**json.loads(generator.stdout.read()))
    lags = []
    for (begun, done, new), (until, *_) in pairwise([*moments, (float("inf"), 0.0, "")]):
        late = [moment - done for moment, one in outcome.answers if begun < moment < until and one != new]
        lags.append(max(late, default=0.0))
    print(
        f"{len(moments)} promotions under load: statuses {outcome.statuses}, failed {outcome.failed}, mixed "
        f"{outcome.mixed}; answers by generation {dict(Counter(one for _, one in outcome.answers))}; last answer of "
        f"the old one, seconds after the promotion: median {median(lags):.2f}, latest {max(lags):.2f}",
        flush=True,
    )
    return outcome.failed + outcome.mixed


def _promote_in_turn(assay: Assay, generations: Sequence[str]) -> list[tuple[float, float, str]]:
    """Promote each in turn while the generator asks. Returns beginning, end and generation of each promotion."""
    moments: list[tuple[float, float, str]] = []
    end = monotonic() + PROMOTION_SECONDS - 2.0
    while monotonic() < end:
        sleep(1.5)
        begun, new = monotonic(), generations[len(moments) % 2]
        assay.promote(new)
        moments.append((begun, monotonic(), new))
    return moments


def main(data_dir: Path | None = None) -> int:
    """Measure everything; 1 after a failed or mixed answer."""
    if sys.platform != "linux":
        print("Skipped: CPU time and memory of other processes are read from /proc, which only Linux has.")
        return 0
    with tempfile.TemporaryDirectory() as work:
        if data_dir is None:
            shared = shared_folder()
            if shared is None:
                return 0
            data_dir = Path(work) / "data"
            write_corpus(shared / "corpora" / "react-native", Path(work) / "docs", 50_000)
            source = {"path": Path(work) / "docs", "base_url": "https://docs.example", "convention": "docusaurus"}
            settings = load_settings(None, {"data_dir": data_dir, "sources": [source | {"name": "copies"}]})
            with Assay.open(settings) as assay:
                assay.builds.ingest()
                assay.promote()
        with Assay.open(load_settings(None, {"data_dir": data_dir})) as assay:
            requests = [request(query) for query in queries_from(assay, 1_000)]
        bad = promotions(Path(work))
        capacity = throughput(data_dir, requests)
        overload(data_dir, requests, capacity)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]) if len(sys.argv) > 1 else None))
