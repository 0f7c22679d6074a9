"""What a client is told when something fails, and what the log is told."""

import logging
import threading
from collections.abc import Sequence
from pathlib import Path

import pytest
from starlette.testclient import TestClient
from tests.copies import copy_tree
from tests.integration.web.conftest import ROUTES, Connect, asking, settings_for

from assay.app import Assay, Health
from assay.app.searching import Searches
from assay.contracts.search_api import ErrorResponse
from assay.errors import (
    AssayError,
    CatalogUnavailable,
    EmbedderRefused,
    EmbedderUnavailable,
    IdentityMismatch,
    IndexCorrupt,
    StoreUnavailable,
)
from assay.model.ranking import Embed, Query, Ranking
from assay.ports import ChunkMetadata

SECRET = "/srv/assay/generations/20260301 key sk-123456"


class Failing(Searches):
    """Searches that fail in a way that cannot be had from the built-in parts."""

    failure: Exception

    def search(self, query: Query, embed: Embed = Embed.ALWAYS) -> Ranking:
        raise self.failure


class WithoutCatalog(Searches):
    """Searches whose catalog has gone while the index is open."""

    def metadata(self, chunk_ids: Sequence[str], generation_id: str) -> dict[str, ChunkMetadata]:
        raise CatalogUnavailable(f"no connection to {SECRET}")

    def health(self) -> Health:
        return Health(vector_store=True, catalog=False, generation="g1", problems=(f"catalog: {SECRET}",))


def without_catalog(folder: Path, **settings: object) -> Assay:
    assay = Assay.open(settings_for(folder, **settings))
    assay.searches = WithoutCatalog(assay.parts)
    return assay


def failing(folder: Path, failure: Exception) -> Assay:
    assay = Assay.open(settings_for(folder, cors_origins=["*"]))
    assay.searches = Failing(assay.parts)
    assay.searches.failure = failure
    return assay


def ailing(folder: Path, state: Health) -> Assay:
    assay = Assay.open(settings_for(folder))
    assay.searches.health = lambda: state  # type: ignore[method-assign]
    return assay


@pytest.mark.contract("003.16", "003.17", "003.19", "003.20", "003.21")
@pytest.mark.parametrize("route", ROUTES)
@pytest.mark.parametrize(
    ("failure", "status", "error"),
    [
        (EmbedderUnavailable(SECRET), 502, "upstream_error"),
        (EmbedderRefused(SECRET), 502, "upstream_error"),
        (StoreUnavailable(SECRET), 503, "service_unavailable"),
        (IndexCorrupt(SECRET), 503, "service_unavailable"),
        (CatalogUnavailable(SECRET), 503, "service_unavailable"),
        (IdentityMismatch(SECRET), 503, "service_unavailable"),
        (AssayError(SECRET), 500, "internal_error"),
        (KeyError(SECRET), 500, "internal_error"),
        (RuntimeError(SECRET), 500, "internal_error"),
        (MemoryError(SECRET), 500, "internal_error"),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, Exception) else None,
)
def test_a_failure_is_an_error_without_detail_and_its_detail_is_in_the_log(
    published: Path,
    connect: Connect,
    caplog: pytest.LogCaptureFixture,
    route: str,
    failure: Exception,
    status: int,
    error: str,
) -> None:
    response = connect(failing(published, failure)).post(
        route, json=asking(route), headers={"Origin": "https://a.example", "X-Request-ID": "r-1"}
    )
    assert response.status_code == status
    assert ErrorResponse.model_validate(response.json()).error == error
    sent = response.text + str(response.headers)
    assert not any(word in sent for word in ("/srv", "sk-", "Traceback", "Error("))
    assert response.headers["X-Request-ID"] == "r-1"
    assert response.headers["Access-Control-Allow-Origin"] == "*"
    assert response.headers["X-Content-Type-Options"] == "nosniff"
    explained = [record for record in caplog.records if record.levelno >= logging.ERROR]
    assert SECRET in caplog.text
    assert all("r-1" in record.getMessage() for record in explained)


@pytest.mark.contract("003.20")
@pytest.mark.parametrize("route", ROUTES)
def test_before_the_first_promotion_a_search_is_503_and_never_an_empty_list(
    tmp_path: Path, connect: Connect, route: str
) -> None:
    with Assay.open(settings_for(tmp_path)) as assay:
        assay.searches.start_serving()
        client = connect(assay)
        response = client.post(route, json=asking(route))
        assert response.status_code == 503
        assert response.json() == {
            "error": "service_unavailable",
            "message": "No generation is live yet, so there is nothing to search.",
        }
        assert client.post(route, json=asking(route, "")).status_code == 400
        assert client.get("/readyz").status_code == 503
        assert client.get("/livez").status_code == 200
        health = client.get("/health")
        assert (health.status_code, health.json()["status"]) == (503, "error")


# --- a catalog that is down ----------------------------------------------------------------------------------------


@pytest.mark.contract("003.30")
def test_without_the_catalog_metadata_comes_from_the_index(
    published: Path, client: TestClient, connect: Connect, caplog: pytest.LogCaptureFixture
) -> None:
    with without_catalog(published) as assay:
        response = connect(assay).post("/search", json={"query": "nodes"}, headers={"X-Request-ID": "r-2"})
    assert response.status_code == 200
    assert response.json() == client.post("/search", json={"query": "nodes"}).json()
    assert SECRET not in response.text
    assert "request r-2 uses the metadata in the index" in caplog.text


@pytest.mark.contract("003.30")
def test_without_the_catalog_strict_metadata_is_503(published: Path, connect: Connect) -> None:
    with without_catalog(published, strict_metadata=True) as assay:
        response = connect(assay).post("/search", json={"query": "nodes"})
        native = connect(assay).post("/v1/search", json={"query": "nodes"})
    assert response.status_code == 503
    assert response.json()["error"] == "service_unavailable"
    assert SECRET not in response.text
    assert native.status_code == 200


@pytest.mark.contract("003.15")
def test_a_damaged_catalog_file_does_not_stop_searches(published: Path, tmp_path: Path, connect: Connect) -> None:
    folder = tmp_path / "copy"
    copy_tree(published, folder)
    with Assay.open(settings_for(folder)) as assay:
        assay.searches.start_serving()
        client = connect(assay)
        before = client.post("/search", json={"query": "nodes"}).json()
        for file in (folder / "index").glob("catalog.sqlite*"):
            file.write_bytes(b"not a database, whatever it was before" * 500)
        response = client.post("/search", json={"query": "nodes"})
        assert response.status_code == 200
        assert response.json() == before
        assert client.get("/readyz").status_code == 200
        health = client.get("/health")
        assert health.status_code == 503
        assert health.json() == {"status": "degraded", "qdrant": True, "postgres": False}


# --- health --------------------------------------------------------------------------------------------------------


@pytest.mark.contract("003.13")
def test_health_is_200_when_all_is_well(client: TestClient) -> None:
    response = client.get("/health")
    assert response.status_code == 200
    assert response.json() == {"status": "ok", "qdrant": True, "postgres": True}


@pytest.mark.contract("003.13", "003.14", "003.15")
@pytest.mark.parametrize(
    ("state", "body", "ready"),
    [
        pytest.param(
            Health(False, True, "g1", (SECRET,)),
            {"status": "error", "qdrant": False, "postgres": True},
            503,
            id="vector store down",
        ),
        pytest.param(
            Health(True, False, "g1", (SECRET,)),
            {"status": "degraded", "qdrant": True, "postgres": False},
            200,
            id="catalog down",
        ),
        pytest.param(
            Health(True, True, None, (SECRET,)),
            {"status": "error", "qdrant": True, "postgres": True},
            503,
            id="nothing live",
        ),
        pytest.param(
            Health(True, True, "g1", (SECRET,)),
            {"status": "degraded", "qdrant": True, "postgres": True},
            200,
            id="the next generation cannot be opened",
        ),
    ],
)
def test_health_and_readiness_follow_the_parts(
    published: Path, connect: Connect, state: Health, body: dict[str, object], ready: int
) -> None:
    client = connect(ailing(published, state))
    response = client.get("/health")
    assert (response.status_code, response.json()) == (503, body)
    readiness = client.get("/readyz")
    assert readiness.status_code == ready
    assert SECRET not in response.text + readiness.text
    assert client.get("/livez").json() == {"status": "alive"}


def test_a_health_that_cannot_be_found_out_counts_as_down(
    published: Path, connect: Connect, monkeypatch: pytest.MonkeyPatch
) -> None:
    assay = Assay.open(settings_for(published))
    held, health = threading.Event(), assay.searches.health

    def hanging() -> Health:
        held.wait(60)
        return health()

    monkeypatch.setattr(assay.searches, "health", hanging)
    client = connect(assay)
    try:
        assert client.get("/readyz").status_code == 503
        response = client.get("/health")
        assert (response.status_code, response.json()["status"]) == (503, "error")
        assert client.get("/livez").status_code == 200
        assert client.post("/search", json={"query": "nodes"}).status_code == 200
    finally:
        held.set()
        assay.close()


@pytest.mark.parametrize("path", ["/livez", "/readyz", "/health"])
def test_a_probe_answers_head_too(client: TestClient, path: str) -> None:
    response = client.head(path)
    assert response.status_code == 200
    assert response.content == b""
