"""A built site in an archive: its pages and lists are unpacked into a temporary folder, within limits.

Unpacked files are numbered, so no name in an archive becomes a path on disk.
"""

import errno
import gzip
import io
import os
import stat
import struct
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory

from assay.adapters.sources.built.files import SiteFiles, is_wanted
from assay.errors import SourceError

ARCHIVES = (".zip", ".tar.gz", ".tgz", ".tar")
ROOT_FILES = ("index.html", "index.htm", "sitemap.xml", "sitemap-index.xml", "404.html")
"""Files at the root of a site, of which most sites have one."""

_MAX_MEMBERS = 200_000
_MAX_BYTES = 8_000_000_000
_MAX_RATIO = 200
_SMALL_BYTES = 100_000_000
"""Unpacked bytes from which the ratio counts; small archives may be compressed more."""

_OUTSIDE = "its path leads out of the archive"
_PIECE = 1 << 20
_UNREADABLE: tuple[type[Exception], ...] = (
    *(zipfile.BadZipFile, tarfile.TarError, zlib.error, EOFError, ValueError, NotImplementedError, RuntimeError),
    *(IndexError, struct.error, OverflowError),  # of the standard library's readers, for impossible headers
    OSError,
)
with suppress(ImportError):  # Python can be built without it
    import lzma

    _UNREADABLE = (*_UNREADABLE, lzma.LZMAError)


class _TooLarge(Exception):
    pass


@dataclass
class _Bounds:
    """Counts members and unpacked bytes. Raises _TooLarge at a limit. size: of the archive in bytes."""

    size: int
    members: int = 0
    unpacked: int = 0

    def add_member(self) -> None:
        self.members += 1
        if self.members > _MAX_MEMBERS:
            raise _TooLarge(f"it has more than {_MAX_MEMBERS:,} files")

    def add_bytes(self, count: int) -> None:
        self.unpacked += count
        if self.unpacked > _MAX_BYTES:
            raise _TooLarge(f"it unpacks to more than {_MAX_BYTES:,} bytes")
        if self.unpacked > _SMALL_BYTES and self.unpacked > _MAX_RATIO * self.size:
            raise _TooLarge(f"it unpacks to more than {_MAX_RATIO} times its size")


@dataclass
class _Unpacked:
    """The files of an archive, unpacked into a folder. limit: bytes of the largest page."""

    folder: Path
    limit: int
    files: SiteFiles = field(default_factory=SiteFiles)

    def add(self, path: str, size: int, read: Callable[[int], bytes]) -> None:
        """Unpack a file, or note that it is too large. read: its first bytes."""
        if not is_wanted(path):
            self.files.add(path, "")
            return
        content = read(self.limit + 1)
        target = Path(
            self.files.paths.get(path) or self.folder / str(len(self.files.paths))
        )  # of members with one name, the last counts
        if len(content) > self.limit:
            self.files.sizes[path] = max(size, len(content))
            content = b""
        else:
            self.files.sizes.pop(path, None)
        target.write_bytes(content)
        self.files.paths[path] = str(target)


def is_archive(path: Path) -> bool:
    """Whether a path names an archive that can be read."""
    return path.name.lower().endswith(ARCHIVES)


@contextmanager
def unpacked(path: Path, data_dir: Path | None, limit: int) -> Iterator[SiteFiles]:
    """The files of a site in an archive, while the context is open.

    If all files are in one folder that holds the site's index or sitemap, paths are relative to that folder.
    data_dir: Assay's folder, which holds the temporary one. limit: bytes of the largest page; larger ones fail.

    Raises SourceError when the archive cannot be unpacked or exceeds a limit.
    """
    try:
        parent = None if data_dir is None else data_dir / "crawl"
        if parent is not None:
            parent.mkdir(parents=True, exist_ok=True)
        temporary = TemporaryDirectory(prefix="unpacked-", dir=parent)
    except OSError as error:
        raise _unusable(path, error) from None
    with temporary as folder:
        yield _below_single_folder(_unpack(path, Path(folder), limit))


def _unpack(path: Path, folder: Path, limit: int) -> SiteFiles:
    found = _Unpacked(folder, limit)
    unpack = _unpack_zip if path.name.lower().endswith(".zip") else _unpack_tar
    try:
        unpack(path, found, _Bounds(path.stat().st_size))
    except _TooLarge as error:
        raise SourceError(f"{path} is not unpacked: {error}.", hint="Unpack it, and give the folder.") from None
    except _UNREADABLE as error:
        raise _unusable(path, error) from None
    return found.files


def _unusable(path: Path, error: Exception) -> SourceError:
    hint = "Make the archive again." if _is_damage(error) else "Check the file and the free space."
    return SourceError(f"{path} cannot be unpacked: {_reason(error)}.", hint=hint)


def _is_damage(error: Exception) -> bool:
    """Whether an error is of the archive's content (a bad stream, a wrong offset), and not of the file system."""
    return not isinstance(error, OSError) or error.errno in {None, errno.EINVAL}


def _reason(error: Exception) -> str:
    written = getattr(error, "strerror", None) or str(error)
    return " ".join(written.split()).rstrip(".") or type(error).__name__


def _unpack_zip(path: Path, found: _Unpacked, bounds: _Bounds) -> None:
    with zipfile.ZipFile(path) as archive:
        for member in archive.infolist():
            bounds.add_member()
            if member.filename.endswith("/"):  # is_dir() fails for an empty name
                continue
            name = _checked_name(member.filename, found.files)
            mode = member.external_attr >> 16
            if name is None:
                continue
            if stat.S_IFMT(mode) not in {0, stat.S_IFREG}:
                found.files.excluded.append((name, "a link or a device in the archive"))
            elif member.flag_bits & 1:
                found.files.failed.append((name, "it is encrypted"))
            else:
                _unpack_member(archive, member, name, found, bounds)


def _unpack_member(
    archive: zipfile.ZipFile, member: zipfile.ZipInfo, name: str, found: _Unpacked, bounds: _Bounds
) -> None:
    def read(most: int) -> bytes:
        with archive.open(member) as file:
            content = file.read(most)
        bounds.add_bytes(len(content))
        return content

    try:
        found.add(name, member.file_size, read)
    except _UNREADABLE as error:
        if not _is_damage(error):
            raise
        found.files.failed.append((name, f"damaged in the archive: {_reason(error)}"))


def _unpack_tar(path: Path, found: _Unpacked, bounds: _Bounds) -> None:
    with path.open("rb") as file:
        packed = file.read(2) == b"\x1f\x8b"
        file.seek(0)
        stream = _BoundedStream(gzip.GzipFile(fileobj=file) if packed else file, bounds)
        with tarfile.open(fileobj=stream, mode="r|") as archive:
            for member in archive:
                bounds.add_member()
                name = None if member.isdir() else _checked_name(member.name, found.files)
                if name is None:
                    continue
                content = archive.extractfile(member) if member.isreg() and not member.issparse() else None
                if content is None:
                    found.files.excluded.append((name, "a link or a device in the archive"))
                else:
                    found.add(name, member.size, content.read)


class _BoundedStream(io.RawIOBase):
    """An unpacked stream whose bytes are counted."""

    def __init__(self, stream: "gzip.GzipFile | io.BufferedReader", bounds: _Bounds) -> None:
        self._stream = stream
        self._bounds = bounds

    def read(self, size: int = -1) -> bytes:
        """Read at most a megabyte."""
        content = self._stream.read(_PIECE if size < 0 else min(size, _PIECE))
        self._bounds.add_bytes(len(content))
        return content


def _checked_name(written: str, files: SiteFiles) -> str | None:
    """The path of a member relative to the archive; None for a hidden one, and for one that is not read."""
    path = written.replace("\\", "/")
    parts = [part for part in path.split("/") if part not in {"", "."}]
    name = "/".join(parts)
    if path.startswith("/") or ".." in parts or (parts and ":" in parts[0]) or not parts:
        files.excluded.append((written or ".", _OUTSIDE))
        return None
    try:
        name.encode("utf-8")
    except UnicodeEncodeError:
        files.failed.append((os.fsencode(name).decode("utf-8", "backslashreplace"), "the name is not UTF-8; rename it"))
        return None
    return None if any(part.startswith(".") or part == "__MACOSX" for part in parts) else name


def _below_single_folder(files: SiteFiles) -> SiteFiles:
    """The same files relative to the folder that holds the whole site, if there is one."""
    tops = {PurePosixPath(path).parts[0] for path in files.paths}
    if len(tops) != 1:
        return files
    prefix = f"{tops.pop()}/"
    if not any(f"{prefix}{name}" in files.paths for name in ROOT_FILES):
        return files
    return SiteFiles(
        {path.removeprefix(prefix): opened for path, opened in files.paths.items()},
        {path.removeprefix(prefix): size for path, size in files.sizes.items()},
        files.others,
        [(path.removeprefix(prefix), reason) for path, reason in files.excluded],
        [(path.removeprefix(prefix), reason) for path, reason in files.failed],
    )
