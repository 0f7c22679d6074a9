"""A shard that other processes write, so that a build prepares points and writes them on several cores.

Making the engine's points holds the GIL for most of the time of a write. Only points are written there: the build's
process seals the index, so that nothing else can seal it.
"""

import pickle
import shutil
from pathlib import Path

from qdrant_edge import EdgeShard

from assay.adapters.stores.edge.engine import engine_errors
from assay.adapters.stores.edge.seal import SEGMENTS
from assay.adapters.stores.edge.shard import Rows, ShardWriter
from assay.child_process import Answers, ChildProcess, pipes_to_parent, receive_ahead
from assay.errors import AssayError, StorageFull, StoreUnavailable, VectorStoreError

_AHEAD = 2
"""Writes queued in a process while it does another."""

_PROCESSES = 2
"""The build's process prepares points less than twice as fast as one process writes them."""


class ShardProcesses:
    """As ShardWriter, in processes that each write a shard of their own.

    At the end, the shard in `folder` gets the segments of the others, which its next optimization merges.

    Raises OSError if a process cannot be started; the folder may be emptied then.
    """

    def __init__(self, folder: Path, dimension: int) -> None:
        self._folder = folder
        # Errors name the last folder of a path.
        self._parts = [folder / f"part-{number}" / folder.name for number in range(1, _PROCESSES)]
        self._processes: list[ShardProcess] = []
        try:
            for part in (folder, *self._parts):
                part.mkdir(parents=True, exist_ok=True)
                self._processes.append(ShardProcess(part, dimension))
        finally:
            if len(self._processes) < _PROCESSES:
                self.stop()

    def write(self, rows: Rows) -> None:
        """Write points. Those with the same id go to the same process."""
        homes = [int(payload["chunk_id"][0], 16) % _PROCESSES for payload in rows.payloads]
        for number, process in enumerate(self._processes):
            process.write(rows.take([place for place, home in enumerate(homes) if home == number]))

    def finish(self) -> EdgeShard:
        """Wait until everything is written and the processes have ended. Returns the shard."""
        for process in self._processes:
            process.end_input()
        for process in self._processes:
            process.wait()
        with engine_errors("open", self._folder, VectorStoreError):
            for part in self._parts:
                for segment in (part / SEGMENTS).iterdir():
                    segment.rename(self._folder / SEGMENTS / segment.name)
                shutil.rmtree(part.parent)
            return EdgeShard.load(str(self._folder))

    def stop(self) -> None:
        """End the processes; the folder may be removed then. A second call does nothing."""
        for process in self._processes:
            process.stop()


class ShardProcess(ChildProcess):
    """Writes points to a shard in another process, which ends with this one.

    An error of a write is raised by a later call.

    Raises OSError if no process can be started.
    """

    def __init__(self, folder: Path, dimension: int) -> None:
        self._folder = folder
        self._pending = 0
        super().__init__(__name__, "index")
        self._send((str(folder), dimension))

    def write(self, rows: Rows) -> None:
        """Write points."""
        self._send(rows)
        while self._pending > _AHEAD + 1:
            self._take_answer()

    def end_input(self) -> None:
        """Write nothing more."""
        self._send(None)

    def wait(self) -> None:
        """Wait until everything is written and the process has ended."""
        while self._pending:
            self._take_answer()
        self.stop()

    def _send(self, message: object) -> None:
        try:
            self._write(pickle.dumps(message, pickle.HIGHEST_PROTOCOL))
        except OSError:
            while self._pending:  # an error may be the reason
                self._take_answer()
            raise self._ended() from None
        self._pending += 1

    def _take_answer(self) -> None:
        """Wait for the answer to a message. Raises its error."""
        frame = self._receive()
        if frame is None:
            raise self._ended()
        self._pending -= 1
        error: AssayError | None = pickle.loads(frame)  # noqa: S301 - from our own process
        if error is not None:
            raise error

    def _ended(self) -> VectorStoreError:
        reason = self.exit_reason()
        message = f"The process that writes the index {self._folder.name} has ended: {reason}."
        if reason.endswith("SIGBUS"):  # the engine writes through mapped memory
            return StorageFull(
                f"{message} Its disk is full or fails.",
                hint="Free some space in the data directory, or set another --data-dir.",
            )
        return StoreUnavailable(message, hint="Set [ingest] workers = 1, so that the build's process writes it.")


def main() -> None:
    """Run in the started process: write points from standard input, and answer each message with its error or None."""
    requests, descriptor = pipes_to_parent()
    answers = Answers(descriptor)
    received = receive_ahead(requests, _AHEAD)
    writer: ShardWriter | None = None
    while True:
        message = pickle.loads(received.get())  # noqa: S301 - from the process that started this one
        error = None
        try:
            if writer is None:
                writer = ShardWriter(Path(message[0]), message[1])
            elif message is not None:
                writer.write(message)
            else:
                writer.finish().close()
        except AssayError as raised:
            error = raised
        answers.send(pickle.dumps(error))
