"""POST /query (seed 000), POST /api/v1/search and GET /api/v1/health (seed 004) over a real index."""

import json
import logging
import re
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from urllib.parse import urlsplit
from uuid import UUID

import pytest
from starlette.testclient import TestClient
from tests.copies import copy_tree
from tests.integration.web.conftest import BASE_URL, CHUNKS, ROUTES, Connect, asking, settings_for

from assay.app import Assay, Health
from assay.app.searching import Searches
from assay.contracts.retrieval_service import ServiceResponse
from assay.contracts.retrieval_testing import QueryResponse
from assay.errors import CatalogUnavailable
from assay.model.ids import query_embedding_id
from assay.ports import ChunkMetadata

SECRET = "postgresql://assay:sk-123456@db"


class WithoutCatalog(Searches):
    """Searches whose catalog has gone while the index is open."""

    def metadata(self, chunk_ids: Sequence[str], generation_id: str) -> dict[str, ChunkMetadata]:
        raise CatalogUnavailable(f"no connection to {SECRET}")


def without_catalog(folder: Path, **settings: object) -> Assay:
    assay = Assay.open(settings_for(folder, **settings))
    assay.searches = WithoutCatalog(assay.parts)
    return assay


# --- 000 -----------------------------------------------------------------------------------------------------------


@pytest.mark.contract("000.20", "000.23", "000.26", "000.35")
def test_the_answer_of_query_is_as_declared(client: TestClient) -> None:
    before = datetime.now(UTC)
    response = client.post("/query", json=asking("/query", top_k=20))
    after = datetime.now(UTC)
    answer = QueryResponse.model_validate_json(response.content)
    assert len(answer.results) == answer.metadata.total_results == 20
    best = answer.results[0]
    assert "Nodes communicate by topics" in best.content
    assert best.url == f"{BASE_URL}/nodes"
    assert best.position == 0
    assert best.created_at is not None
    assert best.created_at < before
    assert before <= answer.metadata.timestamp <= after


@pytest.mark.contract("000.21", "000.27", "000.31", "000.32")
def test_the_lifecycle_of_query_begins_at_the_timestamp_and_never_goes_back(client: TestClient) -> None:
    metadata = QueryResponse.model_validate_json(client.post("/query", json=asking("/query")).content).metadata
    assert [step.state for step in metadata.lifecycle] == [
        "received",
        "embedded",
        "searched",
        "filtered",
        "formatted",
        "returned",
    ]
    assert metadata.lifecycle[0].at == metadata.timestamp
    assert metadata.lifecycle[0].elapsed_ms == 0
    times = [step.at for step in metadata.lifecycle]
    assert times == sorted(times)
    for step in metadata.lifecycle:
        assert abs(step.at - metadata.timestamp - timedelta(milliseconds=step.elapsed_ms)) < timedelta(microseconds=2)
    assert metadata.query_time_ms == round(metadata.lifecycle[4].elapsed_ms)


@pytest.mark.contract("000.13")
def test_the_times_of_query_are_in_utc_and_end_in_z(client: TestClient) -> None:
    body = client.post("/query", json=asking("/query")).json()
    times = [body["metadata"]["timestamp"], *(step["at"] for step in body["metadata"]["lifecycle"])]
    times += [result["created_at"] for result in body["results"]]
    assert all(time.endswith("Z") and datetime.fromisoformat(time).utcoffset() == timedelta(0) for time in times)


@pytest.mark.contract("000.4")
def test_query_without_metadata_keeps_the_six_fields_of_the_seed(client: TestClient) -> None:
    whole = client.post("/query", json=asking("/query")).json()
    bare = client.post("/query", json=asking("/query", include_metadata=False)).json()
    assert {tuple(result) for result in bare["results"]} == {
        ("content", "similarity_score", "chunk_id", "url", "position", "created_at")
    }
    details = [result.pop("metadata") for result in whole["results"]]
    assert whole["results"] == bare["results"]
    assert {tuple(one) for one in details} == {
        ("title", "section", "section_url", "headings", "version", "locale", "source", "content_hash")
    }


@pytest.mark.contract("004.12")
def test_the_default_threshold_of_the_service_names_what_it_left_out_and_what_would_keep_it(client: TestClient) -> None:
    body = {"query_text": "Zeichen und Räder bleiben", "top_k": 5}
    short = client.post("/api/v1/search", json=body).json()
    assert len(short["results"]) < 5
    (warning,) = [one for one in short["search_params"]["warnings"] if one.startswith("similarity_threshold: ")]
    said_so = re.fullmatch(r".* dropped (\d+) results? that .*; (0\.\d\d) would keep them\.", warning)
    assert said_so
    left_out, keeps = said_so.groups()
    kept = client.post("/api/v1/search", json=body | {"similarity_threshold": float(keeps)}).json()
    assert len([r for r in kept["results"] if r["similarity_score"] < 0.5]) == int(left_out) > 0
    said = client.post("/api/v1/search", json=body | {"similarity_threshold": 0.5}).json()["search_params"]["warnings"]
    assert not any(one.startswith("similarity_threshold: ") for one in said)


@pytest.mark.contract("000.8", "000.34")
def test_the_content_of_query_is_the_stored_original(client: TestClient, assay: Assay) -> None:
    generation = assay.parts.catalog.live_id()
    assert generation
    originals = {chunk.id: chunk for chunk in assay.parts.catalog.chunks(generation)}
    texts = {document.info.url: document.text for document in assay.parts.catalog.documents(generation)}
    results = client.post("/query", json=asking("/query", top_k=20)).json()["results"]
    assert len(results) == 20
    for result in results:
        original = originals[result["chunk_id"]]
        assert result["content"] == original.text == texts[result["url"]][original.start : original.end]


@pytest.mark.contract("000.9", "000.16")
def test_every_url_of_query_is_a_url(client: TestClient) -> None:
    for result in client.post("/query", json=asking("/query", top_k=20)).json()["results"]:
        parts = urlsplit(result["url"])
        assert (parts.scheme, parts.netloc) == ("https", "docs.example.org")


def test_query_answers_without_the_catalog(published: Path, client: TestClient, connect: Connect) -> None:
    with without_catalog(published, strict_metadata=True) as assay:
        response = connect(assay).post("/query", json=asking("/query"))
    assert response.status_code == 200
    assert response.json()["results"] == client.post("/query", json=asking("/query")).json()["results"]


# --- 004 -----------------------------------------------------------------------------------------------------------


@pytest.mark.contract("004.14", "004.19", "004.29", "004.31", "004.44")
def test_the_answer_of_the_service_is_as_declared(client: TestClient, assay: Assay) -> None:
    before = datetime.now(UTC)
    response = client.post("/api/v1/search", json=asking("/api/v1/search", top_k=100))
    after = datetime.now(UTC)
    answer = ServiceResponse.model_validate_json(response.content)
    assert len(answer.results) == answer.total_results == CHUNKS
    assert answer.status == "success"
    assert before <= answer.created_at <= after
    assert (answer.search_params.top_k, answer.search_params.similarity_threshold) == (100, 0.0)
    best = answer.results[0]
    assert "Nodes communicate by topics" in best.content
    assert best.metadata.url == f"{BASE_URL}/nodes"
    assert best.metadata.section_url.startswith(f"{BASE_URL}/nodes")
    assert best.metadata.document_title == "Nodes"
    assert best.similarity.score == best.similarity_score
    expected = query_embedding_id(assay.parts.embedder.identity.fingerprint, "How do nodes communicate?")
    assert {result.similarity.query_embedding_id for result in answer.results} == {expected}


@pytest.mark.contract("004.12")
def test_the_services_threshold_is_0_5_unless_it_is_told(client: TestClient) -> None:
    answer = client.post("/api/v1/search", json={"query_text": "Replacing the gripper", "top_k": 100}).json()
    assert answer["search_params"]["similarity_threshold"] == 0.5
    assert 0 < answer["total_results"] < CHUNKS
    assert all(result["similarity_score"] >= 0.5 for result in answer["results"])


@pytest.mark.contract("004.13")
def test_two_queries_have_two_ids_and_the_log_names_them(client: TestClient, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO, "assay.web"):
        ids = [client.post("/api/v1/search", json=asking("/api/v1/search")).json()["query_id"] for _ in range(2)]
    assert len({UUID(query_id) for query_id in ids}) == 2
    assert all(query_id in caplog.text for query_id in ids)


@pytest.mark.contract("004.18")
def test_a_short_query_is_answered_with_a_warning(client: TestClient) -> None:
    body = client.post("/api/v1/search", json=asking("/api/v1/search", "lidar")).json()
    assert body["status"] == "success"
    assert body["results"][0]["metadata"]["url"].endswith("-lidar")
    (warning,) = body["search_params"]["warnings"]
    assert warning.startswith("query_text: it has 5 characters")


def test_nothing_over_the_threshold_is_no_results(client: TestClient) -> None:
    response = client.post("/api/v1/search", json=asking("/api/v1/search", similarity_threshold=1))
    assert response.status_code == 200
    body = response.json()
    assert (body["status"], body["results"], body["total_results"]) == ("no_results", [], 0)


def test_without_the_catalog_the_answer_is_partial_and_says_so(
    published: Path, client: TestClient, connect: Connect, caplog: pytest.LogCaptureFixture
) -> None:
    with without_catalog(published) as assay:
        response = connect(assay).post("/api/v1/search", json=asking("/api/v1/search"), headers={"X-Request-ID": "r-4"})
    assert response.status_code == 200
    body = response.json()
    assert body["status"] == "partial"
    assert body["search_params"]["warnings"] == ["The catalog does not answer: titles come from the index."]
    assert body["results"] == client.post("/api/v1/search", json=asking("/api/v1/search")).json()["results"]
    assert SECRET not in response.text
    assert "request r-4 uses the metadata in the index" in caplog.text


def test_without_the_catalog_strict_metadata_is_503(published: Path, connect: Connect) -> None:
    with without_catalog(published, strict_metadata=True) as assay:
        response = connect(assay).post("/api/v1/search", json=asking("/api/v1/search"))
    assert response.status_code == 503
    assert response.json() == {
        "error": "service_unavailable",
        "message": "The catalog does not answer; try again in a moment.",
    }


@pytest.mark.contract("004.43")
def test_a_damaged_catalog_file_makes_the_service_degraded_and_its_answers_partial(
    published: Path, tmp_path: Path, connect: Connect
) -> None:
    folder = tmp_path / "copy"
    copy_tree(published, folder)
    with Assay.open(settings_for(folder)) as assay:
        assay.searches.start_serving()
        client = connect(assay)
        before = client.post("/api/v1/search", json=asking("/api/v1/search")).json()
        assert client.get("/api/v1/health").json() == {
            "status": "healthy",
            "vector_store": True,
            "catalog": True,
            "generation": assay.parts.catalog.live_id(),
        }
        for file in (folder / "index").glob("catalog.sqlite*"):
            file.write_bytes(b"not a database, whatever it was before" * 500)
        after = client.post("/api/v1/search", json=asking("/api/v1/search")).json()
        assert (before["status"], after["status"]) == ("success", "partial")
        assert after["results"] == before["results"]
        health = client.get("/api/v1/health")
        assert health.status_code == 503
        assert (health.json()["status"], health.json()["catalog"]) == ("degraded", False)


# --- 004's health --------------------------------------------------------------------------------------------------


@pytest.mark.contract("004.48")
@pytest.mark.parametrize(
    ("state", "status", "words"),
    [
        pytest.param(Health(True, True, "g1", ()), 200, "healthy", id="all is well"),
        pytest.param(Health(True, False, "g1", (SECRET,)), 503, "degraded", id="catalog down"),
        pytest.param(Health(True, True, "g1", (SECRET,)), 503, "degraded", id="the next generation cannot be opened"),
        pytest.param(Health(False, True, "g1", (SECRET,)), 503, "unavailable", id="vector store down"),
        pytest.param(Health(True, True, None, (SECRET,)), 503, "unavailable", id="nothing live"),
    ],
)
def test_the_health_of_the_service_follows_the_parts(
    published: Path, connect: Connect, state: Health, status: int, words: str
) -> None:
    assay = Assay.open(settings_for(published))
    assay.searches.health = lambda: state  # type: ignore[method-assign]
    client = connect(assay)
    response = client.get("/api/v1/health")
    assert response.status_code == status
    assert response.json() == {
        "status": words,
        "vector_store": state.vector_store,
        "catalog": state.catalog,
        "generation": state.generation,
    }
    assert client.head("/api/v1/health").status_code == status
    assert SECRET not in response.text


# --- all of them ---------------------------------------------------------------------------------------------------


@pytest.mark.contract("000.14", "003.10", "004.2")
@pytest.mark.parametrize("route", ROUTES)
def test_scores_are_between_0_and_1_and_come_in_order(client: TestClient, route: str) -> None:
    extra = {"mode": "dense"} if route == "/v1/search" else {}
    results = client.post(route, json=asking(route, "zzz qqq nodes", top_k=20, **extra)).json()["results"]
    names = ("similarity_score", "similarity", "score")
    scores = [next(result[name] for name in names if name in result) for result in results]
    assert len(scores) == 20
    assert all(0.0 <= score <= 1.0 for score in scores)
    assert scores == sorted(scores, reverse=True)


@pytest.mark.parametrize("route", ROUTES)
def test_an_answer_is_json_without_a_field_given_twice(client: TestClient, route: str) -> None:
    def unique(pairs: list[tuple[str, object]]) -> dict[str, object]:
        assert len(dict(pairs)) == len(pairs)
        return dict(pairs)

    json.loads(client.post(route, json=asking(route)).content, object_pairs_hook=unique)


@pytest.mark.contract("000.33")
def test_the_native_timings_have_the_stages_of_server_timing(client: TestClient) -> None:
    response = client.post("/v1/search", json=asking("/v1/search", top_k=20))
    told = {
        stage: float(milliseconds)
        for stage, milliseconds in (part.split(";dur=") for part in response.headers["Server-Timing"].split(", "))
    }
    timings = response.json()["timings_ms"]
    assert set(timings) == {*told, "rerank", "total"}  # without a reranker, its stage is only in the body
    assert timings["rerank"] == 0.0
    assert {stage: timings[stage] for stage in told} == pytest.approx(told, abs=0.0011)
    assert timings["format"] > 0
    assert timings["total"] >= sum(told.values()) - 0.01
