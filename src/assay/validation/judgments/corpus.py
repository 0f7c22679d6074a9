"""Access to a generation's pages and chunks for resolving judgments."""

import hashlib
import json
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from assay.errors import CatalogCorrupt
from assay.model.batches import batched
from assay.model.documents import Section
from assay.model.evaluation import Passage
from assay.ports import Catalog, ChunkPlace

_PAGES_AT_ONCE = 200


@dataclass(frozen=True, slots=True)
class Page:
    """A page of a generation.

    text_hash: SHA-256 hex of text.
    sections: as in Document; None if they were not stored.
    chunks: ordered by position.
    primary: whether it is of the current version in the default locale.
    """

    url: str
    text: str
    text_hash: str
    sections: tuple[Section, ...] | None
    chunks: tuple[ChunkPlace, ...]
    primary: bool = True


class Corpus(Protocol):
    """The pages and chunks of one generation. Every method raises CatalogError or VectorStoreError."""

    def pages(self, urls: Sequence[str]) -> Iterator[Page]:
        """The existing pages at these URLs, each once, in any order."""

    def texts(self) -> Iterator[tuple[str, str]]:
        """URL and text of every page."""

    def chunks_by_id(self, chunk_ids: Sequence[str]) -> dict[str, ChunkPlace]:
        """The existing chunks of these ids."""

    def chunks_by_text(self, content_hashes: Sequence[str]) -> dict[str, tuple[ChunkPlace, ...]]:
        """The chunks with these texts, by URL and position."""

    def urls_of_texts(self, text_hashes: Sequence[str]) -> dict[str, tuple[str, ...]]:
        """URLs of the pages with these texts."""

    def earlier_text(self, text_hash: str) -> str | None:
        """The text with this hash, if any generation still has it."""

    def anchors(self, keys: Sequence[str]) -> dict[str, Passage]:
        """The stored anchors of passages, by anchor_key."""

    def keep_anchors(self, anchors: Mapping[str, Passage]) -> None:
        """Store anchors; existing ones stay."""


class CatalogCorpus:
    """The corpus of a generation in the catalog. Keeps only one batch of pages."""

    def __init__(self, catalog: Catalog, generation_id: str) -> None:
        self._catalog = catalog
        self._generation = generation_id

    def pages(self, urls: Sequence[str]) -> Iterator[Page]:
        """The existing pages at these URLs, by URL."""
        for some in batched(sorted(set(urls)), _PAGES_AT_ONCE):
            chunks: dict[str, list[ChunkPlace]] = {}
            for place in self._catalog.places_at(self._generation, some):
                chunks.setdefault(place.url, []).append(place)
            for stored in self._catalog.documents_at(self._generation, some):
                url = stored.info.url
                if url not in some:
                    raise CatalogCorrupt(
                        f"The stored data of {url} is damaged (generation {self._generation} has no page of that URL).",
                        hint="`assay publish --rebuild` reads every page again.",
                    )
                places = tuple(chunks.get(url, ()))
                yield Page(url, stored.text, stored.text_hash, stored.sections, places, stored.info.primary)

    def texts(self) -> Iterator[tuple[str, str]]:
        """URL and text of every page."""
        for stored in self._catalog.documents(self._generation):
            yield stored.info.url, stored.text

    def chunks_by_id(self, chunk_ids: Sequence[str]) -> dict[str, ChunkPlace]:
        """The existing chunks of these ids."""
        return {place.chunk_id: place for place in self._catalog.places_of_ids(self._generation, chunk_ids)}

    def chunks_by_text(self, content_hashes: Sequence[str]) -> dict[str, tuple[ChunkPlace, ...]]:
        """The chunks with these texts, by URL and position."""
        return by_text(self._catalog.places_of_texts(self._generation, content_hashes))

    def urls_of_texts(self, text_hashes: Sequence[str]) -> dict[str, tuple[str, ...]]:
        """URLs of the pages with these texts."""
        return self._catalog.urls_of_texts(self._generation, text_hashes)

    def earlier_text(self, text_hash: str) -> str | None:
        """The text with this hash, if any kept generation has it."""
        return self._catalog.text_of(text_hash)

    def anchors(self, keys: Sequence[str]) -> dict[str, Passage]:
        """The stored anchors of passages."""
        return self._catalog.anchors(keys)

    def keep_anchors(self, anchors: Mapping[str, Passage]) -> None:
        """Store anchors that were resolved on this generation."""
        self._catalog.keep_anchors(self._generation, anchors)


def page_texts(catalog: Catalog, generation_id: str) -> Callable[[Collection[str]], dict[str, str]]:
    """Read the texts of a generation's pages by URL; no texts if one of the pages is damaged."""

    def read(urls: Collection[str]) -> dict[str, str]:
        try:
            return {one.info.url: one.text for one in catalog.documents_at(generation_id, sorted(urls))}
        except CatalogCorrupt:
            return {}

    return read


def by_text(places: Iterable[ChunkPlace]) -> dict[str, tuple[ChunkPlace, ...]]:
    """Group chunks by the hash of their text, in order."""
    found: dict[str, list[ChunkPlace]] = {}
    for place in places:
        found.setdefault(place.content_hash, []).append(place)
    return {text: tuple(those) for text, those in found.items()}


def anchor_key(passage: Passage) -> str:
    """The key of a stored anchor: SHA-256 hex of the passage as written in the test set."""
    quote, position = passage.quote, passage.position
    said = [
        passage.url,
        None if quote is None else [quote.exact, quote.prefix, quote.suffix],
        None if position is None else [position.start, position.end],
        passage.text_hash,
        passage.section,
        passage.chunk_id,
        passage.content_hash,
    ]
    return hashlib.sha256(json.dumps(said).encode()).hexdigest()
