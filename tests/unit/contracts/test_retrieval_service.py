"""Seed 004's shape: its fields, its limits and its words."""

import json
import re
from dataclasses import replace
from datetime import UTC, datetime
from uuid import UUID

import pytest
from pydantic import BaseModel, ValidationError
from tests.borders import count_borders, share_borders, text_borders
from tests.rankings import URL, chunk_of, hit_of, ranking_of

from assay.contracts import retrieval_service
from assay.contracts.retrieval_service import (
    Algorithm,
    MetadataPackage,
    QueryStatus,
    SearchParams,
    ServiceChunk,
    ServiceHealth,
    ServiceQuery,
    ServiceRequest,
    ServiceResponse,
    SimilarityScore,
    parse,
    to_body,
    to_health,
    to_time,
)
from assay.errors import InputError
from assay.model.health import Health
from assay.model.ids import query_embedding_id
from assay.model.ranking import Mode, Ranking
from assay.ports import ChunkMetadata

CAME = datetime(2026, 3, 2, 10, 0, 0, 250_000, tzinfo=UTC)
EMBEDDER = "0f" * 32


def asked(**fields: object) -> ServiceRequest:
    return parse({"query_text": "How do nodes communicate?", **fields}, Mode.DENSE, CAME)


def refusal(**fields: object) -> str:
    with pytest.raises(InputError) as caught:
        asked(**fields)
    return str(caught.value)


def whole(
    ranking: Ranking, rows: dict[str, ChunkMetadata] | None, request: ServiceRequest | None = None
) -> dict[str, object]:
    return to_body(ranking, request or asked(), rows, EMBEDDER) | to_time(1.731)


def answered(
    ranking: Ranking, rows: dict[str, ChunkMetadata] | None, request: ServiceRequest | None = None
) -> ServiceResponse:
    return ServiceResponse.model_validate_json(json.dumps(whole(ranking, rows, request)))


# --- the request ---------------------------------------------------------------------------------------------------


@pytest.mark.contract("004.10", "004.18")
@pytest.mark.parametrize(("query_text", "accepted"), text_borders(500))
def test_query_text_has_1_to_500_characters_not_all_white_space(query_text: object, accepted: bool) -> None:
    if accepted:
        assert asked(query_text=query_text).query.text == query_text
    else:
        assert re.match(r"query_text: .*a string of 1 to 500 characters", refusal(query_text=query_text))


@pytest.mark.contract("004.10")
def test_query_text_is_required() -> None:
    with pytest.raises(InputError, match=r"^query_text: it is required"):
        parse({}, Mode.DENSE, CAME)


@pytest.mark.contract("004.18")
@pytest.mark.parametrize(
    ("query_text", "warned"),
    [("URDF", True), ("a" * 9, True), ("a" * 10, False), ("a" * 11, False), ("🤖" * 9, True), ("🤖" * 10, False)],
)
def test_fewer_than_10_characters_are_answered_with_a_warning(query_text: str, warned: bool) -> None:
    request = asked(query_text=query_text)
    ranking = ranking_of(hit_of("Nodes talk."), text=query_text)
    warnings = answered(ranking, {}, request).search_params.warnings
    assert [
        warning.startswith(f"query_text: it has {len(query_text)} characters; 10 or more") for warning in warnings
    ] == ([True] if warned else [])


@pytest.mark.contract("004.11")
@pytest.mark.parametrize(("top_k", "accepted"), count_borders(100))
def test_top_k_is_a_whole_number_from_1_to_100(top_k: object, accepted: bool) -> None:
    if accepted:
        assert asked(top_k=top_k).query.top_k == top_k
    else:
        assert re.match(r"top_k: it must be a whole number from 1 to 100; .* was sent\.$", refusal(top_k=top_k))


@pytest.mark.contract("004.11")
def test_top_k_is_5_by_default() -> None:
    assert asked().query.top_k == 5


@pytest.mark.contract("004.12")
@pytest.mark.parametrize(("threshold", "accepted"), share_borders())
def test_similarity_threshold_is_a_number_from_0_to_1(threshold: object, accepted: bool) -> None:
    if accepted:
        assert asked(similarity_threshold=threshold).query.threshold == threshold
    else:
        message = refusal(similarity_threshold=threshold)
        assert re.match(r"similarity_threshold: it must be a number from 0 to 1; .* was sent\.$", message)


@pytest.mark.contract("004.12")
def test_similarity_threshold_is_0_5_by_default() -> None:
    assert asked().query.threshold == 0.5


@pytest.mark.contract("004.13")
def test_query_id_is_a_uuid_made_for_each_query() -> None:
    ids = {asked().id for _ in range(50)}
    assert len(ids) == 50
    assert {UUID(query_id).version for query_id in ids} == {4}


@pytest.mark.contract("004.14")
def test_created_at_is_when_the_query_came() -> None:
    assert whole(ranking_of(), {})["created_at"] == "2026-03-02T10:00:00.250000Z"


@pytest.mark.contract("004.13")
@pytest.mark.parametrize("field", ["query_id", "created_at", "threshold", "include_metadata"])
def test_what_is_made_here_or_unknown_cannot_be_sent(field: str) -> None:
    assert refusal(**{field: "x"}).startswith(f"There is no field `{field}`")


@pytest.mark.parametrize("mode", [Mode.DENSE, Mode.HYBRID])
def test_the_operator_decides_the_mode(mode: Mode) -> None:
    assert parse({"query_text": "nodes"}, mode, CAME).query.mode is mode


# --- the answer ----------------------------------------------------------------------------------------------------


@pytest.mark.contract(
    "004.1", "004.2", "004.3", "004.4", "004.5", "004.19", "004.20", "004.22", "004.24", "004.29", "004.36"
)
def test_an_answer_has_exactly_the_fields_of_the_seed_and_what_was_settled_since() -> None:
    request = asked(top_k=3, similarity_threshold=0.25)
    hit = hit_of("Nodes talk.", 0.87, position=3)
    query_embedding = query_embedding_id(EMBEDDER, "How do nodes communicate?")
    assert whole(ranking_of(hit), {}, request) == {
        "query_id": request.id,
        "created_at": "2026-03-02T10:00:00.250000Z",
        "status": "success",
        "results": [
            {
                "content": "Nodes talk.",
                "similarity_score": 0.87,
                "chunk_id": hit.chunk.id,
                "position": 3,
                "metadata": {
                    "url": URL,
                    "section_url": f"{URL}#topics",
                    "section": "Topics",
                    "chunk_id": hit.chunk.id,
                    "document_id": hit.chunk.document.id,
                    "document_title": "Nodes and topics",
                    "source_type": "docusaurus-page",
                },
                "similarity": {
                    "score": 0.87,
                    "algorithm": "cosine-similarity",
                    "query_embedding_id": query_embedding,
                    "result_embedding_id": hit.chunk.id,
                },
            }
        ],
        "total_results": 1,
        "search_params": {"top_k": 3, "similarity_threshold": 0.25, "warnings": []},
        "query_time_ms": 1.731,
    }


def test_the_models_have_the_fields_of_the_seed() -> None:
    assert set(ServiceQuery.model_fields) == {"query_text", "top_k", "similarity_threshold"}
    assert {"query_id", "results", "total_results", "query_time_ms", "search_params", "status"} <= set(
        ServiceResponse.model_fields
    )
    assert {"content", "similarity_score", "chunk_id", "metadata", "position"} <= set(ServiceChunk.model_fields)
    assert {"url", "section", "chunk_id", "document_id", "document_title", "source_type"} <= set(
        MetadataPackage.model_fields
    )
    assert set(SimilarityScore.model_fields) == {"score", "algorithm", "query_embedding_id", "result_embedding_id"}
    assert {"top_k", "similarity_threshold"} <= set(SearchParams.model_fields)


def breaks(model: type[BaseModel], good: object, **bad: object) -> bool:
    assert isinstance(good, dict)
    model.model_validate_json(json.dumps(good))
    try:
        model.model_validate_json(json.dumps(good | bad))
    except ValidationError:
        return True
    return False


GOOD = retrieval_service.to_body(ranking_of(hit_of("Nodes talk.", 0.87)), asked(), {}, EMBEDDER) | to_time(1.0)
CHUNK = GOOD["results"][0]  # type: ignore[index]  # a list, as the test above shows


@pytest.mark.contract("004.6", "004.7", "004.8")
@pytest.mark.parametrize(
    "bad",
    [
        {"content": ""},
        {"similarity_score": -0.01},
        {"similarity_score": 1.01},
        {"chunk_id": ""},
        {"position": -1},
        {"metadata": None},
        {"metadata": {}},
    ],
    ids=str,
)
def test_the_declared_chunk_has_the_seeds_rules(bad: dict[str, object]) -> None:
    assert breaks(ServiceChunk, CHUNK, **bad)


@pytest.mark.contract("004.9", "004.26", "004.27", "004.28")
@pytest.mark.parametrize("bad", [{"url": ""}, {"url": None}, {"chunk_id": ""}, {"document_id": ""}], ids=str)
def test_the_declared_metadata_has_the_seeds_rules(bad: dict[str, object]) -> None:
    assert breaks(MetadataPackage, CHUNK["metadata"], **bad)


@pytest.mark.contract("004.33", "004.34", "004.35")
@pytest.mark.parametrize(
    "bad",
    [
        {"score": -0.01},
        {"score": 1.01},
        {"algorithm": "dot-product"},
        {"algorithm": ""},
        {"query_embedding_id": None},
        {"result_embedding_id": ""},
    ],
    ids=str,
)
def test_the_declared_similarity_has_the_seeds_rules(bad: dict[str, object]) -> None:
    assert breaks(SimilarityScore, CHUNK["similarity"], **bad)


@pytest.mark.contract("004.44", "004.46", "004.47")
@pytest.mark.parametrize(
    "bad", [{"total_results": -1}, {"query_time_ms": -0.1}, {"status": "done"}, {"results": [{}]}], ids=str
)
def test_the_declared_answer_has_the_seeds_rules(bad: dict[str, object]) -> None:
    assert breaks(ServiceResponse, GOOD, **bad)


@pytest.mark.contract("004.25")
def test_the_url_is_declared_as_a_url() -> None:
    assert MetadataPackage.model_json_schema()["properties"]["url"]["format"] == "uri"


@pytest.mark.contract("004.30", "004.34")
def test_the_approved_algorithms_are_the_cosine_only() -> None:
    assert [algorithm.value for algorithm in Algorithm] == ["cosine-similarity"]


@pytest.mark.contract("004.31")
def test_a_query_embedding_id_is_a_uuid5_of_model_and_text() -> None:
    def id_of(embedder: str, text: str) -> str:
        body = to_body(ranking_of(hit_of("Nodes talk."), text=text), asked(), {}, embedder)
        return str(body["results"][0]["similarity"]["query_embedding_id"])  # type: ignore[index]  # as above

    assert UUID(id_of("a", "nodes")).version == 5
    assert id_of("a", "nodes") == id_of("a", "nodes")
    assert len({id_of("a", "nodes"), id_of("b", "nodes"), id_of("a", "topics")}) == 3


@pytest.mark.contract("004.8", "004.21", "004.32")
def test_a_result_embedding_id_is_the_id_of_the_chunks_point() -> None:
    result = answered(ranking_of(hit_of("Nodes talk.")), {}).results[0]
    assert result.similarity.result_embedding_id == result.chunk_id == result.metadata.chunk_id


@pytest.mark.contract("004.24")
@pytest.mark.parametrize("source_type", ["docusaurus-page", "mkdocs-page", "html-page", "anything else"])
def test_source_type_is_that_of_the_page(source_type: str) -> None:
    hit = hit_of("Nodes talk.")
    other = replace(hit, chunk=replace(hit.chunk, document=replace(hit.chunk.document, source_type=source_type)))
    assert answered(ranking_of(other), {}).results[0].metadata.source_type == source_type


@pytest.mark.contract("004.37")
def test_results_keep_the_order_of_the_ranking_and_report_the_cosine() -> None:
    hits = [hit_of("first", 0.2, 1, rank_score=1.0), hit_of("second", 0.8, 2, rank_score=0.5)]
    results = answered(ranking_of(*hits, mode=Mode.HYBRID), {}).results
    assert [(result.content, result.similarity_score) for result in results] == [("first", 0.2), ("second", 0.8)]


@pytest.mark.contract("004.38", "004.45")
@pytest.mark.parametrize("count", [0, 1, 100])
def test_total_results_is_the_number_of_results(count: int) -> None:
    answer = answered(ranking_of(*[hit_of(f"text {number}") for number in range(count)]), {})
    assert answer.total_results == len(answer.results) == count


@pytest.mark.contract("004.40", "004.41", "004.42")
def test_search_params_say_what_was_searched_with() -> None:
    params = answered(ranking_of(), {}, asked(top_k=100, similarity_threshold=1)).search_params
    assert (params.top_k, params.similarity_threshold) == (100, 1.0)


@pytest.mark.contract("004.39")
def test_query_time_ms_is_a_number() -> None:
    assert to_time(1.23456) == {"query_time_ms": 1.235}


# --- status --------------------------------------------------------------------------------------------------------


@pytest.mark.contract("004.47")
def test_the_status_words_are_those_of_the_seed() -> None:
    assert {status.value for status in QueryStatus} == {"success", "partial", "no_results"}


@pytest.mark.contract("004.43")
def test_status_is_success_when_there_are_results_and_nothing_is_missing() -> None:
    assert answered(ranking_of(hit_of("Nodes talk.")), {}).status is QueryStatus.SUCCESS


@pytest.mark.contract("004.43")
@pytest.mark.parametrize("rows", [{}, None], ids=["catalog up", "catalog down"])
def test_status_is_no_results_when_nothing_reaches_the_threshold(rows: dict[str, ChunkMetadata] | None) -> None:
    answer = answered(ranking_of(), rows)
    assert answer.status is QueryStatus.NO_RESULTS
    assert answer.search_params.warnings == []


@pytest.mark.contract("004.43")
def test_status_is_partial_when_the_catalog_is_down_and_a_warning_says_so() -> None:
    answer = answered(ranking_of(hit_of("Nodes talk.")), None)
    assert answer.status is QueryStatus.PARTIAL
    assert answer.search_params.warnings == ["The catalog does not answer: titles come from the index."]
    assert answer.results[0].metadata.document_title == "Nodes and topics"


@pytest.mark.contract("004.23")
def test_the_catalog_has_the_word_on_the_title() -> None:
    chunk = chunk_of("Nodes talk.")
    rows = {chunk.id: ChunkMetadata(chunk.id, "docs/moved.md", "moved", "Another title")}
    assert answered(ranking_of(hit_of("Nodes talk.")), rows).results[0].metadata.document_title == "Another title"


@pytest.mark.contract("004.23")
def test_a_title_that_is_not_there_is_null() -> None:
    hit = hit_of("Nodes talk.")
    bare = replace(hit, chunk=replace(hit.chunk, document=replace(hit.chunk.document, title="")))
    assert answered(ranking_of(bare), {}).results[0].metadata.document_title is None


def test_warnings_of_the_ranking_are_passed_on() -> None:
    ranking = replace(ranking_of(hit_of("Nodes talk.")), warnings=("only stop words",))
    assert answered(ranking, {}).search_params.warnings == ["only stop words"]


# --- health --------------------------------------------------------------------------------------------------------


@pytest.mark.contract("004.48")
@pytest.mark.parametrize(
    ("vector_store", "catalog", "generation", "problems", "status"),
    [
        pytest.param(True, True, "g1", 0, "healthy", id="all is well"),
        pytest.param(True, False, "g1", 1, "degraded", id="catalog down"),
        pytest.param(True, True, "g1", 1, "degraded", id="the next generation cannot be opened"),
        pytest.param(False, True, "g1", 1, "unavailable", id="vector store down"),
        pytest.param(False, False, "g1", 2, "unavailable", id="both down"),
        pytest.param(True, True, None, 1, "unavailable", id="nothing promoted"),
    ],
)
def test_health_in_the_words_of_the_seed(
    vector_store: bool, catalog: bool, generation: str | None, problems: int, status: str
) -> None:
    body = to_health(Health(vector_store, catalog, generation, ("a problem",) * problems))
    assert body == {"status": status, "vector_store": vector_store, "catalog": catalog, "generation": generation}
    ServiceHealth.model_validate(body, strict=False)
