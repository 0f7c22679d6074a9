"""Queries, hits and rankings."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum

from assay.model.documents import Chunk


class Mode(StrEnum):
    """Which vectors a search looks at."""

    HYBRID = "hybrid"
    DENSE = "dense"
    SPARSE = "sparse"


class ContractMode(StrEnum):
    """How the seeds' shapes choose their hits and order them. Every shape reports the cosine."""

    HYBRID = "hybrid"  # chosen by the configured search, ordered by similarity
    DENSE = "dense"  # chosen and ordered by similarity
    FUSED = "fused"  # chosen and ordered by the configured search


class Embed(StrEnum):
    """When a search has its query embedded."""

    ALWAYS = "always"  # every hit has a similarity, or there is an error
    WHERE_NEEDED = "where needed"  # keyword search does without an embedder that costs something
    WHERE_POSSIBLE = "where possible"  # the same, and keywords alone answer where the embedder fails


class FusionMethod(StrEnum):
    """How hybrid search makes one ranking of two."""

    SCORE = "score"
    RRF = "rrf"


@dataclass(frozen=True, slots=True)
class Filters:
    """What a hit has to be from. A field left empty or None does not narrow.

    versions: any of these; empty means the current version of each source.
    locales: any of these; empty means the default locale of each source.
    everything: lifts those two defaults, so that empty versions and locales do not narrow either.
    url_prefix: canonical URLs that begin so, at a path border.
    sections: any of these headings, as Chunk.sections has them.
    sources: any of these source names.
    """

    versions: tuple[str, ...] = ()
    locales: tuple[str, ...] = ()
    url_prefix: str | None = None
    sections: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()
    everything: bool = False


@dataclass(frozen=True, slots=True)
class Query:
    """What is asked.

    text: 1 or more characters that are not all white space.
    top_k: 1 or more.
    threshold: the least similarity of a hit, 0 to 1.
    with_similarity: whether keyword search, too, asks an embedder that costs something; other searches always do.
    """

    text: str
    top_k: int
    mode: Mode = Mode.HYBRID
    threshold: float = 0.0
    filters: Filters = field(default_factory=Filters)
    with_vectors: bool = False
    with_similarity: bool = False


@dataclass(frozen=True, slots=True)
class Hit:
    """One chunk that answers a query, and how well.

    rank: from 1.
    similarity: cosine of query and chunk, clipped to [0, 1]; None where the query was not embedded, which only keyword
        search can do without.
    rank_score: what the ranking was ordered by; comparable within one ranking only.
    vector: the chunk's dense vector where it was asked for.
    """

    rank: int
    chunk: Chunk
    similarity: float | None
    rank_score: float
    vector: tuple[float, ...] | None = None

    @property
    def text(self) -> str:
        """The chunk's text."""
        return self.chunk.text

    @property
    def title(self) -> str:
        """The page's title; empty where it has none."""
        return self.chunk.document.title

    @property
    def url(self) -> str:
        """Deep link to the section in which the chunk begins."""
        return self.chunk.section_url

    @property
    def known_similarity(self) -> float:
        """The similarity, for those who always have queries embedded. Raises ValueError where there is none."""
        if self.similarity is None:
            raise ValueError(f"Hit {self.rank} has no similarity: its query was not embedded.")
        return self.similarity


@dataclass(frozen=True, slots=True)
class Timings:
    """Milliseconds spent in each stage of one search, and in all of it."""

    embed_ms: float
    search_ms: float
    fuse_ms: float
    filter_ms: float
    total_ms: float


@dataclass(frozen=True, slots=True)
class Ranking:
    """The ordered hits that one generation gave for a query.

    warnings: what the answer lacks or what the caller should know; empty for a plain answer.
    degraded: whether the query could not be embedded and keyword search alone answered; a warning says so.
    """

    query: Query
    hits: tuple[Hit, ...]
    generation: str
    timings: Timings
    warnings: tuple[str, ...] = ()
    degraded: bool = False


def by_similarity(hits: Sequence[Hit]) -> tuple[Hit, ...]:
    """The hits ordered by similarity, equal similarities by chunk id; rank and rank_score are those of this order."""
    ordered = sorted(hits, key=lambda hit: (-hit.known_similarity, hit.chunk.id))
    return tuple(replace(hit, rank=rank, rank_score=hit.known_similarity) for rank, hit in enumerate(ordered, start=1))
