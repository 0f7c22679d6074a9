"""Statistics of a test set, and the differences that its topics can detect."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import sqrt
from statistics import NormalDist, median

from assay.model.evaluation import LABELS, Passage, TestSet, Topic
from assay.validation.comparing import HEADLINE

POWER = 0.8
ALPHA = 0.05
_CUTOFF = 5
_NEEDED = 4
"""Relevant chunks among the first 5 hits for P@5 of 0.8, the default of gate.min_precision."""

_SHARE = 0.8
TESTS = len(HEADLINE)
"""Number of measures that `assay compare` tests by default."""

SPREADS = {"variants of one search": 0.07, "different kinds of search": 0.32}
"""Standard deviation over topics of the difference in nDCG@10 between two systems, by how different they are.

Measured by `python -m benchmarks.derived` for hybrid against keyword search, and for hybrid against vector search.
`assay compare` uses the deviation of its own topics instead.
"""


@dataclass(frozen=True, slots=True)
class TestSetStats:
    """Counts of one test set.

    answerable: topics that expect an answer and have a label of 1 or 2.
    unanswered: ids of topics that expect an answer and have no label of 1 or 2.
    no_answer: topics that expect none.
    by_type, by_category, by_origin: number of topics; categories and origins without topics are left out.
    labels: judgments by label, 0 to 2.
    judgments_per_topic: the fewest, the median, the most; over topics that expect an answer.
    passages: judgments by the way that they name a passage: quote, position, section, page, chunk.
    pages: number of different judged pages.
    duplicates: ids of topics with the query of an earlier one, with the id of that one.
    paraphrases: topics that paraphrase another one.
    inherited: those of them with the judgments of their original.
    smallest_differences: by the keys of SPREADS, the smallest difference in nDCG@10 that this number of answerable
        topics shows with POWER in TESTS tests that are adjusted to ALPHA together; empty with fewer than two topics.
    """

    __test__ = False

    topics: int
    answerable: int
    unanswered: tuple[str, ...]
    no_answer: int
    by_type: Mapping[str, int]
    by_category: Mapping[str, int]
    by_origin: Mapping[str, int]
    labels: Mapping[int, int]
    judgments_per_topic: tuple[int, float, int]
    histogram: Mapping[int, int]
    passages: Mapping[str, int]
    pages: int
    duplicates: Mapping[str, str]
    paraphrases: int
    inherited: int
    smallest_differences: Mapping[str, float]


def stats_of(test_set: TestSet) -> TestSetStats:
    """Count the topics, labels and passages of a test set."""
    topics = test_set.topics
    asking = [topic for topic in topics if topic.expects_answer]
    unanswered = tuple(topic.id for topic in asking if not any(judgment.label for judgment in topic.judgments))
    passages = [judgment.passage for topic in topics for judgment in topic.judgments]
    counts = [len(topic.judgments) for topic in asking]
    answerable = len(asking) - len(unanswered)
    return TestSetStats(
        topics=len(topics),
        answerable=answerable,
        unanswered=unanswered,
        no_answer=len(topics) - len(asking),
        by_type=_counted(topic.type.value for topic in topics),
        by_category=_counted(topic.category.value for topic in topics if topic.category is not None),
        by_origin=_counted(topic.derived or "by hand" for topic in topics),
        labels={
            label: sum(judgment.label == label for topic in topics for judgment in topic.judgments) for label in LABELS
        },
        judgments_per_topic=(min(counts), median(counts), max(counts)) if counts else (0, 0, 0),
        histogram=dict(sorted(Counter(counts).items())),
        passages=_counted(_pointing(passage) for passage in passages),
        pages=len({passage.url for passage in passages if passage.url is not None}),
        duplicates=_duplicates(topics),
        paraphrases=sum(topic.paraphrase_of is not None for topic in topics),
        inherited=_inherited(topics),
        smallest_differences=typical_differences(answerable),
    )


@dataclass(frozen=True, slots=True)
class FewLabels:
    """Topics with too few labels for seed 001's limit on P@5.

    topics: their number. needed: relevant chunks that reach it. ceiling: the highest P@5 of these topics, if each
        relevant passage is one chunk.
    """

    topics: int
    needed: int
    ceiling: float


def few_labels(test_set: TestSet) -> FewLabels | None:
    """The topics that cannot reach P@5 of 0.8; None if they are few, or if the test set is derived."""
    relevant = [sum(judgment.label >= 1 for judgment in topic.judgments) for topic in test_set.topics]
    low = [count for count in relevant if 0 < count < _NEEDED]
    within = sum(count >= _NEEDED for count in relevant) >= _SHARE * len(relevant)
    if test_set.derived or within or not low:
        return None
    return FewLabels(len(low), _NEEDED, max(low) / _CUTOFF)


def typical_differences(topics: int) -> dict[str, float]:
    """(z(1 - ALPHA / (2 TESTS)) + z(POWER)) × spread / √topics, the normal approximation of a paired test's power.

    By SPREADS. Cohen, Statistical Power Analysis, 1988. Empty with fewer than two topics.
    """
    if topics < 2:
        return {}
    normal = NormalDist()
    quantiles = normal.inv_cdf(1 - ALPHA / (2 * TESTS)) + normal.inv_cdf(POWER)
    return {what: quantiles * spread / sqrt(topics) for what, spread in SPREADS.items()}


def _counted(words: Iterable[str]) -> dict[str, int]:
    return dict(sorted(Counter(words).items(), key=lambda item: (-item[1], item[0])))


def _pointing(passage: Passage) -> str:
    if passage.quote is not None:
        return "quote"
    if passage.position is not None:
        return "position"
    if passage.section is not None:
        return "section"
    return "chunk" if passage.chunk_id is not None or passage.content_hash is not None else "page"


def _duplicates(topics: Sequence[Topic]) -> dict[str, str]:
    first: dict[object, str] = {}
    found = {}
    for topic in topics:
        asked = (" ".join(topic.text.split()).casefold(), topic.filters)
        if asked in first:
            found[topic.id] = first[asked]
        first.setdefault(asked, topic.id)
    return found


def _inherited(topics: Sequence[Topic]) -> int:
    judged = {topic.id: topic.judgments for topic in topics}
    return sum(
        topic.paraphrase_of is not None and bool(topic.judgments) and topic.judgments == judged.get(topic.paraphrase_of)
        for topic in topics
    )
