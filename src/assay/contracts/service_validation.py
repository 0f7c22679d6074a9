"""Validation tests, seed 004 (`seeds/004`): POST /api/v1/validate.

A test says which chunks a query has to find. Its accuracy is the share of them that are among the results; it passes
when that is at least `min_accuracy` and every expected chunk among the results has at least `min_similarity_score`.
An expected id that the live generation does not hold fails the test, and so does a test of which no chunk was found:
with a `min_accuracy` of 0 nothing would have been checked.
Nothing is dropped by similarity beforehand, so that a chunk that is found and not similar enough is told apart from one
that is not found.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Annotated

from pydantic import Field

from assay.contracts.fields import (
    IS_ASKING,
    IS_SHARE,
    IS_TEXT,
    AnswerModel,
    Moment,
    RequestModel,
    check_fields,
    shown,
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
_Id = Annotated[str, Field(min_length=1, max_length=ID_LIMIT), IS_TEXT, IS_ASKING]
_Share = Annotated[float, Field(ge=0, le=1, allow_inf_nan=False), IS_SHARE]


class SuccessCriteria(RequestModel):
    """What a test has to reach."""

    min_accuracy: _Share = Field(description="The least share of `expected_results` that is found.", examples=[0.5])
    min_similarity_score: _Share = Field(
        description="The least similarity of every expected chunk that is found.", examples=[0.3]
    )


class ValidationTest(RequestModel):
    """The seed's Validation Test, as it is sent: `executed_at` and `result_accuracy` are filled in here."""

    test_id: _Id = Field(description="Names the test; unique within the request.", examples=["nodes-talk"])
    query_text: Annotated[str, Field(min_length=1, max_length=QUERY_LIMIT), IS_TEXT, IS_ASKING] = Field(
        description="What to look for; not white space only.", examples=["How do nodes communicate?"]
    )
    expected_results: Annotated[list[_Id], Field(min_length=1, max_length=EXPECTED_LIMIT)] = Field(
        json_schema_extra={"uniqueItems": True}, description="Ids of the chunks that should be found, each once."
    )
    success_criteria: SuccessCriteria = Field(description="What it has to reach.")
    test_category: Annotated[str, Field(min_length=1, max_length=CATEGORY_LIMIT), IS_TEXT, IS_ASKING] | None = Field(
        default=None, description="What kind of test it is, such as `factual`, `conceptual` or `contextual`."
    )


class ValidationRequest(RequestModel):
    """Tests to run against the live generation."""

    tests: Annotated[list[ValidationTest], Field(min_length=1, max_length=TESTS_LIMIT)] = Field(
        description="The tests, in the order in which they are run."
    )
    top_k: Annotated[int, Field(ge=1, le=TOP_K_LIMIT)] = Field(
        default=DEFAULT_TOP_K,
        description="Results to look at; a test that expects more chunks looks at as many as it expects.",
        examples=[5],
    )


class FoundResult(AnswerModel):
    """An expected chunk that was found."""

    chunk_id: str = Field(min_length=1, description="The id that was expected.")
    rank: int = Field(ge=1, le=TOP_K_LIMIT, description="Its place among the results, from 1.")
    similarity_score: float = Field(ge=0, le=1, description="Cosine similarity of query and chunk, 0 to 1.")


class ExecutedTest(AnswerModel):
    """The seed's Validation Test, executed."""

    test_id: str = Field(min_length=1, description="As it was sent.")
    query_text: str = Field(min_length=1, description="As it was sent.")
    expected_results: list[str] = Field(min_length=1, max_length=EXPECTED_LIMIT, description="As they were sent.")
    success_criteria: SuccessCriteria = Field(description="As they were sent.")
    test_category: str | None = Field(description="As it was sent.")
    executed_at: Moment | None = Field(description="When it was run: ISO 8601, UTC; null when it was not.")
    result_accuracy: float | None = Field(
        ge=0, le=1, description="Share of `expected_results` that were found; null when it could not be run."
    )
    passed: bool = Field(description="Whether it reached its criteria.")
    found_results: list[FoundResult] = Field(
        max_length=EXPECTED_LIMIT, description="The expected chunks that were found, by rank."
    )
    missing_results: list[str] = Field(
        max_length=EXPECTED_LIMIT, description="The expected chunks that were not found; all of them without a run."
    )
    unknown_results: list[str] = Field(
        max_length=EXPECTED_LIMIT,
        description="Those of them that the live generation does not hold at all; one is enough to fail.",
    )
    problem: str | None = Field(description="Why it did not pass, or could not be run; null when it passed.")


class OverallStatus(StrEnum):
    """How the tests went together."""

    PASSED = "passed"
    FAILED = "failed"
    PARTIAL = "partial"


class ValidationAnswer(AnswerModel):
    """Every test, and how they went together."""

    status: OverallStatus = Field(description="`passed` when every test did, `failed` when none did, else `partial`.")
    tests: list[ExecutedTest] = Field(
        min_length=1, max_length=TESTS_LIMIT, description="In the order in which they were sent."
    )
    total_tests: int = Field(ge=1, le=TESTS_LIMIT, description="Number of tests.")
    passed_tests: int = Field(ge=0, le=TESTS_LIMIT, description="Those that passed.")
    failed_tests: int = Field(ge=0, le=TESTS_LIMIT, description="Those that were run and did not reach their criteria.")
    error_tests: int = Field(ge=0, le=TESTS_LIMIT, description="Those that could not be run.")
    generation: str = Field(min_length=1, description="Id of the generation that all of them were asked of.")
    validation_time_ms: float = Field(ge=0, description="Milliseconds from when the tests came until all had run.")


@dataclass(frozen=True, slots=True)
class ValidationOutcome:
    """What became of one test.

    executed_at: when it was run, UTC; None when it was not.
    found: the expected chunks that were found, as id, rank and similarity, by rank.
    unknown: expected ids that the generation does not hold.
    error: why it could not be run; None when it was.
    """

    test: ValidationTest
    executed_at: datetime | None
    found: tuple[tuple[str, int, float], ...]
    unknown: tuple[str, ...]
    error: str | None

    @property
    def accuracy(self) -> float | None:
        """Share of the expected chunks that were found, 0 to 1; None when the test could not be run."""
        return None if self.error is not None else len(self.found) / len(self.test.expected_results)

    @property
    def problem(self) -> str | None:
        """Why it did not pass; None when it did."""
        if self.error is not None:
            return self.error
        criteria = self.test.success_criteria
        problems = []
        if self.unknown:
            named = ", ".join(map(shown, self.unknown[:_NAMED])) + (", …" if len(self.unknown) > _NAMED else "")
            problems.append(f"The live generation does not hold {len(self.unknown)} of the expected results: {named}.")
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
                f"{len(low)} of those found are less similar than min_similarity_score "
                f"{criteria.min_similarity_score:.4g}, {shown(identity)} at rank {rank} the least ({similarity:.4g})."
            )
        return " ".join(problems) or None


def parse(fields: Mapping[str, object]) -> ValidationRequest:
    """The tests of a request body. Raises InputError."""
    asked = check_fields(ValidationRequest, fields)
    seen: dict[str, int] = {}
    for place, test in enumerate(asked.tests):
        if test.test_id in seen:
            raise InputError(
                f"tests[{place}].test_id: {shown(test.test_id)} is that of tests[{seen[test.test_id]}] too; every test "
                "needs an id of its own."
            )
        seen[test.test_id] = place
        if len(set(test.expected_results)) < len(test.expected_results):
            twice = next(one for one in test.expected_results if test.expected_results.count(one) > 1)
            raise InputError(f"tests[{place}].expected_results: {shown(twice)} is there twice.")
    return asked


def query_of(test: ValidationTest, top_k: int, mode: Mode) -> Query:
    """What a test asks. mode: of the search that chooses the results."""
    return Query(text=test.query_text, top_k=max(top_k, len(test.expected_results)), mode=mode)


def judge(
    test: ValidationTest, hits: Sequence[Hit], known: Mapping[str, Chunk], executed_at: datetime
) -> ValidationOutcome:
    """What a ranking makes of a test.

    hits: in the order of the shape.
    known: the expected chunks that the generation holds. A search returns equal passages once, so an expected chunk is
        found too where a passage of the same text is.
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
    """A test that could not be run. at: when it was tried; None where it was not."""
    return ValidationOutcome(test, at, (), tuple(one for one in test.expected_results if one not in known), error)


def to_body(outcomes: Sequence[ValidationOutcome], generation: str, elapsed_ms: float) -> dict[str, object]:
    """The answer, as ValidationAnswer."""
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
    test = outcome.test
    found = {identity for identity, _, _ in outcome.found}
    return ExecutedTest(
        test_id=test.test_id,
        query_text=test.query_text,
        expected_results=test.expected_results,
        success_criteria=test.success_criteria,
        test_category=test.test_category,
        executed_at=outcome.executed_at,
        result_accuracy=outcome.accuracy,
        passed=outcome.problem is None,
        found_results=[
            FoundResult(chunk_id=identity, rank=rank, similarity_score=similarity)
            for identity, rank, similarity in outcome.found
        ],
        missing_results=[identity for identity in test.expected_results if identity not in found],
        unknown_results=list(outcome.unknown),
        problem=outcome.problem,
    )
