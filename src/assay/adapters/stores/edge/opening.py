"""Loading a sealed index into the engine, also where nothing can be written.

The engine opens every file for writing, and writes its configuration anew, though a search changes nothing. Where the
disk is full or must not be written it is given a copy.
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

_IN_MEMORY = Path("/dev/shm")  # noqa: S108 - folders are made there by tempfile, under names that nobody can guess

_ROOM = 1_000_000
"""Bytes that have to be free for loading in place: on a full disk in memory (tmpfs) the engine's files, which have
holes, could end the process when they are read."""

Place = TemporaryDirectory[str]
"""A folder outside of the data directory with a copy of an index; its owner removes it."""


def load_shard(folder: Path, seal: Seal) -> tuple[EdgeShard, Place | None]:
    """Load an index whose files were checked; the place is None where the folder itself is loaded.

    Raises IndexCorrupt, StorageFull, StoreUnavailable.
    """
    if shutil.disk_usage(folder).free < _ROOM:
        full = StorageFull(f"Could not open the index {folder.name}: its disk is full.")
        return _load_copy(folder, seal, full)
    try:
        return _load(folder, folder), None
    except StorageFull as full:
        return _load_copy(folder, seal, full)
    except StoreUnavailable as refused:
        if os.access(folder, os.W_OK):
            raise  # locked, or too many files are open: a copy would hide it
        return _load_copy(folder, seal, refused)


def _load(folder: Path, place: Path) -> EdgeShard:
    with engine_errors("open", folder, IndexCorrupt):
        return EdgeShard.load(str(place))


def _load_copy(folder: Path, seal: Seal, error: StorageFull | StoreUnavailable) -> tuple[EdgeShard, Place]:
    for parent in _parents():
        try:
            place = TemporaryDirectory(prefix="assay-index-", dir=parent, ignore_cleanup_errors=True)
        except OSError:
            continue
        try:
            _copy(folder, Path(place.name), seal)
            shard = _load(folder, Path(place.name))
        except (OSError, StorageFull):  # no room here either
            place.cleanup()
        except BaseException:
            place.cleanup()
            raise
        else:
            logger.info("%s cannot be written: a copy of its index is read, in %s.", folder, place.name)
            return shard, place
    megabytes = sum(size for size, _ in seal.files.values()) / 1e6
    what = "its disk is full" if isinstance(error, StorageFull) else "its folder cannot be written"
    raise type(error)(
        f"Could not open the index {folder.name}: {what}, and there is no room for a copy.",
        hint=f"Free some space, make {folder} writable, or let TMPDIR name a folder with {megabytes:.0f} MB of space.",
    ) from error


def _parents() -> Iterator[Path]:
    """Where a place may be made, the likelier first."""
    with suppress(FileNotFoundError):  # every one of them is full
        yield Path(tempfile.gettempdir())
    if _IN_MEMORY.is_dir():
        yield _IN_MEMORY


def _copy(folder: Path, place: Path, seal: Seal) -> None:
    for name in seal.files:
        target = place / name
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(folder / name, target)  # without its mode, which may forbid writing
