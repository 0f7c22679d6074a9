"""What the core needs of the outside world, as small Protocols. `assay.testing` has a conformance kit for each."""

from assay.ports.catalog import Catalog, ChunkMetadata, ChunkPlace, KnownPage, StoredDocument
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
    "AdoptedPoint",
    "Batching",
    "Catalog",
    "ChunkMetadata",
    "ChunkPlace",
    "Compared",
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
]
