"""What the labels of a test set say of the similarities that a search returns."""

from collections.abc import Sequence

from assay.model.evaluation import Topic
from assay.model.validations import TopicResult
from assay.validation.calibration import Observed


def observe(results: Sequence[TopicResult], depth: int) -> list[Observed]:
    """The judged ones among the first `depth` hits of every topic that could be asked.

    Passages that no search returned are left out on purpose: a threshold takes away hits; and what is judged 0 was
    mostly judged because a search returned it, so that relevant passages from anywhere would be no match for it.

    Of a topic that nothing answers (`expect: no_answer`) the first top_k hits are irrelevant, judged or not.
    """
    roots = _roots([result.topic for result in results])
    return [_observed(result, depth, roots[result.topic.id]) for result in results if result.error is None]


def unjudged(results: Sequence[TopicResult], depth: int) -> int:
    """How many of those hits say nothing, for nobody has judged them."""
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
    """For each topic the id of the one that it is, over any number of steps, a paraphrase of."""
    original = {topic.id: topic.paraphrase_of for topic in topics}
    roots = {}
    for topic_id in original:
        root = topic_id
        while (further := original.get(root)) is not None:
            root = further
        roots[topic_id] = root
    return roots
