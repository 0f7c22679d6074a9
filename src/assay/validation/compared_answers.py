"""Lost topics of a comparison: those that A answers and B does not, by the rule of the gate."""

from assay.model.comparisons import Side
from assay.model.evaluation import Finding
from assay.model.validations import StoredTopic, TopicResult
from assay.validation.gate.lost_topics import (
    ANSWERED,
    LostTopic,
    LostTopics,
    PageTexts,
    find_lost_topics,
    lost_topics_finding,
    no_page_texts,
)


def check_lost_topics(
    a: Side, b: Side, most: float, page_texts: PageTexts = no_page_texts, *, allow_removals: bool = False
) -> Finding | None:
    """Check the share of topics that lost their answer from A to B; None if both are of one generation.

    Settings of one generation rank the same content, so none of it can be lost. A report has no texts: its labels
    decide alone, and an answer in other words counts as lost.

    most: largest share, 0 to 1. page_texts: of A's generation.
    allow_removals: whether judgments on removed pages are left out already.
    """
    if a.provenance.generation == b.provenance.generation:
        return None
    if a.results and b.results:
        before, after = _scored(a.results), _scored(b.results)
        found = find_lost_topics(before, after, {one.topic.id: one for one in b.resolved}, page_texts)
    else:
        found = _lost_by_labels(a, b)
    return lost_topics_finding(found, most, a.name, allow_removals=allow_removals)


def _scored(results: tuple[TopicResult, ...]) -> list[TopicResult]:
    return [one for one in results if one.error is None and one.topic.expects_answer]


def _lost_by_labels(a: Side, b: Side) -> LostTopics:
    pairs = [(one, b.topics[topic_id]) for topic_id, one in a.topics.items() if topic_id in b.topics]
    answered = [
        (x, y)
        for x, y in pairs
        if not (x.error or y.error) and x.text == y.text and x.rank_of_best and x.rank_of_best <= ANSWERED
    ]
    lost = [LostTopic(x.id, _best_chunk(x), "", is_gone=y.lost > x.lost) for x, y in answered if y.rank_of_best is None]
    return LostTopics(len(answered), tuple(lost))


def _best_chunk(topic: StoredTopic) -> str:
    """The id of its best chunk; the topic's id if the report has no ids of chunks."""
    rank = topic.rank_of_best or 1
    return topic.chunk_ids[rank - 1] if len(topic.chunk_ids) >= rank else topic.id
