"""What the build and a worker say to each other, and the frames that it travels in.

A message is a pickle behind its length. Pipes are read by file descriptor: a thread that waits in a buffered reader
holds a lock, and Python aborts when it has to end meanwhile.
"""

import copyreg
import os
import pickle
import struct
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from io import BytesIO
from operator import attrgetter
from typing import Any

from assay.ingest.chunking.chunker import ChunkingRules
from assay.ingest.workers.limits import PageLimits
from assay.model.documents import Block, Chunk, Document, DocumentInfo, Link, RawPage, Section
from assay.ports import TokenCounter

UNPICKLABLE = (pickle.PicklingError, TypeError, AttributeError, RecursionError)
"""What pickle raises for an object that it cannot take."""

_LENGTH = struct.Struct("<Q")
_READ_AT_ONCE = 1 << 20


@dataclass(frozen=True, slots=True)
class Setup:
    """The first message to a worker: how it has to cut, and what a page may take."""

    rules: ChunkingRules
    count_tokens: TokenCounter
    limits: PageLimits


@dataclass(frozen=True, slots=True)
class Refused:
    """A page that was not cut, and why. is_final: whether it would be refused in any process."""

    reason: str
    is_final: bool


@dataclass(frozen=True, slots=True)
class Batch:
    """Pages to read and cut. The answer is a tuple with a Cut for each, a Refused, or None for one to be read here.

    links: of all these pages, which carry none themselves: a site's pages share them, and they are long. None when
        they are those of the batch before.
    """

    pages: tuple[RawPage, ...]
    links: Mapping[str, str] | None


def _by_fields(kind: type) -> Callable[[object], tuple[type, tuple[object, ...]]]:
    values = attrgetter(*(each.name for each in fields(kind)))
    return lambda item: (kind, values(item))


_REDUCERS: Mapping[type, Callable[[Any], Any]] = {
    **copyreg.dispatch_table,
    **{kind: _by_fields(kind) for kind in (Block, Chunk, Document, DocumentInfo, Link, Section)},
}
"""A page has hundreds of these, and a dataclass with slots pickles itself several times slower than by its fields."""


def packed(message: object) -> bytes:
    """A message for a frame. Raises one of UNPICKLABLE."""
    buffer = BytesIO()
    pickler = pickle.Pickler(buffer, pickle.HIGHEST_PROTOCOL)
    pickler.dispatch_table = _REDUCERS
    pickler.dump(message)
    return buffer.getvalue()


def write_frame(descriptor: int, message: bytes) -> None:
    """Write a message. Raises OSError when nobody reads any more."""
    for part in (_LENGTH.pack(len(message)), message):
        rest = memoryview(part)
        while rest:
            rest = rest[os.write(descriptor, rest) :]


def read_frame(descriptor: int) -> bytes | None:
    """Read a message; None when the other side is gone, also in the middle of one."""
    header = _read(descriptor, _LENGTH.size)
    return None if header is None else _read(descriptor, _LENGTH.unpack(header)[0])


def _read(descriptor: int, length: int) -> bytes | None:
    received = bytearray()
    while len(received) < length:
        try:
            part = os.read(descriptor, min(length - len(received), _READ_AT_ONCE))
        except OSError:
            return None
        if not part:
            return None
        received += part
    return bytes(received)
