"""A labelled collection, indexed and searched by the product, and by exact formulas."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from itertools import groupby
from pathlib import Path

from assay.adapters.stores.edge.store import EdgeStore
from assay.ingest.chunking.chunker import CHUNKER_REVISION, ChunkingRules, chunk_document
from assay.ingest.indexing.vocabulary import VocabularyBuilder, list_words, names_of_page
from assay.model.documents import Chunk
from assay.model.generations import ChunkerIdentity, Generation, SparseIdentity, State
from assay.model.vocabulary import Vocabulary
from assay.ports import (
    Embedder,
    IndexPoint,
    IndexSpec,
    Names,
    Scored,
    SparseEncoder,
    SparseVector,
    Vector,
    VectorIndex,
    Vectors,
    VectorStore,
)
from assay.settings import ChunkingSettings, IndexSettings
from benchmarks.labelled_collections import LabelledCollection

GENERATION = "quality"


@dataclass(frozen=True, slots=True)
class IndexedCollection:
    """A collection chunked, embedded and stored as in an ingest.

    vectors: float32 of shape (chunks, dimension), in the order of chunks.
    counts: terms of each chunk.
    vocabulary: that a generation of these chunks has.
    """

    collection: LabelledCollection
    chunks: tuple[Chunk, ...]
    vectors: Vectors
    counts: tuple[SparseVector, ...]
    sparse: SparseIdentity
    generation: Generation
    index: VectorIndex
    vocabulary: Vocabulary


def index_collection(
    collection: LabelledCollection,
    embedder: Embedder,
    encoder: SparseEncoder,
    chunking: ChunkingSettings,
    store: VectorStore,
) -> IndexedCollection:
    """Chunk, embed and store a collection in an empty store."""
    now = datetime.now(UTC)
    rules = ChunkingRules(chunking.max_characters, embedder.max_tokens, chunking.overlap, embedder.tokenizer)
    chunks = tuple(
        replace(chunk, created_at=now)
        for document in collection.documents
        for chunk in chunk_document(document, rules, embedder.count_tokens)
    )
    vectors = embedder.embed_documents([chunk.embedded_text for chunk in chunks])
    counts = encoder.term_counts([chunk.keyword_text for chunk in chunks], [Names.of(chunk) for chunk in chunks])
    average = sum(sum(vector.values) for vector in counts) / len(counts)
    identity = ChunkerIdentity(
        "benchmark", CHUNKER_REVISION, rules.max_characters, rules.max_tokens, rules.overlap, rules.tokenizer
    )
    generation = Generation(
        GENERATION, State.CANDIDATE, now, embedder.identity, identity, encoder.identity(average), chunks=len(chunks)
    )
    spec = IndexSpec(embedder.identity.dimension)
    writer = store.create(GENERATION, spec)
    weighed = encoder.weigh(counts, average)
    writer.add([IndexPoint(*point) for point in zip(chunks, vectors, weighed, strict=True)])
    writer.seal()
    index = store.open(GENERATION, spec)
    return IndexedCollection(
        collection, chunks, vectors, tuple(counts), generation.sparse, generation, index, _vocabulary(chunks, counts)
    )


def _vocabulary(chunks: Sequence[Chunk], counts: Sequence[SparseVector]) -> Vocabulary:
    builder = VocabularyBuilder()
    for url, numbered in groupby(enumerate(chunks), key=lambda one: one[1].document.url):
        page = list(numbered)
        own = [chunk for _, chunk in page]
        terms = {term for number, _ in page for term in counts[number].indices}
        names = names_of_page(own, [Names.of(chunk) for chunk in own])
        builder.add(url, list_words(chunk.keyword_text for chunk in own), terms, names)
    return builder.vocabulary()


def embedded_store(folder: Path) -> EdgeStore:
    """The embedded store in a folder, with default settings."""
    return EdgeStore(folder, hnsw_threshold=IndexSettings().hnsw_threshold)


class PlainSearch:
    """Exact cosine and BM25 over the same vectors and terms, the reference for the index.

    BM25 has k, b and average length of the generation, and Qdrant's IDF: ln(1 + (N - n + 0.5) / (n + 0.5)).
    """

    def __init__(self, indexed: IndexedCollection) -> None:
        self._ids = [chunk.id for chunk in indexed.chunks]
        self._vectors = indexed.vectors
        self._postings: dict[int, list[tuple[int, float]]] = {}
        k, b, average = indexed.sparse.k, indexed.sparse.b, indexed.sparse.average_length
        for row, counts in enumerate(indexed.counts):
            norm = k * (1.0 - b + b * sum(counts.values) / average)
            for term, frequency in zip(counts.indices, counts.values, strict=True):
                weight = frequency * (k + 1.0) / (frequency + norm)
                self._postings.setdefault(term, []).append((row, weight))

    def dense(self, vector: Vector, limit: int) -> list[Scored]:
        """The nearest chunks by cosine, ties by id."""
        cosines = self._vectors @ vector  # (chunks,)
        return self._best(dict(enumerate(cosines.tolist())), limit)

    def sparse(self, terms: SparseVector, limit: int) -> list[Scored]:
        """The best chunks by BM25 among those that share a term with the query, ties by id."""
        scores: dict[int, float] = {}
        for term in terms.indices:
            postings = self._postings.get(term, [])
            idf = math.log1p((len(self._ids) - len(postings) + 0.5) / (len(postings) + 0.5))
            for row, weight in postings:
                scores[row] = scores.get(row, 0.0) + idf * weight
        return self._best(scores, limit)

    def _best(self, scores: Mapping[int, float], limit: int) -> list[Scored]:
        ranked = sorted(((-score, self._ids[row]) for row, score in scores.items()))
        return [Scored(chunk_id, -score) for score, chunk_id in ranked[:limit]]
