"""What a validation report consists of: the four entities of seed 001 with their rules, and what Assay adds to them.

A reader of a report takes keys that it does not know for those of a later Assay, and passes over them.
"""

from datetime import UTC, datetime
from typing import Annotated, Any, Literal, Self

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, JsonValue, model_validator

from assay.model.evaluation import Anchoring, Finding, Interval, Outcome, TopicType
from assay.model.ranking import ContractMode
from assay.model.validations import LatencyFigures, Provenance

SCHEMA_VERSION = 1
"""Raised when a key changes its meaning or goes; a key more does not raise it."""

TOP_K_LIMIT = 100


def _zoned(moment: datetime) -> datetime:
    """A moment in UTC; one without a zone is read as UTC."""
    return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment


Moment = Annotated[datetime, AfterValidator(_zoned)]
Share = Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)]
_Number = Annotated[float, Field(allow_inf_nan=False)]
_Milliseconds = Annotated[float, Field(ge=0, allow_inf_nan=False)]
_Label = Annotated[int, Field(ge=0, le=2)]
_Count = Annotated[int, Field(ge=0)]


class ReportModel(BaseModel):
    """A part of a report."""

    model_config = ConfigDict(strict=True, frozen=True)

    def to_dict(self) -> dict[str, Any]:
        """The part as JSON has it."""
        return self.model_dump(mode="json")


# --- seed 001 ------------------------------------------------------------------------------------------------------


class ReportQuery(ReportModel):
    """The seed's Query: what was asked."""

    text: str = Field(description="The query; empty only in a test of the edge.")
    top_k: int = Field(ge=1, le=TOP_K_LIMIT, description="Number of results asked for.")
    query_type: Annotated[TopicType, Field(strict=False)] = Field(
        description="What kind of query it is; `edge` for one that nothing may answer."
    )


class ReportResult(ReportModel):
    """The seed's SearchResult: one chunk that was found."""

    similarity_score: Share = Field(description="Cosine similarity of query and chunk, 0 to 1.")
    content: str = Field(description="The chunk's text.")
    url: str = Field(description="The page.")
    title: str = Field(description="Title of the page; empty where the index has none.")
    chunk_index: int = Field(ge=0, description="0, 1, 2, … within the page.")
    timestamp: Annotated[Moment, Field(strict=False)] | Literal[""] = Field(
        description="When the chunk was first stored: ISO 8601, UTC; empty where an adopted index does not say, which "
        "`metadata_completeness_rate` counts."
    )
    content_hash: Annotated[str, Field(pattern=r"^[0-9a-fA-F]{64}$"), AfterValidator(str.lower)] = Field(
        description="SHA-256 of the text, 64 hexadecimal digits, as the index has it, in lower case."
    )


class ReportCase(ReportModel):
    """The seed's TestCase: a query with its results and what they are worth."""

    query: ReportQuery = Field(description="What was asked.")
    expected_criteria: dict[str, JsonValue] = Field(description="As the test set has it.")
    actual_results: list[ReportResult] = Field(
        max_length=TOP_K_LIMIT, description="The first `top_k` hits, best first; none of a query that failed."
    )
    relevance_labels: list[_Label] = Field(
        description="Of each result: 0 not relevant, 1 relevant, 2 highly relevant; 0 too where nobody has judged it."
    )
    precision_at_k: Share = Field(
        description="Results with a label of 1 or more, divided by `top_k`; 0 of a query that failed."
    )
    rank_of_best: Annotated[int, Field(ge=1)] | None = Field(
        description="Rank, from 1, of the first result with the highest label that any result has; null when none is "
        "relevant."
    )
    id: str = Field(description="Id of the topic in the test set.")
    category: str | None = Field(description="`factual`, `conceptual`, `contextual`; null where it has none.")
    expects_answer: bool = Field(description="False where nothing answers it (`expect: no_answer`).")
    reached: bool | None = Field(
        description="Whether it has the precision that the gate asks of a topic; null where the gate asks none of it."
    )
    error: str | None = Field(description="Why it could not be answered; null where it was.")
    latency_ms: _Milliseconds | None = Field(description="Of its search; null where it failed.")
    measures: dict[str, _Number | None] = Field(
        description="Each measure's value for it; null where the measure is not defined."
    )
    upper: dict[str, _Number | None] = Field(
        description="What each measure would be if every hit that nobody has judged were relevant."
    )
    judged: list[bool] = Field(description="Of each result, whether somebody has judged it.")
    chunk_ids: list[str] = Field(description="Id of each result's chunk.")
    relevant: _Count = Field(
        description="Chunks labelled 1 or more for it, with those that the live generation has and this one lost."
    )
    paraphrase_of: str | None = Field(description="Id of the topic that asks the same in other words; else null.")
    derived: str | None = Field(description="`link` or `heading` where it was made from the documents; else null.")

    @model_validator(mode="after")
    def _one_of_each_result(self) -> Self:
        results = len(self.actual_results)
        for name in ("relevance_labels", "judged", "chunk_ids"):
            if len(getattr(self, name)) != results:
                raise ValueError(f"{name} has {len(getattr(self, name))} entries for {results} actual_results")
        return self


# --- added by Assay ------------------------------------------------------------------------------------------------


class ReportMeasure(ReportModel):
    """A measure over all topics that count, or over a group of them."""

    value: _Number | None = Field(description="Mean over the topics that have one; null where none has.")
    measured: _Count = Field(description="Topics that the mean is over.")
    topics: _Count = Field(description="Topics that it should be over.")
    interval: Interval | None = Field(description="Of the mean; null with fewer than two topics.")
    upper: _Number | None = Field(
        description="The mean if every hit that nobody has judged were relevant; null where that does not apply."
    )
    tied: Annotated[list[_Number], Field(min_length=2, max_length=2)] | None = Field(
        description="Lowest and highest value that another order of equal scores could give; null without ties."
    )


class ReportShownOrder(ReportModel):
    """MRR in the order in which the seeds' routes show hits."""

    contract_mode: Annotated[ContractMode, Field(strict=False)] = Field(
        description="`hybrid`: chosen by the search, ordered by similarity; `dense`: chosen and ordered by "
        "similarity; `fused`: in the order of the search."
    )
    mrr: ReportMeasure = Field(description="As `measures.mrr`, in that order.")


class ReportGate(ReportModel):
    """The limits that decided."""

    fingerprint: str = Field(description="SHA-256 of the limits; a verdict holds under no others.")
    precision_target: _Number = Field(description="The P@5 that the gate asks of a topic.")
    findings: list[Finding] = Field(description="Every limit, in the order in which it was held.")


class ReportCriterion(ReportModel):
    """One of the seed's five pass/fail criteria."""

    name: str = Field(
        description="`precision_at_5`, `mrr`, `metadata_completeness`, `hash_validation` or `p95_latency`."
    )
    value: _Number | None = Field(description="What was measured; null where it was not.")
    limit: str = Field(description="What is asked for, in words.")
    met: bool | None = Field(description="Whether it is met; null where that was not decided, and `reason` says why.")
    reason: str | None = Field(description="Why it is not met, or not decided; null where it is met.")


class ReportJudgment(ReportModel):
    """A judgment whose passage is not where it was."""

    topic: str = Field(description="Id of the topic.")
    judgment: int = Field(ge=1, description="Its place among the topic's judgments, from 1.")
    label: _Label = Field(description="0, 1 or 2.")
    anchoring: Annotated[Anchoring, Field(strict=False)] = Field(
        description="`re_anchored` counts; `ambiguous` and `orphaned` do not."
    )
    url: str | None = Field(description="The page that it is about.")
    quote: str | None = Field(description="The words that it is about; null where it names none.")
    chunk_ids: list[str] = Field(description="The chunks that it falls on now.")
    reason: str = Field(description="What became of it.")


class ReportResolution(ReportModel):
    """What became of the judgments in this index."""

    exact: _Count = Field(description="Their page says the same as when they were made.")
    re_anchored: _Count = Field(description="The page changed, and the passage was found again, once.")
    ambiguous: _Count = Field(description="Found more than once: none was chosen, and they do not count.")
    orphaned: _Count = Field(description="Not found: they do not count.")
    not_exact: list[ReportJudgment] = Field(description="Every one that is not exact.")


class ReportDifference(ReportModel):
    """One measure of the live generation and of this one, on the same topics."""

    measure: str = Field(description="Its name.")
    topics: _Count = Field(description="Topics that both have.")
    live: _Number = Field(description="Mean of the live generation.")
    this: _Number = Field(description="Mean of this one.")
    difference: _Number = Field(description="This one less the live one.")
    interval: Interval | None = Field(description="Of the difference.")
    p: Share = Field(description="Of the paired test.")
    adjusted_p: Share = Field(description="The same after Holm's adjustment over the measures.")
    detectable: _Number | None = Field(
        description="The smallest difference that so many topics could have shown with 80% power, p adjusted."
    )


class ReportUnjudged(ReportModel):
    """A hit that somebody should judge."""

    topic: str = Field(description="Id of the topic.")
    rank: int = Field(ge=1, description="Of the hit, from 1.")
    chunk_id: str = Field(description="Id of its chunk.")
    url: str = Field(description="Deep link to where the chunk begins.")
    title: str = Field(description="Title of its page.")
    similarity_score: Share = Field(description="Cosine similarity of query and chunk.")
    why: str = Field(description="What its label may decide.")


class ValidationReport(ReportModel):
    """The seed's ValidationReport, and what Assay adds to it."""

    timestamp: Annotated[Moment, Field(strict=False)] = Field(description="When the validation began: ISO 8601, UTC.")
    total_queries: _Count = Field(description="Number of test cases, those that failed included.")
    avg_precision_at_5: Share = Field(
        description="Mean P@5 over the topics that count; 0 where none does, and then `measures` says null."
    )
    mrr: Share = Field(description="Mean of 1 / `rank_of_best`, 0 where that is null, over the topics that count.")
    avg_latency_ms: _Milliseconds = Field(description="Mean milliseconds of a search; 0 where none was timed.")
    p95_latency_ms: _Milliseconds = Field(description="95th percentile; 0 where none was timed.")
    p99_latency_ms: _Milliseconds = Field(description="99th percentile; 0 where none was timed.")
    metadata_completeness_rate: Share = Field(
        description="Share of the results that have url, title, position, content, time and hash; 1 without results."
    )
    hash_validation_pass_rate: Share = Field(
        description="Share of the results whose text has the hash that is stored with it; 1 without results."
    )
    test_cases: list[ReportCase] = Field(description="Every query, in the order of the test set.")
    summary: str = Field(
        pattern=r"^(PASS|FAIL): ", description="One line; `FAIL: inconclusive: …` where nothing could be concluded."
    )
    issues: list[str] = Field(description="What did not pass, and what to do about what was found.")
    schema_version: Literal[1] = Field(description="Version of this shape; a key more does not change it.")
    verdict: Annotated[Outcome, Field(strict=False)] = Field(description="What follows from the findings.")
    gate: ReportGate = Field(description="The limits, and what they were held against.")
    criteria: list[ReportCriterion] = Field(
        default=[], description="The seed's five criteria, apart from the gate's further checks."
    )
    measures: dict[str, ReportMeasure] = Field(description="By name, over all topics that count.")
    groups: dict[str, dict[str, ReportMeasure]] = Field(
        description="The same by type and category, as in `type specific`."
    )
    intervals: dict[str, Annotated[list[_Number], Field(min_length=2, max_length=2)]] = Field(
        description="The intervals of `measures` in short: name, and the two ends."
    )
    shown_order: ReportShownOrder | None = Field(
        default=None,
        description="MRR in the order in which the seeds' routes show hits; the figures above are of the order of the "
        "search. Null without topics, or where that order is not known.",
    )
    resolution: ReportResolution = Field(description="Whether the judgments' passages were found in this index.")
    latency: LatencyFigures | None = Field(description="How long searches took; null where none was timed.")
    against_live: list[ReportDifference] = Field(
        description="Differences from the live generation; empty where it was not asked too."
    )
    unjudged: list[ReportUnjudged] = Field(description="Hits to label, the most useful first.")
    results: _Count = Field(description="Results that the two rates are over.")
    seconds: Annotated[float, Field(ge=0, allow_inf_nan=False)] = Field(description="How long the validation took.")
    provenance: Provenance = Field(description="Index, test set, limits and versions that the figures are of.")
    notes: list[str] = Field(description="Reservations that a reader of the verdict should know.")

    @model_validator(mode="after")
    def _all_cases_counted(self) -> Self:
        if self.total_queries != len(self.test_cases):
            raise ValueError(f"total_queries is {self.total_queries}, and there are {len(self.test_cases)} test_cases")
        return self

    @model_validator(mode="after")
    def _summary_and_verdict_agree(self) -> Self:
        if self.summary.startswith("PASS: ") is not (self.verdict is Outcome.PASS):
            raise ValueError(f"summary begins with {self.summary[:5]!r}, and the verdict is {self.verdict}")
        return self
