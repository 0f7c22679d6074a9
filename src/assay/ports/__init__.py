"""Small Protocols for everything outside the core. `assay.testing` has a conformance kit for each."""

from assay.ports.catalog import (
    ANY_LIVE,
    Catalog,
    ChunkMetadata,
    ChunkPlace,
    EmbeddedChunk,
    KnownPage,
    ListedDocument,
    StoredDocument,
)
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
    TextEmbedder,
    TokenCounter,
)
from assay.ports.progress import Progress, Relay, Silence, stage, track
from assay.ports.reranking import Reranker, RerankerCall, RerankerIdentity, RerankerObserver
from assay.ports.sources import INFORMATION, PageReader, Source, TaskRunner
from assay.ports.stores import (
    AdoptedPoint,
    Compared,
    IndexAnswer,
    IndexPoint,
    IndexQuery,
    IndexSpec,
    IndexWriter,
    Inspected,
    NumberedPoints,
    PointKey,
    Scored,
    StoredPoint,
    StoreReport,
    VectorIndex,
    VectorStore,
)
from assay.ports.vectors import SparseVector, Vector, Vectors

__all__ = [
    "ANY_LIVE", "CHECKSUM_BYTES", "INFORMATION", "AdoptedPoint", "Batching", "Catalog", "ChunkMetadata", "ChunkPlace",
    "Compared", "EmbeddedChunk", "Embedder", "EmbedderCall", "EmbedderObserver", "EmbeddingCache", "IndexAnswer",
    "IndexPoint", "IndexQuery", "IndexSpec", "IndexWriter", "Inspected", "KnownPage", "ListedDocument", "Names",
    "NumberedPoints", "PageReader", "PointKey", "Progress", "QueryEmbedder", "Relay", "Reranker", "RerankerCall",
    "RerankerIdentity", "RerankerObserver", "Scored", "Silence", "Source", "SparseEncoder", "SparseVector",
    "StoreReport", "StoredDocument", "StoredPoint", "TaskRunner", "TextEmbedder", "TokenCounter", "Vector",
    "VectorIndex", "VectorStore", "Vectors", "fit_checksums", "stage", "track", "vector_checksums",
]  # fmt: skip
