"""Selects the hits of a search from its ranked candidates: the first distinct passages over the threshold."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from math import isclose

from assay.errors import PointCorrupt
from assay.model.documents import Chunk
from assay.model.ranking import Hit, Mode, Query
from assay.ports import IndexAnswer, NumberedPoints, PointKey, Vector, VectorIndex
from assay.retrieval.fusion import Fused
from assay.retrieval.similarity import clip_similarity, passes
from assay.retrieval.stage_clock import StageClock

_FIRST_BATCH, _LEAST_BATCH = 10, 4
"""Minimum number of candidates of the first fetch and of the second."""


@dataclass(frozen=True, slots=True)
class HitSelection:
    """Selects hits from the candidates of one index.

    boosts: whether the scores of sources were boosted.
    externally_modified: whether others change the index during searches, so that a found chunk may be missing.
    """

    index: VectorIndex
    boosts: bool
    externally_modified: bool

    def select(
        self,
        query: Query,
        ranked: Sequence[Fused],
        answer: IndexAnswer,
        vector: Vector | None,
        clock: StageClock,
    ) -> tuple[Hit, ...]:
        """The first top_k distinct passages that reach the threshold, fetched in batches.

        Of chunks with equal text and score, the one of the current version in the default locale is the hit. If the
        query adds pages without a version, one of a named version comes before them.

        answer: its cosines are not computed again.
        vector: of the query; None if it was not embedded, so that there is no cosine and no threshold.
        """
        by_similarity = query.mode is Mode.DENSE and not self.boosts
        cosines: dict[PointKey, float] = dict(answer.dense)
        hits: list[Hit] = []
        places: dict[str, int] = {}  # by text
        scores: list[float] = []
        numbered = answer.numbered
        skips_copies = numbered is not None and _is_first_copy_hit(query)
        candidates = _first_copies(ranked, numbered) if numbered and skips_copies else iter(ranked)
        size, grown = query.top_k if skips_copies else max(query.top_k, _FIRST_BATCH), _LEAST_BATCH // 2
        while batch := list(islice(candidates, size)):
            if len(hits) == query.top_k and (skips_copies or not _is_tie(batch[0].score, scores[-1])):
                break  # no later candidate ties with a hit
            with clock.timing("filter_ms"):
                for fused, chunk, cosine in self._fetch(query, batch, cosines, vector, numbered):
                    place = places.get(chunk.content_hash)
                    if place is not None:
                        if _is_tie(fused.score, scores[place]) and _is_preferred(chunk, hits[place].chunk, query):
                            hits[place] = replace(hits[place], chunk=chunk)
                    elif len(hits) < query.top_k:
                        places[chunk.content_hash] = len(hits)
                        scores.append(fused.score)
                        score = clip_similarity(fused.score) if by_similarity else fused.score
                        hits.append(_hit(len(hits) + 1, chunk, cosine, score))
            # Few copies leave few places free. Many copies need few requests, because the batches grow.
            size = grown = max(2 * (query.top_k - len(hits)), 2 * grown)
        return tuple(hits)

    def _fetch(
        self,
        query: Query,
        batch: Sequence[Fused],
        cosines: Mapping[PointKey, float],
        vector: Vector | None,
        numbered: NumberedPoints | None,
    ) -> Iterator[tuple[Fused, Chunk, float | None]]:
        """The candidates of a batch that reach the threshold, with chunk and cosine, by one request to the index.

        If a cosine is missing, all are read by `compare`: a second request would cost more.
        """
        if vector is None:
            chunks = self.index.chunks([fused.point for fused in batch])
            for fused in self._readable(batch, chunks, numbered):
                yield fused, chunks[fused.point], None
            return
        near = [f for f in batch if f.point not in cosines or _reaches(cosines[f.point], query.threshold)]
        points = [fused.point for fused in near]
        if all(point in cosines for point in points):
            chunks = self.index.chunks(points)
            for fused in self._readable(near, chunks, numbered):
                yield fused, chunks[fused.point], cosines[fused.point]
            return
        compared = self.index.compare(vector, points, cosines)
        for fused in self._readable(near, compared, numbered):
            chunk, cosine = compared[fused.point]
            if _reaches(cosine, query.threshold):
                yield fused, chunk, cosine

    def _readable(
        self, near: Sequence[Fused], found: Mapping[PointKey, object], numbered: NumberedPoints | None
    ) -> Sequence[Fused]:
        """The candidates whose chunk was read; all of them unless others modify the index.

        Raises PointCorrupt for a candidate that cannot be read.
        """
        there = [fused for fused in near if fused.point in found]
        if len(there) < len(near) and not self.externally_modified:
            lost = next(fused.point for fused in near if fused.point not in found)
            chunk_id = lost if numbered is None else numbered.chunk_id(lost)
            raise PointCorrupt(
                f"The point {chunk_id} of the index is damaged: a search found it, and it cannot be read.",
                hint="`assay audit` names the fault; `assay publish --rebuild` rebuilds the index.",
            )
        return there


def _is_tie(score: float, other: float) -> bool:
    """Whether two scores are equal up to rounding: equal vectors give scores that differ in their last bits."""
    return isclose(score, other, rel_tol=1e-5)


def _is_first_copy_hit(query: Query) -> bool:
    """Whether of chunks with equal text the best-ranked is the hit, whatever the others are."""
    filters = query.filters
    in_scope = not (filters.versions or filters.locales or filters.everything)  # so that all are primary
    return in_scope and query.threshold <= 0.0


def _first_copies(ranked: Iterable[Fused], numbered: NumberedPoints) -> Iterator[Fused]:
    """The candidates without those whose text an earlier one has."""
    seen: set[int] = set()
    for fused in ranked:
        key = numbered.text_key(fused.point)
        if key is None or key not in seen:
            yield fused
        if key is not None:
            seen.add(key)


def _is_preferred(chunk: Chunk, other: Chunk, query: Query) -> bool:
    """Whether the first chunk is the hit if both have the same text and score, whatever their order."""
    return _preference(chunk, query) > _preference(other, query)


def _preference(chunk: Chunk, query: Query) -> tuple[bool, bool]:
    named = query.filters.adds_unversioned and chunk.document.version is not None
    return named, chunk.document.primary


def _reaches(cosine: float, threshold: float) -> bool:
    return passes(clip_similarity(cosine), threshold)


def _hit(rank: int, chunk: Chunk, cosine: float | None, rank_score: float) -> Hit:
    return Hit(rank, chunk, None if cosine is None else clip_similarity(cosine), rank_score)
