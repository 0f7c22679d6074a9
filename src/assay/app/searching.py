"""Searches: opening generations, answering queries, serving and health."""

import logging
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Unpack

from assay.adapters.embedders.deferred import DeferredEmbedder
from assay.adapters.embedders.static import is_common_word
from assay.app.locked_property import LockedProperty
from assay.app.parts import Parts
from assay.app.rerankers import reranker_identity
from assay.contracts import native
from assay.contracts.ordering import Shaping
from assay.errors import (
    AssayError,
    CatalogCorrupt,
    CatalogError,
    ConfigurationError,
    EmbeddingError,
    NoLiveGeneration,
    RerankError,
)
from assay.model.documents import DocumentInfo
from assay.model.explanation import Explanation
from assay.model.generations import Generation
from assay.model.health import Health
from assay.model.ids import PLACEHOLDER_HOST
from assay.model.ranking import ContractMode, Embed, Filters, Mode, Query, Ranking
from assay.model.vocabulary import Name
from assay.ports import ChunkMetadata, Embedder, IndexSpec, QueryEmbedder, Vector, VectorStore
from assay.release.generation_names import LIVE, resolve_generation
from assay.retrieval.completion import Completer
from assay.retrieval.encoding import embed_query
from assay.retrieval.explaining import explain
from assay.retrieval.fusion import FusionWeights
from assay.retrieval.live import LiveSearcher
from assay.retrieval.searcher import Searcher, SearchRules
from assay.settings import RerankSettings, SearchSettings

if TYPE_CHECKING:
    from assay.adapters.telemetry.prometheus import Metrics, ServedGeneration

logger = logging.getLogger(__name__)

_FEW_HITS = 20
"""Hits of a search that takes milliseconds."""

_PLACEHOLDER_PAGES = Filters(url_prefix=f"https://{PLACEHOLDER_HOST}", everything=True)


class Searches:
    """Searches the live generation, or the one named `generation`. Thread-safe.

    needs_real_addresses: refuse to open a generation with pages at placeholder URLs; settable at any time.
    """

    def __init__(self, parts: Parts, generation: str | None = None) -> None:
        self._parts = parts
        self._name = None if generation == LIVE else generation
        self._late_embedder: DeferredEmbedder | None = None
        self.needs_real_addresses = False

    @contextmanager
    def expecting_promotion(self) -> Iterator[None]:
        """Let the first search after the block check which generation is live."""
        try:
            yield
        finally:
            if "live" in self.__dict__:
                self.live.expire()

    def close(self) -> None:
        """Close the index, and end the thread that follows promotions."""
        if "live" in self.__dict__:
            self.live.close()

    @property
    def embedder(self) -> Embedder:
        """The configured model. Raises ConfigurationError."""
        return self._parts.embedder

    @LockedProperty
    def live(self) -> LiveSearcher:
        """The searcher of the live generation, which follows promotions."""
        return LiveSearcher(self._searched_id, self.open, self._parts.settings.server.poll_seconds)

    @LockedProperty
    def metrics(self) -> "Metrics":
        """The metrics of a server."""
        from assay.adapters.telemetry.prometheus import Metrics

        return Metrics(self._served, self._parts.workers)

    @property
    def shaping(self) -> Shaping:
        """The way in which the contracts' routes choose and order hits."""
        settings = self._parts.settings
        return Shaping.of(settings.contract_mode, settings.search.mode)

    def search(
        self,
        query: Query | str,
        top_k: int | None = None,
        *,
        embed: Embed | None = None,
        **options: Unpack[native.SearchOptions],
    ) -> Ranking:
        """Search; see Assay.search."""
        settings = self._parts.settings.search
        if isinstance(query, str):
            body = native.search_request(query, top_k, options)
            query = native.parse(body, settings).query
        else:
            native.require_query(query, top_k, options)
        with self.live.lease() as searcher:
            return searcher.search(query, embed or self._embed, may_skip_reranker=True)

    def explain(self, query: Query, generation: str | None = None) -> Explanation:
        """Search, and compute the parts of each hit's score.

        generation: an id, `live` or `candidate`, of a sealed generation; None for the served one.

        Raises GenerationError, and what `search` raises.
        """
        if generation is None:
            with self.live.lease() as searcher:
                return explain(searcher, query, self._embed)
        named = resolve_generation(self._parts.catalog, generation, sealed=True)
        searcher = self.open(named.id)
        try:
            return explain(searcher, query, self._embed)
        finally:
            searcher.close()

    @property
    def are_open(self) -> bool:
        """Whether the served generation is open, so that a search need not open it."""
        return self.live.generation() is not None

    def is_short(self, query: Query) -> bool:
        """Whether a search takes milliseconds, and waits for nothing outside this process."""
        few = query.top_k <= _FEW_HITS and query.passages_per_page is None and not query.filters.allow_copies
        return few and self.are_local and self.are_open

    @LockedProperty
    def are_local(self) -> bool:
        """Whether searches wait for nothing outside this process, so that threads search no sooner."""
        settings = self._parts.settings
        return (
            settings.vector_store == "embedded"
            and settings.embedding.provider == "static"
            and settings.rerank.provider is None
        )

    def suggest(self, text: str, limit: int) -> tuple[list[Name], str]:
        """Suggest names; see Assay.suggest. Also returns the id of the generation that has them."""
        with self.live.lease() as searcher:
            return searcher.suggest(text, limit), searcher.generation.id

    def page_of(self, filters: Filters) -> DocumentInfo | None:
        """Any page of the searched generation that matches; None if there is none. Raises as Assay.search does."""
        with self.live.lease() as searcher:
            return searcher.page_of(filters)

    def embed_query(self, text: str) -> Vector:
        """Embed a query with the configured model: float32 of shape (dimension,), of length 1.

        Raises InputError for a text without any token known to the model, EmbeddingError.
        """
        return embed_query(self.embedder, text)

    def search_embedding(self, query: Query, vector: Vector) -> Ranking:
        """Search with a given embedding; see Searcher.search_embedding.

        Raises NoLiveGeneration, IdentityMismatch, InvalidEmbedding, VectorStoreError, CatalogError.
        """
        with self.live.lease() as searcher:
            return searcher.search_embedding(query, vector)

    def metadata(self, chunk_ids: Sequence[str], generation_id: str) -> dict[str, ChunkMetadata]:
        """Read these chunks' rows of the catalog; empty unless this generation is live.

        Raises CatalogError, without a long wait.
        """
        return self._parts.catalog.chunk_metadata(chunk_ids, generation_id)

    def resolve_name(self) -> str | None:
        """The id of the named generation; None for the live one. Raises GenerationNotFound, CatalogError."""
        return None if self._name is None else self._named_id

    def served_generation(self) -> Generation:
        """Return the generation that answers searches. Raises NoLiveGeneration, or the error from opening it."""
        with self.live.lease() as searcher:
            return searcher.generation

    def open(self, generation_id: str, *, patient: bool = False) -> Searcher:
        """Open a generation for searches with the settings of [search]; the caller closes it.

        patient: see VectorStore.open.

        Raises GenerationNotFound, NoLiveGeneration for one that is not sealed, ConfigurationError for pages at
        placeholder URLs if those are refused, IdentityMismatch, VectorStoreError, CatalogError.
        """
        generation = self._parts.catalog.generation(generation_id)
        if not generation.state.is_sealed:
            raise NoLiveGeneration(f"Generation {generation.id} is {generation.state} and cannot be searched.")
        searcher = self.open_with(generation, self._parts.settings.search, patient=patient)
        if self.needs_real_addresses and searcher.has_pages(_PLACEHOLDER_PAGES):
            searcher.close()
            raise ConfigurationError(
                f"Generation {generation.id} has pages with placeholder URLs (https://{PLACEHOLDER_HOST}/…): the "
                "links of its hits would be dead.",
                hint="Publish with --base-url, the URL at which the pages are published.",
            )
        return searcher

    def open_with(
        self,
        generation: Generation,
        search: SearchSettings,
        store: VectorStore | None = None,
        *,
        rerank: RerankSettings | None = None,
        patient: bool = False,
    ) -> Searcher:
        """Open a generation for searches with these settings; the caller closes it.

        store: the store of its index; None for the configured one.
        rerank: settings of the reranker; None for those of [rerank].
        patient: see VectorStore.open.

        Raises IdentityMismatch, VectorStoreError, ConfigurationError for the reranker.
        """
        parts = self._parts
        weights = FusionWeights(self._dense_weight(search), search.sparse_weight)
        relevant_from = parts.settings.calibrated_threshold
        rules = SearchRules(
            search.fusion, weights, search.rrf_k, search.depth, parts.boosts, search.correct, relevant_from
        )
        spec = IndexSpec.of(generation)
        reranking = parts.reranking(rerank or parts.settings.rerank)
        if parts.adopted is not None:
            adopted = parts.adopted_store.open(generation.id, spec)
            encoder = parts.encoder if adopted.has_keywords else None
            return Searcher(
                generation, adopted, self.embedder, encoder, rules, externally_modified=True, reranking=reranking
            )
        embedder = self._query_embedder(generation)
        index = (store or parts.store).open(generation.id, spec, patient=patient)
        return Searcher(
            generation,
            index,
            embedder,
            parts.encoder,
            rules,
            completer=self._completer(generation),
            reranking=reranking,
            read_versions=lambda: frozenset(
                listed.info.version for listed in parts.catalog.listing(generation.id) if listed.info.version
            ),
        )

    def _completer(self, generation: Generation) -> Completer | None:
        """Completes and corrects queries to a generation; None for one without a readable vocabulary."""
        try:
            vocabulary = self._parts.catalog.vocabulary(generation.id)
        except CatalogCorrupt as error:
            logger.warning("Queries are not completed and not corrected: %s", error)
            return None
        return None if vocabulary is None else Completer(vocabulary, self._parts.encoder, is_common_word)

    def described(self, search: SearchSettings, rerank: RerankSettings | None = None) -> dict[str, object]:
        """Describe the rules of searches with these settings, for a report.

        rerank: settings of the reranker; None for those of [rerank].

        Raises ConfigurationError for a reranker without a model.
        """
        boosts = {"boosts": dict(self._parts.boosts)} if self._parts.boosts else {}
        rules = search.model_dump(mode="json", exclude={"top_k", "keyword_fallback"})
        return boosts | rules | {"dense_weight": self._dense_weight(search)} | self._described_reranker(rerank)

    def _described_reranker(self, rerank: RerankSettings | None) -> dict[str, object]:
        """The reranker and its depth; nothing without one, so that earlier verdicts count."""
        settings = rerank or self._parts.settings.rerank
        identity = reranker_identity(settings)
        if identity is None:
            return {}
        return {"rerank": f"{identity.provider} {identity.model}", "rerank_depth": settings.depth}

    def start_serving(self) -> None:
        """Open the live generation, if there is one, and follow every promotion from now on."""
        self._warn_of_contract_mode()
        try:
            self.live.refresh()
        except AssayError as error:
            logger.warning("Nothing can be served yet: %s", error)
        if self.live.generation() is not None:
            self._warm_embedder()
            self._warm_reranker()
        self.live.watch(self._parts.settings.server.poll_seconds)

    def health(self) -> Health:
        """Check the parts that a search needs; takes well under a second."""
        problems = []
        catalog = store = True
        try:
            self._parts.catalog.check()
        except CatalogError as error:
            catalog = False
            problems.append(f"catalog: {error.message}")
        try:
            self._parts.store.check()
        except AssayError as error:
            store = False
            problems.append(f"vector store: {error.message}")
        status = self.live.status()
        if status.problem:
            problems.append(f"live generation: {status.problem}")
        elif status.generation is None:
            problems.append("live generation: nothing has been promoted yet")
        elif self._late_embedder and self._late_embedder.problem and self._mode is not Mode.SPARSE:
            problems.append(f"embedder: {self._late_embedder.problem}")
        if status.damage:
            problems.append(f"live generation: {status.damage}")
        return Health(store, catalog, status.generation, tuple(problems))

    @property
    def _embed(self) -> Embed:
        """When the queries of searches are embedded."""
        return Embed.WHERE_POSSIBLE if self._parts.settings.search.keyword_fallback else Embed.WHERE_NEEDED

    @property
    def _mode(self) -> Mode:
        return self._parts.settings.search.mode

    def _searched_id(self) -> str | None:
        """Return the id of the generation that answers now; None if nothing is live."""
        return self._parts.catalog.live_id() if self._name is None else self._named_id

    @LockedProperty
    def _named_id(self) -> str:
        """Id of the named generation. `candidate` is resolved once: it stays the same one if promoted or rejected."""
        return resolve_generation(self._parts.catalog, self._name).id

    def _query_embedder(self, generation: Generation) -> QueryEmbedder:
        """Return the configured model, or if it cannot be built now, one that retries at the next query."""
        try:
            return self.embedder
        except (ConfigurationError, EmbeddingError) as error:
            self._late_embedder = DeferredEmbedder(generation.embedder, lambda: self.embedder, error.message)
            return self._late_embedder

    def _dense_weight(self, search: SearchSettings) -> float:
        """Return the weight of the dense side; the embedder's default if unset."""
        return self._parts.settings.dense_weight if search.dense_weight is None else search.dense_weight

    def _warm_embedder(self) -> None:
        """Load the embedder now, so that no request waits for it."""
        try:
            self.embedder.count_tokens(["ready"])
        except AssayError as error:
            if self._mode is Mode.SPARSE:
                logger.info("Keyword search is served without an embedder: %s", error)
            else:
                logger.warning("Queries cannot be embedded, so only keyword search (mode `sparse`) works: %s", error)

    def _warm_reranker(self) -> None:
        """Load a reranker that runs here, so that no request waits for it; others would cost a request."""
        settings = self._parts.settings.rerank
        reranking = self._parts.reranking(settings) if settings.provider == "fastembed" else None
        if reranking is not None:
            try:
                reranking.reranker.scores("ready", ["ready"])
            except RerankError as error:
                logger.warning("Hits are not reranked: %s", error)

    def _warn_of_contract_mode(self) -> None:
        if self._parts.settings.server.contract_mode is ContractMode.HYBRID:
            logger.warning(
                '[server] contract_mode = "hybrid" orders the hits of the seeds\' routes by similarity. Earlier it '
                'ordered them by fused score, which is "fused" now. "hybrid" is the default: remove the setting to '
                "silence this warning."
            )

    def _served(self) -> "ServedGeneration | None":
        """Return the generation served now, without a query to the catalog."""
        from assay.adapters.telemetry.prometheus import ServedGeneration

        generation = self.live.generation()
        if generation is None:
            return None
        return ServedGeneration(
            id=generation.id,
            documents=generation.documents,
            chunks=generation.chunks,
            embedder=f"{generation.embedder.provider}/{generation.embedder.model}",
            sealed_at=generation.sealed_at,
            promoted_at=generation.promoted_at,
        )
