"""Where documents, chunks and generations are kept."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple, Protocol

from assay.model.documents import Chunk, Document, DocumentInfo, Link, Section
from assay.model.evaluation import Passage
from assay.model.generations import Generation, State


@dataclass(frozen=True, slots=True)
class KnownPage:
    """What the catalog remembers of a page in a generation.

    revision: id of the stored document with its chunks; a new generation may include it as it is.
    """

    key: str
    source: str
    url: str
    source_hash: str
    revision: str


@dataclass(frozen=True, slots=True)
class StoredDocument:
    """A document as the catalog keeps it.

    revision: id of this text with these chunks.
    sections, links: as in Document; None for one that was stored before they were kept.
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
class ChunkPlace:
    """Where a chunk stands: as in Chunk, without what is in it."""

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
    """A chunk whose vector may be used again. checksum: of its vector; None where none was recorded."""

    chunk_id: str
    checksum: bytes | None


class Catalog(Protocol):
    """The relational store: documents, chunks, generations. Every method raises CatalogError."""

    def build_lock(self) -> AbstractContextManager[None]:
        """Hold the one right to build; freed when the process dies. Raises BuildInProgress when it is taken."""

    # generations

    def add_generation(self, generation: Generation) -> None:
        """Store a new generation, in state building."""

    def update_generation(self, generation: Generation) -> None:
        """Store the fields of a generation anew, except its state and when it went live. Raises GenerationNotFound.

        Both belong to the steps that change them, of which another process may take one at the same time.
        """

    def generation(self, generation_id: str) -> Generation:
        """One generation. Raises GenerationNotFound."""

    def generations(self) -> list[Generation]:
        """All generations, newest first."""

    def live_id(self) -> str | None:
        """Id of the live generation; a fast look at one row."""

    def transition(self, generation_id: str, target: State, *, reason: str | None = None) -> Generation:
        """Change the state, except to live. Raises InvalidTransition, GenerationNotFound."""

    def promote(self, generation_id: str, at: datetime) -> Generation:
        """In one transaction: make a candidate or retired generation live and the live one retired.

        Raises InvalidTransition, GenerationNotFound.
        """

    def forget(self, generation_id: str) -> None:
        """Delete the rows of a generation that is not live, and every document that no generation has any more."""

    # documents and chunks

    def known_pages(self, generation_id: str) -> dict[tuple[str, str], KnownPage]:
        """What a generation knows of each page, by (source name, key)."""

    def add_documents(self, generation_id: str, documents: Iterable[tuple[Document, Sequence[Chunk]]]) -> None:
        """Store documents with their chunks in a generation, in one transaction. URLs are unique in a generation."""

    def include_revisions(self, generation_id: str, revisions: Sequence[str]) -> None:
        """Include documents that are stored already, in one transaction."""

    def damaged_revisions(self, revisions: Sequence[str]) -> set[str]:
        """Those of these stored documents that were changed since: their id does not follow from their rows.

        An id covers everything but the time at which a chunk was first stored. A document that was stored before
        sections were kept cannot be checked, and is not among them.
        """

    def documents(self, generation_id: str) -> Iterator[StoredDocument]:
        """Every document of a generation, by URL."""

    def document(self, generation_id: str, url: str) -> StoredDocument | None:
        """One document of a generation by its canonical URL."""

    def documents_at(self, generation_id: str, urls: Sequence[str]) -> Iterator[StoredDocument]:
        """The documents of a generation at these URLs, by URL; URLs that it has none at are left out."""

    def urls_of_texts(self, generation_id: str, text_hashes: Sequence[str]) -> dict[str, tuple[str, ...]]:
        """URLs of the documents of a generation that have these texts, ascending; hashes of no text are left out."""

    def text_of(self, text_hash: str) -> str | None:
        """The text with this hash, of any document that is still stored."""

    def chunks(self, generation_id: str, revisions: Sequence[str] | None = None) -> Iterator[Chunk]:
        """Chunks of a generation, by URL and position; only those of the given revisions, if given."""

    def chunk_metadata(self, chunk_ids: Sequence[str], generation_id: str) -> dict[str, ChunkMetadata]:
        """Rows of the documents view for these chunks, as long as this generation is the live one; else none.

        A search waits for it: a catalog that is slow or does not answer is CatalogUnavailable soon.
        """

    def places_at(self, generation_id: str, urls: Sequence[str]) -> list[ChunkPlace]:
        """Where the chunks of the documents at these URLs stand, by URL and position."""

    def places_of_ids(self, generation_id: str, chunk_ids: Sequence[str]) -> list[ChunkPlace]:
        """Where these chunks stand, by URL and position; ids that the generation lacks are left out."""

    def places_of_texts(self, generation_id: str, content_hashes: Sequence[str]) -> list[ChunkPlace]:
        """Where the chunks with these texts stand, by URL and position."""

    def embedded_hashes(self, generation_id: str) -> dict[str, EmbeddedChunk]:
        """For each hash of an embedded text, a chunk of this generation that has it.

        In a generation of which checksums were recorded, chunks without a readable one are left out.
        """

    def record_checksums(self, generation_id: str, checksums: Mapping[str, Mapping[str, bytes]]) -> None:
        """Record the checksums of the vectors of whole documents, in one transaction: by URL, and by chunk id.

        Only a building generation takes them. URLs at which it has no document are left out.
        """

    def checksums(self, generation_id: str, urls: Sequence[str]) -> dict[str, bytes]:
        """The recorded checksums of the vectors of the documents at these URLs, by chunk id.

        Chunks of which none was recorded are left out: earlier versions of Assay recorded none. Raises CatalogCorrupt
        where what is recorded of a document is damaged.
        """

    # judgments

    def anchors(self, keys: Sequence[str]) -> dict[str, Passage]:
        """What is kept under these keys; those that nothing is kept under are left out."""

    def keep_anchors(self, generation_id: str, anchors: Mapping[str, Passage]) -> None:
        """Keep what judgments turned out to be about on a generation, longer than that generation.

        What is kept under a key already stays as it is. Raises GenerationNotFound.
        """

    def check(self) -> None:
        """Raise CatalogError unless the catalog can be reached and has this version's schema."""

    def close(self) -> None:
        """Let go of all connections; a second call does nothing."""
