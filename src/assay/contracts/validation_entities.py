"""The parts of a validation report: the four entities of seed 001 with their rules, and Assay's additions.

A reader ignores unknown keys, which a later version of Assay may have added.
"""

from datetime import UTC, datetime
from typing import Annotated, Any, Literal, Self

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, JsonValue, model_validator

from assay.model.evaluation import Anchoring, Finding, Interval, Outcome, TopicType
from assay.model.ranking import ContractMode
from assay.model.validations import LatencyFigures, Provenance

SCHEMA_VERSION = 1
"""Increased when a key is removed or changes its meaning, but not for a new key."""

TOP_K_LIMIT = 100


def _zoned(moment: datetime) -> datetime:
    """A time with a zone; UTC if it has none."""
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
        """The part as JSON values."""
        return self.model_dump(mode="json")


# --- seed 001 ------------------------------------------------------------------------------------------------------


class ReportQuery(ReportModel):
    """The seed's Query."""

    text: str = Field(description="The query; empty only in an edge test.")
    top_k: int = Field(ge=1, le=TOP_K_LIMIT, description="The maximum number of results.")
    query_type: Annotated[TopicType, Field(strict=False)] = Field(
        description="Kind of query; `edge` for one that may have no answer."
    )


class ReportResult(ReportModel):
    """The seed's SearchResult: one chunk that was found."""

    similarity_score: Share = Field(description="Cosine similarity of query and chunk, 0 to 1.")
    content: str = Field(description="The chunk's text.")
    url: str = Field(description="URL of the page.")
    title: str = Field(description="Title of the page; empty if the index has none.")
    chunk_index: int = Field(ge=0, description="Index of the chunk in the page, from 0.")
    timestamp: Annotated[Moment, Field(strict=False)] | Literal[""] = Field(
        description="When the chunk was first stored: ISO 8601, UTC; empty if an adopted index does not contain it, "
        "which lowers `metadata_completeness_rate`."
    )
    content_hash: Annotated[str, Field(pattern=r"^[0-9a-fA-F]{64}$"), AfterValidator(str.lower)] = Field(
        description="SHA-256 of the text that the index stores, as 64 lower-case hexadecimal digits."
    )


class ReportCase(ReportModel):
    """The seed's TestCase: a query with its results, labels and measures."""

    query: ReportQuery = Field(description="The query.")
    expected_criteria: dict[str, JsonValue] = Field(description="The criteria in the test set.")
    actual_results: list[ReportResult] = Field(
        max_length=TOP_K_LIMIT, description="The first `top_k` hits, best first; empty for a failed query."
    )
    relevance_labels: list[_Label] = Field(
        description="The label of each result: 0 not relevant, 1 relevant, 2 highly relevant; 0 if it is unjudged."
    )
    precision_at_k: Share = Field(
        description="Results with a label of 1 or more, divided by `top_k`; 0 for a failed query."
    )
    rank_of_best: Annotated[int, Field(ge=1)] | None = Field(
        description="Rank, from 1, of the first result with the highest label among the results; null if no result is "
        "relevant."
    )
    id: str = Field(description="Id of the topic in the test set.")
    category: str | None = Field(description="`factual`, `conceptual` or `contextual`; null if the topic has none.")
    expects_answer: bool = Field(description="False if no passage answers the query (`expect: no_answer`).")
    reached: bool | None = Field(
        description="Whether the topic reached the gate's precision target; null if the target does not apply to it."
    )
    error: str | None = Field(description="Why the query failed; null if it did not.")
    latency_ms: _Milliseconds | None = Field(description="Milliseconds of the search; null if it failed.")
    measures: dict[str, _Number | None] = Field(
        description="Value of each measure; null if the measure is undefined for this topic."
    )
    upper: dict[str, _Number | None] = Field(description="Value of each measure if every unjudged hit were relevant.")
    judged: list[bool] = Field(description="Whether each result is judged.")
    chunk_ids: list[str] = Field(description="Id of each result's chunk.")
    relevant: _Count = Field(
        description="Chunks with a label of 1 or more, including those of the live generation that this one lost."
    )
    paraphrase_of: str | None = Field(description="Id of the topic that this one paraphrases; else null.")
    derived: str | None = Field(
        description="`link` or `heading` if the topic is derived from the documents; else null."
    )

    @model_validator(mode="after")
    def _one_of_each_result(self) -> Self:
        results = len(self.actual_results)
        for name in ("relevance_labels", "judged", "chunk_ids"):
            if len(getattr(self, name)) != results:
                raise ValueError(f"{name} has {len(getattr(self, name))} entries for {results} actual_results")
        return self


# --- added by Assay ------------------------------------------------------------------------------------------------


class ReportMeasure(ReportModel):
    """A measure over all scored topics, or over a group of them."""

    value: _Number | None = Field(description="Mean over the topics that have a value; null if none has one.")
    measured: _Count = Field(description="Topics that have a value.")
    topics: _Count = Field(description="Topics to which the measure applies.")
    interval: Interval | None = Field(description="Confidence interval of the mean; null with fewer than two topics.")
    upper: _Number | None = Field(
        description="The mean if every unjudged hit were relevant; null if that does not apply."
    )
    tied: Annotated[list[_Number], Field(min_length=2, max_length=2)] | None = Field(
        description="Lowest and highest value over all orders of equal scores; null without ties."
    )


class ReportShownOrder(ReportModel):
    """MRR in the order of the contracts' routes."""

    contract_mode: Annotated[ContractMode, Field(strict=False)] = Field(
        description="`hybrid`: selected by the search, sorted by similarity; `dense`: selected and sorted by "
        "similarity; `fused`: in the order of the search."
    )
    mrr: ReportMeasure = Field(description="As `measures.mrr`, in that order.")


class ReportGate(ReportModel):
    """The limits of the gate and their findings."""

    fingerprint: str = Field(description="SHA-256 of the limits; a verdict is valid only for these limits.")
    precision_target: _Number = Field(description="The P@5 that each topic should reach.")
    findings: list[Finding] = Field(description="The finding of each limit, in the order of the checks.")


class ReportCriterion(ReportModel):
    """One of the seed's five pass/fail criteria."""

    name: str = Field(
        description="`precision_at_5`, `mrr`, `metadata_completeness`, `hash_validation` or `p95_latency`."
    )
    value: _Number | None = Field(description="The measured value; null if there is none.")
    limit: str = Field(description="The limit in words.")
    met: bool | None = Field(description="Whether the criterion is met; null if undecided, with the cause in `reason`.")
    reason: str | None = Field(description="Why the criterion is not met or undecided; null if it is met.")


class ReportJudgment(ReportModel):
    """A judgment whose passage moved, is ambiguous or is missing."""

    topic: str = Field(description="Id of the topic.")
    judgment: int = Field(ge=1, description="Number of the judgment within the topic, from 1.")
    label: _Label = Field(description="0, 1 or 2.")
    anchoring: Annotated[Anchoring, Field(strict=False)] = Field(
        description="`re_anchored` counts; `ambiguous` and `orphaned` do not."
    )
    url: str | None = Field(description="URL of the judged page.")
    quote: str | None = Field(description="The judged words; null if the judgment has no quote.")
    chunk_ids: list[str] = Field(description="The chunks that contain the passage now.")
    reason: str = Field(description="Why the judgment is not exact.")


class ReportResolution(ReportModel):
    """Numbers of judgments by the state of their passages in this index."""

    exact: _Count = Field(description="The page's text is unchanged since the judgment.")
    re_anchored: _Count = Field(description="The page changed, and the passage was found once.")
    ambiguous: _Count = Field(description="The passage was found more than once; not counted in measures.")
    orphaned: _Count = Field(description="The passage was not found; not counted in measures.")
    not_exact: list[ReportJudgment] = Field(description="All judgments that are not exact.")


class ReportDifference(ReportModel):
    """One measure of the live generation and of this one, on the same topics."""

    measure: str = Field(description="Name of the measure.")
    topics: _Count = Field(description="Topics with a value in both.")
    live: _Number = Field(description="Mean of the live generation.")
    this: _Number = Field(description="Mean of this generation.")
    difference: _Number = Field(description="`this` minus `live`.")
    interval: Interval | None = Field(description="Confidence interval of the difference.")
    p: Share = Field(description="p-value of the paired test.")
    adjusted_p: Share = Field(description="p-value after Holm's adjustment over the measures.")
    detectable: _Number | None = Field(
        description="Smallest difference that this number of topics detects with 80% power after the adjustment."
    )


class ReportUnjudged(ReportModel):
    """A hit to label."""

    topic: str = Field(description="Id of the topic.")
    rank: int = Field(ge=1, description="Rank of the hit, from 1.")
    chunk_id: str = Field(description="Id of the hit's chunk.")
    url: str = Field(description="Deep link to the section in which the chunk begins.")
    title: str = Field(description="Title of the hit's page.")
    similarity_score: Share = Field(description="Cosine similarity of query and chunk.")
    why: str = Field(description="What the label may decide.")


class ValidationReport(ReportModel):
    """The seed's ValidationReport, with Assay's additions."""

    timestamp: Annotated[Moment, Field(strict=False)] = Field(description="Start of the validation: ISO 8601, UTC.")
    total_queries: _Count = Field(description="Number of test cases, failed ones included.")
    avg_precision_at_5: Share = Field(
        description="Mean P@5 over the scored topics; 0 if there are none, and then null in `measures`."
    )
    mrr: Share = Field(description="Mean of 1 / `rank_of_best` over the scored topics, with 0 for null.")
    avg_latency_ms: _Milliseconds = Field(description="Mean milliseconds of a search; 0 if none was timed.")
    p95_latency_ms: _Milliseconds = Field(description="95th percentile; 0 if none was timed.")
    p99_latency_ms: _Milliseconds = Field(description="99th percentile; 0 if none was timed.")
    metadata_completeness_rate: Share = Field(
        description="Share of the results that have url, title, position, content, time and hash; 1 without results."
    )
    hash_validation_pass_rate: Share = Field(
        description="Share of the results whose stored hash matches their text; 1 without results."
    )
    test_cases: list[ReportCase] = Field(description="All queries, in the order of the test set.")
    summary: str = Field(
        pattern=r"^(PASS|FAIL): ",
        description="One line; `FAIL: inconclusive: …` if the gate could not decide, because seed 001 has no third "
        "verdict; `verdict` says which it is.",
    )
    issues: list[str] = Field(description="Checks that did not pass, and advice.")
    schema_version: Literal[1] = Field(description="Version of this schema; a new key does not change it.")
    verdict: Annotated[Outcome, Field(strict=False)] = Field(description="The gate's verdict.")
    gate: ReportGate = Field(description="The limits and their findings.")
    criteria: list[ReportCriterion] = Field(
        default=[], description="The seed's five criteria, without the gate's other checks."
    )
    measures: dict[str, ReportMeasure] = Field(description="Measures over all scored topics, by name.")
    groups: dict[str, dict[str, ReportMeasure]] = Field(
        description="Measures by type and category, such as `type specific`."
    )
    intervals: dict[str, Annotated[list[_Number], Field(min_length=2, max_length=2)]] = Field(
        description="Lower and upper end of each interval in `measures`."
    )
    shown_order: ReportShownOrder | None = Field(
        default=None,
        description="MRR in the order of the contracts' routes; all other figures use the order of the search. Null "
        "without topics, or if that order is unknown.",
    )
    resolution: ReportResolution = Field(description="Whether the judged passages were found in this index.")
    latency: LatencyFigures | None = Field(description="Search times; null if none was timed.")
    against_live: list[ReportDifference] = Field(
        description="Differences from the live generation; empty if it was not compared."
    )
    unjudged: list[ReportUnjudged] = Field(description="Hits to label, the most useful first.")
    results: _Count = Field(description="Number of results behind the two rates.")
    seconds: Annotated[float, Field(ge=0, allow_inf_nan=False)] = Field(description="Duration of the validation.")
    provenance: Provenance = Field(description="Index, test set, limits and versions behind the figures.")
    notes: list[str] = Field(description="Reservations about the verdict.")

    @model_validator(mode="after")
    def _all_cases_counted(self) -> Self:
        if self.total_queries != len(self.test_cases):
            raise ValueError(f"total_queries is {self.total_queries}, but there are {len(self.test_cases)} test_cases")
        return self

    @model_validator(mode="after")
    def _summary_and_verdict_agree(self) -> Self:
        if self.summary.startswith("PASS: ") is not (self.verdict is Outcome.PASS):
            raise ValueError(f"summary begins with {self.summary[:5]!r}, but the verdict is {self.verdict}")
        return self
