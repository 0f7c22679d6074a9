"""Topics that the live generation answers and a candidate does not.

A lost answer is a fact, not a sample: two of them count also in a test set that is too small for a paired test.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass

from assay.model.counting import some_of
from assay.model.documents import Chunk
from assay.model.evaluation import MOST_EXAMPLES, Anchoring, Finding, Outcome, ResolvedTopic, percent
from assay.model.ranking import Hit
from assay.model.validations import TopicResult
from assay.validation.content.rewording import Replaced
from assay.validation.gate.lost_answers import has_passage
from assay.validation.judgments.anchoring import AnchorKind, kind_of

ANSWERED = 5
"""The live generation answers a topic if one of its first hits, this many, is relevant."""

SEARCHED = 10
"""Hits of the candidate among which the answer must be."""

FEWEST = 2
"""Fewest lost topics, with different answers, that fail: a single one may be a section with a new subject."""

_NAMED = 3

PageTexts = Callable[[Collection[str]], Mapping[str, str]]
"""Gives the texts of pages by URL, as far as they are known."""


def no_page_texts(_urls: Collection[str]) -> dict[str, str]:
    """No texts: only hits are known."""
    return {}


@dataclass(frozen=True, slots=True)
class LostTopic:
    """A topic without its answer.

    answer: id of the best relevant chunk of the live generation. url: of its page; "" if unknown.
    is_gone: whether no relevant passage is left; otherwise none is among the first SEARCHED hits.
    """

    topic_id: str
    answer: str
    url: str
    is_gone: bool


@dataclass(frozen=True, slots=True)
class LostTopics:
    """The topics that a candidate lost.

    answered: number of topics that the live generation answers.
    lost: in the order of the test set.
    reworded: ids of topics without a passage that resolves, though a hit rewords most of the answer.
    """

    answered: int = 0
    lost: tuple[LostTopic, ...] = ()
    reworded: frozenset[str] = frozenset()


def find_lost_topics(
    before: Sequence[TopicResult],
    after: Sequence[TopicResult],
    topics: Mapping[str, ResolvedTopic],
    page_texts: PageTexts,
) -> LostTopics:
    """Find the topics that the live generation answers and the candidate does not.

    A whole page that was judged and has changed is an answer only as far as its hits resemble what was there: a login
    page under the same address is none.

    before, after: the topics that count, of the live generation and of the candidate. topics: of the candidate, by id.
    page_texts: of the live generation; called only for topics whose proven answers were not found.
    """
    were = {one.topic.id: one for one in before if _answers(one)}
    answered = [one for one in after if one.topic.id in were]
    lost: list[LostTopic] = []
    reworded: set[str] = set()
    for one in answered:
        was, resolved = were[one.topic.id], topics[one.topic.id]
        if _is_answered(one, resolved):
            continue
        is_gone = not _proven(resolved)
        if _is_reworded(one, was, page_texts):
            reworded |= set() if has_passage(resolved) else {one.topic.id}
        else:
            answer = _answers(was)[0].chunk
            lost.append(LostTopic(one.topic.id, answer.id, answer.document.url, is_gone))
    return LostTopics(len(answered), tuple(lost), frozenset(reworded))


def lost_topics_finding(
    found: LostTopics | None, most: float, baseline: str = "the live generation", *, allow_removals: bool = False
) -> Finding:
    """Check the share of lost topics.

    found: None if nothing is live. most: largest share, 0 to 1. baseline: name of the system with the answers.
    allow_removals: whether judgments on removed pages are left out already, so that advising it would be of no use.
    """
    check = "lost topics"
    if found is None:
        return Finding(check, Outcome.PASS, None, "nothing is live to compare with")
    limit = (
        f"at most {percent(most)} of the topics with an answer among the first {ANSWERED} hits of {baseline}, "
        f"or a single one, have none among the first {SEARCHED} hits"
    )
    lost, share = found.lost, len(found.lost) / max(found.answered, 1)
    examples = tuple(
        f"{one.topic_id}: {f'{one.url}: ' if one.url else ''}"
        f"{'its text is gone' if one.is_gone else f'no relevant hit among the first {SEARCHED}'}"
        for one in lost[:MOST_EXAMPLES]
    )
    if share <= most or len({one.answer for one in lost}) < FEWEST:
        return Finding(check, Outcome.PASS, share, limit, "", examples, len(lost))
    removed = "" if allow_removals else "If pages were removed on purpose, publish or promote with --allow-removals. "
    detail = (
        f"{len(lost)} of {found.answered} topics that {baseline} answers lost their answer: {named(lost)}. "
        f"Restore these pages. {removed}If their text was replaced on purpose, label these topics again or delete them"
    )
    return Finding(check, Outcome.FAIL, share, limit, detail, examples, len(lost))


def named(lost: Sequence[LostTopic]) -> str:
    """The first topics with their pages, and the number of the others."""
    return some_of([f"{one.topic_id} ({one.url})" if one.url else one.topic_id for one in lost], _NAMED)


def _answers(result: TopicResult) -> list[Hit]:
    """The relevant hits of the live generation among the first ANSWERED."""
    return [hit for hit, label in zip(result.hits[:ANSWERED], result.labels, strict=False) if label]


def _is_answered(result: TopicResult, topic: ResolvedTopic) -> bool:
    proven = _proven(topic)
    return any(
        label and topic.judged_id(hit.chunk.id) in proven
        for hit, label in zip(result.hits[:SEARCHED], result.labels, strict=False)
    )


def _proven(topic: ResolvedTopic) -> set[str]:
    """The judged ids of relevant chunks, without those of whole pages whose text has changed."""
    judged = zip(topic.topic.judgments, topic.resolutions, strict=True)
    return {
        topic.judged_id(chunk_id)
        for one, resolution in judged
        if one.label and (kind_of(one.passage) is not AnchorKind.PAGE or resolution.anchoring is Anchoring.EXACT)
        for chunk_id in resolution.chunk_ids
    }


def _is_reworded(result: TopicResult, was: TopicResult, page_texts: PageTexts) -> bool:
    """Whether a hit that is labelled, or on the page of an answer, rewords most of a judged passage.

    Sections of the live pages that were not among the hits move up when the answer is deleted: they are not new.
    """
    urls = {answer.chunk.document.url for answer in _answers(was)}
    compared = [
        hit.chunk
        for hit, label in zip(result.hits[:SEARCHED], result.labels, strict=False)
        if label or hit.chunk.document.url in urls
    ]
    pages = page_texts(urls | {one.document.url for one in compared}) if compared else {}
    replaced = Replaced.of(
        (
            (hit.chunk.text, _judged_parts(was, hit.chunk) if label else ())
            for hit, label in zip(was.hits, was.labels, strict=False)
        ),
        ((text, _judged_spans(was, url, len(text))) for url, text in pages.items()),
    )
    return any(replaced.is_said_by(one.text) for one in compared)


def _judged_spans(was: TopicResult, url: str, length: int) -> list[tuple[int, int]]:
    """The relevant parts of a page's text; all of it if it was judged as a whole."""
    judged = zip(was.topic.judgments, was.resolutions, strict=True)
    return [
        (found.span.start, found.span.end) if found.span else (0, length)
        for one, found in judged
        if one.label and found.anchoring.scores and found.url == url
    ]


def _judged_parts(was: TopicResult, chunk: Chunk) -> list[tuple[int, int]]:
    """The relevant parts of a chunk's text: the rest of a page that lost a quoted sentence does not answer.

    All of it if it has a label only because a judged chunk has the same text.
    """
    judged = zip(was.topic.judgments, was.resolutions, strict=True)
    spans = [found.span for one, found in judged if one.label and found.span and chunk.id in found.chunk_ids]
    offset = len(chunk.repeated_before) - chunk.start
    parts = [(max(one.start, chunk.start) + offset, min(one.end, chunk.end) + offset) for one in spans]
    return parts or [(0, len(chunk.text))]
