"""Some hundred cases of the fuzz of every route: the same ones every time. `make soak` asks thousands of new ones."""

from pathlib import Path

import pytest
from benchmarks.fuzz import Tally, fuzz
from tests.integration.web.conftest import ROUTES, running_server

CASES = 240
SEED = 20_260_301

pytestmark = pytest.mark.slow


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
