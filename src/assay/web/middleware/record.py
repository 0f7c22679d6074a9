"""The id, stage times and log fields of one request."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from time import perf_counter

from starlette.types import Scope

_KEY = "assay.record"


@dataclass(slots=True)
class RequestRecord:
    """Filled in by the middleware and the route of the request; not safe to use from several threads at once.

    id: in the X-Request-ID header and in every log line about the request.
    received_at: arrival of the request, UTC.
    stages: milliseconds by stage of a search, in order.
    notes: further fields of the log line.
    query_id: of the last search in the log of queries; None if it is not there.
    """

    id: str
    received_at: datetime = field(default_factory=partial(datetime.now, UTC))
    stages: dict[str, float] = field(default_factory=dict)
    notes: dict[str, object] = field(default_factory=dict)
    query_id: str | None = None
    _started: float = field(default_factory=perf_counter)

    def elapsed_ms(self) -> float:
        """Milliseconds since the request arrived."""
        return (perf_counter() - self._started) * 1000.0

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        """Time a stage."""
        started = perf_counter()
        try:
            yield
        finally:
            self.stages[name] = (perf_counter() - started) * 1000.0


def attach_record(scope: Scope, record: RequestRecord) -> None:
    """Store the record in the request's scope."""
    scope[_KEY] = record


def record_of(scope: Scope) -> RequestRecord:
    """The record that attach_record stored."""
    record = scope[_KEY]
    assert isinstance(record, RequestRecord)
    return record
