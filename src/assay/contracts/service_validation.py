"""Validation tests, seed 004 (`seeds/004`): POST /api/v1/validate.

A test lists the chunks that a query must find. Its accuracy is the share of them among the results. A test passes if
its accuracy is at least `min_accuracy` and every expected chunk among the results has at least `min_similarity_score`.

A test fails if the live generation lacks an expected id. It also fails if none is found: otherwise a `min_accuracy` of
0 would check nothing. The search has no threshold, so that a chunk with a low similarity counts as found.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Annotated

from pydantic import Field

from assay.contracts.fields import (
    IS_SHARE,
    IS_TEXT,
    NOT_BLANK,
    AnswerModel,
    Moment,
    RequestModel,
    check_fields,
    quoted,
)
from assay.contracts.retrieval_service import DEFAULT_TOP_K, QUERY_LIMIT, TOP_K_LIMIT
from assay.errors import InputError
from assay.model.documents import Chunk
from assay.model.ranking import Hit, Mode, Query

TESTS_LIMIT = 1_000
EXPECTED_LIMIT = 100
ID_LIMIT = 200
CATEGORY_LIMIT = 50

_TOLERANCE = 1e-9
_NAMED = 5
_Id = Annotated[str, Field(min_length=1, max_length=ID_LIMIT), IS_TEXT, NOT_BLANK]
_Share = Annotated[float, Field(ge=0, le=1, allow_inf_nan=False), IS_SHARE]


class SuccessCriteria(RequestModel):
    """The limits of a test."""

    min_accuracy: _Share = Field(description="The minimum share of `expected_results` to find.", examples=[0.5])
    min_similarity_score: _Share = Field(
        description="The minimum similarity of each expected chunk among the results.", examples=[0.3]
    )


class ValidationTest(RequestModel):
    """The seed's Validation Test as sent, without `executed_at` and `result_accuracy`."""

    test_id: _Id = Field(description="Name of the test; unique within the request.", examples=["nodes-talk"])
    query_text: Annotated[str, Field(min_length=1, max_length=QUERY_LIMIT), IS_TEXT, NOT_BLANK] = Field(
        description="The query; not only white space.", examples=["How do nodes communicate?"]
    )
    expected_results: Annotated[list[_Id], Field(min_length=1, max_length=EXPECTED_LIMIT)] = Field(
        json_schema_extra={"uniqueItems": True}, description="Ids of the chunks to find, each once."
    )
    success_criteria: SuccessCriteria = Field(description="The limits of the test.")
    test_category: Annotated[str, Field(min_length=1, max_length=CATEGORY_LIMIT), IS_TEXT, NOT_BLANK] | None = Field(
        default=None, description="Kind of test, such as `factual`, `conceptual` or `contextual`."
    )


class ValidationRequest(RequestModel):
    """Tests to run against the live generation."""

    tests: Annotated[list[ValidationTest], Field(min_length=1, max_length=TESTS_LIMIT)] = Field(
        description="The tests, run in this order."
    )
    top_k: Annotated[int, Field(ge=1, le=TOP_K_LIMIT)] = Field(
        default=DEFAULT_TOP_K,
        description="Number of results to check; at least the number of expected chunks of a test.",
        examples=[5],
    )


class FoundResult(AnswerModel):
    """An expected chunk that was found."""

    chunk_id: str = Field(min_length=1, description="The expected id.")
    rank: int = Field(ge=1, le=TOP_K_LIMIT, description="Rank among the results, from 1.")
    similarity_score: float = Field(ge=0, le=1, description="Cosine similarity of query and chunk, 0 to 1.")


class ExecutedTest(AnswerModel):
    """The seed's Validation Test, executed."""

    test_id: str = Field(min_length=1, description="As sent.")
    query_text: str = Field(min_length=1, description="As sent.")
    expected_results: list[str] = Field(min_length=1, max_length=EXPECTED_LIMIT, description="As sent.")
    success_criteria: SuccessCriteria = Field(description="As sent.")
    test_category: str | None = Field(description="As sent.")
    executed_at: Moment | None = Field(description="When the test ran: ISO 8601, UTC; null if it did not run.")
    result_accuracy: float | None = Field(
        ge=0, le=1, description="Share of `expected_results` that were found; null if the test could not run."
    )
    passed: bool = Field(description="Whether the test met its criteria.")
    found_results: list[FoundResult] = Field(
        max_length=EXPECTED_LIMIT, description="The expected chunks that were found, by rank."
    )
    missing_results: list[str] = Field(
        max_length=EXPECTED_LIMIT, description="The expected chunks that were not found; all if the test did not run."
    )
    unknown_results: list[str] = Field(
        max_length=EXPECTED_LIMIT,
        description="Missing chunks that do not exist in the live generation; one is enough to fail.",
    )
    problem: str | None = Field(description="Why the test failed or could not run; null if it passed.")


class OverallStatus(StrEnum):
    """The outcome of all tests together."""

    PASSED = "passed"
    FAILED = "failed"
    PARTIAL = "partial"


class ValidationAnswer(AnswerModel):
    """The outcome of each test and of all together."""

    status: OverallStatus = Field(description="`passed` if every test passed, `failed` if none did, else `partial`.")
    tests: list[ExecutedTest] = Field(min_length=1, max_length=TESTS_LIMIT, description="In the order of the request.")
    total_tests: int = Field(ge=1, le=TESTS_LIMIT, description="Number of tests.")
    passed_tests: int = Field(ge=0, le=TESTS_LIMIT, description="Tests that passed.")
    failed_tests: int = Field(ge=0, le=TESTS_LIMIT, description="Tests that ran and did not meet their criteria.")
    error_tests: int = Field(ge=0, le=TESTS_LIMIT, description="Tests that could not run.")
    generation: str = Field(min_length=1, description="Id of the generation that was searched.")
    validation_time_ms: float = Field(ge=0, description="Milliseconds from the request's arrival to the last test.")


@dataclass(frozen=True, slots=True)
class ValidationOutcome:
    """The outcome of one test.

    executed_at: when it ran, UTC; None if it did not.
    found: the expected chunks that were found, as id, rank and similarity, by rank.
    unknown: expected ids that do not exist in the generation.
    error: why it could not run; None if it ran.
    """

    test: ValidationTest
    executed_at: datetime | None
    found: tuple[tuple[str, int, float], ...]
    unknown: tuple[str, ...]
    error: str | None

    @property
    def accuracy(self) -> float | None:
        """Share of the expected chunks that were found, 0 to 1; None if the test could not run."""
        return None if self.error is not None else len(self.found) / len(self.test.expected_results)

    @property
    def problem(self) -> str | None:
        """Why the test did not pass; None if it passed."""
        if self.error is not None:
            return self.error
        criteria = self.test.success_criteria
        problems = []
        if self.unknown:
            named = ", ".join(map(quoted, self.unknown[:_NAMED])) + (", …" if len(self.unknown) > _NAMED else "")
            problems.append(
                f"{len(self.unknown)} of the expected results do not exist in the live generation: {named}."
            )
        elif not self.found and criteria.min_accuracy <= _TOLERANCE:
            problems.append("None of the expected results was found, so there was nothing to check.")
        if self.accuracy is None or self.accuracy < criteria.min_accuracy - _TOLERANCE:
            problems.append(
                f"{len(self.found)} of {len(self.test.expected_results)} expected results were found "
                f"({self.accuracy or 0.0:.4g}); min_accuracy is {criteria.min_accuracy:.4g}."
            )
        low = [one for one in self.found if one[2] < criteria.min_similarity_score]
        if low:
            identity, rank, similarity = min(low, key=lambda one: one[2])
            problems.append(
                f"{len(low)} of them are less similar than min_similarity_score {criteria.min_similarity_score:.4g}; "
                f"the lowest is {quoted(identity)} at rank {rank} ({similarity:.4g})."
            )
        return " ".join(problems) or None


def parse(fields: Mapping[str, object]) -> ValidationRequest:
    """Parse a request body. Raises InputError."""
    request = check_fields(ValidationRequest, fields)
    seen: dict[str, int] = {}
    for index, test in enumerate(request.tests):
        if test.test_id in seen:
            raise InputError(
                f"tests[{index}].test_id: {quoted(test.test_id)} is already the id of tests[{seen[test.test_id]}]; "
                "give each test its own id."
            )
        seen[test.test_id] = index
        if len(set(test.expected_results)) < len(test.expected_results):
            twice = next(one for one in test.expected_results if test.expected_results.count(one) > 1)
            raise InputError(f"tests[{index}].expected_results: {quoted(twice)} occurs twice.")
    return request


def query_of(test: ValidationTest, top_k: int, mode: Mode) -> Query:
    """The query of a test. mode: of the search that selects the results."""
    return Query(text=test.query_text, top_k=max(top_k, len(test.expected_results)), mode=mode)


def judge(
    test: ValidationTest, hits: Sequence[Hit], known: Mapping[str, Chunk], executed_at: datetime
) -> ValidationOutcome:
    """Compare a test with its ranking.

    hits: in the order of the route.
    known: the expected chunks that exist in the generation. A search returns equal passages once, so a hit with the
        same text counts as the expected chunk.
    """
    by_id = {hit.chunk.id: hit for hit in hits}
    by_text = {hit.chunk.content_hash: hit for hit in reversed(hits)}
    found = []
    for identity in test.expected_results:
        hit = by_id.get(identity)
        if hit is None and identity in known:
            hit = by_text.get(known[identity].content_hash)
        if hit is not None:
            found.append((identity, hit.rank, hit.known_similarity))
    found.sort(key=lambda one: one[1])
    unknown = tuple(one for one in test.expected_results if one not in known and one not in by_id)
    return ValidationOutcome(test, executed_at, tuple(found), unknown, None)


def not_run(
    test: ValidationTest, known: Mapping[str, Chunk], error: str, at: datetime | None = None
) -> ValidationOutcome:
    """The outcome of a test that could not run. at: when it failed; None if it did not start."""
    return ValidationOutcome(test, at, (), tuple(one for one in test.expected_results if one not in known), error)


def to_body(outcomes: Sequence[ValidationOutcome], generation: str, elapsed_ms: float) -> dict[str, object]:
    """The response body, a ValidationAnswer."""
    passed = sum(outcome.problem is None for outcome in outcomes)
    errors = sum(outcome.error is not None for outcome in outcomes)
    return ValidationAnswer(
        status=_status(passed, len(outcomes)),
        tests=[_executed(outcome) for outcome in outcomes],
        total_tests=len(outcomes),
        passed_tests=passed,
        failed_tests=len(outcomes) - passed - errors,
        error_tests=errors,
        generation=generation,
        validation_time_ms=round(elapsed_ms, 3),
    ).to_dict()


def _status(passed: int, tests: int) -> OverallStatus:
    if passed == tests:
        return OverallStatus.PASSED
    return OverallStatus.PARTIAL if passed else OverallStatus.FAILED


def _executed(outcome: ValidationOutcome) -> ExecutedTest:
    found = {identity for identity, _, _ in outcome.found}
    return ExecutedTest.of(
        outcome.test,
        outcome,
        result_accuracy=outcome.accuracy,
        passed=outcome.problem is None,
        found_results=[
            FoundResult(chunk_id=identity, rank=rank, similarity_score=similarity)
            for identity, rank, similarity in outcome.found
        ],
        missing_results=[identity for identity in outcome.test.expected_results if identity not in found],
        unknown_results=list(outcome.unknown),
    )
