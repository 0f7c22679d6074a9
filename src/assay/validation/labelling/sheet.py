"""Which hits to ask a person about, and in which order."""

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from assay.errors import InputError
from assay.model.documents import Chunk
from assay.model.evaluation import Passage, Run, TestSet, Topic
from assay.model.validations import TopicResult
from assay.validation.gate import QualityLimits
from assay.validation.quality import hits_to_label, with_targets

_UNJUDGED = "counts as not relevant until it is judged"
_NAMED = 5
_NOWHERE = Passage()


@dataclass(frozen=True, slots=True)
class ToLabel:
    """A hit that nobody has judged.

    topic: the one whose judgments the label joins: the original, where a paraphrase has the judgments of its original.
    chunk: the passage.
    why: what its label may decide, in a few words.
    passage: under which a label of it is kept; points at nothing until that is found.
    """

    topic: Topic
    chunk: Chunk
    why: str
    passage: Passage = _NOWHERE


@dataclass(frozen=True, slots=True)
class Sheet:
    """What there is to label in one generation.

    items: in the order in which they are asked.
    results: of every topic that was asked, as it stood before.
    run: the rankings, so that topics can be measured again after new labels without searching again.
    failed: why topics could not be asked, by id.
    problems: why some hits cannot be labelled, each a sentence.
    """

    generation: str
    test_set: TestSet
    items: tuple[ToLabel, ...]
    results: tuple[TopicResult, ...]
    run: Run
    failed: Mapping[str, str]
    problems: tuple[str, ...] = ()


class Standing(StrEnum):
    """What is known of a topic's P@5: whether it reaches what the gate asks whatever the missing labels would be."""

    REACHED = "reached"
    MISSED = "missed"
    OPEN = "open"


def owners(topics: Iterable[Topic]) -> dict[str, Topic]:
    """For each topic the one in whose judgments a label of it belongs.

    A paraphrase without judgments of its own has those of its original (as reading gives them to it), so a label that
    it needs is written there, and every other paraphrase has it too.
    """
    by_id = {topic.id: topic for topic in topics}
    return {topic.id: _owner(topic, by_id) for topic in by_id.values()}


def _owner(topic: Topic, by_id: Mapping[str, Topic]) -> Topic:
    while topic.paraphrase_of is not None:
        original = by_id[topic.paraphrase_of]
        if not (topic.expects_answer and original.expects_answer) or topic.judgments is not original.judgments:
            break
        topic = original
    return topic


def chosen(test_set: TestSet, topic_ids: Sequence[str]) -> TestSet:
    """The topics named, with all that share their judgments; all of them where none is named.

    Raises InputError for an id that no topic has.
    """
    if not topic_ids:
        return test_set
    owner_of = owners(test_set.topics)
    for topic_id in topic_ids:
        if topic_id not in owner_of:
            raise InputError(
                f"--topic: {test_set.name} has no topic of the id {topic_id}.",
                hint=f"It has {len(owner_of)}: {', '.join(list(owner_of)[:_NAMED])}"
                f"{', …' if len(owner_of) > _NAMED else ''}.",
            )
    wanted = {owner_of[topic_id].id for topic_id in topic_ids}
    return replace(test_set, topics=tuple(one for one in test_set.topics if owner_of[one.id].id in wanted))


def to_label(test_set: TestSet, results: Sequence[TopicResult], limits: QualityLimits, depth: int) -> list[ToLabel]:
    """The unjudged hits among the first `depth` of each topic: the topic first whose labels decide most.

    Topics come as in quality.hits_to_label. Within one, the order is drawn by lot, so that a passage's rank does not
    speak for it, and always the same, so that a session that is taken up again goes on where it was.
    """
    owner_of = owners(test_set.topics)
    most = sum(len(result.hits) for result in results)
    whys = {
        (owner_of[one.topic_id].id, one.hit.chunk.content_hash): one.why
        for one in reversed(hits_to_label(results, limits, most))
    }
    first = [owner_of[one.topic_id].id for one in hits_to_label(results, limits, most)]
    places = {topic_id: place for place, topic_id in enumerate(dict.fromkeys([*first, *owner_of]))}
    found: dict[tuple[str, str], ToLabel] = {}
    for result in results:
        owner = owner_of[result.topic.id]
        for hit, label in list(zip(result.hits, result.labels, strict=True))[:depth]:
            key = (owner.id, hit.chunk.content_hash)
            if label is None:
                found.setdefault(key, ToLabel(owner, hit.chunk, whys.get(key, _UNJUDGED)))
    return sorted(found.values(), key=lambda one: (places[one.topic.id], _lot(test_set.name, one)))


def _lot(name: str, item: ToLabel) -> str:
    drawn = f"{name}\0{item.topic.id}\0{item.chunk.content_hash}"
    return hashlib.sha256(drawn.encode("utf-8", "surrogatepass")).hexdigest()


def standings(results: Sequence[TopicResult], limits: QualityLimits) -> dict[str, Standing]:
    """What is known of each topic's P@5; without those of which the gate asks none, and those that failed."""
    lower = with_targets(results, limits)
    upper = with_targets([replace(result, values=result.upper) for result in results], limits)
    return {
        worst.topic.id: Standing.REACHED if worst.reached else Standing.OPEN if best.reached else Standing.MISSED
        for worst, best in zip(lower, upper, strict=True)
        if worst.reached is not None and worst.error is None
    }
