"""`/v1/admin/labels`: label hits in a browser, and the JSON of `assay label --json`."""

from collections.abc import Mapping, Sequence
from typing import Any

from assay.contracts.fields import check_fields
from assay.contracts.operators.labelling_entities import (
    FailedTopic,
    GivenLabel,
    JudgedPassage,
    LabelAnswer,
    LabelItem,
    LabelQueueAnswer,
    LabelQueueQuery,
    LabelRequest,
    LabelTestSet,
    LabelTestSets,
    SelectedPassage,
    UndoAnswer,
)
from assay.contracts.passages.highlights import highlights
from assay.errors import InputError
from assay.model.evaluation import Passage, Quote, Span
from assay.model.ids import canonical_url
from assay.model.labelling import (
    LabelEffect,
    LabelEntry,
    LabelledSystem,
    LabelledTestSet,
    LabelOutcome,
    LabelQueue,
    QueueRequest,
    ToLabel,
)


def parse_queue(fields: Mapping[str, object]) -> QueueRequest:
    """Parse a request for hits. Raises InputError that names the field, its limit and what was sent."""
    sent = check_fields(LabelQueueQuery, fields)
    systems = tuple(LabelledSystem(one.generation, one.mode) for one in sent.systems)
    return QueueRequest(**dict(sent) | {"systems": systems, "topics": tuple(sent.topics)})


def parse_label(fields: Mapping[str, object]) -> tuple[LabelRequest, Passage]:
    """Parse a label. Raises InputError that names the field, its limit and what was sent."""
    sent = check_fields(LabelRequest, fields)
    return sent, _to_passage(sent.judgment)


def to_test_sets(found: Sequence[LabelledTestSet]) -> dict[str, object]:
    """The response body, a LabelTestSets."""
    return LabelTestSets(test_sets=[_test_set(one) for one in found]).to_dict()


def to_queue(queue: LabelQueue) -> dict[str, object]:
    """The response body, a LabelQueueAnswer."""
    return LabelQueueAnswer.of(
        queue,
        queue=queue.id,
        items=[to_item(item) for item in queue.items],
        undo=None if queue.undo is None else _given(queue.undo),
        failed=[FailedTopic(topic_id=topic_id, error=error) for topic_id, error in queue.failed],
    ).to_dict()


def to_label(outcome: LabelOutcome) -> dict[str, object]:
    """The response body, a LabelAnswer."""
    return LabelAnswer.of(outcome, given=_given(outcome.entry)).to_dict()


def to_undo(entry: LabelEntry, effect: LabelEffect | None) -> dict[str, object]:
    """The response body, an UndoAnswer."""
    return UndoAnswer.of(undone=_given(entry), effect=effect).to_dict()


def to_skip(entry: LabelEntry) -> dict[str, object]:
    """The response body, a GivenLabel."""
    return _given(entry).to_dict()


def to_selection(passage: Passage, chunk_ids: Sequence[str]) -> dict[str, object]:
    """The response body, a SelectedPassage."""
    return SelectedPassage(judgment=to_judgment(passage), chunk_ids=list(chunk_ids)).to_dict()


def to_item(item: ToLabel) -> LabelItem:
    """A hit to label."""
    chunk, topic = item.chunk, item.topic
    return LabelItem.of(
        chunk,
        chunk.document,
        topic_id=topic.id,
        query=topic.text,
        expects_answer=topic.expects_answer,
        chunk_id=chunk.id,
        highlights=highlights(chunk.text, topic.text),
        why=item.why,
        judgment=to_judgment(item.passage),
    )


def to_judgment(passage: Passage) -> JudgedPassage:
    """A passage as a test set writes it, without empty fields."""
    quote, position = passage.quote, passage.position
    fields: dict[str, Any] = {
        "url": passage.url,
        "quote": quote and quote.exact,
        "prefix": quote and quote.prefix,
        "suffix": quote and quote.suffix,
        "position": position and [position.start, position.end],
        "text_hash": passage.text_hash,
        "content_hash": passage.content_hash,
    }
    return JudgedPassage(**{name: value for name, value in fields.items() if value})


def _to_passage(sent: JudgedPassage) -> Passage:
    """Raises InputError for fields that do not name a passage together."""
    if sent.quote is None and sent.content_hash is None:
        raise InputError("judgment: it names no words; send `judgment` of a hit or a selection, as it is.")
    if sent.quote is not None and sent.url is None:
        raise InputError("judgment.url: a quote needs the URL of its page.")
    if sent.url is not None and canonical_url(sent.url) != sent.url:
        raise InputError(f"judgment.url: it must be canonical: {canonical_url(sent.url)}.")
    position = None
    if sent.position is not None:
        start, end = sent.position
        if start >= end or sent.text_hash is None:
            raise InputError("judgment.position: it must be a start, a larger end, and needs `text_hash`.")
        position = Span(start, end)
    return Passage(
        url=sent.url,
        quote=None if sent.quote is None else Quote(sent.quote, sent.prefix, sent.suffix),
        position=position,
        text_hash=sent.text_hash,
        content_hash=sent.content_hash,
    )


def _test_set(found: LabelledTestSet) -> LabelTestSet:
    topics = found.test_set.topics if found.test_set is not None else ()
    return LabelTestSet.of(
        found,
        name=found.test_set.name if found.test_set is not None else found.path.name,
        topics=len(topics),
        judgments=sum(len(topic.judgments) for topic in topics),
        problem=found.problem or None,
    )


def _given(entry: LabelEntry) -> GivenLabel:
    return GivenLabel.of(entry, entry=entry.id)
