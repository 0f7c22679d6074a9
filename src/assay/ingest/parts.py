"""What a build works with."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from assay.ingest.chunking.chunker import ChunkingRules
from assay.ingest.workers.limits import PageLimits
from assay.model.generations import ChunkerIdentity
from assay.ports import Catalog, Embedder, EmbeddingCache, Source, SparseEncoder, VectorStore


@dataclass(frozen=True, slots=True)
class BuildParts:
    """Everything that a build works with.

    work_dir: where temporary files may be written.
    workers: processes that may be started to read and cut pages; 0 for none.
    limits: what reading one page may take.
    cache: where costly vectors are kept through a crash; None for nowhere.
    """

    sources: Sequence[Source]
    embedder: Embedder
    encoder: SparseEncoder
    store: VectorStore
    catalog: Catalog
    rules: ChunkingRules
    chunker: ChunkerIdentity
    work_dir: Path
    workers: int
    limits: PageLimits
    cache: EmbeddingCache | None = None
