"""Comparisons of two systems, and sweeps over several settings."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from assay.model.evaluation import Finding, ResolvedTopic
from assay.model.validations import Difference, Percentiles, Provenance, StoredTopic, TopicResult


@dataclass(frozen=True, slots=True)
class Side:
    """One of two compared systems, with its result for each topic.

    name: as the user gave it: a report's file, `live`, `mode=sparse`.
    topics: by id, in the order of the test set.
    latency: None if no search was timed.
    latency_note: how to read the latency; may be empty.
    results, resolved: of the topics, with texts and labels; empty for a report and a run file.
    """

    name: str
    topics: Mapping[str, StoredTopic]
    latency: Percentiles | None
    provenance: Provenance
    latency_note: str = ""
    results: tuple[TopicResult, ...] = ()
    resolved: tuple[ResolvedTopic, ...] = ()


class Conclusion(StrEnum):
    """The conclusion about a measure of B, compared with A."""

    BETTER = "better"
    WORSE = "worse"
    NOT_SHOWN = "not_shown"
    EQUAL = "equal"
    UNFAIR = "unfair"


@dataclass(frozen=True, slots=True)
class ComparedMeasure:
    """One measure of both sides.

    conclusion: BETTER and WORSE are about B; EQUAL means the same value for every topic; UNFAIR is a difference that
        labels of unjudged hits could remove.
    words: the conclusion as a sentence without its full stop.
    """

    difference: Difference
    conclusion: Conclusion
    words: str


@dataclass(frozen=True, slots=True)
class ChangedTopic:
    """A topic with different values for the two sides.

    a, b: values of the measure that orders the topics.
    rank_a, rank_b: rank of the best hit among those of the report; None if none is relevant.
    """

    id: str
    text: str
    a: float
    b: float
    rank_a: int | None
    rank_b: int | None

    @property
    def change(self) -> float:
        """Value of B minus value of A."""
        return self.b - self.a


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two systems on the same topics.

    topics: number of compared topics.
    left_out: sentences about what was not compared, and why.
    warnings: sentences about what makes the comparison less fair.
    differing: settings that differ, by name, with the value of each side.
    judged: share of judged hits among the first ones, of each side; None if it was not measured.
    lost: number of judgments of each side whose passage is missing or ambiguous.
    changed: topics whose values differ, largest change first.
    ordered_by: the measure that orders `changed`.
    lost_topics: the check of the topics that A answers and B does not; None if both are of one generation.
    """

    a: Side
    b: Side
    topics: int
    measures: tuple[ComparedMeasure, ...]
    changed: tuple[ChangedTopic, ...]
    ordered_by: str
    judged: tuple[float | None, float | None]
    lost: tuple[int, int]
    differing: Mapping[str, tuple[str, str]]
    left_out: tuple[str, ...]
    warnings: tuple[str, ...]
    lost_topics: Finding | None = None


# --- several systems -----------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class SweptMean:
    """A measure of one row. against_first: its difference from the first row, with p adjusted over the sweep."""

    measure: str
    value: float | None
    low: float | None
    high: float | None
    against_first: Difference | None


@dataclass(frozen=True, slots=True)
class SweptRow:
    """One setting of a sweep with its measures.

    described: its settings, by name.
    chunks: number of chunks in its index.
    means: in the order of the sweep's measures.
    judged: share of judged hits among the first five.
    latency: of a search without embedding its query.
    topics, failed: number of topics, and of failed ones among them.
    lost: number of judgments whose passage was not found in this index.
    tied_with_best: whether it is the best row, or not significantly different from it.
    open_to_best, open_to_first: whether it is lower than the best or the first row, and labels could remove the
        difference, because it has fewer judged hits.
    """

    name: str
    described: Mapping[str, str]
    chunks: int
    means: tuple[SweptMean, ...]
    judged: float | None
    latency: Percentiles | None
    topics: int
    failed: int
    lost: int
    tied_with_best: bool = False
    open_to_best: bool = False
    open_to_first: bool = False

    def mean(self, measure: str) -> SweptMean | None:
        """One of its means."""
        return next((one for one in self.means if one.measure == measure), None)


@dataclass(frozen=True, slots=True)
class Sweep:
    """Several settings over one test set.

    measure: the measure that decides which row is best.
    best: name of the row with the highest mean; None without values.
    detectable: the smallest detectable difference from the best row, the maximum over the other rows.
    words: sentences with the conclusions.
    notes: sentences on how to read the figures.
    """

    started_at: datetime
    seconds: float
    generation: str
    documents: int
    test_set: str
    test_set_fingerprint: str
    measure: str
    rows: tuple[SweptRow, ...]
    best: str | None
    detectable: float | None
    words: tuple[str, ...]
    notes: tuple[str, ...]
