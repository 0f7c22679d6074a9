"""Talking to the embedded engine (qdrant_edge): how its shards are made, what filters become, what its errors mean."""

import errno
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING

from qdrant_edge import (
    Distance,
    EdgeConfig,
    EdgeOptimizersConfig,
    EdgeSparseVectorParams,
    EdgeVectorParams,
    FieldCondition,
    Filter,
    HnswIndexConfig,
    KeywordIndexParams,
    MatchAny,
    MatchValue,
    Memory,
    Modifier,
    ScalarQuantizationConfig,
    ScalarType,
    UpdateOperation,
)

from assay.adapters.stores.facet_conditions import Conditions, narrowing_conditions, scope_conditions
from assay.adapters.stores.payload import FACETS
from assay.adapters.stores.points import DENSE, REBUILD, SPARSE
from assay.errors import IndexCorrupt, StorageFull, StoreUnavailable, VectorStoreError
from assay.model.ranking import Filters

if TYPE_CHECKING:
    from qdrant_edge import ConditionType  # a name of the stubs only

_NEVER = 2**31
"""Kilobytes that a segment never has: the engine leaves it as it was written."""

_FULL = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}
_ELSEWHERE = {errno.EAGAIN, errno.EACCES, errno.EPERM, errno.EROFS, errno.EMFILE, errno.ENFILE, errno.ENOMEM}
_OS_ERROR = re.compile(r"os error (\d+)")
_CLOSED = "not initialized"
_LOCKED = "WouldBlock"


class SearchKind(StrEnum):
    """How an index finds the nearest dense vectors."""

    EXACT = "exact"
    """Every vector is compared."""

    COMPRESSED = "compressed"
    """A copy of one byte a dimension is scanned, and the best are compared again in full."""

    GRAPH = "graph"
    """An HNSW graph leads to the best of the compressed copy, which are compared again in full."""


@dataclass(frozen=True, slots=True)
class Graph:
    """HNSW: links of a node, candidates while building, candidates while searching."""

    links: int
    build_width: int
    search_width: int


GRAPH = Graph(links=16, build_width=128, search_width=512)
"""At 50,000 chunks of a corpus full of near-duplicates a search width of 256 found .996 of the exact top ten, and 512
found all of it, in 0.8 ms."""

SCANNED = 20_000
"""Where a filter leaves fewer points than this they are scanned also where there is a graph: quicker, and sure."""


def shard_config(dimension: int, kind: SearchKind) -> EdgeConfig:
    """How a shard keeps and finds its vectors, always in one segment."""
    exact = kind is SearchKind.EXACT
    compression = None if exact else ScalarQuantizationConfig(ScalarType.Int8, memory=Memory.Cached)
    return EdgeConfig(
        vectors={
            DENSE: EdgeVectorParams(
                size=dimension, distance=Distance.Cosine, memory=Memory.Cached, quantization_config=compression
            )
        },
        sparse_vectors={SPARSE: EdgeSparseVectorParams(modifier=Modifier.Idf)},
        hnsw_config=HnswIndexConfig(
            m=GRAPH.links if kind is SearchKind.GRAPH else 0,
            ef_construct=GRAPH.build_width,
            full_scan_threshold=max(SCANNED * dimension * 4 // 1024, 1),  # in kilobytes of vectors
            max_indexing_threads=0,  # as many as there are
        ),
        optimizers=EdgeOptimizersConfig(
            default_segment_number=1, max_segment_size=_NEVER, indexing_threshold=_NEVER if exact else 1
        ),
        payload_memory=Memory.Cold,
        wal_enabled=False,
    )


def facet_index() -> UpdateOperation:
    """The payload index that filters need. It stays on disk: 37 MB of memory for 50,000 chunks make it no quicker."""
    return UpdateOperation.create_field_index(FACETS, KeywordIndexParams(memory=Memory.Cold))


def scope_filter(filters: Filters, everywhere: frozenset[str]) -> Filter | None:
    """The versions and locales that a search stays in; None when nothing is left out.

    everywhere: facets that every point has, which need no condition.
    """
    return _all_of(scope_conditions(filters, everywhere))


def whole_filter(filters: Filters, scope: Filter | None, everywhere: frozenset[str]) -> Filter | None:
    """The scope and everything else that a hit has to be from; None when nothing is left out."""
    rest = _all_of(narrowing_conditions(filters, everywhere))
    if scope is None or rest is None:
        return scope or rest
    return Filter(must=[scope, rest])


@contextmanager
def engine_errors(doing: str, folder: Path, otherwise: type[VectorStoreError]) -> Iterator[None]:
    """Turn everything that the engine raises into an error of ours.

    The engine raises bare `Exception` with a text, and its panics come as a BaseException of their own.

    doing: what was asked of it, to go on after "could not": "open".
    otherwise: the error for a text that says nothing more exact.
    """
    try:
        yield
    except OSError as error:
        raise os_error(doing, folder, error, otherwise) from error
    except BaseException as error:
        if type(error) is Exception:
            raise _engine_error(doing, folder, str(error), otherwise) from error
        if type(error).__name__ == "PanicException":
            raise _failed(IndexCorrupt, doing, folder, "the engine gave up on its files") from error
        raise


def os_error(doing: str, folder: Path, error: OSError, otherwise: type[VectorStoreError]) -> VectorStoreError:
    """What an error of the operating system means here."""
    return _failed(_kind_of(error.errno, otherwise), doing, folder, error.strerror or str(error))


def _engine_error(doing: str, folder: Path, text: str, otherwise: type[VectorStoreError]) -> VectorStoreError:
    if _CLOSED in text:
        return StoreUnavailable(f"The index {folder.name} is closed: could not {doing} it.")
    number = _OS_ERROR.search(text)
    kind = StoreUnavailable if _LOCKED in text else _kind_of(int(number.group(1)) if number else None, otherwise)
    return _failed(kind, doing, folder, text.strip().splitlines()[0] if text.strip() else "no reason given")


def _kind_of(number: int | None, otherwise: type[VectorStoreError]) -> type[VectorStoreError]:
    if number in _FULL:
        return StorageFull
    return StoreUnavailable if number in _ELSEWHERE else otherwise


def _failed(kind: type[VectorStoreError], doing: str, folder: Path, reason: str) -> VectorStoreError:
    hints = {
        StorageFull: "Free some space there, or set another --data-dir.",
        StoreUnavailable: f"Check that {folder} can be read and written, and that the machine has memory left.",
        IndexCorrupt: REBUILD,
    }
    return kind(f"Could not {doing} the index {folder.name}: {reason}.", hint=hints.get(kind, ""))


def _all_of(conditions: Conditions) -> Filter | None:
    must: list[ConditionType] = [_one_of(facets) for facets in conditions]
    return Filter(must=must) if must else None


def _one_of(facets: Sequence[str]) -> FieldCondition:
    # To match any of one value takes the engine four times as long as to match the value.
    match = MatchValue(facets[0]) if len(facets) == 1 else MatchAny(list(facets))
    return FieldCondition(FACETS, match=match)
