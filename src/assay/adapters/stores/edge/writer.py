"""Building an embedded index: create a shard, write batches, build the search structure, seal."""

import shutil
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

from qdrant_edge import CountRequest, EdgeShard, KeywordIndexParams, Memory, Point, SparseVector, UpdateOperation

from assay.adapters.stores.edge.engine import SearchKind, engine_errors, os_error, shard_config
from assay.adapters.stores.edge.seal import write_seal
from assay.adapters.stores.payload import FACETS, common_facets, to_payload
from assay.adapters.stores.points import DENSE, SPARSE, not_unicode, unit_rows
from assay.errors import StorageFull, VectorStoreError
from assay.ports import IndexPoint

COMPRESSED_FROM = 4_000
"""Number of points from which a compressed copy is scanned first; an exact scan of fewer takes 0.3 ms."""

_HEADROOM = 64 * 1024 * 1024
"""Free bytes that a build leaves. The engine writes through mapped memory, where a full disk kills the process."""


class EdgeWriter:
    """Writes one generation's index; used by one thread. An error of a write is raised by the next call.

    folder: an existing empty folder.
    graph_from: number of points from which an HNSW graph is built.

    Raises VectorStoreError, StorageFull.
    """

    def __init__(self, folder: Path, dimension: int, graph_from: int) -> None:
        self._folder = folder
        self._dimension = dimension
        self._graph_from = graph_from
        self._everywhere: set[str] | None = None
        self._sealed = False
        # The engine writes without the GIL, while the next points are made.
        self._thread = ThreadPoolExecutor(1, "index")
        self._update: Future[None] | None = None
        self._require_space(0)
        with engine_errors("create", folder, VectorStoreError):
            self._shard = EdgeShard.create(str(folder), shard_config(dimension, SearchKind.EXACT))
            # On disk: in memory the index takes 37 MB for 50,000 chunks and is not faster.
            on_disk = KeywordIndexParams(memory=Memory.Cold)
            self._shard.update(UpdateOperation.create_field_index(FACETS, on_disk))

    def add(self, points: Sequence[IndexPoint]) -> None:
        """Write points; a point replaces an earlier one with the same id."""
        if not points:
            return
        vectors = unit_rows(points, self._dimension)
        payloads = [to_payload(point.chunk) for point in points]
        batch = [_point(*parts) for parts in zip(points, vectors, payloads, strict=True)]
        self._finish_update()
        self._require_space(_estimated_bytes(points))
        with engine_errors("write to", self._folder, VectorStoreError):
            self._update = self._thread.submit(self._shard.update, UpdateOperation.upsert_points(batch))
        self._everywhere = common_facets(self._everywhere, payloads)

    def seal(self) -> None:
        """Flush everything, build the approximate index if it pays, and close. Only a sealed index can be opened."""
        self._finish_update()
        with engine_errors("seal", self._folder, VectorStoreError):
            points = self._shard.count(CountRequest())
            kind = self._search_kind(points)
            if kind is not SearchKind.EXACT:
                # Most files are sparse.
                self._require_space(2 * sum(path.stat().st_blocks * 512 for path in self._folder.rglob("*")))
                self._shard.close()
                self._shard = EdgeShard.load(str(self._folder), shard_config(self._dimension, kind))
                self._shard.optimize()
            self._shard.flush()
            self._shard.close()
            # The first load merges and removes the writer's journals, which changes files.
            EdgeShard.load(str(self._folder)).close()
            write_seal(self._folder, self._dimension, points, kind, tuple(sorted(self._everywhere or ())))
        self._thread.shutdown()
        self._sealed = True

    def abort(self) -> None:
        """Discard the index; does nothing once it is sealed."""
        if self._sealed:
            return
        self._thread.shutdown()
        self._update = None
        del self._shard  # not closed, because closing would flush to a disk that may be full
        try:
            shutil.rmtree(self._folder)
        except FileNotFoundError:
            return
        except OSError as error:
            raise os_error("abandon", self._folder, error, VectorStoreError) from error

    def _finish_update(self) -> None:
        """Wait until the points of the last call are written. Raises its error."""
        update, self._update = self._update, None
        if update is not None:
            with engine_errors("write to", self._folder, VectorStoreError):
                update.result()

    def _search_kind(self, points: int) -> SearchKind:
        if points >= self._graph_from:
            return SearchKind.GRAPH
        return SearchKind.COMPRESSED if points >= COMPRESSED_FROM else SearchKind.EXACT

    def _require_space(self, wanted: int) -> None:
        try:
            free = shutil.disk_usage(self._folder).free
        except OSError as error:
            raise os_error("write to", self._folder, error, VectorStoreError) from error
        if free < wanted + _HEADROOM:
            raise StorageFull(
                f"The disk of {self._folder.parent} has {free / 1e6:.0f} MB left; "
                f"writing the index {self._folder.name} needs {(wanted + _HEADROOM) / 1e6:.0f} MB.",
                hint="Free some space there, or set another --data-dir.",
            )


def _point(point: IndexPoint, vector: list[float], payload: dict[str, Any]) -> Point:
    sparse = SparseVector(list(point.sparse.indices), list(point.sparse.values))
    try:
        return Point(point.chunk.id, {DENSE: vector, SPARSE: sparse}, payload)
    except TypeError:
        raise not_unicode(point) from None


def _estimated_bytes(points: Sequence[IndexPoint]) -> int:
    """Upper estimate of what the engine writes for these points before merging."""
    return sum(
        4 * point.dense.size + 16 * len(point.sparse.indices) + 4 * len(point.chunk.text) + 4096 for point in points
    )
