"""Builds: sources in, a candidate out."""

import logging
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from assay.adapters.catalog.catalog import SqlCatalog
from assay.app.construction import embedded_store, source_of
from assay.app.parts import Parts
from assay.app.thread_check import require_threads
from assay.child_process import worker_count
from assay.errors import CatalogNotFound, ConfigurationError, InputError
from assay.ingest.chunking.chunker import CHUNKER_REVISION, ChunkingRules
from assay.ingest.parts import BuildParts
from assay.ingest.pipeline import BuildReport, Pipeline
from assay.ingest.preview import Preview, preview
from assay.ingest.reading import READER_REVISION, read_page
from assay.ingest.recutting import RecutParts, recut
from assay.ingest.workers.limits import PageLimits
from assay.model.documents import PageFailed, RawPage
from assay.model.generations import ChunkerIdentity, Generation
from assay.ports import Catalog, IndexSpec, Progress, Silence, VectorStore
from assay.settings import ChunkingSettings, SourceSettings

if TYPE_CHECKING:
    from assay.validation.deriving.deriving import LinkedDocument

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Recut:
    """The documents of a generation, chunked by other rules into a temporary generation.

    catalog, store: contain only that generation.
    """

    generation: Generation
    catalog: Catalog
    store: VectorStore


class Builds:
    """Reads the configured sources and builds candidates."""

    def __init__(self, parts: Parts) -> None:
        self._parts = parts

    def ingest(self, *, rebuild: bool = False, progress: Progress | None = None) -> BuildReport:
        """Build a candidate from the configured sources.

        rebuild: reuse nothing of earlier generations.

        Raises ConfigurationError without sources, BuildInProgress, SourceError, EmbeddingError, VectorStoreError,
        CatalogError, IndexNotOurs; InputError while the program ends.
        """
        self._parts.require_own_index()
        require_threads()
        return Pipeline(self._build_parts(), progress or Silence()).build(rebuild=rebuild)

    def preview(self, *, rebuild: bool = False, progress: Progress | None = None) -> Preview:
        """Report what ingest would do, without building. Pages fetched from a site are stored for ingest.

        Raises ConfigurationError without sources, SourceError, CatalogError, IndexNotOurs.
        """
        self._parts.require_own_index()
        return preview(self._build_parts(create=False), progress or Silence(), rebuild=rebuild)

    def read_documents(self) -> "Iterator[LinkedDocument]":
        """Read the documents of the configured sources; a page that cannot be read is left out with a warning.

        Raises ConfigurationError, SourceError.
        """
        for source in self._parts.sources:
            for page in source.read({}):
                if isinstance(page, PageFailed):
                    logger.warning("%s is left out: %s", page.key, page.reason)
                elif isinstance(page, RawPage):
                    try:
                        yield read_page(page)
                    except InputError as error:
                        logger.warning("%s is left out: %s", page.key, error.message)

    def has_first_page(self, site: SourceSettings) -> bool:
        """Fetch the first page of a site. Return whether it has something to search. Raises SourceError."""
        with tempfile.TemporaryDirectory(prefix="assay-") as folder:
            first = source_of(site.model_copy(update={"max_pages": 1}), Path(folder))
            with _errors_only("assay.adapters.sources.site"):  # the warning about the limit of one page is expected
                return any(isinstance(page, RawPage) for page in first.read({}))

    def rules(self, chunking: ChunkingSettings) -> ChunkingRules:
        """Return the chunking rules for these settings and the configured embedder."""
        embedder = self._parts.embedder
        return ChunkingRules(chunking.max_characters, embedder.max_tokens, chunking.overlap, embedder.tokenizer)

    @contextmanager
    def recut(self, base: Generation, rules: ChunkingRules, progress: Progress) -> Iterator[Recut]:
        """Chunk the documents of a generation by other rules, in a temporary folder that is removed afterwards.

        Raises GenerationError for documents stored without their sections, EmbeddingError, VectorStoreError,
        CatalogError.
        """
        parts = self._parts
        with (
            tempfile.TemporaryDirectory(prefix="assay-sweep-", ignore_cleanup_errors=True) as folder,
            ExitStack() as opened,
        ):
            place = Path(folder)
            catalog = opened.enter_context(
                closing(SqlCatalog.open(f"sqlite:///{(place / 'catalog.sqlite').as_posix()}", create=True))
            )
            store = embedded_store(parts.settings, place / "generations")
            earlier = opened.enter_context(closing(parts.store.open(base.id, IndexSpec.of(base), patient=True)))
            recut_parts = RecutParts(
                base=base,
                documents=parts.catalog,
                earlier=earlier if base.embedder == parts.embedder.identity else None,
                earlier_chunks=partial(parts.catalog.embedded_chunks, base.id),
                embedder=parts.embedder,
                encoder=parts.encoder,
                cache=parts.embedding_cache,
                catalog=catalog,
                store=store,
                work_dir=place,
            )
            yield Recut(recut(recut_parts, rules, progress), catalog, store)

    def _build_parts(self, *, create: bool = True) -> BuildParts:
        """Collect the parts of a build.

        create: create the data directory and the catalog if missing; if false, use an empty catalog instead.
        """
        parts, settings = self._parts, self._parts.settings
        rules = self.rules(settings.chunking)
        identity = ChunkerIdentity(
            READER_REVISION, CHUNKER_REVISION, rules.max_characters, rules.max_tokens, rules.overlap, rules.tokenizer
        )
        sources = parts.sources  # first: without valid sources, nothing must be created
        for source in sources:
            source.check()
        if create:
            _make_folder(settings.data_dir)
        catalog = parts.open_catalog(create=True) if create else self._catalog_or_empty()
        return BuildParts(
            sources,
            parts.embedder,
            parts.encoder,
            parts.store,
            catalog,
            rules,
            identity,
            settings.data_dir,
            worker_count(settings.ingest.workers),
            settings.ingest.options(PageLimits),
            parts.embedding_cache,
        )

    def _catalog_or_empty(self) -> Catalog:
        """Return the relational store, or an empty one before the first build."""
        try:
            return self._parts.open_catalog(create=False)
        except CatalogNotFound:
            from assay.adapters.catalog.memory import MemoryCatalog

            return MemoryCatalog()


def _make_folder(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ConfigurationError(
            f"The data directory {folder} cannot be created: {error.strerror}.",
            hint="Choose another with --data-dir or ASSAY_DATA_DIR.",
        ) from None


@contextmanager
def _errors_only(name: str) -> Iterator[None]:
    """Let a package log errors only."""
    logger = logging.getLogger(name)
    before = logger.level
    logger.setLevel(logging.ERROR)
    try:
        yield
    finally:
        logger.setLevel(before)
