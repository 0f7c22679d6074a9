"""The only place that builds objects: settings in, a working Assay out."""

import logging
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, nullcontext
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import cached_property, partial
from importlib.util import find_spec
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any, Self

from pydantic import SecretStr

from assay.adapters.bm25 import Bm25Encoder
from assay.adapters.catalog import SqlCatalog
from assay.adapters.edge import EdgeStore
from assay.adapters.embedders import EmbedderChoice, choose_embedder, models_by_dimension
from assay.adapters.embedding_cache import SqliteEmbeddingCache
from assay.adapters.folder import FolderSource
from assay.adapters.key_file import KeyFile
from assay.adapters.sql.postgres import PostgresOptions
from assay.adapters.static import StaticEmbedder
from assay.errors import (
    AssayError,
    BuildInProgress,
    CatalogError,
    ConfigurationError,
    GenerationError,
    GenerationNotFound,
    IndexNotOurs,
    InputError,
    NoLiveGeneration,
)
from assay.ingest.chunking.chunker import CHUNKER_REVISION, ChunkingRules
from assay.ingest.pipeline import BuildParts, BuildReport, Pipeline
from assay.ingest.reading import READER_REVISION, read_page
from assay.ingest.workers.read_ahead import worker_count
from assay.model.documents import PageFailed, RawPage
from assay.model.evaluation import Outcome, ResolvedTopic, Run, TestSet, Verdict
from assay.model.generations import ChunkerIdentity, Generation, State
from assay.model.ranking import Mode, Query, Ranking
from assay.model.validations import TopicResult, Validation
from assay.ports import (
    Catalog,
    ChunkMetadata,
    Embedder,
    EmbedderCall,
    EmbedderObserver,
    EmbeddingCache,
    IndexSpec,
    Progress,
    Silence,
    SparseEncoder,
    Vector,
    VectorIndex,
    VectorStore,
)
from assay.release.promotion import Releases, has_pass
from assay.retrieval.fusion import FusionWeights
from assay.retrieval.live import LiveSearcher
from assay.retrieval.searcher import Searcher, SearchRules, embed_query
from assay.settings import (
    EmbeddingSettings,
    GateSettings,
    LimitSettings,
    QdrantSettings,
    Settings,
    SourceSettings,
    load_settings,
)
from assay.testsets import load_test_set
from assay.validation.calibration import Calibration, calibrate
from assay.validation.gate import Gate, MeasureLimit, QualityLimits
from assay.validation.integrity import Audit, EmbeddingCost, Recheck, audit, embedding_cost, most_suspicious
from assay.validation.judgments.collection import CollectionCorpus
from assay.validation.judgments.corpus import CatalogCorpus, Corpus
from assay.validation.judgments.repairing import RepairPlan, plan_repairs
from assay.validation.judgments.resolving import resolve
from assay.validation.labelling.sheet import Sheet, chosen, to_label
from assay.validation.labelling.wording import worded
from assay.validation.latency import Load
from assay.validation.measuring import Measures, measure_topics
from assay.validation.metrics import parse_measure
from assay.validation.observing import observe, unjudged
from assay.validation.runner import Asked, run_topics
from assay.validation.structure import Judged, StructuralLimits
from assay.validation.suite import Plan, System, validate

if TYPE_CHECKING:
    from assay.adapters.adopted.catalog import AdoptedCatalog
    from assay.adapters.adopted.store import AdoptedStore
    from assay.adapters.prometheus import Metrics, ServedGeneration
    from assay.adapters.qdrant_options import Access, Reading
    from assay.adapters.skipped import SkippedHits
    from assay.validation.deriving.deriving import LinkedDocument

logger = logging.getLogger(__name__)

_GATE_SAMPLE = 1_000
"""Chunks whose vectors the gate makes anew: half a second, and it finds a fault of 1 chunk in 200 with a certainty of
99%. `assay audit` makes all of them."""

CANDIDATE = "candidate"
"""Stands for the id of the generation that waits to be promoted."""


@dataclass(frozen=True, slots=True)
class Health:
    """Whether the parts that a search needs are there.

    vector_store, catalog: whether each can be reached.
    generation: id of the generation that is served; None when nothing is.
    problems: what is wrong, for the log; not for the public.
    """

    vector_store: bool
    catalog: bool
    generation: str | None
    problems: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class PublishReport:
    """What a publish did.

    verdict: None when nothing had changed and the live generation stays.
    promoted: the generation that went live; None when none did.
    validation: what the verdict follows from.
    """

    build: BuildReport
    verdict: Verdict | None
    promoted: Generation | None
    validation: Validation | None = None


@dataclass(frozen=True, slots=True)
class AuditReport:
    """What an audit found. seconds: how long it took."""

    generation: Generation
    audit: Audit
    seconds: float


@dataclass(frozen=True, slots=True)
class CalibrationReport:
    """Which similarity parts relevant from irrelevant hits in a generation.

    mode, depth: of the searches whose hits were looked at.
    unjudged: hits that say nothing, for nobody has judged them.
    failed: why topics could not be asked, by id.
    """

    generation: Generation
    mode: Mode
    depth: int
    calibration: Calibration
    unjudged: int
    failed: Mapping[str, str]


class Assay:
    """Everything that Assay can do, over one data directory and one configuration.

    Parts are built when they are first needed: a search loads no catalog migrations, a listing no model.

    generation: id of the generation to search instead of the live one, or CANDIDATE for the one that waits.
    embedder_observer: told of every request to a provider of embeddings; may be set at any time.
    """

    def __init__(self, settings: Settings, generation: str | None = None) -> None:
        self.settings = settings
        self._asked = generation
        self.embedder_observer: EmbedderObserver | None = None
        self._catalog: SqlCatalog | None = None

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

    # --- building and releasing ------------------------------------------------------------------------------------

    def ingest(self, *, rebuild: bool = False, progress: Progress | None = None) -> BuildReport:
        """Build a candidate from the configured sources.

        rebuild: as if there were no generation before.

        Raises ConfigurationError without sources, BuildInProgress, SourceError, EmbeddingError, VectorStoreError,
        CatalogError, IndexNotOurs.
        """
        self._require_own_index()
        return Pipeline(self._build_parts(), progress or Silence()).build(rebuild=rebuild)

    def validate(
        self,
        generation_id: str | None = None,
        test_set: Path | None = None,
        progress: Progress | None = None,
        load: Sequence[Load] = (),
    ) -> Validation:
        """Measure a generation, judge it by the gate, and store the verdict with it.

        generation_id: None for the candidate, or the live generation where there is none.
        test_set: file of labelled queries; None for that of [validation]. With neither, only the structure is judged.
        load: what latency is measured under besides, one after the other.

        Raises InputError for a test set that cannot be used; GenerationNotFound, CatalogError, VectorStoreError,
        EmbeddingError where a check of the structure cannot run. A topic that cannot be asked is a finding.
        """
        generation = self._to_validate(generation_id)
        path = test_set or self.settings.validation.testset
        labelled = load_test_set(path) if path else None
        with ExitStack() as opened:
            plan = self._plan(generation, labelled, path, load, opened)
            validation = validate(plan, progress or Silence())
        if self.adopted is None:
            self.releases.record(validation.verdict)
        return validation

    def write_report(self, validation: Validation) -> dict[str, Path]:
        """Write a validation into the folder of [validation], as JSON, HTML, Markdown and JUnit XML.

        Returns the path of each file by its suffix. Raises ConfigurationError where they cannot be written.
        """
        from assay.contracts.validation_report import to_json
        from assay.validation.report.files import write_reports
        from assay.validation.report.html import to_html
        from assay.validation.report.junit import to_junit
        from assay.validation.report.markdown import to_markdown

        contents = {
            "md": to_markdown(validation).encode("utf-8", "replace"),
            "xml": to_junit(validation).encode("utf-8", "replace"),
            "html": to_html(validation).encode("utf-8", "replace"),
            "json": to_json(validation),
        }
        return write_reports(self.settings.validation.output_dir, validation.started_at, contents)

    def label_sheet(
        self,
        test_set: TestSet,
        generation_id: str | None = None,
        *,
        topics: Sequence[str] = (),
        depth: int = 5,
        progress: Progress | None = None,
    ) -> Sheet:
        """The hits of a generation that nobody has judged.

        generation_id: as in validate. topics: ids; all of them where none is named.
        depth: how many hits of each topic are looked at.

        Raises InputError for an id that no topic has, GenerationError, CatalogError, VectorStoreError. A topic that
        cannot be asked is in the sheet's `failed`.
        """
        from assay.contracts.highlights import highlights

        generation = self._to_validate(generation_id)
        part = chosen(test_set, topics)
        asking = partial(replace, depth=max(depth, self.settings.validation.depth))
        with ExitStack() as opened:
            searcher = self._searcher_until(opened, generation.id)
            run, results = self._measured(generation, searcher, part, progress, asking)
            found = to_label(part, results, self.gate.quality, depth)
            items, problems = worded(self._corpus(generation, searcher), found, highlights)
        failed = {one.topic.id: one.error for one in results if one.error is not None}
        return Sheet(generation.id, part, tuple(items), tuple(results), run, failed, tuple(problems))

    def measured_again(self, sheet: Sheet, test_set: TestSet) -> list[TopicResult]:
        """The topics of a sheet by the labels that a test set has by now; nothing is searched again.

        Topics that it has no more are left out. Raises CatalogError, VectorStoreError.
        """
        runs = {run.topic_id: run for run in sheet.run.topics}
        there = tuple(topic for topic in test_set.topics if topic.id in runs)
        with ExitStack() as opened:
            searcher = self._searcher_until(opened, sheet.generation)
            topics = resolve(replace(test_set, topics=there), self._corpus(searcher.generation, searcher))
        run = replace(sheet.run, topics=tuple(runs[topic.id] for topic in there))
        return measure_topics(run, topics, Measures.named())

    def calibrate(
        self,
        test_set: TestSet,
        generation_id: str | None = None,
        *,
        mode: Mode | None = None,
        depth: int | None = None,
        progress: Progress | None = None,
    ) -> CalibrationReport:
        """Find which similarity parts relevant from irrelevant hits of a generation.

        generation_id: as in validate. mode: of the searches; None for that of [search].
        depth: how many hits of each topic are looked at; None for that of [validation].

        Raises GenerationError, CatalogError, VectorStoreError, IdentityMismatch. A topic that cannot be asked is in the
        report's `failed`.
        """
        generation = self._to_validate(generation_id)
        depth, mode = depth or self.settings.validation.depth, mode or self.settings.search.mode
        asking = partial(replace, mode=mode, depth=depth, threshold=0.0)
        with ExitStack() as opened:
            searcher = self._searcher_until(opened, generation.id)
            _, results = self._measured(generation, searcher, test_set, progress, asking)
        return CalibrationReport(
            generation,
            mode,
            depth,
            calibrate(observe(results, depth)),
            unjudged(results, depth),
            {one.topic.id: one.error for one in results if one.error is not None},
        )

    @cached_property
    def skipped(self) -> "SkippedHits":
        """Hits that somebody who labelled passed over."""
        from assay.adapters.skipped import SkippedHits

        return SkippedHits(self.settings.data_dir / "skipped.jsonl")

    def audit(
        self,
        generation_id: str | None = None,
        *,
        sample: int | None = None,
        everything: bool = False,
        agree: Callable[[EmbeddingCost], bool] = lambda _: True,
        progress: Progress | None = None,
    ) -> AuditReport:
        """Look at every document, chunk and point of a generation, and make vectors anew to compare.

        generation_id: None for the live generation, or the candidate where nothing is live; CANDIDATE for that.
        sample: make so many vectors anew; with an embedder that costs something, half of them those that fit their
            texts least by the built-in model's opinion. everything: make all of them anew. Without either it is all
            where the embedder is quick and costs nothing, else none. Keyword vectors are all made anew.
        agree: asked before an embedder that costs something is asked; to say no leaves the vectors uncompared.

        Raises GenerationError, CatalogError, StoreUnavailable, EmbeddingError, IndexNotOurs.
        """
        self._require_own_index()
        started = perf_counter()
        generation = self._audited(generation_id)
        progress = progress or Silence()
        inspected = self.store.inspect(generation.id, IndexSpec.of(generation))
        with closing(inspected.index) if inspected.index is not None else nullcontext() as index:
            recheck = self._recheck(generation, index, None if everything else sample, everything, agree, progress)
            report = audit(generation, self.catalog, index, progress, recheck, inspected.problems)
        return AuditReport(generation, report, perf_counter() - started)

    def publish(self, *, rebuild: bool = False, progress: Progress | None = None) -> PublishReport:
        """Build, validate, and promote what passes; a candidate that fails is rejected, an undecided one waits.

        Raises what ingest, validate and promote raise.
        """
        self._check_before_building()
        build = self.ingest(rebuild=rebuild, progress=progress)
        if build.generation.state is State.LIVE:
            self.releases.show()
            return PublishReport(build, None, None)
        validation = self.validate(build.generation.id, progress=progress)
        outcome = validation.verdict.outcome
        if outcome is Outcome.FAIL:
            self.releases.reject(validation.verdict)
        promoted = self._promote(build.generation, validation.verdict.test_set) if outcome is Outcome.PASS else None
        return PublishReport(build, validation.verdict, promoted, validation)

    def promote(
        self, generation_id: str | None = None, progress: Progress | None = None, test_set: Path | None = None
    ) -> Generation:
        """Make the candidate live, or the generation named, validating first what has no PASS that still holds.

        test_set: as in validate; None also takes the one that the candidate was last judged by.

        Raises PromotionRefused, InvalidTransition, GenerationNotFound, IndexNotOurs, and what validate raises.
        """
        self._require_own_index()
        generation = self.catalog.generation(generation_id) if generation_id else self.releases.candidate()
        if generation.state is not State.CANDIDATE:
            return self._promote(generation, None)
        path = test_set or self.settings.validation.testset or _judged_by(generation)
        labelled = load_test_set(path) if path else None
        fingerprint = labelled.fingerprint if labelled else None
        if not has_pass(generation, self.gate.fingerprint, fingerprint):
            self.validate(generation.id, path, progress)
        return self._promote(generation, fingerprint)

    def rollback(self) -> Generation:
        """Make the generation live again that was live before. Raises GenerationNotFound, IndexNotOurs."""
        self._require_own_index()
        return self.releases.rollback()

    def generations(self) -> list[Generation]:
        """All generations, newest first."""
        return self.catalog.generations()

    def linked_documents(self, generation_id: str | None = None) -> "Iterator[LinkedDocument]":
        """The documents of a generation with their links and headings. generation_id: None for live, or CANDIDATE.

        Raises NoLiveGeneration, GenerationNotFound, CatalogError; IndexNotOurs for an adopted collection, which has no
        links; InputError for a generation whose links were not kept.
        """
        found = self._kept_generation(generation_id)
        for document in self.catalog.documents(found):
            if document.links is None:
                raise InputError(
                    f"Generation {found} was built before links were kept.", hint="Run `assay publish`, and try again."
                )
            yield document

    def resolved(self, test_set: TestSet, generation_id: str | None = None) -> tuple[str, tuple[ResolvedTopic, ...]]:
        """Where a test set's judgments are in a generation, and its id. generation_id: None for live, or CANDIDATE.

        Raises NoLiveGeneration, GenerationNotFound, IndexNotOurs, CatalogError.
        """
        found = self._kept_generation(generation_id)
        return found, resolve(test_set, CatalogCorpus(self.catalog, found))

    def planned_repairs(
        self, test_set: TestSet, generation_id: str | None = None, *, everything: bool = False
    ) -> tuple[str, RepairPlan]:
        """What a test set should say so that its judgments are found on a generation, and the generation's id.

        generation_id: None for the live one, or CANDIDATE. everything: see plan_repairs.

        Raises NoLiveGeneration, GenerationNotFound, CatalogError, VectorStoreError.
        """
        if self.adopted is None:
            found = self._kept_generation(generation_id)
            return found, plan_repairs(test_set, CatalogCorpus(self.catalog, found), everything=everything)
        found = generation_id or self.catalog.live_id() or ""
        with closing(self._open_searcher(found)) as searcher:
            return found, plan_repairs(test_set, CollectionCorpus(searcher.index), everything=everything)

    def read_documents(self) -> "Iterator[LinkedDocument]":
        """The documents of the configured sources, read anew; a page that cannot be read is left out with a warning.

        Raises ConfigurationError, SourceError.
        """
        for source in self.sources:
            for page in source.read({}):
                if isinstance(page, PageFailed):
                    logger.warning("%s is left out: %s", page.key, page.reason)
                elif isinstance(page, RawPage):
                    try:
                        yield read_page(page)
                    except InputError as error:
                        logger.warning("%s is left out: %s", page.key, error.message)

    # --- searching -------------------------------------------------------------------------------------------------

    def search(self, query: Query) -> Ranking:
        """Ask the live generation, or the one that was named in its place.

        Raises InputError, NoLiveGeneration, GenerationNotFound, IdentityMismatch, EmbeddingError, VectorStoreError,
        CatalogError.
        """
        with self.live.lease() as searcher:
            return searcher.search(query)

    def embed_query(self, text: str) -> Vector:
        """The configured model's vector of a query: float32 of shape (dimension,), of length 1.

        Raises InputError for a text in which the model knows nothing, EmbeddingError.
        """
        return embed_query(self.embedder, text)

    def search_embedding(self, query: Query, vector: Vector) -> Ranking:
        """Ask the live generation with an embedding that was made before. See Searcher.search_embedding.

        Raises NoLiveGeneration, IdentityMismatch, InvalidEmbedding, VectorStoreError, CatalogError.
        """
        with self.live.lease() as searcher:
            return searcher.search_embedding(query, vector)

    def served_generation(self) -> Generation:
        """The generation that searches are answered from. Raises NoLiveGeneration, or why it cannot be opened."""
        with self.live.lease() as searcher:
            return searcher.generation

    def metadata(self, chunk_ids: Sequence[str], generation_id: str) -> dict[str, ChunkMetadata]:
        """What the catalog says of these chunks while this generation is live; nothing once another one is.

        Raises CatalogError, without a long wait.
        """
        return self.catalog.chunk_metadata(chunk_ids, generation_id)

    def start_serving(self) -> None:
        """Open the live generation, if there is one, and follow every promotion from now on."""
        try:
            self.live.refresh()
        except AssayError as error:
            logger.warning("Nothing can be served yet: %s", error)
        self.live.watch(self.settings.server.poll_seconds)

    def health(self) -> Health:
        """Look at the parts that a search needs; takes well under a second."""
        problems = []
        catalog = store = True
        try:
            self.catalog.check()
        except CatalogError as error:
            catalog = False
            problems.append(f"catalog: {error.message}")
        try:
            self.store.check()
        except AssayError as error:
            store = False
            problems.append(f"vector store: {error.message}")
        status = self.live.status()
        if status.problem:
            problems.append(f"live generation: {status.problem}")
        elif status.generation is None:
            problems.append("live generation: nothing has been promoted yet")
        return Health(store, catalog, status.generation, tuple(problems))

    # --- the parts -------------------------------------------------------------------------------------------------

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
            return _qdrant_store(self.settings)
        return EdgeStore(self.settings.index_dir, hnsw_threshold=self.settings.index.hnsw_threshold)

    @cached_property
    def adopted_store(self) -> "AdoptedStore":
        """The collection that Assay did not make. Raises ConfigurationError where none is named."""
        return _adopted_store(self.settings, self.encoder)

    @cached_property
    def _adopted_catalog(self) -> "AdoptedCatalog":
        from assay.adapters.adopted.catalog import AdoptedCatalog

        store = self.adopted_store
        return AdoptedCatalog(store, lambda: self.embedder.identity, self.encoder.identity(1.0))

    @cached_property
    def embedder(self) -> Embedder:
        """The configured model; loading it takes a moment. Raises ConfigurationError."""
        return choose_embedder(_choice(self.settings.embedding), self._observe)

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
        from assay.adapters.prometheus import Metrics

        return Metrics(self._served)

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
        """What a candidate has to reach."""
        return gate_of(self.settings.gate)

    @cached_property
    def releases(self) -> Releases:
        """Promotion, rollback and retention."""
        return Releases(self.catalog, self.store, self.settings.release.keep)

    @cached_property
    def sources(self) -> tuple[FolderSource, ...]:
        """The configured sources. Raises ConfigurationError when there are none, or two of one name."""
        if not self.settings.sources:
            raise ConfigurationError(
                "There is nothing to read: no source is configured.",
                hint="Name a folder (`assay ingest docs/`), or add [[sources]] to assay.toml (see `assay init`).",
            )
        sources = tuple(_folder(settings) for settings in self.settings.sources)
        names = [source.name for source in sources]
        for name in names:
            if names.count(name) > 1:
                raise ConfigurationError(
                    f"Two sources are called {name!r}.", hint="Give each a name of its own: `name` in [[sources]]."
                )
        return sources

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
        from assay.adapters.prometheus import ServedGeneration

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

    def _kept_generation(self, generation_id: str | None) -> str:
        """Id of a generation whose documents are kept: the one named, that of CANDIDATE, or the live one."""
        if self.adopted is not None:
            raise IndexNotOurs(
                f"The pages of the collection {self.adopted} are not kept, only its points.",
                hint="Name the folder that they come from, and --base-url.",
            )
        found = self.releases.candidate().id if generation_id == CANDIDATE else generation_id or self.catalog.live_id()
        if found is None:
            raise NoLiveGeneration(
                "Nothing is live yet.", hint="Run `assay publish`; or name the candidate, or a folder to read."
            )
        return self.catalog.generation(found).id

    def _live_id(self) -> str | None:
        return self.catalog.live_id() if self._asked is None else self._asked_id

    @cached_property
    def _asked_id(self) -> str:
        """The generation that was named; a candidate stays the same one, whatever becomes of it."""
        if self._asked == CANDIDATE:
            return self.releases.candidate().id
        return self.catalog.generation(str(self._asked)).id

    def _build_parts(self) -> BuildParts:
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
        self._make_data_dir()
        catalog = self._open_catalog(create=True)
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
        )

    # --- validating ------------------------------------------------------------------------------------------------

    def _check_before_building(self) -> None:
        """Raise InputError for what a validation would refuse, before hours of building."""
        Measures.named(self.settings.validation.measures)
        gate_of(self.settings.gate)
        if self.settings.validation.testset:
            load_test_set(self.settings.validation.testset)

    def _to_validate(self, generation_id: str | None) -> Generation:
        """The generation named; else the candidate; else the live one. Raises GenerationNotFound, NoLiveGeneration."""
        if generation_id is not None and generation_id != CANDIDATE:
            return self.catalog.generation(generation_id)
        try:
            return self.releases.candidate() if self.adopted is None else self.served_generation()
        except GenerationNotFound:
            if generation_id == CANDIDATE:
                raise
        live_id = self.catalog.live_id()
        if live_id is None:
            raise NoLiveGeneration(
                "There is nothing to validate: no candidate, and nothing is live.", hint="`assay ingest` builds one."
            )
        return self.catalog.generation(live_id)

    def _plan(
        self,
        generation: Generation,
        test_set: TestSet | None,
        path: Path | None,
        load: Sequence[Load],
        opened: ExitStack,
    ) -> Plan:
        """What is measured, and with what; indexes are closed with `opened`."""
        searcher = self._searcher_until(opened, generation.id)
        live_id = self.catalog.live_id()
        live = self.catalog.generation(live_id) if live_id and live_id != generation.id else None
        measures = self.measures
        compared = None
        if live is not None and test_set is not None and self.gate.compares_with_live:
            compared = self._system(live, self._searcher_until(opened, live.id), test_set, measures)
        asked = searcher.search, self.embedder.expect_queries
        judged = Judged(generation, live, self.catalog, searcher.index, *asked, self._gate_recheck())
        return Plan(
            test_set=test_set,
            test_set_path=str(path) if path else None,
            system=self._system(generation, searcher, test_set, measures),
            live=compared,
            measures=measures,
            gate=self.gate,
            target=f"adopted collection {self.adopted}" if self.adopted else generation.state.value,
            search=self._searching(),
            structure=None if self.adopted else judged,
            load=tuple(load),
            started_at=datetime.now(UTC),
        )

    def _searcher_until(self, opened: ExitStack, generation_id: str) -> Searcher:
        searcher = self._open_searcher(generation_id)
        opened.callback(searcher.close)
        return searcher

    def _system(
        self, generation: Generation, searcher: Searcher, test_set: TestSet | None, measures: Measures
    ) -> System:
        topics = resolve(test_set, self._corpus(generation, searcher)) if test_set else ()
        costly = self.embedder.batching.costly
        search = self.settings.search
        asked = Asked(
            searcher.search,
            self.embedder.expect_queries if costly else None,
            search.mode,
            search.threshold,
            max(self.settings.validation.depth, measures.deepest),
        )
        return System(generation, generation.id, topics, asked)

    def _measured(
        self,
        generation: Generation,
        searcher: Searcher,
        test_set: TestSet,
        progress: Progress | None,
        asking: Callable[[Asked], Asked],
    ) -> tuple[Run, list[TopicResult]]:
        """Every topic asked of a generation, otherwise than usually as `asking` says, and measured."""
        measures = Measures.named()
        system = self._system(generation, searcher, test_set, measures)
        run = run_topics(system.topics, asking(system.asked), generation.id, progress or Silence()).run
        return run, measure_topics(run, system.topics, measures)

    def _corpus(self, generation: Generation, searcher: Searcher) -> Corpus:
        """What judgments are resolved on."""
        return CatalogCorpus(self.catalog, generation.id) if self.adopted is None else CollectionCorpus(searcher.index)

    def _searching(self) -> dict[str, object]:
        """How the searches that are measured are made."""
        search = self.settings.search
        return {
            "mode": search.mode.value,
            "threshold": search.threshold,
            "fusion": search.fusion.value,
            "dense_weight": self.settings.dense_weight,
            "sparse_weight": search.sparse_weight,
            "rrf_k": search.rrf_k,
            "depth": search.depth,
        }

    def _audited(self, generation_id: str | None) -> Generation:
        """The generation that an audit is of. Raises GenerationError."""
        if generation_id == CANDIDATE or (generation_id is None and self.catalog.live_id() is None):
            return self.releases.candidate()
        generation = self.catalog.generation(generation_id or str(self.catalog.live_id()))
        if not generation.state.is_sealed:
            raise GenerationError(
                f"Generation {generation.id} is {generation.state}, and has no whole index to look at.",
                hint="`assay generations` lists every generation with its state.",
            )
        return generation

    def _recheck(
        self,
        generation: Generation,
        index: VectorIndex | None,
        sample: int | None,
        everything: bool,
        agree: Callable[[EmbeddingCost], bool],
        progress: Progress,
    ) -> Recheck:
        """What an audit makes anew; what costs something only when it was asked for, and agreed to."""
        embedder = self.embedder
        if not embedder.batching.costly:
            return Recheck(embedder, self.encoder, vectors=None if everything else sample)
        unasked = Recheck(None, self.encoder, identity=embedder.identity)
        if index is None or embedder.identity != generation.embedder or not (everything or sample):
            return unasked
        suspects: frozenset[int] = frozenset()
        if sample is not None and sample < generation.chunks:
            found = most_suspicious(generation, self.catalog, index, StaticEmbedder(), sample // 2, progress)
            suspects, sample = frozenset(found), sample - len(found)
        if not agree(embedding_cost(generation, self.catalog, sample, suspects)):
            return unasked
        return Recheck(embedder, self.encoder, vectors=sample, suspects=suspects)

    def _gate_recheck(self) -> Recheck:
        """What the gate makes anew: a sample, for all of these vectors were made a moment ago or looked at before."""
        quick = None if self.embedder.batching.costly else self.embedder
        return Recheck(quick, self.encoder, vectors=_GATE_SAMPLE, keywords=_GATE_SAMPLE)

    def _require_own_index(self) -> None:
        """Raise IndexNotOurs where a collection is adopted."""
        if self.adopted is not None:
            raise IndexNotOurs(
                f"[index] adopt serves the collection {self.adopted} as it is, and Assay never changes it.",
                hint="Fill it with the pipeline that made it; or remove adopt, and `assay publish` builds an index.",
            )

    def _open_adopted(self, generation: Generation, rules: SearchRules) -> Searcher:
        """A searcher of a collection that others fill."""
        index = self.adopted_store.open(generation.id, IndexSpec.of(generation))
        encoder = self.encoder if index.has_keywords else None
        return Searcher(generation, index, self.embedder, encoder, rules, shifting=True)

    def _open_searcher(self, generation_id: str) -> Searcher:
        generation = self.catalog.generation(generation_id)
        if not generation.state.is_sealed:
            raise NoLiveGeneration(f"Generation {generation.id} is {generation.state} and cannot be searched.")
        search = self.settings.search
        rules = SearchRules(
            search.fusion, FusionWeights(self.settings.dense_weight, search.sparse_weight), search.rrf_k, search.depth
        )
        if self.adopted is not None:
            return self._open_adopted(generation, rules)
        index = self.store.open(generation.id, IndexSpec.of(generation))
        return Searcher(generation, index, self.embedder, self.encoder, rules)

    def _promote(self, generation: Generation, test_set: str | None) -> Generation:
        """Go live; then the vectors that were kept in case the candidate came to nothing are in use, and not needed."""
        promoted = self.releases.promote(generation.id, self.gate.fingerprint, test_set)
        if self._embeddings_file.exists():
            try:
                with self.catalog.build_lock():
                    self.embedding_cache.clear()
            except BuildInProgress:
                logger.info("Another build is using %s, which is cleared when that one is live.", self._embeddings_file)
        return promoted

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


def gate_of(settings: GateSettings) -> Gate:
    """The limits of `[gate]`. Raises InputError for a measure that there is not."""
    structure = StructuralLimits(
        settings.max_failed_pages,
        settings.max_page_fall,
        settings.title_top_k,
        settings.max_unreachable,
        settings.title_sample,
    )
    groups: list[tuple[str | None, Mapping[str, LimitSettings]]] = [(None, settings.limits), *settings.groups.items()]
    quality = QualityLimits(
        precision=settings.min_precision,
        precision_share=settings.min_precision_share,
        mrr=settings.min_mrr,
        completeness=1.0,
        hashes=1.0,
        p95_ms=settings.max_p95_ms,
        edge_topics=settings.edge_topics,
        precision_of=settings.precision,
        abstain_below=settings.abstain_below,
        lost_judgments=settings.max_lost_judgments,
        measures=tuple(
            MeasureLimit(parse_measure(name).name, group, limit.min, limit.max_drop_vs_live)
            for group, limits in groups
            for name, limit in limits.items()
        ),
    )
    return Gate(structure, quality)


def _judged_by(generation: Generation) -> Path | None:
    """The test set that a generation was last judged by; None where only its structure was, or it never was."""
    path = (generation.verdict or {}).get("test_set_path")
    return Path(path) if isinstance(path, str) else None


def _choice(settings: EmbeddingSettings) -> EmbedderChoice:
    """The settings as plain values, keys uncovered."""
    values: dict[str, Any] = {name: getattr(settings, name) for name in EmbeddingSettings.model_fields}
    for name, value in values.items():
        if isinstance(value, SecretStr):
            values[name] = value.get_secret_value()
    return EmbedderChoice(**values)


def _qdrant_store(settings: Settings) -> VectorStore:
    """The server of [qdrant]; its client is loaded only here, for it takes half a second."""
    chosen = settings.qdrant
    _require_server(chosen, 'The vector store is "qdrant"', ', or [index] store to "embedded"')
    from assay.adapters.qdrant import QdrantStore
    from assay.adapters.qdrant_options import CollectionLayout, Loading

    access, reading = _qdrant_access(chosen)
    return QdrantStore(
        access,
        chosen.collection,
        layout=CollectionLayout(
            graph_from=settings.index.hnsw_threshold,
            shard_number=chosen.shard_number,
            replication_factor=chosen.replication_factor,
            write_consistency=chosen.write_consistency,
            quantization=chosen.quantization,
            on_disk=chosen.on_disk,
            hnsw_links=chosen.hnsw_links,
            hnsw_build_width=chosen.hnsw_build_width,
        ),
        loading=Loading(
            batch=chosen.upload_batch, batch_bytes=chosen.upload_bytes, seal_timeout=chosen.seal_timeout_seconds
        ),
        reading=reading,
    )


def _adopted_store(settings: Settings, encoder: SparseEncoder) -> "AdoptedStore":
    """The collection of [index] adopt."""
    index = settings.index
    if index.adopt is None:
        raise ConfigurationError(
            "No collection is adopted.", hint="Set [index] adopt to the name of one on the server of [qdrant] url."
        )
    if index.store == "embedded":
        raise ConfigurationError(
            f"The collection {index.adopt} is to be adopted, and [index] store is `embedded`.",
            hint="Leave [index] store out: what is adopted is on a Qdrant server.",
        )
    _require_server(settings.qdrant, f"The collection {index.adopt} is to be adopted", "")
    from assay.adapters.adopted.mapping import FieldMapping
    from assay.adapters.adopted.store import AdoptedStore, Adoption

    access, reading = _qdrant_access(settings.qdrant)
    mapping = FieldMapping(index.mapping.paths, index.mapping.first_position, index.mapping.base_url)
    return AdoptedStore(
        access,
        Adoption(index.adopt, index.preset, index.vector, mapping),
        reading=reading,
        encoder=encoder,
        models=models_by_dimension(),
    )


def _qdrant_access(chosen: QdrantSettings) -> "tuple[Access, Reading]":
    """How the server of [qdrant] is reached and asked."""
    from assay.adapters.qdrant_options import Access, Reading

    return (
        Access(
            url=str(chosen.url),
            api_key=chosen.api_key.get_secret_value() if chosen.api_key else None,
            grpc=chosen.grpc,
            grpc_port=chosen.grpc_port,
            timeout=chosen.timeout_seconds,
            upload_timeout=chosen.upload_timeout_seconds,
            retries=chosen.retries,
            patience=chosen.patience_seconds,
        ),
        Reading(
            consistency=chosen.read_consistency, search_width=chosen.search_width, oversampling=chosen.oversampling
        ),
    )


def _require_server(chosen: QdrantSettings, what: str, otherwise: str) -> None:
    """Raise ConfigurationError without an address, or without the client, which takes half a second to load.

    what: needs a server. otherwise: what else could be set.
    """
    if chosen.url is None:
        raise ConfigurationError(
            f"{what}, and there is no address of a server.", hint=f"Set [qdrant] url or QDRANT_URL{otherwise}."
        )
    if find_spec("qdrant_client") is None:
        raise ConfigurationError(
            f"{what}, and the package qdrant_client is not installed.",
            hint="Install it: `pip install '.[qdrant]'` in Assay's checkout.",
        )


def _folder(settings: SourceSettings) -> FolderSource:
    return FolderSource(
        settings.path,
        base_url=settings.base_url,
        name=settings.name,
        current_version=settings.current_version,
        default_locale=settings.default_locale,
        convention=settings.convention,
        max_page_bytes=settings.max_page_bytes,
    )


def example_folder() -> Path:
    """The handbook that `assay demo` reads: in the installed package, or in the checkout."""
    package = Path(__file__).resolve().parent
    for folder in (package / "examples", package.parent.parent / "examples"):
        if (folder / "handbook").is_dir():
            return folder
    raise ConfigurationError("The example handbook is missing from this installation.", hint="Install Assay again.")
