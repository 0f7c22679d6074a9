"""Re-chunking a generation's stored documents with other rules. No page is read again."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

from assay.errors import GenerationError
from assay.ingest.chunking.chunker import CHUNKER_REVISION, ChunkingRules, chunk_document
from assay.ingest.indexing.counting import CountedPages, PageCounter
from assay.ingest.indexing.point_writing import write_points
from assay.ingest.indexing.vectors import EarlierChunks, VectorSupply
from assay.ingest.pipeline import new_generation_id
from assay.ingest.text.blocks import blocks_of
from assay.model.documents import Chunk, Document
from assay.model.generations import ChunkerIdentity, Generation, State
from assay.ports import (
    Catalog,
    Embedder,
    EmbeddingCache,
    IndexSpec,
    Progress,
    SparseEncoder,
    StoredDocument,
    VectorIndex,
    VectorStore,
    stage,
)

_DOCUMENTS_AT_ONCE = 64


@dataclass(frozen=True, slots=True)
class RecutParts:
    """The parts of a recut.

    base, documents: the generation that has the documents, and its catalog; both are only read.
    earlier, earlier_chunks: reusable vectors, as in VectorSupply.
    catalog, store: for the new generation.
    """

    base: Generation
    documents: Catalog
    earlier: VectorIndex | None
    earlier_chunks: EarlierChunks
    embedder: Embedder
    encoder: SparseEncoder
    cache: EmbeddingCache | None
    catalog: Catalog
    store: VectorStore
    work_dir: Path


def chunker_identity(base: Generation, rules: ChunkingRules) -> ChunkerIdentity:
    """The chunker identity of these rules for a generation's documents."""
    return ChunkerIdentity(
        base.chunker.reader, CHUNKER_REVISION, rules.max_characters, rules.max_tokens, rules.overlap, rules.tokenizer
    )


def recut(parts: RecutParts, rules: ChunkingRules, progress: Progress) -> Generation:
    """Chunk, embed and index every document; return a sealed candidate.

    Raises GenerationError for documents stored without their sections, EmbeddingError, VectorStoreError, CatalogError.
    After an error the caller has to remove what was written.
    """
    now = datetime.now(UTC)
    generation = replace(
        parts.base,
        id=new_generation_id(now),
        state=State.BUILDING,
        created_at=now,
        chunker=chunker_identity(parts.base, rules),
        parent=parts.base.id,
        sealed_at=None,
        promoted_at=None,
        verdict=None,
    )
    parts.catalog.add_generation(generation)
    with CountedPages(parts.work_dir) as counted:
        with stage(progress, "cut", parts.base.documents):
            _cut(parts, generation, rules, counted, progress)
        generation = counted.summary(generation, parts.catalog, parts.encoder)
        _index(parts, generation, counted, progress)
    parts.catalog.update_generation(replace(generation, sealed_at=datetime.now(UTC)))
    return parts.catalog.transition(generation.id, State.CANDIDATE)


def _cut(
    parts: RecutParts, generation: Generation, rules: ChunkingRules, counted: CountedPages, progress: Progress
) -> None:
    counter = PageCounter(parts.encoder, None)
    batch: list[tuple[Document, Sequence[Chunk]]] = []
    for stored in parts.documents.documents(parts.base.id):
        document = _document(stored)
        chunks = chunk_document(document, rules, parts.embedder.count_tokens)
        counted.add(document.info.url, counter.count(chunks))
        batch.append((document, tuple(replace(chunk, created_at=generation.created_at) for chunk in chunks)))
        if len(batch) >= _DOCUMENTS_AT_ONCE:
            parts.catalog.add_documents(generation.id, batch)
            batch = []
        progress.advance()
    parts.catalog.add_documents(generation.id, batch)


def _document(stored: StoredDocument) -> Document:
    """Restore a document. Raises GenerationError if its sections were not stored."""
    if stored.sections is None:
        raise GenerationError(
            f"{stored.info.url} was stored by an earlier version of Assay, without the sections needed for chunking.",
            hint="Run `assay publish --rebuild` first; it reads every page again.",
        )
    blocks, links = blocks_of(stored.text, stored.sections), stored.links or ()
    return Document(stored.info, stored.text, stored.sections, blocks, links, stored.source_hash, stored.key)


def _index(parts: RecutParts, generation: Generation, counted: CountedPages, progress: Progress) -> None:
    writer = parts.store.create(generation.id, IndexSpec.of(generation))
    try:
        supply = VectorSupply(parts.embedder, parts.earlier, parts.earlier_chunks, parts.cache)
        with stage(progress, "embed", generation.chunks):
            write_points(generation, parts.catalog, parts.encoder, counted, supply, writer, progress)
        with stage(progress, "seal"):
            writer.seal()
    except BaseException:
        writer.abort()
        raise
