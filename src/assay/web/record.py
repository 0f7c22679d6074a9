"""What is known of one request while it is answered: its id, its stages and what the log line will say."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from time import perf_counter

from starlette.types import Scope

_KEY = "assay.record"


@dataclass(slots=True)
class RequestRecord:
    """Gathered along the way by whoever works on the request, one at a time.

    id: in the X-Request-ID header and in every log line about the request.
    stages: milliseconds by stage of a search, in order.
    notes: further fields of the log line.
    """

    id: str
    stages: dict[str, float] = field(default_factory=dict)
    notes: dict[str, object] = field(default_factory=dict)

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        """Time a stage."""
        started = perf_counter()
        try:
            yield
        finally:
            self.stages[name] = (perf_counter() - started) * 1000.0


def attach_record(scope: Scope, record: RequestRecord) -> None:
    """Keep the record with its request."""
    scope[_KEY] = record


def record_of(scope: Scope) -> RequestRecord:
    """The record of a request that has one."""
    record = scope[_KEY]
    assert isinstance(record, RequestRecord)
    return record
