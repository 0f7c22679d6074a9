"""A catalog and a vector store in memory with generations in them, for tests of what works over both."""

from collections.abc import Sequence
from dataclasses import replace

from assay.adapters.catalog.memory import MemoryCatalog
from assay.adapters.stores.bm25 import Bm25Encoder
from assay.adapters.stores.memory import MemoryStore
from assay.model.documents import Chunk
from assay.model.generations import ContentFingerprint, Generation, State
from assay.model.ids import content_hash
from assay.model.ranking import FusionMethod
from assay.ports import Embedder, IndexPoint, IndexSpec, Names, SparseVector, VectorIndex, VectorStore, vector_checksums
from assay.retrieval.fusion import FusionWeights
from assay.retrieval.reranking import Reranking
from assay.retrieval.searcher import Searcher, SearchRules
from assay.testing.catalog_samples import Stored, generation
from tests.memory_embedder import MemoryEmbedder

DIMENSION = 64
RULES = SearchRules(FusionMethod.SCORE, FusionWeights(0.4, 1.0), rrf_k=60, depth=50)


class World:
    """Both stores, and the embedder and encoder that fill them."""

    def __init__(self, store: VectorStore | None = None) -> None:
        self.catalog = MemoryCatalog()
        self.store = store or MemoryStore()
        self.embedder = MemoryEmbedder(DIMENSION, None)
        self.encoder = Bm25Encoder("english")

    def build(self, name: str, *pages: Stored, minute: int = 0, failed_pages: int = 0) -> Generation:
        """A sealed candidate of these pages, with all that a build records of it."""
        sound = [(document, [_sound(chunk) for chunk in chunks]) for document, chunks in pages]
        begun = replace(
            generation(name, minute=minute), embedder=self.embedder.identity, sparse=self.encoder.identity(1.0)
        )
        self.catalog.add_generation(begun)
        self.catalog.add_documents(name, sound)
        chunks = list(self.catalog.chunks(name))
        fingerprint = ContentFingerprint()
        for chunk in chunks:
            fingerprint.add(chunk)
        counts = self._counts(chunks)
        terms = sum(sum(vector.values) for vector in counts)
        average = max(terms / len(counts), 1.0) if counts else 1.0
        counted = replace(
            begun,
            sparse=self.encoder.identity(average),
            documents=len(pages),
            chunks=len(chunks),
            failed_pages=failed_pages,
            content_fingerprint=fingerprint.value,
        )
        self.catalog.update_generation(counted)
        writer = self.store.create(name, IndexSpec.of(counted))
        writer.add(self._points(chunks, self.encoder.weigh(counts, average)))
        writer.seal()
        self._record_checksums(name, chunks)
        return self.catalog.transition(name, State.CANDIDATE)

    def _record_checksums(self, name: str, chunks: Sequence[Chunk]) -> None:
        checksums = vector_checksums(self.embedder.embed_documents([chunk.embedded_text for chunk in chunks]))
        by_url: dict[str, dict[str, bytes]] = {}
        for chunk, checksum in zip(chunks, checksums, strict=True):
            by_url.setdefault(chunk.document.url, {})[chunk.id] = checksum
        self.catalog.record_checksums(name, by_url)

    def open(self, name: str) -> VectorIndex:
        """The index of a generation."""
        return self.store.open(name, IndexSpec.of(self.catalog.generation(name)))

    def searcher(
        self,
        name: str,
        *,
        rules: SearchRules = RULES,
        embedder: Embedder | None = None,
        reranking: Reranking | None = None,
    ) -> Searcher:
        """The production searcher over a generation."""
        found = self.catalog.generation(name)
        embedder = embedder or self.embedder
        return Searcher(
            found,
            self.open(name),
            embedder,
            self.encoder,
            rules,
            reranking=reranking,
            read_versions=lambda: self.versions(name),
        )

    def versions(self, name: str) -> frozenset[str]:
        """All versions of a generation."""
        return frozenset(one.info.version for one in self.catalog.listing(name) if one.info.version)

    def _counts(self, chunks: Sequence[Chunk]) -> list[SparseVector]:
        return self.encoder.term_counts([chunk.keyword_text for chunk in chunks], [Names.of(chunk) for chunk in chunks])

    def _points(self, chunks: Sequence[Chunk], sparse: Sequence[SparseVector]) -> list[IndexPoint]:
        if not chunks:
            return []
        dense = self.embedder.embed_documents([chunk.embedded_text for chunk in chunks])
        return [IndexPoint(*triple) for triple in zip(chunks, dense, sparse, strict=True)]


def _sound(chunk: Chunk) -> Chunk:
    return replace(chunk, embedded_hash=content_hash(chunk.embedded_text))
