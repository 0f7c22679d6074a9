"""The seal of an embedded index: a file, written last, with the sizes and checksums of all others.

The engine maps its files into memory. A truncated file would kill the process and a changed byte give wrong answers,
so files are checked before the engine opens them.
"""

import json
import os
import re
import time
import zlib
from collections.abc import Collection, Iterator, Mapping
from dataclasses import asdict, dataclass
from functools import cache
from importlib.metadata import version
from pathlib import Path

from assay.adapters.stores.edge.checksum import crc32_of_file
from assay.adapters.stores.edge.engine import SearchKind
from assay.adapters.stores.edge.point_ids import CHUNK_IDS
from assay.adapters.stores.points import REBUILD
from assay.atomic_files import write_files
from assay.errors import IndexCorrupt, IndexNotFound

SEAL = "assay-index.json"
FORMAT = 3
"""Version of the seal, the payload and the ids of points. Version 1 has UUIDs as ids; others are refused."""

_READABLE = (1, FORMAT)

SEGMENTS = "segments"
"""The engine reads every folder in this one."""

_NUMBERS = re.compile(r"segments/[^/]+/vector_storage-dense/(matrix\.dat|vectors/chunk_\d+\.mmap)")
"""Files that contain only float32 numbers."""

_CHECKED_BYTES = 1 << 30
"""All contents are checked up to this size. Of a larger index, which takes seconds to read, only file sizes and the
contents of some files."""

_SMALL_BYTES = 1 << 20
"""Contents of files up to this size are always checked, which takes milliseconds: among them the engine's settings."""


@dataclass(frozen=True, slots=True)
class Seal:
    """Description of a sealed index.

    engine: version of the engine that wrote it.
    everywhere: facets of every point.
    files: size and CRC-32 of every file, by path in the folder.
    """

    dimension: int
    points: int
    kind: SearchKind
    everywhere: tuple[str, ...]
    engine: str
    files: Mapping[str, tuple[int, int]]


@cache  # it is read from a file, and asked for several times in each build
def engine_version() -> str:
    """Version of the installed engine."""
    return version("qdrant-edge-py")


def write_seal(folder: Path, dimension: int, points: int, kind: SearchKind, everywhere: tuple[str, ...]) -> None:
    """Flush every file of the folder to disk, then write the seal. Raises OSError."""
    paths = _files(folder)
    for path in paths:
        _sync(path)
    for parent in sorted({path.parent for path in paths}):
        _sync(parent)
    files = {path.relative_to(folder).as_posix(): (path.stat().st_size, crc32_of_file(path)) for path in paths}
    body = asdict(Seal(dimension, points, kind, everywhere, engine_version(), files))
    text = json.dumps({"format": FORMAT, "crc": _crc_of(body), **body}, indent=1)
    write_files({folder / SEAL: [text.encode()]})
    _sync(folder)
    _sync(folder.parent)


def read_seal(folder: Path) -> Seal:
    """Read the seal. Raises IndexNotFound, IndexCorrupt for an unsealed index or another format."""
    try:
        text = (folder / SEAL).read_text(encoding="utf-8")
    except FileNotFoundError:
        if not folder.is_dir():
            raise IndexNotFound(
                f"There is no index {folder.name} in {folder.parent}.", hint="Build one with `assay ingest`."
            ) from None
        raise _corrupt(folder, "it was never finished") from None
    except UnicodeDecodeError:
        raise _corrupt(folder, f"its {SEAL} is damaged") from None
    try:
        body = json.loads(text)
        made_by, checksum = body.pop("format"), body.pop("crc")
    except (ValueError, KeyError, AttributeError, TypeError):
        raise _corrupt(folder, f"its {SEAL} is damaged") from None
    if isinstance(made_by, int) and made_by > FORMAT:
        raise IndexCorrupt(
            f"The index {folder.name} cannot be used: a newer version of Assay wrote it (format {made_by}; this one "
            f"reads up to {FORMAT}).",
            hint="Install that version, or build the index again with `assay publish --rebuild`.",
        )
    if made_by not in _READABLE:
        raise _corrupt(folder, f"it has format {made_by!r}, which this version of Assay does not read")
    if checksum != _crc_of(body):
        raise _corrupt(folder, f"its {SEAL} is damaged")
    files = {name: (size, crc) for name, (size, crc) in body.pop("files").items()}
    kind, everywhere = SearchKind(body.pop("kind")), tuple(body.pop("everywhere"))
    return Seal(files=files, kind=kind, everywhere=everywhere, **body)


def check_files(folder: Path, seal: Seal) -> None:
    """Compare every file with the seal. Raises IndexCorrupt at the first difference, OSError."""
    require_structure(folder, seal)
    whole = sum(size for size, _ in seal.files.values()) <= _CHECKED_BYTES
    # CHUNK_IDS is read whole to open the index. The engine does not check it, and a changed id is another chunk's.
    checked = {name for name, (size, _) in seal.files.items() if whole or size <= _SMALL_BYTES or name == CHUNK_IDS}
    for name in differing_files(folder, seal, contents=checked):
        raise _corrupt(folder, f"{name} is missing, cut short or damaged")


def require_structure(folder: Path, seal: Seal) -> None:
    """Raise IndexCorrupt if another engine wrote the index, or the segment folders differ from the sealed ones."""
    if _series(seal.engine) != _series(engine_version()):
        raise _corrupt(folder, f"it was written by qdrant-edge-py {seal.engine} and {engine_version()} is installed")
    folders = {path.name for path in (folder / SEGMENTS).glob("*")}
    if folders != {Path(name).parts[1] for name in seal.files if name.startswith(f"{SEGMENTS}/")}:
        raise _corrupt(folder, f"its {SEGMENTS} folder does not contain the sealed segments")


def differing_files(folder: Path, seal: Seal, *, contents: Collection[str]) -> Iterator[str]:
    """Names of files that differ from the seal. contents: files whose checksums are compared, and not only sizes."""
    for name, expected in seal.files.items():
        path = folder / name
        if not _matches(path, expected, contents=name in contents):
            time.sleep(0.05)  # a server that opens or closes the index replaces files by equal ones
            if not _matches(path, expected, contents=name in contents):
                yield name


def is_vector_data(folder: Path, seal: Seal, name: str) -> bool:
    """Whether a differing file contains only vectors and has the sealed size.

    The engine can read any bytes as numbers; changed bytes in other files could crash it.
    """
    kept = _NUMBERS.fullmatch(name)
    return kept is not None and _matches(folder / name, seal.files[name], contents=False)


def _matches(path: Path, expected: tuple[int, int], *, contents: bool) -> bool:
    size, checksum = expected
    try:
        return path.stat().st_size == size and (not contents or crc32_of_file(path) == checksum)
    except FileNotFoundError:
        return False


def _files(folder: Path) -> list[Path]:
    return sorted(path for path in folder.rglob("*") if path.is_file() and path.name != SEAL)


def _crc_of(body: Mapping[str, object]) -> int:
    return zlib.crc32(json.dumps(body, sort_keys=True).encode())


def _sync(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _series(release: str) -> list[str]:
    """Major and minor version; patch releases do not change the file format."""
    return release.split(".")[:2]


def _corrupt(folder: Path, reason: str) -> IndexCorrupt:
    return IndexCorrupt(f"The index {folder.name} cannot be used: {reason}.", hint=REBUILD)
