"""The parts of a build."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from assay.ingest.chunking.chunker import ChunkingRules
from assay.ingest.workers.limits import PageLimits
from assay.model.generations import ChunkerIdentity
from assay.ports import Catalog, Embedder, EmbeddingCache, Source, SparseEncoder, VectorStore


@dataclass(frozen=True, slots=True)
class BuildParts:
    """The parts of a build.

    work_dir: for temporary files.
    workers: processes that may be started to read and chunk pages; 0 for none.
    limits: for reading one page.
    cache: keeps costly vectors after a crash; None for no cache.
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
