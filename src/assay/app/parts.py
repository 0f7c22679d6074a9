"""The parts of Assay, each built when it is first needed: settings in, adapters out."""

import logging
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Self

from assay.adapters.access.key_file import KeyFile
from assay.adapters.catalog.catalog import SqlCatalog
from assay.adapters.catalog.sql.postgres import PostgresOptions
from assay.adapters.embedders.choice import choose_embedder
from assay.adapters.embedders.embedding_cache import SqliteEmbeddingCache
from assay.adapters.embedders.late import LateEmbedder
from assay.adapters.sources.folder.source import FolderSource
from assay.adapters.stores.bm25 import Bm25Encoder
from assay.adapters.stores.edge.store import EdgeStore
from assay.app.construction import adopted_store, embedder_choice, gate_of, qdrant_store, source_of
from assay.contracts.ordering import Shaping
from assay.errors import (
    CatalogNotFound,
    ConfigurationError,
    EmbeddingError,
    IndexNotOurs,
    NoLiveGeneration,
)
from assay.ingest.chunking.chunker import CHUNKER_REVISION, ChunkingRules
from assay.ingest.parts import BuildParts
from assay.ingest.reading import READER_REVISION
from assay.ingest.workers.limits import PageLimits
from assay.ingest.workers.read_ahead import worker_count
from assay.model.generations import ChunkerIdentity, Generation
from assay.model.ids import PLACEHOLDER_HOST
from assay.model.ranking import Filters
from assay.ports import (
    Catalog,
    Embedder,
    EmbedderCall,
    EmbedderObserver,
    EmbeddingCache,
    IndexSpec,
    QueryEmbedder,
    SparseEncoder,
    VectorStore,
)
from assay.release.promotion import Releases
from assay.retrieval.fusion import FusionWeights
from assay.retrieval.live import LiveSearcher
from assay.retrieval.searcher import Searcher, SearchRules
from assay.settings import SearchSettings, Settings, load_settings
from assay.validation.gate import Gate
from assay.validation.measuring import Measures

if TYPE_CHECKING:
    from assay.adapters.sources.site.source import SiteSource
    from assay.adapters.stores.adopted.catalog import AdoptedCatalog
    from assay.adapters.stores.adopted.store import AdoptedStore
    from assay.adapters.telemetry.prometheus import Metrics, ServedGeneration

logger = logging.getLogger(__name__)
_MADE_UP = Filters(url_prefix=f"https://{PLACEHOLDER_HOST}", everything=True)
CANDIDATE = "candidate"
"""Stands for the id of the generation that waits to be promoted."""


class Parts:
    """The parts over one data directory and one configuration.

    They are built when they are first needed: a search loads no catalog migrations, a listing no model.

    generation: id of the generation to search instead of the live one, or CANDIDATE for the one that waits.
    embedder_observer: told of every request to a provider of embeddings; may be set at any time.
    needs_real_addresses: whether a generation with addresses that only stand in for real ones is refused when it is
        opened for searches; may be set at any time.
    """

    def __init__(self, settings: Settings, generation: str | None = None) -> None:
        self.settings = settings
        self._asked = generation
        self.embedder_observer: EmbedderObserver | None = None
        self._catalog: SqlCatalog | None = None
        self._late_embedder: LateEmbedder | None = None
        self.needs_real_addresses = False

    @classmethod
    def open(cls, settings: Settings, *, generation: str | None = None) -> Self:
        """Open Assay over these settings; nothing is read or written before it is needed.

        generation: see Assay.
        """
        return cls(settings, generation)

    @classmethod
    def from_environment(cls) -> Self:
        """Open Assay as the environment, and assay.toml in the working directory, say. Raises ConfigurationError."""
        return cls(load_settings())

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the index, the catalog, the embedder and the threads."""
        if "live" in self.__dict__:
            self.live.close()
        if "embedder" in self.__dict__:
            self.embedder.close()
        if "embedding_cache" in self.__dict__:
            self.embedding_cache.close()
        if "adopted_store" in self.__dict__:
            self.adopted_store.close()
        elif "store" in self.__dict__:
            self.store.close()
        if self._catalog is not None:
            self._catalog.close()
            self._catalog = None

    @property
    def adopted(self) -> str | None:
        """Name of the collection that is served though Assay did not make it; None where there is none."""
        return self.settings.index.adopt

    @property
    def catalog(self) -> Catalog:
        """The relational store; only a build makes it. Raises CatalogNotFound when there is none.

        An adopted collection has no catalog: one in memory lists it as the generation that is live.
        """
        if self.adopted is not None:
            return self._adopted_catalog
        return self._open_catalog(create=False)

    @cached_property
    def store(self) -> VectorStore:
        """Where the indexes live. Raises ConfigurationError."""
        if self.adopted is not None:
            return self.adopted_store
        if self.settings.vector_store == "qdrant":
            return qdrant_store(self.settings)
        return EdgeStore(self.settings.index_dir, hnsw_threshold=self.settings.index.hnsw_threshold)

    @cached_property
    def adopted_store(self) -> "AdoptedStore":
        """The collection that Assay did not make. Raises ConfigurationError where none is named."""
        return adopted_store(self.settings, self.encoder)

    @cached_property
    def _adopted_catalog(self) -> "AdoptedCatalog":
        from assay.adapters.stores.adopted.catalog import AdoptedCatalog

        store = self.adopted_store
        return AdoptedCatalog(store, lambda: self.embedder.identity, self.encoder.identity(1.0))

    @cached_property
    def embedder(self) -> Embedder:
        """The configured model; loading it takes a moment. Raises ConfigurationError."""
        return choose_embedder(embedder_choice(self.settings.embedding), self._observe)

    @cached_property
    def embedding_cache(self) -> EmbeddingCache:
        """Vectors that were paid for and are not live yet; the file is made by a build that needs it."""
        return SqliteEmbeddingCache(self._embeddings_file)

    @cached_property
    def encoder(self) -> SparseEncoder:
        """BM25 in the configured language."""
        return Bm25Encoder(self.settings.sparse.language)

    @cached_property
    def keys(self) -> KeyFile:
        """The API keys, which need no catalog."""
        return KeyFile(self.settings.keys_path)

    @cached_property
    def metrics(self) -> "Metrics":
        """What is counted while serving; a command that serves nothing does without."""
        from assay.adapters.telemetry.prometheus import Metrics

        return Metrics(self._served)

    @property
    def shaping(self) -> Shaping:
        """How the seeds' shapes choose and order their hits."""
        return Shaping.of(self.settings.contract_mode, self.settings.search.mode)

    @cached_property
    def live(self) -> LiveSearcher:
        """The searcher of whichever generation is live."""
        return LiveSearcher(self._live_id, self._open_searcher)

    @cached_property
    def measures(self) -> Measures:
        """What a validation reports: what always is, what is asked for, and what has a limit. Raises InputError."""
        limits = self.gate.quality.measures
        return Measures.named([*self.settings.validation.measures, *(limit.measure for limit in limits)])

    @cached_property
    def gate(self) -> Gate:
        """What a candidate has to reach, and how it is searched meanwhile."""
        return gate_of(self.settings.gate, self.searching | {"top_k": self.settings.search.top_k})

    @property
    def searching(self) -> dict[str, object]:
        """How searches are made."""
        return self.searching_by(self.settings.search)

    def searching_by(self, search: SearchSettings) -> dict[str, object]:
        """How searches are made with these settings, for a report."""
        boosts = {"boosts": dict(self.boosts)} if self.boosts else {}
        return boosts | {
            "mode": search.mode.value,
            "threshold": search.threshold,
            "fusion": search.fusion.value,
            "dense_weight": self._dense_weight(search),
            "sparse_weight": search.sparse_weight,
            "rrf_k": search.rrf_k,
            "depth": search.depth,
        }

    def searcher_of(self, generation: Generation, search: SearchSettings, store: VectorStore | None = None) -> Searcher:
        """A searcher with these settings. store: None for the configured one.

        Raises IdentityMismatch, VectorStoreError.
        """
        weights = FusionWeights(self._dense_weight(search), search.sparse_weight)
        rules = SearchRules(search.fusion, weights, search.rrf_k, search.depth, self.boosts)
        if self.adopted is not None:
            adopted = self.adopted_store.open(generation.id, IndexSpec.of(generation))
            encoder = self.encoder if adopted.has_keywords else None
            return Searcher(generation, adopted, self.embedder, encoder, rules, externally_modified=True)
        embedder = self._query_embedder(generation)
        index = (store or self.store).open(generation.id, IndexSpec.of(generation))
        return Searcher(generation, index, embedder, self.encoder, rules)

    def _query_embedder(self, generation: Generation) -> QueryEmbedder:
        """The configured model; where it cannot be built now, what builds it once a query has to be embedded."""
        try:
            return self.embedder
        except (ConfigurationError, EmbeddingError) as error:
            self._late_embedder = LateEmbedder(generation.embedder, lambda: self.embedder, error.message)
            return self._late_embedder

    def _dense_weight(self, search: SearchSettings) -> float:
        """Weight of the dense side, the default of the embedder filled in."""
        return self.settings.dense_weight if search.dense_weight is None else search.dense_weight

    @cached_property
    def releases(self) -> Releases:
        """Promotion, rollback and retention."""
        return Releases(self.catalog, self.store, self.settings.release.keep)

    @cached_property
    def sources(self) -> "tuple[FolderSource | SiteSource, ...]":
        """The configured sources. Raises ConfigurationError when there are none, or two of one name."""
        if not self.settings.sources:
            raise ConfigurationError(
                "There is nothing to read: no source is configured.",
                hint="Name a folder or a site after the command (`docs/`, `https://docs.example.org/`), or add "
                "[[sources]] to assay.toml (see `assay init`).",
            )
        sources = tuple(source_of(settings, self.settings.data_dir) for settings in self.settings.sources)
        names = [source.name for source in sources]
        for name in names:
            if names.count(name) > 1:
                raise ConfigurationError(
                    f"Two sources are called {name!r}.", hint="Give each a name of its own: `name` in [[sources]]."
                )
        return sources

    @cached_property
    def boosts(self) -> Mapping[str, float]:
        """What the scores of each source are multiplied by; empty where all sources count alike."""
        if all(settings.boost == 1.0 for settings in self.settings.sources):
            return {}
        return {source.name: one.boost for source, one in zip(self.sources, self.settings.sources, strict=True)}

    def served_generation(self) -> Generation:
        """The generation that searches are answered from. Raises NoLiveGeneration, or why it cannot be opened."""
        with self.live.lease() as searcher:
            return searcher.generation

    def _open_catalog(self, *, create: bool) -> Catalog:
        """The relational store. create: make it, or bring it to this version's schema, where that is needed."""
        if self._catalog is None:
            catalog = self.settings.catalog
            options = PostgresOptions(
                catalog.schema_name,
                catalog.pool_size,
                catalog.connect_seconds,
                catalog.lookup_seconds,
                catalog.statement_seconds,
            )
            self._catalog = SqlCatalog.open(self.settings.catalog_url, create=create, options=options)
        return self._catalog

    def _served(self) -> "ServedGeneration | None":
        """What is served at the moment, without asking the catalog."""
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

    def _live_id(self) -> str | None:
        return self.catalog.live_id() if self._asked is None else self._asked_id

    @cached_property
    def _asked_id(self) -> str:
        """The generation that was named; a candidate stays the same one, whatever becomes of it."""
        if self._asked == CANDIDATE:
            return self.releases.candidate().id
        return self.catalog.generation(str(self._asked)).id

    def _build_parts(self, *, create: bool = True) -> BuildParts:
        """What a build works with.

        create: make the data directory and the catalog where they are missing; else an empty catalog stands for it.
        """
        chunking = self.settings.chunking
        rules = ChunkingRules(
            max_characters=chunking.max_characters,
            max_tokens=self.embedder.max_tokens,
            overlap=chunking.overlap,
            tokenizer=self.embedder.tokenizer,
        )
        identity = ChunkerIdentity(
            READER_REVISION, CHUNKER_REVISION, rules.max_characters, rules.max_tokens, rules.overlap, rules.tokenizer
        )
        sources = self.sources  # first: a command that names none, or a wrong one, leaves nothing behind
        for source in sources:
            source.check()
        if create:
            self._make_data_dir()
        catalog = self._open_catalog(create=True) if create else self._catalog_or_none_yet()
        return BuildParts(
            sources,
            self.embedder,
            self.encoder,
            self.store,
            catalog,
            rules,
            identity,
            self.settings.data_dir,
            worker_count(self.settings.ingest.workers),
            self.embedding_cache,
            PageLimits(self.settings.ingest.page_seconds, self.settings.ingest.page_megabytes),
        )

    def _catalog_or_none_yet(self) -> Catalog:
        """The relational store, or one with nothing in it where a build has not made it yet."""
        try:
            return self._open_catalog(create=False)
        except CatalogNotFound:
            from assay.adapters.catalog.memory import MemoryCatalog

            return MemoryCatalog()

    def _require_own_index(self) -> None:
        """Raise IndexNotOurs where a collection is adopted."""
        if self.adopted is not None:
            raise IndexNotOurs(
                f"[index] adopt serves the collection {self.adopted} as it is, and Assay never changes it.",
                hint="Fill it with the pipeline that made it; or remove adopt, and `assay publish` builds an index.",
            )

    def _open_searcher(self, generation_id: str) -> Searcher:
        generation = self.catalog.generation(generation_id)
        if not generation.state.is_sealed:
            raise NoLiveGeneration(f"Generation {generation.id} is {generation.state} and cannot be searched.")
        searcher = self.searcher_of(generation, self.settings.search)
        if self.needs_real_addresses and searcher.has_pages(_MADE_UP):
            searcher.close()
            raise ConfigurationError(
                f"Generation {generation.id} has pages without a real address (https://{PLACEHOLDER_HOST}/…): the "
                "links of its hits lead nowhere.",
                hint="Publish with --base-url, the address at which the pages are served.",
            )
        return searcher

    @property
    def _embeddings_file(self) -> Path:
        return self.settings.data_dir / "embeddings.sqlite"

    def _observe(self, call: EmbedderCall) -> None:
        if self.embedder_observer is not None:
            self.embedder_observer(call)

    def _make_data_dir(self) -> None:
        folder = self.settings.data_dir
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise ConfigurationError(
                f"The data directory {folder} cannot be made: {error.strerror}.",
                hint="Choose another with --data-dir or ASSAY_DATA_DIR.",
            ) from None
