"""The scores of the hits of a ranking, and their parts."""

from dataclasses import dataclass
from enum import StrEnum

from assay.model.ranking import FusionMethod, Hit, Ranking


class TermKind(StrEnum):
    """The field of a chunk that a term of a query is compared with."""

    WORD = "word"  # the text, with title and headings
    TITLE = "title"  # the title as a whole
    HEADING = "heading"  # a heading as a whole


@dataclass(frozen=True, slots=True)
class TermScore:
    """A term of the query in one chunk.

    term: the word as the query has it, or the name that the query is or may become.
    query_weight: 1; less for a name that the query may become.
    idf: of the term within the filters; None if the index does not store the chunk's term weights.
    weight: of the term in the chunk: its frequency, saturated and normalized by the chunk's length; None as `idf`.
    score: query_weight x idf x weight, the term's part of the chunk's BM25 score.
    """

    term: str
    kind: TermKind
    query_weight: float
    idf: float | None
    weight: float | None
    score: float


@dataclass(frozen=True, slots=True)
class HitExplanation:
    """The parts of one hit's score.

    terms: those that the chunk has, the highest score first.
    bm25, keyword_rank: score and rank in keyword search; None if the chunk is not among its candidates.
    cosine: of query and chunk, not clipped where dense search found the chunk; None if the query was not embedded.
    dense_rank: rank in dense search; None if the chunk is not among its candidates.
    dense_part, keyword_part: what each side adds to the fused score.
    fused: their sum; the score of the only side, if there is one.
    boost: factor of the hit's source, at most 1.
    score: fused x boost, the hit's rank_score if nothing was reranked.
    rerank_score: the reranker's score, or below all of them for a hit that it did not read: the hit's rank_score; None
        if nothing was reranked.
    """

    hit: Hit
    terms: tuple[TermScore, ...]
    bm25: float | None
    keyword_rank: int | None
    cosine: float | None
    dense_rank: int | None
    dense_part: float
    keyword_part: float
    fused: float
    boost: float
    score: float
    rerank_score: float | None = None


@dataclass(frozen=True, slots=True)
class Explanation:
    """A ranking with the parts of its scores.

    hits: in the order of the ranking.
    method: of fusion; None for a search of one side.
    dense_weight, keyword_weight: of the two sides, with the sum 1; 0 for a side that was not searched.
    rrf_k: the constant of reciprocal rank fusion.
    candidates: number of candidates of each side that were ranked.
    best_cosine, best_bm25: the highest score of each side, by which fusion scales it; None without candidates.
    unknown_terms: terms of the query that no chunk has within the filters.
    """

    ranking: Ranking
    hits: tuple[HitExplanation, ...]
    method: FusionMethod | None
    dense_weight: float
    keyword_weight: float
    rrf_k: int
    candidates: int
    best_cosine: float | None
    best_bm25: float | None
    unknown_terms: tuple[str, ...]
