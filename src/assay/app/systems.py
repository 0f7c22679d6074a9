"""Systems under measurement: a generation with the labels of a test set, and its searcher."""

from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass

from assay.app.construction import process_from
from assay.app.gates import gate_of
from assay.app.locked_property import LockedProperty
from assay.app.parts import Parts
from assay.app.searching import Searches
from assay.errors import CatalogCorrupt, VectorStoreError
from assay.model.documents import PageFailed
from assay.model.evaluation import Anchoring, Resolution, ResolvedTopic, Run, TestSet
from assay.model.generations import Generation
from assay.model.ranking import Query, Ranking
from assay.model.validations import TopicResult
from assay.ports import Progress, Silence
from assay.release.generation_names import CANDIDATE, LIVE, resolve_generation
from assay.retrieval.searcher import Searcher
from assay.settings import SearchSettings
from assay.validation.gate.policy import Gate
from assay.validation.integrity import Recheck
from assay.validation.judgments.collection import CollectionCorpus
from assay.validation.judgments.corpus import CatalogCorpus, Corpus
from assay.validation.judgments.resolving import resolve
from assay.validation.running.measuring import Measures, measure_topics
from assay.validation.running.runner import SearchSetup, run_topics
from assay.validation.structure import CheckContext
from assay.validation.suite import System

_GATE_SAMPLE = 1_000
"""Chunks that the gate embeds again. Takes half a second, and detects a fault of 1 chunk in 200 with 99% probability.
`assay audit` embeds all chunks."""

_SEARCH_THREADS = 4


@dataclass(frozen=True, slots=True)
class Unopened:
    """The searcher of an index that cannot be opened: every search raises the reason."""

    error: VectorStoreError
    index: None = None
    reranks: bool = False

    def search(self, query: Query) -> Ranking:  # noqa: ARG002 - the signature of a searcher
        """Raise the reason."""
        raise self.error


class Systems:
    """Opens generations for measurement, and resolves test sets on them."""

    def __init__(self, parts: Parts, searches: Searches) -> None:
        self._parts = parts
        self._searches = searches

    @LockedProperty
    def measures(self) -> Measures:
        """The measures in a report: the defaults, those requested, and those with a limit. Raises InputError."""
        limits = self.gate.quality.measures
        return Measures.parse([*self._parts.settings.validation.measures, *(limit.measure for limit in limits)])

    @LockedProperty
    def gate(self) -> Gate:
        """The gate of [gate], with the search rules. Raises InputError."""
        settings = self._parts.settings
        return gate_of(settings.gate, self.described_search | {"top_k": settings.search.top_k})

    @property
    def described_search(self) -> dict[str, object]:
        """The search rules of [search], for a report."""
        return self._searches.described(self._parts.settings.search)

    def measured_generation(self, name: str | None) -> Generation:
        """Return the named generation; without a name, the candidate, else the live one. See resolve_generation."""
        return resolve_generation(self._parts.catalog, name, default=(CANDIDATE, LIVE))

    def other_live(self, generation: Generation) -> Generation | None:
        """Return the live generation if it is another one, else None."""
        live_id = self._parts.catalog.live_id()
        return self._parts.catalog.generation(live_id) if live_id and live_id != generation.id else None

    def compared_live(self, generation: Generation, test_set: TestSet | None) -> Generation | None:
        """Return the live generation that the gate compares answers with; None if it compares with none."""
        if test_set is None or not self.gate.compares_with_live(derived=test_set.derived):
            return None
        return self.other_live(generation)

    def open(self, opened: ExitStack, generation_id: str) -> Searcher:
        """Open a generation until `opened` is left. Raises what Searches.open raises."""
        searcher = self._searches.open(generation_id, patient=True)
        opened.callback(searcher.close)
        return searcher

    def open_or_error(self, opened: ExitStack, generation_id: str) -> Searcher | Unopened:
        """Open a generation until `opened` is left. If its index cannot be opened, every search raises the error.

        The report then shows it. For an adopted collection the error is raised at once.
        """
        try:
            return self.open(opened, generation_id)
        except VectorStoreError as error:
            if self._parts.adopted is not None:
                raise
            return Unopened(error)

    def corpus(self, generation: Generation, searcher: Searcher | Unopened) -> Corpus:
        """Return the passages on which judgments are resolved."""
        if self._parts.adopted is None:
            return CatalogCorpus(self._parts.catalog, generation.id)
        assert searcher.index is not None
        return CollectionCorpus(searcher.index)

    def search_setup(self, searcher: Searcher | Unopened, search: SearchSettings, measures: Measures) -> SearchSetup:
        """Return the search parameters of a run: deep enough for the measures, paid queries embedded in batches."""
        embedder = self._parts.embedder
        return SearchSetup(
            searcher.search,
            embedder.prefetch_queries if embedder.batching.costly else None,
            search.mode,
            search.threshold,
            max(self._parts.settings.validation.depth, measures.deepest),
            rerank=searcher.reranks,
        )

    def run(
        self,
        generation: Generation,
        searcher: Searcher,
        test_set: TestSet,
        progress: Progress | None,
        change: Callable[[SearchSetup], SearchSetup],
    ) -> tuple[Run, list[TopicResult]]:
        """Run every topic on a generation, and measure the answers. change: adapts the search parameters."""
        measures = Measures.parse()
        progress = progress or Silence()
        topics = self.resolved(generation, searcher, test_set, progress)
        setup = self.search_setup(searcher, self._parts.settings.search, measures)
        system = System(generation, generation.id, topics, setup)
        run = run_topics(system.topics, change(system.setup), generation.id, progress).run
        return run, measure_topics(run, system.topics, measures)

    def check_context(
        self,
        generation: Generation,
        live: Generation | None,
        searcher: Searcher | Unopened,
        failed: Sequence[PageFailed] = (),
    ) -> CheckContext:
        """Collect the inputs of the structural checks of a generation. failed: its failed pages, if known."""
        parts = self._parts
        quick = None if parts.embedder.batching.costly else parts.embedder
        return CheckContext(
            generation,
            live,
            parts.catalog,
            searcher.index,
            searcher.search,
            parts.embedder.prefetch_queries,
            Recheck(quick, parts.encoder, vectors=_GATE_SAMPLE, keywords=_GATE_SAMPLE),
            searcher.error if isinstance(searcher, Unopened) else None,
            parts.embedder,
            parts.settings.search.threshold,
            parts.settings.search.top_k,
            failed=tuple(failed),
            threads=1 if self._searches.are_local else _SEARCH_THREADS,
            process_from=process_from(parts.settings),
        )

    def resolved(
        self, generation: Generation, searcher: Searcher | Unopened, test_set: TestSet, progress: Progress
    ) -> tuple[ResolvedTopic, ...]:
        """Resolve the topics on a generation. If its catalog is damaged, every judgment is orphaned with the reason."""
        try:
            return resolve(test_set, self.corpus(generation, searcher), progress)
        except CatalogCorrupt as error:
            lost = Resolution(Anchoring.ORPHANED, reason=error.message)
            return tuple(
                ResolvedTopic(
                    topic,
                    (lost,) * len(topic.judgments),
                    {},
                    exclusions=(lost,) * len(topic.excluded),
                )
                for topic in test_set.topics
            )
