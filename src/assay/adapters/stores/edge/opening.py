"""Loading a sealed index into the engine, also from a full or read-only disk.

The engine opens every file for writing and rewrites its configuration. If the disk is full or read-only, it loads a
temporary copy.
"""

import logging
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory

from qdrant_edge import EdgeShard

from assay.adapters.stores.edge.engine import engine_errors
from assay.adapters.stores.edge.seal import Seal
from assay.errors import IndexCorrupt, StorageFull, StoreUnavailable

logger = logging.getLogger(__name__)

_IN_MEMORY = Path("/dev/shm")  # noqa: S108 - tempfile makes folders with random names

_MIN_FREE_BYTES = 1_000_000
"""Free bytes needed for loading in place: on a full tmpfs, reading the engine's sparse files could kill the process."""

TemporaryCopy = TemporaryDirectory[str]
"""A folder outside the data directory with a copy of an index; its owner removes it."""


def load_shard(folder: Path, seal: Seal) -> tuple[EdgeShard, TemporaryCopy | None]:
    """Load an index with checked files; the copy is None if it is loaded in place.

    Raises IndexCorrupt, StorageFull, StoreUnavailable.
    """
    if shutil.disk_usage(folder).free < _MIN_FREE_BYTES:
        full = StorageFull(f"Could not open the index {folder.name}: its disk is full.")
        return _load_copy(folder, seal, full)
    try:
        return _load(folder, folder), None
    except StorageFull as full:
        return _load_copy(folder, seal, full)
    except StoreUnavailable as refused:
        if os.access(folder, os.W_OK):
            raise  # locked, or too many open files: a copy would hide it
        return _load_copy(folder, seal, refused)


def _load(folder: Path, copy: Path) -> EdgeShard:
    with engine_errors("open", folder, IndexCorrupt):
        return EdgeShard.load(str(copy))


def _load_copy(folder: Path, seal: Seal, error: StorageFull | StoreUnavailable) -> tuple[EdgeShard, TemporaryCopy]:
    for parent in _parents():
        try:
            copy = TemporaryDirectory(prefix="assay-index-", dir=parent, ignore_cleanup_errors=True)
        except OSError:
            continue
        try:
            _copy(folder, Path(copy.name), seal)
            shard = _load(folder, Path(copy.name))
        except (OSError, StorageFull):  # no room here either
            copy.cleanup()
        except BaseException:
            copy.cleanup()
            raise
        else:
            logger.info("%s cannot be written: loading a copy of its index in %s.", folder, copy.name)
            return shard, copy
    megabytes = sum(size for size, _ in seal.files.values()) / 1e6
    what = "its disk is full" if isinstance(error, StorageFull) else "its folder cannot be written"
    raise type(error)(
        f"Could not open the index {folder.name}: {what}, and there is no room for a copy.",
        hint=f"Free some space, make {folder} writable, or set TMPDIR to a folder with {megabytes:.0f} MB free.",
    ) from error


def _parents() -> Iterator[Path]:
    """Folders for a copy, the preferred one first."""
    with suppress(FileNotFoundError):  # all of them are full
        yield Path(tempfile.gettempdir())
    if _IN_MEMORY.is_dir():
        yield _IN_MEMORY


def _copy(folder: Path, copy: Path, seal: Seal) -> None:
    for name in seal.files:
        target = copy / name
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(folder / name, target)  # without its mode, which may be read-only
