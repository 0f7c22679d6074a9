"""Seed 000's shape: its fields, its limits, its words and its lifecycle."""

import json
import re
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from pydantic import BaseModel, ValidationError
from tests.borders import count_borders, share_borders, switch_borders, text_borders
from tests.rankings import URL, hit_of, ranking_of

from assay.contracts import retrieval_testing
from assay.contracts.retrieval_testing import (
    Lifecycle,
    LifecycleState,
    QueryMetadata,
    QueryResponse,
    RetrievedChunk,
    parse,
    to_body,
    to_metadata,
)
from assay.errors import InputError
from assay.model.ranking import Mode, Ranking
from assay.settings import ChunkingSettings, Settings

RECEIVED = datetime(2026, 3, 2, 10, 0, 0, 250_000, tzinfo=UTC)
LIFECYCLE = Lifecycle(RECEIVED, 0.5, 2.0, 2.25, 2.5, 2.625)


def refusal(**fields: object) -> str:
    with pytest.raises(InputError) as caught:
        parse({"query_text": "nodes", **fields}, Mode.DENSE)
    return str(caught.value)


def whole(ranking: Ranking, *, include_metadata: bool = True) -> dict[str, object]:
    return to_body(ranking, include_metadata=include_metadata) | to_metadata(ranking, LIFECYCLE)


def answered(ranking: Ranking) -> QueryResponse:
    return QueryResponse.model_validate_json(json.dumps(whole(ranking)))


# --- the request ---------------------------------------------------------------------------------------------------


@pytest.mark.contract("000.1", "000.28")
@pytest.mark.parametrize(("query_text", "accepted"), text_borders(1_999))
def test_query_text_has_1_to_1999_characters_not_all_white_space(query_text: object, accepted: bool) -> None:
    if accepted:
        assert parse({"query_text": query_text}, Mode.DENSE).query.text == query_text
    else:
        assert re.match(r"query_text: .*a string of 1 to 1,999 characters", refusal(query_text=query_text))


@pytest.mark.contract("000.28")
def test_query_text_of_2000_characters_is_refused_and_not_cut() -> None:
    assert "of 2,000 characters was sent" in refusal(query_text="a" * 2_000)


@pytest.mark.contract("000.1")
def test_query_text_is_required() -> None:
    with pytest.raises(InputError, match=r"^query_text: it is required"):
        parse({}, Mode.DENSE)


def test_query_text_is_neither_trimmed_nor_changed() -> None:
    assert parse({"query_text": "  Nodes\n"}, Mode.DENSE).query.text == "  Nodes\n"


@pytest.mark.contract("000.2", "000.29")
@pytest.mark.parametrize(("top_k", "accepted"), count_borders(20))
def test_top_k_is_a_whole_number_from_1_to_20(top_k: object, accepted: bool) -> None:
    if accepted:
        assert parse({"query_text": "nodes", "top_k": top_k}, Mode.DENSE).query.top_k == top_k
    else:
        assert re.match(r"top_k: it must be a whole number from 1 to 20; .* was sent\.$", refusal(top_k=top_k))


@pytest.mark.contract("000.2")
def test_top_k_is_5_by_default() -> None:
    assert parse({"query_text": "nodes"}, Mode.DENSE).query.top_k == 5


@pytest.mark.contract("000.3")
@pytest.mark.parametrize(("threshold", "accepted"), share_borders())
def test_threshold_is_a_number_from_0_to_1(threshold: object, accepted: bool) -> None:
    if accepted:
        assert parse({"query_text": "nodes", "threshold": threshold}, Mode.DENSE).query.threshold == threshold
    else:
        assert re.match(r"threshold: it must be a number from 0 to 1; .* was sent\.$", refusal(threshold=threshold))


@pytest.mark.contract("000.3")
def test_threshold_is_0_by_default() -> None:
    assert parse({"query_text": "nodes"}, Mode.DENSE).query.threshold == 0.0


@pytest.mark.contract("000.4")
@pytest.mark.parametrize(("include_metadata", "accepted"), switch_borders())
def test_include_metadata_is_true_or_false(include_metadata: object, accepted: bool) -> None:
    if accepted:
        fields = {"query_text": "nodes", "include_metadata": include_metadata}
        assert parse(fields, Mode.DENSE).include_metadata is include_metadata
    else:
        message = refusal(include_metadata=include_metadata)
        assert message.startswith("include_metadata: it must be true or false; ")


@pytest.mark.contract("000.4")
def test_include_metadata_is_true_by_default() -> None:
    assert parse({"query_text": "nodes"}, Mode.DENSE).include_metadata is True


def test_an_unknown_field_is_refused_by_name() -> None:
    assert refusal(query="x").startswith("There is no field `query`; did you mean `query_text`?")


def test_every_wrong_field_is_named() -> None:
    message = refusal(query_text="", top_k=21, threshold=1.01, include_metadata="yes")
    assert [word for word in ("query_text:", "top_k:", "threshold:", "include_metadata:") if word not in message] == []


@pytest.mark.parametrize("mode", [Mode.DENSE, Mode.HYBRID])
def test_the_operator_decides_the_mode(mode: Mode) -> None:
    assert parse({"query_text": "nodes"}, mode).query.mode is mode


# --- the answer ----------------------------------------------------------------------------------------------------


@pytest.mark.contract("000.8", "000.9", "000.10", "000.11", "000.12", "000.13")
def test_a_result_has_exactly_the_fields_of_the_seed() -> None:
    hit = hit_of("Nodes talk.", 0.87, position=3)
    assert to_body(ranking_of(hit), include_metadata=True) == {
        "query": "How do nodes communicate?",
        "results": [
            {
                "content": "Nodes talk.",
                "similarity_score": 0.87,
                "chunk_id": hit.chunk.id,
                "url": URL,
                "position": 3,
                "created_at": "2026-03-01T08:15:00Z",
                "metadata": {
                    "title": "Nodes and topics",
                    "section": "Topics",
                    "section_url": f"{URL}#topics",
                    "headings": ["Concepts", "Topics"],
                    "version": None,
                    "locale": None,
                    "source": "handbook",
                    "content_hash": hit.chunk.content_hash,
                },
            }
        ],
    }


@pytest.mark.contract("000.4")
def test_without_metadata_a_result_keeps_the_six_fields_of_the_seed() -> None:
    hit = hit_of("Nodes talk.", 0.87)
    whole_body, bare = (to_body(ranking_of(hit), include_metadata=wanted) for wanted in (True, False))
    detailed, plain = whole_body["results"][0], bare["results"][0]  # type: ignore[index]  # plain dicts
    assert list(plain) == ["content", "similarity_score", "chunk_id", "url", "position", "created_at"]
    assert {name: value for name, value in detailed.items() if name != "metadata"} == plain


def test_the_models_have_the_names_and_fields_of_the_seed() -> None:
    assert set(retrieval_testing.QueryRequest.model_fields) == {
        "query_text",
        "top_k",
        "threshold",
        "include_metadata",
    }
    assert set(RetrievedChunk.model_fields) == {
        "content",
        "url",
        "position",
        "similarity_score",
        "chunk_id",
        "metadata",
        "created_at",
    }
    assert set(QueryResponse.model_fields) == {"query", "results", "metadata"}
    assert set(QueryMetadata.model_fields) == {"query_time_ms", "total_results", "timestamp", "lifecycle"}


def breaks(model: type[BaseModel], good: dict[str, object], **bad: object) -> bool:
    model.model_validate_json(json.dumps(good))
    try:
        model.model_validate_json(json.dumps(good | bad))
    except ValidationError:
        return True
    return False


CHUNK: dict[str, object] = {
    "content": "Nodes talk.",
    "similarity_score": 0.87,
    "chunk_id": "6f0c3a52",
    "url": URL,
    "position": 0,
    "created_at": "2026-03-01T08:15:00Z",
}


@pytest.mark.contract("000.14", "000.15", "000.17")
@pytest.mark.parametrize(
    "bad",
    [
        {"content": ""},
        {"content": None},
        {"similarity_score": -0.01},
        {"similarity_score": 1.01},
        {"chunk_id": ""},
        {"position": -1},
        {"position": 0.5},
        {"created_at": "yesterday"},
    ],
    ids=str,
)
def test_the_declared_chunk_has_the_seeds_rules(bad: dict[str, object]) -> None:
    assert breaks(RetrievedChunk, CHUNK, **bad)


@pytest.mark.contract("000.16")
def test_the_url_of_a_chunk_is_declared_as_a_url() -> None:
    assert RetrievedChunk.model_json_schema()["properties"]["url"]["format"] == "uri"


@pytest.mark.contract("000.25")
def test_the_declared_metadata_has_the_seeds_rules() -> None:
    good = to_metadata(ranking_of(), LIFECYCLE)["metadata"]
    assert isinstance(good, dict)
    assert breaks(QueryMetadata, good, query_time_ms=-1)
    assert breaks(QueryMetadata, good, query_time_ms=1.5)
    assert breaks(QueryMetadata, good, total_results=-1)
    assert breaks(QueryMetadata, good, timestamp="now")
    assert breaks(QueryMetadata, good, lifecycle=good["lifecycle"][:5])


@pytest.mark.contract("000.19")
def test_results_keep_the_order_of_the_ranking_and_report_the_cosine() -> None:
    hits = [hit_of("first", 0.2, 1, rank_score=1.0), hit_of("second", 0.8, 2, rank_score=0.5)]
    results = answered(ranking_of(*hits, mode=Mode.HYBRID)).results
    assert [(result.content, result.similarity_score) for result in results] == [("first", 0.2), ("second", 0.8)]


@pytest.mark.contract("000.22", "000.26")
@pytest.mark.parametrize("count", [0, 1, 20])
def test_total_results_is_the_number_of_results(count: int) -> None:
    answer = answered(ranking_of(*[hit_of(f"text {number}") for number in range(count)]))
    assert answer.metadata.total_results == len(answer.results) == count


@pytest.mark.contract("000.18")
def test_query_is_the_query_as_it_was_sent() -> None:
    assert answered(ranking_of(text="  Räder 🤖\n")).query == "  Räder 🤖\n"


@pytest.mark.contract("000.21")
@pytest.mark.parametrize(("formatted_ms", "expected"), [(0.0, 0), (0.4, 0), (0.6, 1), (1_234.5678, 1235)])
def test_query_time_ms_is_an_integer(formatted_ms: float, expected: int) -> None:
    lifecycle = replace(LIFECYCLE, formatted_ms=formatted_ms)
    metadata = to_metadata(ranking_of(), lifecycle)["metadata"]
    assert isinstance(metadata, dict)
    assert metadata["query_time_ms"] == expected
    assert type(metadata["query_time_ms"]) is int


@pytest.mark.contract("000.23")
def test_timestamp_is_when_the_query_came_in_iso_8601_and_utc() -> None:
    metadata = to_metadata(ranking_of(), LIFECYCLE)["metadata"]
    assert isinstance(metadata, dict)
    assert metadata["timestamp"] == "2026-03-02T10:00:00.250000Z"


@pytest.mark.contract("000.30")
def test_chunks_are_shorter_than_2000_characters_unless_the_settings_say_otherwise() -> None:
    assert Settings().chunking.max_characters < 2_000
    with pytest.raises(ValidationError, match="less than or equal to 2000"):
        ChunkingSettings(max_characters=2_001)


@pytest.mark.contract("000.13")
def test_created_at_is_null_where_the_index_does_not_say() -> None:
    assert answered(ranking_of(hit_of("Nodes talk.", created_at=None))).results[0].created_at is None


# --- the lifecycle -------------------------------------------------------------------------------------------------


@pytest.mark.contract("000.27")
def test_the_lifecycle_has_the_six_states_of_the_seed_in_order() -> None:
    states = ["received", "embedded", "searched", "filtered", "formatted", "returned"]
    assert [state.value for state in LifecycleState] == states
    assert [step.state for step in LIFECYCLE.steps()] == states


@pytest.mark.contract("000.27")
def test_each_state_has_its_time() -> None:
    assert [(step["elapsed_ms"], step["at"]) for step in (one.to_dict() for one in LIFECYCLE.steps())] == [
        (0.0, "2026-03-02T10:00:00.250000Z"),
        (0.5, "2026-03-02T10:00:00.250500Z"),
        (2.0, "2026-03-02T10:00:00.252000Z"),
        (2.25, "2026-03-02T10:00:00.252250Z"),
        (2.5, "2026-03-02T10:00:00.252500Z"),
        (2.625, "2026-03-02T10:00:00.252625Z"),
    ]


def test_the_lifecycle_of_a_ranking_counts_back_from_when_it_was_ready() -> None:
    ranking = ranking_of()  # 0.25 embed, 1.5 search, 0.125 fuse, 0.5 filter, 2.4375 in all
    lifecycle = Lifecycle.of(ranking, RECEIVED, 3.0, 3.25, 3.5)
    assert lifecycle == Lifecycle(RECEIVED, 0.8125, 2.4375, 3.0, 3.25, 3.5)


@pytest.mark.parametrize("filtered_ms", [0.0, 0.1, 1.0, 2.4375, 1_000.0])
def test_no_state_comes_before_the_one_above_it(filtered_ms: float) -> None:
    steps = Lifecycle.of(ranking_of(), RECEIVED, filtered_ms, filtered_ms, filtered_ms + 0.1).steps()
    times = [step.at for step in steps]
    assert times == sorted(times)
    assert times[0] == RECEIVED
    assert times[-1] - RECEIVED == timedelta(microseconds=round((filtered_ms + 0.1) * 1000))
