"""Resolve a test set: every passage → its place in a generation → labels of chunks.

1. Passages that name a chunk, a section or a page are turned into quotes at their first resolution, which is stored
   and used from then on (`anchoring`).
2. Page by page, each passage is located in the text (`locating`).
3. Passages of missing pages are searched elsewhere (`moving`).
4. Labels are given to the chunks of a passage, and to every chunk with the same text.
"""

import logging
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache

from assay.errors import CatalogError
from assay.model.evaluation import Passage, ResolvedTopic, TestSet, Topic
from assay.ports import ChunkPlace, Progress, Silence, stage
from assay.validation.judgments.anchoring import Found, PassageQuery, passage_queries
from assay.validation.judgments.corpus import Corpus, anchor_key
from assay.validation.judgments.locating import PageSearch
from assay.validation.judgments.moving import find_moved
from assay.validation.judgments.quoting import SearchedText

logger = logging.getLogger(__name__)

_TEXTS = 8
"""Size of the cache of earlier texts; the judgments of one page mostly share one."""


def resolve(test_set: TestSet, corpus: Corpus, progress: Progress | None = None) -> tuple[ResolvedTopic, ...]:
    """Resolve every judgment of a test set on a generation; one result for each topic, in order.

    Each page is read once, in batches. First resolutions of judgments that name a chunk, a section or a page are stored
    in the corpus.

    Raises CatalogError or VectorStoreError if the generation cannot be read.
    """
    passages = dict.fromkeys(passage for topic in test_set.topics for passage in _passages(topic))
    progress = progress or Silence()
    with stage(progress, "resolve", len(passages)):
        found = Resolver(corpus, progress).find(list(passages))
    chunks = corpus.chunks_by_text(list({chunk.content_hash for one in found.values() for chunk in one.chunks}))
    return tuple(_resolved(topic, found, chunks) for topic in test_set.topics)


def _passages(topic: Topic) -> Iterable[Passage]:
    yield from (judgment.passage for judgment in topic.judgments)
    yield from topic.excluded


class Resolver:
    """Resolves passages on one generation."""

    def __init__(self, corpus: Corpus, progress: Progress | None = None) -> None:
        self._corpus = corpus
        self._progress = progress or Silence()

    def find(self, passages: Sequence[Passage]) -> dict[Passage, Found]:
        """Resolve each passage, or give the reason why it is uncertain."""
        found: dict[Passage, Found] = {}
        for one in self._all(passages):
            found[one.passage] = one
            self._progress.advance()
        self._keep({passage: one.anchor for passage, one in found.items() if one.anchor is not None})
        return found

    def _all(self, passages: Sequence[Passage]) -> Iterator[Found]:
        by_url: dict[str, list[PassageQuery]] = {}
        for one in passage_queries(passages, self._corpus):
            if isinstance(one, Found):
                yield one
            else:
                by_url.setdefault(one.url, []).append(one)
        earlier = lru_cache(maxsize=_TEXTS)(self._earlier)
        for page in self._corpus.pages(list(by_url)):
            search = PageSearch(page, earlier)
            yield from map(search.find, by_url.pop(page.url))
        yield from find_moved([one for those in by_url.values() for one in those], self._corpus, earlier)

    def _earlier(self, text_hash: str) -> SearchedText | None:
        text = self._corpus.earlier_text(text_hash)
        return None if text is None else SearchedText(text)

    def _keep(self, anchors: Mapping[Passage, Passage]) -> None:
        """Store first resolutions. A read-only catalog only loses their stability."""
        if not anchors:
            return
        try:
            self._corpus.keep_anchors({anchor_key(given): anchor for given, anchor in anchors.items()})
        except CatalogError as error:
            logger.warning(
                "The first resolutions of %d judgments could not be stored, so they may resolve differently after the "
                "next change of the pages: %s",
                len(anchors),
                error,
            )


def _resolved(
    topic: Topic, found: Mapping[Passage, Found], by_text: Mapping[str, tuple[ChunkPlace, ...]]
) -> ResolvedTopic:
    """Label the chunks of a topic from its resolved passages."""
    excluded = {chunk.content_hash for passage in topic.excluded for chunk in found[passage].chunks}
    judged: dict[str, tuple[ChunkPlace, int]] = {}  # text → the first chunk that has it, and its label
    for judgment in topic.judgments:
        for chunk in found[judgment.passage].chunks:
            if chunk.content_hash in excluded:
                continue
            first, label = judged.get(chunk.content_hash, (chunk, judgment.label))
            first = min(first, chunk, key=lambda place: (place.url, place.position))
            judged[chunk.content_hash] = first, max(label, judgment.label)
    return ResolvedTopic(
        topic=topic,
        resolutions=tuple(found[judgment.passage].resolution for judgment in topic.judgments),
        labels={first.chunk_id: label for first, label in judged.values()},
        excluded=frozenset(chunk.chunk_id for text in excluded for chunk in by_text.get(text, ())),
        same_text={
            chunk.chunk_id: first.chunk_id
            for text, (first, _) in judged.items()
            for chunk in by_text.get(text, ())
            if chunk.chunk_id != first.chunk_id
        },
        exclusions=tuple(found[passage].resolution for passage in topic.excluded),
    )
