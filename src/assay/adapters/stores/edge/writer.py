"""Building an embedded index: create a shard, write batches, build the search structure, seal."""

import logging
import shutil
from collections.abc import Sequence
from pathlib import Path

from qdrant_edge import CountRequest, EdgeShard

from assay.adapters.stores.edge.engine import Compression, SearchKind, engine_errors, os_error, shard_config
from assay.adapters.stores.edge.point_ids import row_of, write_chunk_ids
from assay.adapters.stores.edge.seal import write_seal
from assay.adapters.stores.edge.shard import Rows, ShardWriter
from assay.adapters.stores.edge.shard_process import ShardProcesses
from assay.adapters.stores.payload import common_facets, to_payload
from assay.adapters.stores.points import unit_rows
from assay.errors import StorageFull, VectorStoreError
from assay.ports import IndexPoint

logger = logging.getLogger(__name__)

COMPRESSED_FROM = 4_000
"""Number of points from which a compressed copy is scanned first; an exact scan of fewer takes 0.3 ms."""

_HEADROOM = 64 * 1024 * 1024
"""Free bytes that a build leaves. The engine writes through mapped memory, where a full disk kills the process."""


class EdgeWriter:
    """Writes one generation's index; used by one thread. An error of a write may be raised by a later call.

    folder: an existing empty folder.
    graph_from: number of points from which an HNSW graph is built.
    compression: the compressed copy of an index with a graph, or of at least COMPRESSED_FROM points.
    has_processes: other processes write the points.

    Raises VectorStoreError, StorageFull.
    """

    def __init__(
        self, folder: Path, dimension: int, graph_from: int, compression: Compression, *, has_processes: bool = False
    ) -> None:
        self._folder = folder
        self._dimension = dimension
        self._graph_from = graph_from
        self._compression = compression
        self._everywhere: set[str] | None = None
        self._rows = bytearray()
        self._sealed = False
        self._shard: EdgeShard | None = None
        self._require_space(0)
        self._writer = _start_processes(folder, dimension) if has_processes else ShardWriter(folder, dimension)

    def add(self, points: Sequence[IndexPoint]) -> None:
        """Write points; a point replaces an earlier one with the same id."""
        if not points:
            return
        vectors = unit_rows(points, self._dimension)
        payloads = [to_payload(point.chunk) for point in points]
        self._require_space(_estimated_bytes(points))
        sparse = [(point.sparse.indices, point.sparse.values) for point in points]
        self._writer.write(Rows(vectors, sparse, payloads))
        self._rows += b"".join(row_of(point.chunk) for point in points)
        self._everywhere = common_facets(self._everywhere, payloads)

    def seal(self) -> None:
        """Flush everything, build the approximate index if it pays, and close. Only a sealed index can be opened."""
        self._shard = self._writer.finish()
        with engine_errors("seal", self._folder, VectorStoreError):
            points = self._shard.count(CountRequest())
            kind = self._search_kind(points)
            if kind is not SearchKind.EXACT:
                # Most files are sparse.
                self._require_space(2 * sum(path.stat().st_blocks * 512 for path in self._folder.rglob("*")))
                self._shard.close()
                self._shard = EdgeShard.load(str(self._folder), shard_config(self._dimension, kind, self._compression))
                self._shard.optimize()
            self._shard.flush()
            self._shard.close()
            write_chunk_ids(self._folder, self._rows)
            # The first load merges and removes the writer's journals, which changes files.
            EdgeShard.load(str(self._folder)).close()
            write_seal(self._folder, self._dimension, points, kind, tuple(sorted(self._everywhere or ())))
        self._sealed = True

    def abort(self) -> None:
        """Discard the index; does nothing once it is sealed."""
        if self._sealed:
            return
        self._writer.stop()
        self._shard = None  # not closed, as in ShardWriter.stop
        try:
            shutil.rmtree(self._folder)
        except FileNotFoundError:
            return
        except OSError as error:
            raise os_error("abandon", self._folder, error, VectorStoreError) from error

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


def _start_processes(folder: Path, dimension: int) -> ShardProcesses | ShardWriter:
    """Start processes that write; if that fails, this process does."""
    try:
        return ShardProcesses(folder, dimension)
    except OSError as error:
        logger.warning("No process can be started to write the index, so the build writes it: %s", error)
    with engine_errors("write to", folder, VectorStoreError):
        shutil.rmtree(folder)
        folder.mkdir()
    return ShardWriter(folder, dimension)


def _estimated_bytes(points: Sequence[IndexPoint]) -> int:
    """Upper estimate of what the engine writes for these points before merging."""
    return sum(
        4 * point.dense.size + 16 * len(point.sparse.indices) + 4 * len(point.chunk.text) + 4096 for point in points
    )
