"""The JSON report: seed 001's fields and rules, what Assay adds, and reading it back."""

import hashlib
import json
import math
from collections.abc import Iterator, Mapping
from dataclasses import astuple, replace
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import jsonschema_rs
import pytest
from pydantic import ValidationError
from tests import validations
from tests.docs.seed_fields import FIELDS
from tests.validations import hits_of, topic_result, validation_of

from assay.contracts import validation_report as product
from assay.contracts.report_reading import from_dict, from_json
from assay.contracts.validation_entities import (
    ReportCase,
    ReportQuery,
    ReportResult,
    ValidationReport,
)
from assay.contracts.validation_report import json_schema, to_dict, to_json, to_json_parts
from assay.errors import InputError
from assay.experiments.comparing import joined_by_text
from assay.model.comparisons import Side
from assay.model.evaluation import Anchoring, Interval, MeasureValue, Outcome, TopicType
from assay.model.ranking import ContractMode
from assay.model.validations import Difference, LoadFigures, ShownOrder, Validation
from assay.validation.comparing import compare_sides
from assay.validation.integrity.results import check_hits

EXAMPLES = {
    "passed": validations.passed,
    "failed": validations.failed,
    "undecided": validations.undecided,
    "structure only": validations.structure_only,
}


def report(validation: Validation | None = None) -> Any:  # noqa: ANN401 - JSON
    """What a reader of the file gets."""
    return json.loads(to_json(validation or validations.passed()))


def accepts(fields: Mapping[str, object]) -> bool:
    try:
        ValidationReport.model_validate_json(json.dumps(fields))
    except ValidationError:
        return False
    return True


# --- as the seed has it --------------------------------------------------------------------------------------------


@pytest.mark.contract("001.38")
@pytest.mark.parametrize("name", EXAMPLES)
def test_a_report_is_as_its_models_declare_it_with_no_key_more(name: str) -> None:
    fields = report(EXAMPLES[name]())
    declared = ValidationReport.model_validate_json(json.dumps(fields)).model_dump(mode="json")
    assert declared == fields


def test_a_report_has_the_fields_of_the_seed_at_the_top() -> None:
    assert list(report())[:12] == FIELDS["001"]["ValidationReport"]


@pytest.mark.contract("001.19")
def test_a_test_case_has_the_fields_of_the_seed() -> None:
    case = report()["test_cases"][0]
    assert list(case)[:6] == FIELDS["001"]["TestCase"]
    assert list(case["query"]) == FIELDS["001"]["Query"]


@pytest.mark.contract("001.7", "001.8", "001.9", "001.10", "001.11", "001.12", "001.13")
def test_a_result_has_exactly_the_fields_of_the_seed() -> None:
    result = report()["test_cases"][0]["actual_results"][0]
    chunk = validations.chunk_of(0)
    assert result == {
        "similarity_score": 0.82,
        "content": chunk.text,
        "url": f"{validations.SITE}/communication/nodes-and-topics",
        "title": "Nodes and topics",
        "chunk_index": 0,
        "timestamp": "2026-03-02T10:01:07Z",
        "content_hash": hashlib.sha256(chunk.text.encode()).hexdigest(),
    }


@pytest.mark.contract("001.29")
def test_timestamp_is_when_the_validation_began_in_iso_8601_and_utc() -> None:
    began = datetime(2026, 3, 2, 12, 0, 5, tzinfo=timezone(timedelta(hours=2)))
    assert report(replace(validations.passed(), started_at=began))["timestamp"] == "2026-03-02T10:00:05Z"


@pytest.mark.contract("001.1", "001.2", "001.3")
def test_a_report_has_the_query_as_it_was_sent() -> None:
    asked = topic_result(text="  What?  ", kind=TopicType.BROAD, labels=(2, 0, 1), top_k=3)
    (case,) = report(validation_of([asked]))["test_cases"]
    assert case["query"] == {"text": "  What?  ", "top_k": 3, "query_type": "broad"}


@pytest.mark.contract("001.20")
def test_expected_criteria_are_those_of_the_test_set() -> None:
    criteria = {"min_score": 0.3, "expected_topic": "pub/sub", "since": datetime(2026, 3, 1, tzinfo=UTC).date()}
    (case,) = report(validation_of([topic_result(expected_criteria=criteria)]))["test_cases"]
    assert case["expected_criteria"] == {"min_score": 0.3, "expected_topic": "pub/sub", "since": "2026-03-01"}


@pytest.mark.contract("001.21")
def test_results_are_the_first_top_k_hits_best_first() -> None:
    asked = topic_result(labels=(0, 2, 0, 1, 0, 2, 1), top_k=4)
    (case,) = report(validation_of([asked]))["test_cases"]
    assert [result["content"] for result in case["actual_results"]] == [hit.chunk.text for hit in asked.hits[:4]]
    assert case["chunk_ids"] == [hit.chunk.id for hit in asked.hits[:4]]
    assert case["relevance_labels"] == [0, 2, 0, 1]


@pytest.mark.contract("001.22")
def test_an_unjudged_hit_has_label_0_and_is_marked_as_unjudged() -> None:
    (case,) = report(validation_of([topic_result(labels=(2, None, 0, 1, None))]))["test_cases"]
    assert case["relevance_labels"] == [2, 0, 0, 1, 0]
    assert case["judged"] == [True, False, True, True, False]


@pytest.mark.contract("001.30")
def test_total_queries_counts_every_topic_those_that_failed_too() -> None:
    assert report(validations.failed())["total_queries"] == 15


@pytest.mark.contract("001.21")
def test_a_failed_topic_has_its_error_and_no_measures() -> None:
    case = next(case for case in report(validations.failed())["test_cases"] if case["id"] == "camera-time")
    assert case["error"] == "The embedder did not answer within 30 s."
    assert (case["actual_results"], case["measures"], case["latency_ms"], case["rank_of_best"]) == ([], {}, None, None)


@pytest.mark.contract("001.39", "001.44", "001.53")
def test_summary_begins_with_pass_or_fail() -> None:
    beginnings = {name: report(make())["summary"] for name, make in EXAMPLES.items()}
    assert beginnings["passed"].startswith("PASS: 12/15 queries (80%) achieved precision@5 >= 0.80.")
    assert beginnings["failed"].startswith("FAIL: ")
    assert beginnings["undecided"].startswith("FAIL: inconclusive: ")


@pytest.mark.contract("001.40")
def test_issues_are_what_did_not_pass_and_then_the_advice() -> None:
    issues = report(validations.failed())["issues"]
    assert issues[0].startswith("topics asked: 1 of 15 topics failed")
    assert issues[1].startswith("precision: ")
    assert issues[-1] == "p95 latency 1840ms within acceptable range but approaching limit"
    assert report()["issues"][0].startswith("Query 'quantum computing algorithms' returned no relevant results")


@pytest.mark.contract("001.31", "001.32", "001.33", "001.34", "001.35")
def test_the_figures_at_the_top_are_those_of_the_measures() -> None:
    fields = report(validations.failed())
    assert fields["avg_precision_at_5"] == fields["measures"]["P@5"]["value"]
    assert fields["mrr"] == fields["measures"]["mrr"]["value"]
    assert fields["p95_latency_ms"] == fields["latency"]["p95_ms"] == 1840.0
    assert fields["avg_latency_ms"] == fields["latency"]["mean_ms"]
    assert fields["p99_latency_ms"] == fields["latency"]["p99_ms"]


@pytest.mark.contract("001.33")
def test_an_unmeasured_value_is_0_in_the_fields_of_the_seed_and_null_in_the_others() -> None:
    fields = report(validations.structure_only())
    assert (fields["avg_precision_at_5"], fields["mrr"], fields["p95_latency_ms"]) == (0.0, 0.0, 0.0)
    assert (fields["measures"], fields["latency"], fields["total_queries"]) == ({}, None, 0)


# --- the seed's formulas, as the seed writes them ------------------------------------------------------------------


def compute_precision_at_k(relevance_labels: list[int], k: int) -> float:
    return sum(1 for label in relevance_labels[:k] if label >= 1) / k


def compute_mrr(test_cases: list[dict[str, Any]]) -> float:
    ranks = [1.0 / case["rank_of_best"] if case["rank_of_best"] is not None else 0.0 for case in test_cases]
    return sum(ranks) / len(test_cases)


def compute_metadata_completeness(results: list[dict[str, Any]]) -> float:
    complete = [
        all(
            [
                result["url"],
                result["title"],
                result["chunk_index"] is not None,
                result["content"],
                result["timestamp"],
                result["content_hash"],
            ]
        )
        for result in results
    ]
    return sum(complete) / len(results) if results else 1.0


def compute_hash_validation_rate(results: list[dict[str, Any]]) -> float:
    good = [hashlib.sha256(result["content"].encode()).hexdigest() == result["content_hash"] for result in results]
    return sum(good) / len(results) if results else 1.0


@pytest.mark.contract("001.23", "001.45")
@pytest.mark.parametrize("top_k", [1, 2, 5, 10, 100])
def test_precision_at_k_is_the_seeds_with_k_of_the_query(top_k: int) -> None:
    (case,) = report(validation_of([topic_result(labels=(2, None, 1, 0, 1, 2, 0), top_k=top_k)]))["test_cases"]
    assert case["precision_at_k"] == compute_precision_at_k(case["relevance_labels"], top_k)


@pytest.mark.contract("001.23")
def test_fewer_results_than_k_are_divided_by_k_all_the_same() -> None:
    (case,) = report(validation_of([topic_result(labels=(2, 1))]))["test_cases"]
    assert case["precision_at_k"] == 2 / 5


@pytest.mark.contract("001.24", "001.31", "001.32", "001.36", "001.37", "001.46", "001.47", "001.48")
def test_the_seeds_own_functions_give_the_figures_of_the_report() -> None:
    fields = report()
    cases = fields["test_cases"]
    results = [result for case in cases for result in case["actual_results"]]
    assert fields["avg_precision_at_5"] == pytest.approx(
        sum(compute_precision_at_k(case["relevance_labels"], 5) for case in cases) / len(cases), abs=1e-12
    )
    assert fields["mrr"] == pytest.approx(compute_mrr(cases), abs=1e-12)
    assert fields["metadata_completeness_rate"] == compute_metadata_completeness(results)
    assert fields["hash_validation_pass_rate"] == compute_hash_validation_rate(results)
    assert fields["results"] == len(results)


# --- the seed's rules ----------------------------------------------------------------------------------------------


def _query(**changes: object) -> dict[str, object]:
    return {"text": "What is a URDF joint?", "top_k": 5, "query_type": "specific", **changes}


def _result(**changes: object) -> dict[str, object]:
    return {
        "similarity_score": 0.89,
        "content": "ROS 2 nodes",
        "url": "https://docs.example.org/nodes",
        "title": "Nodes",
        "chunk_index": 0,
        "timestamp": "2025-12-15T10:00:00Z",
        "content_hash": "ab" * 32,
        **changes,
    }


def takes(model: type[ReportQuery | ReportResult | ReportCase], fields: Mapping[str, object]) -> bool:
    try:
        model.model_validate_json(json.dumps(fields))
    except ValidationError:
        return False
    return True


@pytest.mark.contract("001.4")
@pytest.mark.parametrize(("text", "taken"), [("", True), ("nodes", True), (None, False), (7, False)])
def test_the_text_of_a_query_may_be_empty_and_not_null(text: object, taken: bool) -> None:
    assert takes(ReportQuery, _query(text=text)) is taken


@pytest.mark.contract("001.5")
@pytest.mark.parametrize(
    ("top_k", "taken"), [(0, False), (1, True), (5, True), (100, True), (101, False), (-1, False), (None, False)]
)
def test_top_k_of_a_query_is_from_1_to_100(top_k: object, taken: bool) -> None:
    assert takes(ReportQuery, _query(top_k=top_k)) is taken


@pytest.mark.contract("001.6")
@pytest.mark.parametrize(
    ("kind", "taken"),
    [("specific", True), ("broad", True), ("paraphrase", True), ("edge", True), ("Edge", False), ("", False)],
)
def test_query_type_is_one_of_the_seeds_four(kind: str, taken: bool) -> None:
    assert takes(ReportQuery, _query(query_type=kind)) is taken


@pytest.mark.contract("001.14")
@pytest.mark.parametrize(
    ("score", "taken"), [(0.0, True), (1.0, True), (-0.01, False), (1.01, False), (None, False), ("0.5", False)]
)
def test_similarity_score_is_between_0_and_1(score: object, taken: bool) -> None:
    assert takes(ReportResult, _result(similarity_score=score)) is taken


@pytest.mark.contract("001.15")
@pytest.mark.parametrize("name", ["content", "url", "title", "content_hash"])
def test_strings_of_a_result_are_not_null(name: str) -> None:
    assert not takes(ReportResult, _result(**{name: None}))
    assert not takes(ReportResult, {key: value for key, value in _result().items() if key != name})


@pytest.mark.contract("001.16")
@pytest.mark.parametrize(("index", "taken"), [(0, True), (7, True), (-1, False), (0.5, False), (None, False)])
def test_chunk_index_is_a_non_negative_integer(index: object, taken: bool) -> None:
    assert takes(ReportResult, _result(chunk_index=index)) is taken


@pytest.mark.contract("001.12", "001.17")
@pytest.mark.parametrize(
    ("moment", "taken"),
    [
        ("2025-12-15T10:00:00Z", True),
        ("2025-12-15T10:00:00.25+02:00", True),
        ("2025-12-15T10:00:00", True),
        ("", True),
        ("yesterday", False),
        ("2025-13-15T10:00:00Z", False),
        (None, False),
    ],
)
def test_timestamp_of_a_result_is_iso_8601_or_empty_where_an_index_does_not_say(moment: object, taken: bool) -> None:
    assert takes(ReportResult, _result(timestamp=moment)) is taken


@pytest.mark.contract("001.18")
@pytest.mark.parametrize(
    ("digest", "taken"),
    [
        ("0" * 64, True),
        ("af" * 32, True),
        ("AF" * 32, True),
        ("0" * 63, False),
        ("0" * 65, False),
        ("g" * 64, False),
        ("", False),
    ],
)
def test_content_hash_is_64_hexadecimal_digits(digest: str, taken: bool) -> None:
    assert takes(ReportResult, _result(content_hash=digest)) is taken


@pytest.mark.contract("001.13")
def test_content_hash_is_the_one_that_the_index_has_and_not_recomputed() -> None:
    one = topic_result()
    wrong = replace(one.hits[0], chunk=replace(one.hits[0].chunk, content_hash="ab" * 32))
    results = report(validation_of([replace(one, hits=(wrong, *one.hits[1:]))]))["test_cases"][0]["actual_results"]
    assert results[0]["content_hash"] == "ab" * 32
    read = [ReportResult.model_validate_json(json.dumps(result)) for result in results]
    assert product.compute_hash_validation_rate(read) == (len(read) - 1) / len(read)


@pytest.mark.contract("001.18")
def test_a_content_hash_in_upper_case_is_kept_in_lower_case() -> None:
    assert ReportResult.model_validate_json(json.dumps(_result(content_hash="AF" * 32))).content_hash == "af" * 32
    one = topic_result()
    shouted = tuple(
        replace(hit, chunk=replace(hit.chunk, content_hash=hit.chunk.content_hash.upper())) for hit in one.hits
    )
    results = report(validation_of([replace(one, hits=shouted)]))["test_cases"][0]["actual_results"]
    assert [result["content_hash"] for result in results] == [hit.chunk.content_hash for hit in one.hits][
        : len(results)
    ]
    assert check_hits(shouted).hash_pass_rate == 1.0


@pytest.mark.parametrize("stamp", ["2025-12-16T15:30:00", "2025-12-16T15:30:00Z", "2025-12-16T17:30:00+02:00"])
def test_a_time_without_a_zone_is_read_as_utc(stamp: str) -> None:
    read = ReportResult.model_validate_json(json.dumps(_result(timestamp=stamp)))
    assert read.timestamp == datetime(2025, 12, 16, 15, 30, tzinfo=UTC)


@pytest.mark.contract("001.15")
def test_no_field_of_a_result_is_null_where_an_index_does_not_say_when_it_was_stored() -> None:
    one = topic_result()
    undated = tuple(replace(hit, chunk=replace(hit.chunk, created_at=None)) for hit in one.hits)
    fields = report(validation_of([replace(one, hits=undated)]))
    for result in fields["test_cases"][0]["actual_results"]:
        assert None not in result.values()
        assert result["timestamp"] == ""
    assert accepts(fields)
    read = ValidationReport.model_validate_json(json.dumps(fields))
    assert product.compute_metadata_completeness(read.test_cases[0].actual_results) == 0.0


def test_every_entity_has_to_dict_which_json_can_say() -> None:
    read = ValidationReport.model_validate_json(json.dumps(report()))
    case = read.test_cases[0]
    for entity in (read, case, case.query, case.actual_results[0]):
        assert type(entity).model_validate_json(json.dumps(entity.to_dict())) == entity


def test_the_four_functions_of_the_seed_give_the_figures_of_the_report() -> None:
    read = ValidationReport.model_validate_json(json.dumps(report()))
    results = [result for case in read.test_cases for result in case.actual_results]
    assert product.compute_mrr(read.test_cases) == pytest.approx(read.mrr)
    for case in read.test_cases:
        assert product.compute_precision_at_k(case.relevance_labels, case.query.top_k) == case.precision_at_k
    assert product.compute_metadata_completeness(results) == read.metadata_completeness_rate
    assert product.compute_hash_validation_rate(results) == read.hash_validation_pass_rate


def test_the_four_functions_at_their_borders() -> None:
    result = ReportResult.model_validate_json(json.dumps(_result()))
    assert product.compute_precision_at_k([2, 1, 0], 5) == 0.4
    with pytest.raises(ValueError, match="k must be 1 or more"):
        product.compute_precision_at_k([1], 0)
    assert product.compute_mrr([]) == 0.0
    assert (product.compute_metadata_completeness([]), product.compute_hash_validation_rate([])) == (1.0, 1.0)
    assert (product.compute_metadata_completeness([result]), product.compute_hash_validation_rate([result])) == (
        1.0,
        0.0,
    )


def _case(**changes: object) -> dict[str, object]:
    return report()["test_cases"][0] | changes


@pytest.mark.contract("001.25")
@pytest.mark.parametrize("name", ["relevance_labels", "judged", "chunk_ids"])
def test_there_is_one_label_for_each_result(name: str) -> None:
    whole = _case()[name]
    assert isinstance(whole, list)
    assert takes(ReportCase, _case())
    assert not takes(ReportCase, _case(**{name: whole[:-1]}))
    assert not takes(ReportCase, _case(**{name: [*whole, whole[0]]}))


@pytest.mark.contract("001.26")
@pytest.mark.parametrize(("label", "taken"), [(0, True), (1, True), (2, True), (3, False), (-1, False), (0.5, False)])
def test_each_label_is_0_1_or_2(label: object, taken: bool) -> None:
    assert takes(ReportCase, _case(relevance_labels=[label, 0, 0, 0, 0])) is taken


@pytest.mark.contract("001.27")
@pytest.mark.parametrize(("value", "taken"), [(0.0, True), (1.0, True), (-0.1, False), (1.2, False), (None, False)])
def test_precision_at_k_is_between_0_and_1(value: object, taken: bool) -> None:
    assert takes(ReportCase, _case(precision_at_k=value)) is taken


@pytest.mark.contract("001.24", "001.28")
@pytest.mark.parametrize(("rank", "taken"), [(None, True), (1, True), (9, True), (0, False), (-1, False), (1.5, False)])
def test_rank_of_best_counts_from_1_or_is_null(rank: object, taken: bool) -> None:
    assert takes(ReportCase, _case(rank_of_best=rank)) is taken


@pytest.mark.contract("001.41")
@pytest.mark.parametrize(
    "name", ["avg_precision_at_5", "mrr", "metadata_completeness_rate", "hash_validation_pass_rate"]
)
@pytest.mark.parametrize(("value", "taken"), [(0.0, True), (1.0, True), (-0.1, False), (1.1, False), (None, False)])
def test_rates_are_between_0_and_1(name: str, value: object, taken: bool) -> None:
    assert accepts(report() | {name: value}) is taken


@pytest.mark.contract("001.42")
@pytest.mark.parametrize("name", ["avg_latency_ms", "p95_latency_ms", "p99_latency_ms"])
@pytest.mark.parametrize(("value", "taken"), [(0.0, True), (9_999.0, True), (-1.0, False), (None, False)])
def test_latencies_are_not_negative(name: str, value: object, taken: bool) -> None:
    assert accepts(report() | {name: value}) is taken


@pytest.mark.contract("001.43")
@pytest.mark.parametrize(("count", "taken"), [(15, True), (14, False), (16, False)])
def test_total_queries_is_the_number_of_test_cases(count: int, taken: bool) -> None:
    assert accepts(report() | {"total_queries": count}) is taken


@pytest.mark.contract("001.44")
@pytest.mark.parametrize(
    ("summary", "taken"),
    [("PASS: all is well.", True), ("FAIL: it is not.", False), ("All is well.", False), ("PASSED: yes", False)],
)
def test_summary_says_pass_exactly_where_the_verdict_does(summary: str, taken: bool) -> None:
    assert accepts(report() | {"summary": summary}) is taken


# --- what Assay adds -----------------------------------------------------------------------------------------------


def test_a_measure_has_its_topics_interval_bounds_and_ties() -> None:
    value = MeasureValue("AP", 0.5, 9, 10, Interval(0.4, 0.6), 0.7, (0.45, 0.55))
    fields = report(replace(validations.passed(), measures=(value,)))
    assert fields["measures"] == {
        "AP": {
            "value": 0.5,
            "measured": 9,
            "topics": 10,
            "interval": {"low": 0.4, "high": 0.6, "level": 0.95},
            "upper": 0.7,
            "tied": [0.45, 0.55],
        }
    }
    assert fields["intervals"] == {"AP": [0.4, 0.6]}


def test_groups_are_by_type_and_category() -> None:
    groups = report()["groups"]
    assert list(groups)[:2] == ["type specific", "type paraphrase"]
    assert groups["type edge"]["P@5"]["value"] == 0.0


def test_every_judgment_that_is_not_exact_has_its_reason() -> None:
    resolution = report(validations.failed())["resolution"]
    assert (resolution["re_anchored"], resolution["ambiguous"], resolution["orphaned"]) == (1, 1, 2)
    told = [one["anchoring"] for one in resolution["not_exact"]]
    assert sorted(told) == ["ambiguous", "orphaned", "orphaned", "re_anchored"]
    orphan = next(one for one in resolution["not_exact"] if one["anchoring"] == "orphaned")
    assert (orphan["topic"], orphan["judgment"], orphan["chunk_ids"]) == ("qos-sensors", 5, [])
    assert orphan["reason"] == "its words are not on the page any more"
    assert orphan["quote"]


def test_findings_of_the_gate_have_their_examples() -> None:
    gate = report(validations.failed())["gate"]
    precision = next(finding for finding in gate["findings"] if finding["check"] == "precision")
    assert (precision["outcome"], precision["count"]) == ("FAIL", 9)
    assert "qos-sensors: P@5 0.00" in precision["examples"]
    assert gate["precision_target"] == 0.8


def test_hits_to_label_keep_their_order() -> None:
    validation = validations.undecided()
    told = [(hit["topic"], hit["rank"]) for hit in report(validation)["unjudged"]]
    assert told == [(hit.topic_id, hit.rank) for hit in validation.unjudged]


def test_differences_from_live_name_both_sides() -> None:
    first = report(validations.failed())["against_live"][0]
    assert (first["measure"], first["live"], first["this"], first["difference"]) == ("P@5", 0.74, 0.457, -0.283)


_CRITERIA = ["precision_at_5", "mrr", "metadata_completeness", "hash_validation", "p95_latency"]


@pytest.mark.contract("001.39")
@pytest.mark.parametrize(("name", "outcome"), [("passed", True), ("failed", False), ("undecided", None)])
def test_the_five_criteria_are_listed_with_value_limit_and_whether_they_are_met(
    name: str, outcome: bool | None
) -> None:
    fields = report(EXAMPLES[name]())
    assert [one["name"] for one in fields["criteria"]] == _CRITERIA
    assert outcome in {one["met"] for one in fields["criteria"]}
    findings = {one["check"]: one for one in fields["gate"]["findings"]}
    precision = fields["criteria"][0]
    assert precision["limit"] == findings["precision"]["limit"]
    assert precision["value"] == findings["precision"]["value"]
    assert all((one["reason"] is None) is (one["met"] is True) for one in fields["criteria"])


def test_a_criterion_that_was_not_held_is_not_met_and_says_why() -> None:
    assert {one["reason"] for one in report(validations.structure_only())["criteria"]} == {"no test set"}
    validation = validations.passed()
    topics = tuple(replace(one, topic=replace(one.topic, derived="heading")) for one in validation.topics)
    verdict = replace(
        validation.verdict,
        findings=tuple(one for one in validation.verdict.findings if one.check not in {"precision", "MRR"}),
    )
    criteria = report(replace(validation, topics=topics, verdict=verdict))["criteria"]
    assert [(one["met"], one["reason"]) for one in criteria[:2]] == [(None, "derived")] * 2
    assert criteria[4]["met"] is True


def test_mrr_in_the_order_of_the_seeds_routes_names_that_order() -> None:
    assert report()["shown_order"] is None
    shown = ShownOrder(ContractMode.HYBRID, MeasureValue("mrr", 0.75, 15, 15))
    fields = report(replace(validations.passed(), shown=shown))
    assert fields["shown_order"]["contract_mode"] == "hybrid"
    assert fields["shown_order"]["mrr"]["value"] == 0.75
    assert accepts(fields)


# --- numbers that are none -----------------------------------------------------------------------------------------

_ODD = (math.nan, math.inf, -math.inf)


@pytest.mark.parametrize("odd", _ODD)
def test_no_report_holds_nan_or_an_infinity(odd: float) -> None:
    one = topic_result(total_ms=odd, expected_criteria={"min_score": odd, "deep": [{"also": odd}]})
    hits = tuple(replace(hit, similarity=odd) for hit in one.hits)
    one = replace(one, hits=hits, values={"P@5": odd}, upper={"P@5": odd})
    validation = replace(
        validation_of([one]),
        seconds=odd,
        completeness=odd,
        hashes=odd,
        measures=(MeasureValue("P@5", odd, 1, 1, Interval(odd, odd), odd, (odd, odd)),),
        groups={"type specific": (MeasureValue("P@5", odd, 1, 1),)},
        against_live=(Difference("P@5", 1, odd, odd, odd, Interval(odd, 1.0), odd, odd, odd),),
    )
    fields = report(validation)
    assert not any(isinstance(leaf, float) and not math.isfinite(leaf) for leaf in leaves(fields))
    assert accepts(fields)
    assert fields["against_live"][0]["p"] == (1.0 if math.isnan(odd) else fields["against_live"][0]["adjusted_p"])
    assert fields["test_cases"][0]["expected_criteria"] == {"min_score": None, "deep": [{"also": None}]}


def leaves(value: object) -> Iterator[object]:
    if isinstance(value, dict):
        for inner in value.values():
            yield from leaves(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from leaves(inner)
    else:
        yield value


def test_half_of_a_surrogate_pair_does_not_stop_the_report() -> None:
    content = to_json(validation_of([topic_result(text="no\ud800des")]))
    assert json.loads(content)["test_cases"][0]["query"]["text"] == "no?des"


def test_endlessly_nested_criteria_are_reported_to_a_limited_depth() -> None:
    criteria: dict[str, object] = {}
    criteria["again"] = criteria
    inner = to_dict(validation_of([topic_result(expected_criteria=criteria)]))["test_cases"]
    assert json.dumps(inner)


# --- the schema ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", EXAMPLES)
def test_a_report_is_valid_by_the_json_schema(name: str) -> None:
    validator = jsonschema_rs.Draft202012Validator(json_schema())
    assert [error.message for error in validator.iter_errors(report(EXAMPLES[name]()))] == []


def test_the_json_schema_refuses_what_the_seed_refuses() -> None:
    validator = jsonschema_rs.Draft202012Validator(json_schema())
    assert not validator.is_valid(report() | {"mrr": 1.5})
    assert not validator.is_valid(report() | {"summary": "fine"})


# --- reading back --------------------------------------------------------------------------------------------------


@pytest.mark.contract("001.38")
@pytest.mark.parametrize("name", EXAMPLES)
def test_a_report_is_read_back_as_it_was_written(name: str) -> None:
    validation = EXAMPLES[name]()
    stored = from_json(to_json(validation), "report.json")
    assert stored.at == validation.started_at
    assert (stored.outcome, stored.summary) == (validation.verdict.outcome, validation.verdict.summary)
    assert stored.provenance == validation.provenance
    assert stored.measures == validation.measures
    assert stored.groups == validation.groups
    assert stored.latency == validation.latency
    assert list(stored.topics) == [result.topic.id for result in validation.topics]
    for result in validation.topics:
        topic = stored.topics[result.topic.id]
        assert topic.values == result.values
        assert topic.labels == result.labels[:5]
        assert topic.chunk_ids == tuple(hit.chunk.id for hit in result.hits[:5])
        assert (topic.error, topic.latency_ms) == (result.error, result.total_ms)


def test_a_key_of_a_later_assay_is_passed_over() -> None:
    fields = report() | {"weather": "fine"}
    fields["test_cases"][0]["mood"] = 7
    fields["provenance"]["moon"] = "full"
    assert from_dict(fields).outcome is Outcome.PASS


def test_a_report_of_an_index_with_a_damaged_hash_is_read_back() -> None:
    one = topic_result()
    damaged = replace(one.hits[0], chunk=replace(one.hits[0].chunk, content_hash="?"))
    stored = from_json(to_json(validation_of([replace(one, hits=(damaged, *one.hits[1:]))])), "report.json")
    assert list(stored.topics) == ["nodes-talk"]


@pytest.mark.parametrize("version", [0, 2, "1", 1.5, True, None])
def test_another_version_is_refused_by_name(version: object) -> None:
    with pytest.raises(InputError) as caught:
        from_dict(report() | {"schema_version": version}, "old.json")
    assert "old.json: " in caught.value.message
    assert "schema_version" in caught.value.message


def test_json_without_a_version_is_not_a_report() -> None:
    with pytest.raises(InputError, match=r"a\.json: it is neither a report of Assay"):
        from_json(b'{"summary": "PASS: yes"}', "a.json")


def _of_the_seeds_code(**changes: object) -> bytes:
    """A report as seed 001's own code writes it: no schema_version, no ids, times without a zone."""
    texts = {"How do ROS 2 nodes communicate?": (0.8, 1), "What is a URDF joint?": (0.4, 2), "quantum": (0.0, None)}
    cases = [
        {
            "query": {"text": text, "top_k": 5, "query_type": "specific"},
            "expected_criteria": {"min_score": 0.7},
            "actual_results": [],
            "relevance_labels": [],
            "precision_at_k": precision,
            "rank_of_best": rank,
        }
        for text, (precision, rank) in texts.items()
    ]
    fields = {
        "timestamp": "2025-12-16T15:30:00",
        "total_queries": 3,
        "avg_precision_at_5": 0.4,
        "mrr": 0.5,
        "avg_latency_ms": 450.3,
        "p95_latency_ms": 1200.0,
        "p99_latency_ms": 1800.0,
        "metadata_completeness_rate": 1.0,
        "hash_validation_pass_rate": 1.0,
        "test_cases": cases,
        "summary": "FAIL: 1/3 queries (33%) achieved precision@5 >= 0.80. MRR 0.50 is under 0.70.",
        "issues": [],
    }
    return json.dumps(fields | changes).encode()


def test_a_report_of_the_seeds_own_code_is_read_by_its_queries_text() -> None:
    stored = from_json(_of_the_seeds_code(), "old.json")
    assert stored.at == datetime(2025, 12, 16, 15, 30, tzinfo=UTC)
    assert (stored.outcome, len(stored.topics)) == (Outcome.FAIL, 3)
    found = stored.topics["What is a URDF joint?"]
    assert found.values == {"P@5": 0.4, "mrr": 0.5}
    assert stored.topics["quantum"].values["mrr"] == 0.0


def test_a_report_of_the_seeds_own_code_is_compared_with_another_and_with_one_of_ours() -> None:
    old = from_json(_of_the_seeds_code(), "old.json")
    ours = replace(old, topics={f"t{n}": replace(one, id=f"t{n}") for n, one in enumerate(old.topics.values())})
    for b in (old, ours):
        sides = [Side(name, one.topics, one.latency, one.provenance) for name, one in (("a", old), ("b", b))]
        comparison = compare_sides(*joined_by_text(*sides), ["P@5", "mrr"])
        assert [(one.difference.measure, one.difference.topics) for one in comparison.measures] == [
            ("P@5", 3),
            ("mrr", 3),
        ]


def test_a_seed_report_with_the_same_query_twice_is_refused() -> None:
    cases = json.loads(_of_the_seeds_code())["test_cases"]
    with pytest.raises(InputError, match="have the same query"):
        from_json(_of_the_seeds_code(test_cases=[*cases, cases[0]]), "old.json")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "a.json: it is not valid JSON at line 1, column 1"),
        (b'{"a": 1,\n "b" 2}', "a.json: it is not valid JSON at line 2, column 6"),
        (b"[]", "a.json: it must be one JSON object"),
        (b"\xff\xfe", "a.json: it must be UTF-8, but byte 0 is not"),
        (b"[" * 100_000, "a.json: its arrays and objects are nested too deeply"),
        (b'{"a": ' + b"9" * 5_000 + b"}", "a.json: a number in it has too many digits"),
    ],
)
def test_invalid_json_is_refused_with_its_position(content: bytes, message: str) -> None:
    with pytest.raises(InputError) as caught:
        from_json(content, "a.json")
    assert caught.value.message.startswith(message)
    assert "assay validate" in caught.value.hint


def test_a_damaged_report_is_refused_with_the_place_of_the_damage() -> None:
    fields = report()
    fields["test_cases"][3]["query"]["top_k"] = 0
    with pytest.raises(InputError, match=r"r\.json: test_cases\[3\]\.query\.top_k: "):
        from_dict(fields, "r.json")
    del fields["provenance"]["gate"]
    fields["mrr"], fields["p95_latency_ms"] = 2, -1
    with pytest.raises(InputError, match=r"; and 1 more\."):
        from_dict(fields, "r.json")


def test_two_topics_of_one_id_are_refused() -> None:
    fields = report()
    fields["test_cases"][1]["id"] = fields["test_cases"][0]["id"]
    with pytest.raises(InputError, match="two of its test_cases have the same id"):
        from_dict(fields)


def test_the_same_validation_gives_the_same_bytes() -> None:
    assert to_json(validations.failed()) == to_json(validations.failed())


def test_no_hits_are_no_results() -> None:
    (case,) = report(validation_of([topic_result(labels=(), relevant=0)]))["test_cases"]
    assert (case["actual_results"], case["relevance_labels"], case["precision_at_k"]) == ([], [], 0.0)


@pytest.mark.contract("001.7")
def test_a_similarity_that_rounding_pushed_over_1_is_1() -> None:
    one = topic_result(labels=(2,))
    over = replace(hits_of(0, 1)[0], similarity=1.0000001)
    (case,) = report(validation_of([replace(one, hits=(over,))]))["test_cases"]
    assert case["actual_results"][0]["similarity_score"] == 1.0


def test_counts_of_judgments_add_up() -> None:
    resolution = report(validations.failed())["resolution"]
    judgments = sum(len(result.resolutions) for result in validations.failed().topics)
    assert sum(resolution[kind.value] for kind in Anchoring) == judgments


# --- many topics ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", EXAMPLES)
def test_the_parts_of_a_report_joined_are_the_report(name: str) -> None:
    validation = EXAMPLES[name]()
    whole = json.dumps(to_dict(validation), ensure_ascii=False, allow_nan=False, indent=2) + "\n"
    parts = list(to_json_parts(validation))
    assert b"".join(parts).decode() == whole
    assert len(parts) == 2 + len(validation.topics)


def test_a_text_that_looks_like_the_place_of_the_test_cases_is_but_a_text() -> None:
    sly = '\n  "test_cases": [],\n'
    validation = validation_of([topic_result(text=sly)])
    validation = replace(validation, advice=(sly,), provenance=replace(validation.provenance, target=sly))
    assert json.loads(to_json(validation)) == to_dict(validation)


# --- load ----------------------------------------------------------------------------------------------------------


def test_a_load_has_percentiles_by_stage_and_late_requests() -> None:
    stage = validations.percentiles(90, 12.0, 30.0)
    load = LoadFigures(
        *astuple(stage),
        "20 a second for 5 s",
        3,
        18.5,
        {"wait": stage, "embed": stage},
        {"StoreUnavailable": 3},
        20.0,
        7,
        4,
    )
    latency = validations.passed().latency
    assert latency is not None
    (told,) = report(replace(validations.passed(), latency=replace(latency, loads=(load,))))["latency"]["loads"]
    assert list(told["stages"]) == ["wait", "embed"]
    assert (told["stages"]["wait"]["p50_ms"], told["stages"]["wait"]["p95_ms"]) == (stage.p50_ms, stage.p95_ms)
    assert (told["offered_rate"], told["late"], told["turned_away"]) == (20.0, 7, 4)
    assert told["error_kinds"] == {"StoreUnavailable": 3}
