"""Accuracy of latency measurements, checked with an injected delay and a stall.

Run as `python -m benchmarks.latency`. The service only sleeps, so that the benchmark measures the measurement. It must
find 50 ms more within 5%. A stall of two seconds must appear in the percentiles of the open loop, and not in those of
the closed loop, which is the reason for the open one. The same runs over HTTP, through a relay in front of a server.
"""

import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import median
from time import perf_counter, sleep

from assay.app import Assay, shipped_folder
from assay.client.client import Client
from assay.model.ranking import Query, Ranking, Timings
from assay.model.validations import LoadFigures
from assay.ports import Silence
from assay.settings import load_settings
from assay.validation.running.latency import ClosedLoop, Load, OpenLoop, measure_load
from benchmarks.http_load import _port_of

QUERIES = [Query(text, 5) for text in ("How do nodes communicate?", "camera calibration", "battery", "emergency stop")]
INJECTED = 0.050
STALL = 2.0
_ROUNDS = 7


def main() -> None:
    """Measure both, in process and over HTTP."""
    print("a service that sleeps, in this process")
    _delay(lambda delay: _sleeper(0.002 + delay), (ClosedLoop(1, 60), ClosedLoop(8, 400), OpenLoop(10.0, 5.0)))
    _stall(lambda after: _sleeper(0.002, stall_at=after))
    print("a real server over HTTP, behind a relay")
    with tempfile.TemporaryDirectory() as work:
        source = {
            "path": shipped_folder("examples") / "handbook",
            "base_url": "https://docs.example",
            "name": "handbook",
        }
        settings = load_settings(None, {"data_dir": Path(work) / "data", "sources": [source]})
        with Assay.open(settings) as assay:
            assay.publish()
        command = [sys.executable, "-m", "assay", "serve", "--port", "0", "--data-dir", str(settings.data_dir)]
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as server:
            try:
                port = _port_of(server)
                # Sequential or slow requests: the queue of a busy server hides the delay.
                _delay(lambda delay: _relayed(port, delay=delay), (ClosedLoop(1, 60), OpenLoop(10.0, 5.0)))
                _stall(lambda after: _relayed(port, stall_at=after))
            finally:
                server.terminate()


def _delay(service: Callable[[float], Callable[[Query], Ranking]], loads: Sequence[Load]) -> None:
    """Alternate rounds with and without the delay, so that other load affects both."""
    services = service(0.0), service(INJECTED)
    for load in loads:
        rounds = [[_figures(load, search) for search in services] for _ in range(_ROUNDS)]
        for name in ("mean_ms", "p50_ms", "p95_ms"):
            found = median(getattr(slowed, name) - getattr(plain, name) for plain, slowed in rounds)
            off = found / (INJECTED * 1000.0) - 1.0
            print(f"  {load.name:30} {name:8} + {found:6.2f} ms for 50 ms injected ({off:+.1%})")


def _stall(service: Callable[[float], Callable[[Query], Ranking]]) -> None:
    for load in (ClosedLoop(1, 1_000), OpenLoop(100.0, 10.0)):
        found = _figures(load, service(1.0))
        print(
            f"  {load.name:30} p50 {found.p50_ms:7.1f}, p95 {found.p95_ms:7.1f}, p99 {found.p99_ms:7.1f}, longest "
            f"{found.max_ms:7.1f} ms with a stall of {STALL:g} s; {found.late} of {found.samples} late, "
            f"{found.rate:.1f} answers a second"
        )


def _figures(load: Load, search: Callable[[Query], Ranking]) -> LoadFigures:
    return measure_load(load, search, QUERIES, Silence())


class _Gate:
    """Stalls once, some seconds after the first call; otherwise returns immediately."""

    def __init__(self, stall_at: float | None) -> None:
        self._stall_at = stall_at
        self._first: float | None = None
        self._lock = threading.Lock()

    def wait(self) -> None:
        with self._lock:
            now = perf_counter()
            self._first = now if self._first is None else self._first
            if self._stall_at is not None and now - self._first > self._stall_at:
                self._stall_at = None
                sleep(STALL)  # with the lock, so that all others wait


def _sleeper(seconds: float, stall_at: float | None = None) -> Callable[[Query], Ranking]:
    gate = _Gate(stall_at)

    def search(query: Query) -> Ranking:
        gate.wait()
        sleep(seconds)
        return Ranking(query, (), "none", Timings(0.0, 0.0, 0.0, 0.0, 0.0))

    return search


def _relayed(port: int, delay: float = 0.0, stall_at: float | None = None) -> Callable[[Query], Ranking]:
    """Searches a server through a relay that delays requests."""
    gate = _Gate(stall_at)
    listener = socket.create_server(("127.0.0.1", 0), backlog=256)

    def accept() -> None:
        while True:
            client, _ = listener.accept()
            server = socket.create_connection(("127.0.0.1", port))
            for end in (client, server):
                end.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            threading.Thread(target=_pump, args=(client, server, gate, delay), daemon=True).start()
            threading.Thread(target=_pump, args=(server, client, None, 0.0), daemon=True).start()

    threading.Thread(target=accept, daemon=True).start()
    return Client(f"http://127.0.0.1:{listener.getsockname()[1]}").search


def _pump(source: socket.socket, target: socket.socket, gate: _Gate | None, delay: float) -> None:
    try:
        while data := source.recv(65_536):
            if gate is not None and data.startswith(b"POST"):
                gate.wait()
                sleep(delay)
            target.sendall(data)
        target.shutdown(socket.SHUT_WR)
    except OSError:
        return


if __name__ == "__main__":
    main()
