"""Explains a ranking: which term, cosine, weight and boost gives each hit its score.

The search itself runs unchanged, over an index that records the last request and its answer. All parts are computed
from that answer: fusion from the scores of both sides, a term's part of BM25 by a keyword search for this term alone.
So they are the engine's own numbers, with its IDF within the filters.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import NamedTuple

from assay.model.documents import Chunk
from assay.model.explanation import Explanation, HitExplanation, TermKind, TermScore
from assay.model.ranking import Embed, Hit, Mode, Query
from assay.model.vocabulary import WORD
from assay.ports import (
    Compared,
    IndexAnswer,
    IndexQuery,
    Names,
    PointKey,
    Scored,
    SparseEncoder,
    SparseVector,
    StoredPoint,
    Vector,
    VectorIndex,
)
from assay.retrieval.boosting import factor_of
from assay.retrieval.fusion import FusedParts, fused_parts
from assay.retrieval.searcher import Searcher
from assay.retrieval.similarity import clip_similarity

_NOTHING = FusedParts(0.0, 0.0)


def explain(searcher: Searcher, query: Query, embed: Embed = Embed.ALWAYS) -> Explanation:
    """Search, and compute the parts of each hit's score.

    The ranking and its timings are those of Searcher.search. Computing the parts takes a further search for each term.

    Raises what Searcher.search raises.
    """
    recorder = _RecordingIndex(searcher.index)
    ranking = searcher.over(recorder).search(query, embed, may_skip_reranker=True)
    asked, answer = recorder.asked, recorder.answer
    mode, rules = ranking.query.mode, searcher.rules
    rewriting = searcher.rewritten(query)
    labels = _term_labels(searcher.encoder, rewriting.text, rewriting.names) if searcher.encoder else {}
    terms = _terms(searcher.index, asked, answer, ranking.hits, labels)
    if mode is Mode.HYBRID:
        parts = fused_parts(rules.method, answer.dense, answer.sparse, rules.weights, rules.rrf_k)
    else:
        parts = _parts_of_one_side(answer, clip=mode is Mode.DENSE and not rules.boosts)
    total = rules.weights.dense + rules.weights.sparse
    sides = _Sides(_Side.of(answer.dense), _Side.of(answer.sparse))
    hits = tuple(
        _explained(
            hit,
            sides,
            parts.get(hit.chunk.id, _NOTHING),
            terms.by_chunk.get(hit.chunk.id, ()),
            boost,
            reranked=ranking.reranked,
        )
        for hit in ranking.hits
        for boost in (factor_of(hit.chunk.document.source, rules.boosts),)
    )
    is_hybrid = mode is Mode.HYBRID
    return Explanation(
        ranking=ranking,
        hits=hits,
        method=rules.method if is_hybrid else None,
        dense_weight=rules.weights.dense / total if is_hybrid else float(mode is Mode.DENSE),
        keyword_weight=rules.weights.sparse / total if is_hybrid else float(mode is Mode.SPARSE),
        rrf_k=rules.rrf_k,
        candidates=asked.limit if asked else 0,
        best_cosine=sides.dense.best,
        best_bm25=sides.keywords.best,
        unknown_terms=terms.unknown,
    )


class _RecordingIndex:
    """An index that records the last search and its answer."""

    def __init__(self, index: VectorIndex) -> None:
        self._index = index
        self.asked: IndexQuery | None = None
        self.answer = IndexAnswer((), ())

    def search(self, query: IndexQuery) -> IndexAnswer:
        """Search, and record. Points are named by their chunk ids, as those of hits are."""
        answer = self._index.search(query).by_chunk_id()
        if query.limit > 1:  # searches for one hit only test that there is any
            self.asked, self.answer = query, answer
        return answer

    def count(self) -> int:
        """Number of points."""
        return self._index.count()

    def chunks(self, points: Sequence[PointKey]) -> dict[PointKey, Chunk]:
        """As of the index."""
        return self._index.chunks(points)

    def compare(
        self, vector: Vector, points: Sequence[PointKey], known: Mapping[PointKey, float]
    ) -> dict[PointKey, Compared]:
        """As of the index."""
        return self._index.compare(vector, points, known)

    def vectors(self, chunk_ids: Sequence[str]) -> dict[str, Vector]:
        """As of the index."""
        return self._index.vectors(chunk_ids)

    def stored(self, chunk_ids: Sequence[str]) -> dict[str, StoredPoint]:
        """As of the index."""
        return self._index.stored(chunk_ids)

    def ids(self) -> Iterator[str]:
        """As of the index."""
        return self._index.ids()

    def close(self) -> None:
        """Leave the index open: it is the searcher's."""


class _Side(NamedTuple):
    """The candidates of one side. best: the highest score; None without candidates."""

    scores: Mapping[str, float]
    ranks: Mapping[str, int]
    best: float | None

    @classmethod
    def of(cls, ranked: Sequence[Scored]) -> "_Side":
        ranks = {scored.point: rank for rank, scored in enumerate(ranked, start=1)}
        return cls(dict(ranked), ranks, ranked[0].score if ranked else None)


class _Sides(NamedTuple):
    dense: _Side
    keywords: _Side


def _explained(
    hit: Hit, sides: _Sides, parts: FusedParts, terms: Sequence[TermScore], boost: float, *, reranked: bool
) -> HitExplanation:
    chunk_id = hit.chunk.id
    fused = parts.dense + parts.sparse
    return HitExplanation(
        hit=hit,
        terms=tuple(sorted(terms, key=lambda term: -term.score)),
        bm25=sides.keywords.scores.get(chunk_id),
        keyword_rank=sides.keywords.ranks.get(chunk_id),
        cosine=sides.dense.scores.get(chunk_id, hit.similarity),
        dense_rank=sides.dense.ranks.get(chunk_id),
        dense_part=parts.dense,
        keyword_part=parts.sparse,
        fused=fused,
        boost=boost,
        score=max(fused, 0.0) * boost,
        rerank_score=hit.rank_score if reranked else None,
    )


def _parts_of_one_side(answer: IndexAnswer, *, clip: bool) -> dict[str, FusedParts]:
    """The scores of a search of one side. clip: whether cosines are clipped to [0, 1], as similarities are."""
    if answer.dense:
        return {
            each.point: FusedParts(clip_similarity(each.score) if clip else each.score, 0.0) for each in answer.dense
        }
    return {each.point: FusedParts(0.0, each.score) for each in answer.sparse}


# --- terms ---------------------------------------------------------------------------------------------------------


class _Label(NamedTuple):
    text: str
    kind: TermKind


@dataclass(frozen=True, slots=True)
class _Terms:
    """The terms of each hit's chunk, and those that no chunk has."""

    by_chunk: Mapping[str, Sequence[TermScore]]
    unknown: tuple[str, ...]


def _terms(
    index: VectorIndex,
    asked: IndexQuery | None,
    answer: IndexAnswer,
    hits: Sequence[Hit],
    labels: Mapping[int, _Label],
) -> _Terms:
    """Search for each term of a query alone, and read the weights that the chunks have for it."""
    if asked is None or asked.sparse is None or not hits:
        return _Terms({}, ())
    limit = max(asked.limit, len(answer.sparse))
    query = dict(zip(asked.sparse.indices, asked.sparse.values, strict=True))
    found = {
        term: index.search(replace(asked, dense=None, sparse=SparseVector((term,), (weight,)), limit=limit))
        .by_chunk_id()
        .sparse
        for term, weight in query.items()
    }
    first = [scored[0].point for scored in found.values() if scored]
    ids = [hit.chunk.id for hit in hits]
    stored = index.stored(list(dict.fromkeys([*ids, *first])))
    weights = {chunk_id: _weights(point) for chunk_id, point in stored.items()}
    by_chunk: dict[str, list[TermScore]] = {chunk_id: [] for chunk_id in ids}
    for term, scored in found.items():
        label = labels.get(term, _Label(f"#{term}", TermKind.WORD))
        scores = dict(scored)
        idf = _idf(scored, query[term], term, weights)
        for chunk_id in ids:
            of_chunk = weights.get(chunk_id)
            weight = None if of_chunk is None else of_chunk.get(term, 0.0)
            score = scores.get(chunk_id, 0.0)
            if score == 0.0 and weight and idf is not None:  # below the limit of the search for this term
                score = query[term] * idf * weight
            if score > 0.0:
                own = score / (query[term] * weight) if weight else None  # shards may have IDFs of their own
                by_chunk[chunk_id].append(TermScore(label.text, label.kind, query[term], own, weight, score))
    unknown = tuple(labels[term].text for term in query if not found[term] and _is_word(labels.get(term)))
    return _Terms(by_chunk, unknown)


def _weights(point: StoredPoint) -> dict[int, float] | None:
    """The term weights of a stored chunk; None if they are not stored or not readable."""
    return None if point.sparse is None else dict(zip(point.sparse.indices, point.sparse.values, strict=True))


def _idf(
    scored: Sequence[Scored], query_weight: float, term: int, weights: Mapping[str, dict[int, float] | None]
) -> float | None:
    """The IDF by which the engine weighed a term: the score of the first chunk, divided by its other factors."""
    if not scored:
        return None
    weight = (weights.get(scored[0].point) or {}).get(term)
    return scored[0].score / (query_weight * weight) if weight else None


def _is_word(label: _Label | None) -> bool:
    return label is not None and label.kind is TermKind.WORD


def _term_labels(encoder: SparseEncoder, text: str, names: Sequence[str]) -> dict[int, _Label]:
    """The words and names of a query by term id.

    names: further names that the query may become.
    """
    labels: dict[int, _Label] = {}
    for name in (text, *names):
        (heading,) = encoder.term_counts([""], [Names("", (name,))])
        (title,) = encoder.term_counts([""], [Names(name, ())])
        for term in heading.indices:
            labels.setdefault(term, _Label(name, TermKind.HEADING))
        for term in title.indices:
            labels.setdefault(term, _Label(name, TermKind.TITLE))
    for word in WORD.findall(text):
        (counted,) = encoder.term_counts([word])
        # A script without spaces has a term for each pair of characters.
        pieces = map("".join, pairwise(word)) if len(counted.indices) > 1 else ()
        for piece in pieces:
            (of_piece,) = encoder.term_counts([piece])
            if len(of_piece.indices) == 1:
                labels.setdefault(of_piece.indices[0], _Label(piece, TermKind.WORD))
        for term in counted.indices:
            labels.setdefault(term, _Label(word, TermKind.WORD))
    return labels
