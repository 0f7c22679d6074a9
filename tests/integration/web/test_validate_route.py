"""POST /api/v1/validate (seed 004) over a real index and real sockets."""

import json
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from threading import Event, Thread
from typing import Any

import pytest
from starlette.testclient import TestClient
from tests.integration.web.conftest import Connect, asking, paid_settings, running_server, settings_for, write_pages
from tests.integration.web.wire import Answer, ask, bearer, make_key, until
from tests.peers.openai import openai_peer
from tests.peers.serving import Peer

from assay.app import Assay
from assay.contracts.service_validation import ValidationAnswer
from assay.errors import EmbedderUnavailable, StoreUnavailable
from assay.model.access import Scope
from assay.model.ranking import Embed, Query, Ranking
from assay.retrieval.searcher import Searcher
from assay.web.application import create_app

ROUTE = "/api/v1/validate"
QUESTION = "How do nodes communicate?"


@pytest.fixture(scope="module")
def best(client: TestClient) -> str:
    """Id of the chunk that the question finds first."""
    return str(client.post("/api/v1/search", json=asking("/api/v1/search", QUESTION)).json()["results"][0]["chunk_id"])


def case(
    *expected: str, identity: str = "t", query: str = QUESTION, accuracy: float = 1.0, similarity: float = 0.0
) -> Any:  # noqa: ANN401 - JSON
    return {
        "test_id": identity,
        "query_text": query,
        "expected_results": list(expected),
        "success_criteria": {"min_accuracy": accuracy, "min_similarity_score": similarity},
    }


def validate(client: TestClient, *tests: object, **more: object) -> Any:  # noqa: ANN401 - JSON
    response = client.post(ROUTE, json={"tests": list(tests), **more})
    assert response.status_code == 200, response.text
    ValidationAnswer.model_validate_json(response.content)
    return response.json()


@pytest.mark.contract("004.56")
def test_tests_are_run_against_the_live_generation(client: TestClient, assay: Assay, best: str) -> None:
    before = datetime.now(UTC)
    body = validate(client, case(best), case("gone", identity="u"))
    assert body["status"] == "partial"
    assert body["generation"] == assay.parts.catalog.live_id()
    passed, failed = body["tests"]
    assert (passed["passed"], passed["result_accuracy"], passed["unknown_results"]) == (True, 1.0, [])
    assert (failed["passed"], failed["result_accuracy"], failed["unknown_results"]) == (False, 0.0, ["gone"])
    assert before <= datetime.fromisoformat(passed["executed_at"]) <= datetime.now(UTC)


def test_the_similarity_is_that_of_the_search(client: TestClient, best: str) -> None:
    found = client.post("/api/v1/search", json=asking("/api/v1/search", QUESTION)).json()["results"][0]
    score = found["similarity_score"]
    (told,) = validate(client, case(best, similarity=score))["tests"]
    assert told["found_results"] == [{"chunk_id": best, "rank": 1, "similarity_score": score}]
    assert told["passed"]
    assert validate(client, case(best, similarity=min(score + 1e-6, 1.0)))["status"] == "failed"


def test_top_k_decides_how_far_a_test_looks(client: TestClient) -> None:
    results = client.post("/api/v1/search", json=asking("/api/v1/search", QUESTION, top_k=20)).json()["results"]
    seventh = results[6]["chunk_id"]
    assert validate(client, case(seventh))["status"] == "failed"
    assert validate(client, case(seventh), top_k=7)["status"] == "passed"


def test_a_test_that_expects_many_looks_at_as_many(client: TestClient) -> None:
    results = client.post("/api/v1/search", json=asking("/api/v1/search", QUESTION, top_k=30)).json()["results"]
    (told,) = validate(client, case(*(result["chunk_id"] for result in results)))["tests"]
    assert told["result_accuracy"] == 1.0


def test_a_thousand_tests_are_run(client: TestClient, best: str) -> None:
    body = validate(client, *(case(best, identity=str(number)) for number in range(1_000)))
    assert (body["status"], body["passed_tests"]) == ("passed", 1_000)
    assert [one["test_id"] for one in body["tests"]] == [str(number) for number in range(1_000)]


@pytest.mark.contract("004.58")
def test_a_bad_body_is_refused_with_its_place(client: TestClient, best: str) -> None:
    response = client.post(ROUTE, json={"tests": [case(best), case(best)]})
    assert response.status_code == 400
    assert response.json() == {
        "error": "validation_error",
        "message": 'tests[1].test_id: "t" is already the id of tests[0]; give each test its own id.',
    }


def test_a_body_may_be_larger_than_that_of_a_search_and_not_without_end(published: Path, connect: Connect) -> None:
    with Assay.open(settings_for(published, max_validation_bytes=200_000)) as assay:
        assay.searches.start_serving()
        client = connect(assay)
        long = "x" * 200
        fits = [case(*(f"{number}{long}"[:200] for number in range(90)), identity=str(n)) for n in range(8)]
        assert len(json.dumps({"tests": fits})) > 100_000
        assert validate(client, *fits)["status"] == "failed"
        response = client.post(ROUTE, json={"tests": [case(long, identity=f"{n}") for n in range(700)]})
        assert response.status_code == 413
        assert response.json()["message"] == "body: it may have at most 200,000 bytes."
        assert client.post("/api/v1/search", content=b" " * 70_000).status_code == 413


# --- what can go wrong ---------------------------------------------------------------------------------------------


class Embedding(Searcher):
    """Cannot embed some queries, and cannot reach the store for others."""

    def search(self, query: Query, embed: Embed = Embed.ALWAYS) -> Ranking:
        if "unembeddable" in query.text:
            raise EmbedderUnavailable("api.provider.example with key sk-123 did not answer")
        if "unreachable" in query.text:
            raise StoreUnavailable("no connection to qdrant://secret")
        return super().search(query, embed)


@pytest.fixture
def failing(published: Path, connect: Connect, monkeypatch: pytest.MonkeyPatch) -> Iterator[TestClient]:
    monkeypatch.setattr("assay.app.searching.Searcher", Embedding)
    with Assay.open(settings_for(published)) as assay:
        assay.searches.start_serving()
        yield connect(assay)


def test_a_query_that_cannot_be_embedded_is_the_error_of_its_test_only(failing: TestClient, best: str) -> None:
    body = validate(failing, case(best), case(best, identity="u", query="unembeddable"))
    assert (body["status"], body["passed_tests"], body["error_tests"]) == ("partial", 1, 1)
    told = body["tests"][1]
    assert told["problem"] == "The embedder failed; try again in a moment."
    assert (told["result_accuracy"], told["passed"]) == (None, False)
    assert "sk-123" not in json.dumps(body)


def test_a_store_that_is_down_is_the_error_of_the_request(failing: TestClient, best: str) -> None:
    response = failing.post(ROUTE, json={"tests": [case(best), case(best, identity="u", query="unreachable")]})
    assert response.status_code == 503
    assert response.json()["error"] == "service_unavailable"
    assert "secret" not in response.text


def test_before_the_first_promotion_it_is_503(tmp_path: Path, connect: Connect) -> None:
    with Assay.open(settings_for(tmp_path)) as assay:
        response = connect(assay).post(ROUTE, json={"tests": [case("a")]})
    assert response.status_code == 503
    assert response.json()["message"] == "No generation is live yet, so there is nothing to search."


def test_what_the_time_does_not_suffice_for_is_told_as_not_run(published: Path, connect: Connect, best: str) -> None:
    with Assay.open(settings_for(published, validation_seconds=1e-9)) as assay:
        assay.searches.start_serving()
        body = validate(connect(assay), case(best))
    (told,) = body["tests"]
    assert (body["status"], body["error_tests"], told["executed_at"]) == ("failed", 1, None)
    assert told["problem"] == "Not run: the validation exceeded its time limit of 1e-09 seconds."


def test_a_server_that_stops_begins_no_further_test(assay: Assay, best: str) -> None:
    drain = Event()
    with TestClient(create_app(assay, drain)) as client:
        drain.set()
        response = client.post(ROUTE, json={"tests": [case(best)]})
    assert response.status_code == 503
    assert response.json()["message"] == "The server is stopping; try again in a moment."


# --- queries that cost something ------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def peer() -> Iterator[Peer]:
    with openai_peer() as started:
        yield started


@pytest.fixture(scope="module")
def paid(tmp_path_factory: pytest.TempPathFactory, peer: Peer) -> Iterator[TestClient]:
    """The API over vectors of a provider."""
    folder = tmp_path_factory.mktemp("paid")
    write_pages(folder / "pages")
    with Assay.open(paid_settings(folder, peer.url)) as assay:
        assert assay.publish().promoted
        assay.searches.start_serving()
        with TestClient(create_app(assay)) as client:
            yield client


def test_queries_that_cost_something_are_embedded_in_few_calls(paid: TestClient, peer: Peer) -> None:
    peer.ledger.reset()
    body = validate(paid, *(case("gone", identity=f"t{n}", query=f"Where is part {n}?") for n in range(150)))
    assert body["error_tests"] == 0
    assert sum(peer.ledger.embedded.values()) == 150
    assert peer.ledger.requests <= 10


def test_a_provider_that_is_gone_is_the_error_of_every_test_in_seconds(paid: TestClient, peer: Peer) -> None:
    peer.ledger.reset()
    peer.faults.always("503")
    try:
        body = validate(paid, *(case("gone", identity=f"t{n}", query=f"Who made part {n}?") for n in range(150)))
    finally:
        peer.faults.always(None)
    assert body["error_tests"] == 150
    assert peer.ledger.requests < 60


# --- who may, and how often ----------------------------------------------------------------------------------------


def send(port: int, tests: int, key: str | None = None) -> Answer:
    body = {"tests": [case("a", identity=str(number)) for number in range(tests)]}
    return ask(port, ROUTE, body, headers=bearer(key))


def test_it_needs_what_a_search_needs(published: Path) -> None:
    keys = published / "keys-of-validation.json"
    reader, admin = make_key(keys, "reader", Scope.SEARCH), make_key(keys, "admin", Scope.ADMIN)
    with running_server(published, search="key", keys_file=str(keys)) as server:
        assert send(server.port, 1).status == 401
        assert send(server.port, 1, "assay_no_such").status == 401
        assert send(server.port, 1, reader).status == 200
        assert send(server.port, 1, admin).status == 200
    keys.unlink()


def test_each_test_counts_as_a_request(published: Path) -> None:
    with running_server(published, rate_limit="10/minute") as server:
        first = send(server.port, 6)
        assert first.status == 200
        refused = send(server.port, 5)
        assert refused.status == 429
        assert 1 <= int(refused.headers["Retry-After"]) <= 60
        assert "Too many requests from this address" in refused.body["message"]
        assert send(server.port, 2).status == 200  # 6, 1 for the one that was refused, and 2
        assert ask(server.port, body={"query": "What are nodes?"}).status == 200
        assert ask(server.port, body={"query": "What are nodes?"}).status == 429


def test_more_tests_than_a_client_is_ever_allowed_are_told_so(published: Path) -> None:
    with running_server(published, rate_limit="10/minute") as server:
        refused = send(server.port, 11)
        assert refused.status == 429
        assert "Each test or search of a request counts as one, and the rate limit is 10" in refused.body["message"]


WAITING = """
import time
from assay.app.searching import Searcher

class Waiting(Searcher):
    def search(self, query, *how, **named):
        if query.text.startswith("slow"):
            _, began, ends = query.text.split()
            Path(began).touch()
            while not Path(ends).exists():
                time.sleep(0.01)
        return super().search(query, *how, **named)

import assay.app.searching
assay.app.searching.Searcher = Waiting
"""


def test_validations_leave_threads_for_searches(published: Path, tmp_path: Path) -> None:
    began, ends = tmp_path / "began", tmp_path / "ends"
    answers: list[Answer] = []
    with running_server(published, definitions=WAITING, threads=4) as server:
        body = {"tests": [case("a", query=f"slow {began} {ends}")]}
        slow = Thread(target=lambda: answers.append(ask(server.port, ROUTE, body)))
        slow.start()
        until(began.exists)
        busy = send(server.port, 1)
        assert (busy.status, busy.headers["Retry-After"]) == (503, "5")
        assert busy.body["message"] == "Other validations are running; try again in a few seconds."
        assert ask(server.port, body={"query": "What are nodes?"}).status == 200
        ends.touch()
        slow.join()
        assert answers[0].status == 200
        assert send(server.port, 1).status == 200


def test_the_log_says_how_many_tests_passed(published: Path, best: str) -> None:
    with running_server(published) as server:
        ask(server.port, ROUTE, {"tests": [case(best), case("gone", identity="u")]})
        lines = [json.loads(line) for line in server.stop().splitlines() if '"/api/v1/validate"' in line]
    (line,) = [one for one in lines if one.get("path") == ROUTE]
    assert (line["status"], line["tests"], line["passed"]) == ("partial", 2, 1) or (line["tests"], line["passed"]) == (
        2,
        1,
    )
