"""A server with a reranker: the order of its answers, their times, and what remains when it fails."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from starlette.testclient import TestClient
from tests.integration.web.conftest import BASE_URL, Connect, asking
from tests.peers.serving import Peer, overlap

from assay.app import Assay
from assay.contracts.native_entities import SearchRanking
from assay.model.ranking import Query
from assay.settings import Settings, load_settings

QUESTION = "who has to switch the robot off before the lidar work takes place"
SEED_ROUTES = ("/search", "/query", "/api/v1/search")


def _settings(folder: Path, peer: Peer, **more: object) -> Settings:
    rerank = {"provider": "tei", "model": "overlap", "base_url": peer.url, "depth": 33, "timeout": 5.0}
    source = {"path": folder / "pages", "name": "manual", "base_url": BASE_URL, "convention": "plain"}
    return load_settings(None, {"data_dir": folder / "index", "sources": [source], "rerank": rerank, **more})


@pytest.fixture
def served(published: Path, peer: Peer, connect: Connect) -> Iterator[tuple[Assay, TestClient]]:
    with Assay.open(_settings(published, peer)) as assay:
        yield assay, connect(assay)


def native(client: TestClient, **fields: object) -> SearchRanking:
    response = client.post("/v1/search", json=asking("/v1/search", QUESTION, **fields))
    assert response.status_code == 200, response.text
    return SearchRanking.model_validate_json(response.content)


def test_an_answer_has_the_order_of_the_scores_and_says_so(served: tuple[Assay, TestClient]) -> None:
    assay, client = served
    ranking = native(client, top_k=33)
    assert (ranking.reranked, ranking.rerank_failed, ranking.warnings) == (True, False, [])
    scores = [hit.rank_score for hit in ranking.results]
    assert scores == sorted(scores, reverse=True)
    plain = assay.search(Query(QUESTION, 33, rerank=False))
    expected = sorted((overlap(QUESTION, hit.chunk.embedded_text) for hit in plain.hits), reverse=True)
    assert scores == pytest.approx(expected)
    assert [hit.chunk_id for hit in ranking.results] != [hit.chunk.id for hit in plain.hits]


def test_its_time_is_in_the_body_the_server_timing_and_the_metrics(served: tuple[Assay, TestClient]) -> None:
    assay, client = served
    response = client.post("/v1/search", json=asking("/v1/search", QUESTION))
    assert response.json()["timings_ms"]["rerank"] > 0.0
    assert "rerank;dur=" in response.headers["Server-Timing"]
    plain = client.get("/v1/search", params={"q": QUESTION, "rerank": "false"})
    assert (plain.json()["reranked"], plain.json()["timings_ms"]["rerank"]) == (False, 0.0)
    assert "rerank" not in plain.headers["Server-Timing"]
    counted = assay.searches.metrics.exposition("")[0].decode()
    assert 'assay_reranker_calls_total{model="overlap",provider="tei",status="ok"}' in counted
    assert 'assay_search_stage_seconds_count{stage="rerank"} 1.0' in counted


def test_a_failure_leaves_the_order_of_the_search_and_is_counted(served: tuple[Assay, TestClient], peer: Peer) -> None:
    assay, client = served
    plain = native(client, rerank=False)
    peer.faults.always("503")
    ranking = native(client)
    assert [hit.chunk_id for hit in ranking.results] == [hit.chunk_id for hit in plain.results]
    assert (ranking.reranked, ranking.rerank_failed) == (False, True)
    assert ranking.warnings == ["The reranker failed: the hits have the order of the search without it."]
    counted = assay.searches.metrics.exposition("")[0].decode()
    assert 'assay_searches_rerank_failed_total{route="/v1/search"} 1.0' in counted


@pytest.mark.contract("004.43")
def test_seed_004_is_partial_if_the_reranker_fails(served: tuple[Assay, TestClient], peer: Peer) -> None:
    client = served[1]
    body = client.post("/api/v1/search", json=asking("/api/v1/search", QUESTION)).json()
    assert body["status"] == "success"
    peer.faults.always("503")
    body = client.post("/api/v1/search", json=asking("/api/v1/search", QUESTION)).json()
    assert body["status"] == "partial"
    assert any("The reranker failed" in warning for warning in body["search_params"]["warnings"])


@pytest.mark.parametrize("route", SEED_ROUTES)
def test_the_seeds_routes_answer_also_when_it_is_down(served: tuple[Assay, TestClient], peer: Peer, route: str) -> None:
    peer.faults.always("reset")
    assert served[1].post(route, json=asking(route, QUESTION)).status_code == 200


def test_by_similarity_alone_the_seeds_routes_ask_no_reranker(published: Path, peer: Peer, connect: Connect) -> None:
    with Assay.open(_settings(published, peer, server={"contract_mode": "dense"})) as assay:
        client = connect(assay)
        for route in SEED_ROUTES:
            assert client.post(route, json=asking(route, QUESTION)).status_code == 200
    assert peer.ledger.requests == 0


def test_one_that_hangs_costs_a_search_its_time_limit_and_then_nothing(
    published: Path, peer: Peer, connect: Connect
) -> None:
    peer.faults.always("slow")
    rerank = {**_settings(published, peer).rerank.model_dump(), "timeout": 0.05}
    with Assay.open(_settings(published, peer, rerank=rerank)) as assay:
        client = connect(assay)
        assert [native(client).rerank_failed for _ in range(12)] == [True] * 12
    assert peer.ledger.requests == 5


def test_a_wrong_setting_is_named_when_the_index_is_opened(published: Path, peer: Peer) -> None:
    with Assay.open(_settings(published, peer, rerank={"provider": "tei", "model": "m"})) as assay:
        assay.searches.start_serving()
        assert any("The URL of the reranker is not set" in problem for problem in assay.searches.health().problems)
