"""The embedded engine (qdrant_edge): configuration of shards, filters, errors."""

import errno
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import qdrant_edge as edge

from assay.adapters.stores.facet_conditions import Conditions, narrowing_conditions, scope_conditions
from assay.adapters.stores.payload import FACETS
from assay.adapters.stores.points import DENSE, REBUILD, SPARSE
from assay.atomic_files import NO_ROOM
from assay.errors import IndexCorrupt, StorageFull, StoreUnavailable, VectorStoreError
from assay.model.ranking import Filters
from assay.ports import IndexQuery

if TYPE_CHECKING:
    from qdrant_edge import ConditionType, QuantizationConfigType  # names of the stubs only

_NEVER = 2**31
"""Kilobytes that no segment reaches, so that the engine does not optimize it."""

_UNAVAILABLE = {errno.EAGAIN, errno.EACCES, errno.EPERM, errno.EROFS, errno.EMFILE, errno.ENFILE, errno.ENOMEM}
_OS_ERROR = re.compile(r"os error (\d+)")
_CLOSED = "not initialized"
_LOCKED = "WouldBlock"


class SearchKind(StrEnum):
    """How an index finds the nearest dense vectors."""

    EXACT = "exact"
    """Compares every vector."""

    COMPRESSED = "compressed"
    """Scans the compressed copy and rescores the best in full precision; without a copy, compares every vector."""

    GRAPH = "graph"
    """Searches the compressed copy, if there is one, by an HNSW graph and rescores the best in full precision."""


@dataclass(frozen=True, slots=True)
class Compression:
    """The compressed copy of the vectors that is searched first.

    quantization: one byte (`scalar`) or one bit (`binary`) for each dimension; `none` for no copy. Applies to new
        indexes.
    oversampling: this many times the requested results are rescored in full precision.
    """

    quantization: Literal["none", "scalar", "binary"] = "scalar"
    oversampling: float = 2.0


_LINKS, _BUILD_WIDTH, SEARCH_WIDTH = 16, 128, 1_024
"""HNSW: links of a node, candidates while building, candidates while searching.

At 1,000,000 chunks, a search width of 512 found .907 of the exact top ten, 1,024 found .979, and 2,048 found .995, in
1.0, 1.9 and 3.6 ms (docs/scaling.md)."""

FULL_SCAN_POINTS = 20_000
"""With fewer filtered points than this, a scan is used instead of the graph: faster and exact."""


def shard_config(dimension: int, kind: SearchKind, compression: Compression) -> edge.EdgeConfig:
    """Configuration of a shard, always with one segment."""
    exact = kind is SearchKind.EXACT
    return edge.EdgeConfig(
        vectors={
            DENSE: edge.EdgeVectorParams(
                size=dimension,
                distance=edge.Distance.Cosine,
                memory=edge.Memory.Cached,
                quantization_config=None if exact else _quantization(compression),
            )
        },
        sparse_vectors={
            # Mapped and compressed without loss: two thirds of the memory, and not slower.
            SPARSE: edge.EdgeSparseVectorParams(
                modifier=edge.Modifier.Idf, memory=None if exact else edge.Memory.Cached
            )
        },
        hnsw_config=edge.HnswIndexConfig(
            m=_LINKS if kind is SearchKind.GRAPH else 0,
            ef_construct=_BUILD_WIDTH,
            full_scan_threshold=max(FULL_SCAN_POINTS * dimension * 4 // 1024, 1),  # in kilobytes of vectors
            max_indexing_threads=0,  # all cores
        ),
        optimizers=edge.EdgeOptimizersConfig(
            default_segment_number=1, max_segment_size=_NEVER, indexing_threshold=_NEVER if exact else 1
        ),
        # A shard has one segment, and the engine holds the GIL while it searches: more threads only wake each other, at
        # a quarter of the processor time of a search.
        max_search_threads=1,
        payload_memory=edge.Memory.Cold,
        wal_enabled=False,
    )


def _quantization(compression: Compression) -> "QuantizationConfigType | None":
    match compression.quantization:
        case "scalar":
            return edge.ScalarQuantizationConfig(edge.ScalarType.Int8, memory=edge.Memory.Cached)
        case "binary":
            return edge.BinaryQuantizationConfig(memory=edge.Memory.Cached)
        case _:
            return None


def scope_filter(query: IndexQuery, everywhere: frozenset[str]) -> edge.Filter | None:
    """Filter by version and locale, which defines the scope of IDF; None for no restriction.

    everywhere: facets of every point, which need no condition.
    """
    return _all_of(scope_conditions(query, everywhere))


def full_filter(filters: Filters, scope: edge.Filter | None, everywhere: frozenset[str]) -> edge.Filter | None:
    """The scope and all other filters; None for no restriction."""
    rest = _all_of(narrowing_conditions(filters, everywhere))
    if scope is None or rest is None:
        return scope or rest
    return edge.Filter(must=[scope, rest])


@contextmanager
def engine_errors(operation: str, folder: Path, otherwise: type[VectorStoreError]) -> Iterator[None]:
    """Map the engine's errors, which are bare `Exception`s and a BaseException for panics.

    operation: a verb that continues "could not": "open".
    otherwise: the error for an unknown message.
    """
    try:
        yield
    except OSError as error:
        raise os_error(operation, folder, error, otherwise) from error
    except BaseException as error:
        if type(error) is Exception:
            raise _engine_error(operation, folder, str(error), otherwise) from error
        if type(error).__name__ == "PanicException":
            raise _failed(IndexCorrupt, operation, folder, "the engine panicked on its files") from error
        raise


def os_error(operation: str, folder: Path, error: OSError, otherwise: type[VectorStoreError]) -> VectorStoreError:
    """Map an error of the operating system."""
    return _failed(_kind_of(error.errno, otherwise), operation, folder, error.strerror or str(error))


def _engine_error(operation: str, folder: Path, text: str, otherwise: type[VectorStoreError]) -> VectorStoreError:
    if _CLOSED in text:
        return StoreUnavailable(f"The index {folder.name} is closed: could not {operation} it.")
    number = _OS_ERROR.search(text)
    kind = StoreUnavailable if _LOCKED in text else _kind_of(int(number.group(1)) if number else None, otherwise)
    return _failed(kind, operation, folder, text.strip().splitlines()[0] if text.strip() else "no reason given")


def _kind_of(number: int | None, otherwise: type[VectorStoreError]) -> type[VectorStoreError]:
    if number in NO_ROOM:
        return StorageFull
    return StoreUnavailable if number in _UNAVAILABLE else otherwise


def _failed(kind: type[VectorStoreError], operation: str, folder: Path, reason: str) -> VectorStoreError:
    hints = {
        StorageFull: "Free some space there, or set another --data-dir.",
        StoreUnavailable: f"Check that {folder} can be read and written, and that the machine has memory left.",
        IndexCorrupt: REBUILD,
    }
    return kind(f"Could not {operation} the index {folder.name}: {reason}.", hint=hints.get(kind, ""))


def _all_of(conditions: Conditions) -> edge.Filter | None:
    must: list[ConditionType] = [_one_of(facets) for facets in conditions.wanted]
    must_not: list[ConditionType] = [_one_of(conditions.unwanted)] if conditions.unwanted else []
    return edge.Filter(must=must, must_not=must_not) if conditions else None


def _one_of(facets: Sequence[str]) -> edge.FieldCondition:
    # MatchAny with one value takes four times as long as MatchValue.
    match = edge.MatchValue(facets[0]) if len(facets) == 1 else edge.MatchAny(list(facets))
    return edge.FieldCondition(FACETS, match=match)
