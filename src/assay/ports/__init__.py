"""What the core needs of the outside world, as small Protocols. `assay.testing` has a conformance kit for each."""

from assay.ports.catalog import Catalog, ChunkMetadata, ChunkPlace, EmbeddedChunk, KnownPage, StoredDocument
from assay.ports.checksums import CHECKSUM_BYTES, fit_checksums, vector_checksums
from assay.ports.embedding import (
    Batching,
    Embedder,
    EmbedderCall,
    EmbedderObserver,
    EmbeddingCache,
    Names,
    QueryEmbedder,
    SparseEncoder,
    TokenCounter,
)
from assay.ports.progress import Progress, Relay, Silence
from assay.ports.sources import Source
from assay.ports.stores import (
    AdoptedPoint,
    Compared,
    IndexAnswer,
    IndexPoint,
    IndexQuery,
    IndexSpec,
    IndexWriter,
    Inspected,
    Scored,
    StoredPoint,
    StoreReport,
    VectorIndex,
    VectorStore,
)
from assay.ports.vectors import SparseVector, Vector, Vectors

__all__ = [
    "CHECKSUM_BYTES",
    "AdoptedPoint",
    "Batching",
    "Catalog",
    "ChunkMetadata",
    "ChunkPlace",
    "Compared",
    "EmbeddedChunk",
    "Embedder",
    "EmbedderCall",
    "EmbedderObserver",
    "EmbeddingCache",
    "IndexAnswer",
    "IndexPoint",
    "IndexQuery",
    "IndexSpec",
    "IndexWriter",
    "Inspected",
    "KnownPage",
    "Names",
    "Progress",
    "QueryEmbedder",
    "Relay",
    "Scored",
    "Silence",
    "Source",
    "SparseEncoder",
    "SparseVector",
    "StoreReport",
    "StoredDocument",
    "StoredPoint",
    "TokenCounter",
    "Vector",
    "VectorIndex",
    "VectorStore",
    "Vectors",
    "fit_checksums",
    "vector_checksums",
]
