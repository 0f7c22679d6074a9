"""Systems beside one another: what two of them differ in, and what several cost and give."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from assay.model.validations import Difference, Percentiles, Provenance, StoredTopic


@dataclass(frozen=True, slots=True)
class Side:
    """One of two systems that are compared: what it gave for each topic.

    name: as it was named: a report's file, `live`, `mode=sparse`.
    topics: by id, in the order of the test set.
    latency: None where no search was timed.
    latency_note: what a reader has to know to read it right; may be empty.
    """

    name: str
    topics: Mapping[str, StoredTopic]
    latency: Percentiles | None
    provenance: Provenance
    latency_note: str = ""


class Conclusion(StrEnum):
    """What may be said of a measure of B beside A's."""

    BETTER = "better"
    WORSE = "worse"
    NOT_SHOWN = "not_shown"
    EQUAL = "equal"
    UNFAIR = "unfair"


@dataclass(frozen=True, slots=True)
class ComparedMeasure:
    """One measure of both sides.

    conclusion: BETTER and WORSE speak of B; EQUAL is the same value for every topic; UNFAIR is a difference that labels
        for hits that nobody has judged could take away.
    words: the same in a sentence without its full stop.
    """

    difference: Difference
    conclusion: Conclusion
    words: str


@dataclass(frozen=True, slots=True)
class ChangedTopic:
    """A topic for which the sides gave different values.

    a, b: of the measure that the topics are ordered by.
    rank_a, rank_b: of the best hit among those that are shown; None where none of them is relevant.
    """

    id: str
    text: str
    a: float
    b: float
    rank_a: int | None
    rank_b: int | None

    @property
    def change(self) -> float:
        """How much B is above A."""
        return self.b - self.a


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two systems on the same topics.

    topics: how many were compared.
    left_out: what was not compared, and why, in sentences.
    warnings: what makes the comparison less than fair, in sentences.
    differing: what the systems differ in, by name: the value of each.
    judged: share of the first hits that are judged, of each side; None where it was not measured.
    lost: judgments of each side whose passage is gone or stands more than once.
    changed: topics whose values differ, the largest change first; ordered_by is the measure.
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


# --- several systems -----------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class SweptMean:
    """A measure of one row. against_first: its difference from the first row, with p adjusted over the whole sweep."""

    measure: str
    value: float | None
    low: float | None
    high: float | None
    against_first: Difference | None


@dataclass(frozen=True, slots=True)
class SweptRow:
    """One setting of a sweep, measured.

    described: the settings that it was measured with, by name.
    chunks: of its index.
    means: in the order of the sweep's measures.
    judged: share of the first five hits that are judged.
    latency: of a search without the embedding of its query.
    topics, failed: topics that were asked, and those of them that could not be answered.
    lost: judgments whose passage was not found in this index.
    tied_with_best: whether it is the best row, or cannot be told from it.
    open_to_best, open_to_first: whether it is lower than the best row, or the first, and has so much less judged that
        labels could take that away; then it is not called lower.
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

    measure: what decides which row is the best.
    best: name of the row with the highest mean; None where there is no value.
    detectable: the smallest difference from the best row that the topics show of any other row, at its largest.
    words: what may be concluded, in sentences.
    notes: what to know before the figures are read, in sentences.
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
