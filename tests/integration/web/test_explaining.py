"""POST /v1/admin/explain over a real index: every number of a score, and they add up to it."""

from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from starlette.testclient import TestClient
from tests.integration.web.conftest import settings_for
from tests.integration.web.wire import bearer, make_key

from assay.app import Assay
from assay.contracts.operators.explanations import ExplainAnswer
from assay.model.access import Scope
from assay.web.application import create_app

PATH = "/v1/admin/explain"


class Operator:
    """A client with an admin key."""

    def __init__(self, client: TestClient, key: str) -> None:
        self.client, self.headers = client, bearer(key)

    def explain(self, search: dict[str, object], **fields: object) -> ExplainAnswer:
        answer = self.ask({"search": search, **fields})
        assert answer.status_code == 200, answer.text
        return ExplainAnswer.model_validate_json(answer.content)

    def ask(self, body: object) -> httpx.Response:
        return self.client.post(PATH, json=body, headers=self.headers)


@pytest.fixture(scope="module")
def operator(published: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Operator]:
    keys = tmp_path_factory.mktemp("keys") / "keys.json"
    key = make_key(keys, "operator", Scope.ADMIN)
    with Assay.open(settings_for(published, keys_file=str(keys))) as assay, TestClient(create_app(assay)) as client:
        yield Operator(client, key)


@pytest.mark.parametrize("mode", ["hybrid", "dense", "sparse"])
@pytest.mark.parametrize("query", ["How do nodes communicate?", "Replacing the battery", "camara cleening", "nodes"])
def test_the_numbers_add_up_to_the_score_of_the_ranking(operator: Operator, query: str, mode: str) -> None:
    search = {"query": query, "mode": mode, "top_k": 20}
    answer = operator.explain(search)
    assert len(answer.hits) == len(answer.ranking.results) > 0
    fusion = answer.fusion
    for hit, result in zip(answer.hits, answer.ranking.results, strict=True):
        assert (hit.rank, hit.chunk_id) == (result.rank, result.chunk_id)
        assert hit.score == pytest.approx(result.rank_score, abs=1e-5)
        assert hit.dense_part + hit.keyword_part == pytest.approx(hit.fused, abs=1e-5)
        if hit.bm25 is not None:
            assert sum(term.score for term in hit.terms) == pytest.approx(hit.bm25, rel=1e-5)
        for term in hit.terms:
            assert term.idf is not None
            assert term.weight is not None
            assert term.query_weight * term.idf * term.weight == pytest.approx(term.score, rel=1e-5)
        if mode == "hybrid" and hit.bm25 is not None:
            assert fusion.best_bm25 is not None
            assert hit.keyword_part == pytest.approx(fusion.keyword_weight * hit.bm25 / fusion.best_bm25, abs=1e-5)
        if mode == "hybrid" and hit.dense_rank is not None:
            assert hit.cosine is not None
            assert fusion.best_cosine is not None
            near = (1 + hit.cosine) / (1 + fusion.best_cosine)
            assert hit.dense_part == pytest.approx(fusion.dense_weight * near, abs=1e-5)


def test_the_ranking_is_that_of_the_search_route(operator: Operator) -> None:
    search = {"query": "cleening the camera", "top_k": 7}
    found = operator.client.post("/v1/search", json=search).json()
    explained = operator.ask({"search": search}).json()["ranking"]
    for body in (found, explained):
        del body["timings_ms"]
    assert explained == found
    assert explained["corrections"]


def test_another_generation_is_searched_by_its_name(operator: Operator) -> None:
    live = operator.client.get("/v1/admin/generations", headers=operator.headers).json()["live"]
    search = {"query": "gripper"}
    by_id, by_name, by_default = (
        operator.explain(search, **named) for named in ({"generation": live}, {"generation": "live"}, {})
    )
    assert by_id.hits == by_name.hits == by_default.hits
    assert by_id.ranking.generation == live


@pytest.mark.parametrize(
    ("body", "status", "words"),
    [
        ({}, 400, "search: it is required"),
        ({"search": {"query": "x", "top_k": 500}}, 400, "search.top_k: it must be a whole number from 1 to 100"),
        ({"search": {"query": "x"}, "generation": "nothing"}, 404, "nothing"),
        ({"search": {"query": "x"}, "generation": "candidate"}, 404, "There is no candidate"),
        ({"search": {"query": "x"}, "mode": "dense"}, 400, "There is no field `mode`"),
    ],
)
def test_a_request_that_cannot_be_explained_is_refused(
    operator: Operator, body: object, status: int, words: str
) -> None:
    answer = operator.ask(body)
    assert (answer.status_code, words in answer.json()["message"]) == (status, True), answer.text


def test_explaining_needs_the_admin_scope_and_json(operator: Operator) -> None:
    body = {"search": {"query": "x"}}
    assert operator.client.post(PATH, json=body).status_code == 401
    headers = {**operator.headers, "Content-Type": "text/plain"}
    assert operator.client.post(PATH, content=b'{"search": {"query": "x"}}', headers=headers).status_code == 400
    foreign = {**operator.headers, "Origin": "https://evil.example", "Sec-Fetch-Site": "cross-site"}
    assert operator.client.post(PATH, json=body, headers=foreign).status_code == 400
