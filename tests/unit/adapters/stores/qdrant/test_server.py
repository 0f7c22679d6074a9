"""Retries of a search, by a clock that only the failing requests move."""

from collections.abc import Callable, Sequence

import httpx
import pytest
from qdrant_client import QdrantClient
from qdrant_client.http.exceptions import ResponseHandlingException

from assay.adapters.stores.qdrant import server as server_module
from assay.adapters.stores.qdrant.options import Access
from assay.adapters.stores.qdrant.server import QdrantServer
from assay.errors import StoreUnavailable

LIMIT = 10


class Clock:
    """Stands in for the `time` module."""

    def __init__(self) -> None:
        self.now = 1_000.0

    def monotonic(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.now += seconds


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    made = Clock()
    monkeypatch.setattr(server_module, "time", made)
    return made


def _server() -> QdrantServer:
    return QdrantServer(
        Access(
            url="http://127.0.0.1:6333",
            api_key=None,
            grpc=False,
            grpc_port=6334,
            timeout_seconds=LIMIT,
            upload_timeout_seconds=60,
            retries=2,
            patience_seconds=0.0,
        )
    )


def _failing(clock: Clock, ends: Sequence[tuple[float, httpx.HTTPError]]) -> Callable[[QdrantClient], str]:
    """A request that fails at each of these ends, after so many seconds, and is answered then."""
    left = list(ends)

    def ask(_: QdrantClient) -> str:
        if not left:
            return "answered"
        seconds, error = left.pop(0)
        clock.now += seconds
        raise ResponseHandlingException(error)

    return ask


BROKEN = httpx.RemoteProtocolError("Server disconnected without sending a response")


@pytest.mark.parametrize("waited", [0.0, 0.5, 2.4, 9.5])
def test_a_search_that_a_dying_node_breaks_is_sent_again_however_long_it_had_waited(
    clock: Clock, waited: float
) -> None:
    assert _server().search("search", "g1", _failing(clock, [(waited, BROKEN)])) == "answered"


def test_retries_end_a_second_after_the_first_failure(clock: Clock) -> None:
    with pytest.raises(StoreUnavailable, match="the connection broke"):
        _server().search("search", "g1", _failing(clock, [(2.4, BROKEN), (1.1, BROKEN)]))
    assert clock.now < 1_000.0 + 2.4 + 1.0 + 1.1


def test_a_search_that_used_up_its_time_limit_is_not_sent_again(clock: Clock) -> None:
    with pytest.raises(StoreUnavailable, match="did not answer within 10 s"):
        _server().search("search", "g1", _failing(clock, [(LIMIT, httpx.ReadTimeout("timed out"))]))
    with pytest.raises(StoreUnavailable, match="the connection broke"):
        _server().search("search", "g1", _failing(clock, [(LIMIT, BROKEN)]))
