"""A cache of paid vectors in a SQLite file, so that an interrupted build can continue.

Each batch is one transaction, flushed to disk before the next request. Rows have checksums: damaged ones are left out,
and their texts embedded again. A file that is not a database is replaced.
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
    """Stores vectors in a file, for one process at a time (ensured by the build lock). Safe to use from threads.

    If the file cannot be written, it logs one warning and stops caching; the build continues.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lock = threading.Lock()
        self._connection: sqlite3.Connection | None = None
        self._disabled = False

    def vectors(self, embedder: EmbedderIdentity, hashes: Sequence[str]) -> dict[str, Vector]:
        """The stored vectors, bit for bit, by hash of the embedded text; missing ones are left out."""
        with self._lock:
            try:
                if self._connection is None and not self._path.exists():
                    return {}
                return dict(self._read(self._open(), embedder, hashes))
            except (sqlite3.Error, OSError) as error:
                self._disable(error)
                return {}

    def keep(self, embedder: EmbedderIdentity, vectors: Mapping[str, Vector]) -> None:
        """Store vectors durably by hash of the embedded text."""
        with self._lock:
            if self._disabled:
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
                self._disable(error)

    def clear(self) -> None:
        """Delete everything."""
        with self._lock:
            self._close()
            self._disabled = False
            for suffix in _FILES:
                try:
                    self._path.with_name(self._path.name + suffix).unlink(missing_ok=True)
                except OSError as error:
                    logger.warning("%s cannot be deleted: %s", self._path, error)

    def close(self) -> None:
        """Close the store; a second call does nothing."""
        with self._lock:
            self._close()

    def _open(self) -> sqlite3.Connection:
        if self._connection is None:
            try:
                self._connection = self._connect()
            except sqlite3.DatabaseError as error:
                if isinstance(error, sqlite3.OperationalError):
                    raise
                logger.warning("%s is damaged (%s) and replaced; its texts are embedded again.", self._path, error)
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
        for batch in batched(hashes, _VARIABLES):
            marks = ", ".join("?" * len(batch))
            statement = f"SELECT hash, checksum, vector FROM vectors WHERE embedder = ? AND hash IN ({marks})"  # noqa: S608 - only question marks
            for digest, checksum, content in connection.execute(statement, (fingerprint, *batch)):
                if len(content) == size and zlib.crc32(content) == checksum:
                    yield digest, np.frombuffer(content, dtype="<f4").astype(np.float32)

    def _disable(self, error: Exception) -> None:
        """Warn once and stop caching."""
        if not self._disabled:
            logger.warning(
                "Vectors cannot be cached in %s (%s): if this build is interrupted, its texts are embedded again.",
                self._path,
                error,
            )
        self._disabled = True
        self._close()

    def _close(self) -> None:
        if self._connection is not None:
            try:
                self._connection.close()
            except sqlite3.Error as error:
                logger.warning("%s: %s", self._path, error)
            self._connection = None
