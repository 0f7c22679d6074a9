"""The whole chain in processes of its own: Cohere's API, a Qdrant server, Postgres, and `assay serve` before them.

Each can be killed and started again while clients search; what every answer was is counted.
"""

import json
import os
import socket
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from time import monotonic, sleep
from typing import Any

from tests.peers.process import PeerProcess
from tests.postgres import PostgresServer, running_postgres

ROOT = Path(__file__).resolve().parent.parent
SHAPES: Mapping[str, tuple[str, str, str]] = {
    "native": ("/v1/search", "query", "results"),
    "000": ("/query", "query_text", "results"),
    "003": ("/search", "query", "results"),
    "004": ("/api/v1/search", "query_text", "results"),
}
"""Route, name of the query and name of the hits of the shapes that HTTP has; 002 is Python's."""

TOP_K = 5


@dataclass(frozen=True, slots=True)
class Answer:
    """One answer: its status (0 for none), the ids of its hits, 004's status, whether it is by keywords alone."""

    status: int
    ids: tuple[str, ...] = ()
    said: str | None = None
    degraded: bool = False


@dataclass(slots=True)
class Tally:
    """What clients met in a while.

    statuses: answers of each shape by HTTP status; 0 for a connection that gave none.
    said: 004's own status by count.
    degraded: answers that say that keywords alone gave them.
    wrong: other answers of status 200 whose hits are not those that a sound service gave.
    """

    statuses: dict[str, Counter[int]] = field(default_factory=lambda: {shape: Counter() for shape in SHAPES})
    said: Counter[str] = field(default_factory=Counter)
    degraded: int = 0
    wrong: list[tuple[str, str]] = field(default_factory=list)

    def all_statuses(self) -> Counter[int]:
        """Over every shape."""
        return sum(self.statuses.values(), Counter())


class Chain:
    """All parts, running; made by `running_chain`."""

    def __init__(self, work: Path, postgres: PostgresServer) -> None:
        self.work = work
        self.postgres = postgres
        self.cohere_port, self.qdrant_port, self.port = free_port(), free_port(), free_port()
        self.cohere = self._start_cohere()
        self.qdrant = self._start_qdrant()
        self.server: subprocess.Popen[bytes] | None = None
        self.environment = {
            **{name: value for name, value in os.environ.items() if not name.startswith("ASSAY_")},
            "COHERE_API_KEY": "peer-key",
            "QDRANT_URL": f"http://127.0.0.1:{self.qdrant_port}",
            "QDRANT_COLLECTION_NAME": "book_vectors",
            "DATABASE_URL": postgres.new_database(),
            "ASSAY_DATA_DIR": str(work / "data"),
            "ASSAY_EMBEDDING__PROVIDER": "cohere",
            "ASSAY_EMBEDDING__BASE_URL": f"http://127.0.0.1:{self.cohere_port}",
            "ASSAY_EMBEDDING__INPUTS_PER_MINUTE": "0",
            "ASSAY_EMBEDDING__QUERY_CACHE": "0",
        }

    def command(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        """Run the command line to its end."""
        return subprocess.run(
            [sys.executable, "-m", "assay", *arguments],
            cwd=self.work,
            env=self.environment,
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )

    def python(self, code: str) -> str:
        """Run a line of Python with nothing but the environment; what it prints."""
        environment = {**self.environment, "PYTHONPATH": str(ROOT / "src")}
        done = subprocess.run(
            [sys.executable, "-c", code], cwd=self.work, env=environment, capture_output=True, text=True, check=True
        )
        return done.stdout

    def serve(self) -> None:
        """Start `assay serve`; returns when it is ready."""
        with (self.work / "serve.log").open("ab") as log:
            self.server = subprocess.Popen(
                [sys.executable, "-m", "assay", "serve", "--port", str(self.port)],
                cwd=self.work,
                env=self.environment,
                stdout=log,
                stderr=log,
            )
        self.wait_for("/readyz", 200)

    def get(self, path: str) -> tuple[int, dict[str, Any]]:
        """Status and body of a GET; status 0 when there was no answer."""
        return self._request("GET", path, None)

    def ask(self, shape: str, query: str) -> Answer:
        """One search in one of the shapes."""
        path, name, hits = SHAPES[shape]
        status, body = self._request("POST", path, {name: query, "top_k": TOP_K} | _extra(shape))
        ids = tuple(str(hit.get("chunk_id") or hit.get("id")) for hit in body.get(hits, ()))
        return Answer(status, ids, body.get("status"), body.get("degraded") is True)

    def wait_for(self, path: str, status: int, seconds: float = 120.0) -> float:
        """Seconds until a GET has this status. Raises TimeoutError."""
        started = monotonic()
        while monotonic() - started < seconds:
            if self.get(path)[0] == status:
                return monotonic() - started
            sleep(0.02)
        raise TimeoutError(f"{path} did not answer {status} within {seconds} s; it says {self.get(path)}")

    def wait_for_searches(self, query: str, seconds: float = 120.0) -> float:
        """Seconds until every shape answers 200."""
        started = monotonic()
        while monotonic() - started < seconds:
            if all(self.ask(shape, query).status == 200 for shape in SHAPES):
                return monotonic() - started
            sleep(0.02)
        raise TimeoutError(f"searches do not work after {seconds} s: {[self.ask(shape, query) for shape in SHAPES]}")

    @contextmanager
    def clients(
        self, number: int, truth: Mapping[tuple[str, str], tuple[str, ...]], pause: float = 0.0
    ) -> Iterator[Tally]:
        """Run clients that search all the time, each shape in turn, as long as the context lasts.

        truth: the ids that each shape gives for each query when all is well.
        pause: seconds between an answer and the next search of a client.
        """
        tally, lock, ended = Tally(), threading.Lock(), threading.Event()
        asked = sorted(truth)

        def client(first: int) -> None:
            turn = first
            while not ended.is_set():
                shape, query = asked[turn % len(asked)]
                answer = self.ask(shape, query)
                with lock:
                    tally.statuses[shape][answer.status] += 1
                    if shape == "004" and answer.said:
                        tally.said[answer.said] += 1
                    tally.degraded += answer.degraded
                    if answer.status == 200 and not answer.degraded and answer.ids != truth[shape, query]:
                        tally.wrong.append((shape, query))
                turn += 1
                ended.wait(pause)

        threads = [threading.Thread(target=client, args=(each * 7,), daemon=True) for each in range(number)]
        for thread in threads:
            thread.start()
        try:
            yield tally
        finally:
            ended.set()
            for thread in threads:
                thread.join(30)

    def truth(self, queries: Sequence[str]) -> dict[tuple[str, str], tuple[str, ...]]:
        """What each shape answers to each query; all parts have to be up."""
        answers = {(shape, query): self.ask(shape, query) for shape in SHAPES for query in queries}
        wrong = {key: answer for key, answer in answers.items() if answer.status != 200 or not answer.ids}
        assert not wrong, wrong
        return {key: answer.ids for key, answer in answers.items()}

    def stop(self) -> None:
        """End every process."""
        if self.server is not None:
            self.server.terminate()
            self.server.wait(120)
        self.cohere.__exit__(None, None, None)
        self.qdrant.kill()
        self.qdrant.wait(30)

    def kill(self, part: str) -> None:
        """SIGKILL one of `cohere`, `qdrant` and `postgres`."""
        if part == "postgres":
            self.postgres.kill()
        elif part == "cohere":
            self.cohere.__exit__(None, None, None)
        else:
            self.qdrant.kill()
            self.qdrant.wait(30)

    def start(self, part: str) -> None:
        """Start a part again that was killed."""
        if part == "postgres":
            self.postgres.start()
        elif part == "cohere":
            self.cohere = self._start_cohere()
        else:
            self.qdrant = self._start_qdrant()

    def _start_cohere(self) -> PeerProcess:
        return PeerProcess("cohere", "--port", str(self.cohere_port)).__enter__()

    def _start_qdrant(self) -> subprocess.Popen[bytes]:
        options = ["--port", str(self.qdrant_port), "--dir", str(self.work / "qdrant")]
        process = subprocess.Popen([sys.executable, "-m", "tests.peers.qdrant", *options], cwd=ROOT)
        for _ in range(6_000):
            try:
                socket.create_connection(("127.0.0.1", self.qdrant_port), 1.0).close()
            except OSError:
                sleep(0.02)
            else:
                return process
        raise TimeoutError("the Qdrant peer did not start")

    def _request(self, method: str, path: str, body: object) -> tuple[int, dict[str, Any]]:
        connection = HTTPConnection("127.0.0.1", self.port, timeout=120)
        try:
            content = None if body is None else json.dumps(body)
            connection.request(method, path, content, {"content-type": "application/json"})
            answer = connection.getresponse()
            read = answer.read()
            return answer.status, json.loads(read) if read[:1] == b"{" else {}
        except (OSError, HTTPException):
            return 0, {}
        finally:
            connection.close()


@contextmanager
def running_chain(work: Path) -> Iterator[Chain]:
    """The three dependencies, running; nothing is ingested yet."""
    with running_postgres() as postgres:
        chain = Chain(work, postgres)
        try:
            yield chain
        finally:
            chain.stop()


def _extra(shape: str) -> dict[str, object]:
    return {"similarity_threshold": 0.0} if shape == "004" else {}


def free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port: int = free.getsockname()[1]
        return port
