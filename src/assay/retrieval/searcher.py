"""Conducts a search: query → embed → search → fuse → filter → rerank → hits, each stage timed."""

import logging
from collections.abc import Callable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field, replace
from functools import cached_property
from time import perf_counter

import numpy as np

from assay.errors import IdentityMismatch, InputError, RerankError
from assay.model.documents import DocumentInfo
from assay.model.generations import Generation
from assay.model.lru_cache import LruCache
from assay.model.ranking import Embed, Filters, FusionMethod, Hit, Mode, Query, Ranking, Timings, by_page
from assay.model.vocabulary import Name
from assay.ports import (
    IndexAnswer,
    IndexQuery,
    QueryEmbedder,
    SparseEncoder,
    SparseVector,
    Vector,
    VectorIndex,
)
from assay.retrieval.boosting import boosted
from assay.retrieval.completion import Completer, Rewriting
from assay.retrieval.encoding import Encoded, QueryEncoder
from assay.retrieval.fusion import Fused, FusionWeights, fuse
from assay.retrieval.hit_selection import HitSelection
from assay.retrieval.reranking import RERANK_FAILED, Reranking
from assay.retrieval.stage_clock import StageClock
from assay.retrieval.unmatched import unmatched

logger = logging.getLogger(__name__)

_NO_KEYWORDS = (
    "Keyword search was skipped: the index has no keyword vectors. Mode `dense` (or [search] mode = "
    '"dense") gives the same hits without this warning.'
)

_COMPARED_WORDS, _ENOUGH_WORDS = 5, 0.5
"""Number of first hits whose words are compared with the query's, and the share of its words that a good answer has."""

_FIRST_GROUPED, _MOST_GROUPED = 400, 2_000
"""Hits that are grouped into pages: at first, and if there are too few pages."""

_REMEMBERED_PAGES = 256
"""Filters for which page_of remembers its answer."""

_MOST_CANDIDATES = 10_000
"""Maximum depth of a search whose candidates are copies of few passages."""


@dataclass(frozen=True, slots=True)
class SearchRules:
    """Rules of ranking.

    depth: number of candidates from each side. boosts: by name of the source; see `boosted`.
    correct: whether queries are completed and corrected unless they say otherwise.
    relevant_from: the lowest similarity of a relevant hit; None if it is unknown.
    """

    method: FusionMethod
    weights: FusionWeights
    rrf_k: int
    depth: int
    boosts: Mapping[str, float] = field(default_factory=dict)
    correct: bool = True
    relevant_from: float | None = None


class Searcher:
    """Searches one generation. Thread-safe.

    encoder: None for an index without keyword vectors; hybrid search then is dense search with a warning.
    externally_modified: whether others change the index during searches, so that a found chunk may be missing.
    completer: completes and corrects queries; None to search each as it is.
    reranking: orders the best hits; None to leave them in the order of the search.
    read_versions: reads all versions of the generation, for filters that add pages without a version. Called once.

    Raises IdentityMismatch if the embedder is not the one of the generation.
    """

    def __init__(
        self,
        generation: Generation,
        index: VectorIndex,
        embedder: QueryEmbedder,
        encoder: SparseEncoder | None,
        rules: SearchRules,
        *,
        externally_modified: bool = False,
        completer: Completer | None = None,
        reranking: Reranking | None = None,
        read_versions: Callable[[], frozenset[str]] = frozenset,
    ) -> None:
        if embedder.identity != generation.embedder:
            raise IdentityMismatch(
                f"Generation {generation.id} was embedded by {generation.embedder.provider} model "
                f"{generation.embedder.model} ({generation.embedder.dimension} dimensions), but the settings name "
                f"{embedder.identity.provider} model {embedder.identity.model} ({embedder.identity.dimension}).",
                hint="Set the embedding settings back, or build a new generation with `assay publish`.",
            )
        self.generation = generation
        self.index = index
        self.encoder = encoder
        self.rules = rules
        self._queries = QueryEncoder(embedder, encoder)
        self._externally_modified = externally_modified
        self._completer = completer
        self._pages = LruCache[Filters, DocumentInfo | None](_REMEMBERED_PAGES)
        self._reranking = reranking
        self._read_versions = read_versions

    def search(self, query: Query, embed: Embed = Embed.ALWAYS, *, may_skip_reranker: bool = False) -> Ranking:
        """Rank the chunks that answer a query. Of chunks with equal text only the best-ranked is returned.

        embed: when the query is embedded; hits have no similarity otherwise.
        may_skip_reranker: whether hits keep the order of the search, with a warning, if the reranker fails; a
            measurement must not.

        Raises InputError for an empty query, and for a sparse one without keyword vectors; EmbeddingError,
        VectorStoreError, RerankError.
        """
        if not query.text.strip():
            raise InputError("query: it is empty.", hint="Write a question or keywords.")
        started = perf_counter()
        if self.encoder is None and query.mode is not Mode.DENSE:
            return self._without_keywords(query, started, may_skip_reranker=may_skip_reranker)
        rewriting = self.rewritten(query)
        encoded = self._queries.encode(replace(query, text=rewriting.text), embed, rewriting.names)
        query = replace(query, mode=encoded.mode)
        ranking = self._ranking(query, encoded, started, rewriting.text, may_skip_reranker=may_skip_reranker)
        weak = self._are_weak(ranking.hits, rewriting.text)
        if not weak and not rewriting.corrections:
            return ranking
        return replace(ranking, corrections=rewriting.corrections, no_good_answer=weak)

    @property
    def reranks(self) -> bool:
        """Whether a reranker orders the best hits."""
        return self._reranking is not None

    def suggest(self, text: str, limit: int) -> list[Name]:
        """Titles and headings that begin as a text does; none without a vocabulary. See Completer.suggest."""
        return [] if self._completer is None else self._completer.suggest(text, limit)

    def search_embedding(self, query: Query, vector: Vector) -> Ranking:
        """Rank the chunks nearest to a query embedding.

        query: its mode has to be dense; its text is only copied to the answer and may be empty, so it is not reranked.
        vector: of length 1, from the embedder of this generation.

        Raises InvalidEmbedding for a vector of another dimension, not finite, or zero; VectorStoreError.
        """
        assert query.mode is Mode.DENSE
        return self._ranking(query, Encoded(Mode.DENSE, vector, None), perf_counter())

    def rewritten(self, query: Query) -> Rewriting:
        """The query as it is searched, with its words completed and corrected."""
        if self._completer is None or not (self.rules.correct if query.correct is None else query.correct):
            return Rewriting(query.text)
        return self._completer.rewrite(query.text, typing=query.typing)

    def _without_keywords(self, query: Query, started: float, *, may_skip_reranker: bool) -> Ranking:
        """Answer a hybrid query by its dense side, with a warning. Raises InputError for a sparse one."""
        if query.mode is Mode.SPARSE:
            raise InputError("mode: this index has no keyword vectors.", hint="Use mode `dense`.")
        dense = replace(query, mode=Mode.DENSE)
        encoded = self._queries.encode(dense, Embed.ALWAYS)
        ranking = self._ranking(dense, encoded, started, query.text, may_skip_reranker=may_skip_reranker)
        return replace(ranking, warnings=(*ranking.warnings, _NO_KEYWORDS))

    def _ranking(
        self,
        query: Query,
        encoded: Encoded,
        started: float,
        reranked_text: str | None = None,
        *,
        may_skip_reranker: bool = False,
    ) -> Ranking:
        """reranked_text: the query for the reranker; None without one."""
        embedded = perf_counter()
        clock = StageClock()
        wanted = query.rerank and not query.typing and reranked_text is not None
        reranking = self._reranking if wanted else None
        find = self._ranked_hits if query.passages_per_page is None else self._hits_of_pages
        found = find(replace(query, top_k=max(query.top_k, reranking.depth if reranking else 0)), encoded, clock)
        warnings, failed = encoded.warnings, False
        if reranking is not None and found:
            try:
                with clock.timing("rerank_ms"):
                    found = reranking.reorder(reranked_text or "", found)
            except RerankError as error:
                if not may_skip_reranker:
                    raise
                logger.warning("%s %s", RERANK_FAILED, error)
                warnings, failed = (*warnings, RERANK_FAILED), True
        hits = self._first(query, found)
        if not hits:
            with clock.timing("filter_ms"):
                warnings += unmatched(self.has_pages, query.filters)
        ended = perf_counter()
        timings = Timings(embed_ms=(embedded - started) * 1000.0, total_ms=(ended - started) * 1000.0, **clock.spent_ms)
        return Ranking(
            query,
            hits,
            self.generation.id,
            timings,
            warnings,
            degraded=encoded.degraded,
            reranked=reranking is not None and bool(hits) and not failed,
            rerank_failed=failed,
        )

    def _are_weak(self, hits: Sequence[Hit], text: str) -> bool:
        """Whether every hit is less similar than relevant ones, and none of the first has half of the words."""
        lowest = self.rules.relevant_from
        if lowest is None or not hits or any(hit.similarity is None or hit.similarity >= lowest for hit in hits):
            return False
        if self.encoder is None:
            return True
        words = self._words_of(text)
        return all(
            len(words & self._words_of(hit.chunk.keyword_text)) < _ENOUGH_WORDS * len(words)
            for hit in hits[:_COMPARED_WORDS]
        )

    def _words_of(self, text: str) -> set[int]:
        """The terms of a text."""
        assert self.encoder is not None
        (counted,) = self.encoder.term_counts([text])
        return set(counted.indices)

    def _hits_of_pages(self, query: Query, encoded: Encoded, clock: StageClock) -> tuple[Hit, ...]:
        """Enough of the best hits for top_k pages; searches for more hits while there are too few pages."""
        assert query.passages_per_page is not None
        wanted = min(2 * query.top_k * query.passages_per_page, _FIRST_GROUPED)
        while True:
            found = self._ranked_hits(replace(query, top_k=wanted), encoded, clock)
            if len(by_page(found)) >= query.top_k or len(found) < wanted or wanted >= _MOST_GROUPED:
                return found
            wanted = min(4 * wanted, _MOST_GROUPED)

    def _first(self, query: Query, found: Sequence[Hit]) -> tuple[Hit, ...]:
        """The first top_k hits; those of the first top_k pages, at most passages_per_page of each, if it is set."""
        if query.passages_per_page is None:
            hits = tuple(found[: query.top_k])
        else:
            pages = by_page(found)[: query.top_k]
            kept = [hit for page in pages for hit in page[: query.passages_per_page]]
            ordered = sorted(kept, key=lambda hit: hit.rank)
            hits = tuple(replace(hit, rank=rank) for rank, hit in enumerate(ordered, start=1))
        return self._with_vectors(hits) if query.with_vectors else hits

    def has_pages(self, filters: Filters) -> bool:
        """Whether any page matches. Raises VectorStoreError."""
        return bool(self.index.search(self._request(self._any_vector(), None, 1, filters)).dense)

    def over(self, index: VectorIndex) -> "Searcher":
        """The same searcher over another view of its index."""
        searcher = copy(self)
        searcher.index = index
        return searcher

    def page_of(self, filters: Filters) -> DocumentInfo | None:
        """Return any page that matches; None if there is none. Cached. Raises VectorStoreError."""
        if filters in self._pages:
            return self._pages.get(filters)
        found = self.index.search(self._request(self._any_vector(), None, 1, filters)).dense
        chunks = self.index.chunks([scored.point for scored in found])
        page = next((chunk.document for chunk in chunks.values()), None)
        if not self._externally_modified:
            self._pages[filters] = page
        return page

    def close(self) -> None:
        """Close the index."""
        self.index.close()

    def _request(self, dense: Vector | None, sparse: SparseVector | None, limit: int, filters: Filters) -> IndexQuery:
        versions = self._versions if filters.adds_unversioned else frozenset[str]()
        return IndexQuery(dense, sparse, limit, filters, known_versions=versions)

    @cached_property
    def _versions(self) -> frozenset[str]:
        return self._read_versions()

    def _any_vector(self) -> Vector:
        """Any vector of the index's dimension, for a search that only asks whether there are results."""
        vector: Vector = np.zeros(self.generation.embedder.dimension, dtype=np.float32)
        vector[0] = 1.0
        return vector

    def _ranked_hits(self, query: Query, encoded: Encoded, clock: StageClock) -> tuple[Hit, ...]:
        """Search deeper while copies of passages leave the answer short and candidates remain.

        A search of several versions starts at the depth of hybrid search, so that it sees all copies of a passage.
        """
        deep = query.mode is Mode.HYBRID or query.filters.allow_copies
        depth = max(self.rules.depth if deep else 0, 2 * query.top_k)
        selection = HitSelection(
            self.index, boosts=bool(self.rules.boosts), externally_modified=self._externally_modified
        )
        while True:
            answer, ranked = self._candidates(query, encoded, depth, clock)
            hits = selection.select(query, ranked, answer, encoded.dense, clock)
            exhausted = max(len(answer.dense), len(answer.sparse)) < depth
            if (
                len(hits) == query.top_k
                or exhausted
                or depth >= _MOST_CANDIDATES
                or (answer.dense and answer.dense[-1].score < query.threshold)  # and so are all deeper candidates
            ):
                return hits
            depth = min(depth * 4, _MOST_CANDIDATES)

    def _candidates(
        self, query: Query, encoded: Encoded, depth: int, clock: StageClock
    ) -> tuple[IndexAnswer, list[Fused]]:
        dense = None if query.mode is Mode.SPARSE else encoded.dense
        sparse = None if query.mode is Mode.DENSE else encoded.sparse
        if dense is None and sparse is None:
            return IndexAnswer((), ()), []
        with clock.timing("search_ms"):
            answer = self.index.search(self._request(dense, sparse, depth, query.filters))
        with clock.timing("fuse_ms"):
            if query.mode is Mode.HYBRID:
                ranked = fuse(self.rules.method, answer.dense, answer.sparse, self.rules.weights, self.rules.rrf_k)
            else:
                ranked = [Fused(scored.point, scored.score) for scored in answer.dense or answer.sparse]
        return answer, self._boosted(ranked, clock) if self.rules.boosts else ranked

    def _boosted(self, ranked: Sequence[Fused], clock: StageClock) -> list[Fused]:
        """Apply the boosts of the chunks' sources."""
        with clock.timing("filter_ms"):
            chunks = self.index.chunks([fused.point for fused in ranked])
        with clock.timing("fuse_ms"):
            sources = {point: chunk.document.source for point, chunk in chunks.items()}
            return boosted(ranked, sources, self.rules.boosts)

    def _with_vectors(self, hits: tuple[Hit, ...]) -> tuple[Hit, ...]:
        vectors = self.index.vectors([hit.chunk.id for hit in hits])
        return tuple(
            replace(hit, vector=tuple(vectors[hit.chunk.id].tolist())) if hit.chunk.id in vectors else hit
            for hit in hits
        )
