"""A cheap load generator: one loop over raw sockets, in a process of its own.

Run as `python -m benchmarks.request_loop`. It reads the task as JSON from standard input and prints an Outcome as JSON.
"""

import json
import re
import selectors
import socket
import sys
from collections import Counter, deque
from dataclasses import asdict, dataclass, field
from itertools import cycle
from statistics import quantiles
from time import monotonic, process_time
from typing import Any

_STATUS = re.compile(rb"HTTP/1\.1 (\d{3})")
_LENGTH = re.compile(rb"(?i)\r\ncontent-length: (\d+)")
_GENERATION = re.compile(rb'"generation":\s*"([^"]+)"')
_PATIENCE = 60.0


@dataclass
class Outcome:
    """What came of a load.

    elapsed: seconds. cpu: CPU seconds of the generator. p50, p99: milliseconds of answers with 200, from when they
        were due.
    failed: connections that broke, and requests without an answer. unhinted: 503 without Retry-After.
    mixed: answers with a passage of another generation. answers: the moment, monotonic, and generation of each.
    """

    elapsed: float = 0.0
    cpu: float = 0.0
    p50: float = 0.0
    p99: float = 0.0
    statuses: dict[str, int] = field(default_factory=dict)
    failed: int = 0
    unhinted: int = 0
    mixed: int = 0
    answers: list[tuple[float, str]] = field(default_factory=list)


class Loop:
    """Connections that send requests: in a closed loop, or when they are due."""

    def __init__(self, task: dict[str, Any]) -> None:
        self._address = ("127.0.0.1", task["port"])
        self._requests = cycle([one.encode("latin-1") for one in task["requests"]])
        self._seconds: float = task["seconds"]
        self._rate: float | None = task["rate"]
        self._most: int = task["connections"]
        self._editions = {key: value.encode() for key, value in task.get("editions", {}).items()}
        self._selector = selectors.DefaultSelector()
        self._idle: deque[socket.socket] = deque()
        self._waiting: dict[socket.socket, tuple[float, bytearray]] = {}
        self._opened = 0
        self._statuses: Counter[str] = Counter()
        self._latencies: list[float] = []
        self.outcome = Outcome()

    def run(self) -> Outcome:
        """Ask for the seconds of the task, wait for the last answers, and give the outcome."""
        started, used = monotonic(), process_time()
        end, due = started + self._seconds, started
        while (now := monotonic()) < end:
            if self._rate is None:
                while len(self._waiting) < self._most:
                    self._send(monotonic())
                self._receive(0.05)
                continue
            while due <= now:
                self._send(due)
                due += 1.0 / self._rate
            self._receive(max(min(due, end) - monotonic(), 0.0))
        self.outcome.elapsed = monotonic() - started
        self.outcome.statuses = dict(self._statuses)  # later answers do not count for the throughput
        while self._waiting and monotonic() < end + _PATIENCE:
            self._receive(0.5)
        self.outcome.failed += len(self._waiting)
        self.outcome.cpu = process_time() - used
        cuts = quantiles(self._latencies, n=100) if len(self._latencies) > 1 else [0.0] * 99
        self.outcome.p50, self.outcome.p99 = cuts[49], cuts[98]
        return self.outcome

    def _send(self, due: float) -> None:
        connection = self._idle.popleft() if self._idle else self._connect()
        if connection is None:
            self._statuses["no connection left"] += 1
            return
        try:
            connection.sendall(next(self._requests))
        except OSError:
            self._drop(connection)
            return
        self._waiting[connection] = (due, bytearray())

    def _connect(self) -> socket.socket | None:
        if self._opened >= self._most:
            return None
        connection = socket.create_connection(self._address, timeout=30)
        self._opened += 1
        self._selector.register(connection, selectors.EVENT_READ)
        return connection

    def _drop(self, connection: socket.socket) -> None:
        self.outcome.failed += 1
        self._waiting.pop(connection, None)
        self._selector.unregister(connection)
        connection.close()
        self._opened -= 1

    def _receive(self, seconds: float) -> None:
        for key, _ in self._selector.select(seconds):
            connection = key.fileobj
            assert isinstance(connection, socket.socket)
            try:
                piece = connection.recv(262_144)
            except OSError:
                piece = b""
            if not piece or connection not in self._waiting:
                self._drop(connection)
                continue
            due, received = self._waiting[connection]
            received += piece
            head_end = received.find(b"\r\n\r\n")
            if head_end >= 0 and len(received) >= head_end + 4 + self._length(received, head_end):
                del self._waiting[connection]
                self._idle.append(connection)
                self._note(due, received, head_end)

    @staticmethod
    def _length(received: bytearray, head_end: int) -> int:
        found = _LENGTH.search(received, 0, head_end)
        return int(found[1]) if found else 0

    def _note(self, due: float, received: bytearray, head_end: int) -> None:
        now, found = monotonic(), _STATUS.match(received)
        status = found[1].decode() if found else "?"
        self._statuses[status] += 1
        if status == "200":
            self._latencies.append(1000.0 * (now - due))
        elif status == "503" and b"retry-after:" not in received[:head_end].lower():
            self.outcome.unhinted += 1
        if self._editions:
            self._note_generation(now, received)

    def _note_generation(self, now: float, received: bytearray) -> None:
        found = _GENERATION.search(received)
        generation = found[1].decode() if found else ""
        self.outcome.answers.append((now, generation))
        others = [word for key, word in self._editions.items() if key != generation]
        if any(b"The " + word + b" edition" in received for word in others):
            self.outcome.mixed += 1


if __name__ == "__main__":
    print(json.dumps(asdict(Loop(json.load(sys.stdin)).run())))
