"""Vectors that were paid for, in a SQLite file, so that a build that dies goes on where it was.

Each batch is one transaction, synchronised to the disk before the next request is made. A row has a checksum: one
that is damaged is left out, and its text embedded again. A file that is no database is begun anew.
"""

import logging
import sqlite3
import threading
import zlib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np

from assay.model.batches import batched
from assay.model.generations import EmbedderIdentity
from assay.ports import Vector

logger = logging.getLogger(__name__)

_SCHEMA = """
CREATE TABLE IF NOT EXISTS vectors (
    embedder TEXT NOT NULL, hash TEXT NOT NULL, checksum INTEGER NOT NULL, vector BLOB NOT NULL,
    PRIMARY KEY (embedder, hash)
) WITHOUT ROWID
"""
_VARIABLES = 500
_FILES = ("", "-wal", "-shm", "-journal")


class SqliteEmbeddingCache:
    """Keeps vectors in one file, for one process at a time (the build lock sees to it). Safe to use from threads.

    A file that cannot be written, as on a full disk, is warned of once and gone without: what is paid for so far goes
    into the index all the same.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lock = threading.Lock()
        self._connection: sqlite3.Connection | None = None
        self._useless = False

    def vectors(self, embedder: EmbedderIdentity, hashes: Sequence[str]) -> dict[str, Vector]:
        """The vectors that are there and undamaged, bit for bit as they were kept, by hash of the embedded text."""
        with self._lock:
            try:
                if self._connection is None and not self._path.exists():
                    return {}
                return dict(self._read(self._open(), embedder, hashes))
            except (sqlite3.Error, OSError) as error:
                self._do_without(error)
                return {}

    def keep(self, embedder: EmbedderIdentity, vectors: Mapping[str, Vector]) -> None:
        """Keep vectors; when this returns they are on the disk, or a warning was logged."""
        with self._lock:
            if self._useless:
                return
            rows = [
                (embedder.fingerprint, digest, zlib.crc32(content), content)
                for digest, vector in vectors.items()
                for content in (vector.astype("<f4").tobytes(),)
            ]
            try:
                connection = self._open()
                with connection:
                    connection.executemany("INSERT OR REPLACE INTO vectors VALUES (?, ?, ?, ?)", rows)
            except (sqlite3.Error, OSError) as error:
                self._do_without(error)

    def clear(self) -> None:
        """Remove the file."""
        with self._lock:
            self._close()
            self._useless = False
            for suffix in _FILES:
                try:
                    self._path.with_name(self._path.name + suffix).unlink(missing_ok=True)
                except OSError as error:
                    logger.warning("%s cannot be removed: %s", self._path, error)

    def close(self) -> None:
        """Let go of the file; a second call does nothing."""
        with self._lock:
            self._close()

    def _open(self) -> sqlite3.Connection:
        if self._connection is None:
            try:
                self._connection = self._connect()
            except sqlite3.DatabaseError as error:
                if isinstance(error, sqlite3.OperationalError):
                    raise
                logger.warning("%s is damaged (%s) and begun anew; its texts are embedded again.", self._path, error)
                for suffix in _FILES:
                    self._path.with_name(self._path.name + suffix).unlink(missing_ok=True)
                self._connection = self._connect()
        return self._connection

    def _connect(self) -> sqlite3.Connection:
        connection = sqlite3.connect(self._path, timeout=5.0, check_same_thread=False)
        try:
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute("PRAGMA synchronous = FULL")
            connection.execute(_SCHEMA)
            connection.execute("SELECT embedder, hash, checksum, vector FROM vectors LIMIT 1").fetchall()
        except BaseException:
            connection.close()
            raise
        return connection

    def _read(
        self, connection: sqlite3.Connection, embedder: EmbedderIdentity, hashes: Sequence[str]
    ) -> Iterator[tuple[str, Vector]]:
        fingerprint, size = embedder.fingerprint, 4 * embedder.dimension
        for some in batched(hashes, _VARIABLES):
            marks = ", ".join("?" * len(some))
            statement = f"SELECT hash, checksum, vector FROM vectors WHERE embedder = ? AND hash IN ({marks})"  # noqa: S608 - only question marks
            for digest, checksum, content in connection.execute(statement, (fingerprint, *some)):
                if len(content) == size and zlib.crc32(content) == checksum:
                    yield digest, np.frombuffer(content, dtype="<f4").astype(np.float32)

    def _do_without(self, error: Exception) -> None:
        """Say so once; a build that can still write its index need not stop."""
        if not self._useless:
            logger.warning(
                "Vectors cannot be kept in %s (%s): if this build is interrupted, its texts are embedded again.",
                self._path,
                error,
            )
        self._useless = True
        self._close()

    def _close(self) -> None:
        if self._connection is not None:
            try:
                self._connection.close()
            except sqlite3.Error as error:
                logger.warning("%s: %s", self._path, error)
            self._connection = None
