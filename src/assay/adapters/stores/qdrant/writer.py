"""Building a generation's collection on a Qdrant server: load without indexes, index, count, seal."""

import gc
import json
import logging
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any, TypeVar
from uuid import UUID

import numpy as np
from qdrant_client import QdrantClient, models

from assay.adapters.stores.payload import common_facets, to_payload
from assay.adapters.stores.points import DENSE, SPARSE, not_unicode, unit_rows
from assay.adapters.stores.qdrant.collection import (
    LOADING_POINTS,
    UNINDEXED,
    Marker,
    active_replicas,
    collection_name,
    read_marker,
)
from assay.adapters.stores.qdrant.errors import FailedRequest
from assay.adapters.stores.qdrant.index import count_points
from assay.adapters.stores.qdrant.options import CollectionLayout, UploadOptions
from assay.adapters.stores.qdrant.server import QdrantServer, Retry
from assay.errors import StoreUnavailable, VectorStoreError
from assay.ports import IndexPoint

logger = logging.getLogger(__name__)
T = TypeVar("T")

_INDEXED_FROM_KB = 10_000
"""Kilobytes of vectors from which a segment gets a graph; scanning smaller ones is faster."""

_SEGMENT_KB = 2_000_000
"""Most kilobytes of vectors in a sealed segment: the server's default with eight cores."""

_NUMBER_BYTES = 25
_POINT_BYTES = 200
_REQUEST_BYTES = 100
"""Upper bounds in JSON of a number with its comma, the rest of a point, and the rest of a request."""

_FIRST_PAUSE, _LONGEST_PAUSE = 0.05, 2.0
_NUDGE_SECONDS = 5.0
_GREEN_CHECKS = 2
"""Consecutive green states required, because the server may not have begun indexing at the first."""


class QdrantWriter:
    """Writes one generation's collection, which exists with its payload index; used by one thread."""

    def __init__(self, server: QdrantServer, marker: Marker, layout: CollectionLayout, loading: UploadOptions) -> None:
        self._server = server
        self._marker = marker
        self._name = marker.generation
        self._collection = collection_name(marker.collection, marker.generation)
        self._layout = layout
        self._loading = loading
        self._everywhere: set[str] | None = None
        self._ids = bytearray()  # 16 bytes each; a set of strings takes ten times as much
        self._sealed = False

    def add(self, points: Sequence[IndexPoint]) -> None:
        """Write points; a point replaces an earlier one with the same id."""
        if self._sealed:
            raise StoreUnavailable(f"The index {self._name} is sealed and takes no more points.")
        if not points:
            return
        vectors: list[list[float]] = unit_rows(points, self._marker.dimension).tolist()
        payloads = [to_payload(point.chunk) for point in points]
        sizes = [_bytes_of(point, payload) for point, payload in zip(points, payloads, strict=True)]
        structs = [_struct(*parts) for parts in zip(points, vectors, payloads, strict=True)]
        for first, end in self._requests(sizes):
            self._send(structs[first:end])
        for point in points:
            self._ids += UUID(point.chunk.id).bytes
        self._everywhere = common_facets(self._everywhere, payloads)

    def seal(self) -> None:
        """Flush everything, build the approximate index if it pays, and close. Only a sealed index can be opened."""
        expected = self._count_distinct_ids()
        threshold = _INDEXED_FROM_KB if expected >= self._layout.hnsw_threshold else UNINDEXED
        if threshold != UNINDEXED or expected > LOADING_POINTS:
            self._optimize(threshold)
        self._wait_for_indexing(threshold)
        self._wait_for_replicas()
        found = count_points(self._server, self._name, self._collection, Retry.LONG)
        if found != expected:
            raise VectorStoreError(
                f"The index {self._name} holds {found} points on the Qdrant server at {self._server.address}, "
                f"not the {expected} that were sent.",
                hint="Run the build again; if it fails again, see the server's log.",
            )
        self._mark(
            replace(self._marker, state="sealed", points=expected, everywhere=tuple(sorted(self._everywhere or ())))
        )
        self._sealed = True

    def abort(self) -> None:
        """Delete the collection; does nothing once it is sealed. A failure is logged; the next build deletes it."""
        if self._sealed:
            return
        gone = self._server.try_request(lambda client: client.delete_collection(self._collection), Retry.BRIEF)
        if isinstance(gone, FailedRequest) and not gone.is_missing:
            logger.warning(
                "The unfinished collection %s stays on the Qdrant server at %s until the next build deletes it: %s.",
                self._collection,
                self._server.address,
                gone.message,
            )

    def _send(self, structs: list[models.PointStruct]) -> None:
        # It may be repeated: a point replaces the one with its id.
        self._ask("write to", lambda client: client.upsert(self._collection, points=structs, wait=True))
        gc.collect(1)  # httpx leaves a cycle that holds the body, megabytes, and a build rarely collects

    def _ask(self, operation: str, call: Callable[[QdrantClient], T]) -> T:
        return self._server.request(operation, self._name, call, Retry.LONG)

    def _info(self) -> models.CollectionInfo:
        return self._ask("look at", lambda client: client.get_collection(self._collection))

    def _requests(self, sizes: Sequence[int]) -> Iterator[tuple[int, int]]:
        """Start and end of each request, within the limits unless a single point exceeds them."""
        first, total = 0, _REQUEST_BYTES
        for position, size in enumerate(sizes):
            full = position - first >= self._loading.upload_batch or total + size > self._loading.upload_bytes
            if full and position > first:
                yield first, position
                first, total = position, _REQUEST_BYTES
            total += size
        yield first, len(sizes)

    def _count_distinct_ids(self) -> int:
        halves = np.frombuffer(bytes(self._ids), dtype=np.uint64).reshape(-1, 2)  # (points, 2)
        return len(np.unique(halves, axis=0)) if len(halves) else 0

    def _optimize(self, threshold: int) -> None:
        """Merge segments, and index those above a size in kilobytes. A restarted server begins only after that."""
        config = models.OptimizersConfigDiff(indexing_threshold=threshold, max_segment_size=_SEGMENT_KB)
        self._ask("index", lambda client: client.update_collection(self._collection, optimizers_config=config))

    def _wait_for_indexing(self, threshold: int) -> None:
        nudged, steady = 0.0, 0

        def is_indexed(waited: float) -> bool:
            nonlocal nudged, steady
            info = self._info()
            self._require_working(info)
            waiting = info.update_queue.length if info.update_queue else 0
            steady = steady + 1 if info.status is models.CollectionStatus.GREEN and not waiting else 0
            if steady >= _GREEN_CHECKS:
                return True
            if waited > self._loading.seal_timeout_seconds:
                raise StoreUnavailable(
                    f"The Qdrant server at {self._server.address} has not finished indexing {self._name} after "
                    f"{waited:.0f} s: its status is {info.status.value}, and {info.indexed_vectors_count or 0} vectors "
                    "are indexed.",
                    hint="Give it more time with [qdrant] seal_timeout_seconds, or more CPUs.",
                )
            if info.status is models.CollectionStatus.GREY and waited - nudged > _NUDGE_SECONDS:
                self._optimize(threshold)
                nudged = waited
            return False

        _poll(is_indexed)

    def _wait_for_replicas(self) -> None:
        """Wait until each shard has as many active replicas as the settings want. Raises StoreUnavailable."""
        wanted = self._layout.replication_factor or 1

        def is_replicated(waited: float) -> bool:
            active = active_replicas(
                self._ask("look at", lambda client: client.collection_cluster_info(self._collection))
            )
            if min(active.values(), default=0) >= wanted:
                return True
            if waited > self._loading.seal_timeout_seconds:
                few = ", ".join(f"shard {shard} has {count}" for shard, count in active.items() if count < wanted)
                raise StoreUnavailable(
                    f"The index {self._name} lacks active replicas on the Qdrant server at {self._server.address} "
                    f"after {waited:.0f} s: {few}; [qdrant] replication_factor is {wanted}.",
                    hint="Start the missing nodes of the cluster, or lower replication_factor; then run it again.",
                )
            return False

        if wanted > 1:
            _poll(is_replicated)

    def _require_working(self, info: models.CollectionInfo) -> None:
        failed = info.optimizer_status
        if isinstance(failed, models.OptimizersStatusOneOf1):
            reason = failed.error
        elif info.status is models.CollectionStatus.RED:
            reason = "its status is red"
        else:
            return
        raise VectorStoreError(
            f"The Qdrant server at {self._server.address} cannot index {self._name}: {reason}.",
            hint="See its log; often its disk or memory is full.",
        )

    def _mark(self, marker: Marker) -> None:
        self._ask("seal", lambda client: client.update_collection(self._collection, metadata=marker.as_metadata()))
        self._server.once_spread(lambda: read_marker(self._info(), marker.collection, marker.generation))


def _poll(is_done: Callable[[float], bool]) -> None:
    """Call a function with the seconds waited so far until it returns true, after longer and longer pauses."""
    started, pause = time.monotonic(), _FIRST_PAUSE
    while not is_done(time.monotonic() - started):
        time.sleep(pause)
        pause = min(1.5 * pause, _LONGEST_PAUSE)


def _struct(point: IndexPoint, vector: list[float], payload: dict[str, Any]) -> models.PointStruct:
    sparse = models.SparseVector(indices=list(point.sparse.indices), values=list(point.sparse.values))
    return models.PointStruct(id=point.chunk.id, vector={DENSE: vector, SPARSE: sparse}, payload=payload)


def _bytes_of(point: IndexPoint, payload: dict[str, Any]) -> int:
    """Upper bound of a point's bytes in a request. Raises VectorStoreError for invalid Unicode."""
    try:
        text = len(json.dumps(payload, ensure_ascii=False).encode())
    except UnicodeEncodeError:
        raise not_unicode(point.chunk.position, point.chunk.document.source_path) from None
    numbers = point.dense.size + 2 * len(point.sparse.indices)
    return text + _NUMBER_BYTES * numbers + _POINT_BYTES
