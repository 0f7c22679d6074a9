"""The bench of an experiment: resolves one test set on generations, and measures settings on them."""

from collections.abc import Iterable, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass, replace
from pathlib import Path

from assay.app import Assay
from assay.app.testsets import read_run_file
from assay.errors import InputError
from assay.experiments.variants import Variant
from assay.model.comparisons import Side
from assay.model.evaluation import ResolvedTopic, TestSet
from assay.model.generations import Generation
from assay.model.validations import Provenance
from assay.ports import Progress
from assay.release.generation_names import CANDIDATE, LIVE, resolve_generation
from assay.settings import Settings
from assay.validation.comparing import ranked_topic, stored_topic
from assay.validation.judgments.corpus import CatalogCorpus
from assay.validation.judgments.denominators import Removed, agree
from assay.validation.judgments.resolving import resolve
from assay.validation.metrics import order
from assay.validation.running.latency import percentiles
from assay.validation.running.measuring import Measures, measure_topics
from assay.validation.running.runner import TimedRun, run_topics

_CHECKED_IDS = 500
"""Documents of a run file that are looked up to verify its generation."""


@dataclass(frozen=True, slots=True)
class Resolved:
    """A generation with the labels of the test set on its chunks."""

    generation: Generation
    topics: tuple[ResolvedTopic, ...]


class Bench:
    """Measures settings on generations with one test set, which is read on first use.

    opened: closes the indexes.
    test_set: None for the one that judges a release; `notes` names it.
    generation, default: the generation for settings that name none; see resolve_generation.
    """

    def __init__(
        self,
        assay: Assay,
        opened: ExitStack,
        test_set: Path | None,
        generation: str | None,
        measures: Measures,
        progress: Progress,
        default: Sequence[str] = (LIVE, CANDIDATE),
    ) -> None:
        self.assay = assay
        self.settings: Settings = assay.settings
        self.measures = measures
        self.progress = progress
        self._opened = opened
        self.notes: tuple[str, ...] = ()
        self._path = test_set
        self._generation = generation
        self._default = default
        self._test_set: TestSet | None = None
        self._resolved: dict[str, Resolved] = {}

    @property
    def test_set(self) -> TestSet:
        """The labelled queries. Raises InputError if no test set is set."""
        if self._test_set is None:
            applied = self.assay.evaluation.applied_test_set(test_set=self._path)
            if applied.test_set is None:
                raise InputError(
                    "Measuring needs a test set, and none is set.",
                    hint="Set one with --testset FILE or [validation] testset; `assay testset derive` creates a first.",
                )
            self._test_set, self._path = applied.test_set, applied.path
            if applied.notes:
                self.notes = (
                    f"No test set is set, so {applied.path} of the last verdict was used. --testset names another.",
                )
        return self._test_set

    def generation(self, name: str | None) -> Generation:
        """Find a generation that can be searched. name: None for the bench's default.

        Raises GenerationError, CatalogError.
        """
        return resolve_generation(
            self.assay.parts.catalog, name or self._generation, default=self._default, sealed=True
        )

    def resolved(self, generation: Generation) -> Resolved:
        """Resolve the test set on a generation, once."""
        if generation.id not in self._resolved:
            topics = resolve(self.test_set, CatalogCorpus(self.assay.parts.catalog, generation.id))
            self._resolved[generation.id] = Resolved(generation, topics)
        return self._resolved[generation.id]

    def agree(self, generations: Iterable[Generation], *, allow_removals: bool) -> tuple[Removed, ...]:
        """Resolve the test set on several generations with the same denominators. Return the judgments left out.

        allow_removals: leave out judgments on pages that only the oldest generation has.
        """
        ordered = sorted({one.id: one for one in generations}.values(), key=lambda one: (one.created_at, one.id))
        agreed = agree(
            self.test_set,
            [CatalogCorpus(self.assay.parts.catalog, one.id) for one in ordered],
            same_chunker=len({one.chunker for one in ordered}) == 1,
            allow_removals=allow_removals,
            progress=self.progress,
        )
        for one, topics in zip(ordered, agreed.sides, strict=True):
            self._resolved[one.id] = Resolved(one, topics)
        return agreed.removed

    def measure(self, variant: Variant) -> Side:
        """Search for every topic with these settings, and measure the answers."""
        on = self.resolved(self.generation(variant.generation))
        searcher = self._opened.enter_context(
            closing(self.assay.searches.open_with(on.generation, variant.search, rerank=variant.rerank, patient=True))
        )
        report = run_topics(
            on.topics,
            self.assay.systems.search_setup(searcher, variant.search, self.measures),
            on.generation.id,
            self.progress,
        )
        return self._side(variant, on, report)

    def measure_run_file(self, path: Path) -> Side:
        """Measure the rankings in a TREC run file with the labels of the test set."""
        run = read_run_file(path)
        on = self.resolved(self.generation(None))
        known = {hit.doc_id for hits in run.values() for hit in hits}
        if not self.assay.parts.catalog.places_of_ids(on.generation.id, sorted(known)[:_CHECKED_IDS]):
            raise InputError(
                f"{path}: none of its documents is a chunk of generation {on.generation.id}.",
                hint="Set the generation of the run with --generation; document ids must be chunk ids.",
            )
        topics = {
            one.topic.id: ranked_topic(
                one, order((hit.doc_id, hit.score) for hit in run.get(one.topic.id, ())), self.measures
            )
            for one in on.topics
        }
        provenance = self._provenance(on.generation, Variant(path.name, self.settings.search))
        return Side(path.name, topics, None, replace(provenance, target=f"run file {path.name}", search={}))

    def _side(self, variant: Variant, on: Resolved, report: TimedRun) -> Side:
        results = measure_topics(report.run, on.topics, self.measures)
        costly = self.assay.parts.embedder.batching.costly
        timings = [run.timings for run in report.run.topics if run.timings and run.topic_id in report.timed]
        spent = [one.total_ms - (one.embed_ms if costly else 0.0) for one in timings]
        note = "without the embedding of the queries, which is cached between the sides"
        return Side(
            name=variant.name,
            topics={result.topic.id: stored_topic(result) for result in results},
            latency=percentiles(spent) if spent else None,
            provenance=self._provenance(on.generation, variant),
            latency_note=note if costly and spent else "",
            results=tuple(results),
            resolved=on.topics,
        )

    def _provenance(self, generation: Generation, variant: Variant) -> Provenance:
        return Provenance(
            target=generation.state.value,
            generation=generation.id,
            content_fingerprint=generation.content_fingerprint,
            embedder=generation.embedder,
            chunker=generation.chunker,
            documents=generation.documents,
            chunks=generation.chunks,
            search=self.assay.searches.described(variant.search, variant.rerank),
            test_set=self.test_set.name,
            test_set_fingerprint=self.test_set.fingerprint,
            test_set_path=str(self._path),
            gate="",
            versions={},
        )
