"""The terms, words and names of pages, counted where a page is cut, and the vectors that were made there."""

from array import array
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from pathlib import Path
from typing import Self

from assay.ingest.indexing.page_spool import PageSpool, pack_counts
from assay.ingest.indexing.vocabulary import VocabularyBuilder, list_words, names_of_page
from assay.model.documents import Chunk
from assay.model.generations import ContentFingerprint, Generation
from assay.model.vocabulary import Name
from assay.ports import Catalog, Names, SparseEncoder, SparseVector, TextEmbedder, Vector, Vectors


@dataclass(frozen=True, slots=True)
class CountedPage:
    """Everything that the index needs of a page besides its chunks.

    counts: term counts of each chunk, from pack_counts. length: sum of these counts.
    hashes: lines of the content fingerprint.
    words: those of each chunk, from list_words. names: of the page and its sections.
    vectors: of each chunk, float32 of shape (chunks, dimension); None if the build embeds its texts.
    """

    chunks: int
    counts: bytes
    length: int
    hashes: bytes
    words: str
    names: tuple[Name, ...]
    is_primary: bool
    vectors: Vectors | None

    def of_copy(self, chunks: Sequence[Chunk]) -> "CountedPage":
        """For a page whose chunks differ only in their ids and their page's metadata."""
        return replace(
            self,
            hashes=ContentFingerprint.lines(chunks),
            names=names_of_page(chunks, [Names.of(chunk) for chunk in chunks]),
            is_primary=_are_primary(chunks),
        )


@dataclass(frozen=True, slots=True)
class PageCounter:
    """Counts a page. It is sent to workers.

    embed: makes the vectors too; None if the build embeds.
    """

    encoder: SparseEncoder
    embed: TextEmbedder | None

    def count(self, chunks: Sequence[Chunk]) -> CountedPage:
        """Count the chunks of one page. Raises InputError for invalid Unicode, EmbeddingError."""
        texts = [chunk.keyword_text for chunk in chunks]
        names = [Names.of(chunk) for chunk in chunks]
        counts = self.encoder.term_counts(texts, names)
        return CountedPage(
            chunks=len(chunks),
            counts=pack_counts(counts),
            length=int(sum(sum(vector.values) for vector in counts)),
            hashes=ContentFingerprint.lines(chunks),
            words=list_words(texts),
            names=names_of_page(chunks, names),
            is_primary=_are_primary(chunks),
            vectors=self.embed([chunk.embedded_text for chunk in chunks]) if self.embed and chunks else None,
        )


def _are_primary(chunks: Iterable[Chunk]) -> bool:
    return all(chunk.document.primary for chunk in chunks)


class CountedPages:
    """The counted pages of a build: on disk, except for the vocabulary. A context that removes the file."""

    def __init__(self, folder: Path) -> None:
        self._spool = PageSpool(folder)
        self._start()

    def add(self, url: str, page: CountedPage) -> None:
        """Add a page."""
        self._chunks += page.chunks
        self._length += page.length
        self._has_variants |= not page.is_primary
        ids = array("I")
        ids.frombytes(page.counts[page.chunks * ids.itemsize : (len(page.counts) + page.chunks * ids.itemsize) // 2])
        self._vocabulary.add(url, page.words, ids, page.names)
        self._spool.add(url, page.chunks, page.counts, page.hashes, page.vectors)

    def add_stored(self, chunks: Iterable[Chunk], counter: PageCounter) -> int:
        """Count and add pages by their chunks, which follow each other. Returns the number of chunks."""
        before = self._chunks
        for url, of_page in groupby(chunks, lambda chunk: chunk.document.url):
            self.add(url, counter.count(list(of_page)))
        return self._chunks - before

    def summary(self, generation: Generation, catalog: Catalog, encoder: SparseEncoder) -> Generation:
        """Store the vocabulary in the catalog.

        Returns the generation with the number of chunks, the average length, whether it has variants, and the content's
        fingerprint.
        """
        catalog.keep_vocabulary(generation.id, self._vocabulary.vocabulary())
        fingerprint = ContentFingerprint()
        for url in self._spool.urls():
            fingerprint.add_lines(self._spool.hashes(url))
        average_length = max(self._length / self._chunks, 1.0) if self._chunks else 1.0
        return replace(
            generation,
            sparse=encoder.identity(average_length),
            chunks=self._chunks,
            has_variants=self._has_variants,
            content_fingerprint=fingerprint.value,
        )

    def counts(self, chunks: Iterable[Chunk]) -> list[SparseVector]:
        """The term counts of chunks of added pages. Chunks of one page follow each other."""
        return [
            counts[chunk.position]
            for url, of_page in groupby(chunks, lambda chunk: chunk.document.url)
            for counts in [self._spool.counts(url)]
            for chunk in of_page
        ]

    def vectors(self, chunks: Iterable[Chunk]) -> dict[str, Vector]:
        """The vectors made for chunks of added pages, by hash of the embedded text; those without are left out."""
        found: dict[str, Vector] = {}
        for url, of_page in groupby(chunks, lambda chunk: chunk.document.url):
            made = self._spool.vectors(url)
            if made is not None:
                found |= {chunk.embedded_hash: made[chunk.position] for chunk in of_page}
        return found

    def clear(self) -> None:
        """Remove all pages."""
        self._spool.clear()
        self._start()

    def _start(self) -> None:
        self._vocabulary = VocabularyBuilder()
        self._chunks = self._length = 0
        self._has_variants = False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self._spool.__exit__(*exception)
