"""The result of a validation: everything that a report shows and that a gate decided on."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from assay.model.described import described
from assay.model.evaluation import Anchoring, Interval, MeasureValue, Outcome, Resolution, Topic, Verdict
from assay.model.generations import ChunkerIdentity, EmbedderIdentity
from assay.model.ranking import ContractMode, Hit


@dataclass(frozen=True, slots=True)
class TopicResult:
    """What was found for one topic, and how good it is.

    hits: best first, as deep as the run; none for a topic that failed.
    labels: of each hit; None for one that nobody has judged, which counts as 0.
    values: each measure's value for this topic; None where it is not defined.
    upper: each measure's value if every unjudged hit were relevant.
    rank_of_best: as seed 001 defines it.
    relevant: chunks of the index with a label of 1 or more, and those that it lost and the generation that it is
        compared with has.
    resolutions: one for each judgment of the topic.
    total_ms: of its search; None where it failed.
    error: why it could not be answered; None where it was.
    reached: whether it has the precision that the gate asks of a topic; None where the gate asks none of it.
    asked: whether it was asked at all; one that was not has an error.
    lost: judgments that the generation it is compared with has, and this one does not.
    passages: share of the relevant judgments of which some chunk is among the first 10 hits; None where none is known.
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
    """Milliseconds; percentiles are linear between order statistics; 0 without samples."""

    samples: int = field(metadata=described("Searches that were timed.", ge=0))
    mean_ms: float = field(metadata=described("Mean.", **_AMOUNT))
    p50_ms: float = field(metadata=described("Median.", **_AMOUNT))
    p95_ms: float = field(metadata=described("95 of 100 took no longer.", **_AMOUNT))
    p99_ms: float = field(metadata=described("99 of 100 took no longer.", **_AMOUNT))
    max_ms: float = field(metadata=described("The longest.", **_AMOUNT))
    p99_estimated: bool = field(metadata=described("True with fewer than 1,000 samples: p99 is an estimate."))


@dataclass(frozen=True, slots=True)
class LoadFigures(Percentiles):
    """Latency under load."""

    name: str = field(metadata=described("What was done, such as `50 at once`."))
    errors: int = field(metadata=described("Requests that failed; they have no latency.", ge=0))
    rate: float = field(metadata=described("Answers a second.", **_AMOUNT))
    stages: Mapping[str, Percentiles] = field(
        default_factory=dict,
        metadata=described(
            "The same by stage; at a fixed rate `wait` is the time from when a request was due until it was sent."
        ),
    )
    error_kinds: Mapping[str, int] = field(
        default_factory=dict, metadata=described("Errors by the name of their kind.")
    )
    offered_rate: float | None = field(
        default=None,
        metadata=described("Requests a second that were due; null where each waited for the answer before.", **_AMOUNT),
    )
    late: int = field(default=0, metadata=described("Requests that were sent 10 ms or more after they were due.", ge=0))
    turned_away: int = field(
        default=0,
        metadata=described("Requests that were never sent, for too many were waiting; they have no latency.", ge=0),
    )


@dataclass(frozen=True, slots=True)
class LatencyFigures(Percentiles):
    """How long searches took, one after the other, warm-up left out.

    stages: `embed`, `search`, `fuse`, `filter`.
    """

    stages: Mapping[str, Percentiles] = field(metadata=described("The same by stage."))
    loads: tuple[LoadFigures, ...] = field(default=(), metadata=described("What was measured under load besides."))
    note: str = field(default="", metadata=described("What has to be known to read the figures right."))


@dataclass(frozen=True, slots=True)
class Difference:
    """One measure of two systems on the same topics.

    a, b: mean over the topics that both have.
    difference: b - a.
    interval: of the difference.
    p, adjusted_p: of the paired test, before and after Holm's adjustment over the measures compared.
    detectable: the smallest difference that so many topics could have shown with 80% power, after that adjustment.
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
    """A hit that somebody should label. why: what its label may decide, in a few words."""

    topic_id: str
    rank: int
    hit: Hit
    why: str


@dataclass(frozen=True, slots=True)
class ShownOrder:
    """MRR in the order in which the seeds' routes show hits. contract_mode: how they choose and order them."""

    contract_mode: ContractMode
    mrr: MeasureValue


@dataclass(frozen=True, slots=True)
class Provenance:
    """What the figures are of.

    target: a URL has no password in it.
    search: mode, fusion, weights, ….
    """

    target: str = field(metadata=described("What was asked: `candidate`, `live`, a URL, an adopted collection, …."))
    generation: str | None = field(metadata=described("Its id; null where what was asked does not say."))
    content_fingerprint: str | None = field(metadata=described("SHA-256 over every chunk of it."))
    embedder: EmbedderIdentity | None = field(metadata=described("What its vectors depend on."))
    chunker: ChunkerIdentity | None = field(metadata=described("What its chunks depend on."))
    documents: int = field(metadata=described("Pages in it.", ge=0))
    chunks: int = field(metadata=described("Chunks in it.", ge=0))
    search: Mapping[str, object] = field(metadata=described("Settings of the search that was measured."))
    test_set: str | None = field(metadata=described("Name of the test set; null where only the structure was judged."))
    test_set_fingerprint: str | None = field(metadata=described("SHA-256 of what it says."))
    test_set_path: str | None = field(metadata=described("Where it was read from, as it was named."))
    gate: str = field(metadata=described("SHA-256 of the limits."))
    versions: Mapping[str, str] = field(metadata=described("Of Assay, Python and the libraries that decide results."))


@dataclass(frozen=True, slots=True)
class Validation:
    """Everything that one validation found.

    measures: over all topics that count, in the order in which a report shows them.
    groups: the same by `type specific`, `category factual`, …, for the types and categories that have topics.
    completeness, hashes: seed 001's rates over the hits of the test cases, 1.0 without hits.
    results: number of those hits.
    anchoring: how many judgments came out how.
    unjudged: hits to label, most useful first.
    against_live: differences from the live generation, where that was run too.
    advice: what to do about what was found; the seed's `issues`.
    precision_target: the P@5 that the gate asks of a topic.
    shown: MRR as the seeds' routes order hits; None where there are no topics, or that order is not known.
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
        """The overall value of a measure; None where it was not measured."""
        return next((value for value in self.measures if value.name == name), None)


# --- read back -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class StoredTopic:
    """One topic of a report that was read back.

    type, category: as the report has them; another version may know others.
    values, upper: each measure's value, and what it would be if every unjudged hit were relevant.
    chunk_ids, labels: the first top_k hits, with their labels; None for one that nobody had judged.
    relevant: chunks with a label of 1 or more; None where that is not known.
    lost: judgments that count for nothing, because their passage is gone or stands more than once.
    """

    id: str
    text: str
    type: str
    category: str | None
    values: Mapping[str, float | None]
    upper: Mapping[str, float | None]
    rank_of_best: int | None
    chunk_ids: tuple[str, ...]
    labels: tuple[int | None, ...]
    latency_ms: float | None
    error: str | None
    relevant: int | None = None
    lost: int = 0


@dataclass(frozen=True, slots=True)
class StoredReport:
    """A report that was read back, as far as two of them can be compared.

    at: when its validation began.
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
