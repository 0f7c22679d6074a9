"""What is judged and what is concluded: topics, judgments, runs, values of measures, verdicts."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from assay.model.described import described
from assay.model.ranking import Filters, Hit, Timings

MOST_EXAMPLES = 50
"""How many of what a check found are kept with its finding."""


LABELS = (0, 1, 2)
"""Does not answer the query; helps; answers it."""


class TopicType(StrEnum):
    """What kind of query a topic is (seed 001's `query_type`)."""

    SPECIFIC = "specific"
    BROAD = "broad"
    PARAPHRASE = "paraphrase"
    EDGE = "edge"


class Category(StrEnum):
    """What a topic asks for (seed 004's `test_category`)."""

    FACTUAL = "factual"
    CONCEPTUAL = "conceptual"
    CONTEXTUAL = "contextual"


# --- test sets -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Quote:
    """Words of a document's normalized text: the TextQuoteSelector of the W3C Web Annotation model.

    exact: the words; not empty.
    prefix, suffix: what stands directly before and after them, to tell equal words apart; may be empty.
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
    """What a judgment is about, as the test set says it; the most exact of what is given counts.

    url: canonical URL of the page; alone, it means the whole page.
    quote: words of that page.
    position: where the quote stands in the text whose hash is text_hash.
    text_hash: SHA-256 hex of the page's normalized text for which position holds.
    section: anchor of a section of that page, with what is nested in it.
    chunk_id, content_hash: a chunk of the generation that it is first resolved on.
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

    text: what is asked; may be empty only in a topic of type edge.
    top_k: hits of the seed's report, 1 to 100.
    excluded: passages whose chunks are taken out of a ranking before it is measured (such as the one that a derived
        query was taken from, which holds it word for word).
    paraphrase_of: id of the topic that asks the same in other words.
    expects_answer: false where no passage answers it (`expect: no_answer`).
    expected_criteria: the seed's free fields; `min_score` is the similarity under which a hit does not count as an
        answer of a topic that expects none.
    filters: what the hits have to be from.
    derived: what it was made from (`link`, `heading`); None where a person wrote it.
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

    fingerprint: SHA-256 hex of what it says; layout and comments of its file do not change it.
    derived: whether it was made of the documents themselves, so that about two answers to a topic are known.
    """

    __test__ = False  # not a test, whatever pytest makes of its name

    name: str
    topics: tuple[Topic, ...]
    fingerprint: str
    derived: bool = False


# --- resolution on a generation ------------------------------------------------------------------------------------


class Anchoring(StrEnum):
    """What became of a judgment's passage in a generation. Only the first two score."""

    EXACT = "exact"
    RE_ANCHORED = "re_anchored"
    AMBIGUOUS = "ambiguous"
    ORPHANED = "orphaned"

    @property
    def scores(self) -> bool:
        """Whether a judgment that came out so counts in measures."""
        return self in {Anchoring.EXACT, Anchoring.RE_ANCHORED}


@dataclass(frozen=True, slots=True)
class Resolution:
    """Where a passage is in one generation.

    url, span: where it is in the text of that generation's document; None where it is not.
    chunk_ids: the chunks that it falls on, by position.
    reason: for a person, why it is not exact; "" where it is.
    """

    anchoring: Anchoring
    url: str | None = None
    span: Span | None = None
    chunk_ids: tuple[str, ...] = ()
    reason: str = ""


@dataclass(frozen=True, slots=True)
class ResolvedTopic:
    """A topic's judgments on one generation.

    Chunks with equal text are one answer, and a search returns only one of them: they are judged together, under the id
    of the first of them that a judgment falls on. So before a ranking is measured each id goes through `judged_id`.

    resolutions: one for each judgment of the topic, in its order.
    labels: the highest label that falls on each judged text, by the id under which it is judged; without what is
        excluded.
    excluded: chunks that are taken out of a ranking before it is measured, with all that have the same text.
    same_text: the id in `labels` for every other chunk that has the same text.
    exclusions: one for each excluded passage of the topic, in its order.
    missing: labels of relevant and judged chunks that a generation it is compared with has, and this one lost, by ids
        that no chunk has.
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
        """The labels that measures count: those of the chunks that are there, and of what was lost."""
        return {**self.labels, **self.missing} if self.missing else self.labels

    @property
    def lost(self) -> frozenset[int]:
        """Places of the judgments that a generation it is compared with has, and this one lost."""
        places = {int(one.split(":")[1]) for one in self.missing}
        return frozenset(place for place in places if not self.resolutions[place].anchoring.scores)

    @property
    def labels_of_all(self) -> dict[str, int]:
        """The label of every chunk that has a judged text, for a system that returns each of them."""
        return {**self.labels, **{chunk_id: self.labels[judged] for chunk_id, judged in self.same_text.items()}}

    def judged_id(self, chunk_id: str) -> str:
        """The id under which a chunk's text is judged; its own where no chunk with that text is."""
        return self.same_text.get(chunk_id, chunk_id)


# --- runs ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class TopicRun:
    """What a system answered to one topic.

    hits: best first, equal chunks once, excluded ones left out; as many as the run is deep, if there are.
    timings: of its search; None where it failed.
    error: why it could not be answered; None where it was. A failed topic is not an empty answer.
    asked: whether it was asked at all; one that was not has an error.
    """

    topic_id: str
    hits: tuple[Hit, ...]
    timings: Timings | None = None
    error: str | None = None
    asked: bool = True


@dataclass(frozen=True, slots=True)
class Run:
    """The rankings that a system gave for a test set, in the order of its topics.

    depth: hits that were asked for.
    """

    generation: str
    depth: int
    topics: tuple[TopicRun, ...]


# --- values --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Interval:
    """A confidence interval: low ≤ the true value ≤ high in `level` of all samples."""

    low: float = field(metadata=described("Its lower end.", allow_inf_nan=False))
    high: float = field(metadata=described("Its upper end.", allow_inf_nan=False))
    level: float = field(
        default=0.95,
        metadata=described("Share of samples in which such an interval holds the true value.", ge=0, le=1),
    )


@dataclass(frozen=True, slots=True)
class MeasureValue:
    """A measure over the topics that it is defined for.

    name: as the field writes it, such as `nDCG@10`.
    value: macro-average; None where no topic has one.
    measured, topics: it is the mean over `measured` of `topics` topics.
    interval: of the mean over topics; None with fewer than two.
    upper: the value if every unjudged hit were relevant; None where that does not apply.
    tied: lowest and highest value that another order of equal scores could give; None where nothing is tied.
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
    """What may be concluded."""

    PASS = "PASS"  # noqa: S105 - a verdict, not a password
    FAIL = "FAIL"
    INCONCLUSIVE = "INCONCLUSIVE"


def worst(outcomes: Iterable[Outcome]) -> Outcome:
    """FAIL when anything failed, else INCONCLUSIVE when anything could not be decided, else PASS."""
    met = set(outcomes)
    return next((outcome for outcome in (Outcome.FAIL, Outcome.INCONCLUSIVE) if outcome in met), Outcome.PASS)


def percent(share: float) -> str:
    """A share with as many digits as tell it from a limit close by."""
    return f"{100.0 * share:.4g}%"


@dataclass(frozen=True, slots=True)
class Finding:
    """One limit of the gate, held against what was measured.

    examples: the first of the documents, chunks or pages behind it, at most MOST_EXAMPLES.
    """

    check: str = field(metadata=described("Name of the limit."))
    outcome: Outcome = field(metadata=described("`INCONCLUSIVE` where it could not be decided."))
    value: float | None = field(metadata=described("What was measured; null where it could not be."))
    limit: str = field(metadata=described("What is asked for, in words."))
    detail: str = field(default="", metadata=described("What a person needs to know to act; empty when it passed."))
    examples: tuple[str, ...] = field(default=(), metadata=described("The first of what is behind it."))
    count: int = field(default=0, metadata=described("How many of them there are.", ge=0))


@dataclass(frozen=True, slots=True)
class Verdict:
    """What the gate decided about one generation.

    generation: the only generation that this verdict speaks of.
    gate: SHA-256 of the limits that were applied.
    content_fingerprint: of the generation when it was judged.
    test_set: fingerprint of the test set that it was judged with; None where only its structure was.
    test_set_name: as the test set calls itself.
    test_set_path: the file that it was read from, absolute: a promotion may be made from another folder.
    headline: what the summary of a PASS says; "" for the number of checks.
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

    @property
    def summary(self) -> str:
        """One line that begins with PASS: or FAIL: (an inconclusive one reads `FAIL: inconclusive: …`)."""
        bad = [finding for finding in self.findings if finding.outcome is not Outcome.PASS]
        if self.outcome is Outcome.PASS:
            return f"PASS: {self.headline}" if self.headline else f"PASS: all {len(self.findings)} checks passed."
        reasons = "; ".join(f"{f.check}: {f.detail or f.limit}" for f in bad)
        return f"FAIL: {'inconclusive: ' if self.outcome is Outcome.INCONCLUSIVE else ''}{reasons}"
