"""The pages fetched from a site, in a SQLite file: for conditional requests and to resume an interrupted crawl.

Table `page` has the last good response of each address. Table `visit` has the results of the current or last crawl;
an empty outcome means queued. Readers use a snapshot, so a later crawl does not disturb them.
"""

import contextlib
import logging
import os
import sqlite3
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import astuple, dataclass
from pathlib import Path
from typing import NamedTuple

from filelock import FileLock, Timeout

from assay.errors import SourceError

logger = logging.getLogger(__name__)

SCHEMA = 1
_TABLES = """
CREATE TABLE IF NOT EXISTS about (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS page (
    key TEXT PRIMARY KEY, served_at TEXT NOT NULL, etag TEXT NOT NULL, modified TEXT NOT NULL, media TEXT NOT NULL,
    body_hash TEXT NOT NULL, facts TEXT NOT NULL, revision INTEGER NOT NULL, links BLOB NOT NULL, body BLOB NOT NULL
);
CREATE TABLE IF NOT EXISTS visit (
    key TEXT PRIMARY KEY, address TEXT NOT NULL, depth INTEGER NOT NULL, kinds INTEGER NOT NULL,
    outcome TEXT NOT NULL, detail TEXT NOT NULL
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS listing (address TEXT PRIMARY KEY, entries INTEGER NOT NULL) WITHOUT ROWID;
"""
_BUSY_SECONDS = 60.0
_LOCK_SECONDS = 900.0


@dataclass(frozen=True, slots=True)
class StoredPage:
    """The last good response of an address.

    etag, modified: as sent; "" if not. body_hash: SHA-256 of the text. revision: of the facts.
    """

    key: str
    served_at: str
    etag: str
    modified: str
    media: str
    body_hash: str
    facts: str
    revision: int


class Visit(NamedTuple):
    """An address that is queued or was fetched. kinds: how it was found, as bits."""

    key: str
    address: str
    depth: int
    kinds: int
    outcome: str = ""
    detail: str = ""


def compress(text: str) -> bytes:
    """Compress a text for the store."""
    return zlib.compress(text.encode("utf-8", "replace"), 1)


def decompress(content: bytes) -> str:
    """Decompress a text from the store."""
    return zlib.decompress(content).decode("utf-8")


class CrawlStore:
    """The store of one source. For one thread at a time; several crawls may have it open.

    Raises SourceError where it cannot be opened or written.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lock = FileLock(str(path) + ".lock")
        self._connection = self._open()

    @contextlib.contextmanager
    def file_lock(self) -> Iterator[None]:
        """Hold the file lock; wait for another process's crawl to finish. Raises SourceError after 15 minutes."""
        try:
            if not self._try_lock():
                logger.warning("Another process is crawling this site; waiting for it to finish.")
                self._lock.acquire(timeout=_LOCK_SECONDS)
        except Timeout:
            raise SourceError(
                f"Another process has been crawling this site for over {_LOCK_SECONDS / 60:.0f} minutes.",
                hint="Wait until it has finished, and run again.",
            ) from None
        except OSError as error:
            raise self._unusable(error) from None
        try:
            yield
        finally:
            self._lock.release()

    def _try_lock(self) -> bool:
        try:
            self._lock.acquire(timeout=0)
        except Timeout:
            return False
        return True

    @contextlib.contextmanager
    def _mapped_errors(self) -> Iterator[sqlite3.Connection]:
        try:
            yield self._connection
        except (sqlite3.Error, zlib.error, UnicodeDecodeError) as error:
            raise self._unusable(error) from None

    def _unusable(self, error: Exception) -> SourceError:
        return SourceError(
            f"The page store of this site, {self._path}, cannot be used: {error}.",
            hint="Check for a full disk, a read-only folder or a damaged file. The file may be deleted; all pages "
            "are then fetched again.",
        )

    def _open(self) -> sqlite3.Connection:
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            try:
                self._create_private()
                return self._connect()
            except sqlite3.DatabaseError as error:
                if isinstance(error, sqlite3.OperationalError):
                    raise
                logger.warning("%s is damaged (%s); all pages of this site are fetched again.", self._path, error)
                for suffix in ("", "-wal", "-shm"):
                    Path(str(self._path) + suffix).unlink(missing_ok=True)
                self._create_private()
                return self._connect()
        except (sqlite3.Error, OSError) as error:
            raise self._unusable(error) from None

    def _create_private(self) -> None:
        """Create the file readable by its owner only: the pages may need a login. SQLite's log inherits the mode."""
        os.close(os.open(self._path, os.O_RDWR | os.O_CREAT, 0o600))

    def _connect(self) -> sqlite3.Connection:
        connection = sqlite3.connect(
            self._path, timeout=_BUSY_SECONDS, isolation_level=None, check_same_thread=False, cached_statements=64
        )
        try:
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute("PRAGMA synchronous = NORMAL")
            connection.execute("PRAGMA cache_size = -4000")
            connection.execute("BEGIN IMMEDIATE")
            tables = {name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
            version = connection.execute("PRAGMA user_version").fetchone()[0]
            if tables and version != SCHEMA:
                for name in ("about", "page", "visit", "listing"):
                    connection.execute(f"DROP TABLE IF EXISTS {name}")
            for statement in _TABLES.split(";"):
                connection.execute(statement)
            connection.execute(f"PRAGMA user_version = {SCHEMA}")
            connection.execute("COMMIT")
        except BaseException:
            connection.close()
            raise
        return connection

    # --- crawl state ---

    def begin(self, fingerprint: str, now: float, resume_seconds: float) -> bool:
        """Start a crawl or resume an interrupted one; true if resumed.

        fingerprint: of everything that decides which pages are found. now: seconds since 1970.
        """
        with self._mapped_errors() as connection, self._transaction():
            about = dict(connection.execute("SELECT name, value FROM about"))
            resumed = (
                about.get("state") == "open"
                and about.get("fingerprint") == fingerprint
                and 0 <= now - float(about.get("began", 0)) < resume_seconds
            )
            if resumed:
                connection.execute("UPDATE visit SET outcome = '', detail = '' WHERE outcome = 'failed'")
            else:
                connection.execute("DELETE FROM visit")
                values = {"state": "open", "fingerprint": fingerprint, "began": repr(now)}
                connection.executemany("INSERT OR REPLACE INTO about VALUES (?, ?)", values.items())
            return resumed

    def finish(self, listings: dict[str, int]) -> None:
        """End the crawl: delete pages that no longer exist, and remember the sitemaps that were read."""
        with self._mapped_errors() as connection, self._transaction():
            connection.execute(
                "DELETE FROM page WHERE key NOT IN (SELECT key FROM visit WHERE outcome IN ('page', 'failed'))"
            )
            connection.execute("DELETE FROM listing")
            connection.executemany("INSERT INTO listing VALUES (?, ?)", listings.items())
            connection.execute("INSERT OR REPLACE INTO about VALUES ('state', 'whole')")

    def listings(self) -> dict[str, int]:
        """The sitemaps of the last complete crawl: address and number of entries."""
        with self._mapped_errors() as connection:
            return dict(connection.execute("SELECT address, entries FROM listing"))

    def set_value(self, name: str, value: str) -> None:
        """Store a small value for later crawls."""
        with self._mapped_errors() as connection, self._transaction():
            connection.execute("INSERT OR REPLACE INTO about VALUES (?, ?)", (name, value))

    def get_value(self, name: str) -> str | None:
        """A stored value; None if there is none."""
        with self._mapped_errors() as connection:
            row = connection.execute("SELECT value FROM about WHERE name = ?", (name,)).fetchone()
            return None if row is None else str(row[0])

    def write(self, visits: Iterable[Visit], pages: Iterable[tuple[StoredPage, bytes, bytes]]) -> None:
        """Write results in one transaction. pages: with links and body, compressed."""
        with self._mapped_errors() as connection, self._transaction():
            connection.executemany(
                "INSERT OR REPLACE INTO page VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                ((*astuple(page), links, body) for page, links, body in pages),
            )
            connection.executemany("INSERT OR REPLACE INTO visit VALUES (?, ?, ?, ?, ?, ?)", visits)

    @contextlib.contextmanager
    def _transaction(self) -> Iterator[None]:
        self._connection.execute("BEGIN IMMEDIATE")
        try:
            yield
        except BaseException:
            self._connection.execute("ROLLBACK")
            raise
        self._connection.execute("COMMIT")

    # --- reading ---

    def visits(self) -> Iterator[Visit]:
        """Every address of this crawl, in ascending order of keys."""
        with self._mapped_errors() as connection:
            for row in connection.execute("SELECT key, address, depth, kinds, outcome, detail FROM visit ORDER BY key"):
                yield Visit(*row)

    def page(self, key: str) -> StoredPage | None:
        """The last good response of an address, without its body."""
        with self._mapped_errors() as connection:
            row = connection.execute(
                "SELECT key, served_at, etag, modified, media, body_hash, facts, revision FROM page WHERE key = ?",
                (key,),
            ).fetchone()
            return None if row is None else StoredPage(*row)

    def pages(self) -> Iterator[StoredPage]:
        """The pages of this crawl, without their bodies, in ascending order of keys."""
        with self._mapped_errors() as connection:
            for row in connection.execute(
                "SELECT page.key, served_at, etag, modified, media, body_hash, facts, revision FROM page "
                "JOIN visit ON visit.key = page.key WHERE visit.outcome = 'page' ORDER BY page.key"
            ):
                yield StoredPage(*row)

    def links(self, key: str) -> list[str]:
        """The links of an address's stored page; empty if there is none."""
        with self._mapped_errors() as connection:
            row = connection.execute("SELECT links FROM page WHERE key = ?", (key,)).fetchone()
            return decompress(row[0]).split("\n") if row is not None and row[0] else []

    def body(self, key: str) -> str:
        """The text of an address's stored page. Raises SourceError when there is none."""
        with self._mapped_errors() as connection:
            row = connection.execute("SELECT body FROM page WHERE key = ?", (key,)).fetchone()
            if row is None:
                raise SourceError(f"The text of {key} is not in the store.", hint="Read the site again.")
            return decompress(row[0])

    def take_snapshot(self) -> None:
        """Read from a snapshot from now on, whatever others write. This object must not write any more."""
        with self._mapped_errors() as connection:
            connection.execute("BEGIN")
            connection.execute("SELECT count(*) FROM about").fetchone()

    def close(self) -> None:
        """Close the file. A second call does nothing."""
        self._connection.close()
