"""Some hundred cases of the fuzz of every route: the same ones every time. `make soak` asks thousands of new ones."""

from http.client import HTTPConnection, HTTPResponse
from pathlib import Path

import pytest
import requests
from benchmarks.fuzz import Tally, _raw, fuzz
from hypothesis.errors import FlakyFailure
from tests.integration.web.conftest import ROUTES, running_server

CASES = 240
SEED = 20_260_301

# 15 seconds of the processor, which take minutes while the machine has much else to do.
pytestmark = [pytest.mark.slow, pytest.mark.timeout(1_800)]


def test_no_request_gets_a_5xx_or_an_answer_that_is_not_declared(published: Path) -> None:
    with running_server(published) as server:
        tally = fuzz(f"http://127.0.0.1:{server.port}", CASES, SEED)
        log = server.stop()
    assert tally.failures == [], "\n\n".join(tally.failures)
    assert tally.cases >= CASES
    assert kinds_and_routes(tally) >= {
        (kind, f"POST {path}") for kind in ("fitting", "unfitting", "raw") for path in ROUTES
    }
    assert statuses(tally, "fitting") == {200, 400}
    assert statuses(tally, "unfitting") == {400}
    assert "Traceback" not in log


def kinds_and_routes(tally: Tally) -> set[tuple[str, str]]:
    return {(kind, route) for kind, route, _ in tally.statuses}


def statuses(tally: Tally, wanted: str) -> set[int]:
    """What the routes that search answered."""
    searching = {f"POST {path}" for path in ROUTES}
    return {status for kind, route, status in tally.statuses if kind == wanted and route in searching}


FAULTY = """
class Faulty(Searches):
    def search(self, query, *how, **named):
        if len(query.text) % 2:
            raise KeyError(query.text)
        return super().search(query, *how, **named)
"""


def test_the_fuzz_finds_a_search_that_fails(published: Path) -> None:
    with running_server(published, definitions=FAULTY, kind="Faulty") as server:
        tally = fuzz(f"http://127.0.0.1:{server.port}", 60, SEED)
    assert any("500" in failure for failure in tally.failures)


UNDECLARED = """
from assay.contracts import search_api
to_body = search_api.to_body
search_api.to_body = lambda ranking, rows: to_body(ranking, rows) | {"debug": ranking.generation}
"""


def test_the_fuzz_finds_an_answer_that_is_not_declared(published: Path) -> None:
    with running_server(published, definitions=UNDECLARED) as server:
        tally = fuzz(f"http://127.0.0.1:{server.port}", 60, SEED)
    assert tally.failures
    assert all("POST /search, fitting" in failure for failure in tally.failures)


SLOW = """
from time import sleep
class Slow(Searches):
    def health(self):
        sleep(3)
        return super().health()
"""


def test_a_health_check_that_takes_too_long_is_no_fault(published: Path) -> None:
    with running_server(published, definitions=SLOW, kind="Slow") as server:
        tally = fuzz(f"http://127.0.0.1:{server.port}", 1, SEED)
    assert tally.failures == []
    assert tally.statuses["fitting", "GET /readyz", 503] == 1


def test_the_fuzz_reports_why_a_request_had_no_answer(published: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    answer = HTTPConnection.getresponse
    calls: list[HTTPConnection] = []

    def fail_once(connection: HTTPConnection) -> HTTPResponse:
        calls.append(connection)
        if len(calls) == 1:
            raise TimeoutError("no answer in time")
        return answer(connection)

    with running_server(published) as server:
        url = f"http://127.0.0.1:{server.port}"
        document = requests.get(f"{url}/openapi.json", timeout=60).json()
        monkeypatch.setattr(HTTPConnection, "getresponse", fail_once)
        with pytest.raises(FlakyFailure, match="TimeoutError: no answer in time"):
            _raw(Tally(), document, url, 10, SEED, {})
