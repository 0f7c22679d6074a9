"""A server whose provider of embeddings is down, or that has none."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient
from tests.integration.cli.commands import runner
from tests.integration.web.conftest import Connect, asking, paid_settings, write_pages
from tests.peers.openai import openai_peer
from tests.peers.serving import Peer

from assay.adapters.remote.transport import Answer
from assay.app import Assay
from assay.client.client import Client
from assay.contracts.native_entities import SearchRanking
from assay.errors import ServiceUnavailable
from assay.model.ranking import Mode, Query
from assay.settings import Settings

QUESTION = "Replacing the gripper"
SEED_ROUTES = ("/search", "/query", "/api/v1/search")


@pytest.fixture(scope="module")
def peer() -> Iterator[Peer]:
    with openai_peer() as started:
        yield started


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory, peer: Peer) -> Path:
    """A published index over vectors of a provider."""
    folder = tmp_path_factory.mktemp("paid")
    write_pages(folder / "pages")
    with Assay.open(paid_settings(folder, peer.url)) as assay:
        assert assay.publish().promoted
    return folder


@pytest.fixture
def down(peer: Peer) -> Iterator[Peer]:
    """The provider, which answers nothing but 503."""
    peer.ledger.reset()
    peer.faults.always("503")
    yield peer
    peer.faults.always(None)


def settings(folder: Path, peer: Peer, **search: object) -> Settings:
    quick = {**paid_settings(folder, peer.url).embedding.model_dump(), "query_seconds": 0.5}
    return paid_settings(folder, peer.url, embedding=quick, search=search)


def native(client: TestClient, **fields: object) -> SearchRanking:
    response = client.post("/v1/search", json=asking("/v1/search", QUESTION, **fields))
    assert response.status_code == 200, response.text
    return SearchRanking.model_validate_json(response.content)


def refused(client: TestClient, route: str, **fields: object) -> dict[str, Any]:
    response = client.post(route, json=asking(route, QUESTION, **fields))
    assert response.status_code == 502, response.text
    body: dict[str, Any] = response.json()
    assert body["error"] == "upstream_error"
    return body


def test_v1_search_falls_back_to_keywords_and_the_seeds_routes_answer_502(
    folder: Path, down: Peer, connect: Connect
) -> None:
    with Assay.open(settings(folder, down)) as assay:
        client = connect(assay)
        hybrid, sparse = native(client), native(client, mode="sparse")
        assert (hybrid.degraded, hybrid.mode) == (True, "sparse")
        assert "could not be embedded" in hybrid.warnings[0]
        assert (sparse.degraded, sparse.warnings) == (False, [])
        for ranking in (hybrid, sparse):
            assert [hit.similarity for hit in ranking.results] == [None] * 5
            assert ranking.results[0].title == QUESTION
            assert ranking.results[0].highlights
        refused(client, "/v1/search", mode="dense")
        for route in SEED_ROUTES:
            refused(client, route)
        counted = assay.searches.metrics.exposition("")[0].decode()
    assert 'assay_searches_degraded_total{route="/v1/search"} 1.0' in counted


def test_a_setting_turns_the_fallback_off_and_keyword_search_stays(folder: Path, down: Peer, connect: Connect) -> None:
    with Assay.open(settings(folder, down, keyword_fallback=False)) as assay:
        client = connect(assay)
        refused(client, "/v1/search")
        refused(client, "/v1/search", mode="sparse", threshold=0.1)
        assert [hit.similarity for hit in native(client, mode="sparse").results] == [None] * 5


def test_keyword_search_asks_a_provider_only_for_a_similarity(folder: Path, peer: Peer, connect: Connect) -> None:
    with Assay.open(settings(folder, peer)) as assay:
        client = connect(assay)
        peer.ledger.reset()
        assert native(client, mode="sparse").results[0].similarity is None
        assert peer.ledger.requests == 0
        asked = native(client, mode="sparse", include={"similarity": True})
        assert peer.ledger.requests == 1
        hybrid = {hit.chunk_id: hit.similarity for hit in native(client, top_k=33).results}
    for hit in asked.results:
        assert hit.similarity == pytest.approx(hybrid[hit.chunk_id], abs=1e-6)


def test_the_fallback_ends_with_the_outage(folder: Path, peer: Peer, connect: Connect) -> None:
    with Assay.open(settings(folder, peer)) as assay:
        client = connect(assay)
        peer.faults.always("503")
        assert native(client).degraded
        peer.faults.always(None)
        assert not native(client).degraded


@pytest.fixture
def without_key(folder: Path, peer: Peer) -> dict[str, object]:
    """Settings of an embedder that cannot be built: OpenAI's own address needs a key."""
    embedding = paid_settings(folder, peer.url).embedding.model_dump()
    return {**embedding, "openai_api_key": None, "base_url": None}


def test_where_only_keywords_are_served_no_embedder_is_needed(
    folder: Path, peer: Peer, connect: Connect, without_key: dict[str, object]
) -> None:
    only = paid_settings(folder, peer.url, embedding=without_key, search={"mode": "sparse"})
    with Assay.open(only) as assay:
        assay.searches.start_serving()
        client = connect(assay)
        ranking = native(client)
        assert (ranking.degraded, ranking.mode, len(ranking.results)) == (False, "sparse", 5)
        assert client.get("/health").json()["status"] == "ok"
        assert client.get("/readyz").status_code == 200


def test_an_embedder_that_cannot_be_built_leaves_keyword_search_and_is_told_by_health(
    folder: Path, peer: Peer, connect: Connect, without_key: dict[str, object], caplog: pytest.LogCaptureFixture
) -> None:
    with Assay.open(paid_settings(folder, peer.url, embedding=without_key)) as assay:
        assay.searches.start_serving()
        client = connect(assay)
        assert "only keyword search" in caplog.text
        assert "OPENAI_API_KEY" in caplog.text
        assert len(native(client, mode="sparse").results) == 5
        assert client.get("/health").json()["status"] == "degraded"
        assert any(problem.startswith("embedder: ") for problem in assay.searches.health().problems)


def test_a_measurement_over_http_takes_no_answer_by_keywords_alone(folder: Path, down: Peer, connect: Connect) -> None:
    with Assay.open(settings(folder, down)) as assay:
        http = connect(assay)

        def post(body: bytes, _seconds: float, _most: int) -> Answer:
            response = http.post("/v1/search", content=body, headers={"Content-Type": "application/json"})
            return Answer(response.status_code, dict(response.headers), response.content)

        plain, strict = (Client("http://127.0.0.1:1", complete=needed) for needed in (False, True))
        for client in (plain, strict):
            client._transport.post = post  # type: ignore[method-assign]  # in this process, without a socket
        answered = plain.search(Query(QUESTION, 5))
        assert (answered.degraded, [hit.similarity for hit in answered.hits]) == (True, [None] * 5)
        for mode in (Mode.HYBRID, Mode.SPARSE):
            with pytest.raises(ServiceUnavailable, match="by keyword search only"):
                strict.search(Query(QUESTION, 5, mode))


def test_the_command_line_answers_by_keyword_without_an_embedder(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    run = runner(monkeypatch, capsys, folder)
    (folder / "assay.toml").write_text(
        'data_dir = "index"\n[embedding]\nprovider = "openai"\nmodel = "bge"\ndimensions = 1024\n', encoding="utf-8"
    )
    said = run("search", QUESTION, "--mode", "sparse", "--json")
    assert (said.code, {hit["similarity"] for hit in said.body["results"]}) == (0, {None})
    assert run("search", QUESTION, "--mode", "sparse").code == 0
    assert run("search", QUESTION, "--mode", "dense").code == 2
