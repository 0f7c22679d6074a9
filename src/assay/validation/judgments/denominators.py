"""Use the same denominators for all compared generations: a judgment that one resolves counts in each.

If a lost passage were left out of a generation, an index that lost the hard pages would score higher. So a lost
judgment counts as relevant chunks that no search can find.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

from assay.model.counting import counted, some_of
from assay.model.evaluation import Anchoring, ResolvedTopic, TestSet
from assay.ports import Progress
from assay.validation.judgments.anchoring import AnchorKind, kind_of
from assay.validation.judgments.corpus import Corpus
from assay.validation.judgments.resolving import resolve

_NAMED = 5

_WHOLE = frozenset({AnchorKind.PAGE, AnchorKind.SECTION})
"""Judgments on a whole text, which still resolve if the page or section lost most of it."""


@dataclass(frozen=True, slots=True)
class Removed:
    """A judgment that is left out.

    number: its index in the topic.
    url: of the page; "" if unknown.
    has_page: whether the latest generation still has the page.
    """

    topic_id: str
    number: int
    url: str
    has_page: bool = False


@dataclass(frozen=True, slots=True)
class Agreed:
    """A test set on several generations with the same denominators.

    sides: the topics of each generation, in the given order.
    removed: judgments in no denominator, because their pages were removed on purpose.
    accepted: judgments in no denominator, because an earlier PASS accepted their loss.
    """

    sides: list[tuple[ResolvedTopic, ...]]
    removed: tuple[Removed, ...]
    accepted: tuple[Removed, ...] = ()


def agree(
    test_set: TestSet,
    corpora: Sequence[Corpus],
    *,
    same_chunker: bool,
    allow_removals: bool,
    progress: Progress,
    accept_lost: bool = False,
) -> Agreed:
    """Resolve a test set on several generations, with the same denominators.

    corpora: oldest first; pages that only earlier ones have were removed.
    same_chunker: whether all have the same chunker.
    allow_removals: whether pages were removed on purpose; their judgments then count nowhere.
    accept_lost: whether the oldest passed with this test set; judgments without a passage on any then count nowhere.

    Raises CatalogError, VectorStoreError.
    """
    sides = [resolve(test_set, corpus, progress) for corpus in corpora]
    removed = removed_on_purpose(sides[-1], sides[0]) if allow_removals else []
    accepted = lost_on_all(sides) if accept_lost else []
    if removed or accepted:
        test_set = without_removed(test_set, [*removed, *accepted])
        sides = [resolve(test_set, corpus, progress) for corpus in corpora]
    return Agreed(with_lost(sides, same_chunker=same_chunker), tuple(removed), tuple(accepted))


def removal_notes(removed: Sequence[Removed]) -> list[str]:
    """Note the judgments whose pages were removed on purpose; empty without any."""
    if not removed:
        return []
    urls = list(dict.fromkeys(one.url for one in removed))
    what = f"{len(removed)} judgments are left out on both sides, because their pages were removed on purpose"
    return [f"{what}: {some_of(urls, _NAMED)}."]


def accepted_notes(accepted: Sequence[Removed]) -> list[str]:
    """Note the judgments that were lost before, and the topics to label again; empty without any."""
    if not accepted:
        return []
    topics = list(dict.fromkeys(one.topic_id for one in accepted))
    was = "was" if len(accepted) == 1 else "were"
    what = f"{counted(len(accepted), 'judgment')} {was} lost before the live generation passed with this test set"
    return [f"{what}, and {was} left out: label {some_of(topics, _NAMED)} again, or delete the judgments."]


def with_lost(sides: Sequence[Sequence[ResolvedTopic]], *, same_chunker: bool) -> list[tuple[ResolvedTopic, ...]]:
    """Add to each side's topics the judgments that only other sides resolve.

    A lost judgment counts as many chunks as on another side; with different chunkers, scaled by the numbers of chunks
    of the judgments that all sides resolve. With one chunker, the missing chunks of a judged page or section that
    shrank count too.

    sides: the same test set on each generation, in the order of its topics.
    same_chunker: whether all sides have the same chunker.
    """
    owned = [[_owned(topic, others) for topic, *others in zip(side, *sides, strict=True)] for side in sides]
    sizes = [1 if same_chunker else _shared_chunks(sides, owned, place) for place in range(len(sides))]
    return [
        tuple(
            replace(topic, missing=_missing(number, place, sides, owned, sizes, same_chunker=same_chunker))
            for number, topic in enumerate(side)
        )
        for place, side in enumerate(sides)
    ]


def removed_on_purpose(topics: Sequence[ResolvedTopic], before: Sequence[ResolvedTopic]) -> list[Removed]:
    """The judgments that resolved before and whose page is gone.

    topics, before: the same test set on the current generation and on the one before.
    """
    return [
        Removed(topic.topic.id, number, was.url or "")
        for topic, earlier in zip(topics, before, strict=True)
        for number, (now, was) in enumerate(zip(topic.resolutions, earlier.resolutions, strict=True))
        if was.anchoring.scores and now.anchoring is Anchoring.ORPHANED and now.url is None
    ]


def lost_on_all(sides: Sequence[Sequence[ResolvedTopic]]) -> list[Removed]:
    """The judgments without a passage on any side. sides: the same test set on each generation."""
    return [
        Removed(
            topic.topic.id, number, judgment.passage.url or "", (topic, *others)[-1].resolutions[number].url is not None
        )
        for topic, *others in zip(*sides, strict=True)
        for number, judgment in enumerate(topic.topic.judgments)
        if not any(one.resolutions[number].anchoring.scores for one in (topic, *others))
    ]


def without_removed(test_set: TestSet, removed: Collection[Removed]) -> TestSet:
    """The test set without these judgments, and without topics that have none left.

    The passages are excluded from rankings instead, so that a generation that still has them has no advantage.
    """
    gone = {(one.topic_id, one.number) for one in removed}
    topics = []
    for topic in test_set.topics:
        kept = tuple(one for number, one in enumerate(topic.judgments) if (topic.id, number) not in gone)
        if len(kept) == len(topic.judgments):
            topics.append(topic)
        elif any(one.label for one in kept) or not any(one.label for one in topic.judgments):
            out = tuple(one.passage for one in topic.judgments if one not in kept)
            topics.append(replace(topic, judgments=kept, excluded=(*topic.excluded, *out)))
    return replace(test_set, topics=tuple(topics))


def _owned(topic: ResolvedTopic, others: Sequence[ResolvedTopic]) -> list[list[str]]:
    """The judged ids of each judgment.

    A shared id belongs to the highest label; of equal labels, to a judgment that no side has lost.
    """
    judgments = topic.topic.judgments
    kept = [all(other.resolutions[number].anchoring.scores for other in others) for number in range(len(judgments))]
    owned: list[list[str]] = [[] for _ in judgments]
    taken: set[str] = set()
    for number in sorted(range(len(judgments)), key=lambda one: (-judgments[one].label, not kept[one])):
        resolution = topic.resolutions[number]
        for chunk_id in resolution.chunk_ids if resolution.anchoring.scores else ():
            judged = topic.judged_id(chunk_id)
            if judged in topic.labels and judged not in taken:
                taken.add(judged)
                owned[number].append(judged)
    return owned


def _shared_chunks(
    sides: Sequence[Sequence[ResolvedTopic]], owned: Sequence[Sequence[Sequence[Sequence[str]]]], place: int
) -> int:
    """Number of a side's chunks of judgments that all sides resolve; at least 1."""
    count = 0
    for number, topics in enumerate(zip(*sides, strict=True)):
        for judgment in range(len(topics[0].resolutions)):
            if all(topic.resolutions[judgment].anchoring.scores for topic in topics):
                count += len(owned[place][number][judgment])
    return max(count, 1)


def _missing(
    number: int,
    place: int,
    sides: Sequence[Sequence[ResolvedTopic]],
    owned: Sequence[Sequence[Sequence[Sequence[str]]]],
    sizes: Sequence[int],
    *,
    same_chunker: bool,
) -> dict[str, int]:
    """Placeholder ids, which no chunk has, with the labels of one topic's lost chunks on one side."""
    topic = sides[place][number]
    missing: dict[str, int] = {}
    for judgment, (one, resolution) in enumerate(zip(topic.topic.judgments, topic.resolutions, strict=True)):
        here = len(owned[place][number][judgment])
        elsewhere = max(
            round(count * sizes[place] / sizes[other]) or min(count, 1)
            for other in range(len(sides))
            for count in [len(owned[other][number][judgment])]
        )
        if resolution.anchoring.scores and not (same_chunker and kind_of(one.passage) in _WHOLE):
            continue
        missing |= {f"lost:{judgment}:{count}": one.label for count in range(here, elsewhere)}
    return missing
