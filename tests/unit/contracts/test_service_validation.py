"""Seed 004's validation tests: their rules at the borders, and what passes."""

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

import pytest
from tests.borders import share_borders, text_borders
from tests.rankings import chunk_of, hit_of

from assay.contracts.service_validation import (
    ExecutedTest,
    ValidationAnswer,
    ValidationOutcome,
    ValidationTest,
    judge,
    not_run,
    parse,
    query_of,
    to_body,
)
from assay.errors import InputError
from assay.model.ranking import Hit, Mode

NOW = datetime(2026, 3, 2, 10, 0, tzinfo=UTC)
IDS = ("6f0c3a52-0b7e-5f0e-9b1c-1d9d9a3c1c55", "c2d4a2f5-58c3-5c0a-8d6c-0e5b4a0f8b11")


def fields(**changes: object) -> dict[str, object]:
    return {
        "test_id": "nodes-talk",
        "query_text": "How do nodes communicate?",
        "expected_results": list(IDS),
        "success_criteria": {"min_accuracy": 0.5, "min_similarity_score": 0.3},
        "test_category": "factual",
        **changes,
    }


def asking(*tests: Mapping[str, object], **changes: object) -> dict[str, object]:
    return {"tests": [dict(test) for test in tests] or [fields()], **changes}


def takes(body: Mapping[str, object]) -> bool:
    try:
        parse(body)
    except InputError:
        return False
    return True


def refusal(body: Mapping[str, object]) -> str:
    with pytest.raises(InputError) as caught:
        parse(body)
    return str(caught.value)


# --- what is sent --------------------------------------------------------------------------------------------------


def test_a_test_has_the_fields_of_the_seed() -> None:
    assert list(ValidationTest.model_fields) == [
        "test_id",
        "query_text",
        "expected_results",
        "success_criteria",
        "test_category",
    ]
    assert set(ValidationTest.model_fields) | {"executed_at", "result_accuracy"} <= set(ExecutedTest.model_fields)


@pytest.mark.contract("004.50", "004.59")
@pytest.mark.parametrize(("text", "accepted"), text_borders(500))
def test_query_text_has_1_to_500_characters_not_all_white_space(text: object, accepted: bool) -> None:
    assert takes(asking(fields(query_text=text))) is accepted


@pytest.mark.contract("004.49")
@pytest.mark.parametrize(("identity", "accepted"), text_borders(200))
def test_test_id_has_1_to_200_characters_not_all_white_space(identity: object, accepted: bool) -> None:
    assert takes(asking(fields(test_id=identity))) is accepted


@pytest.mark.contract("004.53", "004.54", "004.61")
@pytest.mark.parametrize(("value", "accepted"), share_borders())
@pytest.mark.parametrize("name", ["min_accuracy", "min_similarity_score"])
def test_success_criteria_are_from_0_to_1(name: str, value: object, accepted: bool) -> None:
    criteria = {"min_accuracy": 0.5, "min_similarity_score": 0.3, name: value}
    assert takes(asking(fields(success_criteria=criteria))) is accepted


@pytest.mark.contract("004.61")
@pytest.mark.parametrize("value", [2, 80, 80.0, 100, 1.5])
@pytest.mark.parametrize("name", ["min_accuracy", "min_similarity_score"])
def test_a_percentage_is_refused_with_what_to_do(name: str, value: float) -> None:
    criteria = {"min_accuracy": 0.5, "min_similarity_score": 0.3, name: value}
    assert refusal(asking(fields(success_criteria=criteria))) == (
        f"tests[0].success_criteria.{name}: it looks like a percentage; divide it by 100: {value / 100:g} (it must "
        f"be a number from 0 to 1); {json.dumps(value)} was sent."
    )


@pytest.mark.contract("004.50")
@pytest.mark.parametrize("name", ["test_id", "query_text", "expected_results", "success_criteria"])
def test_everything_but_the_category_is_required(name: str) -> None:
    body = {key: value for key, value in fields().items() if key != name}
    assert refusal(asking(body)).startswith(f"tests[0].{name}: it is required")
    assert takes(asking({key: value for key, value in fields().items() if key != "test_category"}))


@pytest.mark.contract("004.52")
@pytest.mark.parametrize("name", ["min_accuracy", "min_similarity_score"])
def test_both_criteria_are_required(name: str) -> None:
    criteria = {"min_accuracy": 0.5, "min_similarity_score": 0.3}
    del criteria[name]
    assert not takes(asking(fields(success_criteria=criteria)))


@pytest.mark.contract("004.56")
@pytest.mark.parametrize("name", ["executed_at", "result_accuracy", "passed"])
def test_what_is_filled_in_here_cannot_be_sent(name: str) -> None:
    assert f"There is no field `{name}` in tests[0]" in refusal(asking(fields(**{name: None})))


@pytest.mark.contract("004.55")
@pytest.mark.parametrize(
    ("category", "accepted"),
    [("factual", True), ("conceptual", True), ("contextual", True), ("navigational", True), (None, True), ("", False),
     ("a" * 50, True), ("a" * 51, False), (7, False)],
)  # fmt: skip
def test_test_category_is_a_word_of_the_callers_own_or_none(category: object, accepted: bool) -> None:
    assert takes(asking(fields(test_category=category))) is accepted


@pytest.mark.contract("004.51", "004.60")
@pytest.mark.parametrize(
    ("expected", "accepted"),
    [
        ([], False),
        (["a"], True),
        ([str(n) for n in range(100)], True),
        ([str(n) for n in range(101)], False),
        ([""], False),
        ([" "], False),
        ([None], False),
        ([7], False),
        ("a", False),
        (None, False),
        (["a", "a"], False),
        (["a" * 200], True),
        (["a" * 201], False),
        (["\ud800"], False),
    ],
)
def test_expected_results_are_1_to_100_ids_each_once(expected: object, accepted: bool) -> None:
    assert takes(asking(fields(expected_results=expected))) is accepted


def test_an_id_that_is_expected_twice_is_named() -> None:
    assert refusal(asking(fields(expected_results=["a", "b", "a"]))) == 'tests[0].expected_results: "a" occurs twice.'


@pytest.mark.parametrize(("count", "accepted"), [(0, False), (1, True), (1_000, True), (1_001, False)])
def test_there_are_1_to_1000_tests(count: int, accepted: bool) -> None:
    body = {"tests": [fields(test_id=str(number)) for number in range(count)]}
    assert takes(body) is accepted
    if not accepted:
        assert refusal(body) == f"tests: it must be a list of 1 to 1,000 objects; a list of {count:,} was sent."


@pytest.mark.contract("004.49", "004.58")
def test_test_ids_are_unique_and_the_two_of_one_id_are_named() -> None:
    body = asking(fields(test_id="a"), fields(test_id="b"), fields(test_id="a"))
    assert refusal(body) == 'tests[2].test_id: "a" is already the id of tests[0]; give each test its own id.'


@pytest.mark.parametrize(("top_k", "accepted"), [(0, False), (1, True), (100, True), (101, False), ("5", False)])
def test_top_k_is_from_1_to_100(top_k: object, accepted: bool) -> None:
    assert takes(asking(top_k=top_k)) is accepted


def test_top_k_is_5_by_default() -> None:
    assert parse(asking()).top_k == 5


def test_a_test_looks_at_as_many_results_as_it_expects_at_least_and_drops_none_by_similarity() -> None:
    few, many = parse(asking(fields(), fields(test_id="b", expected_results=[str(n) for n in range(30)]))).tests
    assert query_of(few, 5, Mode.DENSE).top_k == 5
    assert query_of(many, 5, Mode.DENSE).top_k == 30
    assert query_of(few, 5, Mode.HYBRID).mode is Mode.HYBRID
    assert query_of(few, 5, Mode.DENSE).threshold == 0.0


# --- what comes of it ----------------------------------------------------------------------------------------------


def judged(
    *hits: Hit, expected: list[str], accuracy: float = 1.0, similarity: float = 0.0, held: tuple[Hit, ...] = ()
) -> ValidationOutcome:
    """held: chunks that the generation holds, and the search did not find."""
    criteria = {"min_accuracy": accuracy, "min_similarity_score": similarity}
    test = parse(asking(fields(expected_results=expected, success_criteria=criteria))).tests[0]
    known = {hit.chunk.id: hit.chunk for hit in (*hits, *held)}
    return judge(test, hits, known, NOW)


def ids(*hits: Hit) -> list[str]:
    return [hit.chunk.id for hit in hits]


A, B, C = hit_of("alpha", 0.9, 1), hit_of("beta", 0.5, 2), hit_of("gamma", 0.2, 3)


@pytest.mark.contract("004.57")
@pytest.mark.parametrize(
    ("hits", "accuracy"), [((), 0.0), ((A,), 1 / 3), ((C, A), 2 / 3), ((A, B, C), 1.0)], ids=["none", "1", "2", "all"]
)
def test_accuracy_is_the_share_of_expected_results_that_were_found(hits: tuple[Hit, ...], accuracy: float) -> None:
    assert judged(*hits, expected=ids(A, B, C)).accuracy == accuracy


def test_other_results_do_not_count_against_a_test() -> None:
    assert judged(A, B, C, expected=ids(B)).accuracy == 1.0


@pytest.mark.contract("004.53")
@pytest.mark.parametrize(("least", "passed"), [(0.0, True), (0.66, True), (2 / 3, True), (0.67, False), (1.0, False)])
def test_a_test_passes_with_min_accuracy_and_no_less(least: float, passed: bool) -> None:
    outcome = judged(A, B, expected=ids(A, B, C), accuracy=least, held=(C,))
    assert (outcome.problem is None) is passed


@pytest.mark.contract("004.54")
@pytest.mark.parametrize(("least", "passed"), [(0.0, True), (0.2, True), (0.2000001, False), (0.9, False)])
def test_every_expected_result_that_was_found_has_to_be_similar_enough(least: float, passed: bool) -> None:
    outcome = judged(A, B, C, expected=ids(A, C), similarity=least)
    assert (outcome.problem is None) is passed


def test_results_that_were_not_expected_need_not_be_similar() -> None:
    assert judged(A, B, C, expected=ids(A), similarity=0.8).problem is None


def test_a_problem_says_what_is_missing_and_what_was_asked_for() -> None:
    assert judged(A, expected=[*ids(A), "x"], accuracy=0.75).problem == (
        '1 of the expected results do not exist in the live generation: "x". 1 of 2 expected results were found (0.5); '
        "min_accuracy is 0.75."
    )
    assert judged(A, C, expected=ids(A, C), similarity=0.3).problem == (
        f'1 of them are less similar than min_similarity_score 0.3; the lowest is "{C.chunk.id}" at rank 3 (0.2).'
    )


def test_an_expected_passage_that_is_found_under_another_id_is_found() -> None:
    other = chunk_of("alpha", id="another-id-of-the-same-text")
    test = parse(asking(fields(expected_results=[other.id]))).tests[0]
    outcome = judge(test, (A,), {other.id: other}, NOW)
    assert outcome.found == ((other.id, 1, 0.9),)
    assert outcome.unknown == ()


@pytest.mark.contract("004.60")
@pytest.mark.parametrize("accuracy", [0.0, 0.5, 1.0])
@pytest.mark.parametrize("similarity", [0.0, 0.9])
@pytest.mark.parametrize("hits", [(), (A,)], ids=["nothing else", "beside one that is found"])
def test_an_id_that_does_not_exist_in_the_generation_fails_the_test_and_is_named(
    hits: tuple[Hit, ...], accuracy: float, similarity: float
) -> None:
    outcome = judged(*hits, expected=[*ids(*hits), "nope"], accuracy=accuracy, similarity=similarity)
    assert outcome.unknown == ("nope",)
    assert outcome.problem is not None
    assert '"nope"' in outcome.problem
    assert answer(outcome)["status"] == "failed"


def test_of_many_unknown_ids_the_first_are_named_and_all_counted() -> None:
    problem = judged(expected=[f"gone-{n}" for n in range(50)]).problem
    assert problem is not None
    assert "50 of the expected results do not exist" in problem
    assert '"gone-4", …' in problem


@pytest.mark.contract("004.62")
@pytest.mark.parametrize("similarity", [0.0, 0.9])
def test_a_test_of_which_nothing_was_found_does_not_pass(similarity: float) -> None:
    outcome = judged(A, B, expected=ids(C), accuracy=0.0, similarity=similarity, held=(C,))
    assert outcome.unknown == ()
    assert outcome.problem == "None of the expected results was found, so there was nothing to check."


def outcome(identity: str, *, passed: bool = True, error: str | None = None) -> ValidationOutcome:
    test = parse(asking(fields(test_id=identity, expected_results=ids(A)))).tests[0]
    if error is not None:
        return not_run(test, {}, error, NOW)
    return judge(test, (A,) if passed else (B,), {}, NOW)


def answer(*outcomes: ValidationOutcome) -> Any:  # noqa: ANN401 - JSON
    body = to_body(outcomes, "20260301T081500Z-4f2a", 12.3456)
    ValidationAnswer.model_validate_json(json.dumps(body))
    return body


@pytest.mark.contract("004.62")
@pytest.mark.parametrize(("passed", "failed", "status"), [(2, 0, "passed"), (1, 1, "partial"), (0, 2, "failed")])
def test_the_overall_status_is_passed_failed_or_partial(passed: int, failed: int, status: str) -> None:
    outcomes = [outcome(str(n), passed=n < passed) for n in range(passed + failed)]
    body = answer(*outcomes)
    assert (body["status"], body["passed_tests"], body["failed_tests"]) == (status, passed, failed)


@pytest.mark.contract("004.62")
def test_a_test_that_could_not_be_run_does_not_hide() -> None:
    body = answer(outcome("a"), outcome("b", error="The query could not be embedded."))
    assert (body["status"], body["passed_tests"], body["failed_tests"], body["error_tests"]) == ("partial", 1, 0, 1)
    failed = body["tests"][1]
    assert (failed["passed"], failed["result_accuracy"]) == (False, None)
    assert failed["problem"] == "The query could not be embedded."
    assert failed["missing_results"] == ids(A)


@pytest.mark.contract("004.56", "004.57")
def test_executed_at_and_result_accuracy_are_filled_in() -> None:
    (test,) = answer(outcome("a"))["tests"]
    assert test["executed_at"] == "2026-03-02T10:00:00Z"
    assert test["result_accuracy"] == 1.0
    assert test["found_results"] == [{"chunk_id": A.chunk.id, "rank": 1, "similarity_score": 0.9}]


def test_an_executed_test_says_again_what_was_sent() -> None:
    (test,) = answer(outcome("a"))["tests"]
    sent = fields(test_id="a", expected_results=ids(A))
    assert {name: test[name] for name in sent} == sent


def test_found_results_are_listed_by_rank() -> None:
    (test,) = answer(judged(A, B, C, expected=ids(C, A)))["tests"]
    assert [found["rank"] for found in test["found_results"]] == [1, 3]
