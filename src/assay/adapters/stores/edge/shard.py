"""Writing points to a shard of the embedded engine."""

from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from qdrant_edge import EdgeShard, KeywordIndexParams, Memory, Point, SparseVector, UpdateOperation

from assay.adapters.stores.edge.engine import Compression, SearchKind, engine_errors, shard_config
from assay.adapters.stores.edge.point_ids import number_of
from assay.adapters.stores.payload import FACETS
from assay.adapters.stores.points import DENSE, SPARSE, not_unicode
from assay.errors import VectorStoreError


@dataclass(frozen=True, slots=True)
class Rows:
    """Points to write. Picklable.

    dense: float32 of shape (points, dimension). sparse: term ids and weights of each point.
    payloads: from to_payload.
    """

    dense: NDArray[np.float32]
    sparse: Sequence[tuple[Sequence[int], Sequence[float]]]
    payloads: Sequence[dict[str, Any]]

    def take(self, places: Sequence[int]) -> "Rows":
        """The points at these places."""
        return Rows(self.dense[places], [self.sparse[n] for n in places], [self.payloads[n] for n in places])


class ShardWriter:
    """Creates a shard and writes points to it; used by one thread. An error of a write is raised by the next call.

    folder: an existing empty folder.

    Raises VectorStoreError.
    """

    def __init__(self, folder: Path, dimension: int) -> None:
        self._folder = folder
        # The engine writes without the GIL, while the next points are made.
        self._thread = ThreadPoolExecutor(1, "index")
        self._update: Future[None] | None = None
        with engine_errors("create", folder, VectorStoreError):
            self._shard: EdgeShard | None = EdgeShard.create(
                str(folder), shard_config(dimension, SearchKind.EXACT, Compression())
            )
            # On disk: in memory the index takes 37 MB for 50,000 chunks and is not faster.
            on_disk = KeywordIndexParams(memory=Memory.Cold)
            self._shard.update(UpdateOperation.create_field_index(FACETS, on_disk))

    def write(self, rows: Rows) -> None:
        """Write points. Raises VectorStoreError for a point that cannot be stored; then none of them is written."""
        dense: list[list[float]] = rows.dense.tolist()
        points = [_point(*parts) for parts in zip(dense, rows.sparse, rows.payloads, strict=True)]
        self._finish_update()
        assert self._shard
        with engine_errors("write to", self._folder, VectorStoreError):
            self._update = self._thread.submit(self._shard.update, UpdateOperation.upsert_points(points))

    def finish(self) -> EdgeShard:
        """Wait until everything is written. Returns the shard, which is the caller's then."""
        self._finish_update()
        self._thread.shutdown()
        shard, self._shard = self._shard, None
        assert shard
        return shard

    def stop(self) -> None:
        """Stop writing; the folder may be removed then."""
        self._thread.shutdown()
        self._update = self._shard = None  # not closed, because closing would flush to a disk that may be full

    def _finish_update(self) -> None:
        """Wait until the points of the last call are written. Raises its error."""
        update, self._update = self._update, None
        if update is not None:
            with engine_errors("write to", self._folder, VectorStoreError):
                update.result()


def _point(dense: list[float], sparse: tuple[Sequence[int], Sequence[float]], payload: dict[str, Any]) -> Point:
    number, (indices, values) = number_of(payload["chunk_id"]), sparse
    try:
        return Point(number, {DENSE: dense, SPARSE: SparseVector(list(indices), list(values))}, payload)
    except TypeError:
        raise not_unicode(payload["position"], payload["source_path"]) from None
