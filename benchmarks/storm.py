"""Concurrent publishes, promotions, rollbacks and SIGKILLs under 8 clients: no response may fail or mix generations.

Run as `python -m benchmarks.storm [SECONDS]`; one minute by default. `assay serve` listens on a real socket. One thread
publishes the handbook repeatedly, each time with other pages marked; another one promotes and rolls back. Half of these
processes are killed at a random moment. The clients alternate between the four HTTP shapes and seed 002's Python
functions. A response counts as

- failed: its status is not 200, or the Python function raised;
- mixed: its chunks are not all of the generation that it names, or of one generation if the shape names none;
- short: it has fewer hits than requested, although every generation has enough.

A command is a problem if it ends with an internal error, and a publish also if it is refused. A release is lost if its
command reported it, but the catalog does not have it or the server does not follow it.
"""

import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import threading
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from http.client import HTTPConnection, HTTPException
from itertools import count
from pathlib import Path
from statistics import median
from time import monotonic, sleep
from typing import Any

from tests.chain import SHAPES, free_port

from assay.app import Assay, shipped_folder
from assay.contracts import retrieval_layer
from assay.errors import AssayError
from assay.model.generations import State
from assay.model.ids import content_hash
from assay.settings import load_settings

CLIENTS = 8
TOP_K = 5
QUERIES = (
    "How do nodes exchange messages over topics?",
    "Which computer and which software do I need before I start the robot?",
    "What happens when the emergency stop is pressed while the robot walks?",
    "How is the camera calibrated against the arm?",
    "update the software of a whole fleet of robots",
    "battery fault codes and what to do about them",
    "balance and walking with the capture point",
    "test the robot in simulation before it moves",
)
MODES = ("hybrid", "dense", "sparse")
PYTHON = "002"
KILL_SHARE = 0.5
BASE_URL = "https://handbook.example"
SERVER = "ASSAY_QDRANT__"
"""Variables that are kept: with QDRANT_URL, the storm goes over a server or a cluster."""
_FOLLOW_SECONDS = 15.0
_COMMAND_SECONDS = 600.0
_SEARCH_ERRORS = (OSError, HTTPException, AssayError, ValueError, KeyError, TypeError)
_REFUSED = {1, 2, 3}
"""Exit codes of a correct command without effect: no generation to roll back to, or another build is running."""


@dataclass(frozen=True, slots=True)
class Answered:
    """A search response. generation: None if the shape does not name it; hits: id and text hash of each."""

    shape: str
    generation: str | None
    hits: tuple[tuple[str, str], ...]


@dataclass(slots=True)
class Record:
    """All observations; guarded by its lock.

    chunks: id and text hash of every chunk by generation.
    commands: counts by name and end: `done`, `refused`, `killed` or `failed`.
    """

    lock: threading.Lock = field(default_factory=threading.Lock)
    answers: Counter[Answered] = field(default_factory=Counter)
    failures: list[str] = field(default_factory=list)
    commands: Counter[tuple[str, str]] = field(default_factory=Counter)
    problems: list[str] = field(default_factory=list)
    chunks: dict[str, frozenset[tuple[str, str]]] = field(default_factory=dict)
    seconds: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))

    def mixed(self) -> list[Answered]:
        """Responses with chunks of several generations, or of another generation than they name."""
        return [one for one in self.answers if not self._fits(one)]

    def short(self) -> list[Answered]:
        """Responses with fewer hits than exist."""
        return [one for one in self.answers if len(one.hits) < TOP_K]

    def _fits(self, answer: Answered) -> bool:
        hits = set(answer.hits)
        if answer.generation is not None:
            return hits <= self.chunks.get(answer.generation, frozenset())
        return any(hits <= chunks for chunks in self.chunks.values())


class Storm:
    """One data directory, its server, its writers and its clients.

    kill_share: share of the publishes and releases that are killed, 0 to 1.
    running: the process of the current publish, and of the current release; killed: those that another thread killed.
    """

    def __init__(self, work: Path, seed: int = 0, kill_share: float = KILL_SHARE) -> None:
        self.work = work
        self.kill_share = kill_share
        self.running: dict[str, subprocess.Popen[str]] = {}
        self.killed: set[subprocess.Popen[str]] = set()
        self.record = Record()
        self.ended = threading.Event()
        self.port = free_port()
        self._random = random.Random(seed)
        self._edition = 0
        self._folder = work / "handbook"
        self._original = shipped_folder("examples") / "handbook"
        own = {name: value for name, value in os.environ.items() if name.startswith(SERVER) or name[:6] != "ASSAY_"}
        self.environment = own | {"ASSAY_DATA_DIR": str(work / "data")}

    @contextmanager
    def serving(self) -> Iterator[subprocess.Popen[bytes]]:
        """Publish, and run the server."""
        self.publish(kill=False)
        server = self.start_server(self.port)
        try:
            yield server
        finally:
            server.terminate()
            server.wait(60)

    def start_server(self, port: int) -> subprocess.Popen[bytes]:
        """Start a server, and wait until it is ready. Raises RuntimeError if it does not start."""
        with (self.work / "serve.log").open("ab") as log:
            command = [sys.executable, "-m", "assay", "serve", "--port", str(port)]
            server = subprocess.Popen(command, cwd=self.work, env=self.environment, stdout=log, stderr=log)
        for _ in range(1_200):
            if server.poll() is not None:
                break
            with suppress(OSError, HTTPException):
                if _request(port, "GET", "/readyz", None)[0] == 200:
                    return server
            sleep(0.05)
        server.kill()
        raise RuntimeError(f"the server did not start: {(self.work / 'serve.log').read_text(errors='replace')}")

    # --- the writers -----------------------------------------------------------------------------------------------

    def tasks(self) -> list[Callable[[], None]]:
        """All that goes on at the same time, each until the end."""
        chance = random.Random(1)

        def publishing() -> None:
            while not self.ended.is_set():
                self.publish(kill=chance.random() < self.kill_share)

        def releasing() -> None:
            while not self.ended.wait(0.5):
                self.release(kill=chance.random() < self.kill_share)

        return [publishing, releasing, *(partial(self.client, number) for number in range(CLIENTS))]

    def publish(self, *, kill: bool) -> None:
        """Write the next edition of the handbook and publish it."""
        self._edition += 1
        self._write_edition()
        arguments = ("publish", str(self._folder), "--base-url", BASE_URL, "--name", "handbook", "--json")
        self.command(arguments, kill=kill)
        self.keep_chunks()

    def release(self, *, kill: bool) -> None:
        """Roll back, or promote an earlier live generation."""
        with self.opened() as assay:
            known = [one.id for one in assay.generations() if one.state in {State.RETIRED, State.CANDIDATE}]
        if known and self._random.random() < 0.5:
            self.command(("promote", self._random.choice(known), "--json"), kill=kill)
        else:
            self.command(("rollback", "--json"), kill=kill)

    def command(self, arguments: Sequence[str], *, kill: bool) -> None:
        """Run a command, and perhaps kill it before its end."""
        name, started = arguments[0], monotonic()
        process = subprocess.Popen(
            [sys.executable, "-m", "assay", *arguments],
            cwd=self.work,
            env=self.environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        self.running["publish" if name == "publish" else "release"] = process
        taken = self.record.seconds[name]
        lifetime = self._random.uniform(0.2, 1.05) * median(taken) if kill and taken else _COMMAND_SECONDS
        try:
            said, complaint = process.communicate(timeout=lifetime)
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()
            self.record.commands[name, "killed"] += 1
            if not kill:
                self.record.problems.append(f"{name} did not end in {lifetime:.0f} s")
            return
        if process in self.killed and process.returncode < 0:
            self.record.commands[name, "killed"] += 1
            return
        self._note_end(arguments, process.returncode, said, complaint)
        if process.returncode == 0:
            taken.append(monotonic() - started)

    def _note_end(self, arguments: Sequence[str], code: int, said: str, complaint: str) -> None:
        name = arguments[0]
        end = "done" if code == 0 else "refused" if code in _REFUSED else "failed"
        if end == "failed" and name == "promote" and self._is_removed(arguments[1]):
            end = "refused"  # retention had removed its index, and then its row
        self.record.commands[name, end] += 1
        if '"live_changed"' in said:  # released often enough to overtake every measurement
            return
        if end == "failed" or (name == "publish" and end != "done"):
            self.record.problems.append(f"{name} ended with {code}: {complaint[-500:]}")
        if end != "done":
            return
        body = json.loads(said)
        live = body["generation"] if body.get("live") else body.get("promoted")
        with self.opened() as assay:
            known = {one.id: one for one in assay.generations()}
            if assay.parts.catalog.live_id() is None:
                self.record.problems.append(f"nothing is live after {name}")
        if live is not None and (live not in known or known[live].promoted_at is None):
            self.record.problems.append(f"lost: {name} reported {live} live, and the catalog does not know it as such")

    def _is_removed(self, generation: str) -> bool:
        """Whether a generation leaves the catalog within _FOLLOW_SECONDS."""
        deadline = monotonic() + _FOLLOW_SECONDS
        while monotonic() < deadline:
            with self.opened() as assay:
                if all(one.id != generation for one in assay.generations()):
                    return True
            sleep(0.2)
        return False

    def keep_chunks(self) -> None:
        """Record the chunks of each complete generation."""
        with self.opened() as assay:
            for generation in assay.generations():
                if generation.id not in self.record.chunks and generation.state is not State.BUILDING:
                    found = frozenset(
                        (one.id, content_hash(one.text)) for one in assay.parts.catalog.chunks(generation.id)
                    )
                    self.record.chunks[generation.id] = found

    @contextmanager
    def opened(self) -> Iterator[Assay]:
        """Open the data directory in this process."""
        source = {"path": self._folder, "base_url": BASE_URL, "name": "handbook"}
        with Assay.open(load_settings(None, {"data_dir": self.work / "data", "sources": [source]})) as assay:
            yield assay

    def _write_edition(self) -> None:
        """Write the handbook with marked paragraphs in half of its pages, a different half each time."""
        shutil.rmtree(self._folder, ignore_errors=True)
        shutil.copytree(self._original, self._folder)
        pages = sorted(path for path in self._folder.rglob("*.md*") if not path.name.startswith("_"))
        for page in self._random.sample(pages, len(pages) // 2):
            text = page.read_text(encoding="utf-8")
            marked = text.replace(".\n\n", f". Edition {self._edition}.\n\n")
            page.write_text(marked, encoding="utf-8")

    # --- the clients -----------------------------------------------------------------------------------------------

    def client(self, number: int) -> None:
        """Search until the end, each shape in turn."""
        for turn in count(number * 7):
            if self.ended.is_set():
                return
            self.search(turn, self.port)

    def search(self, turn: int, port: int) -> None:
        """Search in the shape and for the query of this turn, and record the result."""
        shapes, started = [*SHAPES, PYTHON], monotonic()
        shape, query = shapes[turn % len(shapes)], QUERIES[turn // len(shapes) % len(QUERIES)]
        try:
            answer = self._in_python(query, turn) if shape == PYTHON else self.over_http(shape, query, turn, port)
        except _SEARCH_ERRORS as error:
            self.note_failure(shape, error, port, started)
        else:
            with self.record.lock:
                self.record.answers[answer] += 1

    def note_failure(self, shape: str, error: Exception, port: int, started: float) -> None:  # noqa: ARG002
        """Count a failed search. started: when it was sent, by the monotonic clock."""
        at = f"{datetime.now(UTC):%H:%M:%S} after {monotonic() - started:.1f} s"
        with self.record.lock:
            self.record.failures.append(f"{at}, {shape}: {type(error).__name__}: {error}")

    @staticmethod
    def over_http(shape: str, query: str, turn: int, port: int) -> Answered:
        """Search with one of the HTTP shapes. Raises OSError, HTTPException, KeyError, ValueError."""
        path, name, hits = SHAPES[shape]
        extra: dict[str, object] = {"similarity_threshold": 0.0} if shape == "004" else {}
        if shape == "native":
            extra = {"mode": MODES[turn % len(MODES)]}
        status, body = _request(port, "POST", path, {name: query, "top_k": TOP_K} | extra)
        if status != 200:
            raise OSError(f"status {status}: {body}")
        found = tuple((hit["chunk_id"], content_hash(hit.get("content") or hit["snippet"])) for hit in body[hits])
        return Answered(shape, body.get("generation"), found)

    @staticmethod
    def _in_python(query: str, turn: int) -> Answered:
        if turn % 2:
            results = retrieval_layer.retrieve(query, TOP_K, minimum_relevance=0.0)
        else:
            embedding = retrieval_layer.generate_query_embedding(query)
            results = retrieval_layer.retrieve_content_chunks(embedding, TOP_K)
        return Answered(PYTHON, None, tuple((one.chunk_id, content_hash(one.text)) for one in results))

    # --- the end ---------------------------------------------------------------------------------------------------

    def settle(self) -> None:
        """Publish without interruption; check the stores, and that the server follows."""
        self.publish(kill=False)
        with self.opened() as assay:
            states = Counter(one.state for one in assay.generations())
            if states[State.LIVE] != 1 or states[State.BUILDING]:
                self.record.problems.append(f"after the last publish there are {dict(states)}")
            kept = sorted(one.id for one in assay.generations() if one.state in {State.LIVE, State.RETIRED})
            if not set(kept) <= set(assay.parts.store.generations()):
                self.record.problems.append("lost: the index of a generation that is kept is gone")
            for generation in kept:
                if faults := assay.auditor.audit(generation).audit.count:
                    self.record.problems.append(f"{generation} has {faults} faults")
            live = assay.parts.catalog.live_id()
        deadline = monotonic() + _FOLLOW_SECONDS
        while (served := self.over_http("native", QUERIES[0], 0, self.port).generation) != live:
            if monotonic() > deadline:
                self.record.problems.append(f"lost: {live} is live, and the server answers from {served}")
                return
            sleep(0.1)


def _request(port: int, method: str, path: str, body: Mapping[str, object] | None) -> tuple[int, Any]:
    connection = HTTPConnection("127.0.0.1", port, timeout=60)
    try:
        content = None if body is None else json.dumps(body)
        connection.request(method, path, content, {"content-type": "application/json"})
        answer = connection.getresponse()
        return answer.status, json.loads(answer.read())
    finally:
        connection.close()


def blow(storm: Storm, seconds: float) -> None:
    """Run the storm for a number of seconds."""
    threads = [threading.Thread(target=task) for task in storm.tasks()]
    for thread in threads:
        thread.start()
    sleep(seconds)
    storm.ended.set()
    for thread in threads:
        thread.join()


def main(seconds: float = 60.0) -> int:
    """Print the results; return 1 if anything failed, was mixed or lost."""
    with tempfile.TemporaryDirectory(prefix="assay-storm-") as work:
        storm = Storm(Path(work))
        os.environ["ASSAY_DATA_DIR"] = str(Path(work) / "data")
        try:
            with storm.serving():
                blow(storm, seconds)
                storm.settle()
        finally:
            retrieval_layer.close()
            del os.environ["ASSAY_DATA_DIR"]
    return report(storm.record, seconds)


def report(record: Record, seconds: float) -> int:
    """Format the counts, and the first faults of each kind."""
    shapes: Counter[str] = Counter()
    for answer, times in record.answers.items():
        shapes[answer.shape] += times
    served = {answer.generation for answer in record.answers} - {None}
    mixed, short = record.mixed(), record.short()
    commands = ", ".join(f"{name} {end} {times}" for (name, end), times in sorted(record.commands.items()))
    killed = sum(times for (_, end), times in record.commands.items() if end == "killed")
    lost = [problem for problem in record.problems if problem.startswith("lost: ")]
    print(f"a storm of {seconds:.0f} s: {shapes.total():,} searches by {CLIENTS} clients under {killed} kills")
    print(f"  {', '.join(f'{shape} {times:,}' for shape, times in sorted(shapes.items()))}")
    print(f"  {commands}; {len(record.chunks)} generations, {len(served)} of them seen by clients")
    print(f"  failed {len(record.failures)}, mixed {len(mixed)}, short {len(short)}, lost {len(lost)}")
    for problem in [*record.failures[:5], *map(str, mixed[:3]), *map(str, short[:3]), *record.problems[:5]]:
        print(f"  ! {problem}")
    return int(bool(record.failures or mixed or short or record.problems))


if __name__ == "__main__":
    sys.exit(main(float(sys.argv[1]) if len(sys.argv) > 1 else 60.0))
