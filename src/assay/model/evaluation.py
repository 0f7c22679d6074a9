"""Topics, judgments, runs, measures and verdicts."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from assay.model.described import described
from assay.model.ranking import Filters, Hit, Timings

MOST_EXAMPLES = 50
"""Maximum examples of a finding."""

LABELS = (0, 1, 2)
"""Not relevant, relevant, highly relevant."""


class TopicType(StrEnum):
    """Kind of query (seed 001's `query_type`)."""

    SPECIFIC = "specific"
    BROAD = "broad"
    PARAPHRASE = "paraphrase"
    EDGE = "edge"


class Category(StrEnum):
    """Kind of information need (seed 004's `test_category`)."""

    FACTUAL = "factual"
    CONCEPTUAL = "conceptual"
    CONTEXTUAL = "contextual"


# --- test sets -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Quote:
    """Words of a document's normalized text: the TextQuoteSelector of the W3C Web Annotation model.

    exact: the words; not empty.
    prefix, suffix: the text directly before and after them, to distinguish equal quotes; may be empty.
    """

    exact: str
    prefix: str = ""
    suffix: str = ""


@dataclass(frozen=True, slots=True)
class Span:
    """Characters of a document's normalized text: the TextPositionSelector. 0 ≤ start < end."""

    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Passage:
    """The subject of a judgment in a test set; the most specific field applies.

    url: canonical URL of the page; without other fields, the whole page.
    quote: words of that page.
    position: span of the quote in the text whose hash is text_hash.
    text_hash: SHA-256 hex of the page's normalized text for which position is valid.
    section: anchor of a section of that page, with its nested sections.
    chunk_id, content_hash: a chunk of the generation on which it is first resolved.
    """

    url: str | None = None
    quote: Quote | None = None
    position: Span | None = None
    text_hash: str | None = None
    section: str | None = None
    chunk_id: str | None = None
    content_hash: str | None = None


@dataclass(frozen=True, slots=True)
class Judgment:
    """A graded label, one of LABELS, on a passage."""

    passage: Passage
    label: int


@dataclass(frozen=True, slots=True)
class Topic:
    """One labelled query of a test set.

    text: the query; may be empty only in a topic of type edge.
    top_k: number of hits in the seed's report, 1 to 100.
    excluded: passages whose chunks are removed from a ranking before it is measured, such as the origin of a derived
        query, which contains it verbatim.
    paraphrase_of: id of the topic that this one paraphrases.
    expects_answer: false if no passage answers it (`expect: no_answer`).
    expected_criteria: the seed's free fields; in a topic that expects no answer, hits below the similarity `min_score`
        do not count as answers.
    filters: restrict the hits.
    derived: its origin in the documents (`link`, `heading`); None if a person wrote it.
    """

    id: str
    text: str
    type: TopicType = TopicType.SPECIFIC
    category: Category | None = None
    top_k: int = 5
    judgments: tuple[Judgment, ...] = ()
    excluded: tuple[Passage, ...] = ()
    paraphrase_of: str | None = None
    expects_answer: bool = True
    expected_criteria: Mapping[str, object] = field(default_factory=dict)
    filters: Filters = field(default_factory=Filters)
    derived: str | None = None


@dataclass(frozen=True, slots=True)
class TestSet:
    """Labelled queries. Topic ids are unique.

    fingerprint: SHA-256 hex of its content, regardless of the file's layout and comments.
    derived: whether it was derived from the documents; then about two answers to a topic are known.
    """

    __test__ = False  # not a pytest test, despite its name

    name: str
    topics: tuple[Topic, ...]
    fingerprint: str
    derived: bool = False


# --- resolution on a generation ------------------------------------------------------------------------------------


class Anchoring(StrEnum):
    """State of a judgment's passage in a generation. Only the first two count in measures."""

    EXACT = "exact"
    RE_ANCHORED = "re_anchored"
    AMBIGUOUS = "ambiguous"
    ORPHANED = "orphaned"

    @property
    def scores(self) -> bool:
        """Whether such a judgment counts in measures."""
        return self in {Anchoring.EXACT, Anchoring.RE_ANCHORED}


@dataclass(frozen=True, slots=True)
class Resolution:
    """The location of a passage in one generation.

    url, span: page and span in the text of that generation's document; None if not found.
    chunk_ids: the chunks that overlap the passage, by position.
    reason: why it is not exact, as text; "" if it is.
    """

    anchoring: Anchoring
    url: str | None = None
    span: Span | None = None
    chunk_ids: tuple[str, ...] = ()
    reason: str = ""


@dataclass(frozen=True, slots=True)
class ResolvedTopic:
    """A topic's judgments on one generation.

    A search returns only one of several chunks with equal text. So they share one label, under the id of the first
    judged one, and `judged_id` maps each id of a ranking before it is measured.

    resolutions: one for each judgment of the topic, in its order.
    labels: the highest label of each judged text, by judged id; without excluded chunks.
    excluded: chunks that are removed from a ranking before it is measured, with all chunks of the same text.
    same_text: the judged id of every other chunk with the same text.
    exclusions: one for each excluded passage of the topic, in its order.
    missing: labels of judged, relevant chunks that this generation lost since the one it is compared with, by ids that
        no chunk has.
    """

    topic: Topic
    resolutions: tuple[Resolution, ...]
    labels: Mapping[str, int]
    excluded: frozenset[str] = frozenset()
    same_text: Mapping[str, str] = field(default_factory=dict)
    exclusions: tuple[Resolution, ...] = ()
    missing: Mapping[str, int] = field(default_factory=dict)

    @property
    def counted(self) -> Mapping[str, int]:
        """The labels for measures: those of existing chunks and of lost ones."""
        return {**self.labels, **self.missing} if self.missing else self.labels

    @property
    def lost(self) -> frozenset[int]:
        """Indexes of the judgments that this generation lost since the one it is compared with."""
        places = {int(one.split(":")[1]) for one in self.missing}
        return frozenset(place for place in places if not self.resolutions[place].anchoring.scores)

    @property
    def labels_of_all(self) -> dict[str, int]:
        """The label of every chunk with a judged text, for a system that does not deduplicate."""
        return {**self.labels, **{chunk_id: self.labels[judged] for chunk_id, judged in self.same_text.items()}}

    def judged_id(self, chunk_id: str) -> str:
        """The id under which a chunk's text is judged; the chunk's own id if the text is unjudged."""
        return self.same_text.get(chunk_id, chunk_id)


# --- runs ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class TopicRun:
    """The hits of a system for one topic.

    hits: best first, deduplicated, without excluded chunks, up to the depth of the run.
    timings: of its search; None if it failed.
    error: why the search failed; None if it did not. A failed topic differs from one without hits.
    asked: whether its search started; if not, it has an error.
    """

    topic_id: str
    hits: tuple[Hit, ...]
    timings: Timings | None = None
    error: str | None = None
    asked: bool = True


@dataclass(frozen=True, slots=True)
class Run:
    """The rankings of a system for a test set, in the order of its topics. depth: requested hits."""

    generation: str
    depth: int
    topics: tuple[TopicRun, ...]


# --- values --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Interval:
    """A confidence interval: low ≤ the true value ≤ high in `level` of all samples."""

    low: float = field(metadata=described("Lower end.", allow_inf_nan=False))
    high: float = field(metadata=described("Upper end.", allow_inf_nan=False))
    level: float = field(
        default=0.95,
        metadata=described("Share of samples in which such an interval contains the true value.", ge=0, le=1),
    )


@dataclass(frozen=True, slots=True)
class MeasureValue:
    """A measure over the topics to which it applies.

    name: in standard notation, such as `nDCG@10`.
    value: macro-average; None if no topic has a value.
    measured, topics: number of topics with a value, and of topics to which the measure applies.
    interval: of the mean over topics; None with fewer than two.
    upper: the value if every unjudged hit were relevant; None if that does not apply.
    tied: lowest and highest value over all orders of equal scores; None without ties.
    """

    name: str
    value: float | None
    measured: int
    topics: int
    interval: Interval | None = None
    upper: float | None = None
    tied: tuple[float, float] | None = None


# --- verdicts ------------------------------------------------------------------------------------------------------


class Outcome(StrEnum):
    """The outcome of a check or of the gate."""

    PASS = "PASS"  # noqa: S105 - a verdict, not a password
    FAIL = "FAIL"
    INCONCLUSIVE = "INCONCLUSIVE"


def worst(outcomes: Iterable[Outcome]) -> Outcome:
    """FAIL if there is one, else INCONCLUSIVE if there is one, else PASS."""
    met = set(outcomes)
    return next((outcome for outcome in (Outcome.FAIL, Outcome.INCONCLUSIVE) if outcome in met), Outcome.PASS)


def percent(share: float) -> str:
    """A share as a percentage with four digits, enough to distinguish it from a close limit."""
    return f"{100.0 * share:.4g}%"


@dataclass(frozen=True, slots=True)
class Finding:
    """The result of one check of the gate.

    examples: the first documents, chunks or pages that it affects, at most MOST_EXAMPLES.
    """

    check: str = field(metadata=described("Name of the check."))
    outcome: Outcome = field(metadata=described("`PASS`, `FAIL`, or `INCONCLUSIVE` if undecided."))
    value: float | None = field(metadata=described("The measured value; null if there is none."))
    limit: str = field(metadata=described("The limit in words."))
    detail: str = field(default="", metadata=described("The problem and its remedy; empty after a PASS."))
    examples: tuple[str, ...] = field(
        default=(), metadata=described("The first documents, chunks or pages that it affects.")
    )
    count: int = field(default=0, metadata=described("Number of affected documents, chunks or pages.", ge=0))


@dataclass(frozen=True, slots=True)
class Verdict:
    """The gate's verdict on one generation.

    generation: the only generation to which it applies.
    gate: SHA-256 of the limits.
    content_fingerprint: of the generation at validation time.
    test_set: fingerprint of the test set; None if only the structure was validated.
    test_set_name: name in the test set's file.
    test_set_path: path of that file, so that a moved or copied project uses its own file: with `./` from the data
        directory, if it is in there; else from the folder of the data directory, if both are in that folder, in that
        of assay.toml or in the working directory; else absolute, because a promotion may run in another folder.
    headline: the summary of a PASS; "" for the number of checks.
    live: id of the generation that its answers were compared with, the live one at the time; None if with none.
    """

    outcome: Outcome
    generation: str
    gate: str
    content_fingerprint: str
    at: datetime
    findings: tuple[Finding, ...]
    notes: tuple[str, ...] = ()
    test_set: str | None = None
    test_set_name: str | None = None
    test_set_path: str | None = None
    headline: str = ""
    live: str | None = None

    @property
    def summary(self) -> str:
        """One line that begins with `PASS: `, `FAIL: ` or `FAIL: inconclusive: `; the checks that decide come first."""
        bad = [finding for finding in self.findings if finding.outcome is not Outcome.PASS]
        bad.sort(key=lambda finding: finding.outcome is not self.outcome)
        if self.outcome is Outcome.PASS:
            return f"PASS: {self.headline}" if self.headline else f"PASS: all {len(self.findings)} checks passed."
        reasons = "; ".join(f"{f.check}: {f.detail or f.limit}" for f in bad)
        return f"FAIL: {'inconclusive: ' if self.outcome is Outcome.INCONCLUSIVE else ''}{reasons}"
