"""The catalog: documents, chunks and generations."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple, Protocol

from assay.model.documents import Chunk, Document, DocumentInfo, Link, Section
from assay.model.evaluation import Passage
from assay.model.generations import Generation, State
from assay.model.vocabulary import Vocabulary

ANY_LIVE = "*"
"""Replaces any live generation, or none; no generation has this id."""


@dataclass(frozen=True, slots=True)
class KnownPage:
    """One page of a generation, without its content.

    revision: id of the stored document and its chunks; a new generation may include it unchanged.
    """

    key: str
    source: str
    url: str
    source_hash: str
    revision: str


@dataclass(frozen=True, slots=True)
class StoredDocument:
    """A stored document.

    revision: id of this text with these chunks.
    sections, links: as in Document; None for a document stored by a version that did not record them.
    """

    revision: str
    info: DocumentInfo
    key: str
    source_hash: str
    text: str
    text_hash: str
    chunk_count: int
    sections: tuple[Section, ...] | None = None
    links: tuple[Link, ...] | None = None


@dataclass(frozen=True, slots=True)
class ListedDocument:
    """A document as the catalog keeps it, without its text, sections and links."""

    revision: str
    info: DocumentInfo
    text_hash: str
    chunk_count: int


@dataclass(frozen=True, slots=True)
class ChunkPlace:
    """Position of a chunk in its document, without its text."""

    chunk_id: str
    url: str
    position: int
    start: int
    end: int
    content_hash: str


@dataclass(frozen=True, slots=True)
class ChunkMetadata:
    """The columns of seed 003's documents table that a search joins."""

    chunk_id: str
    source_path: str
    slug: str
    title: str | None


class EmbeddedChunk(NamedTuple):
    """A chunk whose vector may be reused. checksum: of its vector; None if none was recorded."""

    chunk_id: str
    checksum: bytes | None


class Catalog(Protocol):
    """The relational store: documents, chunks, generations. Every method raises CatalogError."""

    def build_lock(self) -> AbstractContextManager[None]:
        """Hold the build lock, released when the process dies. Raises BuildInProgress if another process holds it."""

    # generations

    def add_generation(self, generation: Generation) -> None:
        """Store a new generation, in state building."""

    def update_generation(self, generation: Generation) -> None:
        """Overwrite the fields of a generation, except its state and the time it went live. Raises GenerationNotFound.

        `transition` and `promote` change those two, perhaps in another process at the same time.
        """

    def generation(self, generation_id: str) -> Generation:
        """One generation. Raises GenerationNotFound."""

    def generations(self) -> list[Generation]:
        """All generations, newest first."""

    def live_id(self) -> str | None:
        """Id of the live generation; reads one row."""

    def transition(self, generation_id: str, target: State, *, reason: str | None = None) -> Generation:
        """Change the state, except to live. Raises InvalidTransition, GenerationNotFound."""

    def promote(self, generation_id: str, at: datetime, *, over: str | None = ANY_LIVE) -> Generation:
        """Make a candidate or retired generation live and retire the live one, in one transaction.

        over: id of the generation that must be live then; None if none must be.

        Raises InvalidTransition, GenerationNotFound, LiveChanged if another one is live.
        """

    def forget(self, generation_id: str) -> None:
        """Delete the rows of a generation that is not live, and documents that no generation includes any more."""

    # documents and chunks

    def known_pages(self, generation_id: str) -> dict[tuple[str, str], KnownPage]:
        """The pages of a generation, by (source name, key)."""

    def add_documents(self, generation_id: str, documents: Iterable[tuple[Document, Sequence[Chunk]]]) -> None:
        """Store documents with their chunks in a generation, in one transaction. URLs are unique in a generation."""

    def include_revisions(self, generation_id: str, revisions: Sequence[str]) -> None:
        """Include stored documents in a generation, in one transaction."""

    def damaged_revisions(self, revisions: Sequence[str]) -> set[str]:
        """The revisions whose rows no longer match their id.

        The id covers everything but the time at which a chunk was first stored. Documents stored before sections
        were recorded cannot be checked and are left out.
        """

    def documents(self, generation_id: str) -> Iterator[StoredDocument]:
        """Every document of a generation, by URL."""

    def listing(self, generation_id: str) -> Iterator[ListedDocument]:
        """Every document of a generation, by URL, without its text: much less is read."""

    def document(self, generation_id: str, url: str) -> StoredDocument | None:
        """One document of a generation by its canonical URL."""

    def documents_at(self, generation_id: str, urls: Sequence[str]) -> Iterator[StoredDocument]:
        """The documents of a generation at these URLs, ordered by URL; unknown URLs are left out."""

    def urls_of_texts(self, generation_id: str, text_hashes: Sequence[str]) -> dict[str, tuple[str, ...]]:
        """URLs of the documents of a generation with these texts, ascending; unknown hashes are left out."""

    def text_of(self, text_hash: str) -> str | None:
        """The text with this hash, from any stored document."""

    def chunks(self, generation_id: str, revisions: Sequence[str] | None = None) -> Iterator[Chunk]:
        """Chunks of a generation, by URL and position; only those of the given revisions, if given."""

    def chunk_metadata(self, chunk_ids: Sequence[str], generation_id: str) -> dict[str, ChunkMetadata]:
        """Rows of the documents view for these chunks while this generation is live; else none.

        Searches wait for this call, so a slow catalog raises CatalogUnavailable after a short timeout.
        """

    def places_at(self, generation_id: str, urls: Sequence[str]) -> list[ChunkPlace]:
        """Positions of the chunks of the documents at these URLs, by URL and position."""

    def places_of_ids(self, generation_id: str, chunk_ids: Sequence[str]) -> list[ChunkPlace]:
        """Positions of these chunks, by URL and position; ids that the generation lacks are left out."""

    def places_of_texts(self, generation_id: str, content_hashes: Sequence[str]) -> list[ChunkPlace]:
        """Positions of the chunks with these texts, by URL and position."""

    def embedded_chunks(self, generation_id: str, hashes: Sequence[str]) -> dict[str, EmbeddedChunk]:
        """One chunk of this generation for each of these hashes of embedded texts; unknown hashes are left out.

        If the generation has checksums, chunks without a readable one are left out.
        """

    def record_checksums(self, generation_id: str, checksums: Mapping[str, Mapping[str, bytes]]) -> None:
        """Record the vector checksums of whole documents, by URL and chunk id, in one transaction.

        The generation has to be building. Unknown URLs are ignored.
        """

    def checksums(self, generation_id: str, urls: Sequence[str]) -> dict[str, bytes]:
        """The recorded vector checksums of the documents at these URLs, by chunk id.

        Chunks without one are left out (earlier versions recorded none). Raises CatalogCorrupt if a record is damaged.
        """

    # vocabularies

    def keep_vocabulary(self, generation_id: str, vocabulary: Vocabulary) -> None:
        """Store the vocabulary of a generation, in place of an earlier one. Raises GenerationNotFound."""

    def vocabulary(self, generation_id: str) -> Vocabulary | None:
        """The vocabulary of a generation; None if it has none. Raises CatalogCorrupt if it is damaged."""

    # judgments

    def anchors(self, keys: Sequence[str]) -> dict[str, Passage]:
        """The stored passages by key; unknown keys are left out."""

    def keep_anchors(self, generation_id: str, anchors: Mapping[str, Passage]) -> None:
        """Store the passages that judgments resolved to on a generation; they outlive it.

        Existing keys are not overwritten. Raises GenerationNotFound.
        """

    def check(self) -> None:
        """Raise CatalogError unless the catalog can be reached and has this version's schema."""

    def close(self) -> None:
        """Close all connections; a second call does nothing."""
