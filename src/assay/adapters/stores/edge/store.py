"""The embedded vector store: Qdrant's engine in this process, one folder for each generation."""

import errno
import os
import shutil
from contextlib import suppress
from pathlib import Path

from assay.adapters.stores.edge.engine import Compression, engine_errors, os_error
from assay.adapters.stores.edge.index import EdgeIndex
from assay.adapters.stores.edge.opening import load_shard
from assay.adapters.stores.edge.point_ids import CHUNK_IDS, Numbers, Uuids
from assay.adapters.stores.edge.seal import (
    SEAL,
    Seal,
    check_files,
    differing_files,
    engine_version,
    is_vector_data,
    read_seal,
    require_structure,
)
from assay.adapters.stores.edge.writer import EdgeWriter
from assay.adapters.stores.points import INDEX_NAME, require_name
from assay.errors import IndexCorrupt, IndexNotFound, StoreUnavailable, VectorStoreError
from assay.model.counting import counted
from assay.ports import IndexSpec, Inspected, StoreReport


class EdgeStore:
    """Indexes in folders below one root.

    hnsw_threshold: number of points from which an HNSW graph is built. Below, dense search scans all vectors, which is
        exact and, at 50,000 points of 256 dimensions, as fast as a graph with 99% recall.
    compression: how vectors are compressed in new indexes, and searched in all.
    process_from: number of points from which other processes write them; None for never.
    """

    owns_all_indexes = True

    def __init__(
        self,
        root: Path,
        *,
        hnsw_threshold: int,
        compression: Compression = Compression(),  # noqa: B008 - it cannot change
        process_from: int | None = None,
    ) -> None:
        self._root = root
        self._compression = compression
        self._process_from = process_from
        self._hnsw_threshold = hnsw_threshold

    def create(self, generation: str, spec: IndexSpec) -> EdgeWriter:
        """Create an index. Raises VectorStoreError if it exists."""
        folder = self._folder(generation)
        try:
            self._root.mkdir(parents=True, exist_ok=True)
            folder.mkdir()
        except FileExistsError:
            raise VectorStoreError(
                f"The index {generation} already exists in {self._root}.", hint="Delete it first."
            ) from None
        except OSError as error:
            raise os_error("create", folder, error, VectorStoreError) from error
        try:
            has_processes = self._process_from is not None and spec.points >= self._process_from
            return EdgeWriter(
                folder, spec.dimension, self._hnsw_threshold, self._compression, has_processes=has_processes
            )
        except VectorStoreError:
            shutil.rmtree(folder, ignore_errors=True)  # the first error is raised
            raise

    def open(self, generation: str, spec: IndexSpec, *, patient: bool = False) -> EdgeIndex:  # noqa: ARG002 - nothing to retry
        """Open a sealed index. Raises IndexNotFound, IndexCorrupt, StoreUnavailable."""
        folder = self._folder(generation)
        with engine_errors("open", folder, IndexCorrupt):
            seal = read_seal(folder)
            if wrong := _wrong_dimension(seal, generation, spec):
                raise IndexCorrupt(
                    wrong, hint="Restore the embedding settings, or build a new generation with `assay publish`."
                )
            check_files(folder, seal)
            index = _load(folder, seal, self._compression.oversampling)
        if wrong := _wrong_count(seal, generation, index):
            index.close()
            raise IndexCorrupt(wrong)
        return index

    def inspect(self, generation: str, spec: IndexSpec) -> Inspected:
        """Open an index for checks; a missing or damaged one is reported and not raised."""
        folder = self._folder(generation)
        problems: list[str] = []
        try:
            with engine_errors("open", folder, IndexCorrupt):
                seal = read_seal(folder)
                require_structure(folder, seal)
                differing = list(differing_files(folder, seal, contents=seal.files))
                problems += [f"The index {generation}: {name} is missing, cut short or damaged." for name in differing]
                if not all(is_vector_data(folder, seal, name) for name in differing):
                    return Inspected(None, tuple(problems))
                index = _load(folder, seal, self._compression.oversampling)
        except (IndexCorrupt, IndexNotFound) as error:
            return Inspected(None, (*problems, error.message))
        problems += [_wrong_dimension(seal, generation, spec), _wrong_count(seal, generation, index)]
        return Inspected(index, tuple(filter(None, problems)))

    def delete(self, generation: str) -> None:
        """Delete an index, sealed or not; does nothing if there is none."""
        folder = self._folder(generation)
        try:
            (folder / SEAL).unlink(missing_ok=True)  # first, so that an interrupted removal leaves no sealed index
            shutil.rmtree(folder)
        except (FileNotFoundError, NotADirectoryError):
            return
        except OSError as error:
            raise os_error("delete", folder, error, VectorStoreError) from error

    def generations(self) -> list[str]:
        """Ids of all generations with an index here, sealed or not, ascending."""
        try:
            return sorted(
                path.name for path in self._root.iterdir() if path.is_dir() and INDEX_NAME.fullmatch(path.name)
            )
        except FileNotFoundError:
            return []
        except OSError as error:
            raise os_error("list", self._root, error, StoreUnavailable) from error

    def switch_alias(self, generation: str) -> None:
        """Point the alias for outside readers at an index; does nothing in a store without aliases."""

    def check(self) -> None:
        """Raise VectorStoreError unless the store can be reached and read; takes at most a second."""
        try:
            if self._root.exists():
                next(self._root.iterdir(), None)
            else:
                _check_can_be_made(self._root)
        except OSError as error:
            raise os_error("read", self._root, error, StoreUnavailable) from error

    def describe(self) -> StoreReport:
        """The state of the store. Raises VectorStoreError."""
        indexes = counted(len(self.generations()), "index", "indexes")
        summary = f"embedded (qdrant-edge {engine_version()}), {indexes} in {self._root}"
        probe = self._root / ".writable"
        problems = []
        try:
            if self._root.exists():
                probe.write_bytes(bytes(4096))
                probe.unlink(missing_ok=True)
        except OSError as error:
            problems.append(f"it cannot be written, so nothing can be built: {error.strerror}")
            with suppress(OSError):
                probe.unlink(missing_ok=True)
        return StoreReport(summary, tuple(problems), None)

    def close(self) -> None:
        """Close connections; a second call does nothing. Open indexes stay usable."""

    def _folder(self, generation: str) -> Path:
        require_name(generation)
        return self._root / generation


def _load(folder: Path, seal: Seal, oversampling: float) -> EdgeIndex:
    """Load an index with checked files. Raises IndexCorrupt, StorageFull, StoreUnavailable, OSError."""
    point_ids = Numbers(folder) if CHUNK_IDS in seal.files else Uuids()
    shard, copy = load_shard(folder, seal)
    return EdgeIndex(folder, shard, seal, point_ids, copy, oversampling)


def _wrong_dimension(seal: Seal, generation: str, spec: IndexSpec) -> str:
    same = seal.dimension == spec.dimension
    return "" if same else f"The index {generation} has {seal.dimension} dimensions, not {spec.dimension}."


def _wrong_count(seal: Seal, generation: str, index: EdgeIndex) -> str:
    same = (points := index.count()) == seal.points
    return "" if same else f"The index {generation} holds {points} points, not the {seal.points} it was sealed with."


def _check_can_be_made(folder: Path) -> None:
    """Raise OSError unless this user may create a folder."""
    above = next(parent for parent in folder.absolute().parents if parent.exists())
    if not above.is_dir():
        raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), str(above))
    if not os.access(above, os.W_OK | os.X_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(above))
