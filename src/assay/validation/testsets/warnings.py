"""Warnings about a valid test set."""

from collections.abc import Iterator

from assay.model.evaluation import TestSet, Topic, TopicType
from assay.model.located import Path


def warnings_of(test_set: TestSet) -> Iterator[tuple[Path, str]]:
    """The warnings, each with its path below `topics`."""
    asked: dict[object, str] = {}
    for number, topic in enumerate(test_set.topics):
        yield from _of_topic(number, topic)
        question = (" ".join(topic.text.split()).casefold(), topic.filters)
        if question in asked:
            yield (number, "text"), f"has the same query as topic {asked[question]}, so it counts twice"
        asked.setdefault(question, topic.id)


def _of_topic(number: int, topic: Topic) -> Iterator[tuple[Path, str]]:
    if topic.expects_answer and not topic.judgments:
        yield (number,), "has no judgments: no hit can be relevant, and the gate stays INCONCLUSIVE (`known answers`)"
    elif topic.expects_answer and not any(judgment.label for judgment in topic.judgments):
        yield (
            (number, "judgments"),
            "has labels of 0 only: no relevant passage is known (if there is none, set `expect: no_answer`)",
        )
    if topic.type is TopicType.PARAPHRASE and topic.paraphrase_of is None:
        yield (number, "type"), "is paraphrase, but `paraphrase_of` is missing: overlap@3 is not measured for it"
    if topic.paraphrase_of is not None and topic.type is not TopicType.PARAPHRASE:
        yield (number, "paraphrase_of"), f"is set, but the type is {topic.type.value}, not paraphrase"
    seen = set()
    for place, judgment in enumerate(topic.judgments):
        passage = judgment.passage
        if passage in seen:
            what = passage.url or passage.chunk_id or passage.content_hash
            yield (number, "judgments", place), f"judges the same passage of {what} twice"
        seen.add(passage)
