"""The adapters that the settings name, each built on first use."""

import secrets
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from datetime import timedelta
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING

from assay.adapters.access.key_file import KeyFile
from assay.adapters.catalog.catalog import SqlCatalog
from assay.adapters.catalog.sql.postgres import PostgresOptions
from assay.adapters.embedders.embedding_cache import SqliteEmbeddingCache
from assay.adapters.stores.adopted.refusal import read_only
from assay.adapters.stores.bm25 import Bm25Encoder
from assay.app.construction import adopted_store, embedded_store, qdrant_store, source_of
from assay.app.embedders import embedder_of
from assay.app.locked_property import LockedProperty
from assay.app.rerankers import reranker_of
from assay.errors import CatalogUnavailable, ConfigurationError
from assay.model.workers import SECRET_BYTES, WorkerShare
from assay.ports import (
    Catalog,
    Embedder,
    EmbedderCall,
    EmbedderObserver,
    EmbeddingCache,
    Reranker,
    RerankerCall,
    RerankerObserver,
    SparseEncoder,
    VectorStore,
)
from assay.release.promotion import GenerationLifecycle
from assay.retrieval.reranking import Reranking
from assay.settings import RerankSettings, Settings

if TYPE_CHECKING:
    from assay.adapters.access.request_limits import RequestLimits
    from assay.adapters.query_log.store import QueryLog
    from assay.adapters.query_log.writer import QueryWriter
    from assay.adapters.sources.built.source import BuiltSource
    from assay.adapters.sources.folder.source import FolderSource
    from assay.adapters.sources.site.http.url_check import UrlCheck
    from assay.adapters.sources.site.source import SiteSource
    from assay.adapters.stores.adopted.catalog import AdoptedCatalog
    from assay.adapters.stores.adopted.store import AdoptedStore
    from assay.adapters.telemetry.traces import RequestTraces
    from assay.adapters.testset_files.label_journal import LabelJournal
    from assay.adapters.testset_files.skipped_hits import SkippedHits


class Parts:
    """The adapters for one data directory and one configuration. Thread-safe.

    A search loads no catalog migrations, and a listing loads no model.

    embedder_observer, reranker_observer: called after each request to an embedding provider, and to a reranker;
        settable at any time.
    query_observer: called with `logged`, `clicks` or `dropped` and a number, for queries that are logged.
    workers: what this process shares with the other workers of its server; settable before serving, None for one
        process alone.
    """

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.embedder_observer: EmbedderObserver | None = None
        self.workers: WorkerShare | None = None
        self.reranker_observer: RerankerObserver | None = None
        self.query_observer: Callable[[str, int], None] | None = None
        self._rerankers: dict[RerankSettings, Reranker] = {}
        self._catalog: SqlCatalog | None = None
        self._catalog_lock, self._rerankers_lock = Lock(), Lock()
        self._is_closed = False

    def require_open(self) -> None:
        """Raise CatalogUnavailable after close()."""
        if self._is_closed:
            raise CatalogUnavailable("This Assay is closed.", hint="`assay.open()` opens it again.")

    def close(self) -> None:
        """Close the adapters that were built. Afterwards the catalog cannot be opened again."""
        self._is_closed = True
        if "embedder" in self.__dict__:
            self.embedder.close()
        for reranker in self._rerankers.values():
            reranker.close()
        if "query_writer" in self.__dict__:
            self.query_writer.close()
        if "query_log" in self.__dict__:
            self.query_log.close()
        if "embedding_cache" in self.__dict__:
            self.embedding_cache.close()
        if "adopted_store" in self.__dict__:
            self.adopted_store.close()
        elif "store" in self.__dict__:
            self.store.close()
        with self._catalog_lock:
            catalog, self._catalog = self._catalog, None
        if catalog is not None:
            catalog.close()

    @property
    def adopted(self) -> str | None:
        """Name of the adopted collection, which Assay reads and did not build; None if there is none."""
        return self.settings.index.adopt

    @property
    def catalog(self) -> Catalog:
        """The relational store. Raises CatalogNotFound before the first build.

        For an adopted collection, a catalog in memory that lists it as the live generation.
        """
        self.require_open()
        if self.adopted is not None:
            return self._adopted_catalog
        return self.open_catalog(create=False)

    def open_catalog(self, *, create: bool) -> Catalog:
        """Open the relational store.

        create: create it, or migrate it to this version's schema, if needed. Raises CatalogError; CatalogUnavailable
        after close().
        """
        self.require_open()
        if self._catalog is not None:
            return self._catalog
        # Without the lock: while a database does not answer, threads would wait for it one after the other.
        options = self.settings.catalog.options(PostgresOptions)
        opened = SqlCatalog.open(self.settings.catalog_url, create=create, options=options)
        return self._keep_catalog(opened)

    def _keep_catalog(self, opened: SqlCatalog) -> SqlCatalog:
        """The catalog that all threads share: this one, or one that another thread has opened meanwhile."""
        with self._catalog_lock:
            if self._catalog is None and not self._is_closed:
                self._catalog = opened
            kept = self._catalog
        if kept is not opened:
            opened.close()
        self.require_open()
        assert kept
        return kept

    @LockedProperty
    def store(self) -> VectorStore:
        """The store of the indexes. Raises ConfigurationError."""
        if self.adopted is not None:
            return self.adopted_store
        if self.settings.vector_store == "qdrant":
            return qdrant_store(self.settings)
        return embedded_store(self.settings, self.settings.index_dir)

    @LockedProperty
    def adopted_store(self) -> "AdoptedStore":
        """The adopted collection. Raises ConfigurationError if none is set."""
        return adopted_store(self.settings, self.encoder)

    @LockedProperty
    def _adopted_catalog(self) -> "AdoptedCatalog":
        from assay.adapters.stores.adopted.catalog import AdoptedCatalog

        store = self.adopted_store
        return AdoptedCatalog(store, lambda: self.embedder.identity, self.encoder.identity(1.0))

    @LockedProperty
    def embedder(self) -> Embedder:
        """The configured model; loading it takes a moment. Raises ConfigurationError."""
        return embedder_of(self.settings.embedding, self._observe)

    def reranking(self, settings: RerankSettings) -> Reranking | None:
        """The reranker of these settings, and how many hits it orders; None if nothing is reranked.

        Searches with equal settings share one, with its connections and its circuit breaker.

        Raises ConfigurationError.
        """
        if settings.provider is None:
            return None
        with self._rerankers_lock:
            if settings not in self._rerankers:
                made = reranker_of(settings, self.settings.embedding.cohere_api_key, self._observe_reranker)
                assert made is not None
                self._rerankers[settings] = made
            return Reranking(self._rerankers[settings], settings.depth)

    @LockedProperty
    def embedding_cache(self) -> EmbeddingCache:
        """Cache of paid vectors that are not live yet. A build creates its file on first use."""
        return SqliteEmbeddingCache(self.embeddings_file)

    @LockedProperty
    def encoder(self) -> SparseEncoder:
        """BM25 in the configured language."""
        return Bm25Encoder(self.settings.sparse.language)

    @LockedProperty
    def keys(self) -> KeyFile:
        """The API keys."""
        return KeyFile(self.settings.keys_path)

    @property
    def embeddings_file(self) -> Path:
        """Path of the embedding cache; it need not exist."""
        return self.settings.data_dir / "embeddings.sqlite"

    @LockedProperty
    def skipped_hits(self) -> "SkippedHits":
        """Hits skipped while labelling."""
        from assay.adapters.testset_files.skipped_hits import SkippedHits

        return SkippedHits(self.settings.data_dir / "skipped.jsonl")

    @LockedProperty
    def label_journal(self) -> "LabelJournal":
        """The labels of each judge."""
        from assay.adapters.testset_files.label_journal import LabelJournal

        return LabelJournal(self.settings.data_dir / "labels.jsonl")

    @LockedProperty
    def query_log(self) -> "QueryLog":
        """The stored log of queries; no connection is opened. Raises ConfigurationError."""
        from assay.adapters.query_log.store import QueryLog

        options = self.settings.catalog.options(PostgresOptions)
        return QueryLog.open(self.settings.catalog_url, self.settings.data_dir / "queries.sqlite", options)

    @LockedProperty
    def query_writer(self) -> "QueryWriter":
        """Writes the log of queries in a thread, which starts with the first query. Raises ConfigurationError."""
        from assay.adapters.query_log.writer import LogRules, QueryWriter

        settings = self.settings.queries
        rules = LogRules(timedelta(days=settings.keep_days), settings.keep, self.redact_query)
        return QueryWriter(self.query_log, rules, self._observe_queries)

    @LockedProperty
    def redact_query(self) -> Callable[[str], str]:
        """Redacts the text of a query as `[queries]` sets it."""
        from assay.adapters.query_log.redaction import QueryRedactor

        return QueryRedactor(self.settings.queries.redact)

    def url_check(self) -> "UrlCheck":
        """Build a check that requests the URLs of hits; the caller closes it."""
        from assay.adapters.sources.site.http.url_check import UrlCheck

        addresses = (one.base_url or one.url for one in self.settings.sources)
        return UrlCheck([str(url) for url in addresses if url])

    def request_limits(self) -> "RequestLimits":
        """Build the counters of one server's rate limits, which its workers share. Raises ConfigurationError."""
        from assay.adapters.access.request_limits import RequestLimits

        counters = None
        if self.workers is not None:
            from assay.adapters.access.shared_counters import shared_counters

            counters = shared_counters(self.workers)
        if self.settings.server.rate_limit_storage is None:
            return RequestLimits(counters)
        from assay.adapters.access.redis_counters import SharedLimits

        return SharedLimits(self.settings.server.rate_limit_storage, counters)

    def release_lock(self) -> AbstractContextManager[object]:
        """Build the lock of one server's releases over HTTP, which its workers share."""
        if self.workers is None:
            return Lock()
        from assay.adapters.access.shared_counters import ProcessLock

        return ProcessLock(self.workers.release_lock(self.workers.folder))

    @LockedProperty
    def server_secret(self) -> bytes:
        """Random bytes of one server, which its workers share."""
        return self.workers.secret if self.workers is not None else secrets.token_bytes(SECRET_BYTES)

    def request_traces(self) -> "RequestTraces | None":
        """Build the exporter of one server's traces; None if OpenTelemetry is not installed."""
        from assay.adapters.telemetry.traces import RequestTraces, traces_installed

        return RequestTraces() if traces_installed() else None

    @property
    def lifecycle(self) -> GenerationLifecycle:
        """Promotion, rollback and retention of generations. Raises CatalogError."""
        return GenerationLifecycle(self.catalog, self.store, self.settings.release.keep)

    @LockedProperty
    def sources(self) -> "tuple[FolderSource | BuiltSource | SiteSource, ...]":
        """The configured sources. Raises ConfigurationError if there are none, or two with one name."""
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

    @LockedProperty
    def boosts(self) -> Mapping[str, float]:
        """Factor of each source's scores, by name; empty where all are 1."""
        if all(settings.boost == 1.0 for settings in self.settings.sources):
            return {}
        return {source.name: one.boost for source, one in zip(self.sources, self.settings.sources, strict=True)}

    def require_own_index(self) -> None:
        """Raise IndexNotOurs if a collection is adopted, CatalogUnavailable after close()."""
        self.require_open()
        if self.adopted is not None:
            raise read_only(self.adopted)

    def _observe(self, call: EmbedderCall) -> None:
        if self.embedder_observer is not None:
            self.embedder_observer(call)

    def _observe_queries(self, event: str, number: int) -> None:
        if self.query_observer is not None:
            self.query_observer(event, number)

    def _observe_reranker(self, call: RerankerCall) -> None:
        if self.reranker_observer is not None:
            self.reranker_observer(call)
