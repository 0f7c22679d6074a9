"""The result of a validation: the content of a report."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from assay.model.described import described
from assay.model.evaluation import Anchoring, Interval, MeasureValue, Outcome, Resolution, Topic, Verdict
from assay.model.generations import ChunkerIdentity, EmbedderIdentity
from assay.model.ranking import ContractMode, Hit


@dataclass(frozen=True, slots=True)
class TopicResult:
    """The hits of one topic with their labels and measures.

    hits: best first, to the depth of the run; empty for a failed topic.
    labels: of each hit; None for an unjudged hit, which counts as 0.
    values: value of each measure for this topic; None if it is undefined.
    upper: value of each measure if every unjudged hit were relevant.
    rank_of_best: as seed 001 defines it.
    relevant: number of chunks with a label of 1 or more, including those that the index lost since the generation that
        it is compared with.
    resolutions: one for each judgment of the topic.
    total_ms: milliseconds of its search; None if it failed.
    error: why the search failed; None if it did not.
    reached: whether it reached the gate's precision target; None if the target does not apply.
    asked: whether its search started; if not, it has an error.
    lost: number of judgments that the generation it is compared with has, and this one does not.
    passages: share of the relevant judgments with a chunk among the first 10 hits; None without relevant judgments.
    """

    topic: Topic
    hits: tuple[Hit, ...]
    labels: tuple[int | None, ...]
    values: Mapping[str, float | None]
    upper: Mapping[str, float | None]
    rank_of_best: int | None
    relevant: int
    resolutions: tuple[Resolution, ...]
    total_ms: float | None
    error: str | None = None
    reached: bool | None = None
    asked: bool = True
    passages: float | None = None
    lost: int = 0


_AMOUNT = {"ge": 0, "allow_inf_nan": False}


@dataclass(frozen=True, slots=True)
class Percentiles:
    """Milliseconds, 0 without samples. Percentiles are interpolated linearly between order statistics."""

    samples: int = field(metadata=described("Timed searches.", ge=0))
    mean_ms: float = field(metadata=described("Mean.", **_AMOUNT))
    p50_ms: float = field(metadata=described("Median.", **_AMOUNT))
    p95_ms: float = field(metadata=described("95th percentile.", **_AMOUNT))
    p99_ms: float = field(metadata=described("99th percentile.", **_AMOUNT))
    max_ms: float = field(metadata=described("Maximum.", **_AMOUNT))
    p99_estimated: bool = field(metadata=described("True with fewer than 1,000 samples, which make p99 an estimate."))


@dataclass(frozen=True, slots=True)
class LoadFigures(Percentiles):
    """Latency under load."""

    name: str = field(metadata=described("Name of the load, such as `50 at once`."))
    errors: int = field(metadata=described("Failed requests, which have no latency.", ge=0))
    rate: float = field(metadata=described("Responses per second.", **_AMOUNT))
    stages: Mapping[str, Percentiles] = field(
        default_factory=dict,
        metadata=described(
            "Percentiles by stage; at a fixed rate, `wait` is the time from a request's due time until it was sent."
        ),
    )
    error_kinds: Mapping[str, int] = field(default_factory=dict, metadata=described("Numbers of errors by kind."))
    offered_rate: float | None = field(
        default=None,
        metadata=described("Offered requests per second; null if each waited for the previous response.", **_AMOUNT),
    )
    late: int = field(default=0, metadata=described("Requests sent 10 ms or more after their due time.", ge=0))
    turned_away: int = field(
        default=0,
        metadata=described("Requests not sent because too many were waiting; they have no latency.", ge=0),
    )


@dataclass(frozen=True, slots=True)
class LatencyFigures(Percentiles):
    """Times of sequential searches, without warm-up.

    stages: `embed`, `search`, `fuse`, `filter`, and `rerank` if a reranker ordered the hits.
    """

    stages: Mapping[str, Percentiles] = field(metadata=described("Percentiles by stage."))
    loads: tuple[LoadFigures, ...] = field(default=(), metadata=described("Latency under load."))
    note: str = field(default="", metadata=described("How to read the figures."))


@dataclass(frozen=True, slots=True)
class Difference:
    """One measure of two systems on the same topics.

    a, b: mean over the topics that both have.
    difference: b - a.
    interval: of the difference.
    p, adjusted_p: of the paired test, before and after Holm's adjustment over the measures compared.
    detectable: the smallest difference that this number of topics detects with 80% power, after that adjustment.
    """

    measure: str
    topics: int
    a: float
    b: float
    difference: float
    interval: Interval | None
    p: float
    adjusted_p: float
    detectable: float | None


@dataclass(frozen=True, slots=True)
class Unjudged:
    """A hit to label. why: what its label may decide, in a few words."""

    topic_id: str
    rank: int
    hit: Hit
    why: str


@dataclass(frozen=True, slots=True)
class ShownOrder:
    """MRR in the order of the contracts' routes. contract_mode: how they select and order hits."""

    contract_mode: ContractMode
    mrr: MeasureValue


@dataclass(frozen=True, slots=True)
class Provenance:
    """The index, test set, settings and versions behind the figures.

    target: a URL without its password.
    search: mode, fusion, weights, ….
    """

    target: str = field(metadata=described("What was measured: `candidate`, `live`, a URL, an adopted collection, …."))
    generation: str | None = field(metadata=described("Id of the generation; null if unknown."))
    content_fingerprint: str | None = field(metadata=described("SHA-256 over all chunks of the generation."))
    embedder: EmbedderIdentity | None = field(metadata=described("Identity of the embedder."))
    chunker: ChunkerIdentity | None = field(metadata=described("Identity of the reader and chunker."))
    documents: int = field(metadata=described("Number of pages.", ge=0))
    chunks: int = field(metadata=described("Number of chunks.", ge=0))
    search: Mapping[str, object] = field(metadata=described("Settings of the measured search."))
    test_set: str | None = field(metadata=described("Name of the test set; null if only the structure was checked."))
    test_set_fingerprint: str | None = field(metadata=described("SHA-256 of the test set's content."))
    test_set_path: str | None = field(metadata=described("Path of the test set, as it was given."))
    gate: str = field(metadata=described("SHA-256 of the limits."))
    versions: Mapping[str, str] = field(metadata=described("Versions of Assay, Python and the libraries."))

    @property
    def has_size(self) -> bool:
        """Whether the numbers of pages and chunks are known; a server does not tell them."""
        return self.content_fingerprint is not None or self.documents > 0


@dataclass(frozen=True, slots=True)
class Validation:
    """The result of one validation.

    measures: over all scored topics, in the order of the report.
    groups: measures by `type specific`, `category factual`, …, for types and categories that have topics.
    completeness, hashes: seed 001's rates over the hits of the test cases, 1.0 without hits.
    results: number of those hits.
    anchoring: number of judgments by anchoring.
    unjudged: hits to label, most useful first.
    against_live: differences from the live generation; empty if it was not run.
    advice: recommended actions, part of the seed's `issues`.
    precision_target: the P@5 that each topic should reach.
    shown: MRR in the order of the contracts' routes; None without topics, or if that order is unknown.
    """

    started_at: datetime
    seconds: float
    topics: tuple[TopicResult, ...]
    measures: tuple[MeasureValue, ...]
    groups: Mapping[str, tuple[MeasureValue, ...]]
    latency: LatencyFigures | None
    completeness: float
    hashes: float
    results: int
    anchoring: Mapping[Anchoring, int]
    verdict: Verdict
    provenance: Provenance
    unjudged: tuple[Unjudged, ...] = ()
    against_live: tuple[Difference, ...] = ()
    advice: tuple[str, ...] = ()
    precision_target: float = 0.8
    shown: ShownOrder | None = None

    def measure(self, name: str) -> MeasureValue | None:
        """The overall value of a measure; None if it was not measured."""
        return next((value for value in self.measures if value.name == name), None)


# --- stored reports ------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class StoredTopic:
    """One topic of a stored report.

    type, category: strings, because another version may have other values.
    values, upper: value of each measure, and its value if every unjudged hit were relevant.
    chunk_ids, labels: the first top_k hits and their labels; None for an unjudged hit.
    relevant: number of chunks with a label of 1 or more; None if unknown.
    lost: number of judgments that do not count, because their passage is missing or ambiguous.
    """

    id: str
    text: str
    type: str
    values: Mapping[str, float | None]
    upper: Mapping[str, float | None]
    rank_of_best: int | None
    category: str | None = None
    chunk_ids: tuple[str, ...] = ()
    labels: tuple[int | None, ...] = ()
    latency_ms: float | None = None
    error: str | None = None
    relevant: int | None = None
    lost: int = 0


@dataclass(frozen=True, slots=True)
class StoredReport:
    """The parts of a stored report that a comparison needs.

    at: start of its validation.
    topics: by id, in the order of the test set.
    """

    at: datetime
    outcome: Outcome
    summary: str
    topics: Mapping[str, StoredTopic]
    measures: tuple[MeasureValue, ...]
    groups: Mapping[str, tuple[MeasureValue, ...]]
    latency: Percentiles | None
    provenance: Provenance


@dataclass(frozen=True, slots=True)
class ReportFile:
    """A written report.

    name: of its files, without their suffix. kind: `report` of a validation, or `sweep`. at: when it began.
    title: its verdict in a sentence. outcome: None for a sweep.
    """

    name: str
    kind: str
    at: datetime
    title: str
    outcome: Outcome | None
