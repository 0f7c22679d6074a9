"""Pages of a collection that has only chunks, assembled from these."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Protocol

from assay.model.batches import batched
from assay.model.documents import Chunk, Section
from assay.model.evaluation import Passage
from assay.model.ids import content_hash
from assay.ports import ChunkPlace
from assay.validation.judgments.corpus import Page, by_text

_CHUNKS_AT_ONCE = 500
_LEAST_OVERLAP = 16
"""Smallest overlap in characters; fewer common characters are a coincidence."""

_MOST_REORDERED = 200
"""Largest number of a page's chunks to order by their overlaps if positions are unknown."""

_BETWEEN = "\n\n"


class KnownChunks(Protocol):
    """The part of a VectorIndex that is needed here."""

    def ids(self) -> Iterator[str]:
        """Every chunk id."""

    def chunks(self, chunk_ids: Sequence[str]) -> dict[str, Chunk]:
        """The chunks by id; unknown ids are left out."""


class CollectionCorpus:
    """The corpus of an adopted collection. Reads it once for each call, and keeps only the requested pages.

    Nothing is stored: a judgment by chunk id resolves as long as the collection has that id.
    """

    def __init__(self, index: KnownChunks) -> None:
        self._index = index
        self._places: dict[str, ChunkPlace] | None = None

    def pages(self, urls: Sequence[str]) -> Iterator[Page]:
        """The existing pages at these URLs, by URL."""
        wanted = set(urls)
        chunks: dict[str, list[Chunk]] = {}
        if wanted:
            for chunk in self._chunks():
                if chunk.document.url in wanted:
                    chunks.setdefault(chunk.document.url, []).append(chunk)
        for url in sorted(chunks):
            yield page_of(url, chunks.pop(url))

    def texts(self) -> Iterator[tuple[str, str]]:
        """URL and text of every chunk; whole pages are not needed."""
        for chunk in self._chunks():
            yield chunk.document.url, chunk.text

    def chunks_by_id(self, chunk_ids: Sequence[str]) -> dict[str, ChunkPlace]:
        """The chunks with these ids; unknown ids are left out. Their spans are not those of the assembled page."""
        found: dict[str, ChunkPlace] = {}
        for some in batched(dict.fromkeys(chunk_ids), _CHUNKS_AT_ONCE):
            found |= {chunk_id: _place(chunk) for chunk_id, chunk in self._index.chunks(some).items()}
        return found

    def chunks_by_text(self, content_hashes: Sequence[str]) -> dict[str, tuple[ChunkPlace, ...]]:
        """The chunks with these texts, by URL and position."""
        wanted = set(content_hashes)
        if not wanted:
            return {}
        if self._places is None:
            for _ in self._chunks():
                pass
        assert self._places is not None
        places = [place for place in self._places.values() if place.content_hash in wanted]
        return by_text(sorted(places, key=lambda place: (place.url, place.position, place.chunk_id)))

    def urls_of_texts(self, text_hashes: Sequence[str]) -> dict[str, tuple[str, ...]]:  # noqa: ARG002 - the protocol's
        """Empty: the texts of pages are unknown."""
        return {}

    def earlier_text(self, text_hash: str) -> str | None:  # noqa: ARG002 - the protocol's
        """None: a collection has no earlier texts."""
        return None

    def anchors(self, keys: Sequence[str]) -> dict[str, Passage]:  # noqa: ARG002 - the protocol's
        """Empty: anchors are not stored."""
        return {}

    def keep_anchors(self, anchors: Mapping[str, Passage]) -> None:
        """Do nothing: anchors are not stored."""

    def _chunks(self) -> Iterator[Chunk]:
        """Every chunk. Stores their places."""
        places: dict[str, ChunkPlace] = {}
        for some in batched(self._index.ids(), _CHUNKS_AT_ONCE):
            for chunk in self._index.chunks(some).values():
                places[chunk.id] = _place(chunk)
                yield chunk
        self._places = places


def page_of(url: str, chunks: Sequence[Chunk]) -> Page:
    """Assemble a page from its chunks, without their overlaps; its sections are those that chunks begin in."""
    ordered = sorted(chunks, key=lambda chunk: (chunk.position, chunk.id))
    if len({chunk.position for chunk in chunks}) < len(chunks) <= _MOST_REORDERED:
        ordered = _by_overlaps(ordered)
    text = ""
    places = []
    for chunk in ordered:
        shared = overlap(text[-len(chunk.text) :], chunk.text)
        if not shared and text:
            text += _BETWEEN
        start = len(text) - shared
        text += chunk.text[shared:]
        places.append(
            ChunkPlace(chunk.id, url, chunk.position, start, start + len(chunk.text), content_hash(chunk.text))
        )
    primary = all(chunk.document.primary for chunk in chunks)
    return Page(url, text, content_hash(text), _sections(ordered, places), tuple(places), primary)


def overlap(before: str, after: str) -> int:
    """Length of the longest end of a text that another begins with; 0 for fewer than _LEAST_OVERLAP characters."""
    head = after[:_LEAST_OVERLAP]
    if len(head) < _LEAST_OVERLAP:
        return 0
    at = before.find(head, max(0, len(before) - len(after)))
    while at >= 0:
        if after.startswith(before[at:]):
            return len(before) - at
        at = before.find(head, at + 1)
    return 0


def _by_overlaps(chunks: Sequence[Chunk]) -> list[Chunk]:
    """Order chunks so that each is followed by the one that it overlaps most; others stay in their order."""
    left = list(chunks)
    begins = {
        chunk.id: all(overlap(other.text, chunk.text) == 0 for other in chunks if other is not chunk)
        for chunk in chunks
    }
    ordered: list[Chunk] = []
    while left:
        nearest = max(left, key=lambda chunk: overlap(ordered[-1].text, chunk.text) if ordered else 0)
        if not ordered or not overlap(ordered[-1].text, nearest.text):
            nearest = next((chunk for chunk in left if begins[chunk.id]), left[0])
        ordered.append(nearest)
        left.remove(nearest)
    return ordered


def _sections(chunks: Sequence[Chunk], places: Sequence[ChunkPlace]) -> tuple[Section, ...]:
    sections: list[Section] = []
    for chunk, place in zip(chunks, places, strict=True):
        last = sections[-1] if sections else None
        start = max(place.start, last.end) if last else place.start
        if last and last.anchor == chunk.anchor and last.path == chunk.heading_path:
            start = sections.pop().start
        level = max(1, len(chunk.heading_path))
        sections.append(Section(level, chunk.section, chunk.anchor, chunk.heading_path, start, max(start, place.end)))
    return tuple(sections)


def _place(chunk: Chunk) -> ChunkPlace:
    text_hash = content_hash(chunk.text)
    return ChunkPlace(chunk.id, chunk.document.url, chunk.position, chunk.start, chunk.end, text_hash)
