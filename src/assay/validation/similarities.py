"""Collect the similarities of judged hits, for calibration."""

from collections.abc import Sequence

from assay.model.evaluation import Topic
from assay.model.validations import TopicResult
from assay.validation.calibration import Observed


def collect_similarities(results: Sequence[TopicResult], depth: int) -> list[Observed]:
    """The similarities of the judged hits in the top `depth` of every topic that did not fail.

    Only returned passages count: a threshold removes hits, and passages judged 0 were mostly judged because a search
    returned them, so relevant passages that no search returned would bias the comparison.

    For a topic with `expect: no_answer`, the first top_k hits are irrelevant, judged or not.
    """
    roots = _roots([result.topic for result in results])
    return [_observed(result, depth, roots[result.topic.id]) for result in results if result.error is None]


def count_unjudged(results: Sequence[TopicResult], depth: int) -> int:
    """Count the unjudged hits in the top `depth` of topics that expect an answer."""
    return sum(label is None for result in results if result.topic.expects_answer for label in result.labels[:depth])


def _observed(result: TopicResult, depth: int, family: str) -> Observed:
    topic = result.topic
    judged = list(zip((hit.known_similarity for hit in result.hits), result.labels, strict=True))[:depth]
    answerable: bool | None = False
    irrelevant = [value for value, label in judged if label == 0]
    if topic.expects_answer:
        answerable = True if result.relevant else None
    else:
        irrelevant = [value for place, (value, label) in enumerate(judged) if label == 0 or place < topic.top_k]
    return Observed(
        topic_id=topic.id,
        relevant=tuple(value for value, label in judged if label),
        irrelevant=tuple(irrelevant),
        top=max((value for value, _ in judged), default=None),
        answerable=answerable,
        family=family,
    )


def _roots(topics: Sequence[Topic]) -> dict[str, str]:
    """By topic id, the id of the topic that its chain of `paraphrase_of` ends at."""
    original = {topic.id: topic.paraphrase_of for topic in topics}
    roots = {}
    for topic_id in original:
        root = topic_id
        while (further := original.get(root)) is not None:
            root = further
        roots[topic_id] = root
    return roots
