"""Queries, hits and rankings."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum

from assay.model.documents import Chunk
from assay.model.headings import Place


class Mode(StrEnum):
    """The vectors that a search uses."""

    HYBRID = "hybrid"
    DENSE = "dense"
    SPARSE = "sparse"


class ContractMode(StrEnum):
    """How the contracts' routes select and order hits. The score is always the cosine."""

    HYBRID = "hybrid"  # selected by the configured search, sorted by similarity
    DENSE = "dense"  # selected and sorted by similarity
    FUSED = "fused"  # selected and ordered by the configured search


class Embed(StrEnum):
    """When a search embeds its query."""

    ALWAYS = "always"  # every hit has a similarity; raises if the embedder fails
    WHERE_NEEDED = "where needed"  # not for keyword search with a costly embedder
    WHERE_POSSIBLE = "where possible"  # as WHERE_NEEDED; falls back to keyword search if the embedder fails


class FusionMethod(StrEnum):
    """How hybrid search fuses its two rankings."""

    SCORE = "score"
    RRF = "rrf"


@dataclass(frozen=True, slots=True)
class Filters:
    """Restricts the hits. An empty field does not, except versions and locales.

    versions: any of these; empty means the current version of each source.
    locales: any of these; empty means the default locale of each source.
    everything: removes those two defaults, so that empty versions and locales do not restrict either.
    url_prefix: pages at or below this canonical URL.
    sections: any of these headings, as in Chunk.sections.
    sources: any of these source names.
    include_unversioned: with versions, pages without a version too. Without versions it changes nothing.
    """

    versions: tuple[str, ...] = ()
    locales: tuple[str, ...] = ()
    url_prefix: str | None = None
    sections: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()
    everything: bool = False
    include_unversioned: bool = False

    @property
    def adds_unversioned(self) -> bool:
        """Whether they allow pages without a version next to the named versions."""
        return bool(self.versions) and self.include_unversioned

    @property
    def allow_copies(self) -> bool:
        """Whether they allow several versions or locales, which have copies of the same passages."""
        return self.everything or len(self.versions) > 1 or len(self.locales) > 1


@dataclass(frozen=True, slots=True)
class Query:
    """A search query with its options.

    text: 1 or more characters, not only white space.
    top_k: 1 or more; the number of pages if passages_per_page is set.
    threshold: the minimum similarity of a hit, 0 to 1.
    with_similarity: whether keyword search calls a costly embedder too; other searches always do.
    correct: whether words that the index does not know are completed and corrected; None for the setting.
    typing: whether somebody is still typing, so that the last word may be unfinished even if the index knows it.
    passages_per_page: the most hits of one page, 1 or more; None for no limit.
    rerank: whether the reranker, if there is one, orders the best hits; never while somebody is typing.
    """

    text: str
    top_k: int
    mode: Mode = Mode.HYBRID
    threshold: float = 0.0
    filters: Filters = field(default_factory=Filters)
    with_vectors: bool = False
    with_similarity: bool = False
    correct: bool | None = None
    typing: bool = False
    passages_per_page: int | None = None
    rerank: bool = True


@dataclass(frozen=True, slots=True)
class Correction:
    """A corrected word of a query.

    typed: as the query has it, from the code point `start`. used: the word or words in its place.
    """

    typed: str
    used: str
    start: int


def corrected(text: str, corrections: Sequence[Correction]) -> str:
    """A text with corrections, which are in their order."""
    for one in reversed(corrections):
        text = text[: one.start] + one.used + text[one.start + len(one.typed) :]
    return text


@dataclass(frozen=True, slots=True)
class Hit:
    """One chunk that answers a query, and how well.

    rank: from 1.
    similarity: cosine of query and chunk, clipped to [0, 1]; None if keyword search did not embed the query.
    rank_score: sort key of the ranking; comparable only within one ranking.
    vector: the chunk's dense vector, if requested.
    place: the heading nearest above the part that matches, if it is known and not that of the chunk's beginning.
    """

    rank: int
    chunk: Chunk
    similarity: float | None
    rank_score: float
    vector: tuple[float, ...] | None = None
    place: Place | None = None

    @property
    def text(self) -> str:
        """The chunk's text."""
        return self.chunk.text

    @property
    def title(self) -> str:
        """The page's title; empty if it has none."""
        return self.chunk.document.title

    @property
    def url(self) -> str:
        """Deep link to the heading nearest above the part that matches."""
        return self.chunk.document.link_to(self.place.anchor if self.place else self.chunk.anchor)

    @property
    def section(self) -> str:
        """The heading nearest above the part that matches; empty before the first heading."""
        return self.place.heading if self.place else self.chunk.section

    @property
    def trail(self) -> str:
        """The breadcrumb of that heading, as in Chunk.trail."""
        return (replace(self.chunk, heading_path=self.place.path) if self.place else self.chunk).trail

    @property
    def known_similarity(self) -> float:
        """The similarity. Raises ValueError if the query was not embedded."""
        if self.similarity is None:
            raise ValueError(f"Hit {self.rank} has no similarity: its query was not embedded.")
        return self.similarity


@dataclass(frozen=True, slots=True)
class Timings:
    """Milliseconds of each stage of one search, and in total. rerank_ms: 0 if nothing was reranked."""

    embed_ms: float
    search_ms: float
    fuse_ms: float
    filter_ms: float
    total_ms: float
    rerank_ms: float = 0.0


@dataclass(frozen=True, slots=True)
class Ranking:
    """The ordered hits of one generation for a query.

    warnings: limitations of the ranking; usually empty.
    degraded: whether embedding the query failed and only keyword search answered, which is also in warnings.
    corrections: corrected words, in the order of the query.
    no_good_answer: whether the best hits are far from the query and have few of its words. False if the query was not
        embedded, or no similarity is known that a relevant hit has at least.
    reranked: whether a reranker ordered the best hits.
    rerank_failed: whether one should have and failed, which is also in warnings.
    """

    query: Query
    hits: tuple[Hit, ...]
    generation: str
    timings: Timings
    warnings: tuple[str, ...] = ()
    degraded: bool = False
    corrections: tuple[Correction, ...] = ()
    no_good_answer: bool = False
    reranked: bool = False
    rerank_failed: bool = False

    @property
    def searched_text(self) -> str:
        """The query's text with its corrections."""
        return corrected(self.query.text, self.corrections)


def by_page(hits: Sequence[Hit]) -> list[list[Hit]]:
    """The hits of each page, in order; the page of the first hit first."""
    pages: dict[str, list[Hit]] = {}
    for hit in hits:
        pages.setdefault(hit.chunk.document.url, []).append(hit)
    return list(pages.values())


def by_similarity(hits: Sequence[Hit]) -> tuple[Hit, ...]:
    """Sort hits by similarity, ties by chunk id, and set rank and rank_score accordingly."""
    ordered = sorted(hits, key=lambda hit: (-hit.known_similarity, hit.chunk.id))
    return tuple(replace(hit, rank=rank, rank_score=hit.known_similarity) for rank, hit in enumerate(ordered, start=1))
