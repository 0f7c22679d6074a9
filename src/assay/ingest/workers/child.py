"""The main loop of a worker process: pages in, documents and chunks out, until the build ends."""

import gc
import os
import pickle
from collections.abc import Mapping, Sequence
from dataclasses import replace
from queue import SimpleQueue
from threading import Thread

from assay.child_process import pipes_to_parent, read_frame, receive_ahead, write_frame
from assay.errors import AssayError, InputError
from assay.ingest.chunking.chunker import chunk_document
from assay.ingest.cuts import Cut
from assay.ingest.indexing.counting import CountedPage
from assay.ingest.reading import read_page
from assay.ingest.reduced_gc import reduced_gc
from assay.ingest.workers.early_reading import read_early
from assay.ingest.workers.limits import OutOfTimeError, limit_memory, limited_time
from assay.ingest.workers.messages import Batch, Refused, Setup, Task, pickle_message
from assay.model.documents import Chunk, RawPage


def main() -> None:
    """Answer every batch from standard input on standard output; end when standard input ends."""
    requests, answers = pipes_to_parent()
    frame = read_frame(requests)
    if frame is None:
        return
    setup: Setup = pickle.loads(frame)  # noqa: S301 - from the process that started this one
    received = receive_ahead(requests)
    to_send: SimpleQueue[bytes] = SimpleQueue()
    Thread(target=_send, args=(answers, to_send), daemon=True).start()
    setup.count_tokens([""])  # load its data before the build waits
    if setup.counter and setup.counter.embed:
        setup.counter.embed(["data"])
    limit_memory(setup.limits.page_megabytes)
    to_send.put(b"")  # the greeting
    gc.freeze()  # loaded modules stay: do not scan them in each collection
    links: Mapping[str, str] = {}
    with reduced_gc():
        while True:
            message: Batch | Task = pickle.loads(received.get())  # noqa: S301 - as above
            if isinstance(message, Task):
                to_send.put(_run(message, setup))
                continue
            links = links if message.links is None else message.links
            to_send.put(_answer([replace(page, links=links) for page in message.pages], setup))


def _answer(pages: Sequence[RawPage], setup: Setup) -> bytes:
    """The results of a batch. If they are too large to send, every page is refused."""
    try:
        return pickle_message(tuple(_cut(page, setup) for page in pages))
    except MemoryError:
        return pickle_message((Refused(setup.limits.too_large, is_final=False),) * len(pages))


def _run(task: Task, setup: Setup) -> bytes:
    """The result of a task; refused for any error, which the build will meet itself."""
    try:
        with limited_time(setup.limits.page_seconds):
            return pickle_message((task.run(read_early),))
    except Exception:  # noqa: BLE001 - of a source, which handles its own errors
        return pickle_message((Refused("", is_final=False),))


def _cut(page: RawPage, setup: Setup) -> Cut | Refused | None:
    """Read and chunk a page; None for an error of Assay, which the build will raise itself."""
    try:
        with limited_time(setup.limits.page_seconds):
            document = read_page(page)
            chunks = chunk_document(document, setup.rules, setup.count_tokens)
            return Cut(document, chunks, _count(chunks, setup))
    except InputError as error:
        return Refused(error.message, is_final=True)
    except AssayError:
        return None
    except OutOfTimeError:
        return Refused(setup.limits.too_slow, is_final=False)
    except MemoryError:
        pass
    gc.collect()  # free the page's memory for the answer
    return Refused(setup.limits.too_large, is_final=False)


def _count(chunks: Sequence[Chunk], setup: Setup) -> CountedPage | None:
    """Count a page; None for an error, which the build will raise itself."""
    try:
        return setup.counter.count(chunks) if setup.counter else None
    except AssayError:
        return None


def _send(answers: int, to_send: "SimpleQueue[bytes]") -> None:
    """Send answers during work on the next batch."""
    while True:
        try:
            write_frame(answers, to_send.get())
        except OSError:
            os._exit(0)
