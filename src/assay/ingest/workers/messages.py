"""The messages between a build and a worker."""

import copyreg
import pickle
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from io import BytesIO
from operator import attrgetter
from typing import Any

from assay.ingest.chunking.chunker import ChunkingRules
from assay.ingest.indexing.counting import CountedPage, PageCounter
from assay.ingest.workers.limits import PageLimits
from assay.model.documents import Block, Chunk, Document, DocumentInfo, Link, RawPage, Section
from assay.model.headings import InnerHeading
from assay.model.vocabulary import Name
from assay.ports import PageReader, TokenCounter

UNPICKLABLE = (pickle.PicklingError, TypeError, AttributeError, RecursionError)
"""Errors of pickle for an object that it cannot serialize."""


@dataclass(frozen=True, slots=True)
class Setup:
    """The first message to a worker: chunking rules, page limits, and how to count a page; None for no counts."""

    rules: ChunkingRules
    count_tokens: TokenCounter
    limits: PageLimits
    counter: PageCounter | None


@dataclass(frozen=True, slots=True)
class Refused:
    """A page that was not chunked, and why. is_final: another process would refuse it too."""

    reason: str
    is_final: bool


@dataclass(frozen=True, slots=True)
class Batch:
    """Pages to read, chunk and count. The answer has a Cut, a Refused, or None (to be read by the build) for each.

    links: shared by these pages, which have none themselves, because they are long. None: the same as in the previous
        batch.
    """

    pages: tuple[RawPage, ...]
    links: Mapping[str, str] | None


@dataclass(frozen=True, slots=True)
class Task:
    """A task of a source. The answer has its result or a Refused, as the only one."""

    run: Callable[[PageReader], object]


def _by_fields(kind: type) -> Callable[[object], tuple[type, tuple[object, ...]]]:
    values = attrgetter(*(each.name for each in fields(kind)))
    return lambda item: (kind, values(item))


_REDUCERS: Mapping[type, Callable[[Any], Any]] = {
    **copyreg.dispatch_table,
    **{
        kind: _by_fields(kind)
        for kind in (Block, Chunk, CountedPage, Document, DocumentInfo, InnerHeading, Link, Name, Section)
    },
}
"""Pickling by fields is several times faster than the default for dataclasses with slots, and a page has hundreds."""


def pickle_message(message: object) -> bytes:
    """Serialize a message. Raises one of UNPICKLABLE."""
    buffer = BytesIO()
    pickler = pickle.Pickler(buffer, pickle.HIGHEST_PROTOCOL)
    pickler.dispatch_table = _REDUCERS
    pickler.dump(message)
    return buffer.getvalue()
