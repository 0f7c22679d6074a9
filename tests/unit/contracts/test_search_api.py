"""Seed 003's shape: its fields, its limits and its words."""

from dataclasses import replace

import pytest
from tests.rankings import chunk_of, hit_of, ranking_of

from assay.contracts import search_api
from assay.contracts.search_api import HealthResponse, SearchResponse, parse, to_body, to_health
from assay.errors import InputError
from assay.model.health import Health
from assay.model.ranking import Mode
from assay.ports import ChunkMetadata


@pytest.mark.contract("003.1", "003.3")
@pytest.mark.parametrize(
    ("query", "accepted"),
    [
        pytest.param("", False, id="0 characters"),
        pytest.param("a", True, id="1 character"),
        pytest.param("a" * 500, True, id="500 characters"),
        pytest.param("a" * 501, False, id="501 characters"),
        pytest.param("   ", False, id="spaces"),
        pytest.param("\u00a0\u2003\n", False, id="other white space"),
        pytest.param("🤖" * 500, True, id="500 emoji"),
        pytest.param("🤖" * 501, False, id="501 emoji"),
        pytest.param("no\0de", False, id="NUL"),
        pytest.param("كيف تتواصل العقد؟", True, id="right to left"),
        pytest.param("\ud800", False, id="lone leading surrogate"),
        pytest.param("x\udc00", False, id="lone trailing surrogate"),
        pytest.param(None, False, id="null"),
        pytest.param(7, False, id="a number"),
        pytest.param(["nodes"], False, id="a list"),
    ],
)
def test_borders_of_query(query: object, accepted: bool) -> None:
    if accepted:
        assert parse({"query": query}, Mode.DENSE).text == query
    else:
        with pytest.raises(InputError, match=r"^query: .* a string of 1 to 500 characters"):
            parse({"query": query}, Mode.DENSE)


@pytest.mark.contract("003.2", "003.4")
@pytest.mark.parametrize(
    ("top_k", "accepted"),
    [
        pytest.param(-1, False, id="-1"),
        pytest.param(0, False, id="0"),
        pytest.param(1, True, id="1"),
        pytest.param(20, True, id="20"),
        pytest.param(21, False, id="21"),
        pytest.param(100, False, id="100"),
        pytest.param("5", False, id="the string 5"),
        pytest.param(5.0, False, id="5.0"),
        pytest.param(True, False, id="true"),
        pytest.param(None, False, id="null"),
        pytest.param(float("nan"), False, id="NaN"),
        pytest.param(10**300, False, id="a number of 300 digits"),
    ],
)
def test_borders_of_top_k(top_k: object, accepted: bool) -> None:
    if accepted:
        assert parse({"query": "nodes", "top_k": top_k}, Mode.DENSE).top_k == top_k
    else:
        with pytest.raises(InputError, match=r"^top_k: it must be a whole number from 1 to 20; .* was sent\.$"):
            parse({"query": "nodes", "top_k": top_k}, Mode.DENSE)


@pytest.mark.contract("003.2")
def test_top_k_is_5_by_default() -> None:
    assert parse({"query": "nodes"}, Mode.DENSE).top_k == 5


@pytest.mark.parametrize("mode", [Mode.DENSE, Mode.HYBRID])
def test_the_operator_decides_the_mode(mode: Mode) -> None:
    assert parse({"query": "nodes"}, mode).mode is mode


def test_an_unknown_field_is_refused_by_name() -> None:
    with pytest.raises(InputError, match="There is no field `limit`; the fields are query, top_k"):
        parse({"query": "nodes", "limit": 3}, Mode.DENSE)


@pytest.mark.contract("003.11")
def test_a_query_is_neither_trimmed_nor_changed() -> None:
    assert parse({"query": "  Nodes\n"}, Mode.DENSE).text == "  Nodes\n"


@pytest.mark.contract("003.5", "003.6", "003.10")
def test_a_result_has_exactly_the_fields_of_the_seed() -> None:
    body = to_body(ranking_of(hit_of("Nodes talk.", 0.87)), {})
    assert body == {
        "query": "How do nodes communicate?",
        "results": [
            {
                "chunk_id": chunk_of("Nodes talk.").id,
                "snippet": "Nodes talk.",
                "source_path": "docs/concepts/nodes.md",
                "slug": "concepts-nodes",
                "title": "Nodes and topics",
                "score": 0.87,
            }
        ],
    }
    SearchResponse.model_validate(body)


@pytest.mark.contract("003.12")
def test_no_hits_are_an_empty_list() -> None:
    assert to_body(ranking_of(), {})["results"] == []


@pytest.mark.contract("003.7", "003.8", "003.9")
def test_the_catalog_has_the_word_on_path_slug_and_title() -> None:
    chunk = chunk_of("Nodes talk.")
    row = ChunkMetadata(chunk.id, "docs/moved.md", "moved", None)
    result = SearchResponse.model_validate(to_body(ranking_of(hit_of("Nodes talk.")), {chunk.id: row})).results[0]
    assert (result.source_path, result.slug, result.title) == ("docs/moved.md", "moved", None)


@pytest.mark.contract("003.6")
@pytest.mark.parametrize("length", [1, 199, 200, 1_999, 10_000])
def test_a_snippet_is_the_whole_text_of_a_chunk(length: int) -> None:
    text = ("Nodes talk to nodes. " * 500)[:length]
    assert to_body(ranking_of(hit_of(text)), {})["results"][0]["snippet"] == text  # type: ignore[index]  # plain dicts


@pytest.mark.contract("003.9")
def test_a_long_title_is_cut_to_255_characters_whoever_describes_the_chunk() -> None:
    hit = hit_of("Nodes talk.")
    long = replace(hit, chunk=replace(hit.chunk, document=replace(hit.chunk.document, title="T" * 300)))
    row = ChunkMetadata(hit.chunk.id, "docs/concepts/nodes.md", "concepts-nodes", "T" * 255)
    with_catalog, without = (to_body(ranking_of(long), rows) for rows in ({hit.chunk.id: row}, {}))
    assert with_catalog == without


@pytest.mark.contract("003.9")
def test_a_chunk_that_the_catalog_lacks_is_described_by_the_index() -> None:
    other = chunk_of("Something else.")
    rows = {other.id: ChunkMetadata(other.id, "x.md", "x", "X")}
    result = SearchResponse.model_validate(to_body(ranking_of(hit_of("Nodes talk.")), rows)).results[0]
    assert result.source_path == "docs/concepts/nodes.md"


def test_results_keep_the_order_of_the_ranking_and_report_the_cosine() -> None:
    hits = [hit_of("first", 0.2, 1, rank_score=1.0), hit_of("second", 0.8, 2, rank_score=0.5)]
    results = SearchResponse.model_validate(to_body(ranking_of(*hits, mode=Mode.HYBRID), {})).results
    assert [(result.snippet, result.score) for result in results] == [("first", 0.2), ("second", 0.8)]


@pytest.mark.contract("003.13")
@pytest.mark.parametrize(
    ("vector_store", "catalog", "serving", "problems", "status"),
    [
        pytest.param(True, True, True, 0, "ok", id="all is well"),
        pytest.param(True, False, True, 1, "degraded", id="catalog down"),
        pytest.param(True, True, True, 1, "degraded", id="the next generation cannot be opened"),
        pytest.param(False, True, True, 1, "error", id="vector store down"),
        pytest.param(False, False, True, 2, "error", id="both down"),
        pytest.param(True, True, False, 1, "error", id="nothing promoted"),
    ],
)
def test_health_in_the_words_of_the_seed(
    vector_store: bool, catalog: bool, serving: bool, problems: int, status: str
) -> None:
    body = to_health(Health(vector_store, catalog, "g1" if serving else None, ("a problem",) * problems))
    assert body == {"status": status, "qdrant": vector_store, "postgres": catalog}
    HealthResponse.model_validate(body, strict=False)


def test_the_models_have_the_names_and_fields_of_the_seed() -> None:
    fields = {
        model: set(getattr(search_api, model).model_fields)
        for model in ("SearchRequest", "SearchResult", "SearchResponse", "HealthResponse", "ErrorResponse")
    }
    assert fields == {
        "SearchRequest": {"query", "top_k"},
        "SearchResult": {"chunk_id", "snippet", "source_path", "slug", "title", "score"},
        "SearchResponse": {"query", "results"},
        "HealthResponse": {"status", "qdrant", "postgres"},
        "ErrorResponse": {"error", "message"},
    }
