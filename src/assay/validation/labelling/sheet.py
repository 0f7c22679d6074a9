"""The hits to label, and their order."""

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from assay.errors import InputError
from assay.model.evaluation import Judgment, Run, TestSet, Topic
from assay.model.labelling import LabelEntry, Standing, ToLabel
from assay.model.validations import TopicResult
from assay.validation.gate.policy import QualityLimits
from assay.validation.gate.quality import hits_to_label, with_targets

_UNJUDGED = "counts as not relevant until it is judged"
_SECOND = "another judge has labelled it"
_NAMED = 5


@dataclass(frozen=True, slots=True)
class Sheet:
    """The hits to label in one generation.

    depth: number of hits of each topic that are asked about.
    items: in labelling order.
    results: of every topic, before labelling.
    run: the rankings, so that topics can be measured again after new labels without searching again.
    failed: errors of failed topics, by id.
    problems: why some hits cannot be labelled, each a sentence.
    """

    generation: str
    test_set: TestSet
    depth: int
    items: tuple[ToLabel, ...]
    results: tuple[TopicResult, ...]
    run: Run
    failed: Mapping[str, str]
    problems: tuple[str, ...] = ()


def refuse_label(topic: Topic, label: int) -> None:
    """Raise InputError for a label above 0 in a topic that expects no answer."""
    if label and not topic.expects_answer:
        raise InputError(
            f"The topic {topic.id} has `expect: no_answer`. If this passage answers it, remove that line from the test "
            "set first; otherwise label it 0, or skip it."
        )


def owners(topics: Iterable[Topic]) -> dict[str, Topic]:
    """By topic id, the topic to add labels to.

    A paraphrase without judgments of its own shares those of its original, so its labels are written there.
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
    """The test set with only the named topics and those that share their judgments; with all if none is named.

    Raises InputError for an unknown id.
    """
    if not topic_ids:
        return test_set
    owner_of = owners(test_set.topics)
    for topic_id in topic_ids:
        if topic_id not in owner_of:
            raise InputError(
                f"{test_set.name} has no topic with the id {topic_id}.",
                hint=f"It has {len(owner_of)}: {', '.join(list(owner_of)[:_NAMED])}"
                f"{', …' if len(owner_of) > _NAMED else ''}.",
            )
    wanted = {owner_of[topic_id].id for topic_id in topic_ids}
    return replace(test_set, topics=tuple(one for one in test_set.topics if owner_of[one.id].id in wanted))


def to_label(test_set: TestSet, results: Sequence[TopicResult], limits: QualityLimits, depth: int) -> list[ToLabel]:
    """The unjudged hits in the top `depth` of each topic, the topics with the most decisive labels first.

    Topics are ordered as in quality.hits_to_label. Within a topic the order is random, so that ranks do not bias the
    labels, and repeatable, so that a session can be resumed.
    """
    owner_of = owners(test_set.topics)
    ranked = hits_to_label(results, limits, sum(len(result.hits) for result in results))
    whys = {(owner_of[one.topic_id].id, one.hit.chunk.content_hash): one.why for one in reversed(ranked)}
    first = [owner_of[one.topic_id].id for one in ranked]
    places = {topic_id: place for place, topic_id in enumerate(dict.fromkeys([*first, *owner_of]))}
    found: dict[tuple[str, str], ToLabel] = {}
    for result in results:
        owner = owner_of[result.topic.id]
        for hit, label in list(zip(result.hits, result.labels, strict=True))[:depth]:
            key = (owner.id, hit.chunk.content_hash)
            if label is None:
                found.setdefault(key, ToLabel(owner, hit.chunk, whys.get(key, _UNJUDGED)))
    return sorted(found.values(), key=lambda one: (places[one.topic.id], lot(test_set.name, one)))


def unjudged(sheet: Sheet) -> set[tuple[str, str]]:
    """The keys of the hits that nobody has judged: of each topic's first ones, with those that cannot be labelled."""
    owner_of = owners(sheet.test_set.topics)
    return {
        (owner_of[result.topic.id].id, hit.chunk.content_hash)
        for result in sheet.results
        for hit, label in zip(result.hits[: sheet.depth], result.labels, strict=False)
        if label is None
    }


def pooled(test_set_name: str, sheets: Sequence[Sequence[ToLabel]]) -> list[ToLabel]:
    """The hits of several systems, each once: topics in the order of the first system, hits of a topic in lot order.

    So nobody sees which system found a hit (pooling; Sparck Jones and van Rijsbergen, 1975).
    """
    every = [item for items in sheets for item in items]
    places = {topic_id: place for place, topic_id in enumerate(dict.fromkeys(item.topic.id for item in every))}
    once = {item.key: item for item in reversed(every)}.values()
    return sorted(once, key=lambda one: (places[one.topic.id], lot(test_set_name, one)))


def second_opinions(sheet: Sheet, entries: Sequence[LabelEntry], judge: str) -> list[ToLabel]:
    """The hits that other judges labelled, and this one has not; in the order of the queue.

    entries: of all judges.
    """
    owner_of = owners(sheet.test_set.topics)
    places = {topic_id: place for place, topic_id in enumerate(owner_of)}
    own = {(entry.topic_id, entry.content_hash) for entry in entries if entry.judge == judge}
    others = {(entry.topic_id, entry.content_hash): entry for entry in entries if entry.label is not None}
    found: dict[tuple[str, str], ToLabel] = {}
    for result in sheet.results:
        owner = owner_of[result.topic.id]
        for hit in result.hits[: sheet.depth]:
            key = (owner.id, hit.chunk.content_hash)
            entry = others.get(key)
            if entry is not None and entry.passage is not None and key not in own:
                found.setdefault(key, ToLabel(owner, hit.chunk, _SECOND, entry.passage))
    return sorted(found.values(), key=lambda one: (places[one.topic.id], lot(sheet.test_set.name, one)))


def with_judgment(test_set: TestSet, topic_id: str, judgment: Judgment) -> TestSet:
    """Only the topics that a new judgment of a topic changes, with it: the topic, and paraphrases that share it."""
    owner_of = owners(test_set.topics)
    changed = [topic for topic in test_set.topics if owner_of[topic.id].id == topic_id]
    judgments = (*(changed[0].judgments if changed else ()), judgment)  # one tuple, because paraphrases share it
    return replace(test_set, topics=tuple(replace(topic, judgments=judgments) for topic in changed))


def lot(name: str, item: ToLabel) -> str:
    """The place of a hit in the random, repeatable order of a test set."""
    drawn = f"{name}\0{item.topic.id}\0{item.chunk.content_hash}"
    return hashlib.sha256(drawn.encode("utf-8", "surrogatepass")).hexdigest()


def standings(results: Sequence[TopicResult], limits: QualityLimits) -> dict[str, Standing]:
    """The standing of each topic; topics that failed or have no required P@5 are left out."""
    lower = with_targets(results, limits)
    upper = with_targets([replace(result, values=result.upper) for result in results], limits)
    return {
        worst.topic.id: Standing.REACHED if worst.reached else Standing.OPEN if best.reached else Standing.MISSED
        for worst, best in zip(lower, upper, strict=True)
        if worst.reached is not None and worst.error is None
    }
