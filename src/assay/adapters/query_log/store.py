"""The stored log of queries: a SQLite file in the data directory, or tables in the catalog's Postgres."""

import json
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, fields
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import sqlalchemy as sa

from assay.adapters.catalog.sql.database import Database, connect, may_exist, sqlite_url
from assay.adapters.catalog.sql.faults import mapped
from assay.adapters.catalog.sql.packing import json_text
from assay.adapters.catalog.sql.postgres import PostgresOptions, is_postgres
from assay.adapters.query_log.redaction import grouping_key, is_masked
from assay.adapters.query_log.tables import metadata, query_clicks, query_log
from assay.errors import CatalogError, CatalogSchemaError
from assay.model.batches import batched
from assay.model.queries import Click, LoggedQuery, QueryCount, QueryKind, QueryReport, QueryTotals
from assay.model.ranking import Filters

PAUSE = timedelta(seconds=10)
"""A search within this time replaces a typed one of the same client, if it continues it."""

_VALUES = 500
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)
_HINT = "Searches do not need the log. Check the disk and the permissions (see `assay docs queries`)."
_DROP_UNFINISHED = sa.text(
    """
    DELETE FROM query_log WHERE client IS NOT NULL AND typing = 1
      AND NOT EXISTS (SELECT 1 FROM query_clicks WHERE query_id = query_log.id)
      AND EXISTS (
        SELECT 1 FROM query_log AS later
        WHERE later.client = query_log.client AND later.at > query_log.at AND later.at <= query_log.at + :pause
          AND later.at >= :first
          AND (substr(later.text_key, 1, length(query_log.text_key)) = query_log.text_key
            OR substr(query_log.text_key, 1, length(later.text_key)) = later.text_key
            -- The end of an e-mail address, by which the whole is masked, was not typed yet.
            OR later.text_key LIKE '%[%]%'))
    """
)
_ADD_CLICK = sa.text(
    "INSERT INTO query_clicks (query_id, chunk_id, position, at) VALUES (:query_id, :chunk_id, :position, :at) "
    "ON CONFLICT DO NOTHING"
)
_DROP_STRAY_CLICKS = sa.text("DELETE FROM query_clicks WHERE query_id NOT IN (SELECT id FROM query_log)")


class QueryLog:
    """Logged queries and clicks. Safe to use from several threads and processes.

    Its errors are CatalogErrors: they come from the same kinds of databases.
    """

    def __init__(self, database: Database) -> None:
        self._database = database
        self._ready_file: tuple[int, int] | None = None  # device and inode; zeros for Postgres

    @classmethod
    def open(cls, catalog_url: str, path: Path, options: PostgresOptions) -> "QueryLog":
        """Open the log, without a connection: in the catalog's Postgres, or with a catalog in SQLite in a file.

        Raises ConfigurationError for an invalid URL.
        """
        url = catalog_url if is_postgres(catalog_url) else sqlite_url(path)
        return cls(connect(url, create=True, options=options))

    def close(self) -> None:
        """Close all connections; a second call does nothing."""
        self._database.close()

    def append(
        self, queries: Sequence[LoggedQuery], clicks: Sequence[Click], redact: Callable[[str], str]
    ) -> list[Click]:
        """Store queries and clicks in one transaction. Return the clicks on queries that the log does not have (yet).

        A typed query is dropped if the same client continues it within PAUSE, unless it has a click. A second click on
        the same hit, and one on what was not among the hits, are ignored.

        redact: applied to each text before it is stored. A value of a filter is stored as it is, unless something in
            it is masked.

        Raises CatalogError.
        """
        rows = [_row(query, redact) for query in queries]
        with self._writing() as connection:
            if rows:
                connection.execute(sa.insert(query_log), rows)
            unknown = _add_clicks(connection, clicks)
            if any(query.client for query in queries):
                first = min(_micros(query.at) for query in queries)  # earlier ones have been compared already
                connection.execute(_DROP_UNFINISHED, {"pause": PAUSE // _MICROSECOND, "first": first})
        return unknown

    def forget_clients(self, before: datetime) -> None:
        """Remove the names of clients from queries before a time. Raises CatalogError."""
        if self._is_missing():
            return
        is_old = query_log.c.client.is_not(None) & (query_log.c.at < _micros(before))
        with self._writing() as connection:
            connection.execute(sa.update(query_log).where(is_old).values(client=None))

    def purge(self, before: datetime, most: int) -> int:
        """Delete the queries before a time, and the oldest beyond `most`. Return their number. Raises CatalogError."""
        newest = sa.select(query_log.c.at).order_by(query_log.c.at.desc()).offset(most).limit(1).scalar_subquery()
        return self._delete((query_log.c.at < _micros(before)) | (query_log.c.at <= newest))

    def forget(self, text: str, *, containing: bool) -> int:
        """Delete the queries with a text, and return their number. Raises CatalogError.

        text: as redacted. containing: also delete queries that contain it.
        """
        key = grouping_key(text)
        column = query_log.c.text_key
        return self._delete(column.contains(key, autoescape=True) if containing else column == key)

    def report(self, kind: QueryKind, since: datetime | None, limit: int) -> QueryReport:
        """Count the searches since a time, and list the first `limit` texts of a kind. Raises CatalogError.

        TOP: all texts, by their number of searches. NO_RESULTS: those with unanswered searches, by their number.
        NO_CLICKS: those whose clients report clicks and that had good answers and no click, by their number.
        """
        empty = QueryReport(kind, since, QueryTotals(0, 0, 0, 0, 0, None), ())
        if self._is_missing():
            return empty
        try:
            with _of_log(), self._database.reading() as connection:
                return _report(connection, kind, since, limit)
        except CatalogSchemaError:  # there are no tables yet
            return empty

    def _delete(self, condition: sa.ColumnElement[bool]) -> int:
        if self._is_missing():
            return 0
        with self._writing() as connection:
            deleted = connection.execute(sa.delete(query_log).where(condition)).rowcount
            connection.execute(_DROP_STRAY_CLICKS)
        if deleted and self._database.is_sqlite:
            self._truncate_wal()
        return deleted

    @contextmanager
    def _writing(self) -> Iterator[sa.Connection]:
        """Open a write transaction, which creates the tables if needed."""
        with _of_log():
            if self._ready_file is None or self._ready_file != self._file():
                self._create()
            with self._database.changing_schema(durable=False) as connection:
                if self._database.is_sqlite:
                    connection.exec_driver_sql("PRAGMA secure_delete=ON")  # overwrite what is deleted
                else:
                    # Replicas that delete the same rows in another order would wait for each other.
                    connection.exec_driver_sql("SELECT pg_advisory_xact_lock(hashtext('assay queries'))")
                yield connection

    def _create(self) -> None:
        path = self._database.path
        if path is not None:
            self._database.engine.dispose()  # connections to a file that was removed, which would lose all that follows
            _make_private_file(path)
            self._run_outside_transaction("PRAGMA journal_mode=WAL")
        with self._database.changing_schema() as connection:
            if path is None:
                connection.exec_driver_sql("SELECT pg_advisory_xact_lock(hashtext('assay queries'))")
            metadata.create_all(connection)
        self._ready_file = self._file()

    def _is_missing(self) -> bool:
        path = self._database.path
        return path is not None and not may_exist(path)

    def _file(self) -> tuple[int, int] | None:
        """The identity of the present file; None if it is missing or inaccessible."""
        path = self._database.path
        if path is None:
            return 0, 0
        try:
            found = path.stat()
        except OSError:
            return None
        return found.st_dev, found.st_ino

    def _truncate_wal(self) -> None:
        """Remove the write-ahead log, which still has what was deleted; a reader may keep it for now."""
        with suppress(CatalogError), _of_log():
            self._run_outside_transaction("PRAGMA wal_checkpoint(TRUNCATE)")

    def _run_outside_transaction(self, statement: str) -> None:
        with mapped(self._database.name), self._database.engine.connect() as connection:
            connection.connection.cursor().execute(statement)


@contextmanager
def _of_log() -> Iterator[None]:
    """Reword the errors of the block: they are about the log of queries, not the catalog."""
    try:
        yield
    except CatalogError as error:
        raise type(error)(error.message.replace("The catalog", "The log of queries", 1), hint=_HINT) from error


def _make_private_file(path: Path) -> None:
    """Create the file so that only this user can read it; SQLite gives its other files the same mode."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        os.close(os.open(path, os.O_CREAT | os.O_RDWR, 0o600))
    except OSError as error:
        raise CatalogError(f"The log of queries {path} cannot be written ({error.strerror}).", hint=_HINT) from error


def _row(query: LoggedQuery, redact: Callable[[str], str]) -> dict[str, object]:
    text = redact(query.text)
    return {
        "id": query.id,
        "at": _micros(query.at),
        "text": text,
        "text_key": grouping_key(text),
        "route": query.route,
        "filters": json_text(_plain_filters(query.filters, redact)),
        "generation": query.generation,
        "hits": json_text(query.hits),
        "answered": int(query.answered),
        "typing": int(query.typing),
        "reports_clicks": int(query.reports_clicks),
        "client": query.client or None,
    }


def _add_clicks(connection: sa.Connection, clicks: Sequence[Click]) -> list[Click]:
    """Insert the clicks on hits; return those on unknown queries."""
    unknown: list[Click] = []
    for batch in batched(clicks, _VALUES):
        ids = {click.query_id for click in batch}
        found = sa.select(query_log.c.id, query_log.c.hits, query_log.c.reports_clicks).where(query_log.c.id.in_(ids))
        hits = {row.id: json.loads(row.hits) if row.reports_clicks else [] for row in connection.execute(found)}
        unknown += [click for click in batch if click.query_id not in hits]
        rows = [
            {**asdict(click), "position": hits[click.query_id].index(click.chunk_id) + 1, "at": _micros(click.at)}
            for click in batch
            if click.chunk_id in hits.get(click.query_id, ())
        ]
        if rows:
            connection.execute(_ADD_CLICK, rows)
    return unknown


def _report(connection: sa.Connection, kind: QueryKind, since: datetime | None, limit: int) -> QueryReport:
    log, best = query_log.c, _best_clicks()
    searches, unanswered = sa.func.count(), sa.func.count() - sa.func.sum(log.answered)
    clicked = sa.func.count(best.c.query_id)
    with_good_answer = sa.func.sum(log.reports_clicks * log.answered)
    figures = (searches, unanswered, sa.func.sum(log.reports_clicks), clicked, sa.func.avg(best.c.position * 1.0))
    condition = sa.true() if since is None else log.at >= _micros(since)
    joined = query_log.outerjoin(best, best.c.query_id == log.id)
    totals = sa.select(sa.func.count(log.text_key.distinct()), *figures).select_from(joined).where(condition)
    queries, *counts = connection.execute(totals).one()
    filters = (sa.func.min(log.filters), sa.func.max(log.filters))
    listed = (
        sa.select(sa.func.min(log.text), sa.func.max(log.at), *filters, *figures)
        .select_from(joined)
        .where(condition)
        .group_by(log.text_key)
    )
    order = {
        QueryKind.TOP: (searches, searches > 0),
        QueryKind.NO_RESULTS: (unanswered, unanswered > 0),
        QueryKind.NO_CLICKS: (with_good_answer, sa.and_(with_good_answer > 0, clicked == 0)),
    }
    by, having = order[kind]
    rows = connection.execute(listed.having(having).order_by(by.desc(), log.text_key).limit(limit))
    return QueryReport(
        kind, since, QueryTotals(queries=queries, **_figures(counts)), tuple(_count(tuple(row)) for row in rows)
    )


def _best_clicks() -> sa.Subquery:
    """The best rank that was clicked, for each query with a click."""
    best = sa.func.min(query_clicks.c.position).label("position")
    return sa.select(query_clicks.c.query_id, best).group_by(query_clicks.c.query_id).subquery()


def _count(row: Sequence[Any]) -> QueryCount:
    text, at, first, last, *figures = row
    filters = _filters(json.loads(first)) if first == last else Filters()
    return QueryCount(text=text, last_at=_EPOCH + at * _MICROSECOND, filters=filters, **_figures(figures))


def _figures(values: Sequence[Any]) -> dict[str, Any]:
    searches, unanswered, reported, clicked, position = values
    return {
        "searches": searches,
        "unanswered": int(unanswered or 0),
        "with_clicks_reported": int(reported or 0),
        "clicked": clicked,
        "mean_position": None if position is None else float(position),
    }


def _plain_filters(filters: Filters, redact: Callable[[str], str]) -> dict[str, object]:
    def masked(value: object) -> object:
        if isinstance(value, str):
            return shown if is_masked(shown := redact(value)) else value
        return [masked(one) for one in value] if isinstance(value, tuple) else value

    return {one.name: masked(value) for one in fields(filters) if (value := getattr(filters, one.name)) != one.default}


def _filters(plain: Mapping[str, Any]) -> Filters:
    values: dict[str, Any] = {name: tuple(one) if isinstance(one, list) else one for name, one in plain.items()}
    return Filters(**values)


def _micros(moment: datetime) -> int:
    return (moment - _EPOCH) // _MICROSECOND
