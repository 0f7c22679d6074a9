"""Convert test sets to the plain values of their files, and compute their fingerprint."""

import hashlib
import json
from collections.abc import Iterable, Sequence

from assay.model.evaluation import Judgment, Passage, TestSet, Topic, TopicType
from assay.model.ranking import Filters

DEFAULT_TOP_K = 5


def to_plain(test_set: TestSet) -> dict[str, object]:
    """The keys and values of a test-set file; defaults are left out.

    Judgments that a paraphrase inherits are left out too: reading restores them.
    """
    judged = {topic.id: topic.judgments for topic in test_set.topics}
    topics = []
    for topic in test_set.topics:
        body = plain_topic(topic)
        if topic.paraphrase_of is not None and topic.judgments == judged.get(topic.paraphrase_of):
            body.pop("judgments", None)
        topics.append(body)
    said = {"derived": test_set.derived} if test_set.derived or all_derived(test_set.topics) else {}
    return {"name": test_set.name, **said, "topics": topics}


def plain_topic(topic: Topic) -> dict[str, object]:
    """The keys and values of one topic, including its judgments."""
    optional: dict[str, object] = {
        "category": topic.category and topic.category.value,
        "paraphrase_of": topic.paraphrase_of,
        "top_k": None if topic.top_k == DEFAULT_TOP_K else topic.top_k,
        "expect": None if topic.expects_answer else "no_answer",
        "derived": topic.derived,
        "filters": _plain_filters(topic.filters),
        "judgments": [plain_judgment(judgment) for judgment in topic.judgments],
        "exclude": [plain_passage(passage) for passage in topic.excluded],
        "expected_criteria": dict(topic.expected_criteria),
    }
    set_ = {key: value for key, value in optional.items() if value not in (None, [], {})}
    return {"id": topic.id, "text": topic.text, "type": topic.type.value, **set_}


def plain_judgment(judgment: Judgment) -> dict[str, object]:
    """The keys and values of one judgment."""
    return {**plain_passage(judgment.passage), "label": judgment.label}


def plain_passage(passage: Passage) -> dict[str, object]:
    """The keys and values of a passage."""
    quote, position = passage.quote, passage.position
    body: dict[str, object] = {
        "url": passage.url,
        "quote": quote and quote.exact,
        "prefix": (quote and quote.prefix) or None,
        "suffix": (quote and quote.suffix) or None,
        "section": passage.section,
        "position": position and [position.start, position.end],
        "text_hash": passage.text_hash,
        "chunk_id": passage.chunk_id,
        "content_hash": passage.content_hash,
    }
    return {key: value for key, value in body.items() if value is not None}


def fingerprint(topics: Iterable[Topic]) -> str:
    """SHA-256 hex of the topics and their judgments, in order; the name and layout of the test set do not count."""
    digest = hashlib.sha256()
    for topic in topics:
        body = plain_topic(topic)
        if topic.type is TopicType.SPECIFIC:
            del body["type"]
        line = json.dumps(body, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
        digest.update(line.encode("utf-8"))
        digest.update(b"\n")
    return digest.hexdigest()


def make_test_set(name: str, topics: Iterable[Topic], *, derived: bool | None = None) -> TestSet:
    """A test set with the fingerprint of its topics.

    derived: whether it was derived from the documents; None if that is the case when all of its topics were.
    """
    kept = tuple(topics)
    implied = all_derived(kept)
    derived = implied if derived is None else derived
    digest = fingerprint(kept)
    if derived is not implied:  # then other limits apply, so it is another test set
        digest = hashlib.sha256(f"{digest} derived={derived}".encode()).hexdigest()
    return TestSet(name, kept, digest, derived)


def all_derived(topics: Sequence[Topic]) -> bool:
    """Whether every topic was derived from the documents."""
    return bool(topics) and all(topic.derived is not None for topic in topics)


def _plain_filters(filters: Filters) -> dict[str, object]:
    keys = ("versions", "locales", "sections", "sources", "url_prefix", "everything", "include_unversioned")
    values = {key: getattr(filters, key) for key in keys}
    return {
        key: list(value) if isinstance(value, tuple) else value
        for key, value in values.items()
        if value not in ((), None, False)
    }
